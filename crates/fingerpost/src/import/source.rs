//! The files to import: all opened before anything is written, so that a mistyped name costs nothing.

use std::fs::File;
use std::io::{self, BufRead, BufReader};
use std::path::{Path, PathBuf};

use crate::failure::Failure;
use crate::output::printable;

/// Bytes read from a file at once.
const READ_BUFFER: usize = 256 * 1024;

/// One opened input.
pub(super) struct Source {
    pub(super) name: String,
    pub(super) input: Box<dyn BufRead + Send>,
    /// The name says that each record has a line of its own.
    pub(super) lines: bool,
    size: Option<u64>,
}

/// All inputs of a run, in the order they were given.
pub(super) struct Sources(Vec<Source>);

impl Sources {
    /// Opens every file.
    ///
    /// # Errors
    /// Names the first file that cannot be opened.
    pub(super) fn open(files: &[PathBuf]) -> Result<Self, Failure> {
        if files.iter().filter(|file| is_standard_input(file)).count() > 1 {
            return Err(Failure::advise(
                "standard input `-` is given twice",
                "it can be read once: name the other input as a file",
            ));
        }
        files.iter().map(|file| Source::open(file)).collect::<Result<_, _>>().map(Self)
    }

    /// Bytes of all files together, if every size is known.
    pub(super) fn total_bytes(&self) -> Option<u64> {
        self.0.iter().map(|source| source.size).sum()
    }

    /// Names for reports.
    pub(super) fn names(&self) -> Vec<String> {
        self.0.iter().map(|source| source.name.clone()).collect()
    }
}

impl IntoIterator for Sources {
    type Item = Source;
    type IntoIter = std::vec::IntoIter<Source>;

    fn into_iter(self) -> Self::IntoIter {
        self.0.into_iter()
    }
}

impl Source {
    fn open(path: &Path) -> Result<Self, Failure> {
        if is_standard_input(path) {
            let input = Box::new(BufReader::with_capacity(READ_BUFFER, io::stdin()));
            return Ok(Self { name: "-".to_owned(), input, lines: false, size: None });
        }
        let name = printable(&path.to_string_lossy());
        let unreadable = |error: io::Error| {
            Failure::advise(
                format!("cannot read `{name}`: {error}"),
                "check the name and its permissions; nothing was imported",
            )
        };
        let file = File::open(path).map_err(unreadable)?;
        let metadata = file.metadata().map_err(unreadable)?;
        if metadata.is_dir() {
            return Err(Failure::advise(
                format!("`{name}` is a directory"),
                format!("name the files in it: {name}/*.json; nothing was imported"),
            ));
        }
        let extension = path.extension().and_then(|extension| extension.to_str());
        Ok(Self {
            lines: matches!(extension, Some("jsonl" | "ndjson")),
            size: metadata.is_file().then_some(metadata.len()),
            input: Box::new(BufReader::with_capacity(READ_BUFFER, file)),
            name,
        })
    }
}

fn is_standard_input(path: &Path) -> bool {
    path.as_os_str() == "-"
}
