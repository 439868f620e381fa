//! Text for messages: numbers with their noun, and text from outside escaped so that it cannot
//! control a terminal.

pub use fingerpost_identify::{printable, push_printable};

/// Returns `1 record`, `2 records`.
pub fn counted(number: u64, noun: &str) -> String {
    let plural = if number == 1 { "" } else { "s" };
    format!("{number} {noun}{plural}")
}
