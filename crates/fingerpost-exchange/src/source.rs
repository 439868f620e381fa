//! Sources of an import.

use std::fmt;
use std::io::Read;

use crate::sheet::{self, Recognised, Sheet, SheetError, SheetOptions};

/// A file or stream to import.
pub struct Source<'s> {
    pub(crate) name: String,
    pub(crate) input: Input<'s>,
}

/// The content of a source.
pub(crate) enum Input<'s> {
    /// Records as JSON.
    Records(Box<dyn Read + Send + 's>),
    /// A spreadsheet whose columns are known.
    Sheet(Box<Sheet<'s>>),
}

impl<'s> Source<'s> {
    /// Creates a source of records with the name that errors show. It is read in large parts, so it needs no buffer.
    pub fn new(name: impl Into<String>, input: impl Read + Send + 's) -> Source<'s> {
        Source { name: name.into(), input: Input::Records(Box::new(input)) }
    }

    /// Creates a source of records or of a spreadsheet, as its beginning shows. Reads that beginning.
    ///
    /// # Errors
    ///
    /// It is a spreadsheet that cannot be understood, or it cannot be read.
    pub fn recognise(
        name: impl Into<String>,
        input: impl Read + Send + 's,
        options: &SheetOptions,
    ) -> Result<Source<'s>, SheetError> {
        let input = match sheet::recognise(Box::new(input), options)? {
            Recognised::Records(input) => Input::Records(input),
            Recognised::Sheet(sheet) => Input::Sheet(sheet),
        };
        Ok(Source { name: name.into(), input })
    }

    /// Returns the spreadsheet, if it is one.
    #[must_use]
    pub fn sheet(&self) -> Option<&Sheet<'s>> {
        match &self.input {
            Input::Records(_) => None,
            Input::Sheet(sheet) => Some(sheet),
        }
    }
}

impl fmt::Debug for Source<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Source").field("name", &self.name).finish_non_exhaustive()
    }
}
