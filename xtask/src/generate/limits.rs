//! The table of fixed limits, from the `limits.rs` of each crate.
//!
//! A file takes part if its first lines say that this page lists its limits. A row is a constant
//! with its documentation: `/// Concurrent imports.` and `pub(crate) const MAX_IMPORTS: usize =
//! 2;`.

use std::fs;

use crate::workspace::{read, root};

/// What the first lines of a file say if the page lists its limits.
const LISTED: &str = "`docs/operations/limits.md` lists them";

/// Returns the table of all crates, in the order of their names.
pub(super) fn table() -> Result<String, String> {
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
    fn values_have_units() {
        for (expression, words) in [
            ("Duration::from_secs(10 * 60)", "600 s"),
            ("Duration::from_millis(5)", "5 ms"),
            ("NonZeroUsize::new(1_000).expect(\"not zero\")", "1000"),
            ("0.1..=10.0", "0.1 to 10.0"),
            ("2 << 20", "2 MiB"),
            ("4096", "4096"),
        ] {
            assert_eq!(value_in_words(expression).as_deref(), Some(words), "{expression}");
        }
    }
}
