//! Writes an inspection as text or JSON.

use std::io::{self, Write};

use fingerpost_gs1::Date;
use fingerpost_gs1::gtin::WeightCodes;
use fingerpost_identify::{EpcFacts, Finding, InputForm, Inspection, Item};
use fingerpost_report::{meant_item, medicine_of, own_item, weight_of};

use crate::output::{ERROR, GOOD, NOTE, STRONG, WARNING, printable};
use crate::shared_args::Passwords;
use crate::uri_report::write_finding;

/// Writes text for people.
pub(super) fn text(
    inspection: &Inspection<'_>,
    passwords: Passwords,
    today: Date,
    out: &mut impl Write,
) -> io::Result<()> {
    for fault in &inspection.faults {
        write_finding(fault, inspection.input, "", passwords, out)?;
    }
    let name = inspection.form.name();
    let carrier = match inspection.form {
        InputForm::Scan(Some(symbology)) => format!(" ({})", symbology.carrier()),
        _ => String::new(),
    };
    let input = printable(&passwords.of(inspection.input));
    match inspection.faults.len() {
        _ if matches!(inspection.form, InputForm::Other(_)) => {
            writeln!(out, "{ERROR}not GS1{ERROR:#}: {name}")?;
        }
        0 => writeln!(out, "{STRONG}{input}{STRONG:#}\n{GOOD}valid{GOOD:#} {name}{carrier}")?,
        1 => writeln!(out, "{ERROR}invalid{ERROR:#} {name}{carrier}: 1 fault")?,
        faults => writeln!(out, "{ERROR}invalid{ERROR:#} {name}{carrier}: {faults} faults")?,
    }
    for Finding { message, help, .. } in &inspection.warnings {
        writeln!(out, "{WARNING}warning{WARNING:#}: {}", printable(message))?;
        if !help.is_empty() {
            writeln!(out, "  {NOTE}help{NOTE:#}: {help}")?;
        }
    }
    if let Some(bits) = &inspection.bits {
        write_bits(bits, out)?;
    }
    let (own, other) = (own_item(inspection), meant_item(inspection));
    own.map_or(Ok(()), |item| write_item(item, today, out))?;
    let Some(item) = other else { return Ok(()) };
    writeln!(out, "{NOTE}perhaps meant{NOTE:#}:")?;
    write_item(item, today, out)?;
    match inspection.meant.as_ref().map_or(0, |meant| meant.other_readings) {
        0 => Ok(()),
        1 => writeln!(out, "  1 other reading passes all checks, but is less likely"),
        others => {
            writeln!(out, "  {others} other readings pass all checks, but are less likely")
        }
    }
}

fn write_bits(bits: &EpcFacts, out: &mut impl Write) -> io::Result<()> {
    if let Some(scheme) = bits.scheme {
        let filter = bits.filter.map(|filter| format!(", filter {filter}")).unwrap_or_default();
        let meaning = bits.filter_meaning.map(|is| format!(" ({is})")).unwrap_or_default();
        writeln!(out, "  EPC scheme      {scheme}{filter}{meaning}")?;
    }
    let rows = [
        ("host name", &bits.hostname),
        ("EPC URN", &bits.urn),
        ("EPC Tag URI", &bits.tag_uri),
        ("EPC bits", &bits.hex),
    ];
    for (name, value) in rows {
        if let Some(value) = value {
            writeln!(out, "  {name:15} {value}")?;
        }
    }
    Ok(())
}

fn write_item(item: &Item, today: Date, out: &mut impl Write) -> io::Result<()> {
    match (&item.canonical_uri, &item.no_uri) {
        (None, Some(reason)) => writeln!(out, "  canonical URI   none: {}", reason.message)?,
        (uri, _) => writeln!(out, "  canonical URI   {}", uri.as_deref().unwrap_or("none"))?,
    }
    if let Some(kind) = item.gtin_kind() {
        writeln!(out, "  kind of GTIN    {kind}")?;
    }
    writeln!(out, "  element string  {}", item.element_string)?;
    writeln!(out, "  HRI             {}", item.hri.join(" "))?;
    let ai_width = item.rows.iter().map(|row| row.ai.as_str().len() + 2).max().unwrap_or(0);
    let title_width = item.rows.iter().map(|row| row.title.chars().count()).max().unwrap_or(0);
    let value_width = item.rows.iter().map(|row| printable(&row.value).chars().count()).max();
    let value_width = value_width.unwrap_or(0).max("value".len());
    let has_meaning = item.rows.iter().any(|row| row.meaning(today).is_some());
    let (value, meaning) = if has_meaning {
        (format!("{:value_width$}", "value"), "  meaning")
    } else {
        ("value".to_owned(), "")
    };
    writeln!(
        out,
        "  {STRONG}{:ai_width$}  {:title_width$}  {value}{meaning}{STRONG:#}",
        "AI", "title"
    )?;
    for row in &item.rows {
        let (ai, value) = (format!("({})", row.ai), printable(&row.value));
        write!(out, "  {ai:ai_width$}  {:title_width$}  ", row.title)?;
        match row.meaning(today) {
            Some(meaning) => {
                writeln!(out, "{value:value_width$}  {}", printable(&meaning.to_string()))?;
            }
            None => writeln!(out, "{value}")?,
        }
    }
    Ok(())
}

/// Writes what a weight code says, or the national number of a medicine.
pub(super) fn weight(
    inspection: &Inspection<'_>,
    codes: Option<&WeightCodes>,
    out: &mut impl Write,
) -> io::Result<()> {
    if let Some((scheme, number)) = medicine_of(inspection) {
        writeln!(out, "  medicine        {} {number} ({})", scheme.name(), scheme.countries())?;
    }
    match weight_of(inspection, codes) {
        Some((item, meaning)) => writeln!(out, "  weight code     item {item}, {meaning}"),
        None => Ok(()),
    }
}
