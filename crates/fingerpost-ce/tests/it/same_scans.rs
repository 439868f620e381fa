//! Random documents: the scans that Resolver CE answers have the same answer after an import.

use std::collections::BTreeSet;

use fingerpost_ce::{CeDocument, CeLink, CeQualifier, Fate};
use proptest::prelude::*;

use crate::oracle::{Oracle, Question};
use crate::support::{Fixture, Scan};

const KEYS: [&str; 3] = ["/01/09506000134352", "/01/09506000134376", "/414/9506000134352"];

/// Qualifier sets; those of the last key are its own.
const SETS: [&[(&str, &str)]; 10] = [
    &[],
    &[("10", "L1")],
    &[("21", "S1")],
    &[("10", "{lot}")],
    &[("21", "{serial}")],
    &[("21", "S1"), ("10", "L1")],
    &[("10", "{lot}"), ("21", "{serial}")],
    &[("10", "L1"), ("21", "{serial}")],
    &[("22", "V1"), ("10", "{lot}")],
    &[("22", "{v}"), ("10", "{lot}")],
];

const SCANS: [&[(&str, &str)]; 8] = [
    &[],
    &[("10", "L1")],
    &[("10", "L2")],
    &[("21", "S1")],
    &[("21", "S2")],
    &[("10", "L1"), ("21", "S1")],
    &[("10", "L2"), ("21", "S2")],
    &[("22", "V1"), ("10", "L2")],
];

const TYPES: [&str; 3] = ["gs1:pip", "gs1:epil", "gs1:certificationInfo"];

/// Reasons for which a document with a valid key may be quarantined.
const QUARANTINE: [&str; 1] = ["same-scans"];

fn link(variables: Vec<String>) -> impl Strategy<Value = CeLink> {
    let languages = prop::sample::subsequence(vec!["en", "fr", "ja"], 0..=2);
    let contexts = prop::sample::subsequence(vec!["sales", "und"], 0..=1);
    let media = prop::option::of(Just("text/html".to_owned()));
    (prop::sample::select(TYPES.to_vec()), "[a-z]{1,2}", languages, contexts, media, any::<bool>())
        .prop_map(move |(link_type, page, languages, contexts, media_type, is_filled)| {
            let variables = if is_filled { variables.join("-") } else { String::new() };
            let owned = |texts: Vec<&str>| texts.into_iter().map(str::to_owned).collect();
            CeLink {
                link_type: link_type.to_owned(),
                href: format!("https://example.com/{page}?v={variables}"),
                title: format!("Page {page}"),
                media_type,
                hreflang: owned(languages),
                context: owned(contexts),
                active: true,
            }
        })
}

fn document() -> impl Strategy<Value = CeDocument> {
    (0..KEYS.len(), 0..SETS.len()).prop_flat_map(|(key, set)| {
        let set = if key == 2 { &[][..] } else { SETS[set] };
        let variables = set.iter().map(|(_, value)| *value).filter(|value| value.starts_with('{'));
        let link = link(variables.map(str::to_owned).collect());
        (prop::collection::vec(link, 1..5), any::<prop::sample::Index>()).prop_map(
            move |(mut links, default)| {
                let mut seen = BTreeSet::new();
                links.retain(|link| seen.insert(format!("{link:?}")));
                CeDocument {
                    anchor: KEYS[key].to_owned(),
                    item_description: "Item".to_owned(),
                    default_link_type: default.get(&links).link_type.clone(),
                    qualifiers: set
                        .iter()
                        .map(|&(ai, value)| CeQualifier { ai: ai.into(), value: value.into() })
                        .collect(),
                    links,
                    active: true,
                }
            },
        )
    })
}

/// Different documents of the same qualifier set are merged, and the later one wins, while Resolver
/// CE serves the first; so there is one document of each, perhaps repeated.
pub(crate) fn documents() -> impl Strategy<Value = Vec<CeDocument>> {
    (prop::collection::vec(document(), 1..9), any::<bool>()).prop_map(|(mut documents, twice)| {
        let mut seen = BTreeSet::new();
        documents.retain(|d| seen.insert((d.anchor.clone(), format!("{:?}", d.qualifiers))));
        if twice {
            documents.extend(documents.clone());
        }
        documents
    })
}

fn path(question: &Question<'_>) -> String {
    // The order of a path is that of the standard.
    let mut qualifiers = question.qualifiers.to_vec();
    qualifiers.sort_by_key(|(ai, _)| ["22", "10", "21"].iter().position(|known| known == ai));
    let path = qualifiers
        .iter()
        .fold(question.anchor.to_owned(), |path, (ai, value)| format!("{path}/{ai}/{value}"));
    match question.link_type {
        Some(link_type) => format!("{path}?linkType={link_type}"),
        None => path,
    }
}

/// Compares the answers to one scan; returns whether there was anything to compare.
fn compare(fixture: &Fixture, oracle: &Oracle, question: &Question<'_>, is_reduced: bool) -> bool {
    let matches = oracle.matches(question);
    // With two, Resolver CE answers by their order.
    let [document] = matches[..] else { return false };
    if is_reduced && oracle.has_part_of(question) {
        return false;
    }
    let expected = Oracle::answer(document, question);
    if expected.is_empty() {
        return false;
    }
    let target = path(question);
    match fixture.scan(&target, question.language) {
        Scan::To(found) => {
            assert!(expected.contains(&found), "{target} {question:?}: {found}, not {expected:?}");
        }
        Scan::OneOf(found) => {
            // Links that suit equally well can have the same target.
            let are_known = found.iter().all(|one| expected.contains(one));
            assert!(are_known, "{target}: {found:?}, not {expected:?}");
        }
        Scan::NotFound => panic!("{target} {question:?}: nothing, not {expected:?}"),
    }
    true
}

fn check(documents: &[CeDocument]) -> usize {
    let fixture = Fixture::new();
    let file: Vec<String> =
        documents.iter().map(|document| serde_json::to_string(document).unwrap()).collect();
    let imported = fixture.import(&[file.join("\n").as_bytes()]);
    assert_eq!(imported.outcomes.len(), documents.len(), "nothing vanishes");
    let mut oracle = Oracle::default();
    let mut reduced = BTreeSet::new();
    for outcome in &imported.outcomes {
        let at = usize::try_from(outcome.position.record).unwrap() - 1;
        let ids: Vec<_> = outcome.reasons.iter().map(|reason| reason.id.as_str()).collect();
        match outcome.fate {
            Fate::Quarantined => {
                assert!(ids.iter().all(|id| QUARANTINE.contains(id)), "{outcome:?}");
                continue;
            }
            Fate::Refused => panic!("{outcome:?}"),
            _ => oracle.post(&documents[at]),
        }
        if ids.iter().any(|id| ["serial-alone", "variable-above", "variables"].contains(id)) {
            reduced.insert(documents[at].anchor.clone());
        }
    }
    let mut compared = 0;
    for anchor in KEYS {
        for qualifiers in SCANS {
            for link_type in std::iter::once(None).chain(TYPES.map(Some)) {
                for language in [None, Some("en"), Some("ja")] {
                    // The default in a language is a variant of it, which Resolver CE ignores.
                    if link_type.is_none() && language.is_some() {
                        continue;
                    }
                    let question = Question { anchor, qualifiers, link_type, language };
                    let is_reduced = reduced.contains(anchor);
                    compared += usize::from(compare(&fixture, &oracle, &question, is_reduced));
                }
            }
        }
    }
    compared
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(200) })]

    #[test]
    fn scans_have_the_same_answers(documents in documents()) {
        check(&documents);
    }
}

/// The property compares something.
#[test]
fn a_lot_and_its_product_are_compared() {
    let text = r#"[{"anchor":"/01/09506000134352","itemDescription":"Tea","defaultLinktype":"gs1:pip",
        "links":[{"linktype":"gs1:pip","href":"https://a.example/","title":"A","hreflang":["en"]},
        {"linktype":"gs1:pip","href":"https://b.example/","title":"B","hreflang":["ja"]}]},
        {"anchor":"/01/09506000134352","itemDescription":"Tea","defaultLinktype":"gs1:pip",
        "qualifiers":[{"10":"{lot}"}],
        "links":[{"linktype":"gs1:pip","href":"https://a.example/{lot}","title":"A"}]}]"#;
    let documents: Vec<CeDocument> = serde_json::from_str(text).unwrap();
    assert!(check(&documents) >= 8);
}
