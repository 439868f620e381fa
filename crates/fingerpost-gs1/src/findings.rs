//! Error lists, for parsers that continue after the first error.

use alloc::vec::Vec;
use core::fmt;

use crate::error::Error;

/// All errors of an input, in the order of discovery: syntax and values first, then associations.
///
/// Associations are checked only if every value is valid, following the standards.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Findings {
    errors: Vec<Error>,
}

impl Findings {
    /// Returns whether there are no findings.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.errors.is_empty()
    }

    /// Returns the number of errors.
    #[must_use]
    pub fn len(&self) -> usize {
        self.errors.len()
    }

    /// Returns the errors.
    #[must_use]
    pub fn errors(&self) -> &[Error] {
        &self.errors
    }
}

impl fmt::Display for Findings {
    /// Returns one line per error.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (nth, error) in self.errors.iter().enumerate() {
            write!(f, "{}{error}", if nth == 0 { "" } else { "\n" })?;
        }
        Ok(())
    }
}

impl IntoIterator for Findings {
    type Item = Error;
    type IntoIter = alloc::vec::IntoIter<Error>;

    fn into_iter(self) -> Self::IntoIter {
        self.errors.into_iter()
    }
}

impl<'a> IntoIterator for &'a Findings {
    type Item = &'a Error;
    type IntoIter = core::slice::Iter<'a, Error>;

    fn into_iter(self) -> Self::IntoIter {
        self.errors.iter()
    }
}

/// Decides whether a parser stops after an error that it could recover from. The same code path
/// produces both "first error" and "all errors".
pub(crate) trait Report {
    /// Records `error`.
    ///
    /// # Errors
    ///
    /// The same error, if the parser must stop.
    fn report(&mut self, error: Error) -> Result<(), Error>;

    /// Returns whether an error has been reported.
    fn has_errors(&self) -> bool;
}

/// Stops at the first error.
pub(crate) struct FirstError;

impl Report for FirstError {
    #[inline]
    fn report(&mut self, error: Error) -> Result<(), Error> {
        Err(error)
    }

    #[inline]
    fn has_errors(&self) -> bool {
        false
    }
}

impl Report for Findings {
    fn report(&mut self, error: Error) -> Result<(), Error> {
        self.errors.push(error);
        Ok(())
    }

    fn has_errors(&self) -> bool {
        !self.is_empty()
    }
}

impl FirstError {
    /// Runs a parser of `text` up to its first error. The span of the error is aligned to whole
    /// characters.
    pub(crate) fn of<T>(
        text: &str,
        read: impl FnOnce(&mut FirstError) -> Result<T, Error>,
    ) -> Result<T, Error> {
        read(&mut FirstError).map_err(|error| error.on_characters(text))
    }
}

impl Findings {
    /// Works like [`Findings::collect`], for a parser of `text` whose rules count bytes: the spans
    /// of all errors are aligned to whole characters.
    pub(crate) fn of<T>(
        text: &str,
        read: impl FnOnce(&mut Findings) -> Result<T, Error>,
    ) -> (Option<T>, Findings) {
        let (value, mut findings) = Findings::collect(read);
        for error in &mut findings.errors {
            *error = error.on_characters(text);
        }
        (value, findings)
    }

    /// Runs a parser to its end. Returns its result and all reported errors.
    pub(crate) fn collect<T>(
        read: impl FnOnce(&mut Findings) -> Result<T, Error>,
    ) -> (Option<T>, Findings) {
        let mut findings = Findings::default();
        match read(&mut findings) {
            Ok(value) if findings.is_empty() => (Some(value), findings),
            Ok(_) => (None, findings),
            Err(last) => {
                findings.errors.push(last);
                (None, findings)
            }
        }
    }
}
