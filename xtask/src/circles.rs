//! Circular imports among modules: a part of `cargo xtask layers`.
//!
//! Inside a crate, imports go one way too. A module and its children may import each other, because
//! they are one unit in several files; no other modules may. The imports of a module are read from
//! its `use` declarations and from paths that begin with `crate::` or `super::`; names that the
//! crate root or a parent re-exports count as the module that defines them.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use crate::rust_source::RustSource;
use crate::workspace::{read, rust_files};

/// A module as the names on its path; the crate root has none.
type Module = Vec<String>;

/// Returns the circles among the modules of a crate that are wider than a parent and its children.
pub(crate) fn findings(name: &str, root: &Path) -> Result<Vec<String>, String> {
    let folder = root.parent().unwrap_or(root);
    let mut sources = BTreeMap::new();
    for path in rust_files(folder)? {
        if let Some(module) = module_of(folder, &path) {
            sources.insert(module, read(&path)?);
        }
    }
    Ok(circles(&sources)
        .into_iter()
        .map(|circle| {
            let names: Vec<_> = circle.iter().map(|module| module.join("::")).collect();
            format!("{name}: modules import each other in a circle: {}", names.join(", "))
        })
        .collect())
}

/// Returns the module that a file holds. Returns `None` for programs beside the library.
fn module_of(folder: &Path, path: &Path) -> Option<Module> {
    let relative: PathBuf = path.strip_prefix(folder).ok()?.with_extension("");
    let mut names: Module =
        relative.iter().map(|name| name.to_string_lossy().into_owned()).collect();
    match names.last().map(String::as_str) {
        Some("lib" | "main") if names.len() == 1 => names.clear(),
        Some("mod") => drop(names.pop()),
        _ if names.first().is_some_and(|first| first == "bin") => return None,
        _ => {}
    }
    Some(names)
}

/// Returns the strongly connected sets of modules that are wider than a parent and its children,
/// each sorted.
fn circles(sources: &BTreeMap<Module, String>) -> Vec<Vec<Module>> {
    let uses: BTreeMap<&Module, Vec<Use>> =
        sources.iter().map(|(module, source)| (module, uses(source))).collect();
    let modules = Modules { uses };
    let arrows: BTreeMap<&Module, BTreeSet<Module>> =
        modules.uses.keys().map(|module| (*module, modules.imports(module))).collect();
    let mut found = BTreeSet::new();
    for module in arrows.keys() {
        let forth = reachable(&arrows, module);
        let circle: Vec<Module> = forth
            .iter()
            .filter(|other| reachable(&arrows, other).contains(*module))
            .cloned()
            .collect();
        let Some(parent) = circle.iter().min_by_key(|module| module.len()) else { continue };
        let is_family =
            circle.iter().all(|one| one == parent || one[..one.len() - 1] == parent[..]);
        if !is_family {
            found.insert(circle);
            continue;
        }
        found.extend(siblings(&arrows, &circle, parent));
    }
    found.into_iter().collect()
}

/// Returns the children of a module that import each other in a circle, their parent left out.
fn siblings(
    arrows: &BTreeMap<&Module, BTreeSet<Module>>,
    family: &[Module],
    parent: &Module,
) -> BTreeSet<Vec<Module>> {
    let is_child = |module: &Module| module != parent && family.contains(module);
    let among: BTreeMap<&Module, BTreeSet<Module>> = family
        .iter()
        .filter(|module| is_child(module))
        .map(|module| {
            (module, arrows[module].iter().filter(|other| is_child(other)).cloned().collect())
        })
        .collect();
    let circle_of = |module: &Module| -> Vec<Module> {
        let forth = reachable(&among, module);
        forth.into_iter().filter(|other| reachable(&among, other).contains(module)).collect()
    };
    among.keys().map(|module| circle_of(module)).filter(|circle| circle.len() > 1).collect()
}

/// Returns the direct and indirect imports of a module.
fn reachable(arrows: &BTreeMap<&Module, BTreeSet<Module>>, from: &Module) -> BTreeSet<Module> {
    let mut found = BTreeSet::new();
    let mut open = vec![from.clone()];
    while let Some(module) = open.pop() {
        for next in arrows.get(&module).into_iter().flatten() {
            if found.insert(next.clone()) {
                open.push(next.clone());
            }
        }
    }
    found
}

/// A path that a module names.
#[derive(Debug, PartialEq, Eq)]
struct Use {
    path: Vec<String>,
    /// The name under which the module re-exports it.
    shown_as: Option<String>,
}

struct Modules<'s> {
    uses: BTreeMap<&'s Module, Vec<Use>>,
}

impl Modules<'_> {
    /// Returns the other modules that a module imports. Leaves out the crate root, which only
    /// declares and re-exports.
    fn imports(&self, module: &Module) -> BTreeSet<Module> {
        if module.is_empty() {
            return BTreeSet::new();
        }
        let found = self.uses[module].iter().filter_map(|one| self.target(module, &one.path, 0));
        found.filter(|target| !target.is_empty() && target != module).collect()
    }

    /// Returns the module that defines the target of a path.
    fn target(&self, from: &Module, path: &[String], depth: usize) -> Option<Module> {
        let (mut module, mut rest) = self.start(from, path)?;
        while let Some((name, tail)) = rest.split_first() {
            let mut child = module.clone();
            child.push(name.clone());
            if self.uses.contains_key(&child) {
                (module, rest) = (child, tail);
                continue;
            }
            let shown = self.uses[&module].iter().find(|one| one.shown_as.as_ref() == Some(name));
            let defined = shown.filter(|_| depth < 8);
            return defined
                .and_then(|one| self.target(&module, &one.path, depth + 1))
                .or(Some(module));
        }
        Some(module)
    }

    /// Returns the module where a path begins, and the rest of the path. Returns `None` for other
    /// crates.
    fn start<'p>(&self, from: &Module, path: &'p [String]) -> Option<(Module, &'p [String])> {
        let (first, tail) = path.split_first()?;
        match first.as_str() {
            "crate" => Some((Module::new(), tail)),
            "self" => Some((from.clone(), tail)),
            "super" => {
                let (_, parent) = from.split_last()?;
                match tail.first().map(String::as_str) {
                    Some("super") => self.start(&parent.to_vec(), tail),
                    _ => Some((parent.to_vec(), tail)),
                }
            }
            name => {
                let mut child = from.clone();
                child.push(name.to_owned());
                self.uses.contains_key(&child).then(|| (from.clone(), path))
            }
        }
    }
}

/// Returns the paths that a source names, without those of its tests.
fn uses(source: &str) -> Vec<Use> {
    let code = RustSource::new(source).product_code();
    let mut found = Vec::new();
    let mut rest = String::new();
    for statement in code.split_inclusive(';') {
        let begin = statement
            .find("use ")
            .filter(|at| *at == 0 || statement[..*at].ends_with(char::is_whitespace));
        match begin {
            Some(at) if statement.ends_with(';') => {
                let shows = statement[..at].trim_end().ends_with(['b', ')']);
                let tree = statement[at + 4..].trim_end_matches(';');
                expand(&[], tree, shows, &mut found);
                rest.push_str(&statement[..at]);
            }
            _ => rest.push_str(statement),
        }
    }
    for root in ["crate::", "super::"] {
        for (at, _) in rest.match_indices(root) {
            if rest[..at].ends_with(|c: char| c.is_alphanumeric() || c == '_') {
                continue;
            }
            let path = rest[at..].split(|c: char| !(c.is_alphanumeric() || c == '_' || c == ':'));
            let path = path.take(1).flat_map(|path| path.split("::"));
            let path = path.filter(|name| !name.is_empty()).map(str::to_owned).collect();
            found.push(Use { path, shown_as: None });
        }
    }
    found
}

/// Adds the paths of a use tree such as `a::{b, c::d as e}`.
fn expand(before: &[String], tree: &str, shows: bool, found: &mut Vec<Use>) {
    let (path, group) = match tree.split_once('{') {
        Some((path, group)) => (path, group.rsplit_once('}').map(|(group, _)| group)),
        None => (tree, None),
    };
    let (path, alias) = path.split_once(" as ").map_or((path, None), |(p, a)| (p, Some(a.trim())));
    let names = path.split("::").map(str::trim).filter(|name| !name.is_empty());
    let names: Vec<String> = before.iter().cloned().chain(names.map(str::to_owned)).collect();
    let Some(group) = group else {
        let last = names.last().cloned().unwrap_or_default();
        let shown_as = shows.then(|| alias.map_or(last, str::to_owned));
        found.push(Use { path: names, shown_as });
        return;
    };
    let mut depth = 0;
    let members = group.split(|c| {
        depth += i32::from(c == '{') - i32::from(c == '}');
        c == ',' && depth == 0
    });
    for member in members.filter(|member| !member.trim().is_empty()) {
        expand(&names, member.trim(), shows, found);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn circles_of(sources: &[(&str, &str)]) -> Vec<String> {
        let sources = sources.iter().map(|(module, source)| {
            let names = module.split("::").filter(|name| !name.is_empty());
            (names.map(str::to_owned).collect(), (*source).to_owned())
        });
        let found = circles(&sources.collect());
        found
            .iter()
            .map(|circle| circle.iter().map(|m| m.join("::")).collect::<Vec<_>>().join(" "))
            .collect()
    }

    #[test]
    fn imports_one_way_pass() {
        let sources =
            [("", "mod a;\nmod b;\n"), ("a", "use crate::b::B;\n"), ("b", "pub struct B;\n")];
        assert_eq!(circles_of(&sources), [""; 0]);
    }

    #[test]
    fn siblings_in_a_circle_are_found_in_every_notation() {
        for back in [
            "use crate::a::A;",
            "pub(crate) use super::a::A;",
            "use crate::{a::A, c};",
            "use crate::{\n    c,\n    a::{self, A},\n};",
            "use crate::A;",
            "use crate::Renamed;",
            "fn f() { crate::a::g() }",
            "impl super::a::A {}",
        ] {
            let root = "mod a;\nmod b;\nmod c;\npub use a::A;\npub use a::A as Renamed;\n";
            let sources = [("", root), ("a", "use crate::b::B;\n"), ("b", back), ("c", "")];
            assert_eq!(circles_of(&sources), ["a b"], "{back}");
        }
    }

    #[test]
    fn a_parent_and_its_children_may_need_each_other() {
        let family = [
            ("", "mod a;\n"),
            ("a", "mod b;\nmod c;\nuse b::B;\nuse c::C;\n"),
            ("a::b", "use super::A;\n"),
            ("a::c", "use super::b::B;\nuse super::A;\n"),
        ];
        assert_eq!(circles_of(&family), [""; 0]);
        let wider = [
            ("", ""),
            ("a", "use b::B;\n"),
            ("a::b", "use crate::d::D;\n"),
            ("d", "use crate::a::A;\n"),
        ];
        assert_eq!(circles_of(&wider), ["a a::b d"]);
    }

    #[test]
    fn tests_and_comments_are_not_imports() {
        let sources = [
            ("", ""),
            ("a", "use crate::b::B;\n"),
            ("b", "// crate::a::A\n#[cfg(test)]\nmod tests {\n    use crate::a::A;\n}\n"),
        ];
        assert_eq!(circles_of(&sources), [""; 0]);
    }
}
