//! Writes an inspection as text or JSON.

use std::io::{self, Write};

use fingerpost_identify::{EpcFacts, Finding, InputForm, Inspection, Item, Row};
use serde_json::{Value, json};

use crate::output::{ERROR, GOOD, NOTE, STRONG, WARNING, printable};
use crate::shared_args::Passwords;
use crate::uri_report::{finding_json, write_finding};

/// Writes text for people.
pub(super) fn text(
    inspection: &Inspection<'_>,
    passwords: Passwords,
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
    match &inspection.item {
        Some(item) if inspection.is_valid() => write_item(item, out),
        Some(item) => {
            writeln!(out, "{NOTE}perhaps meant{NOTE:#}:")?;
            write_item(item, out)
        }
        None => Ok(()),
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

fn write_item(item: &Item, out: &mut impl Write) -> io::Result<()> {
    let uri = item.canonical_uri.as_deref().unwrap_or("none: no primary key");
    writeln!(out, "  canonical URI   {uri}")?;
    writeln!(out, "  element string  {}", item.element_string)?;
    writeln!(out, "  HRI             {}", item.hri.join(" "))?;
    let ai_width = item.rows.iter().map(|row| row.ai.as_str().len() + 2).max().unwrap_or(0);
    let title_width = item.rows.iter().map(|row| row.title.chars().count()).max().unwrap_or(0);
    writeln!(out, "  {STRONG}{:ai_width$}  {:title_width$}  value{STRONG:#}", "AI", "title")?;
    for row in &item.rows {
        let ai = format!("({})", row.ai);
        writeln!(out, "  {ai:ai_width$}  {:title_width$}  {}", row.title, printable(&row.value))?;
    }
    Ok(())
}

/// Returns the inspection as a JSON object; spans count bytes of `input`.
pub(super) fn json(inspection: &Inspection<'_>, passwords: Passwords) -> Value {
    let marks = |marks: &[Finding]| marks.iter().map(finding_json).collect::<Vec<Value>>();
    let mut value = json!({
        "input": passwords.of(inspection.input),
        "kind": inspection.form.code(),
        "valid": inspection.is_valid(),
        "faults": marks(&inspection.faults),
        "warnings": marks(&inspection.warnings),
    });
    if let InputForm::Scan(Some(symbology)) = inspection.form {
        value["symbology"] = json!({"id": symbology.id(), "carrier": symbology.carrier()});
    }
    if let Some(bits) = &inspection.bits {
        let all = [
            ("scheme", json!(bits.scheme)),
            ("filter", json!(bits.filter)),
            ("hostname", json!(bits.hostname)),
            ("urn", json!(bits.urn)),
            ("tag_uri", json!(bits.tag_uri)),
            ("hex", json!(bits.hex)),
        ];
        let known = all.into_iter().filter(|(_, value)| !value.is_null());
        value["epc"] = known.map(|(name, value)| (name.to_owned(), value)).collect();
    }
    if let Some(item) = &inspection.item {
        let row =
            |row: &Row| json!({"ai": row.ai.as_str(), "title": row.title, "value": row.value});
        value[if inspection.is_valid() { "item" } else { "perhaps_meant" }] = json!({
            "canonical_uri": item.canonical_uri,
            "element_string": item.element_string,
            "hri": item.hri,
            "elements": item.rows.iter().map(row).collect::<Vec<_>>(),
        });
    }
    value
}
