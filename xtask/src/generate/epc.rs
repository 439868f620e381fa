//! Headers, filter values and partitions of EPC schemes, from `data/epc.json`.

use serde_json::Value;

use super::epc_aidc::HEAD;
use super::{array, line, string};

/// Returns the source of `crates/fingerpost-epc/src/scheme/table.rs`.
pub(super) fn schemes(data: &Value) -> Result<String, String> {
    let mut out = format!(
        "//! Headers and filter values of the EPC Tag Data Standard 2.3.\n{HEAD}\
         use super::{{Generation, Row, Scheme}};\nuse crate::family::Family;\n"
    );
    headers(&mut out, data)?;
    filters(&mut out, data)?;
    Ok(out)
}

/// Returns the source of `crates/fingerpost-epc/src/classic/table.rs`.
pub(super) fn partitions(data: &Value) -> Result<String, String> {
    let mut out =
        format!("//! Partitions of the EPC Tag Data Standard 2.3.\n{HEAD}use super::Partition;\n");
    partition_tables(&mut out, data)?;
    out.push_str(
        "\n#[rustfmt::skip]\nconst fn p(gcp_bits: u8, gcp_digits: u8, ref_bits: u8, ref_digits: u8) -> Partition {\n    \
         Partition { gcp_bits, gcp_digits, ref_bits, ref_digits }\n}\n",
    );
    Ok(out)
}

fn headers(out: &mut String, data: &Value) -> Result<(), String> {
    let headers = array(data, "headers")?;
    out.push_str("\n/// The header table, in the order of `Scheme`.\n#[rustfmt::skip]\n");
    line(out, format_args!("pub(super) static SCHEMES: [Row; {}] = [", headers.len()));
    let mut index_of_header = [u8::MAX; 256];
    let mut last = None;
    for (index, row) in headers.iter().enumerate() {
        let (hex, name) = (string(row, "hex")?, string(row, "scheme")?);
        let header = u8::from_str_radix(hex, 16).map_err(|error| format!("{hex}: {error}"))?;
        if last >= Some(header) {
            return Err(format!("{name}: headers are not in order"));
        }
        last = Some(header);
        index_of_header[usize::from(header)] =
            u8::try_from(index).map_err(|_| "too many headers".to_owned())?;
        let family = name.trim_end_matches('+').split('-').next().unwrap_or_default();
        let generation = match name.len() - name.trim_end_matches('+').len() {
            0 => "Classic",
            1 => "Plus",
            _ => "PlusPlus",
        };
        let tag_name = row.get("tag_uri").and_then(Value::as_str);
        let bits = row.get("bits").and_then(Value::as_u64).unwrap_or(0);
        let layout = data.get("classic_layouts").and_then(|layouts| layouts.get(name));
        let filter_bits =
            layout.and_then(|layout| layout.get("filter_bits")).and_then(Value::as_u64);
        line(
            out,
            format_args!(
                "    Row {{ scheme: Scheme::{}, name: {name:?}, tag_name: {tag_name:?}, family: Family::{}, \
                 generation: Generation::{generation}, header: 0x{hex}, bits: {bits}, filter_bits: {} }},",
                variant(name),
                capitalised(family),
                filter_bits.unwrap_or(3)
            ),
        );
    }
    out.push_str(
        "];\n\n/// By header: where its row stands, 255 where it has none.\n#[rustfmt::skip]\n",
    );
    line(out, format_args!("pub(super) static SCHEME_OF_HEADER: [u8; 256] = ["));
    for sixteen in index_of_header.chunks(16) {
        let cells: Vec<String> = sixteen.iter().map(u8::to_string).collect();
        line(out, format_args!("    {},", cells.join(", ")));
    }
    out.push_str("];\n");
    Ok(())
}

fn filters(out: &mut String, data: &Value) -> Result<(), String> {
    let filters = data.get("filters").and_then(Value::as_object).ok_or("no filters")?;
    let mut families: Vec<(&str, &Value)> =
        filters.iter().map(|(family, meanings)| (family.as_str(), meanings)).collect();
    families.extend(filters.get("SGTIN").map(|meanings| ("DSGTIN", meanings)));
    families.sort_unstable_by_key(|(family, _)| *family);
    out.push_str(
        "\n/// What filter values mean; those not named are reserved.\n#[rustfmt::skip]\n",
    );
    line(
        out,
        format_args!(
            "pub(super) static FILTERS: [(Family, &[(u8, &str)]); {}] = [",
            families.len()
        ),
    );
    for (family, meanings) in families {
        let meanings = meanings.as_object().ok_or("filters: expected an object")?;
        let mut rows: Vec<(u8, &str)> = Vec::new();
        for (value, meaning) in meanings {
            let value = value.parse().map_err(|error| format!("filter {value}: {error}"))?;
            let meaning = meaning.as_str().ok_or("filters: expected a text")?;
            if meaning != "reserved" {
                rows.push((value, meaning));
            }
        }
        rows.sort_unstable();
        line(out, format_args!("    (Family::{}, &[", capitalised(family)));
        for (value, meaning) in rows {
            line(out, format_args!("        ({value}, {meaning:?}),"));
        }
        line(out, format_args!("    ]),"));
    }
    out.push_str("];\n");
    Ok(())
}

fn partition_tables(out: &mut String, data: &Value) -> Result<(), String> {
    let tables = data.get("partitions").and_then(Value::as_object).ok_or("no partitions")?;
    for (name, table) in tables.iter().filter(|(name, _)| *name != "columns") {
        line(
            out,
            format_args!(
                "\n/// Partitions of {}: digits and bits of company prefix and reference.\n#[rustfmt::skip]",
                users(table)?
            ),
        );
        line(
            out,
            format_args!("pub(super) static {}: [Partition; 7] = [", name.to_ascii_uppercase()),
        );
        for (index, row) in array(table, "rows")?.iter().enumerate() {
            let cells: Vec<u64> =
                row.as_array().into_iter().flatten().filter_map(Value::as_u64).collect();
            let [partition, gcp_bits, gcp_digits, ref_bits, ref_digits] = cells[..] else {
                return Err(format!("{name}: expected five numbers in a row"));
            };
            if partition != index as u64 || gcp_digits + partition != 12 {
                return Err(format!("{name}: partition {partition} is out of place"));
            }
            line(out, format_args!("    p({gcp_bits}, {gcp_digits}, {ref_bits}, {ref_digits}),"));
        }
        out.push_str("];\n");
    }
    Ok(())
}

fn users(table: &Value) -> Result<String, String> {
    Ok(super::strings(table, "used_by")?.join(", "))
}

/// Converts `SGTIN-96` to `Sgtin96`, `CPI-var` to `CpiVar`, `SGTIN++` to `SgtinPlusPlus`.
pub(super) fn variant(name: &str) -> String {
    name.replace('+', "-plus").split('-').map(capitalised).collect()
}

fn capitalised(word: &str) -> String {
    let (first, rest) = word.split_at(word.len().min(1));
    first.to_ascii_uppercase() + &rest.to_ascii_lowercase()
}
