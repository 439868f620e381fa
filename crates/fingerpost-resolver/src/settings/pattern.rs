//! The patterns that hand requests over to other resolvers (GS1-Conformant Resolver 1.2.0 section
//! 2.8, RES-2.8-1 to -5).

use std::cmp::Reverse;
use std::fmt;

use fingerpost_gs1::{Ai, EntityKey};
use fingerpost_uri::hide_password;

use super::{PatternParts, is_web_address};
use crate::forward::push_visible;
use crate::target::{self, Origin};
use crate::{Beginnings, CompanyPrefix, Digits, ResolverRoot};

/// One hand-over: the requests that it applies to, and where they go.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pattern {
    scope: Scope,
    destination: Destination,
}

/// The requests that a pattern applies to.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Scope {
    /// Their canonical path begins with this text, which has no leading slash.
    Path(String),
    /// The company prefix of their key begins with these digits: any key type, indicator digit and
    /// extension digit.
    CompanyPrefix(CompanyPrefix),
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Destination {
    Root(String),
    Template(String),
}

/// The patterns of an installation. Those that apply to a key are found by how it begins, so that a
/// thousand others cost it nothing.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Patterns {
    /// In the order in which they are tried.
    all: Vec<Pattern>,
    /// The beginnings of paths, each with the index of its pattern.
    paths: Beginnings<String, usize>,
    /// The company prefixes, each with the index of its pattern.
    company_prefixes: Beginnings<Digits, usize>,
}

impl Patterns {
    fn of(all: Vec<Pattern>) -> Self {
        let mut patterns = Self { all, ..Self::default() };
        let mut order: Vec<usize> = (0..patterns.all.len()).collect();
        order.sort_unstable_by_key(|at| patterns.all[*at].scope.text());
        for at in order {
            match &patterns.all[at].scope {
                Scope::Path(path) => patterns.paths.push(path.clone(), at),
                Scope::CompanyPrefix(prefix) => {
                    patterns.company_prefixes.push(Digits::of(prefix.as_str()), at);
                }
            }
        }
        patterns
    }

    /// Returns all patterns, in the order in which they are tried.
    pub(crate) fn all(&self) -> &[Pattern] {
        &self.all
    }

    /// Returns the patterns that apply to a key, in the order in which they are tried.
    pub(crate) fn of_key(&self, key: &EntityKey) -> impl Iterator<Item = &Pattern> {
        let mut found: Vec<_> = self.paths.of(key.as_str()).map(|(_, at)| *at).collect();
        if !self.company_prefixes.is_empty()
            && let Some(part) = key.company_prefix_part()
        {
            found.extend(self.company_prefixes.of(&Digits::of(part)).map(|(_, at)| *at));
        }
        found.sort_unstable();
        found.into_iter().map(|at| &self.all[at])
    }
}

impl Pattern {
    /// Returns the address for a request, without its query: the root of the other resolver with
    /// `path`, or the filled template. `None` if the pattern does not apply.
    pub(crate) fn target(&self, key: &EntityKey, path: &[u8]) -> Option<String> {
        match &self.destination {
            _ if !self.scope.has(key) => None,
            Destination::Root(root) => {
                let mut target = String::with_capacity(root.len() + path.len());
                target.push_str(root);
                push_visible(&mut target, path);
                Some(target)
            }
            Destination::Template(template) if target::names_other_key(template, key) => None,
            Destination::Template(template) => target::expand(template, key),
        }
    }

    /// Checks all patterns and orders them: the one that states most characters from the company
    /// prefix on comes first, at a tie the one for a single key type.
    pub(crate) fn read_all(
        parts: &[PatternParts],
        root: &ResolverRoot,
    ) -> Result<Patterns, (usize, PatternFault)> {
        let mut patterns: Vec<Self> = Vec::with_capacity(parts.len());
        for (at, part) in parts.iter().enumerate() {
            let pattern = Self::read(part, root).map_err(|fault| (at, fault))?;
            if patterns.iter().any(|other| other.scope == pattern.scope) {
                return Err((at, PatternFault::Repeated(pattern.scope.to_string())));
            }
            patterns.push(pattern);
        }
        patterns.sort_by_key(|pattern| Reverse(pattern.scope.rank()));
        Ok(Patterns::of(patterns))
    }

    fn read(parts: &PatternParts, root: &ResolverRoot) -> Result<Self, PatternFault> {
        let scope = match (&parts.path_prefix, &parts.company_prefix) {
            (Some(path), None) => Scope::of_path(path)?,
            (None, Some(prefix)) => Scope::CompanyPrefix(
                CompanyPrefix::parse(prefix)
                    .map_err(|_| PatternFault::CompanyPrefix(prefix.clone()))?,
            ),
            _ => return Err(PatternFault::Scopes),
        };
        let destination = match (&parts.target_root, &parts.target_template) {
            (Some(target), None) => Destination::of_root(target, root)?,
            (None, Some(template)) => Destination::of_template(template, root)?,
            _ => return Err(PatternFault::Targets),
        };
        Ok(Self { scope, destination })
    }
}

impl Scope {
    fn of_path(prefix: &str) -> Result<Self, PatternFault> {
        let text = prefix.strip_prefix('/').unwrap_or_default();
        let allowed = |b: u8| b.is_ascii_alphanumeric() || b"-._~%/".contains(&b);
        if primary_key(text).is_none() || !prefix.bytes().all(allowed) {
            return Err(PatternFault::Prefix(prefix.to_owned()));
        }
        Ok(Self::Path(text.to_owned()))
    }

    /// Whether a key is in the scope.
    fn has(&self, key: &EntityKey) -> bool {
        match self {
            Self::Path(prefix) => key.as_str().starts_with(prefix.as_str()),
            Self::CompanyPrefix(prefix) => prefix.covers(key),
        }
    }

    /// Returns what the keys, or their company prefixes, begin with.
    fn text(&self) -> &str {
        match self {
            Self::Path(text) => text,
            Self::CompanyPrefix(prefix) => prefix.as_str(),
        }
    }

    /// Returns the order of this pattern among those that apply to the same key.
    fn rank(&self) -> (usize, bool, usize) {
        match self {
            Self::Path(prefix) => {
                let before = primary_key(prefix).map_or(0, |(ai, value)| {
                    let mut offsets = EntityKey::company_prefix_offsets();
                    let offset =
                        offsets.find(|(own, _)| *own == ai).map_or(0, |(_, offset)| offset);
                    prefix.len() - value.len() + offset
                });
                (prefix.len().saturating_sub(before), true, prefix.len())
            }
            Self::CompanyPrefix(prefix) => (prefix.as_str().len(), false, 0),
        }
    }
}

impl fmt::Display for Scope {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Path(prefix) => write!(f, "path_prefix \"/{prefix}\""),
            Self::CompanyPrefix(prefix) => write!(f, "company_prefix \"{prefix}\""),
        }
    }
}

/// Returns the primary key with which a canonical path begins, and what follows it.
fn primary_key(text: &str) -> Option<(Ai, &str)> {
    let (ai, value) = text.split_once('/')?;
    Some((Ai::new(ai).filter(|ai| ai.is_primary_key())?, value))
}

impl Destination {
    fn of_root(target: &str, root: &ResolverRoot) -> Result<Self, PatternFault> {
        if !is_web_address(target) || target.ends_with('/') || target.contains(['?', '#']) {
            return Err(PatternFault::Target(target.to_owned()));
        }
        if is_below(target, root.as_str()) {
            return Err(PatternFault::OwnRoot(target.to_owned()));
        }
        Ok(Self::Root(target.to_owned()))
    }

    fn of_template(template: &str, root: &ResolverRoot) -> Result<Self, PatternFault> {
        let own = Origin::of(root.as_str());
        let checked = target::check(template, None, own.as_ref());
        let checked = checked.map_err(|wrong| PatternFault::Template(wrong.message))?;
        Ok(Self::Template(checked.href.into_owned()))
    }
}

/// Returns whether the address is this resolver's root or below it; scheme and host compare without
/// case, and `http` counts as `https`.
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
pub enum PatternFault {
    /// The prefix is not the beginning of a canonical path.
    Prefix(String),
    /// Not a GS1 Company Prefix.
    CompanyPrefix(String),
    /// Not exactly one of `path_prefix` and `company_prefix`.
    Scopes,
    /// Two patterns for the same requests.
    Repeated(String),
    /// The target is not an http or https address without trailing slash, query and fragment.
    Target(String),
    /// Not exactly one of `target_root` and `target_template`.
    Targets,
    /// The template is not the target of a link, for this reason.
    Template(String),
    /// The target is below this resolver's root, so requests would be handed over to itself.
    OwnRoot(String),
}

impl fmt::Display for PatternFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Prefix(found) => {
                write!(f, "expected a path_prefix such as \"/01/0950600\", found {found:?}")
            }
            Self::CompanyPrefix(found) => write!(
                f,
                "expected a company_prefix of 4 to 12 digits such as \"9506000\", found {found:?}"
            ),
            Self::Scopes => f.write_str("expected either path_prefix or company_prefix"),
            Self::Repeated(found) => write!(f, "expected each pattern once, found {found} again"),
            Self::Targets => f.write_str("expected either target_root or target_template"),
            Self::Template(why) => write!(f, "target_template: {why}"),
            Self::Target(found) => write!(
                f,
                "expected a target_root that is an http or https address without trailing slash, query \
                 and fragment, found {:?}",
                hide_password(found)
            ),
            Self::OwnRoot(found) => {
                write!(f, "expected a target_root outside resolver_root, found {found:?}")
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// RES-2.8-1: among many patterns that begin alike, those that apply are found, in their order.
    #[test]
    fn section_2_8_patterns_that_apply_are_those_with_which_a_key_begins() {
        let root = ResolverRoot::parse("https://id.example").unwrap();
        let digits_of =
            |number: u32| format!("{:012b}", number % 4096).replace('0', "9").replace('1', "5");
        let part = |number: u32| {
            // Few digits, so that many begin alike.
            let digits = digits_of(number);
            let digits = &digits[..4 + (number % 9) as usize];
            let is_path = number.is_multiple_of(3);
            PatternParts {
                path_prefix: is_path.then(|| format!("/01/0{digits}")),
                company_prefix: (!is_path).then(|| digits.to_owned()),
                target_root: Some(format!("https://r{number}.example")),
                target_template: None,
            }
        };
        let mut parts: Vec<PatternParts> = Vec::new();
        for part in (0..5000).map(part) {
            let is_known = parts.iter().any(|known| {
                (&known.path_prefix, &known.company_prefix)
                    == (&part.path_prefix, &part.company_prefix)
            });
            if !is_known {
                parts.push(part);
            }
        }
        let patterns = Pattern::read_all(&parts, &root).unwrap();
        let mut most = 0;
        for number in 0..300_u32 {
            let digits = format!("0{}", digits_of(number.wrapping_mul(2_654_435_761)));
            let sum: u32 = digits
                .bytes()
                .zip([3, 1].into_iter().cycle())
                .map(|(digit, weight)| u32::from(digit - b'0') * weight)
                .sum();
            let key = format!("/01/{digits}{}", (10 - sum % 10) % 10);
            let key = EntityKey::parse(&key).unwrap();
            let found: Vec<_> = patterns.of_key(&key).collect();
            let expected: Vec<_> =
                patterns.all().iter().filter(|one| one.scope.has(&key)).collect();
            most = most.max(expected.len());
            assert_eq!(found, expected, "{key}");
        }
        assert!(most > 4, "{most}");
    }
}
