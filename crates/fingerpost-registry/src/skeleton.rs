//! Signatures whose bodies follow.
#![allow(
    clippy::all,
    clippy::pedantic,
    unused_variables,
    missing_docs,
    clippy::needless_pass_by_value,
    clippy::missing_errors_doc,
    clippy::unused_self,
    reason = "replaced within the hour"
)]

use std::io::BufRead;
use std::net::IpAddr;

use fingerpost_gs1::{Ai, EntityKey};
use fingerpost_resolver::{Entry, Explanation, RawRequest, Resolution, Settings};
use fingerpost_store::Revision;
use jiff::Timestamp;
use serde::Serialize;
use serde_json::Value;

use crate::*;

type R<T> = Result<T, RegistryError>;
const LATER: RegistryError = RegistryError::NotFound;

#[derive(Clone, Debug)]
pub struct Level {
    pub key: EntityKey,
    pub entry: Entry,
    pub revision: Revision,
    pub at: Option<Timestamp>,
    pub by: Option<Author>,
}
impl Level {
    pub fn record(&self) -> String {
        fingerpost_resolver::write_record(&self.entry)
    }
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Author {
    pub actor: String,
    pub name: Option<String>,
    pub via: Option<Via>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    Atomic,
    Each,
}

/// Items in the order of their lines.
#[derive(Clone, Debug, Default)]
pub struct BatchReport {
    pub revision: Option<Revision>,
    pub proposals: Vec<Id>,
    pub created: u64,
    pub replaced: u64,
    pub unchanged: u64,
    pub deleted: u64,
    pub proposed: u64,
    pub refused: u64,
    pub items: Vec<BatchItem>,
    pub omitted: u64,
}
#[derive(Clone, Debug)]
pub struct BatchItem {
    pub line: u64,
    pub key: Option<EntityKey>,
    pub result: Result<Outcome, Refusal>,
}
/// Why a row was refused. `code` as the HTTP side would name it: "invalid", "forbidden", "precondition-failed", "missing-default", "too-large"
#[derive(Clone, Debug)]
pub struct Refusal {
    pub code: &'static str,
    pub faults: Vec<Fault>,
}

#[derive(Clone, Debug, Default)]
pub struct Filter {
    pub under: Option<EntityKey>,
    pub company_prefix: Option<CompanyPrefix>,
    pub key_type: Option<Ai>,
    pub link_type: Option<String>,
    pub target_host: Option<String>,
    pub text: Option<String>,
    pub author: Option<String>,
    pub changed_since: Option<Timestamp>,
}

#[derive(Clone, Debug)]
pub struct LevelChange {
    pub revision: Revision,
    pub key: EntityKey,
    pub deleted: bool,
}
#[derive(Clone, Debug)]
pub struct LevelState {
    pub revision: Revision,
    pub entry: Option<Entry>,
    pub at: Option<Timestamp>,
    pub by: Option<Author>,
}
#[derive(Clone, Debug, Serialize, PartialEq)]
pub struct Difference {
    pub path: String,
    pub before: Option<Value>,
    pub after: Option<Value>,
}

#[derive(Clone, Debug, Serialize)]
pub struct Proposal {
    pub id: Id,
    pub by: Actor,
    pub at: Timestamp,
    pub state: ProposalState,
    pub decided_by: Option<Actor>,
    pub decided_at: Option<Timestamp>,
    pub reason: Option<String>,
    pub changes: Vec<ProposedChange>,
}
#[derive(Clone, Copy, Debug, Serialize, PartialEq, Eq)]
pub enum ProposalState {
    Open,
    Approved,
    Rejected,
}
/// `record` None = deletion; `base` = revision the level had when proposed.
#[derive(Clone, Debug, Serialize)]
pub struct ProposedChange {
    pub key: String,
    pub base: Option<u64>,
    pub record: Option<Value>,
}

#[derive(Clone, Debug, Default)]
pub struct AuditFilter {
    pub action: Option<String>,
    pub actor: Option<String>,
    pub subject: Option<String>,
    pub since: Option<Timestamp>,
    pub until: Option<Timestamp>,
}
/// One audit record as JSON, personal part merged under "personal" when still there.
#[derive(Clone, Debug)]
pub struct AuditEntry {
    pub seq: u64,
    pub hash: String,
    pub record: Value,
    pub personal: Option<Value>,
}

/// Who signed in elsewhere (OpenID Connect) and what their claims give.
#[derive(Clone, Debug)]
pub struct Federated {
    pub issuer: String,
    pub subject: String,
    pub login: String,
    pub name: String,
    pub memberships: Vec<Membership>,
}

impl Registry {
    // Levels.
    pub fn read(&self, caller: &Caller, key: &EntityKey) -> R<Level> {
        Err(LATER)
    }
    pub fn put(
        &self,
        caller: &Caller,
        key: Option<&EntityKey>,
        record: &[u8],
        conditions: Conditions,
    ) -> R<Outcome> {
        Err(LATER)
    }
    pub fn patch(
        &self,
        caller: &Caller,
        key: &EntityKey,
        patch: &[u8],
        conditions: Conditions,
    ) -> R<Outcome> {
        Err(LATER)
    }
    pub fn delete(&self, caller: &Caller, key: &EntityKey, conditions: Conditions) -> R<Outcome> {
        Err(LATER)
    }
    pub fn restore(
        &self,
        caller: &Caller,
        key: &EntityKey,
        revision: Revision,
        conditions: Conditions,
    ) -> R<Outcome> {
        Err(LATER)
    }
    pub fn batch(
        &self,
        caller: &Caller,
        input: impl BufRead,
        mode: Mode,
        conditions: Conditions,
    ) -> R<BatchReport> {
        Err(LATER)
    }
    pub fn list(
        &self,
        caller: &Caller,
        filter: &Filter,
        after: Option<&str>,
        limit: usize,
    ) -> R<Page<Level>> {
        Err(LATER)
    }
    pub fn changes(&self, caller: &Caller, after: Revision, limit: usize) -> R<Page<LevelChange>> {
        Err(LATER)
    }
    pub fn history(&self, caller: &Caller, key: &EntityKey) -> R<Vec<LevelState>> {
        Err(LATER)
    }
    pub fn state(&self, caller: &Caller, key: &EntityKey, revision: Revision) -> R<LevelState> {
        Err(LATER)
    }
    /// `to` None = as it is now.
    pub fn difference(
        &self,
        caller: &Caller,
        key: &EntityKey,
        from: Revision,
        to: Option<Revision>,
    ) -> R<Vec<Difference>> {
        Err(LATER)
    }
    /// `overlay`: records laid over what is stored; a fault in one is Invalid with pointer /records/<n>/…
    pub fn explain<T>(
        &self,
        caller: &Caller,
        settings: &Settings,
        request: RawRequest<'_>,
        at: Option<Timestamp>,
        overlay: &[Vec<u8>],
        show: impl FnOnce(&Explanation, &Resolution<'_>) -> T,
    ) -> R<T> {
        Err(LATER)
    }
    // Approval.
    pub fn proposals(
        &self,
        caller: &Caller,
        state: Option<ProposalState>,
        after: Option<&str>,
        limit: usize,
    ) -> R<Page<Proposal>> {
        Err(LATER)
    }
    pub fn proposal(&self, caller: &Caller, id: &Id) -> R<Proposal> {
        Err(LATER)
    }
    /// The revision that was written.
    pub fn approve(&self, caller: &Caller, id: &Id) -> R<Revision> {
        Err(LATER)
    }
    pub fn reject(&self, caller: &Caller, id: &Id, reason: Option<&str>) -> R<Proposal> {
        Err(LATER)
    }
    // Accounts.
    pub fn organisations(
        &self,
        caller: &Caller,
        after: Option<&str>,
        limit: usize,
    ) -> R<Page<Organisation>> {
        Err(LATER)
    }
    pub fn create_organisation(&self, caller: &Caller, new: NewOrganisation) -> R<Organisation> {
        Err(LATER)
    }
    pub fn organisation(&self, caller: &Caller, id: &Id) -> R<Organisation> {
        Err(LATER)
    }
    pub fn update_organisation(
        &self,
        caller: &Caller,
        id: &Id,
        change: OrganisationChange,
    ) -> R<Organisation> {
        Err(LATER)
    }
    pub fn delete_organisation(&self, caller: &Caller, id: &Id) -> R<()> {
        Err(LATER)
    }
    pub fn keys(
        &self,
        caller: &Caller,
        organisation: Option<&Id>,
        after: Option<&str>,
        limit: usize,
    ) -> R<Page<ApiKey>> {
        Err(LATER)
    }
    pub fn create_key(&self, caller: &Caller, new: NewKey) -> R<(ApiKey, Secret)> {
        Err(LATER)
    }
    pub fn key(&self, caller: &Caller, id: &Id) -> R<ApiKey> {
        Err(LATER)
    }
    pub fn revoke_key(&self, caller: &Caller, id: &Id) -> R<ApiKey> {
        Err(LATER)
    }
    pub fn users(&self, caller: &Caller, after: Option<&str>, limit: usize) -> R<Page<User>> {
        Err(LATER)
    }
    pub fn create_user(&self, caller: &Caller, new: NewUser) -> R<User> {
        Err(LATER)
    }
    pub fn user(&self, caller: &Caller, id: &Id) -> R<User> {
        Err(LATER)
    }
    pub fn update_user(&self, caller: &Caller, id: &Id, change: UserChange) -> R<User> {
        Err(LATER)
    }
    /// DELETE of a user: removes name, login and password, ends sessions, erases the personal part of audit records.
    pub fn erase_person(&self, caller: &Caller, id: &Id) -> R<()> {
        Err(LATER)
    }
    /// What the caller may do, for showing.
    pub fn abilities(&self, caller: &Caller) -> R<Vec<Ability>> {
        Err(LATER)
    }
    // Signing in.
    pub fn sign_in(&self, login: &str, password: &Secret, client: &Client) -> R<SignedIn> {
        Err(LATER)
    }
    pub fn sign_in_federated(&self, who: &Federated, client: &Client) -> R<SignedIn> {
        Err(LATER)
    }
    /// Who a session token stands for: caller, and the session with user and csrf token.
    pub fn session(&self, token: &Secret, client: &Client) -> R<(Caller, SignedIn)> {
        Err(LATER)
    }
    pub fn sign_out(&self, token: &Secret, client: &Client) -> R<()> {
        Err(LATER)
    }
    pub fn sessions(&self, caller: &Caller) -> R<Vec<Session>> {
        Err(LATER)
    }
    pub fn change_password(&self, caller: &Caller, old: &Secret, new: &Secret) -> R<()> {
        Err(LATER)
    }
    pub fn authenticate_key(&self, token: &Secret, client: &Client) -> R<Caller> {
        Err(LATER)
    }
    /// Writes down when keys and sessions were used last; call about once a minute and at the end.
    pub fn flush_usage(&self) -> R<()> {
        Err(LATER)
    }
    // Audit.
    pub fn audit(
        &self,
        caller: &Caller,
        from: u64,
        limit: usize,
        filter: &AuditFilter,
    ) -> R<Page<AuditEntry>> {
        Err(LATER)
    }
    pub fn prune_history(&self, caller: &Caller, before: Timestamp) -> R<u64> {
        Err(LATER)
    }
    // pub fn verify_audit(&self, caller, expect: Option<AuditHead>) -> R<AuditReport>    as soon as the store has these types
}
#[allow(dead_code, reason = "replaced within the hour")]
fn _unused(_: IpAddr) {}
