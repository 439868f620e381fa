//! The second factor of local accounts: setting it up, turning it off, and its reset by an
//! administrator.

use fingerpost_store::View;

use crate::documents::{load, save};
use crate::events::about_user;
use crate::failures::Counters;
use crate::fault::Fault;
use crate::registry::Context;
use crate::rights::{Access, own_id};
use crate::stored::StoredUser;
use crate::totp::{Totp, uri};
use crate::{Caller, Id, Registry, RegistryError, Secret, Session, User, password, sessions};

/// A secret for an authenticator application, shown once.
#[derive(Clone, Debug)]
pub struct Enrolment {
    /// The secret in base 32, to be typed.
    pub secret: Secret,
    /// The same as an `otpauth:` URI, for a link or a QR code.
    pub uri: Secret,
}

impl Registry {
    /// Begins to set up a second factor for the caller. It has no effect until
    /// [`Registry::confirm_totp`].
    ///
    /// Fails with [`RegistryError::Unauthenticated`] if the password is wrong or the caller is not
    /// a user, [`RegistryError::Conflict`] if there is a second factor,
    /// [`RegistryError::Throttled`], or an error of the store.
    pub fn begin_totp(
        &self,
        caller: &Caller,
        password: &Secret,
    ) -> Result<Enrolment, RegistryError> {
        let id = self.check_own_password(caller, password)?.user.id;
        let registry = self.clone();
        let caller = caller.clone();
        self.inner.store.transact(move |tx| {
            let mut stored = registry.own(tx, &caller)?;
            if stored.totp.is_some() {
                let detail = "there is a second factor; turn it off first";
                return Err(RegistryError::Conflict(vec![Fault::new("", "totp", detail)]));
            }
            let pending = Totp::new()?;
            let secret = pending.text();
            let root = registry.inner.options.root.as_ref();
            let issuer = root.map_or("fingerpost", |root| root.host());
            let uri = uri(issuer, &stored.user.login, &secret);
            stored.pending_totp = Some(pending);
            save(tx, id.as_str(), &stored)?;
            let event = registry.inner.event("user.secondFactorBegun", &caller);
            tx.record(about_user(event, &stored.user))?;
            Ok(Enrolment { secret, uri })
        })
    }

    /// Sets up the second factor that was begun, if the code is right; returns recovery codes,
    /// which are shown once. All other sessions of the caller end.
    ///
    /// Fails with [`RegistryError::Invalid`] if the code is wrong, [`RegistryError::Conflict`] if
    /// nothing was begun, [`RegistryError::Throttled`], [`RegistryError::Unauthenticated`], or
    /// an error of the store.
    pub fn confirm_totp(
        &self,
        caller: &Caller,
        code: &Secret,
    ) -> Result<Vec<Secret>, RegistryError> {
        let id = own_id(caller)?;
        self.inner.throttle.code(&id, caller.session.as_deref())?;
        let wrong = Counters::of_code(&id, caller.session.as_deref());
        let registry = self.clone();
        let (caller, code) = (caller.clone(), code.clone());
        self.inner.store.transact(move |tx| {
            let now = registry.inner.now();
            let mut stored = registry.own(tx, &caller)?;
            wrong.check(tx, now)?;
            let Some(mut totp) = stored.pending_totp.take() else {
                let detail = "no second factor was begun";
                return Err(RegistryError::Conflict(vec![Fault::new("", "totp", detail)]));
            };
            if !totp.accepts_code(code.expose(), now) {
                wrong.count(tx, now)?; // kept, so the refusal is no error of the transaction
                let detail = "wrong code; check the clock of the device";
                return Ok(Err(RegistryError::invalid(vec![Fault::new("/code", "totp", detail)])));
            }
            let codes = totp.renew_recovery()?;
            stored.set_totp(Some(totp));
            save(tx, id.as_str(), &stored)?;
            sessions::end_all(tx, &id, caller.session.as_deref())?;
            if let Some(name) = &caller.session
                && let Some(mut session) = load::<Session>(tx, name)?
            {
                session.limited = false;
                save(tx, name, &session)?;
            }
            let event = registry.inner.event("user.secondFactorAdded", &caller);
            tx.record(about_user(event, &stored.user))?;
            Ok::<_, RegistryError>(Ok(codes))
        })?
    }

    /// Turns the second factor of the caller off.
    ///
    /// Fails with [`RegistryError::Unauthenticated`] if password or code are wrong,
    /// [`RegistryError::Conflict`] if there is none, or if the caller must have one,
    /// [`RegistryError::Throttled`], or an error of the store.
    pub fn remove_totp(
        &self,
        caller: &Caller,
        password: &Secret,
        code: &Secret,
    ) -> Result<(), RegistryError> {
        let id = self.check_own_password(caller, password)?.user.id;
        self.inner.throttle.code(&id, caller.session.as_deref())?;
        let wrong = Counters::of_code(&id, caller.session.as_deref());
        let registry = self.clone();
        let (caller, code) = (caller.clone(), code.clone());
        self.inner.store.transact(move |tx| {
            let now = registry.inner.now();
            let mut stored = registry.own(tx, &caller)?;
            wrong.check(tx, now)?;
            let conflict =
                |detail| Err(RegistryError::Conflict(vec![Fault::new("", "totp", detail)]));
            let Some(totp) = &mut stored.totp else { return conflict("there is no second factor") };
            if !totp.accepts(code.expose(), now) {
                wrong.count(tx, now)?;
                return Ok(Err(RegistryError::Unauthenticated));
            }
            stored.set_totp(None);
            if stored.lacks_second_factor(registry.inner.options.require_second_factor) {
                return conflict("administrators of this installation must have a second factor");
            }
            save(tx, id.as_str(), &stored)?;
            let event = registry.inner.event("user.secondFactorRemoved", &caller);
            tx.record(about_user(event, &stored.user))?;
            Ok::<_, RegistryError>(Ok(()))
        })?
    }

    /// Removes the second factor of another user, who lost the device and the recovery codes. All
    /// sessions of the user end.
    ///
    /// Fails with [`RegistryError::NotFound`] for a user unknown to the caller,
    /// [`RegistryError::Forbidden`] for one with roles elsewhere and for the caller's own, or
    /// an error of the store.
    pub fn reset_totp(&self, caller: &Caller, id: &Id) -> Result<User, RegistryError> {
        let id = *id;
        self.transact_as(caller, move |tx, &Context { inner, caller, access, .. }| {
            let mut stored = access.administered_user(tx, &id)?;
            access.check_resets_second_factor(&id)?;
            stored.set_totp(None);
            sessions::end_all(tx, &id, None)?;
            save(tx, id.as_str(), &stored)?;
            let event = inner.event("user.secondFactorReset", caller);
            tx.record(about_user(event, &stored.user))?;
            access.visible_part(stored.user).ok_or(RegistryError::NotFound)
        })
    }

    /// Checks the password of the caller, throttled; returns the caller's account.
    pub(crate) fn check_own_password(
        &self,
        caller: &Caller,
        password: &Secret,
    ) -> Result<StoredUser, RegistryError> {
        let id = own_id(caller)?;
        let wrong = Counters::of_own_password(&id);
        let read = |view: &View<'_>| {
            let stored = self.own(view, caller)?;
            Ok::<_, RegistryError>((stored, wrong.check(view, self.inner.now())))
        };
        let (stored, allowed) = self.inner.store.view(read)?;
        // Only who is signed in gets here, so that strangers cannot use up this rate.
        self.inner.throttle.attempt(id.as_str(), Some("signed in"), &caller.client)?;
        allowed?;
        if password::verify(password, stored.password.as_deref())? {
            return Ok(stored);
        }
        let inner = self.inner.clone();
        self.inner.store.transact(move |tx| wrong.count(tx, inner.now()))?;
        Err(RegistryError::Unauthenticated)
    }

    /// Returns the account of the caller.
    fn own(&self, view: &View<'_>, caller: &Caller) -> Result<StoredUser, RegistryError> {
        let id = own_id(caller)?;
        Access::of(view, caller, self.inner.now())?;
        load(view, id.as_str())?.ok_or(RegistryError::Unauthenticated)
    }
}
