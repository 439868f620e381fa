//! Signed links: a user who may change a level can make a link to it that proves roles, with an end
//! of life. It is not stored; the audit log notes who made it, for whom and until when, never the
//! link.

use fingerpost_gs1::EntityKey;
use fingerpost_resolver::{Anchor, SIGNED_ACCESS, Settings};
use jiff::{SignedDuration, Timestamp};
use serde::{Deserialize, Serialize};

use crate::events::concerning;
use crate::fault::Fault;
use crate::limits::{MAX_DAYS, MAX_SIGNED_ROLES};
use crate::registry::Context;
use crate::roles::Verb;
use crate::{Caller, Registry, RegistryError, ownership};

/// A signed link to make.
#[derive(Clone, Debug, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
pub struct NewSignedLink {
    /// The level as a path. The link is for requests of exactly this key.
    #[cfg_attr(feature = "schema", schema(example = "/01/09506000134352/21/7"))]
    pub key: String,
    /// The roles that the link proves.
    #[cfg_attr(
        feature = "schema",
        schema(min_items = 1, max_items = 16, example = json!(["recycler"]))
    )]
    pub roles: Vec<String>,
    /// When it ends (RFC 3339), at most 366 days from now.
    #[cfg_attr(feature = "schema", schema(value_type = String, format = DateTime))]
    pub until: Timestamp,
}

/// A signed link.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct SignedLink {
    /// The address. Everyone who has it sees what the roles may see, so treat it like a password.
    pub href: String,
    /// The roles that it proves.
    pub roles: Vec<String>,
    /// When it ends.
    #[cfg_attr(feature = "schema", schema(value_type = String, format = DateTime))]
    pub until: Timestamp,
}

impl Registry {
    /// Makes a signed link with the secrets of `settings`.
    ///
    /// Fails with [`RegistryError::Invalid`] for a key, roles or a time that cannot be used; with
    /// [`RegistryError::Forbidden`] unless the caller may change both the level and the key above
    /// it, whose links it shows too; with [`RegistryError::Conflict`] without secrets; or an error
    /// of the store.
    pub fn sign_link(
        &self,
        caller: &Caller,
        settings: &Settings,
        new: &NewSignedLink,
    ) -> Result<SignedLink, RegistryError> {
        let level = Anchor::parse(&new.key).ok();
        let key = level.as_ref().and_then(Anchor::entity).cloned().ok_or_else(|| {
            invalid("/key", "expected one key such as /01/09506000134352/21/7, found another text")
        })?;
        let link = match settings.signing_secrets().is_empty() {
            true => None,
            false => self.signed(settings, &key, new)?,
        };
        self.transact_as(caller, move |tx, &Context { inner, caller, access, .. }| {
            let level = Anchor::from(&key);
            access.on_level(tx, Verb::Write, &level)?;
            let above = EntityKey::from_canonical(key.key_level()).unwrap_or_else(|| key.clone());
            access.on_level(tx, Verb::Write, &Anchor::from(&above))?;
            let Some(link) = &link else {
                let detail = "signed links are not configured; the operator can set signed_links.secret_file";
                return Err(RegistryError::Conflict(vec![Fault::new("", "signed-link", detail)]));
            };
            let event = inner
                .event("link.signed", caller)
                .subject(format!("/{key}"))
                .detail("roles", link.roles.clone())
                .detail("until", link.until.to_string());
            tx.record(concerning(event, ownership::owner(tx, &level)?))?;
            Ok(link.clone())
        })
    }

    /// Returns the link to a key, if there is a secret and its roles and end can be used.
    fn signed(
        &self,
        settings: &Settings,
        key: &EntityKey,
        new: &NewSignedLink,
    ) -> Result<Option<SignedLink>, RegistryError> {
        if new.roles.is_empty() || new.roles.len() > MAX_SIGNED_ROLES {
            let found = new.roles.len();
            let detail = format!("expected 1 to {MAX_SIGNED_ROLES} roles, found {found}");
            return Err(invalid("/roles", detail));
        }
        if let Some(role) = new.roles.iter().find(|role| !settings.roles().contains(role)) {
            let detail = format!("expected {}, found {role:?}", settings.roles().known());
            return Err(invalid("/roles", detail));
        }
        let now = self.now();
        let days = i64::try_from(MAX_DAYS).unwrap_or(i64::MAX);
        let latest = now.saturating_add(SignedDuration::from_hours(days.saturating_mul(24)));
        if new.until <= now || latest.is_ok_and(|latest| new.until > latest) {
            let detail = format!("expected an instant within {days} days, found {}", new.until);
            return Err(invalid("/until", detail));
        }
        let until = Timestamp::from_second(new.until.as_second()).unwrap_or(new.until);
        let proof = settings.signing_secrets().sign(key, &new.roles, until);
        Ok(proof.map(|proof| SignedLink {
            href: format!("{}/{key}?{SIGNED_ACCESS}={proof}", settings.root().as_str()),
            roles: new.roles.clone(),
            until,
        }))
    }
}

fn invalid(pointer: &str, detail: impl Into<String>) -> RegistryError {
    RegistryError::invalid(vec![Fault::new(pointer, "signed-link", detail.into())])
}
