//! Makes the mails of the outbox when they are sent.

use fingerpost_store::{Transaction, View};
use jiff::Timestamp;

use crate::documents::{load, load_page, remove, save};
use crate::events::{about_user, attempts_on};
use crate::invitations::{StoredInvitation, concerning_invitation};
use crate::limits::{FIRST_MAIL_PAUSE, MAX_MAIL_PAUSE};
use crate::outbox::{Content, Outgoing};
use crate::password_reset::{StoredReset, user_to_reset};
use crate::registry::Inner;
use crate::secret::digest;
use crate::{ClientInfo, Id, Organisation, Registry, RegistryError, Secret, Via};

/// A mail to send now.
#[derive(Clone, Debug)]
pub struct Letter {
    /// The id, for [`Registry::letter_sent`].
    pub id: Id,
    /// The address to send it to.
    pub to: String,
    /// The wanted language, as a tag; can be empty or unknown.
    pub language: String,
    /// The subject.
    pub about: LetterSubject,
    /// The link in it. It lets its reader in.
    pub link: Secret,
    /// When the link ends.
    pub expires: Timestamp,
}

/// The subject of a mail.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LetterSubject {
    /// An invitation to an organisation; `None` for the whole installation.
    Invitation(Option<String>),
    /// A reset of the password.
    PasswordReset,
}

impl Registry {
    /// Returns a mail that is to be sent now, if there is one. It is returned again after a while
    /// unless [`Registry::letter_sent`] is called, until its link ends.
    pub fn next_letter(&self) -> Result<Option<Letter>, RegistryError> {
        while let Some(id) = self.inner.store.view(|view| due(view, self.inner.now()))? {
            let inner = self.inner.clone();
            let letter = self.inner.store.transact(move |tx| prepare(tx, &inner, &id))?;
            if letter.is_some() {
                return Ok(letter);
            }
        }
        Ok(None)
    }

    /// Removes a mail that was sent.
    pub fn letter_sent(&self, id: &Id) -> Result<(), RegistryError> {
        let id = *id;
        self.inner.store.transact(move |tx| remove::<Outgoing>(tx, id.as_str()).map(drop))
    }
}

/// Returns the first mail that is due.
fn due(view: &View<'_>, now: Timestamp) -> Result<Option<Id>, RegistryError> {
    let mut after: Option<String> = None;
    loop {
        let page = load_page::<Outgoing>(view, after.as_deref(), AT_ONCE)?;
        let Some((last, _)) = page.last() else { return Ok(None) };
        after = Some(last.clone());
        if let Some((id, _)) = page.iter().find(|(_, outgoing)| outgoing.due <= now) {
            return Ok(Id::parse(id));
        }
    }
}

/// Makes the link of a mail that is due, and notes when it is sent again; removes one that is no
/// longer worth sending. Another node may have been faster.
fn prepare(
    tx: &mut Transaction<'_>,
    inner: &Inner,
    id: &Id,
) -> Result<Option<Letter>, RegistryError> {
    let now = inner.now();
    let Some(mut outgoing) = load::<Outgoing>(tx, id.as_str())?.filter(|it| it.due <= now) else {
        return Ok(None);
    };
    let written = match outgoing.expires > now {
        true => match &outgoing.content {
            Content::Invitation(id) => invitation(tx, inner, id)?,
            Content::PasswordReset(address) => reset(tx, inner, address)?,
        },
        false => None,
    };
    let Some((to, about, token, expires)) = written else {
        remove::<Outgoing>(tx, id.as_str())?;
        return Ok(None);
    };
    let pause = FIRST_MAIL_PAUSE * 2_i32.saturating_pow(outgoing.attempts.min(DOUBLINGS));
    let pause = pause.min(MAX_MAIL_PAUSE);
    outgoing.attempts = outgoing.attempts.saturating_add(1);
    outgoing.due = now.checked_add(pause).unwrap_or(Timestamp::MAX);
    save(tx, id.as_str(), &outgoing)?;
    let page = match about {
        LetterSubject::Invitation(_) => "invitation",
        LetterSubject::PasswordReset => "reset",
    };
    let link = Secret::new(format!("{}/console/#/{page}/{}", outgoing.origin, token.expose()));
    Ok(Some(Letter { id: *id, to, language: outgoing.language, about, link, expires }))
}

/// The address, the subject, the token and its end.
type Written = Option<(String, LetterSubject, Secret, Timestamp)>;

fn invitation(tx: &mut Transaction<'_>, inner: &Inner, id: &Id) -> Result<Written, RegistryError> {
    let Some(mut stored) = load::<StoredInvitation>(tx, id.as_str())? else { return Ok(None) };
    let organisation = match stored.invitation.membership.organisation {
        Some(id) => match load::<Organisation>(tx, id.as_str())? {
            Some(organisation) => Some(organisation.name),
            None => return Ok(None),
        },
        None => None,
    };
    let (token, digest) = make("fpi", id)?;
    stored.digest = Some(digest);
    stored.invitation.sent = Some(inner.now());
    save(tx, id.as_str(), &stored)?;
    let event =
        inner.event_of("invitation.sent", "mail".to_owned(), "", &ClientInfo::new(Via::Console));
    tx.record(concerning_invitation(event, &stored.invitation))?;
    let invitation = stored.invitation;
    let about = LetterSubject::Invitation(organisation);
    Ok(Some((invitation.address, about, token, invitation.expires)))
}

fn reset(tx: &mut Transaction<'_>, inner: &Inner, address: &str) -> Result<Written, RegistryError> {
    let Some(stored) = user_to_reset(tx, address)? else { return Ok(None) };
    let id = stored.user.id;
    let (token, digest) = make("fpr", &id)?;
    let expires = inner.now().checked_add(inner.options.reset_lifetime);
    let expires = expires.unwrap_or(Timestamp::MAX);
    save(tx, id.as_str(), &StoredReset::new(digest, expires, stored.password.as_deref()))?;
    let client = ClientInfo::new(Via::Console);
    let event = inner.event_of("user.resetMailed", attempts_on(&id), "", &client);
    tx.record(about_user(event, &stored.user))?;
    Ok(Some((stored.user.login, LetterSubject::PasswordReset, token, expires)))
}

/// Makes a token, and the digest of its secret.
fn make(kind: &str, id: &Id) -> Result<(Secret, String), RegistryError> {
    let secret = Secret::random()?;
    let token = Secret::new(format!("{kind}_{id}_{}", secret.expose()));
    Ok((token, digest(secret.expose())))
}

/// Doublings of the pause, which is at its longest then.
const DOUBLINGS: u32 = 10;

/// Number of mails read at once.
const AT_ONCE: usize = 500;
