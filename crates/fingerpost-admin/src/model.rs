//! Envelopes of the API: pages, and what only HTTP has. Everything inside them is a type of the
//! registry or the store.

use fingerpost_insight::InsightRow;
use fingerpost_registry::{
    Ability, ApiKey, ChangeOutcome, ChangeSet, Difference, Id, Invitation, Level, LevelChange,
    LevelKey, LevelLinks, LevelState, Organisation, Proposal, RunningRecall, SignedIn, User,
    Webhook,
};
use fingerpost_store::AuditRecord;
use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::config::Terms;
use crate::state::SignInWays;

/// Counts of scans.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct InsightPage {
    /// Whether scans are counted at all.
    pub(crate) enabled: bool,
    /// The counts.
    pub(crate) rows: Vec<InsightRow>,
    /// Whether there are more rows than `limit`.
    pub(crate) more: bool,
    /// The number of rows that are left out because their count is below the threshold.
    pub(crate) hidden: usize,
    /// The threshold.
    pub(crate) threshold: usize,
}

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
    /// A page of invitations.
    Invitations {
        /// The invitations, oldest first.
        invitations: Invitation
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
    /// A page of levels with their links.
    Links {
        /// The levels, in the order of their keys.
        levels: LevelLinks
    }
    /// A page of the states of a level.
    History {
        /// The states, newest first.
        states: LevelState
    }
    /// A page of deleted levels.
    DeletedLevels {
        /// The levels, those deleted last first, each with the record that it held; revision, time
        /// and author are those of the deletion.
        levels: Level
    }
    /// A page of running recalls.
    Recalls {
        /// The recalled levels, in the order of their keys.
        recalls: RunningRecall
    }
    /// A page of change sets.
    ChangeSets {
        /// The change sets, newest first.
        #[serde(rename = "changeSets")]
        change_sets: ChangeSet
    }
    /// A page of webhooks.
    Webhooks {
        /// The webhooks, oldest first.
        webhooks: Webhook
    }
    /// A page of proposals.
    Proposals {
        /// The proposals, oldest first.
        proposals: Proposal
    }
    /// A page of the audit log.
    AuditRecords {
        /// The records, in the order of the request.
        records: AuditRecord
    }
}

/// A page of changes.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct Changes {
    /// The changes, oldest first.
    pub(crate) changes: Vec<LevelChange>,
    /// The position after this page: the value of `after` to continue with, at once or later.
    pub(crate) next: String,
    /// Whether there were no further changes when the page was read.
    #[serde(rename = "isLast")]
    pub(crate) is_last: bool,
}

/// The outcome of a change.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct Change<'o> {
    /// The level.
    #[schema(value_type = LevelKey)]
    pub(crate) key: &'o str,
    #[serde(flatten)]
    pub(crate) outcome: &'o ChangeOutcome,
}

/// The differences between two states of a level.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct Differences {
    /// The differences, in the order of the record.
    pub(crate) differences: Vec<Difference>,
}

/// The outcome of an approval.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct Approved {
    /// The revision of the write.
    pub(crate) revision: u64,
}

/// The reason of a rejection.
#[derive(Debug, Default, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Rejection {
    /// The reason, for the person who proposed the change.
    #[serde(default)]
    pub(crate) reason: Option<String>,
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
    /// The user; null without a session.
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
    /// Whether the user must set up a second factor before anything else is permitted.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    #[schema(required = false)]
    second_factor_required: bool,
    /// The terms that the user must accept before anything else is permitted.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(required = false)]
    terms_required: Option<Terms>,
    /// The ways to sign in.
    sign_in: SignInWays,
}

/// The user of a session.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct SessionUser {
    id: Id,
    login: String,
    name: String,
    /// Whether sign-in needs a second factor.
    #[serde(rename = "secondFactor")]
    second_factor: bool,
}

/// The sessions of a user.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct Sessions {
    /// The sessions, oldest first.
    pub(crate) sessions: Vec<SessionDocument>,
}

/// A session of a user.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct SessionDocument {
    /// The id.
    id: String,
    /// Whether it is the session of this request.
    current: bool,
    /// The kind of client that began it, such as `Firefox on Windows`.
    client: String,
    /// When it began.
    #[schema(value_type = String, format = DateTime)]
    created: Timestamp,
    /// When it was last used, to the minute.
    #[schema(value_type = String, format = DateTime)]
    last_used: Timestamp,
    /// When it ends at the latest.
    #[schema(value_type = String, format = DateTime)]
    expires: Timestamp,
}

impl SessionDocument {
    pub(crate) fn new(session: fingerpost_registry::Session, own: Option<&str>) -> Self {
        let fingerpost_registry::Session { id, created, seen, expires, client, .. } = session;
        Self { current: own == Some(&id), id, client, created, last_used: seen, expires }
    }
}

impl Session {
    pub(crate) fn nobody(sign_in: SignInWays) -> Self {
        Self {
            user: None,
            csrf: None,
            rights: Vec::new(),
            expires: None,
            second_factor_required: false,
            terms_required: None,
            sign_in,
        }
    }

    /// Creates the session of a user. `terms` are those of the installation.
    pub(crate) fn new(
        signed_in: &SignedIn,
        rights: Vec<Ability>,
        sign_in: SignInWays,
        terms: Option<&Terms>,
    ) -> Self {
        let User { id, login, name, second_factor, .. } = signed_in.user.clone();
        Self {
            user: Some(SessionUser { id, login, name, second_factor }),
            csrf: Some(signed_in.csrf.expose().to_owned()),
            rights,
            expires: Some(signed_in.session.expires),
            second_factor_required: signed_in.session.limited,
            terms_required: terms.filter(|_| signed_in.session.lacks_terms).cloned(),
            sign_in,
        }
    }
}

/// A webhook with its secret.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct MadeWebhook {
    /// The webhook.
    pub(crate) webhook: Webhook,
    /// The secret that signs requests, as in Standard Webhooks. It is shown only once.
    pub(crate) secret: String,
}

/// The number of dead letters that are delivered again.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct Replayed {
    /// The number.
    pub(crate) replayed: u64,
}
