//! The embedded lists of registered names, and those lists compared with IANA's registries by
//! `.ci/compare`.

use std::path::Path;

use fingerpost_resolver::{MediaTypes, gs1_terms, is_link_relation};

/// The names in a JSON array of the folder with files of others.
fn registry(name: &str) -> Vec<String> {
    let folder = std::env::var("FINGERPOST_REFERENCES").expect("set by .ci/compare");
    let text = std::fs::read_to_string(Path::new(&folder).join(name)).expect("a registry");
    serde_json::from_str(&text).expect("an array of names")
}

fn lines(text: &str) -> Vec<&str> {
    text.lines().filter(|line| !line.starts_with('#')).collect()
}

const MEDIA_TYPES: &str = include_str!("../../../../data/media-types.txt");
const LINK_RELATIONS: &str = include_str!("../../../../data/link-relations.txt");

// RES-2.5.5-2, RES-2.5.2-4
#[test]
fn listed_names_are_known_and_others_are_not() {
    let (types, relations) = (lines(MEDIA_TYPES), lines(LINK_RELATIONS));
    assert!(types.len() > 2_000 && relations.len() > 100, "{} {}", types.len(), relations.len());
    assert!(types.iter().all(|name| MediaTypes::builtin().contains(name)));
    assert!(relations.iter().all(|name| is_link_relation(name)));
    for name in ["application/pdf", "text/html", "image/jpeg"] {
        assert!(MediaTypes::builtin().contains(name), "{name}");
    }
    for name in ["text/superhtml", "html", "", "text/"] {
        assert!(!MediaTypes::builtin().contains(name), "{name}");
    }
    assert!(is_link_relation("license") && !is_link_relation("licence"));
}

#[test]
#[ignore = "needs IANA's lists: run .ci/compare"]
fn compared_with_the_registered_media_types() {
    let mut theirs = registry("iana-media-types.json");
    theirs.iter_mut().for_each(|name| name.make_ascii_lowercase());
    theirs.sort_unstable();
    assert_eq!(lines(MEDIA_TYPES), theirs);
}

#[test]
#[ignore = "needs IANA's lists: run .ci/compare"]
fn compared_with_the_registered_link_relations() {
    let mut theirs = registry("iana-link-relations.json");
    theirs.sort_unstable();
    assert_eq!(lines(LINK_RELATIONS), theirs);
}

#[test]
fn one_name_is_both_a_relation_and_a_term() {
    // RES-2.14-7: the order of readings matters for these names only.
    let both: Vec<&str> =
        gs1_terms().iter().map(|term| term.name()).filter(|name| is_link_relation(name)).collect();
    assert_eq!(both, ["dpp"]);
}
