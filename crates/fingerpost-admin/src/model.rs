//! The documents of the API as they are written. Each is made from what the registry gives, or makes what it takes, so
//! that the API stays the same when the registry changes.

mod accounts;
mod levels;
mod proposals;

pub(crate) use accounts::*;
pub(crate) use levels::*;
pub(crate) use proposals::*;

use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

/// Items on a page when nobody says how many.
const PAGE: usize = 100;

/// Most items on a page.
const MAX_PAGE: usize = 1000;

/// Which part of a list is wanted.
#[derive(Clone, Debug, Default, Deserialize, IntoParams)]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
#[into_params(parameter_in = Query)]
pub(crate) struct Paging {
    /// `next` of the page before.
    pub(crate) after: Option<String>,
    /// Most items wanted: 100 unless told, at most 1000.
    #[param(minimum = 1, maximum = 1000)]
    pub(crate) limit: Option<usize>,
}

impl Paging {
    pub(crate) fn limit(&self) -> usize {
        limit(self.limit)
    }
}

pub(crate) fn limit(asked: Option<usize>) -> usize {
    asked.unwrap_or(PAGE).clamp(1, MAX_PAGE)
}

/// Who did something.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[schema(as = Author)]
pub(crate) struct AuthorBody {
    /// `user:ID`, `key:ID`, `local:COMMAND` or `system`.
    actor: String,
    /// How people call them; absent when it was erased.
    #[serde(skip_serializing_if = "Option::is_none")]
    name: Option<String>,
}

impl AuthorBody {
    pub(crate) fn new(actor: String, name: Option<String>) -> Self {
        Self { actor, name }
    }
}

impl From<&fingerpost_registry::Author> for AuthorBody {
    fn from(author: &fingerpost_registry::Author) -> Self {
        Self { actor: author.actor.clone(), name: author.name.clone() }
    }
}

pub(crate) fn instant(at: jiff::Timestamp) -> String {
    at.to_string()
}
