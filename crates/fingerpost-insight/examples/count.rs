//! Counts scans of some products, to measure what a scan costs: the difference between two runs is
//! that of their numbers.
//!
//! ```text
//! cargo build --release -p fingerpost-insight --example count
//! valgrind --tool=callgrind --callgrind-out-file=/dev/null target/release/examples/count 10000
//! valgrind --tool=callgrind --callgrind-out-file=/dev/null target/release/examples/count 1010000
//! ```

use fingerpost_insight::{AnswerKind, AnsweredScan, Counters, LinkType};
use jiff::Timestamp;

const PHONE: &[u8] = b"Mozilla/5.0 (iPhone; CPU iPhone OS 17_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) \
    Version/17.5 Mobile/15E148 Safari/604.1";

fn main() {
    let scans: u32 =
        std::env::args().nth(1).and_then(|text| text.parse().ok()).unwrap_or(1_000_000);
    let counters = Counters::new();
    let levels: Vec<_> = (0..100).map(|number| format!("01/{number:014}")).collect();
    let at = Timestamp::UNIX_EPOCH;
    for level in levels.iter().cycle().take(scans as usize) {
        counters.count(&AnsweredScan {
            level,
            kind: AnswerKind::Redirect,
            link_type: Some(LinkType::Term("https://ref.gs1.org/voc/pip")),
            language: Some("en"),
            country: None,
            user_agent: PHONE,
            at,
        });
    }
    println!("{} counters", counters.used());
}
