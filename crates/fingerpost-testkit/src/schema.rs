//! The published JSON schemas (RES-2.10-3, RES-3-2).
//!
//! GS1's linkset schema is not ours to hand on: it is read where it lies beside a working copy, and what
//! would need it is skipped, aloud, where it does not.

use std::path::PathBuf;
use std::sync::LazyLock;

use jsonschema::Validator;
use serde_json::Value;

use crate::case::testdata;

static LINKSET: LazyLock<Option<Validator>> = LazyLock::new(|| {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR"))
        .join("../../../shared/data/gs1-linkset-schema.json");
    let Ok(text) = std::fs::read(&path) else {
        eprintln!("skipped: no linkset schema at {}", path.display());
        return None;
    };
    Some(compiled(&text))
});

static DESCRIPTION: LazyLock<Validator> = LazyLock::new(|| {
    compiled(&std::fs::read(testdata("description-file-schema.json")).expect("the restated schema"))
});

fn compiled(text: &[u8]) -> Validator {
    let schema: Value = serde_json::from_slice(text).expect("a schema is JSON");
    jsonschema::draft7::new(&schema).expect("a schema of draft 7")
}

/// Whether [`linkset_faults`] can find any.
#[must_use]
pub fn linkset_schema_is_here() -> bool {
    LINKSET.is_some()
}

/// What GS1's linkset schema finds wrong; nothing if it is not at hand.
#[must_use]
pub fn linkset_faults(document: &Value) -> Vec<String> {
    LINKSET.as_ref().map_or_else(Vec::new, |schema| faults(schema, document))
}

/// What GS1's schema of the resolver description file finds wrong.
#[must_use]
pub fn description_faults(document: &Value) -> Vec<String> {
    faults(&DESCRIPTION, document)
}

fn faults(schema: &Validator, document: &Value) -> Vec<String> {
    schema
        .iter_errors(document)
        .map(|error| format!("{}: {error}", error.instance_path()))
        .collect()
}
