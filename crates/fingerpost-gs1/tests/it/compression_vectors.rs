//! The vectors of `testdata/gs1-vectors.json` about the compression of Digital Link 1.1: kinds
//! compress, `compress_partial` and decompress.

use crate::vectors;

use fingerpost_gs1::compression::{
    CompressOptions, CompressionExtent, compress, decompress, decompress_path,
};
use fingerpost_gs1::{DigitalLink, Element, ElementString, Error, Options};
use serde_json::Value;
use vectors::{input, run};

#[expect(clippy::needless_pass_by_value, reason = "shorter where it is called")]
fn equal<T: PartialEq + std::fmt::Debug>(what: &str, found: T, expected: T) -> Result<(), String> {
    if found == expected {
        return Ok(());
    }
    Err(format!("{what}: expected {expected:?}, found {found:?}"))
}

fn same_pairs(vector: &Value, elements: &[Element<'_>]) -> Result<(), String> {
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let expected: Vec<(String, String)> = vector["ais"]
        .as_array()
        .into_iter()
        .flatten()
        .map(|pair| (text(&pair[0]), text(&pair[1])))
        .collect();
    let found: Vec<(String, String)> =
        elements.iter().map(|e| (e.ai().to_string(), e.value().to_owned())).collect();
    equal("elements", found, expected)
}

/// Code, AI and position of an error, where the vector names them.
fn same_error(vector: &Value, error: Error) -> Result<(), String> {
    equal("validity", Some(false), vector["valid"].as_bool())?;
    equal("code", Some(error.code()), vector["error"].as_str())?;
    if let Some(expected) = vector["ai"].as_str() {
        let ai = error.ai().map(|ai| ai.to_string());
        equal("ai", ai.as_deref(), Some(expected))?;
    }
    match input(vector).get(error.span().start..error.span().end) {
        Some(found) if !found.is_empty() => Ok(()),
        _ => Err(format!("span {:?} points at nothing", error.span())),
    }
}

// GS1-LC-02, GS1-LC-04, GS1-LC-05, GS1-LC-06, GS1-LC-07, GS1-LC-08, GS1-LC-09, GS1-LC-17
#[test]
fn compress_vectors() {
    run("compress", 49, |vector| {
        let on = |name: &str| vector["options"][name].as_bool().unwrap_or(true);
        let options =
            CompressOptions::new().optimise(on("optimise")).other_pairs(on("compress_other_pairs"));
        let link = DigitalLink::parse_with(input(vector), &Options::new().requisites(false))
            .map_err(|error| error.to_string())?;
        let compressed = match compress(&link, &options) {
            Ok(compressed) => compressed,
            Err(error) => return same_error(vector, error),
        };
        same_pairs(vector, link.elements())?;
        equal("compressed", Some(compressed.as_str()), vector["compressed"].as_str())?;
        let back = decompress(&compressed, &Options::new().requisites(false))
            .map_err(|error| format!("{compressed}: {error}"))?;
        equal("form", back.form(), CompressionExtent::Full)?;
        equal("elements", back.link().to_element_string(), link.to_element_string())
    });
}

// GS1-LC-05, GS1-LC-18
#[test]
fn compress_partial_vectors() {
    run("compress_partial", 3, |vector| {
        let options = Options::new().requisites(false);
        let item = ElementString::parse_bracketed_with(input(vector), &options)
            .map_err(|error| error.to_string())?;
        let uri = DigitalLink::build_with("https://example.com", &item, &options)
            .map_err(|error| error.to_string())?;
        let link = DigitalLink::parse_with(&uri, &options).map_err(|error| error.to_string())?;
        let compressed = compress(&link, &CompressOptions::new().partial(true))
            .map_err(|error| error.to_string())?;
        same_pairs(vector, link.elements())?;
        equal("compressed", Some(compressed.as_str()), vector["compressed"].as_str())?;
        let back = decompress(&compressed, &options).map_err(|error| error.to_string())?;
        equal("form", back.form(), CompressionExtent::Partial)?;
        equal("uri", back.uri(), &uri)
    });
}

// GS1-LC-12, GS1-LC-13, GS1-LC-18, GS1-LC-20
#[test]
fn decompress_vectors() {
    run("decompress", 30, |vector| {
        let options = Options::new().requisites(false);
        let uri = input(vector);
        let path = uri.strip_prefix("https://example.com").expect("the host of the vectors");
        let by_path = decompress_path(path, &options);
        let read = match decompress(uri, &options) {
            Ok(read) => read,
            Err(error) => {
                equal("code of the path", by_path.err().map(|e| e.code()), Some(error.code()))?;
                return same_error(vector, error);
            }
        };
        equal("validity", Some(true), vector["valid"].as_bool())?;
        same_pairs(vector, read.elements())?;
        equal("uri", Some(read.uri()), vector["uri"].as_str())?;
        let link = read.link();
        if let Some(canonical) = vector["canonical"].as_str() {
            equal("canonical", link.canonical().as_str(), canonical)?;
        }
        let other: Vec<String> = vector["other"]
            .as_object()
            .into_iter()
            .flatten()
            .map(|(key, value)| format!("{key}={}", value.as_str().unwrap_or_default()))
            .collect();
        let mut found: Vec<String> = link.extensions().map(|e| e.replace("%20", " ")).collect();
        found.sort_unstable();
        equal("other", found, other)?;
        let by_path = by_path.map_err(|error| format!("path: {error}"))?;
        equal("elements of the path", by_path.elements(), read.elements())?;
        equal("query of the path", by_path.query(), read.query())?;
        equal("warnings", read.warnings().len(), 0)
    });
}
