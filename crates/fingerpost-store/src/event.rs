//! What happened, by whom and when: what an audit record is made of.

use std::borrow::Cow;
use std::fmt;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// Something that happened, to be kept as one record of the audit chain.
///
/// The content of an event is permanent: no secret belongs in it, and personal data beyond the id in
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
    /// An event: what was done (`links.write`, `key.created`), by whom (`user:…`, `key:…`, `local:import`,
    /// `system`), and when. A time before that of the last record counts as that.
    #[must_use]
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

    /// What it was done to, such as a level or the id of a key.
    #[must_use]
    pub fn subject(mut self, subject: impl Into<String>) -> Self {
        self.subject = Some(subject.into());
        self
    }

    /// Something else worth knowing.
    #[must_use]
    pub fn detail(mut self, name: impl Into<String>, value: impl Into<Value>) -> Self {
        self.details.insert(name.into(), value.into());
        self
    }

    /// Returns personal data.
    #[must_use]
    pub fn personal(mut self, personal: Personal) -> Self {
        self.personal = Some(personal).filter(|personal| !personal.is_empty());
        self
    }

    /// Who did it.
    #[must_use]
    pub fn actor(&self) -> &str {
        &self.actor
    }

    /// What was done.
    #[must_use]
    pub fn action(&self) -> &str {
        &self.action
    }

    /// When it was done.
    #[must_use]
    pub fn at(&self) -> Timestamp {
        self.at
    }
}

/// The personal data of an event. It is kept beside the audit chain, which holds only a salted hash of it,
/// so that it can be erased while the chain stays verifiable.
#[derive(Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Personal {
    #[serde(skip_serializing_if = "Option::is_none")]
    name: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    address: Option<String>,
    #[serde(rename = "userAgent", skip_serializing_if = "Option::is_none")]
    user_agent: Option<String>,
}

impl Personal {
    /// A person's name, the network address they came from, and what their program calls itself.
    #[must_use]
    pub fn new(name: Option<String>, address: Option<String>, user_agent: Option<String>) -> Self {
        Self { name, address, user_agent }
    }

    /// The name.
    #[must_use]
    pub fn name(&self) -> Option<&str> {
        self.name.as_deref()
    }

    /// The network address.
    #[must_use]
    pub fn address(&self) -> Option<&str> {
        self.address.as_deref()
    }

    /// What the program calls itself.
    #[must_use]
    pub fn user_agent(&self) -> Option<&str> {
        self.user_agent.as_deref()
    }

    /// Whether nothing is told.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }
}

impl fmt::Debug for Personal {
    /// Tells nothing: debug output ends in logs, which nobody erases.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Personal(..)")
    }
}

/// The time of a record that no caller gives one.
#[expect(
    clippy::disallowed_methods,
    reason = "says when a record was made, which no decision about links depends on"
)]
pub(crate) fn now() -> Timestamp {
    Timestamp::now()
}
