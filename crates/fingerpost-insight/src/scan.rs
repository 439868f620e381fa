//! What is known about a scan when it is counted.

use jiff::Timestamp;

use crate::facets::{AnswerKind, CountryCode};

/// A scan that was answered.
#[derive(Clone, Copy, Debug)]
pub struct AnsweredScan<'s> {
    /// The canonical text of the registered level that answered.
    pub level: &'s str,
    /// The kind of the answer.
    pub kind: AnswerKind,
    /// The type of the chosen link.
    pub link_type: Option<LinkType<'s>>,
    /// The language of the chosen link.
    pub language: Option<&'s str>,
    /// The country that the scan comes from.
    pub country: Option<CountryCode>,
    /// The user agent, which is read and not kept.
    pub user_agent: &'s [u8],
    /// When it was answered.
    pub at: Timestamp,
}

/// The type of a link.
#[derive(Clone, Copy, Debug)]
pub enum LinkType<'s> {
    /// A text of the program, such as the type of a GS1 term. It is compared by its address.
    Term(&'static str),
    /// A text of a record.
    Other(&'s str),
}

impl<'s> LinkType<'s> {
    /// Returns the text.
    #[inline]
    pub fn as_str(self) -> &'s str {
        match self {
            Self::Term(text) => text,
            Self::Other(text) => text,
        }
    }
}
