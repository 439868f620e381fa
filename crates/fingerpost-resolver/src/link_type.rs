//! Link types: the relation of a link's target to the entity (GS1-Conformant Resolver 1.2.0, section 2.5.2).
//!
//! A link type has one normal spelling: the full IRI `https://ref.gs1.org/voc/…` for a term of the GS1 Web Vocabulary, the bare
//! name for an IANA link relation, the full IRI for a term of another namespace. [`Vocabulary`](crate::Vocabulary) converts every
//! other spelling to it.

use std::borrow::Cow;
use std::fmt;

/// The namespace of the GS1 Web Vocabulary in its normal spelling (RES-2.14-6).
pub const GS1_NAMESPACE: &str = "https://ref.gs1.org/voc/";

/// The prefix that stands for [`GS1_NAMESPACE`] in a CURIE (RES-2.14-1).
pub const GS1_PREFIX: &str = "gs1:";

/// A link type in its normal spelling. The set is open: any registered type can be one.
///
/// ```
/// use fingerpost_resolver::{LinkType, Vocabulary};
///
/// let pip = Vocabulary::builtin().normalise("gs1:pip").map(LinkType::from_spelling);
/// assert_eq!(pip, Some(LinkType::PIP));
/// assert_eq!(LinkType::PIP.as_str(), "https://ref.gs1.org/voc/pip");
/// ```
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct LinkType<'a>(Cow<'a, str>);

macro_rules! gs1_types {
    ($($(#[$doc:meta])* $name:ident = $local:literal;)*) => {
        impl LinkType<'static> {
            $($(#[$doc])*
            pub const $name: LinkType<'static> =
                LinkType(Cow::Borrowed(concat!("https://ref.gs1.org/voc/", $local)));)*
        }
    };
}

gs1_types! {
    /// `gs1:defaultLink`: the target of a request that no other link suits better.
    DEFAULT_LINK = "defaultLink";
    /// `gs1:defaultLinkMulti`: one of several alternatives to the default link.
    DEFAULT_LINK_MULTI = "defaultLinkMulti";
    /// `gs1:handledBy`: another resolver is in charge; never a registered link (RES-2.8-6).
    HANDLED_BY = "handledBy";
    /// `gs1:pip`: product information page.
    PIP = "pip";
    /// `gs1:epil`: electronic patient information leaflet.
    EPIL = "epil";
    /// `gs1:eifu`: electronic instructions for use.
    EIFU = "eifu";
    /// `gs1:smpc`: summary of product characteristics.
    SMPC = "smpc";
}

impl<'a> LinkType<'a> {
    /// Creates a link type from a text that is already in its normal spelling, as returned by
    /// [`Vocabulary::normalise`](crate::Vocabulary::normalise) and [`Link::link_type`](crate::Link::link_type).
    #[must_use]
    pub fn from_spelling(spelling: impl Into<Cow<'a, str>>) -> LinkType<'a> {
        LinkType(spelling.into())
    }

    /// Returns the normal spelling.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for LinkType<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl fmt::Debug for LinkType<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "<{}>", self.0)
    }
}

impl PartialEq<str> for LinkType<'_> {
    fn eq(&self, other: &str) -> bool {
        self.0 == other
    }
}
