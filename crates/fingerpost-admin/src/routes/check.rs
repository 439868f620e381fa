//! Checks of typed text, for feedback next to a field.

use axum::response::Response;
use fingerpost_gs1::{DigitalLink, EntityKey};
use fingerpost_identify::{Finding, Inspection, inspect};
use fingerpost_resolver::{Anchor, ascii_form};
use serde::{Deserialize, Serialize};
use utoipa::openapi::schema::{ObjectBuilder, Type};
use utoipa::openapi::{RefOr, Schema};
use utoipa::{IntoParams, PartialSchema, ToSchema};

use crate::credential::Who;
use crate::limits::MAX_CHECKED_TEXT;
use crate::problem::AdminProblem;
use crate::query::Query;
use crate::response::ok;

/// The schema of a text to check.
enum CheckedText {}

impl PartialSchema for CheckedText {
    fn schema() -> RefOr<Schema> {
        ObjectBuilder::new().schema_type(Type::String).max_length(Some(MAX_CHECKED_TEXT)).into()
    }
}

/// The text to check.
#[derive(Clone, Debug, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub(crate) struct CheckQuery {
    /// A GTIN, element string, path, Digital Link URI or EPC.
    #[param(inline, value_type = CheckedText, example = "(01)09506000134352(10)ABC")]
    text: String,
}

/// The result of a check.
#[derive(Debug, Default, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = Check)]
pub(crate) struct CheckBody {
    /// Whether the text is valid.
    valid: bool,
    /// The form of the text.
    form: &'static str,
    /// The level that the text names.
    #[serde(skip_serializing_if = "Option::is_none")]
    key: Option<String>,
    /// The text as an element string.
    #[serde(skip_serializing_if = "Option::is_none")]
    element_string: Option<String>,
    /// The text as a GS1 Digital Link URI.
    #[serde(skip_serializing_if = "Option::is_none")]
    uri: Option<String>,
    /// The elements of the text.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schema(required = false)]
    parts: Vec<PartBody>,
    /// The first fault.
    #[serde(skip_serializing_if = "Option::is_none")]
    detail: Option<String>,
    /// How to fix it.
    #[serde(skip_serializing_if = "Option::is_none")]
    hint: Option<String>,
    /// The position of the first fault.
    #[serde(skip_serializing_if = "Option::is_none")]
    span: Option<SpanBody>,
    /// All faults.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schema(required = false)]
    faults: Vec<FindingBody>,
    /// All warnings.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schema(required = false)]
    warnings: Vec<FindingBody>,
}

/// An element.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = Part)]
pub(crate) struct PartBody {
    /// The Application Identifier.
    ai: String,
    /// The title of the Application Identifier.
    title: &'static str,
    value: String,
}

/// A range of bytes in the text.
#[derive(Clone, Copy, Debug, Serialize, ToSchema)]
#[schema(as = Span)]
pub(crate) struct SpanBody {
    start: usize,
    end: usize,
}

/// A fault or a warning.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[schema(as = Finding)]
pub(crate) struct FindingBody {
    /// The stable name of the finding.
    code: &'static str,
    /// The error in words.
    detail: String,
    /// How to fix it.
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

/// Checks a text: returns the level that it names, or the errors with their positions.
#[utoipa::path(
    get, path = "/v1/check", operation_id = "checkText", tag = "service", params(CheckQuery),
    responses((status = 200, description = "The result.", body = CheckBody))
)]
pub(crate) async fn check(
    Who(_): Who,
    Query(CheckQuery { text }): Query<CheckQuery>,
) -> Result<Response, AdminProblem> {
    if text.chars().count() > MAX_CHECKED_TEXT {
        let detail = format!("text must have at most {MAX_CHECKED_TEXT} characters");
        return Err(AdminProblem::bad_request("invalid-query", detail));
    }
    Ok(ok(&look(&text)))
}

fn look(text: &str) -> CheckBody {
    let before = text.len() - text.trim_ascii_start().len();
    let path = text.trim_ascii();
    // A path without its leading slash, as in level keys, is not recognised as a form by itself.
    let (rooted, shift) = match path.split_once('/') {
        Some((ai, _)) if ai.len() > 1 && ai.bytes().all(|byte| byte.is_ascii_digit()) => {
            (Some(format!("/{path}")), 1)
        }
        _ => (None, 0),
    };
    if let Some(anchor) = Anchor::parse(path).ok().filter(|anchor| anchor.entity().is_none()) {
        let key = Some(anchor.as_str().to_owned());
        return CheckBody { valid: true, form: "anchor", key, ..CheckBody::default() };
    }
    // Positions refer to the text as given, so a conversion is read only if it has no faults.
    let converted = ascii_form(path);
    let found = converted.as_deref().map(inspect).filter(Inspection::is_valid);
    let found = found.unwrap_or_else(|| inspect(rooted.as_deref().unwrap_or(path)));
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
            let part = |row: &fingerpost_identify::Row| PartBody {
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
    fn faults_have_their_position_in_the_input() {
        for (text, at) in
            [("09506000134353", 13), ("  09506000134353", 15), ("01/09506000134353", 16)]
        {
            let found = look(text);
            assert!(!found.valid && found.key.is_none(), "{text}");
            assert_eq!(found.span.map(|span| span.start), Some(at), "{text}");
        }
    }
}
