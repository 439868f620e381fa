//! The positions that quote ids: tests, which cover the rows, and all other text in the repository.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use serde_json::Value;

use super::id::{Mention, mentions};
use crate::rust_source::RustSource;
use crate::workspace::{files, items, read, root, rust_files, shown, text};

/// The file of cases that quote ids in their member `requirements`.
pub(super) const CASES: &str = "testdata/resolver-examples.json";

/// Folders and files whose texts may quote ids.
const PLACES: [&str; 12] = [
    "ARCHITECTURE.md",
    "CHANGELOG.md",
    "CONTRIBUTING.md",
    "README.md",
    "SECURITY.md",
    "bench",
    "crates",
    "data",
    "docs",
    "fuzz",
    "testdata",
    "xtask",
];

/// Extensions of files with text written by people.
const TEXTS: [&str; 9] = ["css", "html", "js", "json", "md", "rs", "sh", "toml", "txt"];

/// Id → file → functions or cases that quote it.
pub(super) type Quotes = BTreeMap<String, BTreeMap<String, BTreeSet<String>>>;

/// The ids quoted by tests.
#[derive(Default)]
pub(super) struct Tested {
    pub(super) quotes: Quotes,
    /// The files that run the cases.
    pub(super) drivers: BTreeSet<String>,
}

impl Tested {
    /// Collects the ids quoted in the test code of all crates and in the cases.
    pub(super) fn collect() -> Result<Self, String> {
        let mut tested = Self::default();
        tested.collect_code()?;
        tested.collect_cases()?;
        Ok(tested)
    }

    fn collect_code(&mut self) -> Result<(), String> {
        let files = rust_files(&root().join("crates"))?;
        let declared = declared_test_files(&files)?;
        for path in &files {
            let source = read(path)?;
            let parsed = RustSource::new(&source);
            let everything = 0..source.len();
            let name = shown(path);
            let whole = name.contains("/tests/") || declared.contains(path);
            let modules = parsed.test_modules();
            let regions =
                if whole { std::slice::from_ref(&everything) } else { modules.as_slice() };
            for region in regions {
                let code = &source[region.clone()];
                if code.contains("resolver-examples.json") {
                    self.drivers.insert(name.clone());
                }
                for (offset, found) in mentions(code) {
                    let Some(id) = found.id() else { continue };
                    let function = parsed.function_at(region.start + offset).unwrap_or_default();
                    self.insert(id, &name, function);
                }
            }
        }
        Ok(())
    }

    fn collect_cases(&mut self) -> Result<(), String> {
        let cases = read(&root().join(CASES))?;
        let cases: Value =
            serde_json::from_str(&cases).map_err(|error| format!("{CASES}: {error}"))?;
        for case in items(&cases, "cases") {
            for id in items(case, "requirements").iter().filter_map(Value::as_str) {
                self.insert(id, CASES, text(case, "id"));
            }
        }
        Ok(())
    }

    fn insert(&mut self, id: &str, file: &str, position: &str) {
        let positions = self.quotes.entry(id.to_owned()).or_default();
        positions.entry(file.to_owned()).or_default().insert(position.to_owned());
    }
}

/// Returns the files that are test modules because their parent declares `#[cfg(test)] mod name;`,
/// and all files below them.
fn declared_test_files(files: &[PathBuf]) -> Result<BTreeSet<PathBuf>, String> {
    let mut stems = Vec::new();
    for path in files {
        let source = read(path)?;
        let parent = path.parent().unwrap_or(Path::new(""));
        let stem = path.file_stem().unwrap_or_default();
        let folder = if ["lib", "main", "mod"].iter().any(|root| stem == *root) {
            parent.to_owned()
        } else {
            parent.join(stem)
        };
        let modules = RustSource::new(&source).test_module_files();
        stems.extend(modules.into_iter().map(|module| folder.join(module)));
    }
    let below = |path: &&PathBuf| {
        stems.iter().any(|stem| path.with_extension("") == *stem || path.starts_with(stem))
    };
    Ok(files.iter().filter(below).cloned().collect())
}

/// Returns the mentions in the repository of ids that are not a row.
pub(super) fn unknown(known: &BTreeSet<&str>) -> Result<Vec<String>, String> {
    let mut findings = BTreeSet::new();
    for position in PLACES {
        for path in files(&root().join(position), &TEXTS)? {
            let name = shown(&path);
            for (_, found) in mentions(&read(&path)?) {
                match found {
                    Mention::Id(id) if known.contains(id) => {}
                    Mention::Id(id) => {
                        findings
                            .insert(format!("{name}: {id} is in no document of docs/requirements"));
                    }
                    Mention::Malformed(word) => {
                        findings.insert(format!("{name}: {word} is not the id of a requirement"));
                    }
                }
            }
        }
    }
    Ok(findings.into_iter().collect())
}
