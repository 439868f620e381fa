//! Writes a resolver as files that a web server without a program answers from.
//!
//! ```text
//! DIR/README.md                 what the files answer, and what they cannot
//! DIR/site/PATH/linkset.json    the linkset of a level; also linkset.jsonld and index.html
//! DIR/site/.well-known/…        the description file, and what pages use
//! DIR/nginx, DIR/caddy          redirects by level, link type and language, with the configuration
//! ```
//!
//! Each file and each redirect is the answer of the [`Router`] to a request at the time of the
//! export. The router reads a copy of one snapshot of the store, so that all of them belong to one
//! state, whatever is written meanwhile. Memory does not grow with the number of records.

mod crawl;
mod redirects;

use std::collections::BTreeSet;
use std::fs::{self, File};
use std::io::{self, BufWriter, Write};
use std::ops::{Bound, ControlFlow};
use std::path::Path;
use std::sync::Arc;

use askama::Template;
use fingerpost_public::{Config, Router};
use fingerpost_resolver::{Entry, Viewer};
use fingerpost_store::copy::{CopyLimit, CopyValue, LevelRange, Selection};
use fingerpost_store::{Store, StoreError, StoreOptions};
use tempfile::TempDir;

use self::crawl::{CHOICE, Crawler, content};
use self::redirects::{Redirects, Target, is_plain_type, language_pattern, type_pattern};
use crate::failure::Failure;
use crate::limits::{MAX_FILE_NAME, MAX_STATIC_LANGUAGES};

/// Records that are read at once.
const PAGE: usize = 256;

/// What was written, and the text for the person who serves it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Template)]
#[template(path = "static_site/README.md", escape = "none")]
pub struct StaticSite {
    /// Levels with a linkset.
    pub levels: u64,
    /// Redirects.
    pub redirects: u64,
    /// Records of company prefixes, any value and ranges, which have no file of their own.
    pub sets: u64,
    /// Levels whose value cannot be the name of a file.
    pub names: u64,
    /// Requests that are answered with a choice, which files cannot do.
    pub choices: u64,
    /// Redirects with characters that a configuration cannot hold.
    pub targets: u64,
}

/// The configuration for nginx, a file to include in the `http` block.
#[derive(Template)]
#[template(path = "static_site/nginx.conf", escape = "none")]
struct Nginx<'s> {
    site: &'s Site<'s>,
}

/// The configuration for Caddy.
#[derive(Template)]
#[template(path = "static_site/Caddyfile", escape = "none")]
struct Caddy<'s> {
    site: &'s Site<'s>,
}

/// Writes a resolver to a folder, which must be new or empty.
pub fn write_static_site(
    config: Config,
    store: &Store,
    folder: &Path,
) -> Result<StaticSite, Failure> {
    let folder = create(folder)?;
    let (copy, _temporary) = copy_of_snapshot(store)?;
    let languages = languages(&copy)?;
    let router = Router::new(config, Arc::clone(&copy));
    let writing = |error: io::Error| {
        Failure::advise(
            format!("cannot write below `{folder}`: {error}"),
            "free space, or name another folder; remove the incomplete one",
        )
    };
    let mut site = Site {
        crawler: Crawler::new(&router, &languages),
        redirects: Redirects::create(Path::new(&folder)).map_err(writing)?,
        folder: folder.clone(),
        counts: StaticSite::default(),
        link_types: BTreeSet::new(),
        fixed: Vec::new(),
    };
    site.write_fixed().map_err(writing)?;
    for_each_entry(&copy, |entry| site.write_level(entry).map_err(writing))?;
    site.finish().map_err(writing)?;
    Ok(site.counts)
}

/// An export in progress, and what the configurations need to know of all levels.
struct Site<'r> {
    crawler: Crawler<'r>,
    folder: String,
    redirects: Redirects,
    counts: StaticSite,
    link_types: BTreeSet<String>,
    /// The files that belong to no level: path and media type.
    fixed: Vec<(String, String)>,
}

impl Site<'_> {
    /// Writes the files that belong to no level.
    fn write_fixed(&mut self) -> io::Result<()> {
        for (path, media_type, body) in self.crawler.fixed() {
            self.file(&path, "", &body)?;
            // It stands between quotation marks.
            self.fixed.push((path, media_type.replace(['"', '{', '}', '\\', '$'], "")));
        }
        Ok(())
    }

    /// Writes the configurations and the description of all files.
    fn finish(&mut self) -> io::Result<()> {
        self.redirects.flush()?;
        self.counts.redirects = self.redirects.count;
        let write = |name: &str, text: Result<String, askama::Error>| {
            fs::write(Path::new(&self.folder).join(name), text.map_err(io::Error::other)? + "\n")
        };
        write("nginx/fingerpost.conf", Nginx { site: self }.render())?;
        write("caddy/Caddyfile", Caddy { site: self }.render())?;
        write("README.md", self.counts.render())
    }

    /// Returns the languages, the longest first: the first expression that matches decides.
    fn ordered_languages(&self) -> Vec<&String> {
        let mut ordered: Vec<_> = self.crawler.languages.iter().collect();
        ordered.sort_by_key(|language| std::cmp::Reverse(language.len()));
        ordered
    }

    fn write_level(&mut self, entry: &Entry) -> io::Result<()> {
        let Some(key) = entry.anchor().entity() else {
            self.counts.sets += 1;
            return Ok(());
        };
        let path = self.crawler.path(key.as_str());
        if !is_file_name(&path) {
            self.counts.names += 1;
            return Ok(());
        }
        let Some(files) = self.crawler.level(&path) else { return Ok(()) };
        self.counts.levels += 1;
        for (name, body) in &files {
            self.file(&path, name, body)?;
        }
        let (mut link_types, own) = content(&files[0].1);
        let related = |tag: &&String| own.contains(tag.split('-').next().unwrap_or_default());
        let languages: Vec<_> = self.crawler.languages.iter().filter(related).collect();
        self.write_redirects(&path, "", &languages)?;
        for link_type in &link_types {
            self.write_redirects(&path, link_type, &languages)?;
        }
        link_types.retain(|link_type| is_plain_type(link_type));
        self.link_types.append(&mut link_types);
        Ok(())
    }

    /// Writes the redirect of a link type, or of the default link (`""`), and those of languages
    /// that lead elsewhere.
    fn write_redirects(
        &mut self,
        path: &str,
        link_type: &str,
        languages: &[&String],
    ) -> io::Result<()> {
        let query = if link_type.is_empty() { "" } else { "?linkType=" };
        let target = format!("{path}{query}{}", link_type.replace('#', "%23"));
        let default = self.crawler.redirect(&target, "");
        let of_languages = languages.iter().map(|language| {
            let found = self.crawler.redirect(&target, language);
            (language.as_str(), found)
        });
        let all: Vec<_> = of_languages.chain([("", default.clone())]).collect();
        for (language, found) in all {
            let Some(found) = found else { continue };
            self.counts.choices += u64::from(found == CHOICE);
            if !language.is_empty() && default.as_ref() == Some(&found) {
                continue;
            }
            match Target::new(&found).filter(|_| is_plain_type(link_type)) {
                Some(target) => self.redirects.write(path, link_type, language, &target)?,
                None => self.counts.targets += 1,
            }
        }
        Ok(())
    }

    fn file(&self, path: &str, name: &str, body: &[u8]) -> io::Result<()> {
        let mut file = Path::new(&self.folder).join("site").join(path.trim_start_matches('/'));
        if !name.is_empty() {
            file.push(name);
        }
        if let Some(parent) = file.parent() {
            fs::create_dir_all(parent)?;
        }
        let mut out = BufWriter::new(File::create_new(file)?);
        out.write_all(body)?;
        out.flush()
    }
}

/// Creates the folder, and returns its full path.
fn create(folder: &Path) -> Result<String, Failure> {
    let shown = folder.to_string_lossy();
    let failed = |what: String| Failure::advise(what, "name a new folder, such as site");
    let prepare = || {
        fs::create_dir_all(folder)?;
        let is_empty = fs::read_dir(folder)?.next().is_none();
        Ok((is_empty, folder.canonicalize()?))
    };
    let (is_empty, path) = prepare()
        .map_err(|error: io::Error| failed(format!("cannot create `{shown}`: {error}")))?;
    if !is_empty {
        return Err(failed(format!("`{shown}` is not empty")));
    }
    // The configurations name it.
    let is_plain = |char: char| char.is_alphanumeric() || "/-_.+@ ".contains(char);
    match path.to_str().filter(|path| path.chars().all(is_plain)) {
        Some(path) => Ok(path.to_owned()),
        None => Err(failed(format!("`{shown}` has characters that a configuration cannot hold"))),
    }
}

/// Whether each segment of a path can be the name of a file, and means the same to all servers.
fn is_file_name(path: &str) -> bool {
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-._~!$'()+,;=:@&%".contains(&byte);
    path.split('/').skip(1).all(|segment| {
        segment.len() <= MAX_FILE_NAME
            && !matches!(segment, "" | "." | "..")
            && segment.bytes().all(is_plain)
    })
}

/// Copies the current records to a temporary store, which is deleted with the folder.
pub(crate) fn copy_of_snapshot(store: &Store) -> Result<(Arc<Store>, TempDir), Failure> {
    let scratch = store.scratch();
    let temporary = TempDir::new_in(&scratch).map_err(|error| {
        Failure::advise(
            format!("cannot create a folder in `{}`: {error}", scratch.display()),
            "the records are copied there first; give it space, and permission to write",
        )
    })?;
    let copy = Store::open(temporary.path(), StoreOptions::default())?;
    store.view(|view| {
        let mut left = Some(LevelRange::default());
        while let Some(span) = left {
            let page = view.rows_to_copy(&Selection::default(), &span, CopyLimit::BATCH)?;
            if let Some(row) = page.rows.iter().find(|row| row.value == CopyValue::Damaged) {
                return Err(Failure::advise(
                    format!("the record of /{} is damaged", row.level),
                    "check the store with `fingerpost fsck`",
                ));
            }
            copy.write_copy(|writer| writer.apply(&page.rows))?;
            left = page.until.map(|until| span.rest(until));
        }
        Ok(())
    })?;
    Ok((Arc::new(copy), temporary))
}

/// Returns the languages of all links with their primary subtags, in lower case.
fn languages(store: &Store) -> Result<BTreeSet<String>, Failure> {
    let mut languages = BTreeSet::new();
    for_each_entry(store, |entry| {
        for language in entry.links().flat_map(|link| link.languages().collect::<Vec<_>>()) {
            let language = language.to_ascii_lowercase();
            if languages.len() < MAX_STATIC_LANGUAGES {
                languages.extend(language.split('-').next().map(str::to_owned));
                languages.insert(language);
            }
        }
        Ok(())
    })?;
    Ok(languages)
}

/// Visits all entries in pages, as the public sees them, so that requests between them see the
/// store as well.
fn for_each_entry(
    store: &Store,
    mut visit: impl FnMut(&Entry) -> Result<(), Failure>,
) -> Result<(), Failure> {
    let mut last: Option<String> = None;
    loop {
        let from = last.as_deref().map_or(Bound::Unbounded, Bound::Excluded);
        let page = store.view(|view| {
            let mut page = Vec::new();
            view.visit_levels(from, "", |entry, _| -> Result<_, StoreError> {
                if !entry.anchor().is_of_registry() {
                    page.push(Arc::new(entry));
                }
                let is_full = page.len() == PAGE;
                Ok(if is_full { ControlFlow::Break(()) } else { ControlFlow::Continue(()) })
            })?;
            Ok::<_, StoreError>(page)
        })?;
        let Some(end) = page.last() else { return Ok(()) };
        let end = end.anchor().as_str().to_owned();
        for seen in page.iter().filter_map(|entry| Viewer::PUBLIC.see(entry)) {
            visit(&seen)?;
        }
        last = Some(end);
    }
}

#[cfg(test)]
mod tests {
    use super::is_file_name;

    #[test]
    fn values_that_leave_the_folder_or_match_others_are_left_out() {
        assert!(is_file_name("/01/09520123456788/10/A%2FB-c"));
        for path in
            ["/01/1/10/..", "/01/1/10/.", "/01//10", "/01/1/10/a*", "/01/1/10/a[b", "/01/1/10/a\\"]
        {
            assert!(!is_file_name(path), "{path}");
        }
        assert!(!is_file_name(&format!("/01/{}", "%2F".repeat(90))));
    }
}
