//! One document from several sources: a file, then environment variables, then flags; later sources
//! take precedence.
//!
//! All sources share one virtual text: spaces before each source shift its offsets, and the span of
//! any value identifies its source.

use std::fs;
use std::path::{Path, PathBuf};

use toml::Spanned;
use toml::de::{DeTable, DeValue, Error};

use crate::section::deserialize;
use crate::{ConfigError, DeclaredOptions, Section};

/// Prefix of all environment variables.
const PREFIX: &str = "FINGERPOST_";

/// Maximum edit distance between an unknown key and the key suggested for it.
const SUGGEST: usize = 3;

/// A parsed and merged configuration that records the source of each value.
#[derive(Debug)]
pub struct Document {
    sections: Vec<Section>,
    sources: Vec<Source>,
}

#[derive(Debug)]
struct Source {
    kind: SourceKind,
    /// The text, after as many spaces as the preceding sources are long.
    padded: String,
    /// Offset at which it begins in the virtual text.
    start: usize,
    /// Base directory of relative paths, if not the working directory.
    folder: Option<PathBuf>,
    /// Top-level keys that this source removes.
    removes: &'static [&'static str],
}

#[derive(Debug)]
enum SourceKind {
    File(String),
    /// A variable or a flag; its text is `key = value`.
    Named(String),
}

impl Document {
    /// Parses a document with these sections. Errors use `name` for the document.
    pub fn parse(name: &str, text: &str, sections: &[Section]) -> Result<Self, ConfigError> {
        let mut document = Self { sections: sections.to_vec(), sources: Vec::new() };
        document.overlay(SourceKind::File(name.to_owned()), text)?;
        document.refuse_unknown_keys()?;
        Ok(document)
    }

    /// Reads a file with these sections, if it exists. Relative paths in it are relative to its
    /// folder.
    pub fn load(path: Option<&Path>, sections: &[Section]) -> Result<Self, ConfigError> {
        let Some(path) = path else { return Self::parse("configuration", "", sections) };
        let text = fs::read_to_string(path)
            .map_err(|error| ConfigError::Unreadable { path: path.to_owned(), error })?;
        let mut document = Self::parse(&path.display().to_string(), &text, sections)?;
        for source in &mut document.sources {
            source.folder = Some(path.parent().unwrap_or(Path::new("")).to_owned());
        }
        Ok(document)
    }

    /// Applies environment variables to the document: `FINGERPOST_LIMITS_MAX_CONNECTIONS` is
    /// `limits.max_connections`. Ignores those in `others`. Returns warnings about unknown
    /// variables rather than errors, because container platforms derive variables from the name of
    /// a service.
    pub fn overlay_environment(
        &mut self,
        environment: impl IntoIterator<Item = (String, String)>,
        others: &[&str],
    ) -> Result<Vec<String>, ConfigError> {
        let mut warnings = Vec::new();
        for (variable, value) in environment {
            if !variable.starts_with(PREFIX) || others.contains(&variable.as_str()) {
                continue;
            }
            match self.key_of(&variable) {
                Some(key) => self.overlay_text(&variable, &key, &value)?,
                None => warnings.push(format!("unknown variable {variable}: it has no effect")),
            }
        }
        Ok(warnings)
    }

    /// Applies a flag to the document, and removes the values of the top-level keys in `removes`.
    pub fn overlay_flag(
        &mut self,
        flag: &str,
        key: &str,
        value: impl Into<toml::Value>,
        removes: &'static [&'static str],
    ) -> Result<(), ConfigError> {
        self.overlay(SourceKind::Named(flag.to_owned()), &format!("{key} = {}", value.into()))?;
        self.sources.iter_mut().rev().take(1).for_each(|source| source.removes = removes);
        Ok(())
    }

    /// Returns all values that are given, in their tables.
    pub fn values(&self) -> Result<toml::Table, ConfigError> {
        let merged = self.merged();
        deserialize(merged.clone()).map_err(|error| self.at(&merged, &error))
    }

    /// Returns whether a top-level key has a value.
    pub fn has(&self, key: &str) -> bool {
        self.merged().contains_key(key)
    }

    /// Reads the options of a section: from its table, or from the keys of these options at the top
    /// of the document.
    pub fn read<T: DeclaredOptions>(&self, table: &str) -> Result<T, ConfigError> {
        let merged = self.merged();
        let mut read = DeTable::new();
        for (key, value) in find(&merged, table).into_iter().flatten() {
            let is_own = T::KEYS.iter().any(|own| own.name == key.get_ref().as_ref());
            if is_own || !table.is_empty() {
                read.insert(key.clone(), value.clone());
            }
        }
        deserialize(read).map_err(|error| self.at(&merged, &error))
    }

    /// Adds the position of a value to its error, if it has one.
    pub fn with_position(&self, fault: ConfigError) -> ConfigError {
        let ConfigError::Value { key, message } = &fault else { return fault };
        let (table, name) = key.rsplit_once('.').unwrap_or(("", key));
        let merged = self.merged();
        match find(&merged, table).and_then(|table| table.get_key_value(name)) {
            Some((name, _)) => self.error_at(name.span().start, format!("{key}: {message}")),
            None => fault,
        }
    }

    fn overlay(&mut self, kind: SourceKind, text: &str) -> Result<(), ConfigError> {
        let start = self.sources.last().map_or(0, |last| last.padded.len() + 1);
        let padded = [&" ".repeat(start), text].concat();
        self.sources.push(Source { kind, padded, start, folder: None, removes: &[] });
        let padded = &self.sources[self.sources.len() - 1].padded;
        match DeTable::parse(padded) {
            Ok(_) => Ok(()),
            Err(error) => Err(self.at(&DeTable::new(), &error)),
        }
    }

    /// Returns all sources merged, later ones over earlier ones.
    fn merged(&self) -> DeTable<'_> {
        let tables: Vec<&str> = self.sections.iter().map(|section| section.table).collect();
        let mut merged = DeTable::new();
        for source in &self.sources {
            // Each was parsed before; an invalid one would have ended the reading.
            let Ok(table) = DeTable::parse(&source.padded) else { continue };
            let mut table = table.into_inner();
            if let Some(folder) = &source.folder {
                self.rebase_paths(&mut table, folder);
            }
            source.removes.iter().for_each(|&key| drop(merged.remove(key)));
            merge(&mut merged, table, "", &tables);
        }
        merged
    }

    fn rebase_paths(&self, table: &mut DeTable<'_>, folder: &Path) {
        for section in &self.sections {
            let Some(table) = find_mut(table, section.table) else { continue };
            for key in section.keys.iter().filter(|key| key.is_path()) {
                if let Some(DeValue::String(path)) = table.get_mut(key.name).map(Spanned::get_mut)
                    && !path.contains("://")
                {
                    *path = folder.join(&**path).display().to_string().into();
                }
            }
        }
    }

    /// Parses an unquoted value: as TOML if the key accepts that, else as plain text.
    fn overlay_text(&mut self, name: &str, key: &str, value: &str) -> Result<(), ConfigError> {
        let as_toml = format!("{key} = {value}");
        let is_structured = value.trim_start().starts_with(['[', '{']);
        let text = if is_structured || self.accepts(key, value) {
            as_toml
        } else {
            format!("{key} = {}", toml::Value::from(value))
        };
        self.overlay(SourceKind::Named(name.to_owned()), &text)
    }

    fn accepts(&self, key: &str, value: &str) -> bool {
        let section = self.sections.iter().rev().find_map(|section| {
            let name = key.strip_prefix(section.table)?.trim_start_matches('.');
            section.keys.iter().any(|key| key.name == name).then_some((section, name))
        });
        let Some((section, name)) = section else { return false };
        let text = format!("{name} = {value}");
        DeTable::parse(&text).is_ok_and(|table| (section.accepts)(table.into_inner()))
    }

    /// Returns the key or table that a variable names.
    fn key_of(&self, variable: &str) -> Option<String> {
        let names = |path: &String| {
            let name = path.to_ascii_uppercase().replace('.', "_");
            variable.strip_prefix(PREFIX) == Some(name.as_str())
        };
        let mut paths = self.sections.iter().flat_map(|section| {
            let keys = section.keys.iter().map(|key| section.path(key.name));
            keys.chain([section.table.to_owned()])
        });
        paths.find(names)
    }

    fn refuse_unknown_keys(&self) -> Result<(), ConfigError> {
        let merged = self.merged();
        let tables: Vec<&str> = self.sections.iter().map(|section| section.table).collect();
        for table in &tables {
            let is_inner =
                |inner: &&&str| table.is_empty() && !inner.is_empty() && !inner.contains('.');
            let inner = tables.iter().filter(is_inner).map(|&inner| inner.to_owned());
            let known: Vec<String> = (self.sections.iter())
                .filter(|section| section.table == *table)
                .flat_map(|section| section.keys.iter().map(|key| section.path(key.name)))
                .chain(inner)
                .collect();
            for (key, _) in find(&merged, table).into_iter().flatten() {
                let name = key.get_ref();
                let path =
                    if table.is_empty() { name.to_string() } else { format!("{table}.{name}") };
                if !known.contains(&path) {
                    let near = known.iter().min_by_key(|known| strsim::osa_distance(known, &path));
                    let near = near.filter(|near| strsim::osa_distance(near, &path) <= SUGGEST);
                    let hint = match near {
                        Some(near) => format!("did you mean `{near}`?"),
                        None => format!("expected one of {}", known.join(", ")),
                    };
                    let message = format!("unknown key `{path}`, {hint}");
                    return Err(self.error_at(key.span().start, message));
                }
            }
        }
        Ok(())
    }

    /// Returns the error of a value at its position, with the name of the key if there is one.
    fn at(&self, merged: &DeTable<'_>, error: &Error) -> ConfigError {
        let offset = error.span().map_or(0, |span| span.start);
        let message = match path_at(merged, offset) {
            Some(path) => format!("{path}: {}", error.message()),
            None => error.message().to_owned(),
        };
        self.error_at(offset, message)
    }

    fn error_at(&self, offset: usize, message: String) -> ConfigError {
        let source = self.sources.iter().rev().find(|source| source.start <= offset);
        let Some(Source { kind, start, padded, .. }) = source else {
            return ConfigError::Value { key: "configuration".to_owned(), message };
        };
        match kind {
            SourceKind::Named(variable) => {
                ConfigError::Variable { variable: variable.clone(), message }
            }
            SourceKind::File(file) => {
                let text = &padded[*start..];
                let before = text.get(..offset - start).unwrap_or(text);
                let begin = before.rfind('\n').map_or(0, |at| at + 1);
                let line = text[begin..].lines().next().unwrap_or("");
                ConfigError::Line {
                    file: file.clone(),
                    line: before.matches('\n').count() + 1,
                    message,
                    text: without_passwords(line.trim()),
                }
            }
        }
    }
}

/// Returns a line for messages and logs, with the passwords of addresses in it replaced by `***`
/// (RFC 3986, section 7.5; URI-SEC-06).
fn without_passwords(line: &str) -> String {
    let mut shown = String::with_capacity(line.len());
    let mut rest = line;
    while let Some(slashes) = rest.find("//") {
        let (before, address) = rest.split_at(slashes + 2);
        shown.push_str(before);
        let end = address.find(['/', '?', '#', '"', '\'', ' ']).unwrap_or(address.len());
        let (authority, tail) = address.split_at(end);
        let user = authority.rsplit_once('@').and_then(|(info, _)| info.split_once(':'));
        match (user, authority.rfind('@')) {
            (Some((user, _)), Some(at)) => shown.extend([user, ":***", &authority[at..]]),
            _ => shown.push_str(authority),
        }
        rest = tail;
    }
    shown + rest
}

/// Merges `over` into `base`: tables of sections key by key, other values as a whole.
fn merge<'t>(base: &mut DeTable<'t>, over: DeTable<'t>, path: &str, sections: &[&str]) {
    for (key, value) in over {
        let dot = if path.is_empty() { "" } else { "." };
        let inner = format!("{path}{dot}{}", key.get_ref());
        let present = base.get_mut(key.get_ref().as_ref()).map(Spanned::get_mut);
        match (present, value.get_ref()) {
            (Some(DeValue::Table(present)), DeValue::Table(_)) if sections.contains(&&*inner) => {
                if let DeValue::Table(table) = value.into_inner() {
                    merge(present, table, &inner, sections);
                }
            }
            _ => {
                base.remove(key.get_ref().as_ref());
                base.insert(key, value);
            }
        }
    }
}

/// Returns the table of this dotted name.
fn find<'t, 'i>(table: &'t DeTable<'i>, name: &str) -> Option<&'t DeTable<'i>> {
    let mut parts = name.split('.').filter(|part| !part.is_empty());
    parts.try_fold(table, |table, part| table.get(part)?.get_ref().as_table())
}

fn find_mut<'t, 'i>(table: &'t mut DeTable<'i>, name: &str) -> Option<&'t mut DeTable<'i>> {
    let mut parts = name.split('.').filter(|part| !part.is_empty());
    parts.try_fold(table, |table, part| match table.get_mut(part)?.get_mut() {
        DeValue::Table(table) => Some(table),
        _ => None,
    })
}

/// Returns the key whose name or value is at an offset.
fn path_at(table: &DeTable<'_>, offset: usize) -> Option<String> {
    table.iter().find_map(|(key, value)| {
        let inner = value.get_ref().as_table().and_then(|inner| path_at(inner, offset));
        match inner {
            Some(inner) => Some(format!("{}.{inner}", key.get_ref())),
            None => {
                let here = key.span().contains(&offset) || value.span().contains(&offset);
                here.then(|| key.get_ref().to_string())
            }
        }
    })
}
