//! Stores the answers to idempotent requests for a day, in the transaction of the first request.

use data_encoding::HEXLOWER;
use fingerpost_store::{Transaction, View};
use jiff::{SignedDuration, Timestamp};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use crate::documents::{Document, load, load_page, remove, save};
use crate::{Caller, Id, Idempotency, RegistryError};

/// The stored answer to a request.
#[derive(Serialize, Deserialize)]
struct RememberedAnswer {
    fingerprint: String,
    answer: serde_json::Value,
}

impl Document for RememberedAnswer {
    const COLLECTION: &'static str = "idempotency";
}

/// The expiry of an answer. The id begins with the time, so the oldest come first.
#[derive(Serialize, Deserialize)]
struct Expiry {
    at: Timestamp,
    answer: String,
}

impl Document for Expiry {
    const COLLECTION: &'static str = "idempotencyExpiry";
}

/// Returns the answer to an earlier request that was the same.
pub(crate) fn recall<A: DeserializeOwned>(
    view: &View<'_>,
    caller: &Caller,
    request: Option<&Idempotency>,
) -> Result<Option<A>, RegistryError> {
    let Some(request) = request else { return Ok(None) };
    let name = name(caller, request);
    let Some(found) = load::<RememberedAnswer>(view, &name)? else { return Ok(None) };
    if found.fingerprint != HEXLOWER.encode(&request.fingerprint) {
        return Err(RegistryError::IdempotencyReused);
    }
    let answer = serde_json::from_value(found.answer);
    answer.map(Some).map_err(|_| damaged(&name))
}

/// Returns the document with the answer to an earlier request.
pub(crate) fn document(
    caller: &Caller,
    request: Option<&Idempotency>,
) -> Option<(&'static str, String)> {
    request.map(|request| (RememberedAnswer::COLLECTION, name(caller, request)))
}

/// Stores the answer, and deletes a few old ones.
pub(crate) fn remember<A: Serialize>(
    tx: &mut Transaction<'_>,
    caller: &Caller,
    request: Option<&Idempotency>,
    now: Timestamp,
    answer: &A,
) -> Result<(), RegistryError> {
    let Some(request) = request else { return Ok(()) };
    let name = name(caller, request);
    for (id, expiry) in load_page::<Expiry>(tx, None, FORGOTTEN_AT_ONCE)? {
        if expiry.at > now {
            break;
        }
        remove::<RememberedAnswer>(tx, &expiry.answer)?;
        remove::<Expiry>(tx, &id)?;
    }
    let answer = serde_json::to_value(answer).map_err(|_| damaged(&name))?;
    save(
        tx,
        &name,
        &RememberedAnswer { fingerprint: HEXLOWER.encode(&request.fingerprint), answer },
    )?;
    let at = now.checked_add(KEPT).unwrap_or(Timestamp::MAX);
    save(tx, Id::random().as_str(), &Expiry { at, answer: name })
}

/// Returns the document name of an idempotency key. It includes the caller, so callers cannot guess
/// or hit the keys of others.
fn name(caller: &Caller, request: &Idempotency) -> String {
    let hash = Sha256::new()
        .chain_update(caller.actor.to_string())
        .chain_update([0])
        .chain_update(&request.key);
    HEXLOWER.encode(&hash.finalize())
}

fn damaged(id: &str) -> RegistryError {
    RegistryError::Damaged { collection: RememberedAnswer::COLLECTION, id: id.to_owned() }
}

/// How long answers are stored.
const KEPT: SignedDuration = SignedDuration::from_hours(24);

/// Number of old answers deleted with each new one: more than one, so they do not accumulate.
const FORGOTTEN_AT_ONCE: usize = 3;
