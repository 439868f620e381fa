//! The registry's own documents in the store: JSON, by collection and id. Members that a later release adds are ignored by an
//! earlier one.

use fingerpost_store::{Transaction, View};
use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::RegistryError;

/// Something that is kept as a document.
pub(crate) trait Document: Serialize + DeserializeOwned {
    /// The collection it is in.
    const COLLECTION: &'static str;
}

/// The document with an id.
pub(crate) fn load<D: Document>(view: &View<'_>, id: &str) -> Result<Option<D>, RegistryError> {
    let found = view.document(D::COLLECTION, id)?;
    found.map(|bytes| read(id, &bytes)).transpose()
}

/// At most `limit` documents in the order of their ids, those after `after`.
pub(crate) fn load_page<D: Document>(
    view: &View<'_>,
    after: Option<&str>,
    limit: usize,
) -> Result<Vec<(String, D)>, RegistryError> {
    let found = view.documents(D::COLLECTION, after, limit)?;
    found.into_iter().map(|(id, bytes)| read(&id, &bytes).map(|document| (id, document))).collect()
}

/// Keeps a document, in place of what is there.
pub(crate) fn save<D: Document>(
    tx: &mut Transaction<'_>,
    id: &str,
    document: &D,
) -> Result<(), RegistryError> {
    // Only maps with keys that are not text cannot be written, and documents have none.
    let bytes = serde_json::to_vec(document)
        .map_err(|_| RegistryError::Damaged { collection: D::COLLECTION, id: id.to_owned() })?;
    Ok(tx.put_document(D::COLLECTION, id, &bytes)?)
}

/// Removes a document; whether it was there.
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
