//! What an input probably means that cannot be read as it is, or that hides a better reading: lost
//! separators, separators written as text, control words, labels, spaces.
//!
//! An assumption changes nothing by itself: [`Inspection::meant`] states
//! the text that was probably meant, each assumption with its position, and what speaks for it.

use alloc::borrow::ToOwned;
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use core::ops::Range;

use fingerpost_gs1::{Options, Scan};

use super::{Inspection, Item, inspect_as_written};
use crate::finding::Finding;
use crate::form::InputForm;
use crate::lost_separator::{Search, search};
use crate::read::{SYMBOLOGY, epc_after_control_word};

mod label;
mod separator;

/// What an input was probably meant to be.
#[derive(Debug)]
pub struct Meant {
    /// The text as it was probably meant, which is valid; empty if several readings are about
    /// equally likely.
    pub text: String,
    /// Its elements; `None` if there are none, or if several readings are about equally likely.
    pub item: Option<Item>,
    /// What is assumed, in the order of the input.
    pub why: Vec<Assumption>,
    /// The number of other readings in which every element passes its checks. Large numbers are
    /// not counted to their end.
    pub other_readings: usize,
}

/// One assumption about what was meant.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Assumption {
    /// The kind.
    pub kind: AssumptionKind,
    /// What is assumed.
    pub message: String,
    /// The position that it is about, in bytes of the input.
    pub span: Range<usize>,
    /// What speaks for it: checks that the assumed elements could have failed.
    pub evidence: Vec<String>,
}

/// The kinds of assumptions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum AssumptionKind {
    /// A separator got lost.
    LostSeparator,
    /// A separator is written as text.
    SeparatorAsText,
    /// The control word of a tag stands before its EPC.
    ControlWord,
    /// A label stands before the identifier, or spaces or a decimal part in it.
    Label,
}

impl AssumptionKind {
    /// Returns the code of its warning.
    #[must_use]
    pub fn code(self) -> &'static str {
        match self {
            Self::LostSeparator => "LOST_SEPARATOR",
            Self::SeparatorAsText => "SEPARATOR_AS_TEXT",
            Self::ControlWord => "CONTROL_WORD_LEFT_OUT",
            Self::Label => "LABEL_LEFT_OUT",
        }
    }
}

impl Meant {
    /// Returns a warning for each assumption.
    pub fn warnings(&self) -> impl Iterator<Item = Finding> {
        self.why.iter().map(|assumption| {
            let help = match &assumption.evidence[..] {
                [] => "compare with the label or the original data".to_owned(),
                evidence => format!("{}; compare with the label", evidence.join("; ")),
            };
            let code = assumption.kind.code();
            Finding::of_form(code, &*assumption.message, help, assumption.span.clone())
        })
    }
}

/// Returns what an input was probably meant to be; `None` if it is as it should be, or if nothing
/// better was found.
pub(crate) fn of(found: &Inspection<'_>, options: &Options) -> Option<Meant> {
    let input = found.input;
    separator::written(found, options)
        .or_else(|| lost_separators(found, options))
        .or_else(|| after_control_word(found))
        .or_else(|| label::left_out(found, options))
        .filter(|meant| meant.text != input)
}

/// Returns the meaning of `text`, which differs from the input by `assumption`, if it is valid, if
/// need be with further assumptions.
fn rewritten(text: String, assumption: Assumption, options: &Options) -> Option<Meant> {
    let found = inspect_as_written(&text, options);
    if found.is_valid() {
        let item = found.item;
        return Some(Meant { text, item, why: Vec::from([assumption]), other_readings: 0 });
    }
    // Its positions are those of another text.
    let whole = assumption.span.clone();
    let mut meant = lost_separators(&found, options).or_else(|| after_control_word(&found))?;
    for further in &mut meant.why {
        further.span = whole.clone();
    }
    meant.why.insert(0, assumption);
    Some(meant)
}

/// Returns the reading of barcode data with separators where they got lost.
fn lost_separators(found: &Inspection<'_>, options: &Options) -> Option<Meant> {
    let text = found.input;
    let start = match found.form {
        InputForm::Raw => 1,
        InputForm::RawWithoutFnc1 => 0,
        InputForm::Scan(Some(_)) => SYMBOLOGY,
        _ => return None,
    };
    let strict = match found.form {
        _ if !found.is_valid() => None,
        InputForm::Scan(_) => match fingerpost_gs1::ElementString::parse_scan_with(text, options) {
            Ok(Scan::Elements(elements)) => Some(elements),
            _ => return None,
        },
        _ => {
            let options = options.clone().missing_leading_fnc1(true);
            fingerpost_gs1::ElementString::parse_raw_with(text, &options).ok()
        }
    };
    let search = search(text, start, strict.as_ref(), options)?;
    Some(of_search(text, &search))
}

fn of_search(text: &str, search: &Search) -> Meant {
    let answer = search.answer();
    // Without a clear answer, the position of the most likely one is where to look.
    let shown = search.best();
    let why = shown.into_iter().flat_map(|reading| {
        reading.separators().map(|at| {
            let ai = reading.ai_at(at).map(|ai| format!("({ai})")).unwrap_or_default();
            let (message, evidence) = match answer {
                Some(_) => (
                    format!("a separator is perhaps missing before {ai}"),
                    reading.evidence(text, at),
                ),
                None => (
                    format!(
                        "a separator is perhaps missing, but {} readings are about equally likely",
                        search.others() + 1
                    ),
                    Vec::new(),
                ),
            };
            Assumption { kind: AssumptionKind::LostSeparator, message, span: at..at, evidence }
        })
    });
    let why: Vec<Assumption> = match answer {
        Some(_) => why.collect(),
        None => why.take(1).collect(),
    };
    Meant {
        text: answer.map(|reading| reading.separated(text)).unwrap_or_default(),
        item: answer.map(|reading| Item::of_elements(&reading.elements)),
        why,
        other_readings: search.others(),
    }
}

/// Returns the EPC behind the control word of its tag.
fn after_control_word(found: &Inspection<'_>) -> Option<Meant> {
    if found.is_valid() || found.form != InputForm::EpcHex {
        return None;
    }
    let position = epc_after_control_word(found.input)?;
    let text = found.input[position.clone()].to_owned();
    let epc = inspect_as_written(&text, &Options::new());
    let assumption = Assumption {
        kind: AssumptionKind::ControlWord,
        message: format!("the EPC is perhaps {text}, between other words of the tag"),
        span: 0..position.start,
        evidence: Vec::from([format!(
            "the control word states the length of the EPC: {} words",
            text.len() / 4
        )]),
    };
    let item = epc.is_valid().then_some(epc.item)?;
    Some(Meant { text, item, why: Vec::from([assumption]), other_readings: 0 })
}
