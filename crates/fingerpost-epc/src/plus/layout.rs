//! The fields of the `+` and `++` schemes: EPC Tag Data Standard 2.3, section 14.6.

use fingerpost_gs1::Ai;

mod table;

use table::{DATE_TYPES, LAYOUTS};

/// The fields of one scheme after header, toggle and filter.
#[derive(Debug)]
pub(super) struct Layout {
    pub(super) header: u8,
    /// Whether a date precedes the values.
    pub(super) date: bool,
    /// Whether a host name follows them.
    pub(super) hostname: bool,
    /// The values, in order.
    pub(super) ais: &'static [Ai],
}

/// Returns the layout of a header; `None` for classic and unknown schemes.
pub(super) fn layout(header: u8) -> Option<&'static Layout> {
    let index = LAYOUTS.binary_search_by_key(&header, |layout| layout.header).ok()?;
    Some(&LAYOUTS[index])
}

/// Returns the Application Identifier of a date type.
pub(super) fn date_ai(date_type: u64) -> Option<Ai> {
    DATE_TYPES.iter().find_map(|&(bits, ai)| (u64::from(bits) == date_type).then_some(ai))
}

/// Returns the date type of an Application Identifier.
pub(super) fn date_type(ai: Ai) -> Option<u64> {
    DATE_TYPES.iter().find_map(|&(bits, own)| (own == ai).then_some(u64::from(bits)))
}

/// Returns an Application Identifier of the tables.
pub(super) const fn a(digits: &str) -> Ai {
    match Ai::new(digits) {
        Some(ai) => ai,
        None => panic!("two to four digits"),
    }
}
