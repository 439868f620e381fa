//! Who did something, and what the audit log says about a revision.

use fingerpost_store::{Revision, View};
use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use crate::{RegistryError, Via};

/// Who did something.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(from = "StoredAuthor")]
pub struct Author {
    /// The actor: `user:ID`, `key:ID`, `local:COMMAND` or `system`.
    pub actor: String,
    /// The name; absent if it was erased.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
}

/// The author of a stored proposal: proposals made by early builds hold only the actor.
#[derive(Deserialize)]
#[serde(untagged)]
enum StoredAuthor {
    Actor(String),
    Author { actor: String, name: Option<String> },
}

impl From<StoredAuthor> for Author {
    fn from(stored: StoredAuthor) -> Author {
        match stored {
            StoredAuthor::Actor(actor) => Author { actor, name: None },
            StoredAuthor::Author { actor, name } => Author { actor, name },
        }
    }
}

/// What the audit log says about a revision: the time, the author, and the way of the request.
#[derive(Clone, Debug, Default)]
pub(crate) struct Authorship {
    pub(crate) at: Option<Timestamp>,
    pub(crate) by: Option<Author>,
    pub(crate) via: Option<Via>,
}

/// Returns what the audit log says about a revision; nothing if it no longer has the record.
pub(crate) fn author(view: &View<'_>, revision: Revision) -> Result<Authorship, RegistryError> {
    let Some(record) = view.audit_of(revision)? else { return Ok(Authorship::default()) };
    let via = record.details().get("via").and_then(|via| Via::parse(via.as_str()?));
    let name = record.personal().and_then(|personal| personal.name()).map(str::to_owned);
    let by = Author { actor: record.actor().to_owned(), name };
    Ok(Authorship { at: Some(record.at()), by: Some(by), via })
}
