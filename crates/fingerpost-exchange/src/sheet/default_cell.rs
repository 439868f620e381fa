//! The column that says which links are the default link, or a variant of it, too.

use serde::{Deserialize, Serialize};

use super::titles;

/// What a cell says about the default link.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum DefaultCell {
    /// Nothing, or no.
    #[default]
    No,
    /// Yes: the first link of a level that says so is also the default link, others are variants.
    Yes,
    /// The word of exports for the default link.
    Default,
    /// The word of exports for a variant of the default link.
    Variant,
}

/// Returns what a cell says about the default link; `None` if nothing that is understood.
pub(super) fn read(text: &str) -> Option<DefaultCell> {
    match text {
        DEFAULT_CELL => Some(DefaultCell::Default),
        VARIANT_CELL => Some(DefaultCell::Variant),
        text if titles::yes_or_no(text)? => Some(DefaultCell::Yes),
        _ => Some(DefaultCell::No),
    }
}

/// The cell of exports for a link that is also the default link.
pub(crate) const DEFAULT_CELL: &str = "default";

/// The cell of exports for a link that is also a variant of the default link.
pub(crate) const VARIANT_CELL: &str = "variant";
