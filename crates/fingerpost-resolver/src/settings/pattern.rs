//! The patterns that hand requests over to other resolvers (GS1-Conformant Resolver 1.2.0 section 2.8, RES-2.8-1 to -5).

use std::fmt;

use fingerpost_gs1::Ai;

use super::{PatternParts, is_web_address};
use crate::ResolverRoot;

/// One hand-over: requests whose canonical path begins with a prefix go to another root.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pattern {
    /// Without the leading slash, as in the text of an `EntityKey`.
    prefix: String,
    target_root: String,
}

impl Pattern {
    /// Returns the text that the canonical path begins with, without its leading slash.
    #[must_use]
    pub fn prefix(&self) -> &str {
        &self.prefix
    }

    /// Returns the root of the other resolver, without a trailing slash.
    #[must_use]
    pub fn target_root(&self) -> &str {
        &self.target_root
    }

    /// Checks all patterns and orders them, longest prefix first.
    pub(crate) fn read_all(
        parts: &[PatternParts],
        root: &ResolverRoot,
    ) -> Result<Vec<Self>, (usize, PatternFault)> {
        let mut patterns: Vec<Self> = Vec::with_capacity(parts.len());
        for (at, part) in parts.iter().enumerate() {
            let pattern = Self::read(part, root).map_err(|fault| (at, fault))?;
            if patterns.iter().any(|other| other.prefix == pattern.prefix) {
                return Err((at, PatternFault::Repeated(part.path_prefix.clone())));
            }
            patterns.push(pattern);
        }
        patterns.sort_by_key(|pattern| std::cmp::Reverse(pattern.prefix.len()));
        Ok(patterns)
    }

    fn read(parts: &PatternParts, root: &ResolverRoot) -> Result<Self, PatternFault> {
        let prefix = &parts.path_prefix;
        let key_follows = prefix
            .strip_prefix('/')
            .and_then(|text| text.split_once('/'))
            .and_then(|(ai, _)| Ai::new(ai))
            .is_some_and(Ai::is_primary_key);
        let allowed = |b: u8| b.is_ascii_alphanumeric() || b"-._~%/".contains(&b);
        if !key_follows || !prefix.bytes().all(allowed) {
            return Err(PatternFault::Prefix(prefix.clone()));
        }
        let target = &parts.target_root;
        if !is_web_address(target) || target.ends_with('/') || target.contains(['?', '#']) {
            return Err(PatternFault::Target(target.clone()));
        }
        if is_below(target, root.as_str()) {
            return Err(PatternFault::OwnRoot(target.clone()));
        }
        Ok(Self { prefix: prefix[1..].to_owned(), target_root: target.clone() })
    }
}

/// Returns whether the address is this resolver's root or below it; scheme and host compare without case, and
/// `http` counts as `https`.
fn is_below(address: &str, root: &str) -> bool {
    let comparable = |text: &str| url::Url::parse(text).ok();
    let (Some(address), Some(root)) = (comparable(address), comparable(root)) else { return false };
    let path = root.path().trim_end_matches('/');
    address.host() == root.host()
        && address.port() == root.port()
        && address
            .path()
            .strip_prefix(path)
            .is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

/// The fault of a pattern.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum PatternFault {
    /// The prefix is not the beginning of a canonical path.
    Prefix(String),
    /// Two patterns with this prefix.
    Repeated(String),
    /// The target is not an http or https address without trailing slash, query and fragment.
    Target(String),
    /// The target is below this resolver's root, so requests would be handed over to itself.
    OwnRoot(String),
}

impl fmt::Display for PatternFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Prefix(found) => {
                write!(f, "expected a path_prefix such as \"/01/0950600\", found {found:?}")
            }
            Self::Repeated(found) => {
                write!(f, "expected each path_prefix once, found {found:?} again")
            }
            Self::Target(found) => write!(
                f,
                "expected a target_root that is an http or https address without trailing slash, query \
                 and fragment, found {found:?}"
            ),
            Self::OwnRoot(found) => {
                write!(f, "expected a target_root outside resolver_root, found {found:?}")
            }
        }
    }
}
