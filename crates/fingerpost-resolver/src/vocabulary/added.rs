//! Link types of the GS1 Web Vocabulary that are newer than the built-in list (RES-2.5.2-2), from a
//! file of the operator.
//!
//! ```text
//! list = *( line LF )
//! line = [ "gs1:" ] name [ SP title ] / "#" comment / ""
//! name = lower-case letter *( letter / digit )
//! ```

use std::fmt;

use super::{GS1_NAMESPACE, GS1_PREFIX, gs1_term};
use crate::fault::shown;
use crate::limits::MAX_NAME_BYTES;

/// A link type of the GS1 Web Vocabulary that is not built in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AddedTerm {
    iri: String,
    title: String,
}

impl AddedTerm {
    /// Returns the local name: `safetyDataSheet`.
    pub fn name(&self) -> &str {
        &self.iri[GS1_NAMESPACE.len()..]
    }

    /// Returns the full IRI.
    pub fn iri(&self) -> &str {
        &self.iri
    }

    /// Returns the title in the file, or the words of the name.
    pub fn title(&self) -> &str {
        &self.title
    }
}

/// Reads a list. Types that are built in are left out, so that a file can stay when a release adds
/// its types.
pub(super) fn read(list: &str) -> Result<Vec<AddedTerm>, LinkTypeListError> {
    let mut terms: Vec<AddedTerm> = Vec::new();
    for (at, line) in list.lines().map(str::trim).enumerate() {
        if line.is_empty() || line.starts_with('#') {
            continue;
        }
        let (name, title) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
        let local = name.strip_prefix(GS1_PREFIX).unwrap_or(name);
        if !is_name(local) || title.chars().any(char::is_control) {
            return Err(LinkTypeListError { line: at + 1, found: shown(line) });
        }
        let is_known = gs1_term(local).is_some() || terms.iter().any(|term| term.name() == local);
        if is_known {
            continue;
        }
        let title = if title.is_empty() { words(local) } else { title.trim().to_owned() };
        terms.push(AddedTerm { iri: [GS1_NAMESPACE, local].concat(), title });
    }
    Ok(terms)
}

fn is_name(text: &str) -> bool {
    text.starts_with(|c: char| c.is_ascii_lowercase())
        && text.len() <= MAX_NAME_BYTES
        && text.bytes().all(|byte| byte.is_ascii_alphanumeric())
}

/// Returns the words of a name: `Safety data sheet`.
fn words(name: &str) -> String {
    let mut out = String::with_capacity(name.len() + 8);
    for (at, c) in name.chars().enumerate() {
        if at == 0 {
            out.push(c.to_ascii_uppercase());
        } else if c.is_ascii_uppercase() {
            out.extend([' ', c.to_ascii_lowercase()]);
        } else {
            out.push(c);
        }
    }
    out
}

/// A line of a list that is no link type.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LinkTypeListError {
    line: usize,
    found: String,
}

impl fmt::Display for LinkTypeListError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { line, found } = self;
        write!(
            f,
            "line {line}: expected the name of a GS1 link type, such as safetyDataSheet, and perhaps a title, found {found}"
        )
    }
}

impl std::error::Error for LinkTypeListError {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_are_read() {
        let list = "# new\n\nsafetyDataSheet\ngs1:wasteInfo  How to dispose of it \npip\nsafetyDataSheet Again\n";
        let terms = read(list).unwrap();
        let found: Vec<_> = terms.iter().map(|term| (term.iri(), term.title())).collect();
        assert_eq!(
            found,
            [
                ("https://ref.gs1.org/voc/safetyDataSheet", "Safety data sheet"),
                ("https://ref.gs1.org/voc/wasteInfo", "How to dispose of it"),
            ]
        );
        for bad in
            ["ok\nSafety", "a\nb-c", "x\ny/z", "a\nhttps://ref.gs1.org/voc/x", "a\ngs1:", "a\n1a"]
        {
            let error = read(bad).unwrap_err();
            assert!(error.to_string().starts_with("line 2: expected "), "{error}");
        }
    }
}
