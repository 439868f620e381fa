//! Preconditions, dry runs and repetition of requests: RFC 9110 section 13, and the header field `Idempotency-Key`.

use axum::extract::FromRequestParts;
use fingerpost_registry::{Conditions, Idempotency, Precondition};
use fingerpost_store::Revision;
use http::header::{self, HeaderMap, HeaderName};
use http::request::Parts;
use http::{HeaderValue, Method};
use serde::Deserialize;
use utoipa::IntoParams;

use crate::problem::Problem;
use crate::query::Query;

/// Longest key of a request that may be repeated.
const MAX_KEY: usize = 128;

const IDEMPOTENCY_KEY: HeaderName = HeaderName::from_static("idempotency-key");

/// The strong validator of a level: its revision.
pub(crate) fn etag(revision: Revision) -> HeaderValue {
    HeaderValue::from_str(&format!("\"{}\"", revision.number()))
        .unwrap_or(HeaderValue::from_static("\"\""))
}

/// Whether the change is only tried.
#[derive(Clone, Copy, Debug, Default, Deserialize, IntoParams)]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
#[into_params(parameter_in = Query)]
pub(crate) struct DryRun {
    /// `true`: everything is checked, nothing is changed.
    #[param(required = false)]
    dry_run: bool,
}

/// What the request says about when it counts.
#[derive(Debug)]
pub(crate) struct Asked {
    precondition: Option<Precondition>,
    key: Option<String>,
    method: Method,
    target: String,
    dry_run: bool,
}

impl Asked {
    /// Of a request whose query has been read otherwise.
    pub(crate) fn read(parts: &Parts, dry_run: bool) -> Result<Self, Problem> {
        Ok(Self {
            precondition: precondition(&parts.headers)?,
            key: idempotency_key(&parts.headers)?,
            method: parts.method.clone(),
            target: parts.uri.path_and_query().map_or_else(String::new, ToString::to_string),
            dry_run,
        })
    }

    /// The conditions of a request with this body.
    pub(crate) fn with_body(self, body: &[u8]) -> Conditions {
        let mut conditions = Conditions::none().dry_run(self.dry_run);
        if let Some(precondition) = self.precondition {
            conditions = conditions.precondition(precondition);
        }
        if let Some(key) = &self.key {
            let request = [self.method.as_str().as_bytes(), self.target.as_bytes(), body];
            conditions = conditions.idempotency(Idempotency::new(key, request));
        }
        conditions
    }

    pub(crate) fn has_precondition(&self) -> bool {
        self.precondition.is_some()
    }
}

/// The conditions of a request whose query says nothing but `dryRun`.
impl<S: Send + Sync> FromRequestParts<S> for Asked {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, Problem> {
        let Query(DryRun { dry_run }) = Query::from_request_parts(parts, state).await?;
        Self::read(parts, dry_run)
    }
}

fn precondition(fields: &HeaderMap) -> Result<Option<Precondition>, Problem> {
    let one = |name: &HeaderName| {
        let mut values = fields.get_all(name).iter();
        match (values.next(), values.next()) {
            (None, _) => Ok(None),
            (Some(value), None) => Ok(Some(value.as_bytes().trim_ascii())),
            (Some(_), Some(_)) => Err(unusable("expected one If-Match or If-None-Match")),
        }
    };
    match (one(&header::IF_MATCH)?, one(&header::IF_NONE_MATCH)?) {
        (None, None) => Ok(None),
        (Some(b"*"), None) => Ok(Some(Precondition::Any)),
        (None, Some(b"*")) => Ok(Some(Precondition::None)),
        (Some(etag), None) => {
            let expected = "expected If-Match: * or the ETag of a level, such as \"7\"";
            let revision = revision(etag).ok_or_else(|| unusable(expected))?;
            Ok(Some(Precondition::Revision(revision)))
        }
        (None, Some(_)) => Err(unusable("expected If-None-Match: * for a change")),
        (Some(_), Some(_)) => Err(unusable("expected either If-Match or If-None-Match")),
    }
}

fn revision(etag: &[u8]) -> Option<Revision> {
    let digits = etag.strip_prefix(b"\"")?.strip_suffix(b"\"")?;
    let digits = std::str::from_utf8(digits).ok()?;
    let plain = digits.bytes().all(|byte| byte.is_ascii_digit()) && !digits.starts_with('0');
    digits.parse().ok().filter(|_| plain).map(Revision::new)
}

fn idempotency_key(fields: &HeaderMap) -> Result<Option<String>, Problem> {
    let expected = || unusable("expected one Idempotency-Key of 1 to 128 visible characters");
    let mut values = fields.get_all(IDEMPOTENCY_KEY).iter();
    let Some(value) = values.next() else { return Ok(None) };
    let key = value.to_str().map_err(|_| expected())?;
    let usable =
        (1..=MAX_KEY).contains(&key.len()) && key.bytes().all(|byte| byte.is_ascii_graphic());
    if usable && values.next().is_none() { Ok(Some(key.to_owned())) } else { Err(expected()) }
}

fn unusable(expected: &str) -> Problem {
    Problem::bad_request("invalid-header", expected)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fields(lines: &[(HeaderName, &'static str)]) -> HeaderMap {
        let lines = lines.iter().cloned();
        lines.map(|(name, value)| (name, HeaderValue::from_static(value))).collect()
    }

    #[test]
    fn preconditions_are_one_validator_or_a_star() {
        use header::{IF_MATCH, IF_NONE_MATCH};
        let read = |lines: &[_]| precondition(&fields(lines)).map_err(|_| ());
        assert_eq!(read(&[]), Ok(None));
        let seven = Precondition::Revision(Revision::new(7));
        assert_eq!(read(&[(IF_MATCH, "\"7\"")]), Ok(Some(seven)));
        assert_eq!(read(&[(IF_MATCH, "*")]), Ok(Some(Precondition::Any)));
        assert_eq!(read(&[(IF_NONE_MATCH, "*")]), Ok(Some(Precondition::None)));
        for wrong in ["7", "W/\"7\"", "\"7\", \"8\"", "\"\"", "\"-1\"", "\"+7\"", "\"07\"", ""] {
            assert_eq!(read(&[(IF_MATCH, wrong)]), Err(()), "{wrong}");
        }
        assert_eq!(read(&[(IF_NONE_MATCH, "\"7\"")]), Err(()));
        assert_eq!(read(&[(IF_MATCH, "*"), (IF_NONE_MATCH, "*")]), Err(()));
    }
}
