//! Joins the rows of each level, wherever they are in the sheet.
//!
//! A record replaces what its level held, so all rows of a level have to become one record. Few rows are sorted in memory, and levels
//! come in the order of their first rows. More than [`SORT_BYTES`] are sorted in parts, which a temporary file holds and a merge reads;
//! levels then come in the order of their anchors.
//!
//! ```text
//! part = *( anchor-length statement-length sequence anchor statement )   ; numbers little-endian
//! ```

use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashMap};
use std::fs::File;
use std::io::{self, BufReader, BufWriter, Read, Seek, SeekFrom, Take, Write};
use std::path::{Path, PathBuf};

use super::limits::{MAX_LEVEL_BYTES, SORT_BYTES};
use super::statement::Statement;

/// A collector of statements.
#[derive(Debug)]
pub(crate) struct Joiner {
    dir: PathBuf,
    sort_bytes: usize,
    held: Vec<Item>,
    held_bytes: usize,
    parts: Vec<File>,
    count: u64,
}

/// A statement, encoded, with its place in the sheet. Ordered by anchor, then by place.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Item {
    anchor: String,
    sequence: u64,
    statement: Vec<u8>,
}

/// All statements about one level.
#[derive(Debug)]
pub(crate) struct Level {
    pub(crate) statements: Vec<Statement>,
    /// Whether there are more, which were not kept.
    pub(crate) is_cut: bool,
}

impl Joiner {
    /// Creates an empty joiner, whose temporary files have no name and are in `dir`.
    pub(crate) fn new(dir: &Path) -> Joiner {
        Joiner::with_sort_bytes(dir, SORT_BYTES)
    }

    fn with_sort_bytes(dir: &Path, sort_bytes: usize) -> Joiner {
        Joiner {
            dir: dir.to_owned(),
            sort_bytes,
            held: Vec::new(),
            held_bytes: 0,
            parts: Vec::new(),
            count: 0,
        }
    }

    /// Adds a statement.
    ///
    /// # Errors
    ///
    /// A temporary file cannot be written.
    pub(crate) fn push(&mut self, statement: &Statement) -> io::Result<()> {
        let encoded = serde_json::to_vec(statement)?;
        self.held_bytes += encoded.len() + statement.anchor.len() + size_of::<Item>();
        self.held.push(Item {
            anchor: statement.anchor.clone(),
            sequence: self.count,
            statement: encoded,
        });
        self.count += 1;
        if self.held_bytes >= self.sort_bytes { self.write_part() } else { Ok(()) }
    }

    fn write_part(&mut self) -> io::Result<()> {
        self.held.sort_unstable();
        let mut out = BufWriter::new(tempfile::tempfile_in(&self.dir)?);
        for Item { anchor, sequence, statement } in self.held.drain(..) {
            out.write_all(&(anchor.len() as u64).to_le_bytes())?;
            out.write_all(&(statement.len() as u64).to_le_bytes())?;
            out.write_all(&sequence.to_le_bytes())?;
            out.write_all(anchor.as_bytes())?;
            out.write_all(&statement)?;
        }
        self.held_bytes = 0;
        self.parts.push(out.into_inner().map_err(io::IntoInnerError::into_error)?);
        Ok(())
    }

    /// Returns all levels.
    ///
    /// # Errors
    ///
    /// A temporary file cannot be written or read.
    pub(crate) fn into_levels(mut self) -> io::Result<Levels> {
        if self.parts.is_empty() {
            let mut first: HashMap<String, u64> = HashMap::new();
            for item in &self.held {
                first.entry(item.anchor.clone()).or_insert(item.sequence);
            }
            self.held.sort_by_key(|item| (first.get(&item.anchor).copied(), item.sequence));
            return Ok(Levels { items: Items::Held(self.held.into_iter()), next: None });
        }
        self.write_part()?;
        let mut merge = Merge { parts: Vec::new(), heap: BinaryHeap::new() };
        for mut file in self.parts {
            let length = file.stream_position()?;
            file.seek(SeekFrom::Start(0))?;
            merge.parts.push(BufReader::new(file).take(length));
            merge.read(merge.parts.len() - 1)?;
        }
        Ok(Levels { items: Items::Merged(merge), next: None })
    }
}

/// The levels of a sheet.
#[derive(Debug)]
pub(crate) struct Levels {
    items: Items,
    next: Option<Item>,
}

#[derive(Debug)]
enum Items {
    Held(std::vec::IntoIter<Item>),
    Merged(Merge),
}

/// A merge of sorted parts.
#[derive(Debug)]
struct Merge {
    parts: Vec<Take<BufReader<File>>>,
    heap: BinaryHeap<Reverse<(Item, usize)>>,
}

impl Levels {
    /// Returns the next level.
    ///
    /// # Errors
    ///
    /// A temporary file cannot be read.
    pub(crate) fn next(&mut self) -> io::Result<Option<Level>> {
        let Some(first) =
            self.next.take().map_or_else(|| self.items.next(), |item| Ok(Some(item)))?
        else {
            return Ok(None);
        };
        let mut bytes = first.statement.len();
        let mut level =
            Level { statements: vec![serde_json::from_slice(&first.statement)?], is_cut: false };
        while let Some(item) = self.items.next()? {
            if item.anchor != first.anchor {
                self.next = Some(item);
                break;
            }
            bytes += item.statement.len();
            if bytes > MAX_LEVEL_BYTES {
                level.is_cut = true;
            } else {
                level.statements.push(serde_json::from_slice(&item.statement)?);
            }
        }
        Ok(Some(level))
    }
}

impl Items {
    fn next(&mut self) -> io::Result<Option<Item>> {
        match self {
            Items::Held(items) => Ok(items.next()),
            Items::Merged(merge) => {
                let Some(Reverse((item, part))) = merge.heap.pop() else { return Ok(None) };
                merge.read(part)?;
                Ok(Some(item))
            }
        }
    }
}

impl Merge {
    /// Puts the next item of a part on the heap.
    fn read(&mut self, part: usize) -> io::Result<()> {
        let input = &mut self.parts[part];
        if input.limit() == 0 {
            return Ok(());
        }
        let mut number = || {
            let mut bytes = [0; 8];
            input.read_exact(&mut bytes).map(|()| u64::from_le_bytes(bytes))
        };
        let (anchor, statement, sequence) = (number()?, number()?, number()?);
        let mut text = |length: u64| {
            let mut bytes = vec![0; usize::try_from(length).map_err(io::Error::other)?];
            input.read_exact(&mut bytes).map(|()| bytes)
        };
        let anchor = String::from_utf8(text(anchor)?).map_err(io::Error::other)?;
        let item = Item { anchor, sequence, statement: text(statement)? };
        self.heap.push(Reverse((item, part)));
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::super::cell::Place;
    use super::super::statement::Text;
    use super::*;

    fn statement(anchor: &str, row: u64) -> Statement {
        let key = Place { row, column: 0 };
        let text = Text { place: key, text: "x".repeat(50) };
        Statement {
            anchor: anchor.to_owned(),
            key,
            description: Some(text),
            answer: None,
            links: Vec::new(),
            faults: Vec::new(),
            advice: Vec::new(),
        }
    }

    /// Returns the rows of each level in the order in which they come.
    fn joined(sort_bytes: usize) -> Vec<(String, Vec<u64>)> {
        let mut joiner = Joiner::with_sort_bytes(&std::env::temp_dir(), sort_bytes);
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
        let mut in_memory = joined(usize::MAX);
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
        let mut joiner = Joiner::with_sort_bytes(&std::env::temp_dir(), 1_000_000);
        let mut wide = statement("/01/1", 0);
        wide.description.as_mut().unwrap().text = "x".repeat(100_000);
        for _ in 0..100 {
            joiner.push(&wide).unwrap();
            assert!(joiner.held_bytes <= 1_000_000);
        }
        let level = joiner.into_levels().unwrap().next().unwrap().unwrap();
        assert!(level.is_cut);
        assert!(level.statements.len() * 100_000 <= MAX_LEVEL_BYTES);
    }
}
