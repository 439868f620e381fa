//! Handing requests over to another resolver by the beginning of their path
//! (GS1-Conformant Resolver 1.2.0 section 2.8, RES-2.8-1 to -5).

use fingerpost_gs1::EntityKey;

use crate::forward::{forward, push_visible};
use crate::request::EntityRequest;
use crate::{Pattern, Settings};

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
