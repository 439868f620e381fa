//! The registry's own documents in the store: JSON, by collection and id. Earlier releases ignore
//! members that a later release adds.

use fingerpost_store::{Transaction, View};
use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::covered::cover;
use crate::pages::Loaded;
use crate::{Id, RegistryError};

mod held;

pub(crate) use held::{Held, Quantity};

/// A value that is stored as a document.
pub(crate) trait Document: Serialize + DeserializeOwned {
    /// The collection of the document.
    const COLLECTION: &'static str;

    /// As what the documents of this collection count in the use of organisations, if they count.
    const COUNTS_AS: Option<Quantity> = None;

    /// Returns the organisations in whose use this document counts.
    fn counts_in(&self) -> Vec<Id> {
        Vec::new()
    }
}

/// Loads the document with an id.
pub(crate) fn load<D: Document>(view: &View<'_>, id: &str) -> Result<Option<D>, RegistryError> {
    let found = view.document(D::COLLECTION, id)?;
    found.map(|bytes| read(id, &bytes)).transpose()
}

/// Loads at most `limit` documents after the id `after`, in the order of their ids.
pub(crate) fn load_page<D: Document>(
    view: &View<'_>,
    after: Option<&str>,
    limit: usize,
) -> Result<Vec<(String, D)>, RegistryError> {
    let found = view.documents(D::COLLECTION, after, limit)?;
    found.into_iter().map(|(id, bytes)| read(&id, &bytes).map(|document| (id, document))).collect()
}

/// Number of documents loaded at once.
const LOADED_AT_ONCE: usize = 500;

/// Visits all documents, in the order of their ids.
pub(crate) fn each<D: Document>(
    view: &View<'_>,
    mut visit: impl FnMut(D) -> Result<(), RegistryError>,
) -> Result<(), RegistryError> {
    let mut after: Option<String> = None;
    loop {
        let found = load_page::<D>(view, after.as_deref(), LOADED_AT_ONCE)?;
        let Some((last, _)) = found.last() else { return Ok(()) };
        after = Some(last.clone());
        for (_, document) in found {
            visit(document)?;
        }
    }
}

/// As [`load_page`], with the size of each document.
pub(crate) fn load_sized<D: Document>(
    view: &View<'_>,
    after: Option<&str>,
    limit: usize,
) -> Result<Vec<Loaded<D>>, RegistryError> {
    let found = view.documents(D::COLLECTION, after, limit)?;
    let found = found.into_iter().map(|(id, bytes)| {
        let document = read(&id, &bytes)?;
        Ok(Loaded { id, bytes: bytes.len(), document })
    });
    found.collect()
}

/// Loads the document with an id, with its size.
pub(crate) fn load_one_sized<D: Document>(
    view: &View<'_>,
    id: &str,
) -> Result<Option<Loaded<D>>, RegistryError> {
    let Some(bytes) = view.document(D::COLLECTION, id)? else { return Ok(None) };
    let document = read(id, &bytes)?;
    Ok(Some(Loaded { id: id.to_owned(), bytes: bytes.len(), document }))
}

/// Saves a document, replacing any existing one, and counts it in the use of organisations.
pub(crate) fn save<D: Document>(
    tx: &mut Transaction<'_>,
    id: &str,
    document: &D,
) -> Result<(), RegistryError> {
    // Serialization fails only for maps whose keys are not text, and documents have none.
    let bytes = serde_json::to_vec(document)
        .map_err(|_| RegistryError::Damaged { collection: D::COLLECTION, id: id.to_owned() })?;
    count(tx, id, Some(document))?;
    cover(tx, D::COLLECTION, id, Some(&bytes))?;
    Ok(tx.put_document(D::COLLECTION, id, &bytes)?)
}

/// Deletes a document; returns whether it existed.
pub(crate) fn remove<D: Document>(
    tx: &mut Transaction<'_>,
    id: &str,
) -> Result<bool, RegistryError> {
    count::<D>(tx, id, None)?;
    let existed = tx.delete_document(D::COLLECTION, id)?;
    if existed {
        cover(tx, D::COLLECTION, id, None)?;
    }
    Ok(existed)
}

/// Counts the change from the stored document to another one, or to none.
fn count<D: Document>(
    tx: &mut Transaction<'_>,
    id: &str,
    after: Option<&D>,
) -> Result<(), RegistryError> {
    let Some(quantity) = D::COUNTS_AS else { return Ok(()) };
    let before = load::<D>(tx, id)?.map_or_else(Vec::new, |before| before.counts_in());
    let after = after.map_or_else(Vec::new, D::counts_in);
    for gone in before.iter().filter(|id| !after.contains(id)) {
        held::change(tx, gone, quantity, |number| number.saturating_sub(1))?;
    }
    for new in after.iter().filter(|id| !before.contains(id)) {
        held::change(tx, new, quantity, |number| number + 1)?;
    }
    Ok(())
}

fn read<D: Document>(id: &str, bytes: &[u8]) -> Result<D, RegistryError> {
    serde_json::from_slice(bytes)
        .map_err(|_| RegistryError::Damaged { collection: D::COLLECTION, id: id.to_owned() })
}
