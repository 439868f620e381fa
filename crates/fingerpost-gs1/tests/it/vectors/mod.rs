//! Reads `testdata/gs1-vectors.json` for the tests of every kind of vector.

use serde_json::Value;

/// The vectors of one kind; `expected` guards against a kind that silently vanished.
pub(crate) fn vectors(kind: &str, expected: usize) -> Vec<Value> {
    let text = include_str!("../../../../../testdata/gs1-vectors.json");
    let file: Value = serde_json::from_str(text).expect("the vectors are JSON");
    let all = file["vectors"].as_array().expect("a list of vectors");
    let chosen: Vec<Value> = all.iter().filter(|vector| vector["kind"] == kind).cloned().collect();
    assert_eq!(chosen.len(), expected, "vectors of kind {kind}");
    chosen
}

/// Runs `check` on every vector and names all that fail.
pub(crate) fn run(kind: &str, expected: usize, check: impl Fn(&Value) -> Result<(), String>) {
    let failures: Vec<String> = vectors(kind, expected)
        .iter()
        .filter_map(|vector| Some(format!("{vector}\n    {}", check(vector).err()?)))
        .collect();
    assert!(failures.is_empty(), "{} failed:\n{}", failures.len(), failures.join("\n"));
}

pub(crate) fn input(vector: &Value) -> &str {
    vector["input"].as_str().expect("an input")
}
