//! The home page: a field for any identifier, and the answer about it.

use std::borrow::Cow;
use std::ops::Range;

use askama::Template;
use fingerpost_gs1::{Ai, DigitalLink, EntityKey, percent};
use fingerpost_identify::{Finding, InputForm, Inspection, inspect};
use fingerpost_resolver::{Settings, UrnKeyError, urn_key};
use fingerpost_uri::urn::{Mode, Urn};
use fingerpost_uri::{Typed, hide_password};

use super::faults::ShownFault;
use super::words::{self, Word};
use super::{Frame, Pages, render};
use crate::texts::{Texts, visible};

/// Maximum number of bytes of a question that are read: far more than any identifier has.
const LONGEST: usize = 4096;

/// Maximum number of characters shown on each side of a fault, and of the fault itself.
const SHOWN: usize = 48;

/// Maximum number of faults shown, and of deviations that were ignored: a text can have one at every byte.
const SHOWN_FAULTS: usize = 20;

/// Returns the value of `q` in a query, decoded as form data; `None` if it is missing or blank.
pub(super) fn question(query: &str) -> Option<String> {
    let pair = query.split('&').find_map(|pair| pair.strip_prefix("q="))?;
    let mut bytes = Vec::with_capacity(pair.len());
    let mut rest = pair.as_bytes();
    while let Some((&first, tail)) = rest.split_first() {
        let (byte, after) = match percent::triplet(rest) {
            Some(byte) => (byte, &rest[3..]),
            None if first == b'+' => (b' ', tail),
            None => (first, tail),
        };
        bytes.push(byte);
        rest = after;
    }
    bytes.truncate(LONGEST);
    let text = String::from_utf8_lossy(&bytes).into_owned();
    (!text.trim_matches(|char: char| char.is_ascii_whitespace()).is_empty()).then_some(text)
}

impl Pages {
    /// Returns the page, with or without a question.
    pub(super) fn home(
        &self,
        texts: &Texts,
        settings: &Settings,
        question: Option<&str>,
    ) -> String {
        let result = question.map(|question| ResultView::new(texts, settings, question));
        let keys = settings.primary_keys().as_slice().iter();
        render(&HomeTemplate {
            frame: self.frame(texts),
            question: question.map(without_password).unwrap_or_default(),
            is_invalid: result.as_ref().is_some_and(|result| !result.is_valid),
            result,
            root: settings.root().as_str(),
            examples: self.brand.examples().iter().map(|text| (&**text, encoded(text))).collect(),
            keys: keys.map(|ai| (ai.to_string(), words::identifier(texts, *ai))).collect(),
        })
    }
}

/// Returns the text for the field of the page, which is printed and passed on (RFC 3986, section 7.5).
fn without_password(question: &str) -> Cow<'_, str> {
    match hide_password(Typed::new(question).text()) {
        Cow::Owned(hidden) => Cow::Owned(hidden),
        Cow::Borrowed(_) => Cow::Borrowed(question),
    }
}

#[derive(Template)]
#[template(path = "home.html")]
struct HomeTemplate<'a> {
    frame: Frame<'a>,
    question: Cow<'a, str>,
    is_invalid: bool,
    result: Option<ResultView<'a>>,
    root: &'a str,
    /// The text, and the query for it.
    examples: Vec<(&'a str, String)>,
    keys: Vec<(String, Word<'a>)>,
}

/// The answer about a text.
struct ResultView<'a> {
    is_valid: bool,
    verdict: String,
    /// The kind of barcode it was scanned from.
    carrier: Option<&'static str>,
    faults: Vec<FaultView<'a>>,
    /// How many more faults there are, in words.
    more_faults: Option<String>,
    /// Deviations that were ignored, in English.
    lenient: Vec<String>,
    rows: Vec<RowView<'a>>,
    link: LinkState,
    /// Its other forms: name and text.
    spellings: Vec<(&'a str, String)>,
    filter: Option<String>,
}

/// The target of a text.
enum LinkState {
    /// The address below our root, and the page on this host that shows what is known about it.
    Here {
        canonical: String,
        open: String,
    },
    NotServed,
    NoKey,
    /// The text has no target.
    Nothing,
}

struct FaultView<'a> {
    message: String,
    hint: Option<&'a str>,
    before: String,
    part: String,
    after: String,
    code: &'static str,
    detail: String,
}

struct RowView<'a> {
    ai: String,
    name: Word<'a>,
    value: String,
}

impl<'a> ResultView<'a> {
    fn new(texts: &'a Texts, settings: &Settings, question: &str) -> Self {
        let typed = Typed::new(question);
        let shown = hide_password(typed.text());
        let found = inspect(&shown);
        if found.form == InputForm::Unknown && is_urn(found.input) {
            return Self::of_name(texts, settings, found.input);
        }
        Self::of_inspection(texts, settings, &found)
    }

    fn of_inspection(texts: &'a Texts, settings: &Settings, found: &Inspection<'_>) -> Self {
        let item = found.item.as_ref();
        let rows = item.iter().flat_map(|item| &item.rows);
        let key = item.and_then(|item| item.canonical_uri.as_deref());
        let mut spellings = Vec::new();
        if let Some(item) = item.filter(|_| found.form != InputForm::Bracketed) {
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
        Self {
            is_valid: found.is_valid(),
            verdict: verdict(texts, found.is_valid(), found.form.code()),
            carrier: match found.form {
                InputForm::Scan(Some(symbology)) => Some(symbology.carrier()),
                _ => None,
            },
            faults: found
                .faults
                .iter()
                .take(SHOWN_FAULTS)
                .map(|fault| FaultView::new(texts, found.input, fault))
                .collect(),
            more_faults: more_faults(texts, found.faults.len()),
            lenient: found
                .warnings
                .iter()
                .take(SHOWN_FAULTS)
                .map(|warning| warning.message.clone())
                .collect(),
            rows: rows.map(|row| RowView::new(texts, row.ai, &row.value)).collect(),
            link: match (item, key) {
                (None, _) if found.is_valid() => LinkState::NoKey,
                (None, _) => LinkState::Nothing,
                (Some(_), None) => LinkState::NoKey,
                (Some(_), Some(uri)) => LinkState::of_canonical(settings, uri),
            },
            spellings,
            filter: found.bits.as_ref().and_then(|facts| {
                let filter = facts.filter?.to_string();
                Some(facts.filter_meaning.map_or(filter.clone(), |is| format!("{filter}: {is}")))
            }),
        }
    }

    /// Describes a URN that is not an EPC: an ISBN or ISSN has a key too.
    fn of_name(texts: &'a Texts, settings: &Settings, name: &str) -> Self {
        let whole = 0..name.len();
        let found =
            Urn::parse(name, Mode::Auto).map_err(|error| (ShownFault::name(), error.to_string()));
        let found = found.and_then(|urn| {
            urn_key(urn).map_err(|error| match error {
                UrnKeyError::NoKey => (ShownFault::name_without_key(), error.to_string()),
                _ => (ShownFault::name(), error.to_string()),
            })
        });
        let mut result = Self {
            is_valid: found.is_ok(),
            verdict: verdict(texts, found.is_ok(), "urn"),
            carrier: None,
            faults: Vec::new(),
            more_faults: None,
            lenient: Vec::new(),
            rows: Vec::new(),
            link: LinkState::Nothing,
            spellings: Vec::new(),
            filter: None,
        };
        match found {
            Ok(key) => {
                let pair = |(ai, _): (Ai, &str)| {
                    RowView::new(texts, ai, &key.value(ai).unwrap_or_default())
                };
                result.rows = key.pairs().map(pair).collect();
                result.link = LinkState::of_path(settings, &key, &format!("/{key}"));
                let bracketed = texts.form("bracketed-element-string");
                result.spellings.push((bracketed, key.to_element_string_text()));
            }
            Err((fault, detail)) => {
                result.faults.push(FaultView::of(texts, name, whole, &fault, ("NAME", detail)));
            }
        }
        result
    }
}

/// Returns a sentence with the validity and the form of a text.
fn verdict(texts: &Texts, is_valid: bool, form: &str) -> String {
    let words = &texts.result;
    let text = if is_valid { &words.valid } else { &words.invalid };
    texts.fill(text, &[("form", texts.form(form))])
}

/// Returns how many of these faults are not shown, in words; `None` if all are.
fn more_faults(texts: &Texts, count: usize) -> Option<String> {
    let more = count.checked_sub(SHOWN_FAULTS).filter(|more| *more > 0)?;
    Some(texts.fill(&texts.result.more_faults, &[("count", &more.to_string())]))
}

impl LinkState {
    /// Creates the result for `uri`, which is below the reference stem.
    fn of_canonical(settings: &Settings, uri: &str) -> Self {
        let path = uri.strip_prefix(DigitalLink::REFERENCE_STEM).unwrap_or_default();
        let entity = EntityKey::parse(path.split(['?', '#']).next().unwrap_or_default());
        entity.map_or(Self::NoKey, |entity| Self::of_path(settings, &entity, path))
    }

    fn of_path(settings: &Settings, entity: &EntityKey, path: &str) -> Self {
        if !settings.primary_keys().contains(entity.primary_key()) {
            return Self::NotServed;
        }
        let root = settings.root();
        let joint = if path.contains('?') { '&' } else { '?' };
        Self::Here {
            canonical: [root.as_str(), path].concat(),
            open: format!("{}{path}{joint}linkType=linkset", root.stem()),
        }
    }
}

impl<'a> FaultView<'a> {
    fn new(texts: &'a Texts, input: &str, finding: &Finding) -> Self {
        let fault = ShownFault::of_finding(finding);
        let detail = (finding.code, finding.message.clone());
        Self::of(texts, input, finding.span.clone(), &fault, detail)
    }

    fn of(
        texts: &'a Texts,
        input: &str,
        span: Range<usize>,
        fault: &ShownFault,
        (code, detail): (&'static str, String),
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
    fn new(texts: &'a Texts, ai: Ai, value: &str) -> Self {
        Self {
            ai: ai.to_string(),
            name: words::identifier(texts, ai),
            value: visible(value).into_owned(),
        }
    }
}

fn is_urn(text: &str) -> bool {
    text.get(..4).is_some_and(|start| start.eq_ignore_ascii_case("urn:"))
}

/// Returns a text before, within and after a span, truncated, with everything visible.
fn marked(text: &str, span: Range<usize>) -> [String; 3] {
    let at = |mut place: usize, step: isize| {
        place = place.min(text.len());
        while !text.is_char_boundary(place) {
            place = place.saturating_add_signed(step);
        }
        place
    };
    let start = at(span.start, -1);
    let end = at(span.end.max(span.start), 1).max(start);
    let (before, part, after) = (&text[..start], &text[start..end], &text[end..]);
    let skipped = before.chars().count().saturating_sub(SHOWN);
    let before: String = before.chars().skip(skipped).collect();
    let head = if skipped > 0 { "…" } else { "" };
    [[head, &*visible(&before)].concat(), cut(part), cut(after)]
}

/// Returns the beginning of a text.
fn cut(text: &str) -> String {
    match text.char_indices().nth(SHOWN) {
        None => visible(text).into_owned(),
        Some((end, _)) => [&*visible(&text[..end]), "…"].concat(),
    }
}

/// Encodes a text as a value in a query.
fn encoded(text: &str) -> String {
    fingerpost_uri::encode(text).to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn questions_are_decoded_as_forms_encode_them() {
        for (query, expected) in [
            ("q=a+b%20c%2B", Some("a b c+")),
            ("x=1&q=%5Dd2%1D01", Some("]d2\u{1d}01")),
            ("q=100%", Some("100%")),
            ("q=%zz%4", Some("%zz%4")),
            ("q=%FF", Some("\u{fffd}")),
            ("q=", None),
            ("q=+%20", None),
            ("Q=1", None),
            ("", None),
        ] {
            assert_eq!(question(query).as_deref(), expected, "{query}");
        }
        assert_eq!(question(&format!("q={}", "a".repeat(9000))).map(|q| q.len()), Some(LONGEST));
    }

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
