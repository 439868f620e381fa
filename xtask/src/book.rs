//! `cargo xtask book`: checks that the pages of `docs/` are a book whose links lead somewhere.
//!
//! Without mdBook it reads the Markdown: every page of `docs/` is a chapter of `docs/SUMMARY.md`,
//! and every relative link of every page in the repository leads to a file, and to a heading in it,
//! as a code host shows them. `--html FOLDER` checks the pages that mdBook wrote in the same way.
//! `preprocess` is called by mdBook ([`mod@preprocess`]).

mod html;
mod markdown;
mod preprocess;

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Component, Path, PathBuf};

use crate::workspace::{files, read, root, shown, verdict};
use markdown::Page;
pub(crate) use preprocess::run as preprocess;

/// Folders with Markdown that nobody reads as pages: corpora and generated files.
const OTHERS: [&str; 2] = ["fuzz/corpus", "target"];

/// Checks the Markdown of the repository.
pub(crate) fn run() -> Result<(), String> {
    let mut findings = orphans(&root().join("docs"))?;
    let mut pages = BTreeMap::new();
    for path in files(&root(), &["md"])? {
        let name = shown(&path);
        if !OTHERS.iter().any(|other| name.starts_with(other)) {
            pages.insert(path.clone(), Page::of(&read(&path)?));
        }
    }
    let mut count = 0;
    for (path, page) in &pages {
        for (line, target) in &page.links {
            count += 1;
            let anchors = |file: &Path| pages.get(file).map(|page| &page.anchors);
            if let Some(fault) = fault(path, target, anchors) {
                findings.push(format!("{}:{line}: {target}: {fault}", shown(path)));
            }
        }
    }
    verdict("book", &findings)?;
    println!("book: {} pages with {count} links, each leads somewhere", pages.len());
    Ok(())
}

/// Checks the pages that mdBook wrote into a folder.
pub(crate) fn run_html(folder: &str) -> Result<(), String> {
    let folder = root().join(folder);
    let mut pages = BTreeMap::new();
    for path in files(&folder, &["html"])? {
        // 404.html is shown at any address, so its links begin at the address of the book, which is
        // not known.
        if path.file_name().is_some_and(|name| name != "404.html" && name != "toc.html") {
            pages.insert(path.clone(), html::Page::of(&read(&path)?));
        }
    }
    if !pages.contains_key(&folder.join("index.html")) {
        return Err(format!("book: {} has no index.html: build the book first", folder.display()));
    }
    let mut findings = Vec::new();
    let mut count = 0;
    for (path, page) in &pages {
        for target in &page.links {
            count += 1;
            let anchors = |file: &Path| pages.get(file).map(|page| &page.anchors);
            let fault = match fault(path, target, anchors) {
                None if leaves(path, target, &folder) => Some("leads out of the book".to_owned()),
                fault => fault,
            };
            findings.extend(fault.map(|fault| format!("{}: {target}: {fault}", shown(path))));
        }
    }
    verdict("book", &findings)?;
    println!("book: {} pages of HTML with {count} links, each leads somewhere", pages.len());
    Ok(())
}

/// Returns the pages that the summary lacks, those that it names without reason, and those that it
/// names twice.
fn orphans(docs: &Path) -> Result<Vec<String>, String> {
    let mut named = BTreeSet::new();
    let mut findings = Vec::new();
    for (line, target) in Page::of(&read(&docs.join("SUMMARY.md"))?).links {
        if !named.insert(docs.join(&target)) {
            findings.push(format!("docs/SUMMARY.md:{line}: {target} is a chapter already"));
        }
    }
    for path in files(docs, &["md"])? {
        if path != docs.join("SUMMARY.md") && !named.contains(&path) {
            findings.push(format!("{}: no chapter of docs/SUMMARY.md", shown(&path)));
        }
    }
    Ok(findings)
}

/// Returns what is wrong with a link from a page; `anchors` returns those of a page that was read.
fn fault<'p>(
    page: &Path,
    target: &str,
    anchors: impl Fn(&Path) -> Option<&'p BTreeSet<String>>,
) -> Option<String> {
    if is_elsewhere(target) {
        return None;
    }
    let (path, anchor) = target.split_once('#').unwrap_or((target, ""));
    let path = path.split('?').next().unwrap_or_default();
    let file = match path {
        "" => page.to_owned(),
        path => plain(&page.parent().unwrap_or(page).join(path)),
    };
    if !file.exists() {
        return Some("no such file".to_owned());
    }
    let known = anchors(&file);
    let is_known = anchor.is_empty() || known.is_none_or(|known| known.contains(anchor));
    (!is_known).then(|| format!("no heading #{anchor} in {}", shown(&file)))
}

/// Returns whether a link of a page leads out of a folder.
fn leaves(page: &Path, target: &str, folder: &Path) -> bool {
    let path = target.split(['#', '?']).next().unwrap_or_default();
    !is_elsewhere(target) && !plain(&page.parent().unwrap_or(page).join(path)).starts_with(folder)
}

/// Returns whether a link is not to a file: it has a scheme, or a host.
fn is_elsewhere(target: &str) -> bool {
    let scheme = target.split(['/', '?', '#']).next().unwrap_or_default();
    target.starts_with("//") || scheme.contains(':')
}

/// Returns a path without `.` and `..`.
fn plain(path: &Path) -> PathBuf {
    let mut plain = PathBuf::new();
    for part in path.components() {
        match part {
            Component::CurDir => {}
            Component::ParentDir if plain.file_name().is_some() => {
                plain.pop();
            }
            part => plain.push(part),
        }
    }
    plain
}

#[cfg(test)]
mod tests {
    use super::*;

    fn faults_of(target: &str) -> Option<String> {
        let anchors = BTreeSet::from(["try-it".to_owned()]);
        fault(&root().join("README.md"), target, |file| {
            (file == root().join("README.md")).then_some(&anchors)
        })
    }

    #[test]
    fn links_lead_to_files_and_their_headings() {
        for right in [
            "https://example.com/nowhere#x",
            "mailto:a@example.com",
            "docs",
            "docs/../LICENSE-MIT",
            "#try-it",
            "README.md#try-it",
        ] {
            assert_eq!(faults_of(right), None, "{right}");
        }
        for wrong in ["no-such-file", "../main/no/README.md", "#nothing", "README.md#nothing"] {
            assert!(faults_of(wrong).is_some(), "{wrong}");
        }
    }

    #[test]
    fn links_out_of_a_folder_are_found() {
        let (page, folder) = (Path::new("/book/a/b.html"), Path::new("/book"));
        assert!(!leaves(page, "../index.html", folder));
        assert!(!leaves(page, "https://example.com", folder));
        assert!(leaves(page, "../../data", folder));
    }

    /// A page that is no chapter is not in the book, and nobody would notice.
    #[test]
    fn every_page_is_a_chapter() {
        assert_eq!(orphans(&root().join("docs")).unwrap(), Vec::<String>::new());
    }
}
