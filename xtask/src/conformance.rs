//! `cargo xtask conformance`: which tests answer for which requirement of the GS1-Conformant Resolver Standard 1.2.0.
//!
//! The rows are `testdata/requirements/resolver.json`. A test answers for a row by quoting its id, in full, in test
//! code: in a comment above or inside the test function, in its text, or in the `requirements` of a case of
//! `testdata/resolver-examples.json`. Every row needs a test, or says why it has none.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::rust_source::RustSource;
use crate::workspace::{items, read, root, rust_files, shown, text, verdict};

const ROWS: &str = "testdata/requirements/resolver.json";
const CASES: &str = "testdata/resolver-examples.json";
const REPORT: &str = "docs/reference/conformance.md";

/// The catalogue the rows restate, where it lies beside the checkout; elsewhere completeness is taken on trust.
const CATALOGUE: &str = "../shared/spec/resolver.md";

/// Examples 1 to 13 of the standard, which the catalogue lists in running text.
const WORKED_EXAMPLES: u8 = 13;

/// Where ids are quoted: id → file → functions, or cases, that quote it.
type Quotes = BTreeMap<String, BTreeMap<String, BTreeSet<String>>>;

pub(crate) fn run(check: bool) -> Result<(), String> {
    let data = json(ROWS)?;
    let rows = items(&data, "rows");
    let mut quotes = Quotes::new();
    let drivers = collect_code(&mut quotes)?;
    collect_cases(&data, &mut quotes)?;

    let mut findings = row_findings(rows, &quotes);
    if drivers.is_empty() {
        findings.push(format!("expected a test that runs the cases of {CASES}, found none"));
    }
    findings.extend(catalogue_findings(rows)?);
    verdict("conformance", &findings)?;

    let report = report(&data, &quotes, &drivers);
    let path = root().join(REPORT);
    if check {
        if fs::read_to_string(&path).unwrap_or_default() != report {
            return Err(format!("{REPORT} is not up to date: run `cargo xtask conformance`"));
        }
    } else {
        let folder = path.parent().expect("the report lies in a folder");
        fs::create_dir_all(folder).map_err(|error| format!("{REPORT}: {error}"))?;
        fs::write(&path, report).map_err(|error| format!("{REPORT}: {error}"))?;
    }
    println!("conformance: {} rows, {} without a test", rows.len(), untested(rows).count());
    Ok(())
}

fn json(path: &str) -> Result<Value, String> {
    let text = read(&root().join(path))?;
    serde_json::from_str(&text).map_err(|error| format!("{path}: {error}"))
}

fn untested(rows: &[Value]) -> impl Iterator<Item = &Value> {
    rows.iter().filter(|row| !text(row, "untested").is_empty())
}

/// Collects what the test code of all crates quotes; returns the files that run the cases.
fn collect_code(quotes: &mut Quotes) -> Result<BTreeSet<String>, String> {
    let mut drivers = BTreeSet::new();
    let files = rust_files(&root().join("crates"))?;
    let declared = declared_test_files(&files)?;
    for path in &files {
        let source = read(path)?;
        let parsed = RustSource::new(&source);
        let everything = 0..source.len();
        let name = shown(path);
        let whole = name.contains("/tests/") || declared.contains(path);
        let modules = parsed.test_modules();
        let regions = if whole { std::slice::from_ref(&everything) } else { modules.as_slice() };
        for region in regions {
            let code = &source[region.clone()];
            if code.contains("resolver-examples.json") {
                drivers.insert(name.clone());
            }
            for (offset, id) in ids(code) {
                let function = parsed.function_at(region.start + offset).unwrap_or_default();
                let place =
                    quotes.entry(id.to_owned()).or_default().entry(name.clone()).or_default();
                place.insert(function.to_owned());
            }
        }
    }
    Ok(drivers)
}

/// Files that are test modules because their parent says `#[cfg(test)] mod name;`, and all that lies below them.
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

/// Collects what the cases quote, but for those that no test runs yet.
fn collect_cases(data: &Value, quotes: &mut Quotes) -> Result<(), String> {
    let excluded = items(&data["excluded_cases"], "ids");
    for case in items(&json(CASES)?, "cases") {
        if excluded.contains(&case["id"]) {
            continue;
        }
        for id in items(case, "requirements").iter().filter_map(Value::as_str) {
            let place =
                quotes.entry(id.to_owned()).or_default().entry(CASES.to_owned()).or_default();
            place.insert(text(case, "id").to_owned());
        }
    }
    Ok(())
}

/// Every requirement id in a text, with its offset: `RES-`, a section number, `-`, a number.
fn ids(text: &str) -> impl Iterator<Item = (usize, &str)> {
    text.match_indices("RES-").filter_map(|(at, prefix)| {
        let rest = &text[at + prefix.len()..];
        let section =
            rest.bytes().take_while(|byte| byte.is_ascii_digit() || *byte == b'.').count();
        let number = rest[section..].strip_prefix('-')?;
        let digits = number.bytes().take_while(u8::is_ascii_digit).count();
        let id = &text[at..at + prefix.len() + section + 1 + digits];
        (section > 0 && digits > 0).then_some((at, id))
    })
}

fn row_findings(rows: &[Value], quotes: &Quotes) -> Vec<String> {
    let mut findings = Vec::new();
    let mut known = BTreeSet::new();
    for row in rows {
        let id = text(row, "id");
        if !known.insert(id) {
            findings.push(format!("{id}: expected one row, found two"));
        }
        match (quotes.contains_key(id), text(row, "untested")) {
            (false, "") => {
                findings.push(format!("{id}: expected a test that quotes it, found none"));
            }
            (true, reason) if !reason.is_empty() => {
                findings.push(format!("{id}: has a test now, take its `untested` out of {ROWS}"));
            }
            _ => {}
        }
    }
    for (id, places) in quotes.iter().filter(|(id, _)| !known.contains(id.as_str())) {
        let places: Vec<&str> = places.keys().map(String::as_str).collect();
        findings
            .push(format!("{id}: expected a row of {ROWS}, found none ({})", places.join(", ")));
    }
    findings
}

/// Rows of the catalogue that ours lack, and the other way round.
fn catalogue_findings(rows: &[Value]) -> Result<Vec<String>, String> {
    let path = root().join(CATALOGUE);
    if !path.exists() {
        println!("conformance: {CATALOGUE} is not here, so the list of rows is taken as complete");
        return Ok(Vec::new());
    }
    let catalogue = read(&path)?;
    let lines = catalogue.lines().filter_map(|line| line.strip_prefix("| "));
    let mut wanted: BTreeSet<String> = lines
        .filter_map(|line| ids(line).next().filter(|(at, _)| *at == 0))
        .map(|(_, id)| id.to_owned())
        .collect();
    wanted.extend((1..=WORKED_EXAMPLES).map(|number| format!("RES-2.7-{number}")));
    let ours: BTreeSet<String> = rows.iter().map(|row| text(row, "id").to_owned()).collect();
    let missing = wanted.difference(&ours).map(|id| format!("{id}: in {CATALOGUE}, not in {ROWS}"));
    let surplus = ours.difference(&wanted).map(|id| format!("{id}: in {ROWS}, not in {CATALOGUE}"));
    Ok(missing.chain(surplus).collect())
}

fn report(data: &Value, quotes: &Quotes, drivers: &BTreeSet<String>) -> String {
    let rows = items(data, "rows");
    let mut out = format!(
        "# Conformance\n\n\
         <!-- Generated by `cargo xtask conformance` from {ROWS} and the test code. Do not edit. -->\n\n\
         Every requirement of the GS1-Conformant Resolver Standard 1.2.0 as the project numbers them, in its own words,\n\
         with the tests that quote it. Levels that begin with `D` are decisions of this project where the standard is\n\
         silent. {} rows, {} of them without a test.\n\n",
        rows.len(),
        untested(rows).count(),
    );
    let drivers: Vec<String> = drivers.iter().map(|driver| format!("`{driver}`")).collect();
    let excluded = &data["excluded_cases"];
    let _ = write!(
        out,
        "Names such as `EX-1` and `C-2.4-…` are cases of `{CASES}`. They are run by {}.\n\
         {} cases wait ({}).\n\n\
         | Requirement | Level | Meaning | Tests |\n|---|---|---|---|\n",
        drivers.join(", "),
        items(excluded, "ids").len(),
        text(excluded, "reason"),
    );
    for row in rows {
        let id = text(row, "id");
        let tests = quotes.get(id).map_or_else(
            || format!("none: {}", text(row, "untested")),
            |places| {
                places.iter().map(|(file, names)| place(file, names)).collect::<Vec<_>>().join("; ")
            },
        );
        let meaning = text(row, "text").replace('|', "\\|");
        let _ = writeln!(out, "| {id} | {} | {meaning} | {tests} |", text(row, "level"));
    }
    out
}

/// One file and what in it quotes the row: `server/tests/http.rs`: `head_has_no_body`.
fn place(file: &str, names: &BTreeSet<String>) -> String {
    let names: Vec<&str> =
        names.iter().map(String::as_str).filter(|name| !name.is_empty()).collect();
    if file == CASES {
        return names.join(", ");
    }
    let short = file.trim_start_matches("crates/");
    if names.is_empty() {
        return format!("`{short}`");
    }
    format!(
        "`{short}`: {}",
        names.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ")
    )
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn quotes(ids: &[&str]) -> Quotes {
        ids.iter().map(|id| ((*id).to_owned(), BTreeMap::new())).collect()
    }

    #[test]
    fn ids_are_read_in_full() {
        let text = concat!("RES", "-2.5.10-4, RES", "-3-1. RES", "-2.4-*; RES", "-x");
        let found: Vec<&str> = ids(text).map(|(_, id)| id).collect();
        assert_eq!(found, [concat!("RES", "-2.5.10-4"), concat!("RES", "-3-1")]);
    }

    #[test]
    fn a_row_needs_a_test_or_a_reason_but_not_both() {
        let rows = [json!({ "id": "A" }), json!({ "id": "B", "untested": "later" })];
        assert_eq!(row_findings(&rows, &quotes(&["A"])), Vec::<String>::new());
        assert_eq!(row_findings(&rows, &quotes(&[])).len(), 1);
        assert_eq!(row_findings(&rows, &quotes(&["A", "B"])).len(), 1);
    }

    #[test]
    fn an_unknown_id_and_a_repeated_row_fail() {
        let rows = [json!({ "id": "A" })];
        assert_eq!(row_findings(&rows, &quotes(&["A", "C"])).len(), 1);
        let rows = [json!({ "id": "A" }), json!({ "id": "A" })];
        assert_eq!(row_findings(&rows, &quotes(&["A"])).len(), 1);
    }
}
