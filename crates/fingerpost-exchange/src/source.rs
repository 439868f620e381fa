//! Sources of an import.

use std::fmt;
use std::io::Read;

/// A file or stream to import.
pub struct Source<'s> {
    pub(crate) name: String,
    pub(crate) input: Box<dyn Read + Send + 's>,
}

impl<'s> Source<'s> {
    /// Creates a source with the name that errors show. It is read in large parts, so it needs no buffer.
    pub fn new(name: impl Into<String>, input: impl Read + Send + 's) -> Source<'s> {
        Source { name: name.into(), input: Box::new(input) }
    }
}

impl fmt::Debug for Source<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Source").field("name", &self.name).finish_non_exhaustive()
    }
}
