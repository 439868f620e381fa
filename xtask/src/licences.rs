//! `cargo xtask licences`: checks that every dependency is available under a licence that `deny.toml` allows.
//!
//! Uses the allow-list of `cargo deny`, so that the check also runs without `cargo deny` and its database of
//! advisories. Licence expressions are SPDX 2.1, Annex D, with the old `MIT/Apache-2.0` for `OR`.

use std::collections::BTreeSet;

use crate::workspace::{items, metadata, read, root, text, verdict};

pub(crate) fn run() -> Result<(), String> {
    let allowed = allow_list()?;
    let metadata = metadata(true)?;
    let packages = items(&metadata, "packages");
    let mut findings = Vec::new();
    for package in packages {
        let (name, expression) = (text(package, "name"), text(package, "license"));
        if !is_allowed(expression, &allowed) {
            findings.push(format!("{name}: expected an allowed licence, found {expression:?}"));
        }
    }
    verdict("licences", &findings)?;
    println!("licences: {} packages, all allowed", packages.len());
    Ok(())
}

fn allow_list() -> Result<BTreeSet<String>, String> {
    let text = read(&root().join("deny.toml"))?;
    let table: toml::Table = text.parse().map_err(|error| format!("deny.toml: {error}"))?;
    let allow = table.get("licenses").and_then(|section| section.get("allow"));
    let names = allow.and_then(|allow| allow.as_array()).ok_or("deny.toml: no licenses.allow")?;
    Ok(names.iter().filter_map(|name| name.as_str()).map(str::to_owned).collect())
}

/// Returns whether at least one alternative of an expression requires allowed licences only.
fn is_allowed(expression: &str, allowed: &BTreeSet<String>) -> bool {
    let spaced = expression.replace('/', " OR ").replace('(', " ( ").replace(')', " ) ");
    let words: Vec<&str> = spaced.split_whitespace().collect();
    let mut rest = words.as_slice();
    either(&mut rest, allowed) && rest.is_empty()
}

/// Parses `both *("OR" both)`, always to the end, even if the answer is already known.
fn either(rest: &mut &[&str], allowed: &BTreeSet<String>) -> bool {
    let mut answer = both(rest, allowed);
    while let ["OR", tail @ ..] = *rest {
        *rest = tail;
        answer |= both(rest, allowed);
    }
    answer
}

/// Parses `licence *("AND" licence)`.
fn both(rest: &mut &[&str], allowed: &BTreeSet<String>) -> bool {
    let mut answer = licence(rest, allowed);
    while let ["AND", tail @ ..] = *rest {
        *rest = tail;
        answer &= licence(rest, allowed);
    }
    answer
}

/// Parses `name ["WITH" exception]` or an expression in parentheses.
fn licence(rest: &mut &[&str], allowed: &BTreeSet<String>) -> bool {
    match *rest {
        ["(", tail @ ..] => {
            *rest = tail;
            let answer = either(rest, allowed);
            let closed = rest.first() == Some(&")");
            *rest = rest.get(1..).unwrap_or_default();
            answer && closed
        }
        [name, "WITH", exception, tail @ ..] => {
            *rest = tail;
            allowed.contains(&format!("{name} WITH {exception}"))
        }
        [name, tail @ ..] => {
            *rest = tail;
            allowed.contains(*name)
        }
        [] => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn expressions_are_judged() {
        let names = ["MIT", "ISC", "Apache-2.0 WITH LLVM-exception"];
        let allowed = names.map(str::to_owned).into();
        for good in [
            "MIT",
            "MIT OR GPL-3.0",
            "GPL-3.0/MIT",
            "MIT AND ISC",
            "GPL-3.0 OR (MIT AND ISC)",
            "(GPL-3.0 OR MIT) AND ISC",
            "Apache-2.0 WITH LLVM-exception OR GPL-2.0",
        ] {
            assert!(is_allowed(good, &allowed), "{good}");
        }
        for bad in ["", "GPL-3.0", "MIT AND GPL-3.0", "(MIT", "MIT)", "Apache-2.0", "MIT ISC"] {
            assert!(!is_allowed(bad, &allowed), "{bad}");
        }
    }
}
