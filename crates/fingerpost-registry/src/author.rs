//! Who did something, and what the audit log says about a revision.

use fingerpost_store::{Revision, View};
use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use crate::documents::load;
use crate::events::CHANGE_SET;
use crate::stored::{StoredKey, StoredUser};
use crate::{Actor, RegistryError, Via};

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
    /// Who proposed the change, if `by` approved it.
    pub(crate) proposed_by: Option<Author>,
    /// The change set that the revision belongs to.
    pub(crate) change_set: Option<Revision>,
}

/// Returns what the audit log says about a revision; nothing if it no longer has the record.
pub(crate) fn author(view: &View<'_>, revision: Revision) -> Result<Authorship, RegistryError> {
    let Some(record) = view.audit_of(revision)? else { return Ok(Authorship::default()) };
    let via = record.details().get("via").and_then(|via| Via::parse(via.as_str()?));
    let name = record.personal().and_then(|personal| personal.name()).map(str::to_owned);
    let by = Author { actor: record.actor().to_owned(), name };
    let proposer = record.details().get("proposedBy").and_then(|actor| actor.as_str());
    let proposed_by = proposer.map(|actor| {
        let name = name_of(view, actor)?;
        Ok::<_, RegistryError>(Author { actor: actor.to_owned(), name })
    });
    let proposed_by = proposed_by.transpose()?;
    let change_set = record.details().get(CHANGE_SET).and_then(|set| set.as_u64());
    let change_set = change_set.map(Revision::new);
    Ok(Authorship { at: Some(record.at()), by: Some(by), via, proposed_by, change_set })
}

/// Returns the present name of an actor; none if it was erased.
pub(crate) fn name_of(view: &View<'_>, actor: &str) -> Result<Option<String>, RegistryError> {
    Ok(match Actor::parse(actor) {
        Some(Actor::User(id)) => load::<StoredUser>(view, id.as_str())?
            .map(|stored| stored.user.display_name().to_owned()),
        Some(Actor::Key(id)) => {
            load::<StoredKey>(view, id.as_str())?.map(|stored| stored.key.label)
        }
        Some(Actor::Local(_)) | None => None,
    })
}
