//! The vectors of `testdata/gs1-vectors.json` about content rules and element strings: kinds lint,
//! bracketed, raw, scan and hri. The Digital Link kinds have a file of their own.

use crate::vectors;

use fingerpost_gs1::{Ai, ElementString, Error, Linter, Options, Order, Scan};
use serde_json::Value;
use vectors::{input, run, vectors};

fn options(vector: &Value) -> Options {
    let on = |name: &str| vector["options"][name].as_bool();
    Options::new()
        .requisites(on("requisites").unwrap_or(true))
        .unknown_ais(on("unknown_ais").unwrap_or(false))
        .uri_syntax_1_4(on("uri_syntax_1_4").unwrap_or(false))
}

fn equal<T: PartialEq + std::fmt::Debug>(
    what: &str,
    found: &T,
    expected: &T,
) -> Result<(), String> {
    if found == expected {
        return Ok(());
    }
    Err(format!("{what}: expected {expected:?}, found {found:?}"))
}

/// Code, Application Identifier and position of an error.
fn same_error(vector: &Value, error: Error) -> Result<(), String> {
    equal("code", &Some(error.code()), &vector["error"].as_str())?;
    let ai = error.ai().map(|ai| ai.to_string());
    equal("ai", &ai.as_deref(), &vector["ai"].as_str())?;
    if let Some(at) = vector["at"].as_array() {
        let span = error.value_span().ok_or("no place in the value")?;
        equal("at", &[span.start.into(), span.len().into()].as_slice(), &at.as_slice())?;
    }
    let input = input(vector).len();
    if error.span().start > error.span().end || error.span().end > input {
        return Err(format!("span {:?} outside the input", error.span()));
    }
    Ok(())
}

fn same_elements(vector: &Value, item: &ElementString<'_>) -> Result<(), String> {
    let pairs = |list: &Value| -> Vec<(String, String)> {
        let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
        list.as_array().into_iter().flatten().map(|p| (text(&p[0]), text(&p[1]))).collect()
    };
    let found: Vec<(String, String)> =
        item.elements().iter().map(|e| (e.ai().to_string(), e.value().to_owned())).collect();
    equal("elements", &found, &pairs(&vector["ais"]))?;
    if let Some(bracketed) = vector["element_string"].as_str() {
        equal("bracketed", &item.to_bracketed().as_str(), &bracketed)?;
    }
    if let Some(raw) = vector["raw"].as_str() {
        equal("raw", &item.to_raw(Order::AsStored).as_str(), &raw)?;
        let first = vector["raw_predefined_first"].as_str().unwrap_or(raw);
        equal("predefined first", &item.to_raw(Order::PredefinedFirst).as_str(), &first)?;
        equal("GS", &item.to_raw_gs(Order::AsStored), &raw.replace('^', "\u{1d}"))?;
    }
    Ok(())
}

fn judge(vector: &Value, result: Result<ElementString<'_>, Error>) -> Result<(), String> {
    match (vector["valid"].as_bool(), result) {
        (Some(true), Ok(item)) => same_elements(vector, &item),
        (Some(false), Err(error)) => same_error(vector, error),
        (_, Ok(item)) => Err(format!("accepted as {item}")),
        (_, Err(error)) => Err(format!("refused: {} {error}", error.code())),
    }
}

/// The first finding of an inspection is the error of the reader.
fn same_finding<T>(
    result: &Result<T, Error>,
    inspected: &(Option<T>, fingerpost_gs1::Findings),
) -> Result<(), String> {
    equal("first finding", &inspected.1.errors().first(), &result.as_ref().err())?;
    equal("is there", &inspected.0.is_some(), &result.is_ok())
}

// GS1-LINT-01, GS1-LINT-02, GS1-LINT-03, GS1-LINT-04, GS1-LINT-05, GS1-LINT-06, GS1-LINT-07,
// GS1-LINT-08, GS1-LINT-09, GS1-LINT-11, GS1-LINT-12, GS1-LINT-14, GS1-LINT-15, GS1-LINT-16,
// GS1-LINT-17, GS1-LINT-18, GS1-LINT-19
#[test]
fn lint_vectors() {
    run("lint", 239, |vector| {
        let name = vector["linter"].as_str().unwrap_or_default();
        let linter = Linter::from_name(name).ok_or("no such linter")?;
        match (vector["valid"].as_bool(), linter.check(input(vector).as_bytes())) {
            (Some(true), Ok(())) => Ok(()),
            (Some(false), Err(fault)) => {
                equal("code", &Some(fault.error().code()), &vector["error"].as_str())?;
                let at = vector["at"].as_array().ok_or("no place given")?;
                equal(
                    "at",
                    &[fault.start().into(), fault.length().into()].as_slice(),
                    &at.as_slice(),
                )
            }
            (_, found) => Err(format!("{found:?}")),
        }
    });
}

// GS1-AI-05, GS1-VAL-02, GS1-VAL-03, GS1-VAL-04, GS1-ASC-01, GS1-ASC-02, GS1-ASC-03, GS1-ASC-04,
// GS1-ES-01, GS1-ES-02, GS1-ES-03, GS1-ES-04, GS1-ES-17
#[test]
fn bracketed_vectors() {
    run("bracketed", 135, |vector| {
        let options = options(vector);
        let result = ElementString::parse_bracketed_with(input(vector), &options);
        same_finding(&result, &ElementString::inspect_bracketed(input(vector), &options))?;
        judge(vector, result)
    });
}

// GS1-AI-02, GS1-AI-03, GS1-VAL-05, GS1-ES-07, GS1-ES-08, GS1-ES-09, GS1-ES-11
#[test]
fn raw_vectors() {
    run("raw", 47, |vector| {
        let options = options(vector);
        let result = ElementString::parse_raw_with(input(vector), &options);
        same_finding(&result, &ElementString::inspect_raw(input(vector), &options))?;
        judge(vector, result)
    });
}

// GS1-ES-13, GS1-ES-14, GS1-ES-15, GS1-ES-16
#[test]
fn scan_vectors() {
    run("scan", 21, |vector| {
        let options = options(vector);
        let result = ElementString::parse_scan_with(input(vector), &options);
        same_finding(&result, &ElementString::inspect_scan(input(vector), &options))?;
        match result {
            Ok(Scan::Plain(text)) => equal("plain", &Some(&*text), &vector["plain"].as_str()),
            Ok(Scan::Elements(item)) => judge(vector, Ok(item)),
            Ok(other) => Err(format!("read as {other:?}")),
            Err(error) => judge(vector, Err(error)),
        }
    });
}

// GS1-ES-20
#[test]
fn hri_vectors() {
    run("hri", 10, |vector| {
        let item =
            ElementString::parse_bracketed_with(input(vector), &Options::new().requisites(false));
        let item = item.map_err(|error| error.to_string())?;
        let titles = vector["options"]["titles"].as_bool().unwrap_or(false);
        let lines: Vec<Value> = item.hri(titles).map(Value::from).collect();
        equal("lines", &Some(&lines), &vector["lines"].as_array())
    });
}

#[test]
fn every_key_of_the_vectors_is_understood() {
    // Guards against options in a newer file that the functions above would ignore.
    for kind in [("bracketed", 135), ("raw", 47), ("scan", 21)] {
        for vector in vectors(kind.0, kind.1) {
            for name in vector["options"].as_object().into_iter().flat_map(|map| map.keys()) {
                assert!(["requisites", "unknown_ais", "uri_syntax_1_4"].contains(&name.as_str()));
            }
        }
    }
    assert!(Ai::new("01").is_some());
}
