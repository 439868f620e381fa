//! Mails that wait to be sent, and the links in them: invitations and password resets.
//!
//! A mail is a row of the outbox until it was sent, so a process that is killed loses none; it can
//! send one twice. The secret of a link is made when its mail is sent, and only its digest is
//! stored: what waits contains no secret, and of several mails only the last one has a valid link.
//!
//! ```text
//! token = ( "fpi_" / "fpr_" ) id "_" 43 of base64url   ; 256 random bits; of an invitation, of a user
//! ```

use fingerpost_store::{Transaction, View};
use jiff::{SignedDuration, Timestamp};
use serde::{Deserialize, Serialize};

use crate::documents::{Document, load, save};
use crate::fault::Fault;
use crate::limits::{MAX_ADDRESS_BYTES, MAX_LANGUAGE_BYTES, MAX_OUTBOX};
use crate::secret::{digest, same};
use crate::{Id, RegistryError, Secret};

/// A mail that waits.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Outgoing {
    pub(crate) content: Content,
    pub(crate) language: String,
    /// The origin of the console, to which the link leads.
    pub(crate) origin: String,
    /// When it is sent, or sent again.
    pub(crate) due: Timestamp,
    /// When it is no longer worth sending.
    pub(crate) expires: Timestamp,
    pub(crate) attempts: u32,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) enum Content {
    Invitation(Id),
    /// To an address, which may be nobody's: who asked cannot tell.
    PasswordReset(String),
}

impl Document for Outgoing {
    const COLLECTION: &'static str = "outbox";
}

/// Puts a mail into the outbox. A language that is no tag counts as none.
pub(crate) fn post(
    tx: &mut Transaction<'_>,
    content: Content,
    (language, origin): (&str, &str),
    now: Timestamp,
    lifetime: SignedDuration,
) -> Result<(), RegistryError> {
    let is_tag = |text: &str| text.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-');
    let is_tag = language.len() <= MAX_LANGUAGE_BYTES && is_tag(language);
    if tx.documents(Outgoing::COLLECTION, None, MAX_OUTBOX)?.len() >= MAX_OUTBOX {
        return Err(RegistryError::TooLarge { what: "mails that wait", limit: MAX_OUTBOX as u64 });
    }
    let outgoing = Outgoing {
        content,
        language: if is_tag { language.to_owned() } else { String::new() },
        origin: origin.to_owned(),
        due: now,
        expires: now.checked_add(lifetime).unwrap_or(Timestamp::MAX),
        attempts: 0,
    };
    save(tx, Id::random().as_str(), &outgoing)
}

/// Returns the document of a token, if its secret is right. `digest_of` returns the digest of the
/// document if its link has not ended.
pub(crate) fn of_token<D: Document>(
    view: &View<'_>,
    kind: &str,
    token: &Secret,
    digest_of: impl Fn(&D) -> Option<String>,
) -> Result<(Id, D), RegistryError> {
    let parts = token.expose().strip_prefix(kind).and_then(|rest| rest.strip_prefix('_'));
    let parts = parts.and_then(|rest| rest.split_once('_'));
    let (id, secret) = parts.unwrap_or_default();
    let id = Id::parse(id).ok_or_else(ended)?;
    let stored = load::<D>(view, id.as_str())?.ok_or_else(ended)?;
    match digest_of(&stored).is_some_and(|expected| same(&expected, &digest(secret))) {
        true => Ok((id, stored)),
        false => Err(ended()),
    }
}

/// Returns the error of a link that is wrong, used, replaced or too old: the same for all of them.
fn ended() -> RegistryError {
    let detail = "this link is not valid any more; ask for a new one";
    RegistryError::invalid(vec![Fault::new("/token", "token", detail)])
}

/// Returns whether a text can be sent mail to: a login that is an address, in ASCII (RFC 5321,
/// section 4.1.2, without quoted names).
pub(crate) fn is_address(text: &str) -> bool {
    let is_local =
        |byte: u8| byte.is_ascii_alphanumeric() || b".!#$%&'*+/=?^_`{|}~-".contains(&byte);
    let is_label = |label: &str| {
        !label.is_empty() && label.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-')
    };
    let Some((local, domain)) = text.split_once('@') else { return false };
    text.len() <= MAX_ADDRESS_BYTES
        && !local.is_empty()
        && local.bytes().all(is_local)
        && domain.split('.').all(is_label)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_have_no_characters_of_headers() {
        for (text, expected) in [
            ("ada@example.org", true),
            ("ada+x@localhost", true),
            ("ada", false),
            ("@example.org", false),
            ("ada@", false),
            ("ada@example..org", false),
            ("a@b@c", false),
            ("ada@example.org\r\nBcc: b@c", false),
            ("ada <a@example.org>", false),
            ("\u{e9}@example.org", false),
        ] {
            assert_eq!(is_address(text), expected, "{text:?}");
        }
        assert!(!is_address(&format!("{}@example.org", "a".repeat(300))));
    }
}
