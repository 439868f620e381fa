//! The file of refused records (`--refused`): JSON Lines that can be corrected and imported.

use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use tempfile::NamedTempFile;

use crate::failure::Failure;
use crate::output::file_beside;

/// A file that appears under its name when the import has ended, so that it can have the name of a
/// file that is being imported.
#[derive(Debug)]
pub(super) struct RefusedFile {
    path: PathBuf,
    out: BufWriter<NamedTempFile>,
    count: u64,
}

impl RefusedFile {
    /// Creates the file under another name.
    pub(super) fn create(path: &Path) -> Result<Self, Failure> {
        let file = file_beside(path).map_err(|error| unwritable(path, &error))?;
        Ok(Self { path: path.to_owned(), out: BufWriter::new(file), count: 0 })
    }

    /// Adds a record, which has no line ends.
    pub(super) fn add(&mut self, record: &[u8]) -> Result<(), Failure> {
        self.count += 1;
        let written = self.out.write_all(record).and_then(|()| self.out.write_all(b"\n"));
        written.map_err(|error| unwritable(&self.path, &error))
    }

    /// Gives the file its name; returns the number of records in it.
    pub(super) fn finish(self) -> Result<u64, Failure> {
        let Self { path, out, count } = self;
        let kept = out.into_inner().map_err(io::IntoInnerError::into_error);
        let kept = kept.and_then(|file| file.persist(&path).map_err(|error| error.error));
        kept.map_err(|error| unwritable(&path, &error))?;
        Ok(count)
    }
}

fn unwritable(path: &Path, error: &io::Error) -> Failure {
    Failure::advise(
        format!("cannot write `{}`: {error}", path.display()),
        "name a file in a directory that can be written",
    )
}
