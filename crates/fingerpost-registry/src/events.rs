//! What is told to the audit log: who, from where, and what; names and addresses apart, so that they can be erased.

use fingerpost_store::{Event, Personal};
use serde_json::Value;

use crate::registry::Inner;
use crate::{Caller, Client, Id};

impl Inner {
    /// An event that a caller causes.
    pub(crate) fn event(&self, action: &'static str, caller: &Caller) -> Event {
        self.event_of(action, caller.actor.to_string(), &caller.name, &caller.client)
    }

    /// An event that somebody causes.
    pub(crate) fn event_of(
        &self,
        action: &'static str,
        actor: String,
        name: &str,
        client: &Client,
    ) -> Event {
        let personal = Personal::new(
            Some(name.to_owned()).filter(|name| !name.is_empty()),
            client.address.map(|address| address.to_string()),
            client.user_agent.clone(),
        );
        Event::new(action, actor, self.now()).detail("via", client.via.as_str()).personal(personal)
    }
}

/// Tells which organisations an event concerns, so that their administrators see it.
pub(crate) fn concerning(event: Event, organisations: impl IntoIterator<Item = Id>) -> Event {
    let mut ids: Vec<Id> = organisations.into_iter().collect();
    ids.sort_unstable();
    ids.dedup();
    if ids.is_empty() {
        return event;
    }
    let ids: Vec<Value> = ids.iter().map(|id| Value::from(id.as_str())).collect();
    event.detail(ORGANISATIONS, ids)
}

/// The detail that names organisations.
pub(crate) const ORGANISATIONS: &str = "organisations";
