//! The link types that can be registered and requested, and the lists that they are checked against
//! (GS1-Conformant Resolver 1.2.0, sections 2.5.2 and 2.14).
//!
//! A link type has one normal spelling: the full IRI `https://ref.gs1.org/voc/…` for a term of the GS1 Web Vocabulary, the bare
//! name for an IANA link relation, the full IRI for a term of another namespace. Readings of other
//! spellings, in this order:
//!
//! ```text
//! gs1:local, <alias of the GS1 namespace>local   -> https://ref.gs1.org/voc/local
//! prefix:local, <namespace>local                 -> <namespace>local, for configured namespaces
//! name                                           -> name, if IANA registered it, else the GS1 term
//! ```

use std::borrow::Cow;

use crate::media_type::MediaTypes;

mod added;
mod namespace;
mod terms;

pub use added::{AddedTerm, LinkTypeListError};
pub use namespace::{LinkTypeNamespace, NamespaceError};
pub use terms::{GS1_NAMESPACE, GS1_PREFIX, Term, TermClass, gs1_terms, is_link_relation};

pub(crate) use terms::{gs1_term, term_by_number};

/// The lists that link types and media types are checked against: GS1 terms, IANA relations, the
/// foreign namespaces of the configuration, and the media-type list.
///
/// ```
/// use fingerpost_resolver::Vocabulary;
///
/// let vocabulary = Vocabulary::builtin().with_namespaces([("https://example.net/voc/", "ex:")])?;
/// assert_eq!(vocabulary.normalise("ex:recipe").as_deref(), Some("https://example.net/voc/recipe"));
/// assert_eq!(
///     vocabulary.normalise("http://gs1.org/voc/pip").as_deref(),
///     Some("https://ref.gs1.org/voc/pip")
/// );
/// assert_eq!(vocabulary.normalise("license").as_deref(), Some("license"));
/// # Ok::<(), fingerpost_resolver::NamespaceError>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct Vocabulary {
    namespaces: Vec<LinkTypeNamespace>,
    media_types: MediaTypes,
    added: Vec<AddedTerm>,
}

impl Vocabulary {
    /// Returns the built-in vocabulary: GS1 terms, IANA relations and media types, without foreign
    /// namespaces.
    pub fn builtin() -> Vocabulary {
        Vocabulary::default()
    }

    /// Adds foreign namespaces, given as (namespace, prefix); the prefix ends in a colon.
    pub fn with_namespaces<N: AsRef<str>, P: AsRef<str>>(
        mut self,
        pairs: impl IntoIterator<Item = (N, P)>,
    ) -> Result<Vocabulary, NamespaceError> {
        for (namespace, prefix) in pairs {
            let namespace = LinkTypeNamespace::new(namespace.as_ref(), prefix.as_ref())?;
            namespace.check_against(&self.namespaces)?;
            self.namespaces.push(namespace);
        }
        Ok(self)
    }

    /// Adds link types of the GS1 Web Vocabulary that are not built in, from text with one name per
    /// line, perhaps with a title after it; lines that are empty or start with `#` are skipped.
    ///
    /// ```
    /// use fingerpost_resolver::Vocabulary;
    ///
    /// let vocabulary = Vocabulary::builtin().with_link_types("safetyDataSheet Safety data sheet")?;
    /// let iri = "https://ref.gs1.org/voc/safetyDataSheet";
    /// assert_eq!(vocabulary.normalise("safetyDataSheet").as_deref(), Some(iri));
    /// # Ok::<(), fingerpost_resolver::LinkTypeListError>(())
    /// ```
    pub fn with_link_types(mut self, list: &str) -> Result<Vocabulary, LinkTypeListError> {
        self.added = added::read(list)?;
        Ok(self)
    }

    /// Returns the link types of the GS1 Web Vocabulary that were added to the built-in ones, in
    /// the order of their list.
    pub fn added_terms(&self) -> &[AddedTerm] {
        &self.added
    }

    /// Returns the added link type with this local name.
    pub(crate) fn added_term(&self, name: &str) -> Option<&AddedTerm> {
        self.added.iter().find(|term| term.name() == name)
    }

    /// Replaces the list of media types.
    pub fn with_media_types(mut self, media_types: MediaTypes) -> Vocabulary {
        self.media_types = media_types;
        self
    }

    /// Returns the foreign namespaces, in the order given (RES-2.14-4).
    pub fn namespaces(&self) -> &[LinkTypeNamespace] {
        &self.namespaces
    }

    /// Returns the media types.
    pub fn media_types(&self) -> &MediaTypes {
        &self.media_types
    }

    /// Returns the normal spelling of a link type, by its first reading. The type need not be one
    /// that can be registered: `gs1:noSuchType` has a spelling. `None`: there is no reading, so
    /// no link can have this type.
    pub fn normalise<'r>(&'r self, link_type: &'r str) -> Option<Cow<'r, str>> {
        if let Some(local) = gs1_local_name(link_type) {
            return Some(gs1_iri(local, link_type));
        }
        if let Some((namespace, local)) = self.foreign(link_type) {
            let spelled_out = link_type.len() == namespace.iri().len() + local.len();
            return Some(if spelled_out {
                Cow::Borrowed(link_type)
            } else {
                Cow::Owned([namespace.iri(), local].concat())
            });
        }
        let bare = relation_name(link_type);
        if is_link_relation(bare) {
            return Some(Cow::Borrowed(bare));
        }
        let term = gs1_term(link_type).map(|term| Cow::Borrowed(term.iri()));
        term.or_else(|| Some(Cow::Borrowed(self.added_term(link_type)?.iri())))
    }

    /// Returns the second reading of a type whose name is both an IANA relation and a GS1 term: of
    /// the relation the GS1 IRI, of the term the name of the relation. It is used where no link
    /// is registered under the first reading (RES-2.14-7).
    pub fn second_reading<'r>(&'r self, link_type: &'r str) -> Option<&'r str> {
        if let Some(local) = gs1_local_name(link_type) {
            return self.is_ambiguous(local).then_some(local);
        }
        let bare = relation_name(link_type);
        if !is_link_relation(bare) {
            return None;
        }
        let term = gs1_term(bare).map(Term::iri);
        term.or_else(|| self.added_term(bare).map(AddedTerm::iri))
    }

    /// Returns whether a name is both an IANA relation and a GS1 term.
    pub(crate) fn is_ambiguous(&self, name: &str) -> bool {
        is_link_relation(name) && (gs1_term(name).is_some() || self.added_term(name).is_some())
    }

    /// Returns the foreign namespace of a CURIE or IRI, and the local name.
    pub(crate) fn foreign<'r>(&self, link_type: &'r str) -> Option<(&LinkTypeNamespace, &'r str)> {
        let local = |namespace: &LinkTypeNamespace| {
            link_type
                .strip_prefix(namespace.prefix())
                .or_else(|| link_type.strip_prefix(namespace.iri()))
        };
        // The longest namespace takes precedence if one contains another.
        let found =
            self.namespaces.iter().filter_map(|namespace| Some((namespace, local(namespace)?)));
        found.max_by_key(|(namespace, _)| namespace.iri().len())
    }
}

/// Returns the local name of a type in the GS1 Web Vocabulary, in any spelling of the namespace
/// (RES-2.14-1, RES-2.14-2).
pub(crate) fn gs1_local_name(link_type: &str) -> Option<&str> {
    if let Some(local) = link_type.strip_prefix(GS1_PREFIX) {
        return Some(local);
    }
    let rest = link_type.strip_prefix("http")?;
    let rest = rest.strip_prefix('s').unwrap_or(rest).strip_prefix("://")?;
    let rest = GS1_HOSTS.iter().find_map(|host| rest.strip_prefix(host))?;
    rest.strip_prefix("/voc/")
}

/// Returns the name of an IANA relation that is spelled out as the IRI that JSON-LD gives it
/// (RES-2.10-6); any other type unchanged.
pub(crate) fn relation_name(link_type: &str) -> &str {
    let rest = link_type.strip_prefix("http").unwrap_or_default();
    let rest = rest.strip_prefix('s').unwrap_or(rest);
    rest.strip_prefix("://www.iana.org/assignments/relation/").unwrap_or(link_type)
}

fn gs1_iri<'r>(local: &str, as_given: &'r str) -> Cow<'r, str> {
    if let Some(term) = gs1_term(local) {
        Cow::Borrowed(term.iri())
    } else if as_given.strip_prefix(GS1_NAMESPACE) == Some(local) {
        Cow::Borrowed(as_given)
    } else {
        Cow::Owned([GS1_NAMESPACE, local].concat())
    }
}

/// Hosts under which the GS1 Web Vocabulary has been published.
const GS1_HOSTS: [&str; 3] = ["ref.gs1.org", "www.gs1.org", "gs1.org"];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_spelling_of_the_gs1_namespace_is_read() {
        // RES-2.14-1, RES-2.14-2, RES-2.14-6, ER-20
        let vocabulary = Vocabulary::builtin();
        for spelling in [
            "gs1:pip",
            "https://ref.gs1.org/voc/pip",
            "https://gs1.org/voc/pip",
            "https://www.gs1.org/voc/pip",
            "http://ref.gs1.org/voc/pip",
            "http://gs1.org/voc/pip",
            "http://www.gs1.org/voc/pip",
            "pip",
        ] {
            let normal = vocabulary.normalise(spelling);
            assert_eq!(normal.as_deref(), Some("https://ref.gs1.org/voc/pip"), "{spelling}");
        }
        for stranger in
            ["https://gs1.org/vocabulary/pip", "ftp://gs1.org/voc/pip", "PIP", "nosuch", ""]
        {
            assert_eq!(vocabulary.normalise(stranger), None, "{stranger}");
        }
        let unknown = vocabulary.normalise("gs1:noSuch");
        assert_eq!(unknown.as_deref(), Some("https://ref.gs1.org/voc/noSuch"));
    }

    #[test]
    fn bare_terms_are_iana_first() {
        // RES-2.14-7
        let vocabulary = Vocabulary::builtin();
        assert_eq!(vocabulary.normalise("dpp").as_deref(), Some("dpp"));
        assert_eq!(vocabulary.second_reading("dpp"), Some("https://ref.gs1.org/voc/dpp"));
        for gs1 in ["gs1:dpp", "https://gs1.org/voc/dpp"] {
            assert_eq!(vocabulary.second_reading(gs1), Some("dpp"), "{gs1}");
        }
        assert_eq!(vocabulary.second_reading("gs1:pip"), None);
        assert_eq!(vocabulary.second_reading("license"), None);
        assert_eq!(vocabulary.second_reading("pip"), None);
    }

    /// RES-2.10-6, RES-2.14-7: relations as they are spelled out in JSON-LD.
    #[test]
    fn section_2_14_relations_have_an_iri() {
        let vocabulary = Vocabulary::builtin();
        for scheme in ["http", "https"] {
            let iri = |name: &str| format!("{scheme}://www.iana.org/assignments/relation/{name}");
            assert_eq!(vocabulary.normalise(&iri("license")).as_deref(), Some("license"));
            assert_eq!(vocabulary.second_reading(&iri("dpp")), Some("https://ref.gs1.org/voc/dpp"));
            for stranger in ["nosuch", "", "license/", "pip"] {
                assert_eq!(vocabulary.normalise(&iri(stranger)), None, "{stranger}");
            }
        }
    }

    #[test]
    fn foreign_namespaces_are_read() -> Result<(), NamespaceError> {
        // RES-2.14-3
        let pairs = [("https://a.example/v/", "a:"), ("https://a.example/v/x/", "ax:")];
        let vocabulary = Vocabulary::builtin().with_namespaces(pairs)?;
        assert_eq!(vocabulary.normalise("a:one").as_deref(), Some("https://a.example/v/one"));
        let given = "https://a.example/v/x/two";
        assert_eq!(vocabulary.normalise(given).as_deref(), Some(given));
        assert_eq!(vocabulary.foreign(given).map(|(_, local)| local), Some("two"));
        assert_eq!(vocabulary.namespaces().len(), 2);
        Ok(())
    }
}
