//! How often tests kill processes, and what they report: `bench/kill` asks for more, and adds up
//! the reports.

/// Returns the number of kills of a test: the usual one, or as many times more as `bench/kill` asks
/// for.
///
/// # Panics
///
/// If `FINGERPOST_KILLS_TIMES` is no number.
pub fn kills(usual: u32) -> u32 {
    let times = std::env::var("FINGERPOST_KILLS_TIMES").ok();
    usual * times.map_or(1, |times| times.parse().expect("a number"))
}

/// Reports the kills of a test, and how many acknowledged writes were found again after them.
pub fn report_kills(during: &str, kills: u32, acknowledged: u64) {
    println!("\nkilled: {kills} during {during}, {acknowledged} acknowledged writes checked");
}
