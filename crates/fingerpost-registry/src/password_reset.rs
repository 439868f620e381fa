//! Resets of forgotten passwords by mail, for users whose login is a mail address.
//!
//! A request is answered in the same way, and with the same work, for every address: it only puts a
//! row into the outbox. Whether somebody has the address is read when the mail is sent.

use fingerpost_store::View;
use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use crate::documents::{Document, load, remove, save};
use crate::events::about_user;
use crate::failures::Counters;
use crate::fault::Fault;
use crate::outbox::{Content, is_address, of_token, post};
use crate::secret::digest;
use crate::stored::{Index, StoredUser};
use crate::text::fold;
use crate::{Actor, Caller, ClientInfo, Registry, RegistryError, Secret, password, sessions};

/// A reset whose mail was sent. Its id is that of the user, so there is one at most.
#[derive(Clone, Serialize, Deserialize)]
pub(crate) struct StoredReset {
    /// SHA-256 of the secret.
    digest: String,
    expires: Timestamp,
    /// SHA-256 of the hash of the password that it replaces: another change ends the reset.
    password: String,
}

impl Document for StoredReset {
    const COLLECTION: &'static str = "resets";
}

impl StoredReset {
    pub(crate) fn new(secret: String, expires: Timestamp, password: Option<&str>) -> Self {
        Self { digest: secret, expires, password: digest(password.unwrap_or_default()) }
    }
}

impl Registry {
    /// Asks for a mail with a link by which the user of an address sets a new password. Nothing
    /// tells whether there is one. `origin`: that of the console, to which the link leads.
    ///
    /// Fails with [`RegistryError::Invalid`] for a text that is no address,
    /// [`RegistryError::Throttled`], [`RegistryError::TooLarge`] if too many mails wait, or an
    /// error of the store.
    pub fn request_password_reset(
        &self,
        address: &str,
        language: &str,
        origin: &str,
        client: &ClientInfo,
    ) -> Result<(), RegistryError> {
        if !is_address(address) {
            let detail = "address must be a mail address such as ada@example.org";
            return Err(RegistryError::invalid(vec![Fault::new("/address", "address", detail)]));
        }
        self.inner.throttle.mail()?;
        let network = client.network().map(|network| format!("{network:?}")).unwrap_or_default();
        let (inner, address) = (self.inner.clone(), address.to_owned());
        let (language, origin) = (language.to_owned(), origin.to_owned());
        self.inner.store.transact(move |tx| {
            let (now, lifetime) = (inner.now(), inner.options.reset_lifetime);
            let rates = Counters::of_mail(&fold(&address), &network);
            rates.check(tx, now)?;
            rates.count(tx, now)?;
            post(tx, Content::PasswordReset(address.clone()), (&language, &origin), now, lifetime)
        })
    }

    /// Sets the password of the user of a token, who asked for it by mail. All sessions of the user
    /// end, and the user's API keys are revoked; a second factor stays. Hashes the password.
    ///
    /// Fails with [`RegistryError::Invalid`], also for a token that is wrong, used, replaced or too
    /// old, or an error of the store.
    pub fn reset_password(
        &self,
        token: &Secret,
        new: &Secret,
        client: &ClientInfo,
    ) -> Result<(), RegistryError> {
        self.inner.store.view(|view| valid(view, token, self.inner.now()))?;
        password::check(new, "/password").map_err(|fault| RegistryError::invalid(vec![fault]))?;
        let hash = password::hash(new)?;
        let (inner, client, token) = (self.inner.clone(), client.clone(), token.clone());
        self.inner.store.transact(move |tx| {
            let mut stored = valid(tx, &token, inner.now())?;
            let id = stored.user.id;
            let caller = Caller {
                actor: Actor::User(id),
                name: stored.user.display_name().to_owned(),
                session: None,
                secret: None,
                client: client.clone(),
            };
            stored.password = Some(hash.clone());
            stored.own_password = true;
            stored.devices.clear();
            sessions::end_all(tx, &id, None)?;
            let revoked = inner.revoke_keys_of(tx, &caller, &id)?;
            remove::<StoredReset>(tx, id.as_str())?;
            save(tx, id.as_str(), &stored)?;
            let event = inner.event("user.passwordReset", &caller).detail("revokedKeys", revoked);
            tx.record(about_user(event, &stored.user))?;
            Ok(())
        })
    }
}

/// Returns the user of an address whose password can be reset: not one of another identity
/// provider, and not a disabled one.
pub(crate) fn user_to_reset(
    view: &View<'_>,
    address: &str,
) -> Result<Option<StoredUser>, RegistryError> {
    let Some(id) = Index::Login.find(view, &fold(address))? else { return Ok(None) };
    let stored: Option<StoredUser> = load(view, id.as_str())?;
    Ok(stored.filter(|stored| stored.federated.is_none() && !stored.user.disabled))
}

/// Returns the user of a token, if it is valid.
fn valid(view: &View<'_>, token: &Secret, now: Timestamp) -> Result<StoredUser, RegistryError> {
    let user = |id: &str| load::<StoredUser>(view, id).ok().flatten();
    let current = token.expose().split('_').nth(1).and_then(user);
    let current = current.filter(|stored| stored.federated.is_none() && !stored.user.disabled);
    let password =
        current.as_ref().map(|stored| digest(stored.password.as_deref().unwrap_or_default()));
    let digest_of = |reset: &StoredReset| {
        let is_open = reset.expires > now && password.as_ref() == Some(&reset.password);
        Some(reset.digest.clone()).filter(|_| is_open)
    };
    let (id, _) = of_token(view, "fpr", token, digest_of)?;
    current.filter(|stored| stored.user.id == id).ok_or(RegistryError::NotFound)
}
