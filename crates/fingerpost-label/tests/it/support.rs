//! Labels of identifiers, and the valid vectors of `testdata`.

use fingerpost_gs1::Options;
use fingerpost_label::{Content, Label, LabelAddress, LabelOptions, SymbolKind};
use serde_json::Value;

/// Options that accept every valid vector.
pub(crate) fn options() -> Options {
    Options::new()
        .lenient()
        .requisites(false)
        .unknown_ais(true)
        .unknown_ais_as_attributes(true)
        .uri_syntax_1_4(true)
}

/// Returns the label of a text; the error is what `check` would say.
pub(crate) fn label(text: &str, kind: SymbolKind, drawn: LabelOptions) -> Result<Label, String> {
    Label::new(&content(text, kind)?, drawn).map_err(|error| error.to_string())
}

/// Returns what a symbol of this kind holds for a text.
pub(crate) fn content(text: &str, kind: SymbolKind) -> Result<Content, String> {
    Content::read(text, kind, &LabelAddress::default(), &options())
        .map_err(|finding| finding.code.to_owned())
}

/// Returns the inputs of the valid vectors of both libraries that are identifiers.
pub(crate) fn valid_inputs() -> Vec<String> {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../testdata/");
    let read = |name: &str| -> Value {
        let text = std::fs::read_to_string(format!("{folder}{name}")).expect("a file of vectors");
        serde_json::from_str(&text).expect("vectors are JSON")
    };
    let gs1 = read("gs1-vectors.json");
    let kinds = [
        "dl",
        "bracketed",
        "raw",
        "scan",
        "generate",
        "compress",
        "decompress",
        "compress_partial",
        "hri",
    ];
    let gs1 = gs1["vectors"].as_array().expect("a list").iter().filter(|vector| {
        vector["valid"] == true && kinds.iter().any(|kind| vector["kind"] == *kind)
    });
    let mut inputs: Vec<String> =
        gs1.filter_map(|vector| vector["input"].as_str().map(str::to_owned)).collect();
    let epc = read("epc-vectors.json");
    let rows = epc.as_array().into_iter().chain(epc["vectors"].as_array()).flatten();
    for row in rows {
        for name in ["hex", "uri", "tag_uri", "element_string", "digital_link"] {
            inputs.extend(row[name].as_str().map(str::to_owned));
        }
    }
    inputs.sort();
    inputs.dedup();
    inputs
}
