//! Rehearsals: a registry in another store that judges changes as this one does, for dry runs that need many transactions.
//!
//! The other store gets what judges a change: organisations with their prefixes, single keys and quotas, the use that quotas are
//! checked against, and the accounts that the permissions of one caller come from. Levels are for the user of the rehearsal to copy.

use std::sync::Arc;

use fingerpost_store::{Store, View};

use crate::documents::{Document, Held, load};
use crate::stored::{Index, StoredKey, StoredUser};
use crate::{Actor, Caller, Organisation, Registry, RegistryError, Session};

/// Number of documents copied in one transaction.
const AT_ONCE: usize = 500;

impl Registry {
    /// Returns a registry with the same rules on an empty `store`, in which `caller` has the permissions that it has in this one.
    /// Current permissions and quotas are copied; what is changed in either registry later does not show in the other.
    ///
    /// # Errors
    ///
    /// [`RegistryError::Unauthenticated`], or an error of either store.
    pub fn rehearsal(&self, store: Arc<Store>, caller: &Caller) -> Result<Registry, RegistryError> {
        let own = self.inner.store.view(|view| accounts(view, caller))?;
        copy(&store, &own)?;
        let collections = [
            Organisation::COLLECTION,
            Held::COLLECTION,
            Index::Prefix.collection(),
            Index::Owned.collection(),
        ];
        for collection in collections {
            let mut after = None;
            loop {
                let page = self
                    .inner
                    .store
                    .view(|view| view.documents(collection, after.as_deref(), AT_ONCE))?;
                let Some((last, _)) = page.last() else { break };
                after = Some(last.clone());
                let page: Vec<Copied> =
                    page.into_iter().map(|(id, bytes)| (collection, id, bytes)).collect();
                copy(&store, &page)?;
            }
        }
        Ok(Registry::new(store, self.inner.options.clone()))
    }
}

/// A document as it is stored, with its collection and id.
type Copied = (&'static str, String, Vec<u8>);

/// Returns the documents that the permissions of a caller come from.
fn accounts(view: &View<'_>, caller: &Caller) -> Result<Vec<Copied>, RegistryError> {
    let mut found = Vec::new();
    let mut take = |collection, id: &str| -> Result<(), RegistryError> {
        let bytes = view.document(collection, id)?.ok_or(RegistryError::Unauthenticated)?;
        found.push((collection, id.to_owned(), bytes));
        Ok(())
    };
    match caller.actor() {
        Actor::Local(_) => {}
        Actor::Key(id) => {
            take(StoredKey::COLLECTION, id.as_str())?;
            let stored: Option<StoredKey> = load(view, id.as_str())?;
            if let Some(user) = stored.and_then(|stored| stored.key.user) {
                take(StoredUser::COLLECTION, user.as_str())?;
            }
        }
        Actor::User(id) => {
            take(StoredUser::COLLECTION, id.as_str())?;
            let session = caller.session_id().ok_or(RegistryError::Unauthenticated)?;
            take(Session::COLLECTION, session)?;
        }
    }
    Ok(found)
}

fn copy(store: &Store, documents: &[Copied]) -> Result<(), RegistryError> {
    store.transact_alone(|tx| {
        documents
            .iter()
            .try_for_each(|(collection, id, bytes)| Ok(tx.put_document(collection, id, bytes)?))
    })
}
