//! Registration: accounts, permissions, approval and history. It decides who can register what, and
//! applies the changes. Blocking, without HTTP.
//!
//! It registers the records of a GS1-Conformant Resolver (release 1.2.0, sections 2.5.1 to 2.5.10
//! and 2.14); permissions follow GS1 Company Prefixes (GS1 General Specifications, section 1.4).
//! Every operation is one method of [`Registry`] and one transaction of the store: permissions that
//! depend on stored state, preconditions, rules, approval, idempotency and the audit record are
//! checked and written together. Nothing can interleave with them, not even another process.
//!
//! # Terminology
//!
//! - *Level*: a primary key with or without key qualifiers; it holds a record. Its *owner* is the
//!   organisation that owns the single key, otherwise the one whose company prefix the key contains
//!   at the position of its prefix.
//! - *Caller*: the client of an operation, identified by [`Registry::session`] or
//!   [`Registry::authenticate_key`], or [`Caller::local`]: anyone with write access to the data
//!   directory can do everything. Every operation reads permissions again.
//! - *Actor*: the identity of a caller in the audit log: an id that remains when the user's name is
//!   erased.
//! - *Proposal*: changes that wait for a second person's approval.
//!
//! # What callers can learn
//!
//! - With no credential, a wrong one, or one that is no longer valid:
//!   [`RegistryError::Unauthenticated`], always the same.
//! - For a level without permission: [`RegistryError::Forbidden`], decided from the key alone,
//!   whatever is registered there.
//! - For an id of an organisation, user, key or proposal without permission:
//!   [`RegistryError::NotFound`], as if it did not exist.
//! - Lists contain only readable items, and the page cursor is a readable item, or a time, a
//!   revision or a number.
//! - A login that is taken, and a company prefix that overlaps with another one, are revealed to
//!   callers who can enter one: they cannot be entered twice.
//!
//! # Example
//!
//! ```
//! use std::sync::Arc;
//!
//! use fingerpost_registry::{
//!     Caller, ChangeStatus, ClientInfo, Conditions, NewKey, NewOrganisation, Precondition, Registry, RegistryError,
//!     RegistryOptions, Verb, Via,
//! };
//! use fingerpost_store::{Store, StoreOptions};
//!
//! # let dir = tempfile::tempdir()?;
//! let store = Arc::new(Store::open(dir.path(), StoreOptions::default())?);
//! let registry = Registry::new(store, RegistryOptions::new());
//!
//! // On the machine that holds the data: an organisation with its company prefix, and a key for its programs.
//! let local = Caller::local("example");
//! let new = NewOrganisation { name: "Teas".into(), prefixes: vec!["9506000".into()], ..Default::default() };
//! let organisation = registry.create_organisation(&local, new)?;
//! let new = NewKey {
//!     label: "shop".into(),
//!     organisation: Some(organisation.id),
//!     verbs: vec![Verb::Read, Verb::Write],
//!     prefix: None,
//!     expires: None,
//!     for_organisation: false,
//! };
//! let (_, token) = registry.create_key(&local, new)?;
//!
//! // On another machine: a program with the token.
//! let caller = registry.authenticate_key(&token, &ClientInfo::new(Via::Api))?;
//! let record = r#"{"anchor": "/01/09506000134352", "links": [
//!     {"linkType": "gs1:defaultLink", "href": "https://example.com/p", "title": "Tea"},
//!     {"linkType": "gs1:pip", "href": "https://example.com/p", "title": "Tea"}]}"#;
//! let conditions = Conditions::none().precondition(Precondition::None);
//! let outcome = registry.put(&caller, None, record.as_bytes(), conditions)?;
//! assert_eq!(outcome.status, ChangeStatus::Created);
//!
//! // The caller cannot write another company's key.
//! let foreign = record.replace("09506000134352", "04012345678901");
//! let refused = registry.put(&caller, None, foreign.as_bytes(), Conditions::none());
//! assert!(matches!(refused, Err(RegistryError::Forbidden(_))));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

#![forbid(unsafe_code)]

// Values.
mod accounts;
mod author;
mod brand;
mod broken_levels;
mod caller;
mod change_set_request;
mod conditions;
mod error;
mod fault;
mod id;
mod key_levels;
mod outcome;
mod roles;
mod secret;
mod standing;
mod text;

// Shared parts.
mod documents;
mod events;
mod failures;
mod idempotency;
mod leases;
mod outbox;
mod ownership;
mod pages;
mod password;
mod purges;
mod quotas;
mod readable;
mod recall;
mod recent_keys;
mod registry;
mod rights;
mod running_recalls;
mod stored;
mod successors;
mod target_hosts;
mod throttle;
mod totp;
mod usage;

// Operations on levels.
mod apply;
mod approval;
mod batch;
mod change;
mod change_counts;
mod change_sets;
mod difference;
mod explain;
mod feed;
mod history;
mod judge;
mod levels;
mod limits;
mod link_health;
mod list;
mod look_up;
mod principals;
mod proposals;
mod undo;

// Operations on accounts.
mod audit_log;
mod clock;
mod covered;
mod four_eyes;
mod invitations;
mod key_end;
mod keys;
mod mail;
mod operation;
mod organisations;
mod password_reset;
mod restored;
mod second_factor;
mod sessions;
mod sign_in;
mod signed_links;
mod suspension;
mod synchronise;
mod terms;
mod users;
mod verified;
mod webhook_delivery;
mod webhook_operations;
mod webhooks;

pub use accounts::{
    Ability, ApiKey, KeyRotation, Membership, NewKey, NewOrganisation, NewUser, Organisation,
    OrganisationChange, Page, QuotaUse, Quotas, Session, SignedIn, Usage, Used, User, UserChange,
};
pub use apply::Applied;
pub use audit_log::AuditFilter;
pub use author::Author;
pub use batch::{BatchItem, BatchReport, RefusalCode};
pub use brand::NewBrand;
pub use caller::{Actor, Caller, ClientInfo, Via};
pub use change::RecordChange;
pub use change_counts::{ChangeCounts, ChangeFilter, DayOfChanges};
pub use change_set_request::{ChangeSetKind, ChangeSetRequest};
pub use change_sets::ChangeSet;
pub use clock::Pruning;
pub use conditions::{Conditions, Idempotency, Precondition};
pub use difference::Difference;
pub use error::{Denial, RegistryError};
pub use explain::ExplainOptions;
pub use fault::Fault;
pub use feed::{ChangeDetails, ChangePage, LevelChange};
pub use fingerpost_resolver::{CompanyPrefix, NotAPrefix};
pub use history::LevelState;
pub use id::{Id, NotAnId};
pub use invitations::{Acceptance, Invitation, NewInvitation};
pub use judge::BatchMode;
pub use leases::Lease;
pub use levels::Level;
pub use limits::{MAX_DAYS, MAX_PAGE};
pub use link_health::{
    CheckedLink, DueLinks, LevelLinks, LinkAnswer, LinkCheck, LinkCounts, LinkFault, LinkQuery,
    LinkState, LinkVerdict, Mismatch, PastLinkState, TargetHealth,
};
pub use list::ranges::{company_prefix_ranges, copied_ranges};
pub use list::{Filter, LevelCount};
pub use look_up::LookUp;
pub use mail::{Letter, LetterSubject};
pub use operation::Operation;
pub use outcome::{ChangeOutcome, ChangeStatus, Would};
pub use proposals::{Proposal, ProposalFilter, ProposalState, ProposedChange};
pub use purges::PurgeBatch;
pub use recall::RunningRecall;
pub use registry::{Registry, RegistryOptions};
pub use restored::Revived;
pub use roles::{Role, Verb};
pub use second_factor::Enrolment;
pub use secret::Secret;
pub use sessions::SessionChoice;
pub use sign_in::{Attempt, Federated};
pub use signed_links::{NewSignedLink, SignedLink};
pub use standing::{AcceptedTerms, BrandSettings, OrganisationSuspension, SuspensionMode};
pub use suspension::NewSuspension;
#[cfg(feature = "schema")]
pub use text::schema::{LevelKey, NewPassword};
pub use verified::{fsck, verify};
pub use webhook_delivery::{
    DeliveryReport, DueWebhooks, WebhookBatch, WebhookItem, WebhookPosition,
};
pub use webhooks::{
    DeadLetter, Delivery, DeliveryError, EventKind, NewWebhook, Webhook, WebhookChange,
    WebhookEvent, WebhookLog, WebhookMode, WebhookState,
};
