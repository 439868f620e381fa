//! Decides who may register what, and does it.

#![forbid(unsafe_code)]

mod accounts;
mod caller;
mod conditions;
mod error;
mod fault;
mod id;
mod key_levels;
mod outcome;
mod prefix;
mod registry;
mod rights;
mod secret;
mod skeleton;

pub use accounts::{
    Ability, ApiKey, Membership, NewKey, NewOrganisation, NewUser, Organisation,
    OrganisationChange, Page, Session, SignedIn, User, UserChange,
};
pub use caller::{Actor, Caller, Client, Via};
pub use conditions::{Conditions, Idempotency, Precondition};
pub use error::{Denial, RegistryError};
pub use fault::Fault;
pub use id::{Id, NotAnId};
pub use outcome::{Outcome, Would};
pub use prefix::{CompanyPrefix, NotAPrefix};
pub use registry::{Registry, RegistryOptions};
pub use rights::{Role, Verb};
pub use secret::Secret;
pub use skeleton::*;
