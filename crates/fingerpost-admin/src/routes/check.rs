//! Checks of typed text, for feedback next to a field.

use std::borrow::Cow;
use std::sync::Arc;

use axum::extract::State;
use axum::response::Response;
use fingerpost_gs1::gtin::{GtinKind, MedicineScheme, WeightCodes};
use fingerpost_gs1::{Ai, Date, DigitalLink, EntityKey};
use fingerpost_identify::{Finding, Inspection, Meant, hidden_at_start, inspect, read};
use fingerpost_registry::RegistryError;
use fingerpost_resolver::{Anchor, ascii_form, day_of};
use serde::{Deserialize, Serialize};
use utoipa::openapi::schema::{ObjectBuilder, Type};
use utoipa::openapi::{RefOr, Schema};
use utoipa::{IntoParams, PartialSchema, ToSchema};

use crate::credential::Who;
use crate::limits::MAX_CHECKED_TEXT;
use crate::problem::AdminProblem;
use crate::query::Query;
use crate::response::ok;
use crate::state::App;

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

impl CheckQuery {
    /// Returns the text, unless it is too long.
    pub(super) fn text(self) -> Result<String, AdminProblem> {
        if self.text.chars().count() > MAX_CHECKED_TEXT {
            let detail = format!("text must have at most {MAX_CHECKED_TEXT} characters");
            return Err(AdminProblem::bad_request("invalid-query", detail));
        }
        Ok(self.text)
    }
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
    pub(super) key: Option<String>,
    /// Whether you may register a record for this level; absent without one.
    #[serde(skip_serializing_if = "Option::is_none")]
    writable: Option<bool>,
    /// The text as an element string.
    #[serde(skip_serializing_if = "Option::is_none")]
    element_string: Option<String>,
    /// The text as a GS1 Digital Link URI.
    #[serde(skip_serializing_if = "Option::is_none")]
    uri: Option<String>,
    /// What its GTIN is, unless it is only the number of a product.
    #[serde(skip_serializing_if = "Option::is_none")]
    gtin: Option<GtinBody>,
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
    pub(super) faults: Vec<FindingBody>,
    /// All warnings.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schema(required = false)]
    warnings: Vec<FindingBody>,
    /// What the text was probably meant to be, if it is not valid or hides a better reading.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) perhaps_meant: Option<MeantBody>,
}

/// A better reading of the text.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = Meant)]
pub(crate) struct MeantBody {
    /// The level that it names.
    #[serde(skip_serializing_if = "Option::is_none")]
    key: Option<String>,
    /// The reading as an element string; absent if several readings are about equally likely.
    #[serde(skip_serializing_if = "Option::is_none")]
    element_string: Option<String>,
    /// What it assumes.
    why: Vec<AssumptionBody>,
    /// The number of other readings in which every element passes its checks.
    other_readings: usize,
}

/// An assumption about what was meant.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = Assumption)]
pub(crate) struct AssumptionBody {
    /// The stable name of the kind.
    code: &'static str,
    /// What is assumed.
    detail: String,
    span: SpanBody,
    /// What speaks for it.
    evidence: Vec<String>,
}

/// What a GTIN is.
#[derive(Debug, Default, Serialize, ToSchema)]
#[schema(as = Gtin)]
pub(crate) struct GtinBody {
    /// `gtin-8`, `isbn`, `ismn`, `issn`, `restricted-company`, `restricted-region`, `refund` or
    /// `coupon`.
    #[serde(skip_serializing_if = "Option::is_none")]
    kind: Option<&'static str>,
    /// Whether it never identifies a product in the world, so that no Digital Link should be
    /// published for it.
    restricted: bool,
    /// The digits of a weight code that identify the item, if `weight_codes` is configured.
    #[serde(skip_serializing_if = "Option::is_none")]
    item: Option<String>,
    /// The weight, price or count in a weight code.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<Object>)]
    meaning: Option<serde_json::Value>,
    /// The national number of a medicine, with its scheme in front.
    #[serde(skip_serializing_if = "Option::is_none")]
    medicine: Option<String>,
}

impl GtinBody {
    fn of(gtin: &str, codes: Option<&WeightCodes>) -> Option<Self> {
        let kind = GtinKind::of(gtin);
        let weight = codes.and_then(|codes| codes.read(gtin));
        let medicine = MedicineScheme::read(gtin);
        (kind.is_some() || medicine.is_some()).then(|| Self {
            kind: kind.map(GtinKind::code),
            restricted: kind.is_some_and(GtinKind::is_restricted),
            item: weight.as_ref().map(|(item, _)| (*item).to_owned()),
            meaning: weight.and_then(|(_, meaning)| serde_json::to_value(meaning).ok()),
            medicine: medicine.map(|(scheme, number)| format!("{} {number}", scheme.name())),
        })
    }
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
    /// What the value means, such as a date or a weight; `type` names its other members.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<Object>)]
    meaning: Option<serde_json::Value>,
}

/// A range of bytes in the text.
#[derive(Clone, Copy, Debug, Serialize, ToSchema)]
#[schema(as = StatusPeriod)]
pub(crate) struct SpanBody {
    pub(super) start: usize,
    pub(super) end: usize,
}

/// A fault or a warning.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[schema(as = Finding)]
pub(crate) struct FindingBody {
    /// The stable name of the finding.
    pub(super) code: &'static str,
    /// The error in words.
    detail: String,
    /// How to fix it.
    #[serde(skip_serializing_if = "Option::is_none")]
    hint: Option<String>,
    pub(super) span: SpanBody,
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
    State(app): State<Arc<App>>,
    Who(caller): Who,
    Query(asked): Query<CheckQuery>,
) -> Result<Response, AdminProblem> {
    let today = day_of(app.registry().now());
    let codes = app.config().site().settings.weight_codes();
    let mut found = look(&asked.text()?).with_meanings(today, codes);
    if let Some(level) = found.key.as_deref().and_then(|key| Anchor::parse(key).ok()) {
        let asked = app.try_call(move |registry| registry.require_write(&caller, Some(&level)));
        found.writable = match asked.await? {
            Ok(()) => Some(true),
            Err(RegistryError::Forbidden { .. }) => Some(false),
            Err(error) => return Err(error.into()),
        };
    }
    Ok(ok(&found))
}

/// Returns whether a text can be read, without looking for its faults.
pub(super) fn is_readable(text: &str) -> bool {
    let rooted = rooted(text.trim_ascii());
    read(ascii_form(&rooted).as_deref().unwrap_or(&rooted)).is_ok()
}

/// Returns a path with its leading slash: without it, as in level keys, it is not recognised as a
/// form by itself.
fn rooted(path: &str) -> Cow<'_, str> {
    match path.split_once('/') {
        Some((ai, _)) if ai.len() > 1 && ai.bytes().all(|byte| byte.is_ascii_digit()) => {
            format!("/{path}").into()
        }
        _ => path.into(),
    }
}

pub(super) fn look(text: &str) -> CheckBody {
    let path = text.trim_ascii();
    let hidden = hidden_at_start(path);
    let before = text.len() - text.trim_ascii_start().len() + hidden;
    let about_hidden = if hidden > 0 { inspect(&path[..hidden]).warnings } else { Vec::new() };
    let path = &path[hidden..];
    let rooted = rooted(path);
    let shift = rooted.len() - path.len();
    if let Some(anchor) = Anchor::parse(path).ok().filter(|anchor| anchor.entity().is_none()) {
        let key = Some(anchor.as_str().to_owned());
        return CheckBody { valid: true, form: "anchor", key, ..CheckBody::default() };
    }
    // Positions refer to the text as given, so a conversion is read only if it has no faults.
    let converted = ascii_form(path);
    let found = converted.as_deref().map(inspect).filter(Inspection::is_valid);
    let found = found.unwrap_or_else(|| inspect(&rooted));
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
        writable: None,
        gtin: None,
        parts: item.map_or_else(Vec::new, |item| {
            let part = |row: &fingerpost_identify::DescribedElement| PartBody {
                ai: row.ai.to_string().trim_matches(['(', ')']).to_owned(),
                title: row.title,
                value: row.value.clone(),
                meaning: None,
            };
            item.rows.iter().map(part).collect()
        }),
        detail: first.as_ref().map(|first| first.detail.clone()),
        hint: first.as_ref().and_then(|first| first.hint.clone()),
        span: first.map(|first| first.span),
        faults,
        warnings: about_hidden.iter().chain(&found.warnings).map(finding).collect(),
        perhaps_meant: found.meant.as_ref().map(|meant| MeantBody::new(meant, before, shift)),
    }
}

impl CheckBody {
    /// Adds what the values mean.
    fn with_meanings(mut self, today: Date, codes: Option<&WeightCodes>) -> Self {
        let gtin = self.parts.iter().find(|part| part.ai == Ai::GTIN.as_str());
        self.gtin = gtin.and_then(|part| GtinBody::of(&part.value, codes));
        for part in &mut self.parts {
            let meaning = Ai::new(&part.ai).and_then(|ai| ai.meaning(&part.value, today));
            part.meaning = meaning.and_then(|meaning| serde_json::to_value(meaning).ok());
        }
        self
    }
}

impl MeantBody {
    /// The inspection saw `shift` bytes before the text, and not the `before` bytes of white space.
    fn new(meant: &Meant, before: usize, shift: usize) -> Self {
        let item = meant.item.as_ref();
        let position = |at: usize| (before + at).saturating_sub(shift);
        let why = meant.why.iter().map(|assumption| AssumptionBody {
            code: assumption.kind.code(),
            detail: assumption.message.clone(),
            span: SpanBody {
                start: position(assumption.span.start),
                end: position(assumption.span.end),
            },
            evidence: assumption.evidence.clone(),
        });
        Self {
            key: item.and_then(|item| level(item.canonical_uri.as_deref()?)),
            element_string: item.map(|item| item.element_string.clone()),
            why: why.collect(),
            other_readings: meant.other_readings,
        }
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

    // GS1-OTH-02
    #[test]
    fn invisible_characters_before_a_text_are_left_out() {
        let found = look("\u{feff}09506000134352");
        assert_eq!(found.key.as_deref(), Some("01/09506000134352"));
        assert_eq!(found.warnings[0].code, "HIDDEN_CHARACTER");
        let found = look("\u{200b}09506000134353");
        assert_eq!(found.span.map(|span| span.start), Some(16));
    }

    // GS1-OTH-03, GS1-OTH-05, GS1-OTH-06
    #[test]
    fn numbers_that_are_not_only_products_are_named() {
        let today = Date::new(2026, 2, 1).expect("a day");
        let found = |text: &str, country| {
            let found = look(text).with_meanings(today, WeightCodes::of_country(country));
            serde_json::to_value(&found).expect("JSON")["gtin"].take()
        };
        let weight = found("2388060112344", "SE");
        assert_eq!(
            (&weight["kind"], &weight["restricted"]),
            (&"restricted-region".into(), &true.into())
        );
        assert_eq!(
            (&weight["item"], &weight["meaning"]["number"]),
            (&"23880601".into(), &"1.234".into())
        );
        assert_eq!(found("2388060112344", "")["meaning"], serde_json::Value::Null);
        assert_eq!(found("4150037528643", "")["medicine"], "PZN 03752864");
        let isbn = found("9780141036144", "");
        assert_eq!((&isbn["kind"], &isbn["restricted"]), (&"isbn".into(), &false.into()));
        assert_eq!(found("9520123456788", ""), serde_json::Value::Null);
    }

    /// IN-2: a valid text that hides a lost separator.
    #[test]
    fn a_better_reading_is_proposed() {
        let found = look(" 010952012345678810COV010917270901");
        assert!(found.valid && found.warnings.iter().any(|w| w.code == "LOST_SEPARATOR"));
        let meant = found.perhaps_meant.expect("a reading");
        let expected = "(01)09520123456788(10)COV0109(17)270901";
        assert_eq!(meant.element_string.as_deref(), Some(expected));
        assert_eq!(meant.key.as_deref(), Some("01/09520123456788/10/COV0109"));
        assert_eq!((meant.why[0].code, meant.why[0].span.start), ("LOST_SEPARATOR", 26));
    }
}
