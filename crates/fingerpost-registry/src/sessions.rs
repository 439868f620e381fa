//! Sessions of people: begun by a password or by another service that vouches, ended by time, by their owner, or with the account.

use fingerpost_store::{Transaction, View};
use jiff::Timestamp;

use crate::documents::{load, remove, save};
use crate::registry::Inner;
use crate::secret::{digest, same};
use crate::stored::{Index, StoredKey, StoredUser};
use crate::{Actor, Caller, Client, Id, Registry, RegistryError, Secret, Session, SignedIn, User};

impl Registry {
    /// Who a session token stands for: the caller, and what the browser is told again.
    ///
    /// # Errors
    ///
    /// [`RegistryError::Unauthenticated`] if the token stands for nobody any more, or an error of the store.
    pub fn session(
        &self,
        token: &Secret,
        client: &Client,
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

    /// Ends a session. One that is over already stays so.
    ///
    /// # Errors
    ///
    /// If the store cannot be written.
    pub fn sign_out(&self, token: &Secret, client: &Client) -> Result<(), RegistryError> {
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

    /// The sessions of the caller, if it is a person.
    ///
    /// # Errors
    ///
    /// [`RegistryError::Unauthenticated`], or an error of the store.
    pub fn sessions(&self, caller: &Caller) -> Result<Vec<Session>, RegistryError> {
        let now = self.inner.now();
        self.inner.store.view(|view| {
            crate::rights::Access::of(view, caller, now)?;
            let Actor::User(user) = &caller.actor else { return Ok(Vec::new()) };
            let sessions = sessions_of(view, user)?;
            Ok(sessions.into_iter().filter(|session| session.is_alive(now)).collect())
        })
    }

    /// Writes down when keys and sessions were used last. To be called about once a minute, and at the end; until then they are
    /// held in memory, of which a bounded amount is used.
    ///
    /// # Errors
    ///
    /// If the store cannot be written; what was noted is lost then.
    pub fn flush_usage(&self) -> Result<(), RegistryError> {
        let used = self.inner.usage.take();
        if used.keys.is_empty() && used.sessions.is_empty() {
            return Ok(());
        }
        self.inner.store.transact(move |tx| {
            for (id, at) in &used.keys {
                if let Some(mut stored) = load::<StoredKey>(tx, id.as_str())? {
                    stored.key.last_used = stored.key.last_used.max(Some(*at));
                    save(tx, id.as_str(), &stored)?;
                }
            }
            for (id, at) in &used.sessions {
                if let Some(mut session) = load::<Session>(tx, id)? {
                    session.seen = session.seen.max(*at);
                    save(tx, id, &session)?;
                }
            }
            Ok::<_, RegistryError>(())
        })
    }
}

impl SignedIn {
    fn new(session: Session, user: User, token: Secret) -> SignedIn {
        // A one-way function of 256 random bits: who has the page cannot work out the cookie.
        let csrf = Secret::new(digest(&format!("csrf {}", token.expose())));
        SignedIn { session, user, token, csrf }
    }

    /// Is this the token that the page sends along with changes? Takes as long whatever is given.
    #[must_use]
    pub fn csrf_is(&self, given: &str) -> bool {
        same(self.csrf.expose(), given)
    }

    /// The caller that the session stands for.
    #[must_use]
    pub fn caller(&self, client: &Client) -> Caller {
        Caller {
            actor: Actor::User(self.user.id),
            name: self.user.name.clone(),
            session: Some(self.session.id.clone()),
            client: client.clone(),
        }
    }
}

/// Begins a session, and ends the oldest ones of somebody who has too many.
pub(crate) fn begin(
    tx: &mut Transaction<'_>,
    user: User,
    inner: &Inner,
) -> Result<SignedIn, RegistryError> {
    let now = inner.now();
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
    };
    save(tx, &session.id, &session)?;
    Index::SessionOf.insert(tx, &name_of(&session), user.id)?;
    Ok(SignedIn::new(session, user, token))
}

/// Ends all sessions of a person, but for one.
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

/// Sessions of one person at a time.
const MAX_SESSIONS: usize = 20;
