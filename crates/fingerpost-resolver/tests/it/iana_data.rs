//! The embedded lists against IANA's registries, where copies of those lie beside the repository.

use std::path::Path;

use fingerpost_resolver::{MediaTypes, gs1_terms, is_link_relation};

/// The names in a JSON array of a shared data folder; `None`, said aloud, when it is absent.
fn registry(name: &str) -> Option<Vec<String>> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data").join(name);
    match std::fs::read_to_string(&path) {
        Ok(text) => Some(serde_json::from_str(&text).expect("an array of names")),
        Err(error) => {
            println!("skipped: {} cannot be read: {error}", path.display());
            None
        }
    }
}

fn lines(text: &str) -> Vec<&str> {
    text.lines().filter(|line| !line.starts_with('#')).collect()
}

#[test]
fn media_types_are_ianas() {
    // RES-2.5.5-2
    let Some(names) = registry("iana-media-types.json") else { return };
    let ours = lines(include_str!("../../../../data/media-types.txt"));
    let mut theirs: Vec<String> = names.iter().map(|name| name.to_ascii_lowercase()).collect();
    theirs.sort_unstable();
    assert_eq!(ours, theirs);
    assert!(theirs.iter().all(|name| MediaTypes::builtin().contains(name)));
}

#[test]
fn link_relations_are_ianas() {
    // RES-2.5.2-4
    let Some(mut names) = registry("iana-link-relations.json") else { return };
    names.sort_unstable();
    assert_eq!(lines(include_str!("../../../../data/link-relations.txt")), names);
    assert!(names.iter().all(|name| is_link_relation(name)));
}

#[test]
fn one_name_is_both_a_relation_and_a_term() {
    // RES-2.14-7: the order of readings matters for these names only.
    let both: Vec<&str> =
        gs1_terms().iter().map(|term| term.name()).filter(|name| is_link_relation(name)).collect();
    assert_eq!(both, ["dpp"]);
}
