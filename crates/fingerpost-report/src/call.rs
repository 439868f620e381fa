//! One call with JSON in and out, for bindings that pass text.

use serde_json::{Value, json};

use crate::finding::finding_json;
use crate::forms::WrittenForm;
use crate::reading::AcceptedReading;
use crate::toolkit::{Toolkit, ToolkitError, expected_one_of};

/// A function of the toolkit.
type Function = fn(&Toolkit, &str) -> Result<String, ToolkitError>;

/// The functions, by name.
const FUNCTIONS: &[(&str, Function)] = &[
    ("check", |toolkit, text| Ok(toolkit.check(text).to_string())),
    ("convert", |toolkit, text| {
        let converted = toolkit.convert(text)?;
        let result = match toolkit.is_to_json() {
            true => converted.text,
            false => json!(converted.text).to_string(),
        };
        let warnings: Vec<Value> = converted.warnings.iter().map(finding_json).collect();
        Ok(format!(r#"{{"result":{result},"warnings":{}}}"#, Value::from(warnings)))
    }),
    #[cfg(feature = "label")]
    ("label", |toolkit, text| Ok(toolkit.label(text)?.json().to_string())),
    ("uri", |toolkit, text| Ok(toolkit.uri(text).to_string())),
    ("urn", |toolkit, text| Ok(toolkit.urn(text).to_string())),
];

/// Calls a function of the toolkit: `check`, `convert`, `label`, `uri` or `urn`. `options` is a
/// JSON object or empty; `now` counts seconds since 1970. Returns a JSON object: the result, or
/// `{"error": …}` with `code`, `message`, `help`, `span` and the `input` that the span counts bytes
/// of.
///
/// ```
/// let answer = |function, text| fingerpost_report::call(function, text, r#"{"to": "hri"}"#, 0);
///
/// let converted = answer("convert", "3066c4409047e14000001a85");
/// assert_eq!(converted, r#"{"result":"(01) 09506000134352 (21) 6789","warnings":[]}"#);
/// assert!(answer("convert", "nothing").starts_with(r#"{"error":{"code":"#));
/// assert!(answer("check", "9520123456788").contains(r#""valid":true"#));
/// ```
#[must_use]
pub fn call(function: &str, text: &str, options: &str, now: i64) -> String {
    let known = FUNCTIONS.iter().map(|(name, _)| *name);
    let found = FUNCTIONS.iter().find(|(name, _)| *name == function);
    let found = found.ok_or_else(|| expected_one_of("function", known, function));
    let answer = found.and_then(|(_, call)| call(&Toolkit::new(options, now)?, text));
    answer.unwrap_or_else(|refusal| json!({"error": refusal.json()}).to_string())
}

/// Returns the names that the bindings know, as a JSON object: `functions`, `forms`, `accept`,
/// `schemes` and, with labels, `symbols` and `addresses`. Tests compare their types with it.
#[must_use]
pub fn definition() -> Value {
    let functions = FUNCTIONS.iter().map(|(name, _)| *name);
    #[cfg_attr(not(feature = "label"), expect(unused_mut, reason = "labels add to it"))]
    let mut value = json!({
        "functions": functions.collect::<Vec<_>>(),
        "forms": WrittenForm::codes().collect::<Vec<_>>(),
        "accept": AcceptedReading::ALL.iter().map(|reading| reading.code()).collect::<Vec<_>>(),
        "schemes": fingerpost_epc::Scheme::all().map(fingerpost_epc::Scheme::name).collect::<Vec<_>>(),
        "release": fingerpost_gs1::DICTIONARY_RELEASE,
    });
    #[cfg(feature = "label")]
    {
        let symbols = fingerpost_label::SymbolKind::ALL.iter().map(|kind| kind.code());
        let addresses = fingerpost_label::AddressForm::ALL.iter().map(|form| form.code());
        value["symbols"] = symbols.collect();
        value["addresses"] = addresses.collect();
    }
    value
}
