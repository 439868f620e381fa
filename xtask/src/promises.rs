//! `cargo xtask promises`: checks that every promise of the operations guides names a test that
//! exists.
//!
//! Reads the tables of `docs/operations/limits.md` and `docs/operations/threat-model.md` whose last
//! column is "Test". Each row names at least one, in backticks: a test function as
//! `crate::module::function`, or a program of the repository by its path.

use std::collections::BTreeMap;

use crate::workspace::{read, root, rust_files, verdict};

const PAGES: [&str; 2] = ["docs/operations/limits.md", "docs/operations/threat-model.md"];

pub(crate) fn run() -> Result<(), String> {
    let mut tests = Tests::default();
    let (mut findings, mut count) = (Vec::new(), 0);
    for page in PAGES {
        for row in rows(&read(&root().join(page))?) {
            count += 1;
            if row.tests.is_empty() {
                findings.push(format!("{page}: {:?}: expected a test, found none", row.title));
            }
            for test in &row.tests {
                if !tests.exists(test)? {
                    findings.push(format!("{page}: {:?}: no test {test}", row.title));
                }
            }
        }
    }
    verdict("promises", &findings)?;
    println!("promises: {count} rows, each with a test");
    Ok(())
}

/// One row of a table of promises.
#[derive(Debug, PartialEq, Eq)]
struct Row<'t> {
    title: &'t str,
    /// What the last cell has in backticks.
    tests: Vec<&'t str>,
}

/// Returns the rows of the tables whose last column is "Test".
fn rows(page: &str) -> Vec<Row<'_>> {
    let mut rows = Vec::new();
    let mut inside = false;
    for line in page.lines() {
        let Some(cells) = line.trim().strip_prefix('|').and_then(|rest| rest.strip_suffix('|'))
        else {
            inside = false;
            continue;
        };
        let title = cells.split('|').next().unwrap_or_default().trim();
        let last = cells.rsplit('|').next().unwrap_or_default().trim();
        if last == "Test" {
            inside = true;
        } else if inside && !last.starts_with("--") {
            rows.push(Row { title, tests: last.split('`').skip(1).step_by(2).collect() });
        }
    }
    rows
}

/// The Rust code of the crates that were asked for, by name of the crate.
#[derive(Debug, Default)]
struct Tests {
    code: BTreeMap<String, String>,
}

impl Tests {
    /// Returns whether a function of this name exists in the crate, or whether the path exists in
    /// the repository.
    fn exists(&mut self, test: &str) -> Result<bool, String> {
        let Some((krate, _)) = test.split_once("::") else {
            return Ok(root().join(test).exists());
        };
        let function = test.rsplit("::").next().unwrap_or_default();
        if !self.code.contains_key(krate) {
            let mut code = String::new();
            for file in rust_files(&root().join("crates").join(krate.replace('_', "-")))? {
                code.push_str(&read(&file)?);
            }
            self.code.insert(krate.to_owned(), code);
        }
        Ok(self.code[krate].contains(&format!("fn {function}(")))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_name_their_tests_in_the_last_cell() {
        let page = "\
| Threat | Bound | Test |
|---|---|---|
| a slow reader | 64 KiB | `fingerpost-public::slow::reader`, `bench/attack` |
| none | 1 | later |

| other | table |
|---|---|
| no | promise |
";
        let expected = [
            Row {
                title: "a slow reader",
                tests: vec!["fingerpost-public::slow::reader", "bench/attack"],
            },
            Row { title: "none", tests: Vec::new() },
        ];
        assert_eq!(rows(page), expected);
    }

    #[test]
    fn functions_and_paths_are_looked_up() {
        let mut tests = Tests::default();
        let verdicts = [
            ("fingerpost-engine::contract::no_such_function", false),
            ("bench/run", true),
            ("bench/no-such-program", false),
            ("fingerpost-store::store::in_memory", true),
        ]
        .map(|(test, expected)| (test, tests.exists(test), Ok::<_, String>(expected)));
        for (test, found, expected) in verdicts {
            assert_eq!(found, expected, "{test}");
        }
    }
}
