//! Parsing of queries and identifiers in the request target.
//!
//! Level keys are parsed from the raw path, because `%2F` in a value is not a separator. Clients
//! that treat a key as one path segment encode all of it; such a segment has no slash and is not
//! ambiguous, so both spellings are accepted.

#![allow(unused_qualifications, reason = "utoipa's derive qualifies the types that it is given")]

use axum::extract::{FromRequestParts, Query as Decoded};
use fingerpost_gs1::percent;
use fingerpost_registry::{Fault, Id, MAX_PAGE};
use fingerpost_resolver::Anchor;
use fingerpost_store::Revision;
use http::StatusCode;
use http::request::Parts;
use jiff::Timestamp;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Deserializer};
use utoipa::openapi::schema::{KnownFormat, ObjectBuilder, SchemaFormat, Type};
use utoipa::openapi::{RefOr, Schema};
use utoipa::{IntoParams, PartialSchema};

use crate::limits::{DEFAULT_PAGE, MAX_NUMBER};
use crate::problem::AdminProblem;

/// Maximum number of items on a page of a list.
#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(try_from = "usize")]
pub(crate) struct Limit(usize);

impl Limit {
    pub(crate) fn items(self) -> usize {
        self.0
    }
}

impl Default for Limit {
    fn default() -> Self {
        Self(DEFAULT_PAGE)
    }
}

impl TryFrom<usize> for Limit {
    type Error = String;

    fn try_from(items: usize) -> Result<Self, String> {
        if (1..=MAX_PAGE).contains(&items) {
            return Ok(Self(items));
        }
        Err(format!("limit must be 1 to {MAX_PAGE}"))
    }
}

impl PartialSchema for Limit {
    fn schema() -> RefOr<Schema> {
        let number = ObjectBuilder::new().schema_type(Type::Integer);
        number.minimum(Some(1)).maximum(Some(MAX_PAGE)).default(Some(DEFAULT_PAGE.into())).into()
    }
}

/// A revision, or the number of an audit record.
#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(try_from = "u64")]
pub(crate) struct Number(pub(crate) u64);

impl Number {
    pub(crate) fn revision(self) -> Revision {
        Revision::new(self.0)
    }
}

impl TryFrom<u64> for Number {
    type Error = String;

    fn try_from(number: u64) -> Result<Self, String> {
        if number <= MAX_NUMBER { Ok(Self(number)) } else { Err("number is too large".to_owned()) }
    }
}

impl PartialSchema for Number {
    fn schema() -> RefOr<Schema> {
        let number = ObjectBuilder::new().schema_type(Type::Integer);
        let format = SchemaFormat::KnownFormat(KnownFormat::Int64);
        number.format(Some(format)).minimum(Some(0)).maximum(Some(MAX_NUMBER)).into()
    }
}

/// An instant (RFC 3339).
#[derive(Clone, Copy, Debug)]
pub(crate) struct Instant(pub(crate) Timestamp);

impl<'de> Deserialize<'de> for Instant {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        let instant = fingerpost_resolver::parse_instant(&text).map(Self);
        instant.ok_or_else(|| serde::de::Error::custom("expected an instant (RFC 3339)"))
    }
}

impl PartialSchema for Instant {
    fn schema() -> RefOr<Schema> {
        let format = SchemaFormat::KnownFormat(KnownFormat::DateTime);
        ObjectBuilder::new().schema_type(Type::String).format(Some(format)).into()
    }
}

/// The part of a list to return, where ids order the list.
#[derive(Clone, Debug, Default, Deserialize, IntoParams)]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
#[into_params(parameter_in = Query)]
pub(crate) struct Paging {
    /// `next` of the previous page.
    #[param(inline, required = false)]
    pub(crate) after: Option<Id>,
    /// Maximum number of items to return.
    #[param(inline, required = false)]
    pub(crate) limit: Limit,
}

impl Paging {
    pub(crate) fn after(&self) -> Option<&str> {
        self.after.as_ref().map(Id::as_str)
    }
}

/// A query whose parameters are all known and not repeated.
#[derive(Debug)]
pub(crate) struct Query<T>(pub(crate) T);

impl<S: Send + Sync, T: DeserializeOwned> FromRequestParts<S> for Query<T> {
    type Rejection = AdminProblem;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, AdminProblem> {
        let Decoded(read) = Decoded::try_from_uri(&parts.uri).map_err(|rejection| {
            let text = rejection.body_text();
            let detail = text.strip_prefix("Failed to deserialize query string: ");
            AdminProblem::bad_request("invalid-query", detail.unwrap_or(&text))
        })?;
        Ok(Self(read))
    }
}

/// The level in the path, after the first two segments.
#[derive(Debug)]
pub(crate) struct LevelKey(pub(crate) Anchor);

impl<S: Send + Sync> FromRequestParts<S> for LevelKey {
    type Rejection = AdminProblem;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, AdminProblem> {
        level_in_path(after(parts.uri.path(), 2)).map(Self)
    }
}

/// The revision and the level of `/v1/states/{revision}/{*key}`.
#[derive(Debug)]
pub(crate) struct StateKey(pub(crate) Revision, pub(crate) Anchor);

impl<S: Send + Sync> FromRequestParts<S> for StateKey {
    type Rejection = AdminProblem;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, AdminProblem> {
        let rest = after(parts.uri.path(), 2);
        let (revision, key) = rest.split_once('/').unwrap_or((rest, ""));
        let digits = revision.bytes().all(|byte| byte.is_ascii_digit());
        let number = revision.parse().ok().filter(|_| digits);
        let number = number.and_then(|number: u64| Number::try_from(number).ok());
        let detail = "the path needs the number of a revision after /v1/states/";
        let number = number.ok_or_else(|| AdminProblem::bad_request("invalid-revision", detail))?;
        Ok(Self(number.revision(), level_in_path(key)?))
    }
}

/// Returns the rest of a path after its first segments.
fn after(path: &str, segments: usize) -> &str {
    let rest = path.strip_prefix('/').unwrap_or(path);
    rest.splitn(segments + 1, '/').nth(segments).unwrap_or("")
}

/// Parses a key at the end of a path: segments, or all of it as one percent-encoded segment.
fn level_in_path(path: &str) -> Result<Anchor, AdminProblem> {
    match decoded(path) {
        Some(path) if path.contains('/') => level_key(&path),
        _ => level_key(path),
    }
}

/// Decodes a path of one segment. Returns `None` for several segments, or text that is not valid.
fn decoded(segment: &str) -> Option<String> {
    if segment.contains('/') {
        return None;
    }
    let mut bytes = Vec::new();
    percent::decode(segment.as_bytes(), &mut bytes).ok()?;
    String::from_utf8(bytes).ok()
}

/// Parses an anchor as a path, in any percent-encoded spelling.
pub(crate) fn level_key(path: &str) -> Result<Anchor, AdminProblem> {
    Anchor::parse(path).map_err(|error| {
        let fault = Fault::new("", error.code(), error.to_string());
        AdminProblem::fault(StatusCode::BAD_REQUEST, "invalid-key", fault)
    })
}

/// The id in `/v1/<collection>/{id}` and `/v1/<collection>/{id}/<verb>`. A text that is not an id
/// is answered like an id that does not exist.
#[derive(Debug)]
pub(crate) struct PathId(pub(crate) Id);

impl<S: Send + Sync> FromRequestParts<S> for PathId {
    type Rejection = AdminProblem;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, AdminProblem> {
        let rest = after(parts.uri.path(), 2);
        let id = rest.split('/').next().unwrap_or("");
        Id::parse(id).map(Self).ok_or_else(AdminProblem::not_found)
    }
}

/// The segment after `/v1/<collection>/`, as it is.
#[derive(Debug)]
pub(crate) struct PathText(pub(crate) String);

impl<S: Send + Sync> FromRequestParts<S> for PathText {
    type Rejection = AdminProblem;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, AdminProblem> {
        Ok(Self(after(parts.uri.path(), 2).to_owned()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_are_read_from_the_raw_path() {
        assert_eq!(after("/v1/levels/01/09506000134352/10/A%2FB", 2), "01/09506000134352/10/A%2FB");
        assert_eq!(after("/v1/levels", 2), "");
        let key = |path| level_in_path(path).map(|key| key.as_str().to_owned()).map_err(|_| ());
        assert_eq!(key("01/0950600013435%32/10/a%2fb"), Ok("01/09506000134352/10/a%2Fb".into()));
        // The encoding of clients that encode the whole key as one segment.
        for whole in ["01%2F09506000134352%2F10%2Fa%252Fb", "%2f01%2f09506000134352%2f10%2fa%252fb"]
        {
            assert_eq!(key(whole), Ok("01/09506000134352/10/a%2Fb".into()), "{whole}");
        }
        for wrong in [
            "",
            "01",
            "01/",
            "01/09506000134353",
            "01/09506000134352/",
            "01%2F09506000134353",
            "01%2F09506000134352%2F..",
            "01%252F09506000134352",
            "01/09506000134352%2F10%2FABC",
            "01/09506000134352/../09506000134352",
            "01/./09506000134352",
            "01//09506000134352",
            "01/0950600013435%2532",
        ] {
            assert_eq!(key(wrong), Err(()), "{wrong}");
        }
    }
}
