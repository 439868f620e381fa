//! Responses of the API that the registry has in another form, or not at all. All others are the registry's own
//! types.

mod changes;
mod review;

pub(crate) use changes::{BatchDocument, Change, Differences, History, State};
pub(crate) use review::{
    Approved, AuditRecordDocument, AuditReportDocument, ProposalDocument, Rejection,
};

use fingerpost_registry::{Ability, ApiKey, Id, Level, LevelChange, Organisation, SignedIn, User};
use jiff::Timestamp;
use serde::Serialize;
use serde_json::value::RawValue;
use utoipa::ToSchema;

use crate::state::SignInWays;

macro_rules! pages {
    ($($(#[$doc:meta])* $name:ident { $(#[$order:meta])* $items:ident: $item:ty })*) => {$(
        $(#[$doc])*
        #[derive(Debug, Serialize, ToSchema)]
        pub(crate) struct $name {
            $(#[$order])*
            pub(crate) $items: Vec<$item>,
            /// The position of the next page, if there is one.
            pub(crate) next: Option<String>,
        }
    )*};
}

pages! {
    /// A page of organisations.
    Organisations {
        /// The organisations, oldest first.
        organisations: Organisation
    }
    /// A page of users.
    Users {
        /// The users, oldest first.
        users: User
    }
    /// A page of keys.
    Keys {
        /// The keys, oldest first.
        keys: ApiKey
    }
    /// A page of levels.
    Levels {
        /// The levels, in the order of their keys.
        levels: Level
    }
    /// A page of changes.
    Changes {
        /// The changes, oldest first.
        changes: LevelChange
    }
    /// A page of proposals.
    Proposals {
        /// The proposals, oldest first.
        proposals: ProposalDocument
    }
    /// A page of the audit log.
    AuditRecords {
        /// The records, in the order of the request.
        records: AuditRecordDocument
    }
}

/// A new key with its token.
#[derive(Serialize, ToSchema)]
pub(crate) struct MadeKey {
    pub(crate) key: ApiKey,
    /// The token for `Authorization: Bearer …`. It cannot be shown again.
    pub(crate) token: String,
}

/// The current session, or the ways to sign in.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Session {
    /// The user; null if nobody is signed in.
    user: Option<SessionUser>,
    /// The value of `X-CSRF-Token` in every change.
    #[serde(skip_serializing_if = "Option::is_none")]
    csrf: Option<String>,
    /// The permissions of the user.
    #[serde(skip_serializing_if = "<[Ability]>::is_empty")]
    #[schema(required = false)]
    rights: Vec<Ability>,
    /// When the session ends at the latest.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<String>, format = DateTime)]
    expires: Option<Timestamp>,
    /// The ways to sign in.
    sign_in: SignInWays,
}

/// The user of a session.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct SessionUser {
    id: Id,
    login: String,
    name: String,
}

impl Session {
    pub(crate) fn nobody(sign_in: SignInWays) -> Self {
        Self { user: None, csrf: None, rights: Vec::new(), expires: None, sign_in }
    }

    pub(crate) fn new(signed_in: &SignedIn, rights: Vec<Ability>, sign_in: SignInWays) -> Self {
        let User { id, login, name, .. } = signed_in.user.clone();
        Self {
            user: Some(SessionUser { id, login, name }),
            csrf: Some(signed_in.csrf.expose().to_owned()),
            rights,
            expires: Some(signed_in.session.expires),
            sign_in,
        }
    }
}

/// JSON text as a part of a document.
fn raw(json: String) -> Box<RawValue> {
    // The resolver and the store write valid JSON.
    RawValue::from_string(json).unwrap_or_else(|_| RawValue::NULL.to_owned())
}
