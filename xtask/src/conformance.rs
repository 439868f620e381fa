//! `cargo xtask conformance`: which tests answer for which requirement of the GS1-Conformant Resolver Standard 1.2.0, and
//! of the texts on URIs, URNs and the first web syntax.
//!
//! The rows are `testdata/requirements/*.json`. A test answers for a row by quoting its id, in full, in test code: in a
//! comment above or inside the test function, in its text, or in the `requirements` of a case of
//! `testdata/resolver-examples.json`. Every row needs a test, or says why it has none.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::rust_source::RustSource;
use crate::workspace::{items, read, root, rust_files, shown, text, verdict};

const CASES: &str = "testdata/resolver-examples.json";

/// A catalogue of requirements and what is made of it.
struct Subject {
    rows: &'static str,
    report: &'static str,
    /// What the rows restate, where it lies beside the checkout; elsewhere completeness is taken on trust.
    catalogue: &'static str,
    /// How ids begin.
    prefixes: &'static [&'static str],
    /// What stands below the heading of the report.
    about: &'static str,
}

const RESOLVER: Subject = Subject {
    rows: "testdata/requirements/resolver.json",
    report: "docs/reference/conformance.md",
    catalogue: "../shared/spec/resolver.md",
    prefixes: &["RES-"],
    about: "Every requirement of the GS1-Conformant Resolver Standard 1.2.0 as the project numbers them, in its own words,\n\
            with the tests that quote it. Levels that begin with `D` are decisions of this project where the standard is\n\
            silent.",
};

const URI: Subject = Subject {
    rows: "testdata/requirements/uri-urn.json",
    report: "docs/reference/conformance-uri.md",
    catalogue: "../shared/spec/uri-urn.md",
    prefixes: &["URI-", "URN-", "WWW-"],
    about: "Every requirement of RFC 3986 (`URI-`), of URNs by their draft of 2012 and RFC 8141 (`URN-`), of the first web\n\
            syntax and of RFC 2169 (`WWW-`), as the project numbers them, in its own words, with the tests that quote it.\n\
            Level `D` is a decision of this project where the texts are silent, damaged or contradict themselves. The\n\
            shared vectors of `testdata/uri-urn-vectors.json`, run by `fingerpost-uri/tests/vectors.rs`, carry no ids and\n\
            come on top.",
};

/// Examples 1 to 13 of the standard, which the catalogue lists in running text.
const WORKED_EXAMPLES: u8 = 13;

/// Where ids are quoted: id → file → functions, or cases, that quote it.
type Quotes = BTreeMap<String, BTreeMap<String, BTreeSet<String>>>;

pub(crate) fn run(check: bool) -> Result<(), String> {
    let mut quotes = Quotes::new();
    let drivers = collect_code(&mut quotes)?;
    if drivers.is_empty() {
        return Err(format!(
            "conformance: expected a test that runs the cases of {CASES}, found none"
        ));
    }
    let resolver = json(RESOLVER.rows)?;
    collect_cases(&mut quotes)?;
    let cases = cases_paragraph(&drivers);
    judge(&RESOLVER, &resolver, &quotes, &cases, check)?;
    judge(&URI, &json(URI.rows)?, &quotes, "", check)
}

/// Compares the rows of a subject with what is quoted, and writes or checks its report.
fn judge(
    subject: &Subject,
    data: &Value,
    quotes: &Quotes,
    cases: &str,
    check: bool,
) -> Result<(), String> {
    let rows = items(data, "rows");
    let is_own = |id: &str| subject.prefixes.iter().any(|prefix| id.starts_with(prefix));
    let own = quotes.iter().filter(|(id, _)| is_own(id));
    let own: Quotes = own.map(|(id, places)| (id.clone(), places.clone())).collect();
    let mut findings = row_findings(subject.rows, rows, &own);
    findings.extend(catalogue_findings(subject, rows)?);
    verdict("conformance", &findings)?;

    let report = report(subject, rows, &own, cases);
    let (name, path) = (subject.report, root().join(subject.report));
    if check {
        if fs::read_to_string(&path).unwrap_or_default() != report {
            return Err(format!("{name} is not up to date: run `cargo xtask conformance`"));
        }
    } else {
        let folder = path.parent().expect("the report lies in a folder");
        fs::create_dir_all(folder).map_err(|error| format!("{name}: {error}"))?;
        fs::write(&path, report).map_err(|error| format!("{name}: {error}"))?;
    }
    println!("conformance: {name}: {} rows, {} without a test", rows.len(), untested(rows).count());
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

/// Collects what the cases quote.
fn collect_cases(quotes: &mut Quotes) -> Result<(), String> {
    for case in items(&json(CASES)?, "cases") {
        for id in items(case, "requirements").iter().filter_map(Value::as_str) {
            let place =
                quotes.entry(id.to_owned()).or_default().entry(CASES.to_owned()).or_default();
            place.insert(text(case, "id").to_owned());
        }
    }
    Ok(())
}

/// Every requirement id in a text, with its offset: `RES-`, a section number, `-`, a number; or `URI-`, `URN-` or `WWW-`,
/// capitals, `-`, a number and perhaps a letter.
fn ids(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let length = |at: usize, is_part: fn(u8) -> bool| {
        text[at..].bytes().take_while(|&byte| is_part(byte)).count()
    };
    let starts = RESOLVER.prefixes.iter().chain(URI.prefixes);
    let starts = starts.flat_map(|&prefix| text.match_indices(prefix));
    let whole = starts.filter(|&(at, _)| !text[..at].ends_with(['-']));
    whole.filter_map(move |(at, prefix)| {
        let group = at + prefix.len();
        let is_group: fn(u8) -> bool = match prefix {
            "RES-" => |byte| byte.is_ascii_digit() || byte == b'.',
            _ => |byte| byte.is_ascii_uppercase(),
        };
        let dash = group + length(group, is_group);
        let number = dash + text[dash..].starts_with('-').then_some(1)?;
        let digits = number + length(number, |byte| byte.is_ascii_digit());
        let letters = length(digits, |byte| byte.is_ascii_lowercase());
        let end = digits + usize::from(letters == 1 && prefix != "RES-");
        (dash > group && digits > number).then(|| (at, &text[at..end]))
    })
}

fn row_findings(file: &str, rows: &[Value], quotes: &Quotes) -> Vec<String> {
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
                findings.push(format!("{id}: has a test now, take its `untested` out of {file}"));
            }
            _ => {}
        }
    }
    for (id, places) in quotes.iter().filter(|(id, _)| !known.contains(id.as_str())) {
        let places: Vec<&str> = places.keys().map(String::as_str).collect();
        findings
            .push(format!("{id}: expected a row of {file}, found none ({})", places.join(", ")));
    }
    findings
}

/// Rows of the catalogue that ours lack, and the other way round.
fn catalogue_findings(subject: &Subject, rows: &[Value]) -> Result<Vec<String>, String> {
    let Subject { catalogue, rows: file, .. } = subject;
    let path = root().join(catalogue);
    if !path.exists() {
        println!("conformance: {catalogue} is not here, so the list of rows is taken as complete");
        return Ok(Vec::new());
    }
    let text_of_all = read(&path)?;
    // A row of a table, or a paragraph, that begins with its id.
    let lines = text_of_all
        .lines()
        .filter_map(|line| line.strip_prefix("| ").or_else(|| line.strip_prefix("**")));
    let mut wanted: BTreeSet<String> = lines
        .filter_map(|line| ids(line).find(|(at, _)| *at == 0))
        .map(|(_, id)| id.to_owned())
        .collect();
    if subject.prefixes == RESOLVER.prefixes {
        wanted.extend((1..=WORKED_EXAMPLES).map(|number| format!("RES-2.7-{number}")));
    }
    let ours: BTreeSet<String> = rows.iter().map(|row| text(row, "id").to_owned()).collect();
    let missing = wanted.difference(&ours).map(|id| format!("{id}: in {catalogue}, not in {file}"));
    let surplus = ours.difference(&wanted).map(|id| format!("{id}: in {file}, not in {catalogue}"));
    Ok(missing.chain(surplus).collect())
}

/// What the report says of the cases that quote ids.
fn cases_paragraph(drivers: &BTreeSet<String>) -> String {
    let drivers: Vec<String> = drivers.iter().map(|driver| format!("`{driver}`")).collect();
    format!(
        "Names such as `EX-1` and `C-2.4-…` are cases of `{CASES}`. They are run by {}.\n\n",
        drivers.join(", "),
    )
}

fn report(subject: &Subject, rows: &[Value], quotes: &Quotes, cases: &str) -> String {
    let Subject { rows: file, about, .. } = subject;
    let mut out = format!(
        "# Conformance\n\n\
         <!-- Generated by `cargo xtask conformance` from {file} and the test code. Do not edit. -->\n\n\
         {about} {} rows, {} of them without a test.\n\n\
         {cases}\
         | Requirement | Level | Meaning | Tests |\n|---|---|---|---|\n",
        rows.len(),
        untested(rows).count(),
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
    fn ids_of_the_other_catalogue() {
        let text =
            concat!("URI", "-RES-12, URN", "-MAP-13a. WWW", "-THT-09: URI", "-RES; URN", "-EQV-*");
        let mut found: Vec<&str> = ids(text).map(|(_, id)| id).collect();
        found.sort_unstable();
        let wanted =
            [concat!("URI", "-RES-12"), concat!("URN", "-MAP-13a"), concat!("WWW", "-THT-09")];
        assert_eq!(found, wanted);
    }

    #[test]
    fn a_row_needs_a_test_or_a_reason_but_not_both() {
        let rows = [json!({ "id": "A" }), json!({ "id": "B", "untested": "later" })];
        assert_eq!(row_findings("rows.json", &rows, &quotes(&["A"])), Vec::<String>::new());
        assert_eq!(row_findings("rows.json", &rows, &quotes(&[])).len(), 1);
        assert_eq!(row_findings("rows.json", &rows, &quotes(&["A", "B"])).len(), 1);
    }

    #[test]
    fn an_unknown_id_and_a_repeated_row_fail() {
        let rows = [json!({ "id": "A" })];
        assert_eq!(row_findings("rows.json", &rows, &quotes(&["A", "C"])).len(), 1);
        let rows = [json!({ "id": "A" }), json!({ "id": "A" })];
        assert_eq!(row_findings("rows.json", &rows, &quotes(&["A"])).len(), 1);
    }
}
