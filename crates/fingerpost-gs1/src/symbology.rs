//! Symbology identifiers (ISO/IEC 15424) of the carriers that can contain GS1 data.

mod table;

use table::SYMBOLOGIES;

/// A carrier that can contain GS1 data.
#[derive(Debug, PartialEq, Eq)]
pub struct Symbology {
    pub(crate) id: &'static str,
    pub(crate) carrier: &'static str,
    pub(crate) mode: Mode,
}

impl Symbology {
    /// Returns the carrier that starts scan data with these characters.
    #[must_use]
    pub fn of(text: &str) -> Option<&'static Symbology> {
        SYMBOLOGIES.iter().find(|symbology| text.starts_with(symbology.id))
    }

    /// Returns the identifier, such as `]d2`.
    #[must_use]
    pub fn id(&self) -> &'static str {
        self.id
    }

    /// Returns the carrier's name, such as `GS1 DataMatrix`.
    #[must_use]
    pub fn carrier(&self) -> &'static str {
        self.carrier
    }
}

/// The format of a carrier's data.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Mode {
    /// Elements with separators.
    ElementString,
    /// A Digital Link URI or text.
    Plain,
    /// A GTIN with this many digits.
    Ean(usize),
    /// A GTIN with this many digits, and an add-on of two or five.
    EanAddOn(usize),
}
