//! Verifies and checks a store with the accounts in it: documents by the digests in the audit log,
//! indexes by the accounts that they name.

use fingerpost_store::{
    AuditHead, AuditRecord, AuditReport, CheckDocument, DocumentCheck, Expected, FsckReport, Store,
    StoreError, View,
};

use crate::covered::{COVERED, cover, stored_digest};
use crate::documents::{Document, load};
use crate::stored::{Index, StoredUser};
use crate::text::fold;
use crate::{Id, Organisation, Proposal, Registry, RegistryError};

/// Number of documents that one transaction covers.
const COVERED_AT_ONCE: usize = 200;

/// Number of audit records read at once.
const RECORDS_AT_ONCE: usize = 1000;

impl Registry {
    /// Covers the documents of a store of an earlier release by the audit log, once. Later calls
    /// find that done.
    pub fn cover_documents(&self) -> Result<(), RegistryError> {
        if is_complete(&self.inner.store)? {
            return Ok(());
        }
        for (collection, _) in COVERED {
            let mut after: Option<String> = None;
            loop {
                let from = after.clone();
                after = self.inner.store.transact(move |tx| {
                    let page = tx.documents(collection, from.as_deref(), COVERED_AT_ONCE)?;
                    for (id, bytes) in &page {
                        cover(tx, collection, id, Some(bytes))?;
                    }
                    if !page.is_empty() {
                        tx.cover_all(false)?;
                    }
                    Ok::<_, RegistryError>(page.into_iter().next_back().map(|(id, _)| id))
                })?;
                if after.is_none() {
                    break;
                }
            }
        }
        self.inner.store.transact(|tx| tx.cover_all(true))?;
        Ok(())
    }
}

/// Returns whether the log covers all documents already.
fn is_complete(store: &Store) -> Result<bool, StoreError> {
    let mut from = 1;
    loop {
        let page = store.view(|view| view.audit_from(from, RECORDS_AT_ONCE))?;
        if page.iter().any(AuditRecord::covers_all_documents) {
            return Ok(true);
        }
        let Some(last) = page.last() else { return Ok(false) };
        from = last.seq() + 1;
    }
}

/// Verifies the audit log, and with it history, levels, accounts, keys, sessions and proposals; see
/// [`Store::verify_against`].
///
/// Fails if the store cannot be read; faults are in the report.
pub fn verify(store: &Store, heads: &[AuditHead]) -> Result<AuditReport, StoreError> {
    let check: &CheckDocument<'_> = &check;
    store.verify_against(Expected { heads, document: Some(check) })
}

/// Checks a whole store, with everything that [`verify`] verifies.
///
/// Fails if the store cannot be read; faults are in the report.
pub fn fsck(store: &Store) -> Result<FsckReport, StoreError> {
    let check: &CheckDocument<'_> = &check;
    store.fsck_against(Expected { heads: &[], document: Some(check) })
}

pub(crate) fn check(
    view: &View<'_>,
    collection: &str,
    id: &str,
    value: &[u8],
) -> Result<DocumentCheck, StoreError> {
    if let Some(digest) = stored_digest(view, collection, id, value)? {
        return Ok(DocumentCheck::Digest(digest));
    }
    let Some(index) = Index::of(collection) else { return Ok(DocumentCheck::NotCovered) };
    let owner = std::str::from_utf8(value).ok().and_then(Id::parse);
    let is_right = match owner.map(|owner| agrees(view, index, id, &owner)) {
        Some(Ok(is_right)) => is_right,
        Some(Err(RegistryError::Store(error))) => return Err(error),
        Some(Err(_)) | None => false,
    };
    Ok(match is_right {
        true => DocumentCheck::NotCovered,
        false => DocumentCheck::Fault(format!(
            "document {collection}/{id}: it does not agree with the account that it names"
        )),
    })
}

/// Returns whether the owner of an entry of an index has the name.
fn agrees(view: &View<'_>, index: Index, name: &str, owner: &Id) -> Result<bool, RegistryError> {
    fn owner_has<D: Document>(
        view: &View<'_>,
        owner: &Id,
        has: impl FnOnce(D) -> bool,
    ) -> Result<bool, RegistryError> {
        Ok(load::<D>(view, owner.as_str())?.is_some_and(has))
    }
    match index {
        Index::Login => owner_has(view, owner, |user: StoredUser| fold(&user.user.login) == name),
        Index::Federated => {
            owner_has(view, owner, |user: StoredUser| user.federated.as_deref() == Some(name))
        }
        Index::Prefix => owner_has(view, owner, |organisation: Organisation| {
            organisation.prefixes.iter().any(|prefix| prefix.as_str() == name)
        }),
        Index::Owned => owner_has(view, owner, |organisation: Organisation| {
            organisation.keys.iter().any(|key| key.as_str() == name)
        }),
        Index::SessionOf => Ok(name.starts_with(&format!("{owner}:"))),
        Index::ProposalOf => owner_has(view, owner, |proposal: Proposal| {
            proposal.organisations.iter().any(|one| format!("{one}:{}", proposal.id) == name)
        }),
    }
}
