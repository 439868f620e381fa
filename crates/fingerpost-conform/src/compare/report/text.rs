//! The report for people.

use std::io::{self, Write};

use super::CompareReport;
use crate::escape::printable;

const BOLD: &str = "\u{1b}[1m";
const RESET: &str = "\u{1b}[0m";

/// Examples of each difference in the text; the other formats have all of them.
const EXAMPLES: usize = 2;

impl CompareReport {
    /// Writes the report for people, with colours for a terminal.
    pub fn write_text(&self, out: &mut impl Write) -> io::Result<()> {
        for difference in &self.differences {
            writeln!(out, "{BOLD}{}{RESET}", printable(&difference.heading()))?;
            writeln!(
                out,
                "  kind      {} ({})",
                printable(&difference.kind),
                printable(&difference.effect)
            )?;
            writeln!(out, "  count     {}", difference.count)?;
            writeln!(out, "  meaning   {}", printable(&difference.explanation))?;
            for example in difference.examples.iter().take(EXAMPLES) {
                writeln!(out, "  old       {}", printable(&example.old))?;
                writeln!(out, "            {}", printable(&example.old_found))?;
                writeln!(out, "  new       {}", printable(&example.new))?;
                writeln!(out, "            {}", printable(&example.new_found))?;
            }
            writeln!(out)?;
        }
        for line in self.summary() {
            writeln!(out, "{}", printable(&line))?;
        }
        Ok(())
    }
}
