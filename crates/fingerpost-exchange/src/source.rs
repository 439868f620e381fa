//! What is imported.

use std::fmt;
use std::io::Read;

/// Something to import.
pub struct Source<'s> {
    pub(crate) name: String,
    pub(crate) input: Box<dyn Read + Send + 's>,
}

impl<'s> Source<'s> {
    /// A source with its name for errors. It is read in large parts, so it needs no buffer.
    pub fn new(name: impl Into<String>, input: impl Read + Send + 's) -> Source<'s> {
        Source { name: name.into(), input: Box::new(input) }
    }
}

impl fmt::Debug for Source<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Source").field("name", &self.name).finish_non_exhaustive()
    }
}
