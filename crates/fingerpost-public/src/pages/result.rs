//! The answer of the home page about a text: the product first, then its analysis.

use std::borrow::Cow;
use std::ops::Range;

use fingerpost_gs1::gtin::{GtinKind, MedicineScheme, WeightCodes};
use fingerpost_gs1::{Ai, Date, EntityKey, ErrorKind};
use fingerpost_identify::{Cause, Finding, InputForm, Inspection, Item, inspect};
use fingerpost_resolver::{Settings, UrnKeyError, ascii_form, day_of, urn_key};
use fingerpost_store::StoreError;
use fingerpost_uri::urn::{Mode, Urn};
use fingerpost_uri::{Typed, hide_password};

use super::faults::ShownFault;
use super::meaning::meaning;
use super::product::{Addresses, LookUp, ProductView, Registration, entity_of};
use super::web::encoded;
use super::words::{self, Word};
use super::{Part, parts};
use crate::limits::{MAX_SHOWN_FAULTS, MAX_SHOWN_INPUT};
use crate::texts::{Texts, visible};

/// The answer about a text.
pub(super) struct ResultView<'a> {
    /// The name of the product, or the verdict.
    pub(super) heading: String,
    pub(super) found: Destination<'a>,
    /// The parts of the identifier, in words, and its addresses, if this resolver serves its kind.
    pub(super) parts: Vec<Part<'a>>,
    pub(super) addresses: Option<Addresses>,
    /// The suggested correction: its sentence, and the text as a query.
    pub(super) suggestion: Option<(String, String)>,
    pub(super) is_valid: bool,
    pub(super) verdict: String,
    /// The kind of barcode it was scanned from.
    pub(super) carrier: Option<&'static str>,
    pub(super) faults: Vec<FaultView<'a>>,
    /// How many more faults there are, in words.
    pub(super) more_faults: Option<String>,
    /// Deviations that were ignored, in English.
    pub(super) lenient: Vec<String>,
    /// What its GTIN is, if it never identifies a product in the world.
    pub(super) restricted: Option<String>,
    pub(super) rows: Vec<RowView<'a>>,
    /// Its other forms: name and text.
    pub(super) spellings: Vec<(&'a str, String)>,
    pub(super) filter: Option<String>,
}

/// Where an identifier leads.
pub(super) enum Destination<'a> {
    Registered(ProductView<'a>),
    /// Another resolver is responsible, to which the address on this host redirects.
    Elsewhere,
    Unknown,
    /// This resolver serves no identifiers of this kind.
    NotServed,
    /// It is valid, but identifies nothing.
    NoKey,
    /// It is not valid.
    Nothing,
}

pub(super) struct FaultView<'a> {
    pub(super) message: String,
    pub(super) hint: Option<&'a str>,
    pub(super) before: String,
    pub(super) part: String,
    pub(super) after: String,
    pub(super) code: &'static str,
    pub(super) detail: String,
}

pub(super) struct RowView<'a> {
    pub(super) ai: String,
    pub(super) name: Word<'a>,
    pub(super) value: String,
    /// What the value means.
    pub(super) meaning: Option<String>,
}

impl<'a> ResultView<'a> {
    /// Identifies a text, and looks up what it identifies.
    pub(super) fn new(
        texts: &'a Texts,
        look_up: &LookUp<'_>,
        question: &str,
    ) -> Result<Self, StoreError> {
        let typed = Typed::new(question).converted(ascii_form);
        let shown = hide_password(typed.text());
        let found = inspect(&shown);
        let is_name = found.form == InputForm::Unknown && found.meant.is_none();
        if is_name && is_urn(found.input) {
            return Self::of_name(texts, look_up, found.input);
        }
        let mut result = Self::of_inspection(texts, &found, day_of(look_up.now));
        if let Some(item) = found.item.as_ref().filter(|_| result.is_valid) {
            result.add_kind(texts, item, look_up.settings.weight_codes());
        }
        let item = found.item.as_ref();
        let uri = item.and_then(|item| item.canonical_uri.as_deref());
        match uri.and_then(entity_of) {
            Some((entity, path)) if result.is_valid => {
                let known = look_up.find(texts, &Addresses::new(look_up.settings, path).scan)?;
                result.locate(texts, look_up.settings, known, &entity, path);
            }
            None if result.is_valid => result.found = Destination::NoKey,
            // Some parts of the path are misplaced: the rest is probably meant.
            Some((_, path)) => {
                let meant = [look_up.settings.root().as_str(), path].concat();
                result.suggest(texts, &meant);
            }
            None => {
                if let Some(meant) = with_check_digit(&found) {
                    result.suggest(texts, &meant);
                }
            }
        }
        // A better reading comes before what is left of the text without its faults.
        if let Some(item) = found.meant.as_ref().and_then(|meant| meant.item.as_ref()) {
            let path = item.canonical_uri.as_deref().and_then(entity_of).map(|(_, path)| path);
            let meant = match path {
                Some(path) => [look_up.settings.root().as_str(), path].concat(),
                None => item.element_string.clone(),
            };
            result.suggest(texts, &meant);
        }
        Ok(result)
    }

    /// Creates the analysis of a text, which leads nowhere yet.
    fn analysis(verdict: String, is_valid: bool) -> Self {
        Self {
            heading: verdict.clone(),
            found: Destination::Nothing,
            parts: Vec::new(),
            addresses: None,
            suggestion: None,
            is_valid,
            verdict,
            carrier: None,
            faults: Vec::new(),
            more_faults: None,
            lenient: Vec::new(),
            restricted: None,
            rows: Vec::new(),
            spellings: Vec::new(),
            filter: None,
        }
    }

    fn of_inspection(texts: &'a Texts, found: &Inspection<'_>, today: Date) -> Self {
        let item = found.item.as_ref();
        let rows = item.iter().flat_map(|item| &item.rows);
        let faults = found.faults.iter().take(MAX_SHOWN_FAULTS);
        let warnings = found.warnings.iter().take(MAX_SHOWN_FAULTS);
        let is_valid = found.is_valid();
        Self {
            carrier: match found.form {
                InputForm::Scan(Some(symbology)) => Some(symbology.carrier()),
                _ => None,
            },
            faults: faults.map(|fault| FaultView::new(texts, found.input, fault)).collect(),
            more_faults: more_faults(texts, found.faults.len()),
            lenient: warnings.map(|warning| warning.message.clone()).collect(),
            rows: rows.map(|row| RowView::new(texts, row.ai, &row.value, today)).collect(),
            spellings: spellings(texts, found),
            filter: found.bits.as_ref().and_then(|facts| {
                let filter = facts.filter?.to_string();
                Some(facts.filter_meaning.map_or(filter.clone(), |is| format!("{filter}: {is}")))
            }),
            ..Self::analysis(verdict(texts, is_valid, found.form.code()), is_valid)
        }
    }

    /// Adds what the GTIN is, if not only the number of a product.
    fn add_kind(&mut self, texts: &'a Texts, item: &Item, codes: Option<&WeightCodes>) {
        let Some(gtin) = item.gtin() else { return };
        let kind = GtinKind::of(gtin);
        let restricted = kind.filter(|kind| kind.is_restricted());
        self.restricted = restricted
            .map(|kind| texts.fill(&texts.result.restricted, &[("kind", texts.gtin(kind))]));
        let weight = codes.and_then(|codes| codes.read(gtin));
        let weight =
            weight.and_then(|(item, weight)| Some(format!("{}, {item}", meaning(texts, &weight)?)));
        let medicine = MedicineScheme::read(gtin);
        let medicine = medicine.map(|(scheme, number)| format!("{} {number}", scheme.name()));
        let kind = kind.map(|kind| texts.gtin(kind).to_owned());
        if let Some(row) = self.rows.iter_mut().find(|row| row.ai == Ai::GTIN.as_str()) {
            row.meaning = weight.or(medicine).or(kind);
        }
    }

    /// Describes a URN that is not an EPC: an ISBN or ISSN has a key too.
    fn of_name(texts: &'a Texts, look_up: &LookUp<'_>, name: &str) -> Result<Self, StoreError> {
        let found =
            Urn::parse(name, Mode::Auto).map_err(|error| (ShownFault::name(), error.to_string()));
        let found = found.and_then(|urn| {
            urn_key(urn).map_err(|error| match error {
                UrnKeyError::NoKey => (ShownFault::name_without_key(), error.to_string()),
                _ => (ShownFault::name(), error.to_string()),
            })
        });
        let mut result = Self::analysis(verdict(texts, found.is_ok(), "urn"), found.is_ok());
        match found {
            Ok(computed) => {
                // An ISSN does not say which variant of a serial publication is registered.
                let name = name.split('#').next().unwrap_or_default();
                let known = look_up.find(texts, &["/urn/", name].concat())?;
                let key = match &known {
                    Registration::Registered(product) => product.key.clone(),
                    Registration::Elsewhere | Registration::Unknown => computed,
                };
                let today = day_of(look_up.now);
                let pair = |(ai, _): (Ai, &str)| {
                    RowView::new(texts, ai, &key.value(ai).unwrap_or_default(), today)
                };
                result.rows = key.pairs().map(pair).collect();
                let bracketed = texts.form("bracketed-element-string");
                result.spellings.push((bracketed, key.to_element_string_text()));
                result.locate(texts, look_up.settings, known, &key, &format!("/{key}"));
            }
            Err((fault, detail)) => {
                let whole = 0..name.len();
                result.faults.push(FaultView::of(texts, name, whole, &fault, "NAME", detail));
            }
        }
        Ok(result)
    }

    /// Adds the registration of the entity of a valid text; `path` is that of its Digital Link
    /// below the root, with its query.
    fn locate(
        &mut self,
        texts: &'a Texts,
        settings: &Settings,
        found: Registration<'a>,
        entity: &EntityKey,
        path: &str,
    ) {
        if !settings.primary_keys().contains(entity.primary_key()) {
            self.found = Destination::NotServed;
            return;
        }
        let addresses = Addresses::new(settings, path);
        let parts = parts(texts, entity);
        let key = parts.first().map(|key| [key.name.text.as_ref(), " ", &key.value].concat());
        (self.heading, self.found) = match found {
            Registration::Registered(mut product) => {
                let name = product.name.take().or(key).unwrap_or_default();
                (name, Destination::Registered(product))
            }
            Registration::Elsewhere => (key.unwrap_or_default(), Destination::Elsewhere),
            Registration::Unknown => (texts.result.unknown.clone(), Destination::Unknown),
        };
        (self.parts, self.addresses) = (parts, Some(addresses));
    }

    /// Returns the heading for the title of the window. Text of a registrant cannot turn the
    /// writing there.
    pub(super) fn title(&self) -> Cow<'a, str> {
        let is_by_registrant = matches!(self.found, Destination::Registered(_));
        let heading = &self.heading;
        Cow::Owned(if is_by_registrant { visible(heading).into_owned() } else { heading.clone() })
    }

    fn suggest(&mut self, texts: &Texts, meant: &str) {
        let sentence = texts.fill(&texts.result.suggest, &[("text", &visible(meant))]);
        self.suggestion = Some((sentence, encoded(meant)));
    }
}

/// Returns the other forms of an identifier: name and text.
fn spellings<'a>(texts: &'a Texts, found: &Inspection<'_>) -> Vec<(&'a str, String)> {
    let mut spellings = Vec::new();
    if let Some(item) = found.item.as_ref().filter(|_| found.form != InputForm::Bracketed) {
        spellings.push((texts.form("bracketed-element-string"), item.element_string.clone()));
    }
    if let Some(facts) = &found.bits {
        for (code, text) in
            [("epc-urn", &facts.urn), ("epc-tag", &facts.tag_uri), ("epc-hex", &facts.hex)]
        {
            let other = text.as_ref().filter(|text| text.as_str() != found.input);
            spellings.extend(other.map(|text| (texts.form(code), text.clone())));
        }
    }
    spellings
}

/// Returns the text with the right check digit or check characters, if these are all that is wrong
/// with it.
fn with_check_digit(found: &Inspection<'_>) -> Option<String> {
    let [fault] = &found.faults[..] else { return None };
    let Cause::Gs1(error) = &fault.cause else { return None };
    let (digit, pair);
    let expected: &[u8] = match error.kind() {
        ErrorKind::CheckDigit { expected, .. } | ErrorKind::EanCheckDigit { expected, .. } => {
            digit = [expected];
            &digit
        }
        ErrorKind::CheckPair { expected, .. } => {
            pair = expected;
            &pair
        }
        _ => return None,
    };
    let mut text = found.input.as_bytes().to_vec();
    let wrong = text.get_mut(fault.span.clone())?;
    if wrong.len() != expected.len() {
        return None;
    }
    wrong.copy_from_slice(expected);
    String::from_utf8(text).ok().filter(|text| inspect(text).is_valid())
}

/// Returns a sentence with the validity and the form of a text.
fn verdict(texts: &Texts, is_valid: bool, form: &str) -> String {
    let words = &texts.result;
    let text = if is_valid { &words.valid } else { &words.invalid };
    texts.fill(text, &[("form", texts.form(form))])
}

/// Returns how many of these faults are not shown, in words; `None` if all are.
fn more_faults(texts: &Texts, count: usize) -> Option<String> {
    let more = count.checked_sub(MAX_SHOWN_FAULTS).filter(|more| *more > 0)?;
    Some(texts.fill(&texts.result.more_faults, &[("count", &more.to_string())]))
}

impl<'a> FaultView<'a> {
    fn new(texts: &'a Texts, input: &str, finding: &Finding) -> Self {
        let fault = ShownFault::of_finding(finding);
        let message = finding.message.clone();
        Self::of(texts, input, finding.span.clone(), &fault, finding.code, message)
    }

    fn of(
        texts: &'a Texts,
        input: &str,
        span: Range<usize>,
        fault: &ShownFault,
        code: &'static str,
        detail: String,
    ) -> Self {
        let [before, part, after] = marked(input, span);
        Self {
            message: fault.message(texts),
            hint: fault.hint(texts),
            before,
            part,
            after,
            code,
            detail,
        }
    }
}

impl<'a> RowView<'a> {
    fn new(texts: &'a Texts, ai: Ai, value: &str, today: Date) -> Self {
        Self {
            ai: ai.to_string(),
            name: words::identifier(texts, ai),
            value: visible(value).into_owned(),
            meaning: ai.meaning(value, today).and_then(|it| meaning(texts, &it)),
        }
    }
}

fn is_urn(text: &str) -> bool {
    text.get(..4).is_some_and(|start| start.eq_ignore_ascii_case("urn:"))
}

/// Returns a text before, within and after a span, truncated, with everything visible.
fn marked(text: &str, span: Range<usize>) -> [String; 3] {
    let boundary = |mut at: usize, step: isize| {
        at = at.min(text.len());
        while !text.is_char_boundary(at) {
            at = at.saturating_add_signed(step);
        }
        at
    };
    let start = boundary(span.start, -1);
    let end = boundary(span.end.max(span.start), 1).max(start);
    let (before, part, after) = (&text[..start], &text[start..end], &text[end..]);
    let skipped = before.chars().count().saturating_sub(MAX_SHOWN_INPUT);
    let before: String = before.chars().skip(skipped).collect();
    let head = if skipped > 0 { "…" } else { "" };
    [[head, &*visible(&before)].concat(), cut(part), cut(after)]
}

/// Returns the beginning of a text.
fn cut(text: &str) -> String {
    match text.char_indices().nth(MAX_SHOWN_INPUT) {
        None => visible(text).into_owned(),
        Some((end, _)) => [&*visible(&text[..end]), "…"].concat(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marks_never_cut_a_character() {
        assert_eq!(marked("abc", 1..2), ["a", "b", "c"]);
        assert_eq!(marked("äöü", 1..3), ["", "äö", "ü"]);
        assert_eq!(marked("ab", 7..9), ["ab", "", ""]);
        let long = "x".repeat(200);
        let [before, part, after] = marked(&long, 100..190);
        assert!(before.starts_with('…') && part.ends_with('…'), "{before} {part}");
        assert_eq!(after.chars().count(), 10);
    }
}
