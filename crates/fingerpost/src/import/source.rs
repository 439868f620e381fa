//! The files to import. All are opened before anything is written, so a mistyped name has no effect
//! on the store.

use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use fingerpost_exchange::{ImportSource, SheetOptions, Worksheet};

use super::sheets;
use crate::failure::Failure;
use crate::output::printable;

/// An opened input.
pub(super) struct Input {
    pub(super) name: String,
    pub(super) source: ImportSource<'static>,
    pub(super) size: Option<u64>,
}

/// All inputs of a run, in the given order.
pub(super) struct Sources(Vec<Input>);

impl Sources {
    /// Opens every file, and finds out which are spreadsheets.
    pub(super) fn open(files: &[PathBuf], options: &SheetOptions) -> Result<Self, Failure> {
        if files.iter().filter(|file| is_standard_input(file)).count() > 1 {
            return Err(Failure::advise(
                "standard input `-` is given twice",
                "it can be read once: name the other input as a file",
            ));
        }
        files.iter().map(|file| Input::open(file, options)).collect::<Result<_, _>>().map(Self)
    }

    /// Creates the inputs of a run with a single one.
    pub(super) fn of(input: Input) -> Self {
        Self(vec![input])
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
    pub(super) fn into_sources(self) -> Vec<ImportSource<'static>> {
        self.0.into_iter().map(|input| input.source).collect()
    }

    /// Returns the files of other programs among the inputs, each with its name and format.
    pub(super) fn foreign(&self) -> impl Iterator<Item = (&str, &'static str)> {
        self.0.iter().filter_map(|input| Some((input.name.as_str(), input.source.foreign()?)))
    }

    /// Returns the spreadsheets among the inputs, each with the name of its file.
    pub(super) fn sheets(&self) -> impl Iterator<Item = (&str, &Worksheet<'static>)> {
        self.0.iter().filter_map(|input| Some((input.name.as_str(), input.source.sheet()?)))
    }
}

impl Input {
    fn open(path: &Path, options: &SheetOptions) -> Result<Self, Failure> {
        if is_standard_input(path) {
            return Self::recognise("-".to_owned(), io::stdin(), None, options);
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
        Self::recognise(name, file, size, options)
    }

    fn recognise(
        name: String,
        input: impl Read + Send + 'static,
        size: Option<u64>,
        options: &SheetOptions,
    ) -> Result<Self, Failure> {
        let source = ImportSource::recognise(&name, input, options).map_err(|error| {
            Failure::advise(format!("`{name}`: {}", printable(&error.to_string())), sheets::ADVICE)
        })?;
        Ok(Self { name, source, size })
    }
}

fn is_standard_input(path: &Path) -> bool {
    path.as_os_str() == "-"
}
