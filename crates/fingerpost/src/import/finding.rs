//! Findings about a record, in a report for people.

use anstyle::Style;
use fingerpost_exchange::ImportFinding;
use fingerpost_resolver::excerpt;

use crate::limits::MAX_SHOWN_ANCHOR;
use crate::output::{NOTE, STRONG, printable};

/// Returns the findings about a record, after its position and the event.
pub(super) fn finding_lines(
    (name, number): (&str, u64),
    (style, event): (Style, &str),
    anchor: Option<&str>,
    findings: &[ImportFinding<'_>],
) -> String {
    let anchor = anchor
        .map(|anchor| format!(" {}", excerpt(&printable(anchor), MAX_SHOWN_ANCHOR)))
        .unwrap_or_default();
    let mut lines = format!("{STRONG}{name}:{number}{STRONG:#}: {style}{event}{style:#}{anchor}\n");
    for ImportFinding { pointer, id, message } in findings {
        let pointer = printable(pointer);
        let space = if pointer.is_empty() { "" } else { ": " };
        let message = printable(message);
        lines.push_str(&format!("  {pointer}{space}{message} {NOTE}[{id}]{NOTE:#}\n"));
    }
    lines
}
