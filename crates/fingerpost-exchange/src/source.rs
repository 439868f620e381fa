//! Sources of an import.

use std::fmt;
use std::io::{self, Read};

use fingerpost_gs1::EntityKey;
use fingerpost_resolver::RecordFault;

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
    /// The answers of a resolver.
    Answers(Answers<'s>),
}

/// Answers in the order of their identifiers.
pub(crate) type Answers<'s> = Box<dyn Iterator<Item = io::Result<Answer>> + Send + 's>;

/// The answer of a resolver that was asked for the linkset of one identifier.
#[derive(Clone, Debug)]
pub struct Answer {
    /// The line of the identifier in its list, from 1.
    pub line: u64,
    /// The key that was asked for and the body of the answer; or the identifier as it was given
    /// and why there is no answer.
    pub linkset: Result<(EntityKey, Vec<u8>), (Option<String>, RecordFault)>,
}

impl<'s> Source<'s> {
    /// Creates a source of records with the name that errors show. It is read in large parts, so it
    /// needs no buffer.
    pub fn new(name: impl Into<String>, input: impl Read + Send + 's) -> Source<'s> {
        Source { name: name.into(), input: Input::Records(Box::new(input)) }
    }

    /// Creates a source of records or of a spreadsheet, as its beginning shows. Reads that
    /// beginning.
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

    /// Creates a source of linksets, each for one identifier. Only context objects of its key and
    /// the levels above it are records; others, and all but the first one of a level, are
    /// refused. An error ends the import.
    pub fn answers(
        name: impl Into<String>,
        answers: impl Iterator<Item = io::Result<Answer>> + Send + 's,
    ) -> Source<'s> {
        Source { name: name.into(), input: Input::Answers(Box::new(answers)) }
    }

    /// Returns the spreadsheet, if it is one.
    pub fn sheet(&self) -> Option<&Sheet<'s>> {
        match &self.input {
            Input::Records(_) | Input::Answers(_) => None,
            Input::Sheet(sheet) => Some(sheet),
        }
    }
}

impl fmt::Debug for Source<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Source").field("name", &self.name).finish_non_exhaustive()
    }
}
