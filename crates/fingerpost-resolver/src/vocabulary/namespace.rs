//! Foreign link-type namespaces from the configuration (RES-2.14-3, -4; RES-3-6).

use std::fmt;

use super::gs1_local_name;
use crate::fault::shown;
use crate::limits::{MAX_NAMESPACE_BYTES, MAX_PREFIX_BYTES};

/// A namespace of link types besides GS1's, with the prefix that abbreviates it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LinkTypeNamespace {
    iri: String,
    prefix: String,
}

impl LinkTypeNamespace {
    /// Checks a namespace and its prefix.
    pub fn new(namespace: &str, prefix: &str) -> Result<LinkTypeNamespace, NamespaceError> {
        if !is_prefix(prefix) || RESERVED_PREFIXES.contains(&prefix) {
            return Err(NamespaceError(format!(
                "expected a prefix of letters, digits, \"_\" or \"-\" that starts with a letter or \
                 \"_\", ends in \":\" and is not taken, found {}",
                shown(prefix)
            )));
        }
        let is_web = namespace.starts_with("https://") || namespace.starts_with("http://");
        let ends_well = namespace.ends_with(['/', '#']);
        if !is_web || !ends_well || namespace.len() > MAX_NAMESPACE_BYTES || !is_uri(namespace) {
            return Err(NamespaceError(format!(
                "expected an http or https namespace that ends in \"/\" or \"#\", found {}",
                shown(namespace)
            )));
        }
        if gs1_local_name(namespace).is_some() {
            return Err(NamespaceError(format!(
                "expected a namespace other than the GS1 Web Vocabulary, found {}",
                shown(namespace)
            )));
        }
        Ok(LinkTypeNamespace { iri: namespace.to_owned(), prefix: prefix.to_owned() })
    }

    /// Returns the namespace, the part before the local name.
    pub fn iri(&self) -> &str {
        &self.iri
    }

    /// Returns the prefix, including its colon.
    pub fn prefix(&self) -> &str {
        &self.prefix
    }

    pub(super) fn check_against(&self, others: &[LinkTypeNamespace]) -> Result<(), NamespaceError> {
        match others.iter().find(|other| other.iri == self.iri || other.prefix == self.prefix) {
            None => Ok(()),
            Some(_) => Err(NamespaceError(format!(
                "expected each namespace and prefix once, found {} with {} again",
                shown(&self.iri),
                shown(&self.prefix)
            ))),
        }
    }
}

/// An error for a namespace that cannot be used, with what was expected and what was found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NamespaceError(String);

impl fmt::Display for NamespaceError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for NamespaceError {}

/// Returns whether the text matches the pattern of the description-file schema: letter or
/// underscore, then letters, digits, `_`, `-`, then a colon.
fn is_prefix(prefix: &str) -> bool {
    let Some(name) = prefix.strip_suffix(':') else { return false };
    let mut bytes = name.bytes();
    name.len() <= MAX_PREFIX_BYTES
        && bytes.next().is_some_and(|first| first.is_ascii_alphabetic() || first == b'_')
        && bytes.all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-'))
}

fn is_uri(text: &str) -> bool {
    text.bytes().all(|byte| byte.is_ascii_graphic()) && url::Url::parse(text).is_ok()
}

/// `gs1:` is reserved; the others would make a URI look like a CURIE.
const RESERVED_PREFIXES: [&str; 4] = ["gs1:", "http:", "https:", "urn:"];

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Vocabulary;

    #[test]
    fn prefixes_and_namespaces_are_checked() {
        // RES-3-6, RES-2.14-4
        assert!(LinkTypeNamespace::new("https://example.net/link-types#", "ex:").is_ok());
        for prefix in ["ex", ":", "1x:", "gs1:", "https:", "e x:", "é:", ""] {
            assert!(
                LinkTypeNamespace::new("https://example.net/voc/", prefix).is_err(),
                "{prefix}"
            );
        }
        for iri in
            ["example.net/", "urn:x:/", "https://e.net/voc", "https://gs1.org/voc/", "https://e e/"]
        {
            assert!(LinkTypeNamespace::new(iri, "ex:").is_err(), "{iri}");
        }
    }

    #[test]
    fn nothing_is_declared_twice() {
        let twice = [("https://a.example/", "a:"), ("https://b.example/", "a:")];
        let error = Vocabulary::builtin().with_namespaces(twice).map(|_| ()).unwrap_err();
        assert_eq!(
            error.to_string(),
            "expected each namespace and prefix once, found \"https://b.example/\" with \"a:\" again"
        );
    }
}
