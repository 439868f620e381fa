//! The link types of the GS1 Web Vocabulary, and IANA's link relations.

mod table;

use table::{BY_NUMBER, RELATIONS, TERMS};

/// The namespace of the GS1 Web Vocabulary in its normal spelling (RES-2.14-6).
pub const GS1_NAMESPACE: &str = "https://ref.gs1.org/voc/";

/// The prefix that stands for [`GS1_NAMESPACE`] in a CURIE (RES-2.14-1).
pub const GS1_PREFIX: &str = "gs1:";

/// The class of a GS1 link type: which registrants may use it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TermClass {
    /// Open to any registrant.
    Free,
    /// Healthcare content, to be offered only to entitled registrants.
    Regulated,
    /// Has a special meaning to resolvers.
    System,
    /// Accepted with a warning, and not to be offered.
    Deprecated,
}

/// A link type of the GS1 Web Vocabulary.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Term {
    number: u16,
    iri: &'static str,
    class: TermClass,
    title: &'static str,
    description: &'static str,
}

impl Term {
    /// Returns the local name: `pip`.
    pub fn name(&self) -> &'static str {
        &self.iri[GS1_NAMESPACE.len()..]
    }

    /// Returns the full IRI: `https://ref.gs1.org/voc/pip`.
    pub fn iri(&self) -> &'static str {
        self.iri
    }

    /// Returns the class, which says who may use the term.
    pub fn class(&self) -> TermClass {
        self.class
    }

    /// Returns the short English name of the target: `Product information`.
    pub fn title(&self) -> &'static str {
        self.title
    }

    /// Returns the meaning, in one line of English.
    pub fn description(&self) -> &'static str {
        self.description
    }

    /// Returns whether the term is `gs1:defaultLink`.
    pub(crate) fn is_default_link(&self) -> bool {
        self.number == DEFAULT_LINK_NUMBER
    }

    /// Returns whether the term is `gs1:defaultLinkMulti`.
    pub(crate) fn is_default_variant(&self) -> bool {
        self.number == DEFAULT_LINK_MULTI_NUMBER
    }

    /// Returns the number of the term in stored entries, which never changes.
    pub(crate) fn number(&self) -> u16 {
        self.number
    }
}

/// Returns the link types of the GS1 Web Vocabulary, by local name in ASCII order.
///
/// ```
/// use fingerpost_resolver::{TermClass, gs1_terms};
///
/// let regulated = gs1_terms().iter().filter(|term| term.class() == TermClass::Regulated);
/// assert_eq!(regulated.map(|term| term.name()).collect::<Vec<_>>(), ["eifu", "epil", "smpc"]);
/// ```
pub fn gs1_terms() -> &'static [Term] {
    &TERMS
}

/// Returns whether `name` is a link relation registered by IANA.
pub fn is_link_relation(name: &str) -> bool {
    RELATIONS.binary_search(&name).is_ok()
}

/// Returns the term with this local name.
pub(crate) fn gs1_term(name: &str) -> Option<&'static Term> {
    let terms = gs1_terms();
    terms.binary_search_by(|term| term.name().cmp(name)).ok().map(|at| &terms[at])
}

/// Returns the term with this number in stored entries.
pub(crate) fn term_by_number(number: u16) -> Option<&'static Term> {
    let at = *BY_NUMBER.get(usize::from(number))?;
    TERMS.get(usize::from(at))
}

/// Number of `gs1:defaultLink` in `data/link-types.json`.
const DEFAULT_LINK_NUMBER: u16 = 1;

/// Number of `gs1:defaultLinkMulti` in `data/link-types.json`.
const DEFAULT_LINK_MULTI_NUMBER: u16 = 2;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tables_are_complete_and_sorted() {
        // RES-2.5.2-2: the 60 terms of 2026, of which 3 system, 3 regulated, 1 deprecated, and
        // those that came since.
        let terms = gs1_terms();
        assert!(terms.len() >= 60);
        assert!(terms.is_sorted_by(|a, b| a.name() < b.name()));
        let count = |class| terms.iter().filter(|term| term.class() == class).count();
        assert_eq!(count(TermClass::System), 3);
        assert_eq!(count(TermClass::Regulated), 3);
        assert_eq!(count(TermClass::Deprecated), 1);
        assert!(terms.iter().all(|term| term.iri() == [GS1_NAMESPACE, term.name()].concat()));
        assert!(RELATIONS.is_sorted_by(|a, b| a < b));
        assert!(
            is_link_relation("license") && !is_link_relation("# IANA") && !is_link_relation("")
        );
    }

    #[test]
    fn numbers_are_stable() {
        // Stored entries hold these numbers.
        for (number, name) in [(1, "defaultLink"), (2, "defaultLinkMulti"), (60, "whatsInTheBox")] {
            assert_eq!(term_by_number(number).map(Term::name), Some(name));
        }
        for term in gs1_terms() {
            assert_eq!(term_by_number(term.number()), Some(term));
            assert_eq!(gs1_term(term.name()), Some(term));
        }
        assert_eq!(term_by_number(0), None);
        assert_eq!(term_by_number(u16::MAX), None);
    }
}
