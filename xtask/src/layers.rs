//! `cargo xtask layers`: imports point downwards among crates and go one way among modules, and
//! every product crate keeps its guards (`layers.toml`).

use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::circles;
use crate::workspace::{items, metadata, read, root, rust_files, shown, text, verdict};

/// The crate shared by tests of several crates; only development dependencies may name it.
const TESTKIT: &str = "fingerpost-testkit";

/// The only crate with `unsafe`, in one module: LMDB can only be opened, and the pages that it maps
/// only be read, that way.
const LMDB: &str = "fingerpost-lmdb";

/// Identifier libraries: usable everywhere, so `no_std` and without third-party dependencies.
const BARE: &[&str] =
    &["fingerpost-uri", "fingerpost-gs1", "fingerpost-epc", "fingerpost-identify"];

/// One crate of `layers.toml`.
struct Layer {
    name: String,
    purpose: String,
    never: String,
    imports: Vec<String>,
    /// What its tests may import in addition.
    test_imports: Vec<String>,
}

pub(crate) fn run() -> Result<(), String> {
    let layers = layers()?;
    let metadata = metadata(false)?;
    let packages = items(&metadata, "packages");
    let mut findings = order_findings(&layers);
    for package in packages {
        findings.extend(import_findings(&layers, package));
        findings.extend(guard_findings(package)?);
        findings.extend(circle_findings(package)?);
    }
    verdict("layers", &findings)?;
    println!("layers: {} crates import downwards only", packages.len());
    Ok(())
}

/// Returns the rows of the table of crates in ARCHITECTURE.md.
pub(crate) fn table() -> Result<String, String> {
    let mut table =
        String::from("| crate | responsibility | never | may import |\n| -- | -- | -- | -- |\n");
    for layer in layers()? {
        let imports =
            if layer.imports.is_empty() { "none".to_owned() } else { layer.imports.join(", ") };
        let Layer { name, purpose, never, .. } = &layer;
        let _ = writeln!(table, "| `{name}` | {purpose} | {never} | {imports} |");
    }
    Ok(table)
}

fn layers() -> Result<Vec<Layer>, String> {
    let text = read(&root().join("layers.toml"))?;
    let table: toml::Table = text.parse().map_err(|error| format!("layers.toml: {error}"))?;
    let crates = table.get("crate").and_then(toml::Value::as_array);
    crates.ok_or("layers.toml: expected [[crate]]")?.iter().map(layer).collect()
}

fn layer(entry: &toml::Value) -> Result<Layer, String> {
    let text = |key: &str| {
        let text = entry.get(key).and_then(toml::Value::as_str).map(str::to_owned);
        text.ok_or_else(|| format!("layers.toml: expected a text {key:?} in {entry}"))
    };
    let names = |key: &str| {
        let names = entry.get(key).and_then(toml::Value::as_array).into_iter().flatten();
        names.filter_map(toml::Value::as_str).map(str::to_owned).collect()
    };
    Ok(Layer {
        name: text("name")?,
        purpose: text("purpose")?,
        never: text("never")?,
        imports: names("imports"),
        test_imports: names("test-imports"),
    })
}

/// Returns the imports that `layers.toml` allows but that are not above the crate in it.
fn order_findings(layers: &[Layer]) -> Vec<String> {
    let mut findings = Vec::new();
    for (at, layer) in layers.iter().enumerate() {
        for imported in &layer.imports {
            if !layers[..at].iter().any(|lower| short(&lower.name) == imported) {
                findings.push(format!("layers.toml: {imported} is not above {}", layer.name));
            }
        }
    }
    findings
}

/// Returns the name of a crate without the prefix that all of ours have.
fn short(name: &str) -> &str {
    name.strip_prefix("fingerpost-").unwrap_or(name)
}

/// Returns the imports of a package that its layer does not allow.
fn import_findings(layers: &[Layer], package: &Value) -> Vec<String> {
    let name = text(package, "name");
    let Some(layer) = layers.iter().find(|layer| layer.name == name) else {
        return vec![format!("{name}: not found in layers.toml; add it there")];
    };
    let mut findings = Vec::new();
    for dependency in items(package, "dependencies") {
        let imported = text(dependency, "name");
        let kind = dependency["kind"].as_str().unwrap_or("normal");
        let ours = layers.iter().any(|layer| layer.name == imported);
        let lists = |list: &[String]| list.iter().any(|name| name == short(imported));
        let is_for_tests = imported == TESTKIT || lists(&layer.test_imports);
        let allowed = lists(&layer.imports) || (is_for_tests && kind == "dev");
        if ours && !allowed {
            findings.push(format!("{name}: imports {imported} ({kind}), which is not below it"));
        }
        let is_for_serde = imported == "serde_core" && dependency["optional"] == true;
        if BARE.contains(&name) && kind != "dev" && !ours && !is_for_serde {
            findings.push(format!(
                "{name}: expected no foreign dependencies, found {imported} ({kind})"
            ));
        }
    }
    findings
}

/// Returns the guards that the crate roots of a product crate lack.
fn guard_findings(package: &Value) -> Result<Vec<String>, String> {
    let name = text(package, "name");
    let mut findings = Vec::new();
    for target in items(package, "targets") {
        let product = items(target, "kind").iter().any(|kind| kind == "lib" || kind == "bin");
        if !product {
            continue;
        }
        let path = PathBuf::from(text(target, "src_path"));
        let source = read(&path)?;
        let guard = if name == LMDB { "#![deny(unsafe_code)]" } else { "#![forbid(unsafe_code)]" };
        if !has_line(&source, guard) {
            findings.push(format!("{}: expected {guard}, found none", shown(&path)));
        }
        if BARE.contains(&name) && !has_line(&source, "#![no_std]") {
            findings.push(format!("{}: expected #![no_std], found none", shown(&path)));
        }
        if name == LMDB {
            let folder = path.parent().expect("a source file lies in a folder");
            findings.extend(unsafe_findings(folder)?);
        }
    }
    Ok(findings)
}

/// Returns the circular imports among the modules of a library or program.
fn circle_findings(package: &Value) -> Result<Vec<String>, String> {
    let name = text(package, "name");
    let mut findings = Vec::new();
    let product =
        |target: &&Value| items(target, "kind").iter().any(|kind| kind == "lib" || kind == "bin");
    for target in items(package, "targets").iter().filter(product).take(1) {
        findings.extend(circles::findings(name, &PathBuf::from(text(target, "src_path")))?);
    }
    Ok(findings)
}

/// Checks that `fingerpost-lmdb` allows unsafe code in at most one module, and gives the reason
/// there.
fn unsafe_findings(folder: &Path) -> Result<Vec<String>, String> {
    let mut admitting = Vec::new();
    for path in rust_files(folder)? {
        let source = fs::read_to_string(&path).map_err(|error| error.to_string())?;
        let admits = ["allow(unsafe_code", "expect(unsafe_code"]
            .iter()
            .any(|attribute| source.contains(attribute));
        if admits {
            admitting.push(shown(&path));
        }
    }
    if admitting.len() > 1 {
        let list = admitting.join(", ");
        return Ok(vec![format!("{LMDB}: expected one module with unsafe code, found {list}")]);
    }
    Ok(Vec::new())
}

fn has_line(source: &str, wanted: &str) -> bool {
    source.lines().any(|line| line.trim() == wanted)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn package(name: &str, imported: &str, kind: Option<&str>) -> Value {
        json!({ "name": name, "dependencies": [{ "name": imported, "kind": kind }] })
    }

    #[test]
    fn imports_downwards_pass() {
        let package = package("fingerpost-public", "fingerpost-resolver", None);
        assert_eq!(import_findings(&layers().unwrap(), &package), Vec::<String>::new());
    }

    #[test]
    fn imports_upwards_fail_whatever_their_kind() {
        for kind in [None, Some("dev"), Some("build")] {
            let package = package("fingerpost-resolver", "fingerpost-store", kind);
            assert_eq!(import_findings(&layers().unwrap(), &package).len(), 1, "{kind:?}");
        }
    }

    #[test]
    fn only_tests_import_the_testkit() {
        let test = package("fingerpost-store", TESTKIT, Some("dev"));
        assert_eq!(import_findings(&layers().unwrap(), &test), Vec::<String>::new());
        let product = package("fingerpost-store", TESTKIT, None);
        assert_eq!(import_findings(&layers().unwrap(), &product).len(), 1);
    }

    #[test]
    fn identifier_libraries_have_no_dependencies() {
        assert_eq!(
            import_findings(&layers().unwrap(), &package("fingerpost-gs1", "serde", None)).len(),
            1
        );
        assert!(
            import_findings(
                &layers().unwrap(),
                &package("fingerpost-gs1", "proptest", Some("dev"))
            )
            .is_empty()
        );
    }

    #[test]
    fn an_unknown_crate_fails() {
        assert_eq!(
            import_findings(&layers().unwrap(), &package("fingerpost-new", "serde", None)).len(),
            1
        );
    }
}
