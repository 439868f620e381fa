//! Feeds the slowest inputs known to every reader, and prints the most steps that each took for a byte. Exits with 1 if any took more than
//! its bound.

mod counter;

// Defines the other functions that instrumented code calls.
use libfuzzer_sys as _;

use counter::{is_counting, steps};
use fingerpost_steps::inputs::{distinct, inputs};
use fingerpost_steps::{READERS, Reader, requests};

/// Sizes of the inputs. Work that grows faster than the text shows in the last.
/// GS1 data are refused over 8,191 bytes.
const SIZES: [usize; 3] = [500, 2_000, 8_000];

fn main() -> std::process::ExitCode {
    if !is_counting() {
        eprintln!(
            "this program counts nothing: run .ci/steps, which compiles it with the calls that count"
        );
        return std::process::ExitCode::from(2);
    }
    let mut over = 0;
    println!(
        "{:<34} {:>8} {:>8} {:>8} {:>8}  slowest",
        "steps for each byte of", "500 B", "2 kB", "8 kB", "bound"
    );
    for reader in READERS {
        let found = SIZES.map(|size| slowest(reader, size));
        let rates = found.each_ref().map(|found| found.rate);
        let is_over = found.iter().any(|found| found.is_over);
        over += usize::from(is_over);
        let [small, middle, large] = rates;
        let slowest: String = found[2].input.chars().take(60).collect();
        let mark = if is_over { "OVER" } else { "" };
        println!(
            "{:<34} {small:>8} {middle:>8} {large:>8} {:>8}  {slowest:?} {mark}",
            reader.name, reader.per_byte
        );
    }
    println!("\n{:<34} {:>12} {:>12}  slowest", "steps for a request", "found", "bound");
    for kind in requests::KINDS {
        let (taken, request) = requests::slowest(kind, |work| steps(work));
        let is_over = taken > requests::MOST_STEPS;
        over += usize::from(is_over);
        let mark = if is_over { "OVER" } else { "" };
        println!(
            "{:<34} {taken:>12} {:>12}  {request} {mark}",
            format!("{kind:?}"),
            requests::MOST_STEPS
        );
    }
    println!("{over} over their bound");
    std::process::ExitCode::from(u8::from(over > 0))
}

/// The input that takes a reader the most steps for each byte.
struct Slowest {
    rate: u64,
    input: String,
    is_over: bool,
}

fn slowest(reader: &Reader, size: usize) -> Slowest {
    let all = inputs(size).chain(distinct(size)).map(|input| {
        let taken = steps(|| (reader.read)(&input));
        Slowest {
            rate: taken / input.len() as u64,
            is_over: taken > reader.bound(input.len()),
            input,
        }
    });
    let none = Slowest { rate: 0, input: String::new(), is_over: false };
    all.fold(none, |worst, next| {
        let is_over = worst.is_over || next.is_over;
        Slowest { is_over, ..if next.rate > worst.rate { next } else { worst } }
    })
}
