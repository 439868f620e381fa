//! The documents that the audit log covers: accounts, keys, sessions, invitations and proposals by
//! digests in the records of their changes, indexes by comparison with these.
//!
//! The digest of a document is SHA-256 over a salt of 16 random bytes and its JSON. Erasing a user
//! deletes the document and the salt, so nobody can guess the content from the log. When a key or a
//! session was last used is not part of the digest: it changes without a record.

use fingerpost_store::{StoreError, Transaction, View};
use jiff::Timestamp;
use serde_json::Value;
use sha2::{Digest, Sha256};

use crate::RegistryError;

/// The collections with digests, and the member of their documents that changes without a record.
pub(crate) const COVERED: [(&str, Option<&str>); 8] = [
    ("organisations", None),
    ("users", None),
    ("keys", Some("lastUsed")),
    ("sessions", Some("seen")),
    ("invitations", None),
    ("resets", None),
    ("proposals", None),
    ("proposalChanges", None),
];

/// The collection of salts; the id of a salt is collection and id of its document.
const SALTS: &str = "salts";
const SALT: usize = 16;

/// Covers a document that is saved with these bytes, or deleted.
pub(crate) fn cover(
    tx: &mut Transaction<'_>,
    collection: &str,
    id: &str,
    bytes: Option<&[u8]>,
) -> Result<(), RegistryError> {
    let Some(unrecorded) = unrecorded(collection) else { return Ok(()) };
    let name = format!("{collection}/{id}");
    let Some(bytes) = bytes else {
        tx.delete_document(SALTS, &name)?;
        tx.cover_document(collection, id, None);
        return Ok(());
    };
    let salt = match tx.document(SALTS, &name)? {
        Some(salt) => salt,
        None => {
            let mut salt = vec![0; SALT];
            getrandom::fill(&mut salt).map_err(|_| RegistryError::NoRandomness)?;
            tx.put_document(SALTS, &name, &salt)?;
            salt
        }
    };
    tx.cover_document(collection, id, Some(digest(&salt, bytes, unrecorded)));
    Ok(())
}

/// Notes when a key or a session was used, without a record. Nothing else in the document changes,
/// so its digest stays.
pub(crate) fn note_use(
    tx: &mut Transaction<'_>,
    collection: &'static str,
    id: &str,
    at: Timestamp,
) -> Result<(), RegistryError> {
    let Some(bytes) = tx.document(collection, id)? else { return Ok(()) };
    let damaged = || RegistryError::Damaged { collection, id: id.to_owned() };
    let mut value: Value = serde_json::from_slice(&bytes).map_err(|_| damaged())?;
    let member = unrecorded(collection).flatten().ok_or_else(damaged)?;
    let noted = value.get(member).and_then(Value::as_str).and_then(|text| text.parse().ok());
    if noted.is_none_or(|noted: Timestamp| noted < at) {
        value[member] = Value::from(at.to_string());
        tx.put_document(collection, id, value.to_string().as_bytes())?;
    }
    Ok(())
}

/// Returns the member of a collection's documents that changes without a record, if the collection
/// is covered.
fn unrecorded(collection: &str) -> Option<Option<&'static str>> {
    COVERED.iter().find(|(covered, _)| *covered == collection).map(|(_, unrecorded)| *unrecorded)
}

fn digest(salt: &[u8], bytes: &[u8], unrecorded: Option<&str>) -> [u8; 32] {
    let hasher = Sha256::new().chain_update(salt);
    let Some(member) = unrecorded else { return hasher.chain_update(bytes).finalize().into() };
    let mut value: Value = serde_json::from_slice(bytes).unwrap_or_default();
    if let Some(members) = value.as_object_mut() {
        members.remove(member);
    }
    hasher.chain_update(value.to_string()).finalize().into()
}

/// Returns the digest of a document as it is stored, if its collection is covered.
pub(crate) fn stored_digest(
    view: &View<'_>,
    collection: &str,
    id: &str,
    value: &[u8],
) -> Result<Option<[u8; 32]>, StoreError> {
    let Some(unrecorded) = unrecorded(collection) else { return Ok(None) };
    let salt = view.document(SALTS, &format!("{collection}/{id}"))?.unwrap_or_default();
    Ok(Some(digest(&salt, value, unrecorded)))
}
