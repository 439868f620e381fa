//! How long the checks of values and element strings take: `cargo bench -p fingerpost-gs1 --bench
//! check_value`. Prints nanoseconds per call, the best of several rounds.

use std::hint::black_box;
use std::time::Instant;

use fingerpost_gs1::{Ai, ElementString};

/// Short rounds, many of them: the best one ran undisturbed even on a busy machine.
const CALLS: u32 = 2_000;
const ROUNDS: usize = 1_000;

fn measure(name: &str, mut work: impl FnMut()) {
    let best = (0..ROUNDS)
        .map(|_| {
            let start = Instant::now();
            (0..CALLS).for_each(|_| work());
            start.elapsed().as_nanos() / u128::from(CALLS)
        })
        .min();
    println!("{name:<44} {:>6} ns", best.unwrap_or_default());
}

fn main() {
    let values = [
        ("01", "09520123456788"),
        ("00", "195201234567891232"),
        ("10", "ABC123"),
        ("21", "12345678901234567890"),
        ("17", "271231"),
        ("8003", "09520123456788X1"),
        ("8013", "1987654Ad4X4bL5ttr2310c2K"),
        ("3912", "978123"),
        ("8110", "0123456123456111101234000229"),
    ];
    for (ai, value) in values {
        let ai = Ai::new(ai).expect("two to four digits");
        measure(&format!("check_value ({ai}){value}"), || {
            let _ = black_box(black_box(ai).check_value(black_box(value.as_bytes())));
        });
    }
    for text in ["(01)09520123456788", "(01)09520123456788(10)ABC123(17)271231(21)12345"] {
        measure(&format!("bracketed, {} bytes", text.len()), || {
            let _ = black_box(ElementString::parse_bracketed(black_box(text)));
        });
    }
    let raw = "^010952012345678810ABC123^1727123121XYZ";
    measure(&format!("raw, {} bytes", raw.len()), || {
        let _ = black_box(ElementString::parse_raw(black_box(raw)));
    });
}
