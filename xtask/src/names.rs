//! `cargo xtask names`: two public types share a name only if they are one idea.
//!
//! A search for the name of a type should find its definition first. Types that only their crate
//! sees may share a name with others.

use std::collections::BTreeMap;

use crate::workspace::{read, root, rust_files, shown, verdict};

/// Names of several public types, each with the idea that they share.
const SHARED: &[(&str, &str)] = &[
    (
        "CompanyPrefix",
        "a GS1 Company Prefix, as read from an identifier and as the anchor of a record",
    ),
    ("Config", "the configuration of one part of the server, after its options were read"),
    ("Error", "the error of a toolkit crate"),
    ("ErrorKind", "the kind of an error of a toolkit crate"),
    ("Link", "a link of a record, as stored and as JSON"),
    (
        "RoleTokens",
        "tokens that prove roles, in builds that verify them and in those that refuse to",
    ),
    ("Prefetch", "rows that a write is going to read, for an engine and in the words of the store"),
];

/// Crates that nobody imports outside of tests.
const NOT_SHIPPED: &str = "crates/fingerpost-testkit/";

pub(crate) fn run() -> Result<(), String> {
    let mut definitions: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for path in rust_files(&root().join("crates"))? {
        let file = shown(&path);
        if !file.contains("/src/") || file.starts_with(NOT_SHIPPED) {
            continue;
        }
        for name in read(&path)?.lines().filter_map(public_type) {
            definitions.entry(name.to_owned()).or_default().push(file.clone());
        }
    }
    let mut findings = Vec::new();
    for (name, files) in &definitions {
        if files.len() > 1 && !SHARED.iter().any(|(known, _)| known == name) {
            let files = files.join(", ");
            findings.push(format!(
                "{name}: public types of this name in {files}; rename one, or list the idea that \
                 they share in xtask/src/names.rs"
            ));
        }
    }
    for (name, _) in SHARED {
        if definitions.get(*name).is_none_or(|files| files.len() < 2) {
            findings.push(format!("{name}: not shared by two types; remove it from the list"));
        }
    }
    verdict("names", &findings)?;
    println!(
        "names: {} public types; {} names shared for a reason",
        definitions.len(),
        SHARED.len(),
    );
    Ok(())
}

/// Returns the name of the public type that a line defines, if it does.
fn public_type(line: &str) -> Option<&str> {
    let definition = line.trim_start().strip_prefix("pub ")?;
    // The input of a macro that defines it has a line of its own.
    if definition.starts_with("enum ") && definition.ends_with(';') {
        return None;
    }
    let kinds = ["struct ", "enum ", "trait ", "type "];
    let rest = kinds.iter().find_map(|kind| definition.strip_prefix(kind))?;
    let end = rest.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(rest.len());
    Some(&rest[..end])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_public_definitions_are_read() {
        assert_eq!(public_type("pub struct Link<'e> {"), Some("Link"));
        assert_eq!(public_type("    pub enum Answer {"), Some("Answer"));
        assert_eq!(public_type("pub(crate) struct Link;"), None);
        assert_eq!(public_type("    pub enum LintError;"), None);
        assert_eq!(public_type("pub fn link() -> Link {"), None);
    }
}
