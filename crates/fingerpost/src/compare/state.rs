//! The file of `--resume`: the report so far, as JSON.

use std::fs;
use std::io::{self, ErrorKind, Write};
use std::path::Path;

use fingerpost_conform::CompareReport;

use crate::failure::Failure;
use crate::output::{file_beside, printable};

/// The file.
pub(super) struct State<'p> {
    path: &'p Path,
}

impl<'p> State<'p> {
    /// Checks that the file can be replaced, before anything is sent.
    pub(super) fn open(path: &'p Path) -> Result<Self, Failure> {
        let state = Self { path };
        file_beside(path).map_err(|error| state.failure("write", &error))?;
        Ok(state)
    }

    /// Reads the report, if the file exists.
    pub(super) fn report(&self) -> Result<Option<CompareReport>, Failure> {
        let json = match fs::read(self.path) {
            Ok(json) => json,
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(self.failure("read", &error)),
        };
        CompareReport::read(&json).map(Some).map_err(|error| {
            let path = printable(&self.path.to_string_lossy());
            let what = format!("`{path}` is not a report of a comparison: {}", printable(&error));
            Failure::advise(what, "give --resume a new file, or one that compare has written")
        })
    }

    /// Replaces the file in one step.
    pub(super) fn save(&self, report: &CompareReport) -> Result<(), Failure> {
        let save = || {
            let mut file = file_beside(self.path)?;
            report.write_json(&mut file)?;
            file.flush()?;
            file.persist(self.path).map(drop).map_err(io::Error::from)
        };
        save().map_err(|error| self.failure("write", &error))
    }

    fn failure(&self, verb: &str, error: &io::Error) -> Failure {
        let path = printable(&self.path.to_string_lossy());
        Failure::advise(
            format!("cannot {verb} `{path}`: {error}"),
            "name a file for --resume in a folder that you can write to",
        )
    }
}
