//! Link types that can be registered (RES-2.5.2-1 to -4, RES-2.8-6, RES-2.14-5).

use std::borrow::Cow;

use crate::fault::shown;
use crate::limits::{MAX_DIFFERENCE, MAX_LINK_TYPE_BYTES};
use crate::vocabulary::{
    GS1_NAMESPACE, Term, TermClass, Vocabulary, gs1_local_name, gs1_term, gs1_terms,
    is_link_relation, relation_name,
};

/// A link type that can be registered.
#[derive(Debug)]
pub(crate) enum Registrable<'t> {
    /// A term of the GS1 Web Vocabulary.
    Term(&'static Term),
    /// An IANA relation or a type of another namespace, in its normal spelling.
    Other(Cow<'t, str>),
}

/// Checks a link type; returns the requirement and the message if it is refused.
pub(crate) fn check<'t>(
    link_type: &'t str,
    vocabulary: &Vocabulary,
) -> Result<Registrable<'t>, (&'static str, String)> {
    if RESERVED.contains(&link_type) {
        let message = format!("expected a link type, found the reserved word {}", shown(link_type));
        return Err(("RES-2.5.2-4", message));
    }
    if let Some(local) = gs1_local_name(link_type) {
        return gs1(local, vocabulary);
    }
    if let Some((namespace, local)) = vocabulary.foreign(link_type) {
        let iri = foreign(namespace.iri(), local, vocabulary)?;
        return Ok(Registrable::Other(Cow::Owned(iri)));
    }
    let relation = relation_name(link_type);
    if vocabulary.is_ambiguous(relation) {
        return gs1(relation, vocabulary);
    }
    if is_link_relation(relation) {
        return if relation.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'-') {
            Ok(Registrable::Other(Cow::Borrowed(relation)))
        } else {
            Err(unpublishable(relation))
        };
    }
    if gs1_term(link_type).is_some() || vocabulary.added_term(link_type).is_some() {
        return gs1(link_type, vocabulary);
    }
    let message = format!(
        "expected a GS1 link type, an IANA link relation or a type of a configured namespace, \
         found {}",
        shown(link_type)
    );
    Err(("RES-2.5.2-2", message))
}

/// Returns advice about a name that is also that of an IANA relation. Passport scanners ask for
/// `gs1:dpp`, so this is what it is.
pub(crate) fn ambiguity(link_type: &str, vocabulary: &Vocabulary) -> Option<String> {
    let name = relation_name(link_type);
    vocabulary.is_ambiguous(name).then(|| {
        format!("expected gs1:{name}, found {}, which is an IANA link relation too: registered as gs1:{name}", shown(link_type))
    })
}

/// Returns advice about a term that can be registered.
pub(crate) fn advice(term: &Term) -> Option<String> {
    (term.class() == TermClass::Deprecated)
        .then(|| format!("expected a current link type, found the deprecated gs1:{}", term.name()))
}

fn gs1<'t>(
    local: &str,
    vocabulary: &Vocabulary,
) -> Result<Registrable<'t>, (&'static str, String)> {
    match gs1_term(local) {
        None if vocabulary.added_term(local).is_some() => {
            Ok(Registrable::Other(Cow::Owned([GS1_NAMESPACE, local].concat())))
        }
        None => {
            let meant = similar_term(local).map(|name| format!("; did you mean gs1:{name}?"));
            let message = format!(
                "expected a link type of the GS1 Web Vocabulary, found {}{}",
                shown(local),
                meant.unwrap_or_default()
            );
            Err(("RES-2.5.2-2", message))
        }
        Some(term) if term.name() == "handledBy" => {
            let message = "expected an ordinary link type, found gs1:handledBy, which is only for \
                           patterns";
            Err(("RES-2.8-6", message.to_owned()))
        }
        Some(term) => Ok(Registrable::Term(term)),
    }
}

/// Returns the name of the GS1 link type that a misspelt one was most likely meant to be: at most
/// two letters differ, or only the case.
fn similar_term(local: &str) -> Option<&'static str> {
    let is_near = |name: &&str| name.len().abs_diff(local.len()) <= MAX_DIFFERENCE;
    let names = gs1_terms().iter().map(Term::name).filter(is_near);
    let difference = |name: &str| strsim::osa_distance(&local.to_lowercase(), &name.to_lowercase());
    let (least, name) = names.map(|name| (difference(name), name)).min()?;
    (least <= MAX_DIFFERENCE.min(local.len() / 3)).then_some(name)
}

fn foreign(
    namespace: &str,
    local: &str,
    vocabulary: &Vocabulary,
) -> Result<String, (&'static str, String)> {
    if gs1_term(local).is_some() || vocabulary.added_term(local).is_some() {
        let message = format!("expected the GS1 link type gs1:{local}, found it in {namespace}");
        return Err(("RES-2.14-5", message));
    }
    let iri = [namespace, local].concat();
    let (_, rest) = iri.split_once("://").unwrap_or_default();
    // The linkset schema's pattern also accepts `[ \ ] ^` and the backtick, by accident.
    let fits = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'/' | b'_');
    if local.is_empty() || iri.len() > MAX_LINK_TYPE_BYTES || !rest.bytes().all(fits) {
        return Err(unpublishable(&iri));
    }
    Ok(iri)
}

fn unpublishable(link_type: &str) -> (&'static str, String) {
    let message = format!(
        "expected a link type that can be a member of a linkset (letters, digits, \".\", \"/\", \
         \"_\" in an IRI; lower-case letters and \"-\" in a name), found {}",
        shown(link_type)
    );
    ("RES-2.5.2-3", message)
}

/// Values of the `linkType` parameter that ask for a linkset; they can never be requested as types.
const RESERVED: [&str; 2] = ["linkset", "all"];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn types_are_judged() {
        let pairs = [("https://example.net/voc/", "ex:"), ("https://a.example/t#", "hash:")];
        let vocabulary = Vocabulary::builtin().with_namespaces(pairs).unwrap();
        let judged = |link_type| match check(link_type, &vocabulary) {
            Ok(Registrable::Term(term)) => Ok(term.iri().to_owned()),
            Ok(Registrable::Other(name)) => Ok(name.into_owned()),
            Err((id, _)) => Err(id),
        };
        for (given, expected) in [
            ("gs1:pip", Ok("https://ref.gs1.org/voc/pip")),
            ("pip", Ok("https://ref.gs1.org/voc/pip")),
            ("license", Ok("license")),
            ("terms-of-service", Ok("terms-of-service")),
            ("dpp", Ok("https://ref.gs1.org/voc/dpp")), // RES-2.14-7
            ("http://www.iana.org/assignments/relation/dpp", Ok("https://ref.gs1.org/voc/dpp")),
            ("http://www.iana.org/assignments/relation/license", Ok("license")),
            ("http://www.iana.org/assignments/relation/nosuch", Err("RES-2.5.2-2")),
            ("ex:recall", Ok("https://example.net/voc/recall")),
            ("https://example.net/voc/recall", Ok("https://example.net/voc/recall")),
            ("gs1:noSuchType", Err("RES-2.5.2-2")),
            ("gs1:PIP", Err("RES-2.5.2-2")),
            ("gs1:", Err("RES-2.5.2-2")),
            ("https://other.example/voc/recall", Err("RES-2.5.2-2")),
            ("", Err("RES-2.5.2-2")),
            ("c2pa-manifest", Err("RES-2.5.2-3")),
            ("openid2.provider", Err("RES-2.5.2-3")),
            ("hash:recall", Err("RES-2.5.2-3")),
            ("ex:re-call", Err("RES-2.5.2-3")),
            ("ex:", Err("RES-2.5.2-3")),
            ("linkset", Err("RES-2.5.2-4")),
            ("all", Err("RES-2.5.2-4")),
            ("gs1:handledBy", Err("RES-2.8-6")),
            ("handledBy", Err("RES-2.8-6")),
            ("ex:pip", Err("RES-2.14-5")),
            ("https://example.net/voc/defaultLink", Err("RES-2.14-5")),
        ] {
            assert_eq!(judged(given), expected.map(str::to_owned), "{given}");
        }
    }

    /// RES-2.5.2-2, RES-2.14-5: types that GS1 added after this release, in every spelling of the
    /// namespace.
    #[test]
    fn section_2_5_2_new_types_come_from_a_list() {
        let pairs = [("https://example.net/voc/", "ex:")];
        let vocabulary = Vocabulary::builtin().with_namespaces(pairs).unwrap();
        let id =
            |given: &str, vocabulary: &Vocabulary| check(given, vocabulary).err().map(|(id, _)| id);
        assert_eq!(id("gs1:safetyDataSheet", &vocabulary), Some("RES-2.5.2-2"));
        assert_eq!(id("ex:safetyDataSheet", &vocabulary), None);
        let vocabulary = vocabulary.with_link_types("safetyDataSheet").unwrap();
        for given in [
            "gs1:safetyDataSheet",
            "safetyDataSheet",
            "https://ref.gs1.org/voc/safetyDataSheet",
            "http://gs1.org/voc/safetyDataSheet",
        ] {
            match check(given, &vocabulary) {
                Ok(Registrable::Other(iri)) => {
                    assert_eq!(iri, "https://ref.gs1.org/voc/safetyDataSheet", "{given}");
                    assert_eq!(vocabulary.normalise(given).as_deref(), Some(&*iri), "{given}");
                }
                other => panic!("{given}: {other:?}"),
            }
        }
        assert_eq!(id("ex:safetyDataSheet", &vocabulary), Some("RES-2.14-5"));
        assert_eq!(id("gs1:safetydatasheet", &vocabulary), Some("RES-2.5.2-2"));
    }

    #[test]
    fn misspelt_terms_suggest_the_one_that_was_meant() {
        for (typed, meant) in [
            ("pipp", "pip"),
            ("Pip", "pip"),
            ("instuctions", "instructions"),
            ("hasRetailer", "hasRetailers"),
        ] {
            assert_eq!(similar_term(typed), Some(meant), "{typed}");
        }
        for other in ["", "x", "banana", "https", &"pip".repeat(100)] {
            assert_eq!(similar_term(other), None, "{other}");
        }
    }
}
