//! A text that somebody types, looked at: for live checks next to a field.

use axum::response::Response;
use fingerpost_gs1::{DigitalLink, EntityKey};
use fingerpost_resolver::inspect::{Finding, inspect};
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use super::{Refused, ok};
use crate::credential::Who;
use crate::problem::Problem;
use crate::query::Query;

/// Longest text that is looked at, in bytes.
const MAX_TEXT: usize = 4096;

/// What to look at.
#[derive(Clone, Debug, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub(crate) struct CheckQuery {
    /// A GTIN, an element string, a path, a Digital Link URI, an EPC.
    #[param(example = "(01)09506000134352(10)ABC")]
    text: String,
}

/// What was found.
#[derive(Debug, Default, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = Check)]
pub(crate) struct CheckBody {
    /// Is nothing wrong with it?
    valid: bool,
    /// What it is meant to be.
    form: &'static str,
    /// The level that it names.
    #[serde(skip_serializing_if = "Option::is_none")]
    key: Option<String>,
    /// It as an element string.
    #[serde(skip_serializing_if = "Option::is_none")]
    element_string: Option<String>,
    /// It as a Digital Link URI.
    #[serde(skip_serializing_if = "Option::is_none")]
    uri: Option<String>,
    /// Its elements.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schema(required = false)]
    parts: Vec<PartBody>,
    /// The first thing wrong.
    #[serde(skip_serializing_if = "Option::is_none")]
    detail: Option<String>,
    /// What to do about it.
    #[serde(skip_serializing_if = "Option::is_none")]
    hint: Option<String>,
    /// Where it is.
    #[serde(skip_serializing_if = "Option::is_none")]
    span: Option<SpanBody>,
    /// Everything wrong.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schema(required = false)]
    faults: Vec<FindingBody>,
    /// Worth knowing.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schema(required = false)]
    warnings: Vec<FindingBody>,
}

/// One element.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = Part)]
pub(crate) struct PartBody {
    /// Its Application Identifier.
    ai: String,
    /// Its title.
    title: &'static str,
    value: String,
}

/// Bytes of the text.
#[derive(Clone, Copy, Debug, Serialize, ToSchema)]
#[schema(as = Span)]
pub(crate) struct SpanBody {
    start: usize,
    end: usize,
}

/// One thing found.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[schema(as = Finding)]
pub(crate) struct FindingBody {
    /// Does not change.
    code: &'static str,
    /// What was expected and what was found.
    detail: String,
    /// What to do about it.
    #[serde(skip_serializing_if = "Option::is_none")]
    hint: Option<String>,
    span: SpanBody,
}

impl FindingBody {
    /// `before`: bytes of white space that the inspection did not see.
    fn new(finding: &Finding, before: usize) -> Self {
        Self {
            code: finding.code,
            detail: finding.message.clone(),
            hint: Some(finding.help.clone()).filter(|help| !help.is_empty()),
            span: SpanBody { start: before + finding.span.start, end: before + finding.span.end },
        }
    }
}

/// Looks at a text: the level that it names, or what is wrong and where.
#[utoipa::path(
    get, path = "/v1/check", operation_id = "checkText", tag = "service", params(CheckQuery),
    responses((status = 200, description = "What was found.", body = CheckBody), Refused)
)]
pub(crate) async fn check(
    Who(_): Who,
    Query(CheckQuery { text }): Query<CheckQuery>,
) -> Result<Response, Problem> {
    if text.len() > MAX_TEXT {
        let expected = format!("text: expected at most {MAX_TEXT} bytes");
        return Err(Problem::bad_request("invalid-query", expected));
    }
    Ok(ok(&look(&text)))
}

fn look(text: &str) -> CheckBody {
    let before = text.len() - text.trim_ascii_start().len();
    let path = text.trim_ascii();
    // A path without its first slash, as level keys are written, has no form of its own.
    let (rooted, shift) = match path.split_once('/') {
        Some((ai, _)) if ai.len() > 1 && ai.bytes().all(|byte| byte.is_ascii_digit()) => {
            (Some(format!("/{path}")), 1)
        }
        _ => (None, 0),
    };
    let found = inspect(rooted.as_deref().unwrap_or(path));
    let finding = |finding: &Finding| {
        let mut body = FindingBody::new(finding, before);
        body.span.start = body.span.start.saturating_sub(shift);
        body.span.end = body.span.end.saturating_sub(shift);
        body
    };
    let faults: Vec<_> = found.faults.iter().map(finding).collect();
    let first = faults.first().cloned();
    let item = found.item.as_ref().filter(|_| found.is_valid());
    let uri = item.and_then(|item| item.canonical_uri.clone());
    CheckBody {
        valid: found.is_valid(),
        form: found.form.name(),
        key: uri.as_deref().and_then(level),
        element_string: item.map(|item| item.element_string.clone()),
        uri,
        parts: item.map_or_else(Vec::new, |item| {
            let part = |row: &fingerpost_resolver::inspect::Row| PartBody {
                ai: row.ai.to_string().trim_matches(['(', ')']).to_owned(),
                title: row.title,
                value: row.value.clone(),
            };
            item.rows.iter().map(part).collect()
        }),
        detail: first.as_ref().map(|first| first.detail.clone()),
        hint: first.as_ref().and_then(|first| first.hint.clone()),
        span: first.map(|first| first.span),
        faults,
        warnings: found.warnings.iter().map(finding).collect(),
    }
}

/// The level that a canonical URI names.
fn level(uri: &str) -> Option<String> {
    let path = uri.strip_prefix(DigitalLink::REFERENCE_STEM)?.split(['?', '#']).next()?;
    EntityKey::parse(path).ok().map(|key| key.as_str().to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whatever_is_pasted_is_understood() {
        for text in [
            "09506000134352",
            "(01)09506000134352",
            "01/09506000134352",
            "/01/09506000134352",
            " https://example.com/01/09506000134352?17=301231 ",
        ] {
            let found = look(text);
            assert!(found.valid, "{text}: {found:?}");
            assert_eq!(found.key.as_deref(), Some("01/09506000134352"), "{text}");
        }
    }

    #[test]
    fn faults_have_their_place_in_what_was_typed() {
        for (text, at) in
            [("09506000134353", 13), ("  09506000134353", 15), ("01/09506000134353", 16)]
        {
            let found = look(text);
            assert!(!found.valid && found.key.is_none(), "{text}");
            assert_eq!(found.span.map(|span| span.start), Some(at), "{text}");
        }
    }
}
