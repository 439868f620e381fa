//! Sources of an import.

use std::io::{self, Read};

use fingerpost_gs1::EntityKey;
use fingerpost_resolver::RecordFault;

use crate::RecordPosition;
use crate::foreign::{self, Foreign};
use crate::sheet::{self, Recognised, SheetError, SheetOptions, Worksheet};

/// A file or stream to import.
pub struct ImportSource<'s> {
    pub(crate) name: String,
    pub(crate) input: Input<'s>,
}

/// The content of a source.
pub(crate) enum Input<'s> {
    /// Records as JSON.
    Records(Box<dyn Read + Send + 's>),
    /// A spreadsheet whose columns are known.
    Sheet(Box<Worksheet<'s>>),
    /// A file of another program.
    Foreign(Foreign<'s>),
    /// The answers of a resolver.
    Answers(Answers<'s>),
    /// Records made from another format.
    Converted(Converted<'s>),
}

/// Records made from another format, each with the position of what it was made from.
pub(crate) type Converted<'s> =
    Box<dyn Iterator<Item = io::Result<(RecordPosition, Vec<u8>)>> + Send + 's>;

/// Answers in the order of their identifiers.
pub(crate) type Answers<'s> = Box<dyn Iterator<Item = io::Result<IdentifierAnswer>> + Send + 's>;

/// The answer of a resolver that was asked for the linkset of one identifier.
#[derive(Clone, Debug)]
pub struct IdentifierAnswer {
    /// The line of the identifier in its list, from 1.
    pub line: u64,
    /// The key that was asked for and the body of the answer; or the identifier as it was given
    /// and why there is no answer.
    pub linkset: Result<(EntityKey, Vec<u8>), (Option<String>, RecordFault)>,
}

impl<'s> ImportSource<'s> {
    /// Creates a source of records with the name that errors show. It is read in large parts, so it
    /// needs no buffer.
    pub fn new(name: impl Into<String>, input: impl Read + Send + 's) -> ImportSource<'s> {
        ImportSource { name: name.into(), input: Input::Records(Box::new(input)) }
    }

    /// Creates a source of records, of a spreadsheet, or of a file of another program, as its
    /// beginning shows. Reads that beginning. With mapped columns, it is a spreadsheet.
    pub fn recognise(
        name: impl Into<String>,
        input: impl Read + Send + 's,
        options: &SheetOptions,
    ) -> Result<ImportSource<'s>, SheetError> {
        let mut input: foreign::Input<'s> = Box::new(input);
        if options.columns.is_empty() {
            match foreign::recognise(input)? {
                Ok(foreign) => {
                    return Ok(ImportSource { name: name.into(), input: Input::Foreign(foreign) });
                }
                Err(unread) => input = unread,
            }
        }
        let input = match sheet::recognise(input, options)? {
            Recognised::Records(input) => Input::Records(input),
            Recognised::Sheet(sheet) => Input::Sheet(sheet),
        };
        Ok(ImportSource { name: name.into(), input })
    }

    /// Creates a source of linksets, each for one identifier. Only context objects of its key and
    /// the levels above it are records; others, and all but the first one of a level, are
    /// refused. An error ends the import.
    pub fn answers(
        name: impl Into<String>,
        answers: impl Iterator<Item = io::Result<IdentifierAnswer>> + Send + 's,
    ) -> ImportSource<'s> {
        ImportSource { name: name.into(), input: Input::Answers(Box::new(answers)) }
    }

    /// Returns the name of the format, if it is a file of another program.
    pub fn foreign(&self) -> Option<&'static str> {
        match &self.input {
            Input::Foreign(foreign) => Some(foreign.name),
            _ => None,
        }
    }

    /// Creates a source of records that were made from another format, as JSON on one line each.
    /// The positions are those that events show; their index of the source is one of the
    /// caller's own. An error ends the import.
    pub fn converted(
        name: impl Into<String>,
        records: impl Iterator<Item = io::Result<(RecordPosition, Vec<u8>)>> + Send + 's,
    ) -> ImportSource<'s> {
        ImportSource { name: name.into(), input: Input::Converted(Box::new(records)) }
    }

    /// Returns the spreadsheet, if it is one.
    pub fn sheet(&self) -> Option<&Worksheet<'s>> {
        match &self.input {
            Input::Records(_) | Input::Foreign(_) | Input::Answers(_) | Input::Converted(_) => None,
            Input::Sheet(sheet) => Some(sheet),
        }
    }
}
