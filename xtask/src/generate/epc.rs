//! The schemes of EPCs, from `data/epc.json`: binary encodings, URNs, kinds of object and
//! partitions.

use serde_json::Value;

use super::epc_aidc::{HEAD, member, object};
use super::{array, line, string, strings};

/// Returns the source of `crates/fingerpost-epc/src/scheme/table.rs`.
pub(super) fn schemes(data: &Value) -> Result<String, String> {
    let mut out = format!(
        "//! Schemes of EPCs, their URNs and kinds of object: EPC Tag Data Standard 2.3,\n\
         //! sections 6, 10 and 14.\n{HEAD}\
                  use super::part::Part as P;\n\
         use super::{{\n    Date, FamilyRow, Field as F, Generation as G, Key, KeyForm, Partition, Reference as R, Row,\n    UrnRow, a, p,\n}};\n"
    );
    families(&mut out, data)?;
    urns(&mut out, data)?;
    headers(&mut out, data)?;
    partitions(&mut out, data)?;
    let types = object(data, "date_types")?;
    let types: Vec<_> =
        types.iter().map(|(bits, ai)| format!("Date {{ code: 0b{bits}, ai: a({ai}) }}")).collect();
    table(&mut out, "Date types of DSGTIN.", "DATES", "Date", &types);
    Ok(out)
}

fn families(out: &mut String, data: &Value) -> Result<(), String> {
    let (mut variants, mut rows) = (Vec::new(), Vec::new());
    for family in array(data, "families")? {
        let (name, urn) = (string(family, "name")?, string(family, "urn")?);
        let of_urn = array(data, "urns")?.iter().find(|row| row["name"] == urn);
        let object_of_urn = of_urn.and_then(|row| row["object"].as_str());
        let description =
            family["object"].as_str().or(object_of_urn).ok_or_else(|| format!("{urn}: no URN"))?;
        let (first, rest) = description.split_at(1);
        variants.push((format!("{}{rest}.", first.to_uppercase()), capitalised(name)));
        let classic = array(data, "headers")?.iter().filter(|row| row.get("deprecated").is_none());
        let classic: Vec<_> = classic
            .filter_map(|row| row["scheme"].as_str()?.strip_prefix(name))
            .filter(|rest| rest.starts_with('-'))
            .map(|rest| format!("Scheme::{}", variant(&format!("{name}{rest}"))))
            .collect();
        let mut filters: Vec<(u8, &Value)> = Vec::new();
        for (value, meaning) in object(family, "filters")? {
            filters.push((value.parse().map_err(|_| format!("filter {value}"))?, meaning));
        }
        filters.sort_unstable_by_key(|(value, _)| *value);
        let filters: Vec<_> =
            filters.iter().map(|(value, meaning)| format!("({value}, {meaning})")).collect();
        rows.push(format!(
            "FamilyRow {{ urn: UrnScheme::{}, classic: &[{}], plus_ais: &[{}], plus_date: {}, filters: &[{}] }}",
            capitalised(urn),
            classic.join(", "),
            ais(family.get("plus_ais"))?,
            family["plus_date"] == true,
            filters.join(", ")
        ));
    }
    let about = "The kind of object that an EPC identifies, independent of its binary scheme.";
    enumeration(out, about, "Family", &variants);
    table(out, "By kind of object.", "FAMILIES", "FamilyRow", &rows);
    Ok(())
}

fn urns(out: &mut String, data: &Value) -> Result<(), String> {
    let (mut variants, mut rows) = (Vec::new(), Vec::new());
    for urn in array(data, "urns")? {
        let name = string(urn, "name")?;
        variants.push((format!("`{name}`: {}.", string(urn, "object")?), capitalised(name)));
        let components = array(urn, "components")?;
        let parts: Vec<_> = components.iter().map(|part| call("P", part)).collect();
        let key = match urn.get("key") {
            None => "None".to_owned(),
            Some(key) => format!(
                "Some(Key {{ ai: {}, form: KeyForm::{}, parts: {}, serial: {}, no_serial: b{}, obeys_rules: {} }})",
                ai(&key["ai"]),
                variant(&string(key, "form")?.replace('_', "-")),
                key["components"].as_u64().unwrap_or(2),
                key.get("serial")
                    .map_or("None".to_owned(), |serial| format!("Some({})", ai(serial))),
                key.get("no_serial").unwrap_or(&"".into()),
                !components.iter().any(|part| part == "pair" || part[0] == "number"),
            ),
        };
        let family = array(data, "families")?.iter().find(|family| family["urn"] == name);
        let family = family.and_then(|family| family["name"].as_str());
        rows.push(format!(
            "UrnRow {{ scheme: UrnScheme::{}, name: {name:?}, is_class: {}, family: {}, parts: &[{}], key: {key} }}",
            capitalised(name),
            urn["class"] == true,
            family.map_or("None".to_owned(), |name| format!("Some(Family::{})", capitalised(name))),
            parts.join(", ")
        ));
    }
    let about = "The schemes of EPC URNs, including those without a binary form.";
    enumeration(out, about, "UrnScheme", &variants);
    table(out, "By scheme of URNs.", "URNS", "UrnRow", &rows);
    Ok(())
}

fn headers(out: &mut String, data: &Value) -> Result<(), String> {
    let (mut variants, mut rows) = (Vec::new(), Vec::new());
    let mut index_of_header = [u8::MAX; 256];
    let mut last = None;
    for (index, row) in (0_u8..).zip(array(data, "headers")?) {
        let (hex, name) = (string(row, "hex")?, string(row, "scheme")?);
        let header = u8::from_str_radix(hex, 16).map_err(|error| format!("{hex}: {error}"))?;
        if last >= Some(header) {
            return Err(format!("{name}: headers are not in order"));
        }
        last = Some(header);
        index_of_header[usize::from(header)] = index;
        let bits = row["bits"].as_u64().unwrap_or(0);
        let length = if bits == 0 { "variable length".into() } else { format!("{bits} bits") };
        let note =
            row["deprecated"].as_str().map_or(String::new(), |why| format!(", deprecated: {why}"));
        variants.push((format!("{name}, header {hex}, {length}{note}."), variant(name)));
        let layout = data["classic_layouts"].get(name);
        let fields =
            layout.map_or(Ok(Vec::new()), |layout| fields(data, array(layout, "fields")?))?;
        let (generation, tag_name) = match name.len() - name.trim_end_matches('+').len() {
            0 => ("Classic", Some(name.to_lowercase())),
            1 => ("Plus", None),
            _ => ("PlusPlus", None),
        };
        let family = name.trim_end_matches('+').split('-').next().unwrap_or_default();
        rows.push(format!(
            "Row {{ scheme: Scheme::{}, name: {name:?}, tag_name: {tag_name:?}, family: Family::{}, \
             generation: G::{generation}, header: 0x{hex}, bits: {bits}, filter_bits: {}, fields: &[{}] }}",
            variant(name),
            capitalised(family),
            layout.and_then(|layout| layout["filter_bits"].as_u64()).unwrap_or(3),
            fields.join(", ")
        ));
    }
    let about = "The binary encoding of an EPC. Ordered by header.";
    enumeration(out, about, "Scheme", &variants);
    table(out, "By binary encoding, ordered by header.", "SCHEMES", "Row", &rows);
    out.push_str("\n/// The index in [`SCHEMES`] by header, 255 for none.\n#[rustfmt::skip]\n");
    line(out, format_args!("pub(super) static SCHEME_OF_HEADER: [u8; 256] = ["));
    for sixteen in index_of_header.chunks(16) {
        let cells: Vec<String> = sixteen.iter().map(u8::to_string).collect();
        line(out, format_args!("    {},", cells.join(", ")));
    }
    out.push_str("];\n");
    Ok(())
}

/// Converts the fields of a classic layout, such as `["serial:integer", 38]`.
fn fields(data: &Value, fields: &[Value]) -> Result<Vec<String>, String> {
    let convert = |field: &Value| {
        let name = field[0].as_str().unwrap_or_default();
        let method = name.split_once(':').map_or(name, |(_, method)| method);
        if let Some(table) = name.strip_prefix("partition:") {
            let kind = string(member(member(data, "partitions")?, table)?, "ref_kind")?;
            return Ok(format!(
                "F::Partition(&{}, R::{})",
                table.to_uppercase(),
                capitalised(kind)
            ));
        }
        Ok(match (method, &field[1], &field[2]) {
            ("integer", bits, Value::Null) => format!("F::Integer({bits})"),
            ("integer", _, _) => "F::CpiSerial".to_owned(),
            ("string7", bits, _) => format!("F::Text7({bits})"),
            ("numeric_string", bits, max) => format!("F::NumericString({bits}, {max})"),
            ("fixed_width_integer", ..) => "F::Pair".to_owned(),
            ("ascii8_left_space", ..) => "F::Cage8".to_owned(),
            ("cage6", ..) => "F::Cage6".to_owned(),
            ("string6z", _, max) => format!("F::Text6({max})"),
            ("zero", ..) => "F::Zeros".to_owned(),
            _ => return Err(format!("{name}: unknown kind of field")),
        })
    };
    fields.iter().map(convert).collect()
}

fn partitions(out: &mut String, data: &Value) -> Result<(), String> {
    for (name, partitions) in
        object(data, "partitions")?.iter().filter(|(_, table)| table.is_object())
    {
        let mut rows = Vec::new();
        for (index, row) in array(partitions, "rows")?.iter().enumerate() {
            let cells: Vec<u64> =
                row.as_array().into_iter().flatten().filter_map(Value::as_u64).collect();
            let [partition, gcp_bits, gcp_digits, ref_bits, ref_digits] = cells[..] else {
                return Err(format!("{name}: expected five numbers in a row"));
            };
            if partition != index as u64 || gcp_digits + partition != 12 {
                return Err(format!("{name}: partition {partition} is out of order"));
            }
            rows.push(format!("p({gcp_bits}, {gcp_digits}, {ref_bits}, {ref_digits})"));
        }
        line(
            out,
            format_args!(
                "\n/// Partitions of {}.\n#[rustfmt::skip]\nstatic {}: [Partition; 7] = [\n    {},\n];",
                strings(partitions, "used_by")?.join(", "),
                name.to_uppercase(),
                rows.join(", ")
            ),
        );
    }
    Ok(())
}

/// Writes a public enumeration whose variants have documentation.
fn enumeration(out: &mut String, about: &str, name: &str, variants: &[(String, String)]) {
    line(
        out,
        format_args!(
            "\n/// {about}\n#[rustfmt::skip]\n#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]\n\
             #[non_exhaustive]\npub enum {name} {{"
        ),
    );
    for (about, variant) in variants {
        line(out, format_args!("    #[doc = {about:?}] {variant},"));
    }
    out.push_str("}\n");
}

fn table(out: &mut String, about: &str, name: &str, kind: &str, rows: &[String]) {
    line(
        out,
        format_args!(
            "\n/// {about}\n#[rustfmt::skip]\npub(super) static {name}: [{kind}; {}] = [\n    {},\n];",
            rows.len(),
            rows.join(",\n    ")
        ),
    );
}

/// Converts `"pair"` to `P::Pair` and `["text", 20]` to `P::Text(20)`.
fn call(kind: &str, value: &Value) -> String {
    let name = value.as_str().or(value[0].as_str()).unwrap_or_default().replace('_', "-");
    let argument = value.get(1).map_or(String::new(), |number| format!("({number})"));
    format!("{kind}::{}{argument}", variant(&name))
}

fn ai(digits: &Value) -> String {
    format!("a({digits})")
}

fn ais(list: Option<&Value>) -> Result<String, String> {
    let Some(list) = list else { return Ok(String::new()) };
    let list = list.as_array().ok_or("expected a list of Application Identifiers")?;
    Ok(list.iter().map(ai).collect::<Vec<_>>().join(", "))
}

/// Converts `SGTIN-96` to `Sgtin96`, `CPI-var` to `CpiVar`, `SGTIN++` to `SgtinPlusPlus`.
fn variant(name: &str) -> String {
    name.replace('+', "-plus").split('-').map(capitalised).collect()
}

fn capitalised(word: &str) -> String {
    let (first, rest) = word.split_at(word.len().min(1));
    first.to_ascii_uppercase() + &rest.to_ascii_lowercase()
}
