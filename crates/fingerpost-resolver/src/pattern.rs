//! Handing requests over to another resolver by the beginning of their path
//! (GS1-Conformant Resolver 1.2.0 section 2.8, RES-2.8-1 to -5).

use std::fmt;

use fingerpost_gs1::{Ai, EntityKey};

use crate::forward::{forward, push_visible};
use crate::request::Request;
use crate::settings::{PatternParts, is_web_address};
use crate::{ResolverRoot, Settings};

/// One hand-over: requests whose canonical path begins with a text go to another root.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pattern {
    /// Without the leading slash, as in the text of an `EntityKey`.
    prefix: String,
    target_root: String,
}

impl Pattern {
    /// The text that the canonical path begins with, without its leading slash.
    #[must_use]
    pub fn prefix(&self) -> &str {
        &self.prefix
    }

    /// Root of the other resolver, without a trailing slash.
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

/// Whether the address is the own root or lies below it; scheme and host compare without case, and
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

/// What is wrong with a pattern.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum PatternFault {
    /// The prefix is not the beginning of a canonical path.
    Prefix(String),
    /// Two patterns with this prefix.
    Repeated(String),
    /// The target is not an http or https address without trailing slash, query and fragment.
    Target(String),
    /// The target lies below the own root, which would hand requests to ourselves.
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

/// Where a request is handed over to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HandOver {
    key: EntityKey,
    location: String,
    /// Where the query begins in `location`.
    path_end: usize,
}

impl HandOver {
    /// The hand-over that a request falls under, if any: longest prefix first, linkset requests too.
    ///
    /// Asked after validation and before anything is read (RES-2.8-1).
    pub(crate) fn of(
        settings: &Settings,
        request: &Request<'_>,
        query: Option<&[u8]>,
    ) -> Option<Self> {
        let key = request.entity();
        let begins = |pattern: &&Pattern| key.as_str().starts_with(&pattern.prefix);
        let pattern = settings.patterns().iter().find(begins)?;
        let path = request.path();
        let mut target = String::with_capacity(pattern.target_root.len() + path.len());
        target.push_str(&pattern.target_root);
        push_visible(&mut target, &path);
        let path_end = target.len();
        Some(Self { key: key.clone(), location: forward(&target, query), path_end })
    }

    /// What is asked about.
    #[must_use]
    pub fn key(&self) -> &EntityKey {
        &self.key
    }

    /// The address to redirect to, query included.
    #[must_use]
    pub fn location(&self) -> &str {
        &self.location
    }

    /// The same entity at the other resolver, without the query.
    #[must_use]
    pub fn target(&self) -> &str {
        &self.location[..self.path_end]
    }

    /// Value of the `Link` header that names the resolver in charge (RES-2.8-2, RES-2.8-3, ER-18).
    #[must_use]
    pub fn handled_by_link(&self) -> String {
        format!("<{}>; rel=\"gs1:handledBy\"", self.target())
    }
}
