//! Creates events for the audit log: actor, client and action; names and addresses are separate, so
//! they can be erased.

use fingerpost_store::{Event, Personal};
use serde_json::Value;

use crate::registry::Inner;
use crate::{Actor, Caller, ClientInfo, Id, Organisation, User};

impl Inner {
    /// Returns an event caused by a caller.
    pub(crate) fn event(&self, action: &'static str, caller: &Caller) -> Event {
        let event = self.event_of(action, caller.actor.to_string(), &caller.name, &caller.client);
        // The first secret is not noted, so that records of keys that were never rotated stay
        // small.
        match caller.secret {
            Some(secret) if secret > 1 => event.detail("secret", u64::from(secret)),
            _ => event,
        }
    }

    /// Returns an event caused by an actor.
    pub(crate) fn event_of(
        &self,
        action: &'static str,
        actor: String,
        name: &str,
        client: &ClientInfo,
    ) -> Event {
        let personal = Personal::new(
            Some(name.to_owned()).filter(|name| !name.is_empty()),
            client.address.map(|address| address.to_string()),
            client.user_agent.clone(),
        );
        Event::new(action, actor, self.now()).detail("via", client.via.as_str()).personal(personal)
    }
}

/// Adds the organisations that an event concerns, which makes it visible to their administrators.
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

/// Adds the roles and the state of a user to an event.
pub(crate) fn about_user(event: Event, user: &User) -> Event {
    let roles = serde_json::to_value(&user.memberships).unwrap_or_default();
    let event = event
        .subject(Actor::User(user.id).to_string())
        .detail("memberships", roles)
        .detail("disabled", user.disabled);
    // A role in the whole installation concerns no single organisation.
    let of_installation = user.memberships.iter().any(|one| one.organisation.is_none());
    let organisations = user.memberships.iter().filter_map(|one| one.organisation);
    concerning(event, organisations.filter(|_| !of_installation))
}

/// Returns the actor of attempts to sign in as a user: not the user, but erased with them.
pub(crate) fn attempts_on(id: &Id) -> String {
    format!("sign-in:{id}")
}

/// The detail with the change set of a write.
pub(crate) const CHANGE_SET: &str = "changeSet";

/// The detail with the ids of organisations.
pub(crate) const ORGANISATIONS: &str = "organisations";

/// Adds the properties of an organisation to an event.
pub(crate) fn about_organisation(event: Event, organisation: &Organisation) -> Event {
    let prefixes: Vec<String> = organisation.prefixes.iter().map(ToString::to_string).collect();
    let keys: Vec<String> = organisation.keys.iter().map(|key| format!("/{key}")).collect();
    let event = event
        .subject(organisation.id.as_str())
        .detail("prefixes", prefixes)
        .detail("keys", keys)
        .detail("approvalRequired", organisation.approval_required)
        .detail("regulated", organisation.regulated)
        .detail("targetHosts", organisation.target_hosts.clone())
        .detail("contextFromCountry", organisation.context_from_country)
        .detail("suspended", serde_json::to_value(&organisation.suspended).unwrap_or_default())
        .detail("brand", serde_json::to_value(&organisation.brand).unwrap_or_default())
        .detail("quotas", serde_json::to_value(organisation.quotas).unwrap_or_default());
    concerning(event, [organisation.id])
}
