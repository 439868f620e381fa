//! The registry's own documents in the store: JSON, by collection and id. Earlier releases ignore members that a later release
//! adds.

use fingerpost_store::{Transaction, View};
use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::RegistryError;

/// A value that is stored as a document.
pub(crate) trait Document: Serialize + DeserializeOwned {
    /// The collection of the document.
    const COLLECTION: &'static str;
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

/// Saves a document, replacing any existing one.
pub(crate) fn save<D: Document>(
    tx: &mut Transaction<'_>,
    id: &str,
    document: &D,
) -> Result<(), RegistryError> {
    // Serialization fails only for maps whose keys are not text, and documents have none.
    let bytes = serde_json::to_vec(document)
        .map_err(|_| RegistryError::Damaged { collection: D::COLLECTION, id: id.to_owned() })?;
    Ok(tx.put_document(D::COLLECTION, id, &bytes)?)
}

/// Deletes a document; returns whether it existed.
pub(crate) fn remove<D: Document>(
    tx: &mut Transaction<'_>,
    id: &str,
) -> Result<bool, RegistryError> {
    Ok(tx.delete_document(D::COLLECTION, id)?)
}

fn read<D: Document>(id: &str, bytes: &[u8]) -> Result<D, RegistryError> {
    serde_json::from_slice(bytes)
        .map_err(|_| RegistryError::Damaged { collection: D::COLLECTION, id: id.to_owned() })
}
