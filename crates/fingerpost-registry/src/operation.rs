//! The permissions that an operation needs whatever its document says, checked before the document
//! is read. They are the checks that the operation repeats in its transaction.

use crate::proposals::Proposal;
use crate::rights::own_id;
use crate::{Caller, Id, Registry, RegistryError, Verb};

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
    /// [`Registry::create_user`] or [`Registry::invite`].
    CreateUser,
    /// [`Registry::update_user`].
    UpdateUser(Id),
    /// [`Registry::suspend`].
    Suspend(Id),
    /// [`Registry::reject`].
    Reject(Id),
    /// [`Registry::create_webhook`], or a change of a webhook.
    Webhook,
    /// [`Registry::sign_link`].
    SignLink,
    /// A change of the caller's own password or second factor, or the acceptance of terms.
    OwnAccount,
}

impl Registry {
    /// Checks that the caller has permission for an operation with some document, before the
    /// document is read.
    ///
    /// Fails with [`RegistryError::Unauthenticated`], [`RegistryError::Forbidden`],
    /// [`RegistryError::NotFound`], or an error of the store.
    pub fn require(&self, caller: &Caller, operation: Operation) -> Result<(), RegistryError> {
        self.view_as(caller, |view, access| match operation {
            Operation::Explain => access.anywhere(Verb::Read),
            Operation::CreateOrganisation => access.check_installation(Verb::Admin),
            Operation::UpdateOrganisation(id) => {
                access.administered_organisation(view, &id).map(drop)
            }
            Operation::CreateKey => access.check_has_keys(caller),
            Operation::RotateKey(id) => access.rotatable_key(view, caller, &id).map(drop),
            Operation::CreateUser | Operation::Webhook => access.anywhere(Verb::Admin),
            Operation::UpdateUser(id) => access.user(view, &id).map(drop),
            Operation::Suspend(id) => {
                access.organisation(view, &id)?;
                access.check_installation(Verb::Admin)
            }
            Operation::Reject(id) => {
                let Proposal { person, keys, .. } = Proposal::outline(view, access, &id)?;
                access.owners_if_decidable(view, &person, &keys).map(drop)
            }
            Operation::SignLink => access.anywhere(Verb::Write),
            Operation::OwnAccount => own_id(caller).map(drop),
        })
    }
}
