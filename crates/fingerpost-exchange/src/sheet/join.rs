//! Joins the rows of each level, wherever they are in the sheet.
//!
//! A record replaces what its level held, so all rows of a level have to become one record. They
//! are sorted like the records of an import: in a buffer of [`SORT_BYTES`], then in a temporary
//! file. If all are in the buffer, levels come in the order of their first rows, else in the order
//! of their anchors.

use std::io;
use std::path::Path;

use super::statement::Statement;
use crate::RecordPosition;
use crate::frame::Frames;
use crate::limits::{MAX_LEVEL_BYTES, SORT_BYTES};
use crate::merge::{Merge, MergedFrame};
use crate::spool::Spool;

/// A collector of statements.
#[derive(Debug)]
pub(crate) struct Joiner(Spool);

/// All statements about one level.
#[derive(Debug)]
pub(crate) struct LevelStatements {
    pub(crate) statements: Vec<Statement>,
    /// Whether there are more, which were not kept.
    pub(crate) is_cut: bool,
}

impl Joiner {
    /// Creates an empty joiner, whose temporary file has no name and is in `dir`.
    pub(crate) fn new(dir: &Path) -> Joiner {
        Joiner(Spool::new(dir, SORT_BYTES))
    }

    /// Adds a statement.
    pub(crate) fn push(&mut self, statement: &Statement) -> io::Result<()> {
        let position = RecordPosition { record: self.0.count(), ..RecordPosition::default() };
        let mut frames = Frames::default();
        frames.push(&statement.anchor, &serde_json::to_vec(statement)?, position);
        frames.iter().try_for_each(|frame| self.0.add(frame))
    }

    /// Returns all levels.
    pub(crate) fn into_levels(self) -> io::Result<Levels> {
        let is_sorted_by_anchor = self.0.has_runs();
        let mut merge = self.0.into_merge()?;
        if is_sorted_by_anchor {
            return Ok(Levels::Many(merge));
        }
        let mut levels = Vec::new();
        while let Some(level) = Encoded::next(&mut merge)? {
            levels.push(level);
        }
        levels.sort_unstable_by_key(|level| level.first);
        Ok(Levels::Few(levels.into_iter()))
    }
}

/// The levels of a sheet.
#[derive(Debug)]
pub(crate) enum Levels {
    Few(std::vec::IntoIter<Encoded>),
    Many(Merge),
}

impl Levels {
    /// Returns the next level.
    pub(crate) fn next(&mut self) -> io::Result<Option<LevelStatements>> {
        let next = match self {
            Levels::Few(levels) => levels.next(),
            Levels::Many(merge) => Encoded::next(merge)?,
        };
        next.map(Encoded::decode).transpose()
    }
}

/// A level whose statements are encoded.
#[derive(Debug, Default)]
pub(crate) struct Encoded {
    /// The number of its first statement.
    first: u64,
    statements: Vec<Vec<u8>>,
    bytes: usize,
    is_cut: bool,
}

impl Encoded {
    /// Takes the next level from a merge.
    fn next(merge: &mut Merge) -> io::Result<Option<Encoded>> {
        let mut level: Option<Encoded> = None;
        while let Some(step) = merge.next()? {
            let (MergedFrame::Last(frame) | MergedFrame::Earlier { frame, .. }) = step;
            let first = frame.position().record;
            let level = level.get_or_insert_with(|| Encoded { first, ..Encoded::default() });
            level.bytes += frame.value().len();
            if level.bytes > MAX_LEVEL_BYTES {
                level.is_cut = true;
            } else {
                level.statements.push(frame.value().to_owned());
            }
            if matches!(step, MergedFrame::Last(_)) {
                break;
            }
        }
        Ok(level)
    }

    fn decode(self) -> io::Result<LevelStatements> {
        let statements = self.statements.iter().map(|bytes| serde_json::from_slice(bytes));
        let statements = statements.collect::<Result<_, _>>()?;
        Ok(LevelStatements { statements, is_cut: self.is_cut })
    }
}

#[cfg(test)]
mod tests {
    use super::super::cell::CellReference;
    use super::super::statement::Text;
    use super::*;

    fn statement(anchor: &str, row: u64) -> Statement {
        let key = CellReference { row, column: 0 };
        let text = Text { position: key, text: "x".repeat(50) };
        Statement {
            anchor: anchor.to_owned(),
            key,
            description: Some(text),
            descriptions: None,
            answer: None,
            context_source: None,
            links: Vec::new(),
            faults: Vec::new(),
            advice: Vec::new(),
        }
    }

    /// Returns the rows of each level in the order in which they come.
    fn joined(sort_bytes: usize) -> Vec<(String, Vec<u64>)> {
        let mut joiner = Joiner(Spool::new(&std::env::temp_dir(), sort_bytes));
        for row in 0..300 {
            joiner.push(&statement(&format!("/01/{}", (row * 7 + 5) % 20), row)).unwrap();
        }
        let (mut levels, mut found) = (joiner.into_levels().unwrap(), Vec::new());
        while let Some(level) = levels.next().unwrap() {
            let rows = level.statements.iter().map(|statement| statement.key.row).collect();
            found.push((level.statements[0].anchor.clone(), rows));
        }
        found
    }

    #[test]
    fn rows_of_a_level_are_joined_wherever_they_are() {
        let mut in_memory = joined(SORT_BYTES);
        assert_eq!(in_memory[0].0, "/01/5", "in the order of first rows");
        assert_eq!(in_memory.len(), 20);
        assert!(in_memory.iter().all(|(_, rows)| rows.len() == 15 && rows.is_sorted()));
        // In a file: many parts, each a few statements.
        in_memory.sort();
        for sort_bytes in [1, 1_000, 20_000] {
            assert_eq!(joined(sort_bytes), in_memory, "{sort_bytes}");
        }
    }

    #[test]
    fn memory_is_bounded_for_a_level_with_many_rows() {
        let mut joiner = Joiner(Spool::new(&std::env::temp_dir(), 1_000_000));
        let mut wide = statement("/01/1", 0);
        wide.description.as_mut().unwrap().text = "x".repeat(100_000);
        for _ in 0..100 {
            joiner.push(&wide).unwrap();
        }
        assert!(joiner.0.has_runs(), "most statements are in the file");
        let level = joiner.into_levels().unwrap().next().unwrap().unwrap();
        assert!(level.is_cut);
        assert!(level.statements.len() * 100_000 <= MAX_LEVEL_BYTES);
    }
}
