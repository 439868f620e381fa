//! What a caller may do at all, checked before what it needs is read. Each operation checks everything again in its transaction.

use crate::approval::owners_if_decidable;
use crate::documents::load;
use crate::key_end::may_rotate;
use crate::proposals::Proposal;
use crate::rights::Access;
use crate::stored::{StoredKey, StoredUser};
use crate::users::shown;
use crate::{Actor, Caller, Denial, Id, Registry, RegistryError, Verb, organisations};

/// An operation that needs a document.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Operation {
    /// [`Registry::explain`].
    Explain,
    /// [`Registry::create_organisation`].
    CreateOrganisation,
    /// [`Registry::update_organisation`].
    UpdateOrganisation(Id),
    /// [`Registry::create_key`].
    CreateKey,
    /// [`Registry::rotate_key`].
    RotateKey(Id),
    /// [`Registry::create_user`].
    CreateUser,
    /// [`Registry::update_user`].
    UpdateUser(Id),
    /// [`Registry::reject`].
    Reject(Id),
    /// A change of the caller's own password or second factor.
    OwnAccount,
}

impl Registry {
    /// Checks that the caller may do an operation with some document: before reading it.
    ///
    /// Fails with [`RegistryError::Unauthenticated`], [`RegistryError::Forbidden`], [`RegistryError::NotFound`], or an error of the store.
    pub fn require(&self, caller: &Caller, operation: Operation) -> Result<(), RegistryError> {
        let now = self.inner.now();
        let may = |may: bool| if may { Ok(()) } else { Err(Denial::Operation.into()) };
        let is_user = matches!(caller.actor, Actor::User(_));
        self.inner.store.view(|view| {
            let access = Access::of(view, caller, now)?;
            match operation {
                Operation::Explain => access.anywhere(Verb::Read),
                Operation::CreateOrganisation => may(access.in_installation(Verb::Admin)),
                Operation::UpdateOrganisation(id) => {
                    organisations::find(view, &access, &id)?;
                    may(access.in_organisation(Verb::Admin, &id))
                }
                Operation::CreateKey => may(is_user || access.is_admin_somewhere()),
                Operation::RotateKey(id) => {
                    let stored: Option<StoredKey> = load(view, id.as_str())?;
                    may_rotate(&access, caller, &stored.ok_or(RegistryError::NotFound)?)
                }
                Operation::CreateUser => may(access.is_admin_somewhere()),
                Operation::UpdateUser(id) => {
                    let stored: Option<StoredUser> = load(view, id.as_str())?;
                    let shown = stored.and_then(|stored| shown(&access, stored.user));
                    shown.ok_or(RegistryError::NotFound)?;
                    may(access.is_admin_somewhere())
                }
                Operation::Reject(id) => {
                    let proposal = Proposal::outline(view, &access, &id)?;
                    owners_if_decidable(view, &access, &proposal).map(|_| ())
                }
                Operation::OwnAccount if is_user => Ok(()),
                Operation::OwnAccount => Err(RegistryError::Unauthenticated),
            }
        })
    }
}
