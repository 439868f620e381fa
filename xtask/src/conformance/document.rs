//! The documents of `docs/requirements/`: Markdown tables whose rows begin with an id.
//!
//! ```text
//! table     = header separator *row
//! header    = "| Id | Level | Requirement |" …     the rows of the document
//!           / "| Untested | Reason |"              why a row has no test
//! ```

use super::id::mentions;

/// One requirement.
#[derive(Debug)]
pub(super) struct Row<'t> {
    pub(super) id: &'t str,
    pub(super) level: &'t str,
    pub(super) text: &'t str,
}

/// The content of a document.
#[derive(Debug, Default)]
pub(super) struct Document<'t> {
    pub(super) rows: Vec<Row<'t>>,
    /// Ids of rows without a test, and the reasons.
    pub(super) untested: Vec<(&'t str, &'t str)>,
    pub(super) faults: Vec<String>,
}

impl<'t> Document<'t> {
    /// Parses a document; adds unreadable parts to `faults`.
    pub(super) fn parse(text: &'t str) -> Self {
        let mut document = Self::default();
        let mut kind = None;
        for line in text.lines() {
            let cells = cells(line);
            match cells.as_slice() {
                [] => kind = None,
                ["Id", "Level", "Requirement", ..] => kind = Some(Kind::Rows(cells.len())),
                ["Untested", "Reason"] => kind = Some(Kind::Untested),
                [first, ..] if first.starts_with("--") => {}
                _ => document.row(kind, &cells),
            }
        }
        document
    }

    fn row(&mut self, kind: Option<Kind>, cells: &[&'t str]) {
        let first = cells[0];
        let is_id = mentions(first).any(|(at, found)| at == 0 && found.id() == Some(first));
        match (kind, cells) {
            (Some(Kind::Rows(columns)), &[id, level, text, ..])
                if is_id && cells.len() == columns && !level.is_empty() && !text.is_empty() =>
            {
                self.rows.push(Row { id, level, text });
            }
            (Some(Kind::Untested), &[id, reason]) if is_id && !reason.is_empty() => {
                self.untested.push((id, reason));
            }
            (None, _) if !is_id => {}
            _ => {
                self.faults
                    .push(format!("{first}: expected a row of its table, found other cells"));
            }
        }
    }
}

#[derive(Clone, Copy)]
enum Kind {
    Rows(usize),
    Untested,
}

/// Returns the cells of a table line; none for any other line.
fn cells(line: &str) -> Vec<&str> {
    let Some(inner) = line.strip_prefix('|').and_then(|rest| rest.trim_end().strip_suffix('|'))
    else {
        return Vec::new();
    };
    let bars = inner.match_indices('|').map(|(at, _)| at);
    let ends = bars.filter(|&at| !inner[..at].ends_with('\\')).chain([inner.len()]);
    let mut start = 0;
    ends.map(|end| {
        let cell = inner[start..end].trim();
        start = end + 1;
        cell
    })
    .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_and_reasons_are_read() {
        let text = concat!(
            "# Title\n\n| mark | source |\n|---|---|\n| S | standard |\n\n",
            "| Id | Level | Requirement | Source |\n|---|---|---|---|\n",
            "| ER-1 | SHALL | `a \\| b` | S |\n| ER-2 | MAY | c | |\n\n",
            "| Untested | Reason |\n|---|---|\n| ER-2 | later |\n",
        );
        let document = Document::parse(text);
        let rows: Vec<_> = document.rows.iter().map(|row| (row.id, row.level, row.text)).collect();
        assert_eq!(rows, [("ER-1", "SHALL", "`a \\| b`"), ("ER-2", "MAY", "c")]);
        assert_eq!(document.untested, [("ER-2", "later")]);
        assert_eq!(document.faults, Vec::<String>::new());
    }

    #[test]
    fn rows_that_cannot_be_read_are_told() {
        let head = "| Id | Level | Requirement |\n|---|---|---|\n";
        for row in
            ["| ER-1 | | a |", "| ER-1 | MAY |", "| ER-1 | MAY | a | b |", "| ER | MAY | a |"]
        {
            assert_eq!(Document::parse(&format!("{head}{row}\n")).faults.len(), 1, "{row}");
        }
        assert_eq!(Document::parse("| ER-1 | MAY | a |\n").faults.len(), 1);
    }
}
