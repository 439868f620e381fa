//! `cargo xtask layers`: imports point downwards among crates and go one way among modules, and every product crate keeps its
//! guards (`ARCHITECTURE.md`).

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::circles;
use crate::workspace::{items, metadata, read, rust_files, shown, text, verdict};

/// Allowed imports among our crates, lowest crate first. A crate must be in this list.
const LAYERS: &[Layer] = &[
    Layer { name: "fingerpost-uri", may_import: &[] },
    Layer { name: "fingerpost-gs1", may_import: &["fingerpost-uri"] },
    Layer { name: "fingerpost-epc", may_import: &["fingerpost-gs1", "fingerpost-uri"] },
    Layer {
        name: "fingerpost-identify",
        may_import: &["fingerpost-epc", "fingerpost-gs1", "fingerpost-uri"],
    },
    Layer { name: "fingerpost-label", may_import: &["fingerpost-identify", "fingerpost-gs1"] },
    Layer { name: "fingerpost-options", may_import: &[] },
    Layer {
        name: "fingerpost-resolver",
        may_import: &["fingerpost-options", "fingerpost-epc", "fingerpost-gs1", "fingerpost-uri"],
    },
    Layer { name: "fingerpost-store", may_import: &["fingerpost-resolver", "fingerpost-gs1"] },
    Layer { name: "fingerpost-postgres", may_import: &["fingerpost-store"] },
    Layer {
        name: "fingerpost-follow",
        may_import: &["fingerpost-store", "fingerpost-resolver", "fingerpost-gs1"],
    },
    Layer {
        name: "fingerpost-registry",
        may_import: &[
            "fingerpost-store",
            "fingerpost-resolver",
            "fingerpost-epc",
            "fingerpost-gs1",
            "fingerpost-uri",
        ],
    },
    Layer {
        name: "fingerpost-exchange",
        may_import: &[
            "fingerpost-registry",
            "fingerpost-store",
            "fingerpost-resolver",
            "fingerpost-gs1",
        ],
    },
    Layer { name: "fingerpost-http", may_import: &["fingerpost-options", "fingerpost-resolver"] },
    Layer { name: "fingerpost-acme", may_import: &["fingerpost-http", "fingerpost-options"] },
    Layer {
        name: "fingerpost-public",
        may_import: &[
            "fingerpost-http",
            "fingerpost-options",
            "fingerpost-store",
            "fingerpost-resolver",
            "fingerpost-identify",
            "fingerpost-epc",
            "fingerpost-gs1",
            "fingerpost-uri",
        ],
    },
    Layer {
        name: "fingerpost-admin",
        may_import: &[
            "fingerpost-exchange",
            "fingerpost-follow",
            "fingerpost-registry",
            "fingerpost-http",
            "fingerpost-options",
            "fingerpost-store",
            "fingerpost-resolver",
            "fingerpost-label",
            "fingerpost-identify",
            "fingerpost-epc",
            "fingerpost-gs1",
            "fingerpost-uri",
        ],
    },
    Layer {
        name: "fingerpost",
        may_import: &[
            "fingerpost-acme",
            "fingerpost-exchange",
            "fingerpost-follow",
            "fingerpost-registry",
            "fingerpost-admin",
            "fingerpost-public",
            "fingerpost-http",
            "fingerpost-options",
            "fingerpost-postgres",
            "fingerpost-store",
            "fingerpost-resolver",
            "fingerpost-label",
            "fingerpost-identify",
            "fingerpost-epc",
            "fingerpost-gs1",
            "fingerpost-uri",
        ],
    },
    Layer {
        name: TESTKIT,
        may_import: &[
            "fingerpost-postgres",
            "fingerpost-store",
            "fingerpost-resolver",
            "fingerpost-gs1",
        ],
    },
    Layer { name: "xtask", may_import: &[] },
];

/// The crate shared by tests of several crates; only development dependencies may name it.
const TESTKIT: &str = "fingerpost-testkit";

/// Crates whose tests compare them with a crate on the same level: explanations must match what is served.
const COMPARED: &[(&str, &str)] = &[("fingerpost-admin", "fingerpost-public")];

/// The only crate with `unsafe`, in one module: LMDB can only be opened, and the pages that it maps only be read, that way.
const STORE: &str = "fingerpost-store";

/// Identifier libraries: usable everywhere, so `no_std` and without third-party dependencies.
const BARE: &[&str] =
    &["fingerpost-uri", "fingerpost-gs1", "fingerpost-epc", "fingerpost-identify"];

struct Layer {
    name: &'static str,
    may_import: &'static [&'static str],
}

pub(crate) fn run() -> Result<(), String> {
    let metadata = metadata(false)?;
    let packages = items(&metadata, "packages");
    let mut findings = Vec::new();
    for package in packages {
        findings.extend(import_findings(package));
        findings.extend(guard_findings(package)?);
        findings.extend(circle_findings(package)?);
    }
    verdict("layers", &findings)?;
    println!("layers: {} crates import downwards only", packages.len());
    Ok(())
}

/// Returns the imports of a package that its layer does not allow.
fn import_findings(package: &Value) -> Vec<String> {
    let name = text(package, "name");
    let Some(layer) = LAYERS.iter().find(|layer| layer.name == name) else {
        return vec![format!(
            "{name}: expected a crate named in xtask/src/layers.rs, found a new one"
        )];
    };
    let mut findings = Vec::new();
    for dependency in items(package, "dependencies") {
        let imported = text(dependency, "name");
        let kind = dependency["kind"].as_str().unwrap_or("normal");
        let ours = LAYERS.iter().any(|layer| layer.name == imported);
        let is_for_tests = imported == TESTKIT || COMPARED.contains(&(name, imported));
        let allowed = layer.may_import.contains(&imported) || (is_for_tests && kind == "dev");
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
        let guard = if name == STORE { "#![deny(unsafe_code)]" } else { "#![forbid(unsafe_code)]" };
        if !has_line(&source, guard) {
            findings.push(format!("{}: expected {guard}, found none", shown(&path)));
        }
        if BARE.contains(&name) && !has_line(&source, "#![no_std]") {
            findings.push(format!("{}: expected #![no_std], found none", shown(&path)));
        }
        if name == STORE {
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

/// Checks that the store allows unsafe code in at most one module, and gives the reason there.
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
        return Ok(vec![format!("{STORE}: expected one module with unsafe code, found {list}")]);
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
        assert_eq!(import_findings(&package), Vec::<String>::new());
    }

    #[test]
    fn imports_upwards_fail_whatever_their_kind() {
        for kind in [None, Some("dev"), Some("build")] {
            let package = package("fingerpost-resolver", "fingerpost-store", kind);
            assert_eq!(import_findings(&package).len(), 1, "{kind:?}");
        }
    }

    #[test]
    fn only_tests_import_the_testkit() {
        let test = package("fingerpost-store", TESTKIT, Some("dev"));
        assert_eq!(import_findings(&test), Vec::<String>::new());
        let product = package("fingerpost-store", TESTKIT, None);
        assert_eq!(import_findings(&product).len(), 1);
    }

    #[test]
    fn identifier_libraries_have_no_dependencies() {
        assert_eq!(import_findings(&package("fingerpost-gs1", "serde", None)).len(), 1);
        assert!(import_findings(&package("fingerpost-gs1", "proptest", Some("dev"))).is_empty());
    }

    #[test]
    fn an_unknown_crate_fails() {
        assert_eq!(import_findings(&package("fingerpost-new", "serde", None)).len(), 1);
    }
}
