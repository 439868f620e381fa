//! Roles: who may see links besides everyone (an extension of GS1-Conformant Resolver 1.2.0; its
//! RES-2.5.7-1 leaves room for members of links).
//!
//! [`Viewer::see`] is the only definition of visibility. What a viewer may not see is taken out of
//! an entry before anything decides about it, so that no answer, count or page depends on it. The
//! store reads entries for the public by [`Entry::decode_public`], which returns the same without
//! reading the rest.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

use serde::Deserialize;

use crate::entry::{Entry, Link};
use crate::fault::shown;
use crate::limits::{MAX_ROLE_BYTES, MAX_ROLES};

/// One entry of `roles`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RoleParts {
    /// Name, as in `access` of links: lower-case letters, digits and `-`, beginning with a letter.
    pub name: String,
    /// Title for people, by language.
    #[serde(default)]
    pub title: BTreeMap<String, String>,
}

/// The roles that an operator declares, in their order.
///
/// ```
/// use fingerpost_resolver::{RoleParts, Roles};
///
/// let part = |name: &str| RoleParts { name: name.into(), ..RoleParts::default() };
/// let roles = Roles::new(vec![part("recycler"), part("authority")])?;
/// assert!(roles.contains("authority") && !roles.contains("Authority"));
/// assert!(Roles::new(vec![part("recycler"), part("recycler")]).is_err());
/// # Ok::<(), fingerpost_resolver::RoleError>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Roles(Vec<RoleParts>);

impl Roles {
    /// No roles: every link is for everyone.
    pub const NONE: Roles = Roles(Vec::new());

    /// Checks the names.
    ///
    /// # Errors
    ///
    /// Returns the first name that is malformed or declared twice, and an error for too many.
    pub fn new(parts: Vec<RoleParts>) -> Result<Self, RoleError> {
        if parts.len() > MAX_ROLES {
            return Err(RoleError(format!(
                "expected at most {MAX_ROLES} roles, found {}",
                parts.len()
            )));
        }
        let mut roles = Self::default();
        for parts in parts {
            let name = &parts.name;
            if !is_role_name(name) {
                return Err(RoleError(format!(
                    "expected a name of at most {MAX_ROLE_BYTES} lower-case letters, digits and \
                     \"-\" that begins with a letter, found {}",
                    shown(name)
                )));
            }
            if roles.contains(name) {
                return Err(RoleError(format!("expected each role once, found {name:?} again")));
            }
            roles.0.push(parts);
        }
        Ok(roles)
    }

    /// Returns whether a role of this name is declared.
    pub fn contains(&self, name: &str) -> bool {
        self.0.iter().any(|role| role.name == name)
    }

    /// Returns whether no role is declared.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Returns the roles in their order.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = &RoleParts> {
        self.0.iter()
    }

    /// Returns the names of all roles for an error: `one of recycler, authority`.
    pub fn known(&self) -> String {
        if self.is_empty() {
            return "no access, because this resolver has no roles (`[[roles]]`)".to_owned();
        }
        let names: Vec<_> = self.iter().map(|role| &*role.name).collect();
        format!("one of the roles {}", names.join(", "))
    }
}

/// An error for roles that cannot be declared.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RoleError(String);

impl fmt::Display for RoleError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for RoleError {}

fn is_role_name(name: &str) -> bool {
    let is_part = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-';
    name.len() <= MAX_ROLE_BYTES
        && name.as_bytes().first().is_some_and(u8::is_ascii_lowercase)
        && name.bytes().all(is_part)
}

/// Whom an answer is for: the public, or someone who has proven roles.
///
/// ```
/// use fingerpost_resolver::Viewer;
///
/// assert!(Viewer::PUBLIC.is_public());
/// assert!(!Viewer::with_roles(["recycler"]).is_public());
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Viewer {
    roles: Vec<String>,
}

impl Viewer {
    /// Someone who has proven nothing.
    pub const PUBLIC: Viewer = Viewer { roles: Vec::new() };

    /// Creates a viewer with proven roles.
    pub fn with_roles<R: Into<String>>(roles: impl IntoIterator<Item = R>) -> Self {
        Self { roles: roles.into_iter().map(Into::into).collect() }
    }

    /// Returns whether no role is proven.
    #[inline]
    pub fn is_public(&self) -> bool {
        self.roles.is_empty()
    }

    /// Returns the proven roles.
    pub fn roles(&self) -> &[String] {
        &self.roles
    }

    /// Returns what the viewer sees of an entry: without the links that are for other roles. `None`
    /// if that leaves no link; the level then answers as if nothing were registered there.
    pub fn see(&self, entry: &Arc<Entry>) -> Option<Arc<Entry>> {
        if !entry.has_access() {
            return Some(Arc::clone(entry));
        }
        let seen = entry.contents().select(|link| self.sees(link));
        let is_any = !seen.rows.is_empty();
        is_any.then(|| Arc::new(Entry::new(entry.anchor().clone(), seen)))
    }

    fn sees(&self, link: Link<'_>) -> bool {
        !link.has_access() || link.access().any(|role| self.roles.iter().any(|own| own == role))
    }
}
