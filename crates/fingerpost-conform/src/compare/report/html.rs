//! The report as a self-contained HTML page.

use std::io::{self, Write};

use super::CompareReport;
use crate::escape::markup;
use crate::report::page_head;

impl CompareReport {
    /// Writes the report as an HTML page without scripts and references to other files.
    pub fn write_html(&self, out: &mut impl Write) -> io::Result<()> {
        out.write_all(page_head("Comparison of two resolvers").as_bytes())?;
        writeln!(out, "<p>Old: <code>{}</code></p>", markup(&self.old))?;
        writeln!(out, "<p>New: <code>{}</code></p>", markup(&self.new))?;
        for line in self.summary() {
            writeln!(out, "<p>{}</p>", markup(&line))?;
        }
        for difference in &self.differences {
            let open = if difference.effect == "scan" { " open" } else { "" };
            writeln!(
                out,
                "<details{open}><summary><span class=\"word {}\">{}</span><span>{} ×</span><span>{}</span></summary>",
                if open.is_empty() { "depends" } else { "fail" },
                markup(&difference.effect),
                difference.count,
                markup(&difference.heading()),
            )?;
            let kind = markup(&difference.kind);
            writeln!(out, "<p><code>{kind}</code>: {}</p>", markup(&difference.explanation))?;
            for example in &difference.examples {
                writeln!(
                    out,
                    "<pre>{}\n{}\n\n{}\n{}</pre>",
                    markup(&example.old),
                    markup(&example.old_found),
                    markup(&example.new),
                    markup(&example.new_found)
                )?;
            }
            writeln!(out, "</details>")?;
        }
        writeln!(out, "</body>\n</html>")
    }
}
