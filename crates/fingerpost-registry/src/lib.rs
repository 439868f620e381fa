//! Decides who may register what, and does it.

#![forbid(unsafe_code)]

// Values.
mod accounts;
mod caller;
mod conditions;
mod error;
mod fault;
mod id;
mod key_levels;
mod outcome;
mod prefix;
mod secret;

// What is shared.
mod documents;
mod events;
mod idempotency;
mod ownership;
mod pages;
mod password;
mod registry;
mod rights;
mod stored;
mod throttle;
mod usage;

// Operations on levels.
mod batch;
mod change;
mod difference;
mod explain;
mod history;
mod levels;
mod list;
mod proposals;

// Operations on accounts.
mod audit_log;
mod keys;
mod organisations;
mod sessions;
mod sign_in;
mod users;

pub use accounts::{
    Ability, ApiKey, Membership, NewKey, NewOrganisation, NewUser, Organisation,
    OrganisationChange, Page, Session, SignedIn, User, UserChange,
};
pub use audit_log::AuditFilter;
pub use batch::{BatchItem, BatchReport, Mode, Refusal, RefusalCode};
pub use caller::{Actor, Caller, Client, Via};
pub use conditions::{Conditions, Idempotency, Precondition};
pub use difference::Difference;
pub use error::{Denial, RegistryError};
pub use fault::Fault;
pub use history::{LevelChange, LevelState};
pub use id::{Id, NotAnId};
pub use levels::{Author, Level};
pub use list::Filter;
pub use outcome::{Outcome, Would};
pub use prefix::{CompanyPrefix, NotAPrefix};
pub use proposals::{Proposal, ProposalState, ProposedChange};
pub use registry::{Registry, RegistryOptions};
pub use rights::{Role, Verb};
pub use secret::Secret;
pub use sign_in::Federated;
