//! The table of fixed limits, from the `limits.rs` of each crate.
//!
//! A file takes part if its first lines say that this page lists its limits. A row is a constant
//! with its documentation: `/// Concurrent imports.` and `pub(crate) const MAX_IMPORTS: usize =
//! 2;`. A limit in another file is refused, so that the table has all of them.

use std::fs;

use crate::workspace::{read, root, rust_files, shown, verdict};

/// What the first lines of a file say if the page lists its limits.
const LISTED: &str = "`docs/operations/limits.md` lists them";

/// Beginnings of the names of constants that limit something.
const LIMITS: [&str; 7] = ["MAX_", "MIN_", "MOST_", "LEAST_", "LONGEST_", "SHORTEST_", "FEWEST_"];

/// Crates that are not shipped.
const NOT_SHIPPED: &str = "crates/fingerpost-testkit/";

/// Returns the table of all crates, in the order of their names.
pub(super) fn table() -> Result<String, String> {
    refuse_others()?;
    let folder = root().join("crates");
    let crates = fs::read_dir(&folder).map_err(|error| format!("crates: {error}"))?;
    let mut names: Vec<_> =
        crates.flatten().map(|krate| krate.file_name().to_string_lossy().into_owned()).collect();
    names.sort_unstable();
    let mut out = String::from("| Crate | Limit | Value |\n| -- | -- | -- |\n");
    for name in names {
        let source = read(&folder.join(&name).join("src/limits.rs")).unwrap_or_default();
        if source.contains(LISTED) {
            let rows = rows(&source).map_err(|fault| format!("{name}/src/limits.rs: {fault}"))?;
            for (what, value) in rows {
                out.push_str(&format!("| `{name}` | {what} | {value} |\n"));
            }
        }
    }
    Ok(out)
}

/// Fails if a file other than `limits.rs` defines a limit.
fn refuse_others() -> Result<(), String> {
    let mut findings = Vec::new();
    for path in rust_files(&root().join("crates"))? {
        let file = shown(&path);
        let is_shipped = file.contains("/src/") && !file.starts_with(NOT_SHIPPED);
        if is_shipped && !file.ends_with("/src/limits.rs") {
            let source = read(&path)?;
            let limits = source.lines().filter_map(limit);
            findings.extend(limits.map(|name| format!("{file}: {name}: move it to limits.rs")));
        }
    }
    verdict("limits", &findings)
}

/// Returns the name of the limit that a line defines by a number or a duration, if it does.
fn limit(line: &str) -> Option<&str> {
    let definition = match line.trim_start().strip_prefix("pub") {
        Some(public) => public.split_once(' ')?.1,
        None => line, // an indented constant without `pub` belongs to a function
    };
    let (name, value) = definition.strip_prefix("const ")?.split_once(": ")?;
    let value = value.split_once(" = ")?.1;
    let is_fixed = value.starts_with(|first: char| first.is_ascii_digit())
        || value.contains("Duration::from_");
    (is_fixed && LIMITS.iter().any(|begin| name.starts_with(begin))).then_some(name)
}

/// Returns the documentation and the value of each constant.
fn rows(source: &str) -> Result<Vec<(String, String)>, String> {
    let (mut rows, mut docs) = (Vec::new(), Vec::new());
    for line in source.lines().map(str::trim) {
        if let Some(doc) = line.strip_prefix("/// ") {
            docs.push(doc);
        } else if let Some(constant) =
            line.strip_prefix("pub(crate) const ").or_else(|| line.strip_prefix("pub const "))
        {
            let value = constant.split_once(" = ").and_then(|(_, value)| value.strip_suffix(';'));
            let value = value.ok_or_else(|| format!("no value of {constant} on its line"))?;
            let value = value_in_words(value).unwrap_or_else(|| format!("`{value}`"));
            let what = docs.join(" ");
            let what = what.strip_suffix('.').unwrap_or(&what).replace('|', "\\|");
            if what.is_empty() {
                return Err(format!("no documentation of {constant}"));
            }
            rows.push((what, value));
            docs.clear();
        } else {
            docs.clear();
        }
    }
    Ok(rows)
}

/// Returns an expression as people read it: `64 << 10` as 64 KiB, `Duration::from_secs(30)` as 30
/// s.
fn value_in_words(expression: &str) -> Option<String> {
    let inner = |start: &str| {
        let rest = expression.strip_prefix(start)?;
        rest.split_once(')').map(|(number, _)| number)
    };
    if let Some(hours) = inner("SignedDuration::from_hours(") {
        return Some(format!("{} h", product(hours)?));
    }
    if let Some(seconds) = inner("Duration::from_secs(") {
        return Some(format!("{} s", product(seconds)?));
    }
    if let Some(milliseconds) = inner("Duration::from_millis(") {
        return Some(format!("{} ms", product(milliseconds)?));
    }
    for nonzero in ["NonZeroU32::new(", "NonZeroUsize::new("] {
        if let Some(number) = inner(nonzero) {
            return Some(product(number)?.to_string());
        }
    }
    if let Some((low, high)) = expression.split_once("..=") {
        return Some(format!("{low} to {high}"));
    }
    if let Some((number, shift)) = expression.split_once(" << ") {
        let units = [("10", "KiB"), ("20", "MiB"), ("30", "GiB")];
        let unit = units.iter().find(|(bits, _)| *bits == shift).map(|(_, unit)| unit)?;
        return Some(format!("{number} {unit}"));
    }
    product(expression).map(|number| number.to_string())
}

/// Returns the product of numbers.
fn product(expression: &str) -> Option<u64> {
    let factors = expression.split(" * ").map(|factor| factor.replace('_', "").parse::<u64>());
    factors.map(Result::ok).product()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn constants_become_rows() {
        let source = "//! Limits.\n\n/// Concurrent imports,\n/// of all.\npub(crate) const A: usize = 2;\n\
             /// A part.\n    pub(crate) const B: usize = 64 << 10;\n";
        let row = |what: &str, value: &str| (what.to_owned(), value.to_owned());
        assert_eq!(
            rows(source),
            Ok(vec![row("Concurrent imports, of all", "2"), row("A part", "64 KiB")])
        );
        assert!(rows("pub(crate) const A: usize = 2;").is_err());
        let computed = rows("/// Computed.\npub(crate) const A: usize = other();");
        assert_eq!(computed, Ok(vec![row("Computed", "`other()`")]));
    }

    #[test]
    fn limits_elsewhere_are_found() {
        let found = [
            "const MAX_PAIRS: usize = 4;",
            "pub(super) const LONGEST_PAUSE: Duration = Duration::from_secs(5);",
            "    pub const MAX_LEN: usize = 215;",
            "    pub const MAX_LEN: usize = limits::MAX_KEY_BYTES;",
            "    const MAX_ROUNDS: u32 = 3;",
            "const EVERY: usize = 4;",
        ];
        let found = found.map(limit);
        assert_eq!(
            found,
            [Some("MAX_PAIRS"), Some("LONGEST_PAUSE"), Some("MAX_LEN"), None, None, None]
        );
    }

    #[test]
    fn values_have_units() {
        for (expression, words) in [
            ("Duration::from_secs(10 * 60)", "600 s"),
            ("Duration::from_millis(5)", "5 ms"),
            ("SignedDuration::from_hours(30 * 24)", "720 h"),
            ("NonZeroUsize::new(1_000).expect(\"not zero\")", "1000"),
            ("0.1..=10.0", "0.1 to 10.0"),
            ("2 << 20", "2 MiB"),
            ("4096", "4096"),
        ] {
            assert_eq!(value_in_words(expression).as_deref(), Some(words), "{expression}");
        }
    }
}
