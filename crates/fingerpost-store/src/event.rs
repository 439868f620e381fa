//! Events: the actor, the action and the time of an audit record.

use std::borrow::Cow;
use std::fmt;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// An event, stored as one record of the audit chain.
///
/// The content of an event is permanent: put no secrets in it. Personal data other than the id in
/// `actor` belongs in [`Personal`], which can be erased.
///
/// ```
/// use fingerpost_store::{Event, Personal};
///
/// let at = "2026-01-05T10:00:00Z".parse()?;
/// let event = Event::new("links.write", "user:01jq", at)
///     .subject("01/09506000134352")
///     .detail("via", "console")
///     .personal(Personal::new(Some("Ada".into()), Some("192.0.2.7".into()), None));
/// assert_eq!(event.actor(), "user:01jq");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, PartialEq, Debug)]
pub struct Event {
    pub(crate) at: Timestamp,
    pub(crate) action: Cow<'static, str>,
    pub(crate) actor: String,
    pub(crate) subject: Option<String>,
    pub(crate) details: Map<String, Value>,
    pub(crate) personal: Option<Personal>,
}

impl Event {
    /// Creates an event from its action (`links.write`, `key.created`), its actor
    /// (`user:…`, `key:…`, `local:import`, `system`) and its time. A time before that of the last
    /// record is replaced by that time.
    pub fn new(
        action: impl Into<Cow<'static, str>>,
        actor: impl Into<String>,
        at: Timestamp,
    ) -> Self {
        Self {
            at,
            action: action.into(),
            actor: actor.into(),
            subject: None,
            details: Map::new(),
            personal: None,
        }
    }

    /// Sets the subject, such as a level or the id of a key.
    pub fn subject(mut self, subject: impl Into<String>) -> Self {
        self.subject = Some(subject.into());
        self
    }

    /// Adds a detail.
    pub fn detail(mut self, name: impl Into<String>, value: impl Into<Value>) -> Self {
        self.details.insert(name.into(), value.into());
        self
    }

    /// Sets the personal data.
    pub fn personal(mut self, personal: Personal) -> Self {
        self.personal = Some(personal).filter(|personal| !personal.is_empty());
        self
    }

    /// Returns the actor.
    pub fn actor(&self) -> &str {
        &self.actor
    }

    /// Returns the action.
    pub fn action(&self) -> &str {
        &self.action
    }

    /// Returns the time.
    pub fn at(&self) -> Timestamp {
        self.at
    }
}

/// The personal data of an event. It is stored beside the audit chain, which holds only a salted
/// hash of it; so it can be erased while the chain stays verifiable.
#[derive(Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct Personal {
    /// The name.
    #[serde(skip_serializing_if = "Option::is_none")]
    name: Option<String>,
    /// The client address.
    #[serde(skip_serializing_if = "Option::is_none")]
    address: Option<String>,
    /// The `User-Agent` of the client.
    #[serde(rename = "userAgent", skip_serializing_if = "Option::is_none")]
    user_agent: Option<String>,
}

impl Personal {
    /// Creates personal data from a user's name, their network address, and the user agent.
    pub fn new(name: Option<String>, address: Option<String>, user_agent: Option<String>) -> Self {
        Self { name, address, user_agent }
    }

    /// Returns the name.
    pub fn name(&self) -> Option<&str> {
        self.name.as_deref()
    }

    /// Returns the network address.
    pub fn address(&self) -> Option<&str> {
        self.address.as_deref()
    }

    /// Returns the user agent.
    pub fn user_agent(&self) -> Option<&str> {
        self.user_agent.as_deref()
    }

    /// Returns whether all fields are empty.
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }
}

impl fmt::Debug for Personal {
    /// Hides the content: debug output ends in logs, from which nobody erases it.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Personal(..)")
    }
}

/// The time of a record for which the caller gives none.
#[expect(
    clippy::disallowed_methods,
    reason = "is the time of a record, which no decision about links depends on"
)]
pub(crate) fn now() -> Timestamp {
    Timestamp::now()
}
