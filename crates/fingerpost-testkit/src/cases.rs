//! How many cases a property test draws: `bench/nightly` asks for more.

/// Returns the number of cases of a property test: the usual one, or as many times more as
/// `FINGERPOST_CASES_TIMES` says. `PROPTEST_CASES` has no effect where a test sets a number itself.
///
/// # Panics
///
/// If `FINGERPOST_CASES_TIMES` is no number.
pub fn cases(usual: u32) -> u32 {
    let times = std::env::var("FINGERPOST_CASES_TIMES").ok();
    usual * times.map_or(1, |times| times.parse().expect("a number"))
}
