//! What an input was perhaps meant to be, where a command reads one identifier: `--accept` lets it
//! be read so, otherwise it is proposed.

use std::borrow::Cow;

use fingerpost_identify::{Finding, Meant, inspect_with};

use crate::output::printable;
use crate::shared_args::Readings;

/// An input, and the better reading of it.
#[derive(Debug)]
pub(crate) struct Understood<'a> {
    input: &'a str,
    meant: Option<Meant>,
    /// Whether `--accept` names each assumption of the better reading.
    is_accepted: bool,
}

impl<'a> Understood<'a> {
    /// Looks for a better reading of `input`.
    pub(crate) fn new(input: &'a str, readings: &Readings) -> Self {
        let meant = inspect_with(input, &readings.options()).meant;
        let is_accepted = meant.as_ref().is_some_and(|meant| readings.accept_all_of(meant));
        Self { input, meant, is_accepted }
    }

    /// Returns an input without a better reading.
    pub(crate) fn as_written(input: &'a str) -> Self {
        Self { input, meant: None, is_accepted: false }
    }

    /// Returns the text to read.
    pub(crate) fn text(&self) -> Cow<'a, str> {
        match &self.meant {
            Some(meant) if self.is_accepted => Cow::Owned(meant.text.clone()),
            _ => Cow::Borrowed(self.input),
        }
    }

    /// Returns the better reading, unless it is the text to read.
    pub(crate) fn proposal(&self) -> Option<&Meant> {
        self.meant.as_ref().filter(|_| !self.is_accepted)
    }

    /// Returns a warning for each assumption, with the better reading.
    pub(crate) fn warnings(&self) -> Vec<Finding> {
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
    pub(crate) fn advise(&self, fault: Finding) -> Finding {
        let proposal = self.proposal().and_then(|meant| Some((meant, reading(meant)?)));
        let Some((meant, reading)) = proposal else { return fault };
        let names = Readings::names_of(meant).join(" --accept ");
        let help = format!("perhaps meant: {reading}; --accept {names} reads it so");
        Finding { help, ..fault }
    }
}

/// Returns the better reading for people; `None` if several are about equally likely.
fn reading(meant: &Meant) -> Option<String> {
    let of_item = meant.item.as_ref().map(|item| printable(&item.element_string));
    of_item.or_else(|| (!meant.text.is_empty()).then(|| printable(&meant.text)))
}
