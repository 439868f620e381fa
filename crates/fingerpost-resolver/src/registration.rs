//! What can be registered, and the rules for the links of one level and of one key (GS1-Conformant
//! Resolver 1.2.0, sections 2.5.1 to 2.5.10 and 2.14).
//!
//! Rules about one member of a record are checked while it is read, in
//! [`read_record`](crate::read_record). The rules across links are checked on the finished
//! contents, for every span of time in which the same links exist (RES-2.5.7-2). The one rule
//! across levels (RES-2.5.9-1) is checked by the store, on the state after a whole batch.

use std::fmt;

use crate::entry::Entry;
use crate::fault::RecordFault;
use crate::roles::Roles;
use crate::root::ResolverRoot;
use crate::settings::PrimaryKeys;
use crate::target::Origin;
use crate::vocabulary::Vocabulary;

pub(crate) mod across_links;
pub(crate) mod anchor;
pub(crate) mod link_types;
pub(crate) mod size;

pub(crate) use size::MAX_LINKS;

/// The rules that a record is checked against.
///
/// ```
/// use fingerpost_resolver::{ResolverRoot, Rules, Vocabulary, read_record};
///
/// let vocabulary = Vocabulary::builtin();
/// let root = ResolverRoot::parse("https://id.example.org")?;
/// let rules = Rules::new(&vocabulary).with_resolver_root(&root);
/// let record = br#"{"anchor": "/01/09520123456788", "links": [
///     {"linkType": "gs1:pip", "title": "Tea", "href": "https://id.example.org/01/09520123456788"}]}"#;
/// let refused = read_record(record, &rules).unwrap_err();
/// assert_eq!(refused.faults[0].id(), "RES-2.5.1-8");
/// # Ok::<(), fingerpost_resolver::RootError>(())
/// ```
#[derive(Clone, Debug)]
pub struct Rules<'a> {
    pub(crate) vocabulary: &'a Vocabulary,
    pub(crate) root: Option<&'a ResolverRoot>,
    pub(crate) origin: Option<Origin>,
    pub(crate) context_values: &'a [String],
    pub(crate) primary_keys: &'a PrimaryKeys,
    pub(crate) default_by_record: bool,
    pub(crate) roles: &'a Roles,
}

impl<'a> Rules<'a> {
    /// Creates rules with this vocabulary, any context value, all primary keys, and no resolver
    /// root. Records do not choose the default answer.
    pub fn new(vocabulary: &'a Vocabulary) -> Rules<'a> {
        Rules {
            vocabulary,
            root: None,
            origin: None,
            context_values: &[],
            primary_keys: &PrimaryKeys::All,
            default_by_record: false,
            roles: &NO_ROLES,
        }
    }

    /// Refuses targets that are Digital Links below this root (RES-2.5.1-8), and reads anchors
    /// below it as its own paths.
    pub fn with_resolver_root(mut self, root: &'a ResolverRoot) -> Rules<'a> {
        self.origin = Origin::of(root.as_str());
        self.root = Some(root);
        self
    }

    /// Warns about context values other than these, ignoring letter case; with an empty list,
    /// nothing is declared and there are no warnings (RES-2.5.6-3).
    pub fn with_context_values(mut self, values: &'a [String]) -> Rules<'a> {
        self.context_values = values;
        self
    }

    /// Warns about anchors with other primary keys, because requests for them are refused
    /// (RES-2.1-3).
    pub fn with_primary_keys(mut self, keys: &'a PrimaryKeys) -> Rules<'a> {
        self.primary_keys = keys;
        self
    }

    /// Accepts these roles in `access` of links; without any, `access` is refused.
    pub fn with_roles(mut self, roles: &'a Roles) -> Rules<'a> {
        self.roles = roles;
        self
    }

    /// Accepts `defaultLinkType` in records if `allowed`; otherwise it is refused (RES-2.11-1).
    pub fn with_default_by_record(mut self, allowed: bool) -> Rules<'a> {
        self.default_by_record = allowed;
        self
    }
}

/// Of a resolver without `[[roles]]`.
static NO_ROLES: Roles = Roles::NONE;

/// A record that follows all rules of its level.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Accepted {
    /// The entry to store.
    pub entry: Entry,
    /// Warnings for the registrant.
    pub warnings: Vec<RecordFault>,
}

/// A record that breaks rules.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refused {
    /// Every fault, at least one.
    pub faults: Vec<RecordFault>,
    /// Warnings found in addition.
    pub warnings: Vec<RecordFault>,
}

impl fmt::Display for Refused {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, fault) in self.faults.iter().enumerate() {
            let line_end = if index == 0 { "" } else { "\n" };
            write!(f, "{line_end}{}: {fault} ({})", fault.pointer(), fault.id())?;
        }
        Ok(())
    }
}

impl std::error::Error for Refused {}

/// Returns whether the level always has a default link, that is, one without a window
/// (RES-2.5.9-1).
pub fn has_standing_default(entry: &Entry) -> bool {
    entry.contents().defaults().any(|link| !link.has_window())
}
