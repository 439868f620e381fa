//! The result of a check: what a text is, whether it is valid, each fault with its position, and
//! what it says.

use fingerpost_gs1::gtin::{MedicineScheme, WeightCodes};
use fingerpost_gs1::{Date, Meaning};
use fingerpost_identify::{
    Assumption, DescribedElement, Finding, InputForm, Inspection, Item, Meant,
};
use serde_json::{Value, json};

use crate::finding::{finding_json, shown};

/// Returns the inspection as a JSON object; spans count bytes of `input`.
pub(crate) fn json(inspection: &Inspection<'_>, show_passwords: bool, today: Date) -> Value {
    let marks = |marks: &[Finding]| marks.iter().map(finding_json).collect::<Vec<Value>>();
    let mut value = json!({
        "input": shown(inspection.input, show_passwords),
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
    if let Some(item) = own_item(inspection) {
        value["item"] = item_json(item, today);
    }
    if let Some(item) = meant_item(inspection) {
        value["perhaps_meant"] = item_json(item, today);
    }
    if let Some(meant) = &inspection.meant {
        value["why"] = why_json(meant);
    }
    value
}

/// Returns what a valid input says.
#[must_use]
pub fn own_item<'i>(inspection: &'i Inspection<'_>) -> Option<&'i Item> {
    inspection.item.as_ref().filter(|_| inspection.is_valid())
}

/// Returns a better reading of an input; of an invalid one otherwise what is left without its
/// faults.
#[must_use]
pub fn meant_item<'i>(inspection: &'i Inspection<'_>) -> Option<&'i Item> {
    let meant = inspection.meant.as_ref().and_then(|meant| meant.item.as_ref());
    meant.or_else(|| inspection.item.as_ref().filter(|_| !inspection.is_valid()))
}

/// Returns the national number of a medicine in a valid GTIN.
#[must_use]
pub fn medicine_of<'i>(
    inspection: &'i Inspection<'_>,
) -> Option<(&'static MedicineScheme, &'i str)> {
    MedicineScheme::read(own_item(inspection)?.gtin()?)
}

/// Returns the item and the weight, price or count of a valid weight code.
#[must_use]
pub fn weight_of<'i>(
    inspection: &'i Inspection<'_>,
    codes: Option<&WeightCodes>,
) -> Option<(&'i str, Meaning<'static>)> {
    codes?.read(own_item(inspection)?.gtin()?)
}

/// Returns the elements of an input.
pub(crate) fn item_json(item: &Item, today: Date) -> Value {
    let row = |row: &DescribedElement| {
        let (ai, meaning) = (row.ai.as_str(), row.meaning(today));
        let mut element = json!({"ai": ai, "title": row.title, "value": row.value});
        if let Some(meaning) = meaning {
            element["meaning"] = json!(meaning);
        }
        element
    };
    json!({
        "canonical_uri": item.canonical_uri,
        "no_uri": item.no_uri.as_ref().map(finding_json),
        "element_string": item.element_string,
        "hri": item.hri,
        "elements": item.rows.iter().map(row).collect::<Vec<_>>(),
        "gtin_kind": item.gtin_kind().map(|kind| json!({"code": kind.code(), "name": kind.to_string()})),
    })
}

/// Adds what a weight code says to the JSON object.
pub(crate) fn add_weight(
    inspection: &Inspection<'_>,
    codes: Option<&WeightCodes>,
    value: &mut Value,
) {
    if let Some((scheme, number)) = medicine_of(inspection) {
        value["item"]["medicine"] = json!({"scheme": scheme.name(), "number": number});
    }
    if let Some((item, meaning)) = weight_of(inspection, codes) {
        value["item"]["weight_code"] = json!({"item": item, "meaning": meaning});
    }
}

/// Returns what is assumed in `perhaps_meant`, and what speaks for it.
pub(crate) fn why_json(meant: &Meant) -> Value {
    let assumed = |assumption: &Assumption| {
        json!({
            "code": assumption.kind.code(),
            "message": assumption.message,
            "span": {"start": assumption.span.start, "end": assumption.span.end},
            "evidence": assumption.evidence,
        })
    };
    json!({
        "assumed": meant.why.iter().map(assumed).collect::<Vec<_>>(),
        "other_readings": meant.other_readings,
    })
}
