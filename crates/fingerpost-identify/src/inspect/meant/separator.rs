//! Separators as scanners, keyboards and copying write them: `<GS>`, `\F`, `~1`, `%1D`.

use alloc::format;
use alloc::string::String;

use fingerpost_gs1::Options;

use super::super::Inspection;
use super::{Assumption, AssumptionKind, Meant, rewritten};
use crate::form::InputForm;
use crate::limits::MAX_LABEL_INPUT;

/// The spellings of a separator, in capitals, longer ones first. Those of one character are common
/// settings of scanners.
const SPELLINGS: [&str; 27] = [
    "_X001D_", "\\U001D", "\\X{1D}", "\\X1D", "\\035", "&#X1D;", "&#29;", "<FNC1>", "{FNC1}",
    "[FNC1]", "(FNC1)", "<GS>", "{GS}", "[GS]", "(GS)", "%1D", "]C1", "^]", "\\F", "~1",
    "\u{241d}", "\u{21d4}", "\u{fffd}", "@", "|", "#", "$",
];

/// Returns the meaning of a text in which a separator is written as text.
pub(super) fn written(found: &Inspection<'_>, options: &Options) -> Option<Meant> {
    let is_barcode = match found.form {
        InputForm::Raw
        | InputForm::RawWithoutFnc1
        | InputForm::Scan(_)
        | InputForm::Bracketed
        | InputForm::Hri => true,
        InputForm::Unknown => !found.input.contains("://"),
        _ => false,
    };
    if !is_barcode || found.input.len() > MAX_LABEL_INPUT {
        return None;
    }
    if let (InputForm::Scan(Some(symbology)), Some('\u{1d}')) =
        (found.form, found.input.chars().nth(3))
    {
        let text = [symbology.id(), &found.input[4..]].concat();
        let assumption = Assumption {
            kind: AssumptionKind::SeparatorAsText,
            message: "the symbology identifier already stands for the first separator".into(),
            span: 3..4,
            evidence: alloc::vec::Vec::new(),
        };
        return rewritten(text, assumption, options);
    }
    let capitals = found.input.to_ascii_uppercase();
    // A symbology identifier at the beginning is none of these.
    let from = if capitals.starts_with("]C1") { 3 } else { 0 };
    SPELLINGS.iter().find_map(|spelling| {
        let at = from + capitals[from..].find(spelling)?;
        // In a valid value, a single character is a character.
        if found.is_valid() && spelling.chars().count() == 1 {
            return None;
        }
        let is_bracketed = matches!(found.form, InputForm::Bracketed | InputForm::Hri);
        let text = replaced(found.input, &capitals, from, spelling, is_bracketed);
        let span = at..at + spelling.len();
        let shown = &found.input[span.clone()];
        let message = format!("{shown:?} was read as a separator");
        let kind = AssumptionKind::SeparatorAsText;
        let assumption = Assumption { kind, message, span, evidence: alloc::vec::Vec::new() };
        rewritten(text, assumption, options)
    })
}

/// Returns the text with GS for each occurrence of a spelling. Brackets need no separator.
fn replaced(text: &str, capitals: &str, from: usize, spelling: &str, is_bracketed: bool) -> String {
    let mut whole = String::with_capacity(text.len());
    let mut at = 0;
    for (start, _) in capitals.match_indices(spelling).filter(|(start, _)| *start >= from) {
        whole.push_str(&text[at..start]);
        if !is_bracketed {
            whole.push('\u{1d}');
        }
        at = start + spelling.len();
    }
    whole.push_str(&text[at..]);
    whole
}
