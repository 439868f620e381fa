//! What an input was perhaps meant to be, where one identifier is read: the accepted readings let
//! it be read so, otherwise it is proposed.

use fingerpost_identify::{Finding, Meant, inspect_with, printable};

use super::Reader;

/// An input, and the better reading of it.
#[derive(Debug)]
pub struct Understood<'a> {
    input: &'a str,
    meant: Option<Meant>,
    /// Whether each assumption of the better reading is accepted.
    is_accepted: bool,
    /// How to accept its assumptions, if it is not.
    how: String,
}

impl<'a> Understood<'a> {
    /// Looks for a better reading of `input`.
    pub(crate) fn new(input: &'a str, reader: &Reader) -> Self {
        let meant = inspect_with(input, reader.options()).meant;
        let is_accepted = meant.as_ref().is_some_and(|meant| reader.accepts_all_of(meant));
        let how = meant.as_ref().filter(|_| !is_accepted).map(|meant| reader.how_to_accept(meant));
        Self { input, meant, is_accepted, how: how.unwrap_or_default() }
    }

    /// Returns an input without a better reading.
    pub(crate) fn as_written(input: &'a str) -> Self {
        Self { input, meant: None, is_accepted: false, how: String::new() }
    }

    /// Returns the text to read.
    #[must_use]
    pub fn text(&self) -> &str {
        match &self.meant {
            Some(meant) if self.is_accepted => &meant.text,
            _ => self.input,
        }
    }

    /// Returns the better reading, unless it is the text to read.
    #[must_use]
    pub fn proposal(&self) -> Option<&Meant> {
        self.meant.as_ref().filter(|_| !self.is_accepted)
    }

    /// Returns a warning for each assumption, with the better reading.
    #[must_use]
    pub fn warnings(&self) -> Vec<Finding> {
        let Some(meant) = &self.meant else { return Vec::new() };
        let reading = match reading(meant) {
            Some(reading) if self.is_accepted => format!("; read as {reading}"),
            Some(reading) => format!("; perhaps meant: {reading}"),
            None => String::new(),
        };
        let warnings = meant.warnings();
        warnings.map(|w| Finding { message: [&*w.message, &*reading].concat(), ..w }).collect()
    }

    /// Adds the better reading to the fault of an input.
    #[must_use]
    pub fn advise(&self, fault: Finding) -> Finding {
        let proposal = self.proposal().and_then(reading);
        let Some(reading) = proposal else { return fault };
        let how = &self.how;
        let help = format!("perhaps meant: {reading}; {how} reads it so");
        Finding { help, ..fault }
    }
}

/// Returns the better reading for people; `None` if several are about equally likely.
fn reading(meant: &Meant) -> Option<String> {
    let of_item = meant.item.as_ref().map(|item| printable(&item.element_string));
    of_item.or_else(|| (!meant.text.is_empty()).then(|| printable(&meant.text)))
}
