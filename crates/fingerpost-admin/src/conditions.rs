//! Preconditions (RFC 9110, section 13), dry runs, and the header field `Idempotency-Key`.

use axum::extract::FromRequestParts;
use fingerpost_registry::{Conditions, Idempotency, Precondition};
use http::Method;
use http::header::{self, HeaderMap, HeaderName};
use http::request::Parts;
use serde::Deserialize;
use utoipa::openapi::schema::{ObjectBuilder, Type};
use utoipa::openapi::{RefOr, Schema};
use utoipa::{IntoParams, PartialSchema};

use crate::etag;
use crate::limits::{MAX_IDEMPOTENCY_KEY, MAX_REVISION_DIGITS};
use crate::problem::AdminProblem;
use crate::query::Query;

const IDEMPOTENCY_KEY: HeaderName = HeaderName::from_static("idempotency-key");

/// The schema of `If-Match`.
pub(crate) enum IfMatch {}

impl PartialSchema for IfMatch {
    fn schema() -> RefOr<Schema> {
        let pattern = format!("^(\\*|\"[1-9][0-9]{{0,{}}}\")$", MAX_REVISION_DIGITS - 1);
        ObjectBuilder::new().schema_type(Type::String).pattern(Some(pattern)).into()
    }
}

/// The schema of `Idempotency-Key`.
pub(crate) enum IdempotencyKey {}

impl PartialSchema for IdempotencyKey {
    fn schema() -> RefOr<Schema> {
        let pattern = format!("^[!-~]{{1,{MAX_IDEMPOTENCY_KEY}}}$");
        ObjectBuilder::new().schema_type(Type::String).pattern(Some(pattern)).into()
    }
}

/// Whether to check the change only.
#[derive(Clone, Copy, Debug, Default, Deserialize, IntoParams)]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
#[into_params(parameter_in = Query)]
pub(crate) struct DryRun {
    /// Whether to check everything and change nothing.
    #[param(required = false)]
    dry_run: bool,
}

/// The conditions of a request, without its body.
#[derive(Debug)]
pub(crate) struct RequestConditions {
    precondition: Option<Precondition>,
    key: Option<String>,
    method: Method,
    target: String,
    dry_run: bool,
}

impl RequestConditions {
    /// Reads the conditions of a request whose query is parsed elsewhere.
    pub(crate) fn read(parts: &Parts, dry_run: bool) -> Result<Self, AdminProblem> {
        Ok(Self {
            precondition: precondition(&parts.headers)?,
            key: idempotency_key(&parts.headers)?,
            method: parts.method.clone(),
            target: parts.uri.path_and_query().map_or_else(String::new, ToString::to_string),
            dry_run,
        })
    }

    /// Returns the conditions of a request with this body.
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

    pub(crate) fn is_dry_run(&self) -> bool {
        self.dry_run
    }

    pub(crate) fn has_precondition(&self) -> bool {
        self.precondition.is_some()
    }
}

/// Reads the conditions of a request whose query has `dryRun` only.
impl<S: Send + Sync> FromRequestParts<S> for RequestConditions {
    type Rejection = AdminProblem;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, AdminProblem> {
        let Query(DryRun { dry_run }) = Query::from_request_parts(parts, state).await?;
        Self::read(parts, dry_run)
    }
}

fn precondition(fields: &HeaderMap) -> Result<Option<Precondition>, AdminProblem> {
    let one = |name: &HeaderName| {
        let mut values = fields.get_all(name).iter();
        match (values.next(), values.next()) {
            (None, _) => Ok(None),
            (Some(value), None) => Ok(Some(value.as_bytes().trim_ascii())),
            (Some(_), Some(_)) => Err(unusable("at most one If-Match or If-None-Match is allowed")),
        }
    };
    match (one(&header::IF_MATCH)?, one(&header::IF_NONE_MATCH)?) {
        (None, None) => Ok(None),
        (Some(b"*"), None) => Ok(Some(Precondition::Any)),
        (None, Some(b"*")) => Ok(Some(Precondition::None)),
        (Some(text), None) => {
            let expected = "If-Match must be * or the ETag of a level, such as \"7\"";
            let revision = etag::parse(text).ok_or_else(|| unusable(expected))?;
            Ok(Some(Precondition::Revision(revision)))
        }
        (None, Some(_)) => Err(unusable("If-None-Match of a change must be *")),
        (Some(_), Some(_)) => Err(unusable("If-Match and If-None-Match exclude each other")),
    }
}

fn idempotency_key(fields: &HeaderMap) -> Result<Option<String>, AdminProblem> {
    let expected = || unusable("Idempotency-Key must have 1 to 128 visible ASCII characters");
    let mut values = fields.get_all(IDEMPOTENCY_KEY).iter();
    let Some(value) = values.next() else { return Ok(None) };
    let key = value.to_str().map_err(|_| expected())?;
    let usable = (1..=MAX_IDEMPOTENCY_KEY).contains(&key.len())
        && key.bytes().all(|byte| byte.is_ascii_graphic());
    if usable && values.next().is_none() { Ok(Some(key.to_owned())) } else { Err(expected()) }
}

fn unusable(expected: &str) -> AdminProblem {
    AdminProblem::bad_request("invalid-header", expected)
}

#[cfg(test)]
mod tests {
    use fingerpost_store::Revision;
    use http::HeaderValue;

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
