//! Queries and identifiers of the request target. Level keys are taken from the raw path: an extractor that decodes
//! would make `%2F` a separator.

use axum::extract::{FromRequestParts, Query as Decoded};
use fingerpost_gs1::EntityKey;
use fingerpost_registry::Id;
use fingerpost_store::Revision;
use http::StatusCode;
use http::request::Parts;
use serde::de::DeserializeOwned;

use crate::problem::{FaultBody, Problem};

/// A query whose parameters are all known and not repeated.
#[derive(Debug)]
pub(crate) struct Query<T>(pub(crate) T);

impl<S: Send + Sync, T: DeserializeOwned> FromRequestParts<S> for Query<T> {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, Problem> {
        let Decoded(read) = Decoded::try_from_uri(&parts.uri).map_err(|rejection| {
            let text = rejection.body_text();
            let detail = text.strip_prefix("Failed to deserialize query string: ");
            Problem::bad_request("invalid-query", detail.unwrap_or(&text))
        })?;
        Ok(Self(read))
    }
}

/// The level that the path names, after the first two segments.
#[derive(Debug)]
pub(crate) struct LevelKey(pub(crate) EntityKey);

impl<S: Send + Sync> FromRequestParts<S> for LevelKey {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, Problem> {
        level_key(after(parts.uri.path(), 2)).map(Self)
    }
}

/// The revision and the level of `/v1/states/{revision}/{*key}`.
#[derive(Debug)]
pub(crate) struct StateKey(pub(crate) Revision, pub(crate) EntityKey);

impl<S: Send + Sync> FromRequestParts<S> for StateKey {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, Problem> {
        let rest = after(parts.uri.path(), 2);
        let (revision, key) = rest.split_once('/').unwrap_or((rest, ""));
        let digits = revision.bytes().all(|byte| byte.is_ascii_digit());
        let number = revision.parse().ok().filter(|_| digits);
        let expected = "expected the number of a revision after /v1/states/";
        let number = number.ok_or_else(|| Problem::bad_request("invalid-revision", expected))?;
        Ok(Self(Revision::new(number), level_key(key)?))
    }
}

/// What follows so many segments.
fn after(path: &str, segments: usize) -> &str {
    let rest = path.strip_prefix('/').unwrap_or(path);
    rest.splitn(segments + 1, '/').nth(segments).unwrap_or("")
}

/// Reads a key as a path, in any spelling of its percent-encoding.
pub(crate) fn level_key(path: &str) -> Result<EntityKey, Problem> {
    EntityKey::parse(path).map_err(|error| {
        let fault = FaultBody {
            pointer: String::new(),
            id: error.code().to_owned(),
            detail: error.to_string(),
        };
        Problem::fault(StatusCode::BAD_REQUEST, "invalid-key", fault)
    })
}

/// The id in the last place of `/v1/<collection>/{id}` and `/v1/<collection>/{id}/<verb>`. What is no id names
/// nothing, so it is answered as an id that nobody has.
#[derive(Debug)]
pub(crate) struct PathId(pub(crate) Id);

impl<S: Send + Sync> FromRequestParts<S> for PathId {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, Problem> {
        let rest = after(parts.uri.path(), 2);
        let id = rest.split('/').next().unwrap_or("");
        Id::parse(id).map(Self).ok_or_else(Problem::not_found)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_are_read_from_the_raw_path() {
        assert_eq!(after("/v1/levels/01/09506000134352/10/A%2FB", 2), "01/09506000134352/10/A%2FB");
        assert_eq!(after("/v1/levels", 2), "");
        let key = |path| level_key(path).map(|key| key.as_str().to_owned()).map_err(|_| ());
        assert_eq!(key("01/0950600013435%32/10/a%2fb"), Ok("01/09506000134352/10/a%2Fb".into()));
        for wrong in [
            "",
            "01",
            "01/",
            "01/09506000134353",
            "01/09506000134352/",
            "01%2F09506000134352",
            "01/09506000134352/../09506000134352",
            "01/./09506000134352",
            "01//09506000134352",
            "01/0950600013435%2532",
        ] {
            assert_eq!(key(wrong), Err(()), "{wrong}");
        }
    }
}
