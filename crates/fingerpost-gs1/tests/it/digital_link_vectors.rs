//! The vectors of `testdata/gs1-vectors.json` about Digital Link URIs: kinds dl, generate and
//! plausible.

use crate::vectors;

use fingerpost_gs1::{DigitalLink, ElementString, EntityKey, Error, Options, Order, Plausibility};
use serde_json::Value;
use vectors::{input, run};

fn options(vector: &Value) -> Options {
    let on = |name: &str| vector["options"][name].as_bool();
    let options = Options::new()
        .requisites(on("requisites").unwrap_or(true))
        .unknown_ais(on("unknown_ais").unwrap_or(false))
        .unknown_ais_as_attributes(on("unknown_ais_as_attributes").unwrap_or(false))
        .uri_syntax_1_4(on("uri_syntax_1_4").unwrap_or(false));
    if vector["options"]["mode"] == "lenient" {
        return options.lenient();
    }
    options.zero_suppressed_gtin(on("zero_suppressed_gtin").unwrap_or(false))
}

#[expect(clippy::needless_pass_by_value, reason = "shorter where it is called")]
fn equal<T: PartialEq + std::fmt::Debug>(what: &str, found: T, expected: T) -> Result<(), String> {
    if found == expected {
        return Ok(());
    }
    Err(format!("{what}: expected {expected:?}, found {found:?}"))
}

/// Code, AI and position of an error, where the vector names them.
fn same_error(vector: &Value, error: Error) -> Result<(), String> {
    equal("code", Some(error.code()), vector["error"].as_str())?;
    if let Some(expected) = vector["ai"].as_str() {
        let ai = error.ai().map(|ai| ai.to_string());
        equal("ai", ai.as_deref(), Some(expected))?;
    }
    if let Some(at) = vector["at"].as_array() {
        let span = error.value_span().ok_or("no place in the value")?;
        equal("at", [span.start.into(), span.len().into()].as_slice(), at.as_slice())?;
    }
    let input = input(vector);
    if input.get(error.span().start..error.span().end).is_none() {
        return Err(format!("span {:?} is not in the input", error.span()));
    }
    Ok(())
}

fn same_pairs(vector: &Value, link: &DigitalLink<'_>) -> Result<(), String> {
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let expected: Vec<(String, String)> = vector["ais"]
        .as_array()
        .into_iter()
        .flatten()
        .map(|pair| (text(&pair[0]), text(&pair[1])))
        .collect();
    let found: Vec<(String, String)> =
        link.elements().iter().map(|e| (e.ai().to_string(), e.value().to_owned())).collect();
    equal("elements", found, expected)
}

fn check_link(vector: &Value) -> Result<(), String> {
    let uri = input(vector);
    let options = options(vector);
    let (inspected, findings) = DigitalLink::inspect(uri, &options);
    let link = match DigitalLink::parse_with(uri, &options) {
        Err(error) => {
            equal("validity", Some(false), vector["valid"].as_bool())?;
            equal("inspection", inspected.is_none(), true)?;
            if !findings.errors().contains(&error) {
                return Err(format!("inspection misses {error}: {findings}"));
            }
            return same_error(vector, error);
        }
        Ok(link) => link,
    };
    equal("validity", Some(true), vector["valid"].as_bool())?;
    equal("inspection", inspected.as_ref(), Some(&link))?;
    equal("findings", findings.len(), 0)?;
    same_pairs(vector, &link)?;
    let canonical = link.canonical();
    equal("canonical", Some(canonical.as_str()), vector["canonical"].as_str())?;
    let element_string = link.to_element_string();
    equal("string", Some(&*element_string.to_bracketed()), vector["element_string"].as_str())?;
    if let Some(raw) = vector["raw"].as_str() {
        equal("raw", &*element_string.to_raw(Order::AsStored), raw)?;
    }
    let ignored: Vec<&str> =
        vector["ignored"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
    if vector["ignored"].is_array() {
        equal("ignored", link.extensions().collect::<Vec<_>>(), ignored)?;
    }
    check_round_trips(&link, &canonical, &options)
}

/// GS1-DL-24: the canonical form reads to the same elements and is its own canonical form; its path
/// is the text of the entity key.
fn check_round_trips(
    link: &DigitalLink<'_>,
    canonical: &str,
    options: &Options,
) -> Result<(), String> {
    let again =
        DigitalLink::parse_with(canonical, options).map_err(|e| format!("canonical: {e}"))?;
    equal("canonical of canonical", again.canonical().as_str(), canonical)?;
    equal("elements of canonical", again.to_element_string(), link.to_element_string())?;
    let key = link.entity_key();
    let path = canonical.strip_prefix(DigitalLink::REFERENCE_STEM).unwrap_or_default();
    let path = path.split('?').next().unwrap_or_default();
    equal("entity key", format!("/{key}").as_str(), path)?;
    let parsed = EntityKey::parse(path).map_err(|error| format!("entity key: {error}"))?;
    equal("entity key", &parsed, &key)?;
    equal("entity key from canonical", EntityKey::from_canonical(key.as_str()), Some(key))
}

// GS1-DL-01, GS1-DL-02, GS1-DL-03, GS1-DL-04, GS1-DL-05, GS1-DL-06, GS1-DL-07, GS1-DL-08,
// GS1-DL-09, GS1-DL-10, GS1-DL-11, GS1-DL-12, GS1-DL-14, GS1-DL-15, GS1-DL-19, GS1-DL-21,
// GS1-DIFF-01, GS1-DIFF-03, GS1-DIFF-04
#[test]
fn dl() {
    run("dl", 212, check_link);
}

// GS1-DL-16, GS1-DL-17, GS1-DL-18
#[test]
fn generate() {
    run("generate", 18, |vector| {
        let options = options(vector);
        let stem = vector["options"]["stem"].as_str().unwrap_or(DigitalLink::REFERENCE_STEM);
        let item = ElementString::parse_bracketed_with(input(vector), &options);
        let built =
            item.and_then(|item| Ok((DigitalLink::build_with(stem, &item, &options)?, item)));
        let (uri, item) = match built {
            Err(error) => {
                equal("validity", Some(false), vector["valid"].as_bool())?;
                return same_error(vector, error);
            }
            Ok(built) => built,
        };
        equal("uri", Some(uri.as_str()), vector["uri"].as_str())?;
        let link = DigitalLink::parse_with(&uri, &options).map_err(|error| error.to_string())?;
        equal("canonical", Some(link.canonical().as_str()), vector["canonical"].as_str())?;
        equal("elements", link.to_element_string(), item)
    });
}

// GS1-DL-22, GS1-DL-23
#[test]
fn plausible() {
    run("plausible", 9, |vector| {
        let text = input(vector);
        equal("re1", Some(Plausibility::matches_re1(text)), vector["re1"].as_bool())?;
        equal("re2", Some(Plausibility::matches_re2(text)), vector["re2"].as_bool())?;
        let class = match Plausibility::of(text) {
            Plausibility::Uncompressed => "uncompressed",
            Plausibility::Compressed => "compressed",
            Plausibility::No => "no",
        };
        equal("class", Some(class), vector["class"].as_str())
    });
}
