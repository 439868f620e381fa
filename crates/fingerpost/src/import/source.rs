//! The files to import. All are opened before anything is written, so a mistyped name has no effect on the store.

use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use fingerpost_exchange::Source;

use crate::failure::Failure;
use crate::output::printable;

/// An opened input.
struct Input {
    name: String,
    input: Box<dyn Read + Send>,
    size: Option<u64>,
}

/// All inputs of a run, in the given order.
pub(super) struct Sources(Vec<Input>);

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
        files.iter().map(|file| Input::open(file)).collect::<Result<_, _>>().map(Self)
    }

    /// Returns the total size of all files, if every size is known.
    pub(super) fn total_bytes(&self) -> Option<u64> {
        self.0.iter().map(|source| source.size).sum()
    }

    /// Returns the names for reports.
    pub(super) fn names(&self) -> Vec<String> {
        self.0.iter().map(|source| source.name.clone()).collect()
    }

    /// Returns the inputs.
    pub(super) fn into_sources(self) -> Vec<Source<'static>> {
        self.0.into_iter().map(|Input { name, input, .. }| Source::new(name, input)).collect()
    }
}

impl Input {
    fn open(path: &Path) -> Result<Self, Failure> {
        if is_standard_input(path) {
            return Ok(Self { name: "-".to_owned(), input: Box::new(io::stdin()), size: None });
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
        let size = metadata.is_file().then_some(metadata.len());
        Ok(Self { name, input: Box::new(file), size })
    }
}

fn is_standard_input(path: &Path) -> bool {
    path.as_os_str() == "-"
}
