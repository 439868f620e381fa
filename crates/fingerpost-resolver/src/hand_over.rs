//! Hands requests over to another resolver by their company prefix or the beginning of their path
//! (GS1-Conformant Resolver 1.2.0 section 2.8, RES-2.8-1 to -5).

use fingerpost_gs1::EntityKey;

use crate::Settings;
use crate::forward::forward;
use crate::request::EntityRequest;

/// The destination of a request that is handed over.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HandOver {
    key: EntityKey,
    location: String,
}

impl HandOver {
    /// Returns the hand-over that applies to a request, if any: in the order of
    /// [`Settings::patterns`], linkset requests included.
    ///
    /// It is called after validation and before anything is read (RES-2.8-1).
    pub(crate) fn of(
        settings: &Settings,
        request: &EntityRequest<'_>,
        query: Option<&[u8]>,
    ) -> Option<Self> {
        let key = request.entity();
        let mut patterns = settings.patterns_of(key).peekable();
        patterns.peek()?;
        let path = request.path();
        let target = patterns.find_map(|pattern| pattern.target(key, &path))?;
        Some(Self { key: key.clone(), location: forward(&target, query) })
    }

    /// Returns the entity that the request asks about.
    pub fn key(&self) -> &EntityKey {
        &self.key
    }

    /// Returns the address to redirect to, including the query.
    pub fn location(&self) -> &str {
        &self.location
    }

    /// Returns the value of the `Link` header, which exposes the same address (RES-2.8-2,
    /// RES-2.8-3, ER-18).
    pub fn handled_by_link(&self) -> String {
        // HTTP lets no `>` through, other callers may.
        format!("<{}>; rel=\"gs1:handledBy\"", self.location.replace('>', "%3E"))
    }
}
