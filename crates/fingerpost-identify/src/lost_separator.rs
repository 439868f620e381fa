//! Finds the separators that an element string lost on its way from the scanner.
//!
//! A value without predefined length ends at a separator (GS1 General Specifications 7.8.6). If a
//! scanner or a keyboard layout drops it, the next element becomes part of the value before it. All
//! readings are built that assume separators where an Application Identifier can begin and in which
//! every element passes its own checks (length, characters, check digits, dates, code lists). They
//! are ranked by how unlikely they are to arise by chance:
//!
//! - each assumed separator and each Application Identifier has a price, less for common ones;
//! - each character of free text has the price of its alphabet, so that moving it from one free
//!   text to another changes nothing;
//! - an element that could have failed is cheaper: by its check digit, its date, its code list.
//!
//! Prices are tenths of a bit. Of the best readings, those remain whose elements may occur
//! together. The first one is the answer if it is clearly ahead of the second one, and, if the text
//! is valid as it is, clearly ahead of the text without assumed separators.
//!
//! The work is bounded: texts over [`MAX_LOST_SEPARATOR_INPUT`] bytes are not read, a value has at
//! most 90 characters, and [`KEPT`] readings are kept at each position.

use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use core::ops::Range;

use fingerpost_gs1::{Ai, AiEntry, CharacterSet, ElementString, Linter, Options};

use crate::limits::MAX_LOST_SEPARATOR_INPUT;

/// Number of readings kept at each position.
const KEPT: usize = 12;

/// Price of an assumed separator.
const SEPARATOR: u32 = 70;

/// The lead over the second reading with which the first one is the answer.
const CLEAR: u32 = 20;

/// The lead over the text as it is, if that is valid. Otherwise something would be found in many
/// numbers.
const HIDDEN: u32 = 15;

/// What a content rule other than a check digit or a date is worth: one value of four passes it.
const RULE: u32 = 20;

/// The characters that are separators.
const SEPARATORS: &[u8] = b"^\x1d";

/// An element string with assumed separators.
#[derive(Debug)]
pub(crate) struct Reading {
    pub(crate) elements: ElementString<'static>,
    /// The parts of the text.
    parts: Vec<Part>,
    price: u32,
}

/// One element of a reading: its Application Identifier begins at `start` of the text.
#[derive(Clone, Copy, Debug)]
struct Part {
    ai: Ai,
    start: usize,
    end: usize,
    /// Whether a separator is assumed behind it.
    assumes: bool,
}

/// The result of a search.
#[derive(Debug)]
pub(crate) struct Search {
    /// The readings with assumed separators, the most likely one first.
    readings: Vec<Reading>,
    is_clear: bool,
}

impl Search {
    /// Returns the reading that is clearly the most likely one.
    pub(crate) fn answer(&self) -> Option<&Reading> {
        self.readings.first().filter(|_| self.is_clear)
    }

    /// Returns the most likely reading, whether or not it is clearly ahead.
    pub(crate) fn best(&self) -> Option<&Reading> {
        self.readings.first()
    }

    /// Returns the number of readings besides the first one, of those that were kept.
    pub(crate) fn others(&self) -> usize {
        self.readings.len().saturating_sub(1)
    }
}

/// Searches for lost separators in `text`, whose elements begin at byte `start`; `strict` is what
/// the text holds as it is, if it is valid. Returns `None` without a reading worth showing.
pub(crate) fn search(
    text: &str,
    start: usize,
    strict: Option<&ElementString<'_>>,
    options: &Options,
) -> Option<Search> {
    let bytes = text.as_bytes();
    if bytes.len() > MAX_LOST_SEPARATOR_INPUT || !text.is_ascii() || start >= bytes.len() {
        return None;
    }
    let mut readings = Lattice::of(bytes, start).readings(text, start, options);
    readings.retain(|reading| reading.parts.iter().any(|part| part.assumes));
    let best = readings.first()?.price;
    if let Some(strict) = strict {
        let price = |element: &fingerpost_gs1::Element<'_>| {
            price(element.ai(), element.entry(), element.value().as_bytes())
        };
        let found: u32 = strict.elements().iter().map(price).sum();
        if best + HIDDEN > found {
            return None;
        }
    }
    let is_clear = readings.get(1).is_none_or(|second| second.price >= best + CLEAR);
    Some(Search { readings, is_clear })
}

impl Reading {
    /// Returns where separators are assumed, as positions in the text.
    pub(crate) fn separators(&self) -> impl Iterator<Item = usize> {
        self.parts.iter().filter(|part| part.assumes).map(|part| part.end)
    }

    /// Returns what speaks for the separator at `at`: the elements up to the next value without
    /// predefined length, as far as they could have failed.
    pub(crate) fn evidence(&self, text: &str, at: usize) -> Vec<String> {
        let after = self.parts.iter().skip_while(|part| part.start < at);
        let mut evidence = Vec::new();
        for part in after {
            let value = &text[part.value()];
            let Some(entry) = part.ai.entry() else { break };
            evidence.extend(proof(part.ai, entry, value));
            if part.assumes || !entry.is_predefined_length() {
                break;
            }
        }
        evidence
    }

    /// Returns the Application Identifier of the element at `at`.
    pub(crate) fn ai_at(&self, at: usize) -> Option<Ai> {
        self.parts.iter().find(|part| part.start == at).map(|part| part.ai)
    }

    /// Returns the text with the assumed separators written as GS.
    pub(crate) fn separated(&self, text: &str) -> String {
        let mut whole = String::with_capacity(text.len() + 4);
        let mut at = 0;
        for separator in self.separators() {
            whole.push_str(&text[at..separator]);
            whole.push('\u{1d}');
            at = separator;
        }
        whole.push_str(&text[at..]);
        whole
    }
}

impl Part {
    fn value(&self) -> Range<usize> {
        self.start + self.ai.digit_count()..self.end
    }
}

/// A reading of the end of the text.
#[derive(Clone, Copy)]
struct Step {
    price: u32,
    part: Part,
    /// Where the rest begins, and which of the readings from there follows.
    next: usize,
    nth: usize,
}

/// For each position of the text, the cheapest readings from there to the end.
struct Lattice {
    steps: Vec<Vec<Step>>,
}

impl Lattice {
    fn of(bytes: &[u8], start: usize) -> Self {
        let mut lattice = Self { steps: Vec::new() };
        lattice.steps.resize_with(bytes.len(), Vec::new);
        for at in (start..bytes.len()).rev() {
            lattice.fill(bytes, at);
        }
        lattice
    }

    /// Adds the readings from `at` on.
    fn fill(&mut self, bytes: &[u8], at: usize) {
        let rest = &bytes[at..];
        let length = rest.first_chunk().and_then(|pair| Ai::length_for_prefix(*pair));
        let ai = length.and_then(|length| rest.get(..length)).and_then(Ai::from_digits);
        let Some((ai, entry)) = ai.and_then(|ai| Some((ai, ai.entry()?))) else { return };
        let from = at + ai.digit_count();
        let (min, max) = entry.value_length();
        let limit = bytes[from..].iter().position(|byte| SEPARATORS.contains(byte));
        let limit = limit.unwrap_or(bytes.len() - from).min(max);
        for length in min.max(1)..=limit {
            let end = from + length;
            let is_separated = bytes.get(end).is_none_or(|byte| SEPARATORS.contains(byte));
            let assumes = !is_separated && !entry.is_predefined_length();
            let next = end + usize::from(is_separated && end < bytes.len());
            let is_end = next >= bytes.len();
            if !is_end && self.steps[next].is_empty() {
                continue;
            }
            let value = &bytes[from..end];
            if ai.check_value(value).is_err() {
                continue;
            }
            let own = price(ai, entry, value) + if assumes { SEPARATOR } else { 0 };
            let part = Part { ai, start: at, end, assumes };
            let rests = if is_end { 1 } else { self.steps[next].len() };
            for nth in 0..rests {
                let rest = if is_end { 0 } else { self.steps[next][nth].price };
                keep(&mut self.steps[at], Step { price: own + rest, part, next, nth });
            }
        }
    }

    /// Returns the kept readings from `start` whose elements may occur together, cheapest first.
    fn readings(&self, text: &str, start: usize, options: &Options) -> Vec<Reading> {
        let reading = |first: &Step| {
            let (mut parts, mut step) = (Vec::new(), Some(first));
            while let Some(Step { part, next, nth, .. }) = step {
                parts.push(*part);
                step = self.steps.get(*next).and_then(|steps| steps.get(*nth));
            }
            let pairs = parts.iter().map(|part| (part.ai, &text[part.value()]));
            let elements = ElementString::from_pairs_with(pairs, options).ok()?.into_owned();
            Some(Reading { elements, parts, price: first.price })
        };
        self.steps[start].iter().filter_map(reading).collect()
    }
}

/// Adds a step to a sorted list of bounded length.
fn keep(steps: &mut Vec<Step>, step: Step) {
    if steps.len() == KEPT && steps.last().is_some_and(|last| last.price <= step.price) {
        return;
    }
    steps.truncate(KEPT - 1);
    let position = steps.partition_point(|other| other.price <= step.price);
    steps.insert(position, step);
}

/// Returns the price of an element.
fn price(ai: Ai, entry: &AiEntry, value: &[u8]) -> u32 {
    let of_ai = match ai.as_str() {
        "17" => 20,
        "10" | "21" => 25,
        "00" | "01" | "02" | "11" | "15" | "37" => 35,
        digits if digits.len() == 2 => 50,
        digits if digits.len() == 3 => 70,
        _ => 95,
    };
    let mut at = 0;
    let mut sum = of_ai;
    for component in entry.components() {
        let rest = &value[at.min(value.len())..];
        let part = &rest[..component.max_length().min(rest.len())];
        at += part.len();
        sum += of_part(component.character_set(), component.linters(), part);
    }
    sum
}

/// Returns the price of a part of a value.
fn of_part(charset: CharacterSet, linters: &[Linter], part: &[u8]) -> u32 {
    let length = part.len() as u32;
    if charset != CharacterSet::Digits {
        let is_plain = |byte: &u8| byte.is_ascii_digit() || byte.is_ascii_uppercase();
        let rules = if linters.is_empty() { 0 } else { RULE };
        let text = match part.iter().all(is_plain) {
            true => part.iter().map(|byte| if byte.is_ascii_digit() { 36 } else { 52 }).sum(),
            false => length * 62,
        };
        return u32::saturating_sub(
            text,
            if linters.contains(&Linter::CsumAlpha) { 100 } else { rules },
        );
    }
    let digits = length * 33;
    let rule = |linter: &Linter| match linter {
        Linter::Csum => 33,
        Linter::YyMmDd | Linter::YyMmD0 if is_near(part) => 60,
        Linter::YyyyMmDd | Linter::YyyyMmD0 if is_near(part.get(2..).unwrap_or_default()) => 126,
        // Any year passes: little more than one of three numbers is a date.
        Linter::YyMmDd | Linter::YyMmD0 | Linter::YyyyMmDd | Linter::YyyyMmD0 => 0,
        Linter::GcpPos1 | Linter::GcpPos2 => 0,
        _ => RULE,
    };
    digits.saturating_sub(linters.iter().map(rule).sum())
}

/// Returns whether a date that begins with two digits of the year is one of those printed on
/// products, from 2010 to 2049.
fn is_near(date: &[u8]) -> bool {
    matches!(date.first(), Some(b'1'..=b'4'))
}

/// Returns how the value of an element could have failed, but did not.
fn proof(ai: Ai, entry: &AiEntry, value: &str) -> Option<String> {
    let mut linters = entry.components().iter().flat_map(fingerpost_gs1::ValueComponent::linters);
    let is_date = |linter: &Linter| {
        matches!(linter, Linter::YyMmDd | Linter::YyMmD0 | Linter::YyyyMmDd | Linter::YyyyMmD0)
    };
    let is_digit = |linter: &Linter| matches!(linter, Linter::Csum | Linter::CsumAlpha);
    let (min, max) = entry.value_length();
    if linters.clone().any(is_date) {
        Some(format!("({ai}) {value} is a valid date"))
    } else if linters.clone().any(is_digit) {
        Some(format!("the check digit of ({ai}) {value} is right"))
    } else if linters.next().is_some() {
        Some(format!("({ai}) {value} meets the rules of its content"))
    } else if min == max {
        Some(format!("({ai}) {value} has exactly {max} characters"))
    } else {
        None
    }
}
