//! Sessions of users: begun with a password or another identity provider; ended by timeout, by the
//! user, or with the account.

use fingerpost_store::{Transaction, View};
use jiff::Timestamp;

use crate::covered::note_use;
use crate::documents::{Document, load, remove, save};
use crate::limits::MAX_SESSIONS;
use crate::registry::{Context, Inner};
use crate::secret::{digest, same};
use crate::stored::{Index, StoredKey, StoredUser};
use crate::{
    Actor, Caller, ClientInfo, Id, Registry, RegistryError, Secret, Session, SignedIn, User,
};

/// Sessions to end.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SessionChoice {
    /// The one with this id.
    One(String),
    /// All except that of the caller.
    Others,
}

impl Registry {
    /// Returns the session of a token: the caller, and the data that the browser needs again.
    pub fn session(
        &self,
        token: &Secret,
        client: &ClientInfo,
    ) -> Result<(Caller, SignedIn), RegistryError> {
        let now = self.inner.now();
        let id = digest(token.expose());
        let seen = self.inner.usage.seen(&id);
        let signed_in = self.inner.store.view(|view| {
            let mut session: Session = load(view, &id)?.ok_or(RegistryError::Unauthenticated)?;
            session.seen = session.seen.max(seen.unwrap_or(session.seen));
            let stored: StoredUser =
                load(view, session.user.as_str())?.ok_or(RegistryError::Unauthenticated)?;
            if stored.user.disabled || !session.is_alive(now) {
                return Err(RegistryError::Unauthenticated);
            }
            Ok(SignedIn::new(session, stored.user, token.clone()))
        })?;
        self.inner.usage.session(&id, now);
        Ok((signed_in.caller(client), signed_in))
    }

    /// Ends a session. Does nothing if it has already ended.
    pub fn sign_out(&self, token: &Secret, client: &ClientInfo) -> Result<(), RegistryError> {
        let id = digest(token.expose());
        let inner = self.inner.clone();
        let client = client.clone();
        self.inner.store.transact(move |tx| {
            let Some(session) = load::<Session>(tx, &id)? else { return Ok(()) };
            end(tx, &session)?;
            let actor = Actor::User(session.user).to_string();
            tx.record(inner.event_of("session.ended", actor, "", &client))?;
            Ok(())
        })
    }

    /// Returns the sessions of the caller, if it is a user.
    pub fn sessions(&self, caller: &Caller) -> Result<Vec<Session>, RegistryError> {
        let now = self.inner.now();
        self.view_as(caller, |view, _| {
            let Actor::User(user) = &caller.actor else { return Ok(Vec::new()) };
            let mut sessions = sessions_of(view, user)?;
            for session in &mut sessions {
                session.seen =
                    session.seen.max(self.inner.usage.seen(&session.id).unwrap_or(session.seen));
            }
            sessions.retain(|session| session.is_alive(now));
            sessions.sort_by_key(|session| session.created);
            Ok(sessions)
        })
    }

    /// Ends a session of the caller, or all except the caller's own.
    ///
    /// Fails with [`RegistryError::NotFound`] for a session that is not the caller's,
    /// [`RegistryError::Unauthenticated`], or an error of the store.
    pub fn end_sessions(&self, caller: &Caller, which: SessionChoice) -> Result<(), RegistryError> {
        self.transact_as(caller, move |tx, &Context { inner, caller, .. }| {
            let Actor::User(user) = &caller.actor else { return Err(RegistryError::NotFound) };
            let mut sessions = sessions_of(tx, user)?;
            sessions.retain(|session| match &which {
                SessionChoice::One(id) => session.id == *id,
                SessionChoice::Others => caller.session.as_ref() != Some(&session.id),
            });
            if sessions.is_empty() && matches!(which, SessionChoice::One(_)) {
                return Err(RegistryError::NotFound);
            }
            for session in &sessions {
                end(tx, session)?;
                tx.record(inner.event("session.ended", caller))?;
            }
            Ok(())
        })
    }

    /// Saves when keys and sessions were last used. Call this about once a minute, and at the end;
    /// until then the times are kept in a bounded amount of memory.
    pub fn flush_usage(&self) -> Result<(), RegistryError> {
        let used = self.inner.usage.take();
        if used.keys.is_empty() && used.sessions.is_empty() {
            return Ok(());
        }
        self.inner.store.transact(move |tx| {
            for (id, at) in &used.keys {
                note_use(tx, StoredKey::COLLECTION, id.as_str(), *at)?;
            }
            for (id, at) in &used.sessions {
                note_use(tx, Session::COLLECTION, id, *at)?;
            }
            Ok::<_, RegistryError>(())
        })
    }
}

impl SignedIn {
    fn new(session: Session, user: User, token: Secret) -> SignedIn {
        // A one-way function of 256 random bits: the cookie cannot be computed from the page.
        let csrf = Secret::new(digest(&format!("csrf {}", token.expose())));
        SignedIn { session, user, token, csrf, device: None }
    }

    /// Returns whether this is the token that the page sends with changes, in constant time.
    pub fn csrf_is(&self, given: &str) -> bool {
        same(self.csrf.expose(), given)
    }

    /// Returns the caller of the session.
    pub fn caller(&self, client: &ClientInfo) -> Caller {
        Caller {
            actor: Actor::User(self.user.id),
            name: self.user.display_name().to_owned(),
            session: Some(self.session.id.clone()),
            secret: None,
            client: client.clone(),
        }
    }
}

/// Begins a session, and ends the oldest ones of a user who has too many.
pub(crate) fn begin(
    tx: &mut Transaction<'_>,
    stored: StoredUser,
    inner: &Inner,
    client: &ClientInfo,
) -> Result<SignedIn, RegistryError> {
    let now = inner.now();
    let limited = stored.lacks_second_factor(inner.options.require_second_factor);
    let lacks_terms = stored.lacks_terms(inner.options.terms.as_deref());
    let user = stored.user;
    let mut sessions = sessions_of(tx, &user.id)?;
    sessions.sort_by_key(|session| session.seen);
    let surplus = sessions.len().saturating_sub(MAX_SESSIONS - 1);
    for (index, session) in sessions.iter().enumerate() {
        if index < surplus || !session.is_alive(now) {
            end(tx, session)?;
        }
    }
    let token = Secret::new(format!("fps_{}", Secret::random()?.expose()));
    let expires = now.checked_add(inner.options.session_lifetime).unwrap_or(Timestamp::MAX);
    let session = Session {
        id: digest(token.expose()),
        user: user.id,
        created: now,
        seen: now,
        expires,
        idle_seconds: inner.options.session_idle.as_secs(),
        client: client.kind(),
        limited,
        lacks_terms,
    };
    save(tx, &session.id, &session)?;
    Index::SessionOf.insert(tx, &name_of(&session), user.id)?;
    Ok(SignedIn::new(session, user, token))
}

/// Ends all sessions of a user except one.
pub(crate) fn end_all(
    tx: &mut Transaction<'_>,
    user: &Id,
    except: Option<&str>,
) -> Result<(), RegistryError> {
    for session in sessions_of(tx, user)? {
        if except != Some(session.id.as_str()) {
            end(tx, &session)?;
        }
    }
    Ok(())
}

fn end(tx: &mut Transaction<'_>, session: &Session) -> Result<(), RegistryError> {
    Index::SessionOf.remove(tx, &name_of(session))?;
    remove::<Session>(tx, &session.id)?;
    Ok(())
}

fn sessions_of(view: &View<'_>, user: &Id) -> Result<Vec<Session>, RegistryError> {
    let prefix = format!("{user}:");
    let mut sessions = Vec::new();
    for name in Index::SessionOf.names(view, &prefix, MAX_SESSIONS + 1)? {
        let Some(id) = name.strip_prefix(&prefix) else { break };
        sessions.extend(load::<Session>(view, id)?);
    }
    Ok(sessions)
}

fn name_of(session: &Session) -> String {
    format!("{}:{}", session.user, session.id)
}
