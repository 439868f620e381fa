//! `fingerpost check --plausible`: what a scanner must know before it passes a text on (GS1 Digital
//! Link URI Syntax 1.4.1, section 6.1.3).

use std::io::{self, Write};

use fingerpost_gs1::Plausibility;
use fingerpost_identify::{InputForm, Inspection};
use serde_json::json;

use crate::output::{ERROR, GOOD, STRONG, WARNING, printable};
use crate::shared_args::Passwords;

/// Writes the answer about an input; returns whether it may be a Digital Link URI.
pub(super) fn write(
    inspection: &Inspection<'_>,
    passwords: Passwords,
    is_text: bool,
    out: &mut impl Write,
) -> io::Result<bool> {
    let text = passwords.of(inspection.input);
    let form = inspection.form;
    let is_uri =
        matches!(form, InputForm::DigitalLink | InputForm::EpcLink | InputForm::CompressedLink);
    let guess = Plausibility::of(inspection.input);
    let expression = match guess {
        Plausibility::Uncompressed => Some("RE1"),
        Plausibility::Compressed => Some("RE2"),
        Plausibility::No => None,
    };
    // The expressions miss valid URIs whose key does not begin with four digits, such as /8004/ABC.
    let (style, answer, why) = match guess {
        _ if is_uri && inspection.is_valid() => (GOOD, "yes", form.name()),
        Plausibility::Uncompressed => {
            (WARNING, "maybe", "plausibly a GS1 Digital Link URI, but not a valid one")
        }
        Plausibility::Compressed => {
            (WARNING, "maybe", "plausibly a compressed GS1 Digital Link URI, but it cannot be read")
        }
        Plausibility::No => (ERROR, "definitely not", "no GS1 Digital Link URI"),
    };
    if is_text {
        let shown = printable(&text);
        writeln!(out, "{style}{answer}{style:#}: {why}: {STRONG}{shown}{STRONG:#}")?;
    } else {
        let value = json!({"input": text, "plausible": answer, "expression": expression});
        writeln!(out, "{value}")?;
    }
    Ok(answer != "definitely not")
}
