//! Hands requests over to another resolver by the beginning of their path (GS1-Conformant Resolver 1.2.0 section
//! 2.8, RES-2.8-1 to -5).

use fingerpost_gs1::EntityKey;

use crate::forward::{forward, push_visible};
use crate::request::EntityRequest;
use crate::{Pattern, Settings};

/// The destination of a request that is handed over.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HandOver {
    key: EntityKey,
    location: String,
    /// Where the query begins in `location`.
    path_end: usize,
}

impl HandOver {
    /// Returns the hand-over that applies to a request, if any: longest prefix first, linkset requests included.
    ///
    /// It is called after validation and before anything is read (RES-2.8-1).
    pub(crate) fn of(
        settings: &Settings,
        request: &EntityRequest<'_>,
        query: Option<&[u8]>,
    ) -> Option<Self> {
        let key = request.entity();
        let begins = |pattern: &&Pattern| key.as_str().starts_with(pattern.prefix());
        let pattern = settings.patterns().iter().find(begins)?;
        let path = request.path();
        let mut target = String::with_capacity(pattern.target_root().len() + path.len());
        target.push_str(pattern.target_root());
        push_visible(&mut target, &path);
        let path_end = target.len();
        Some(Self { key: key.clone(), location: forward(&target, query), path_end })
    }

    /// Returns the entity that the request asks about.
    #[must_use]
    pub fn key(&self) -> &EntityKey {
        &self.key
    }

    /// Returns the address to redirect to, including the query.
    #[must_use]
    pub fn location(&self) -> &str {
        &self.location
    }

    /// Returns the address of the same entity at the other resolver, without the query.
    #[must_use]
    pub fn target(&self) -> &str {
        &self.location[..self.path_end]
    }

    /// Returns the value of the `Link` header that names the resolver responsible (RES-2.8-2, RES-2.8-3, ER-18).
    #[must_use]
    pub fn handled_by_link(&self) -> String {
        format!("<{}>; rel=\"gs1:handledBy\"", self.target())
    }
}
