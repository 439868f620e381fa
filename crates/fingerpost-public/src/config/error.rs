//! What is wrong with a configuration, and where it stands.

use std::fmt;
use std::io;
use std::path::PathBuf;

use toml::de::DeTable;

/// Why a configuration was refused. Nothing was started.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ConfigError {
    /// A file could not be read.
    #[error("cannot read `{}`: {error}", path.display())]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// What the operating system said.
        error: io::Error,
    },
    /// A line of the file is wrong: not TOML, an unknown key, a wrong type or value.
    #[error("{file}:{line}: {message}\n  {text}")]
    Line {
        /// Name of the file.
        file: String,
        /// Line, from 1.
        line: usize,
        /// What was expected and found.
        message: String,
        /// The line itself.
        text: String,
    },
    /// An environment variable is wrong.
    #[error("{variable}: {message}")]
    Variable {
        /// Its name.
        variable: String,
        /// What was expected and found.
        message: String,
    },
    /// A value that cannot be used, wherever it came from.
    #[error("{key}: {message}")]
    Value {
        /// The key, with dots.
        key: &'static str,
        /// What was expected and found.
        message: String,
    },
}

impl ConfigError {
    pub(super) fn value(key: &'static str, message: impl fmt::Display) -> Self {
        Self::Value { key, message: message.to_string() }
    }

    /// The error of a TOML document at a byte offset.
    pub(super) fn at(file: &str, text: &str, offset: usize, message: impl fmt::Display) -> Self {
        let before = text.get(..offset).unwrap_or(text);
        let begin = before.rfind('\n').map_or(0, |at| at + 1);
        let line = text[begin..].lines().next().unwrap_or("");
        Self::Line {
            file: file.to_owned(),
            line: before.matches('\n').count() + 1,
            message: message.to_string(),
            text: line.trim().to_owned(),
        }
    }

    /// Adds file and line to the fault of a value, if its key stands in the file. The environment and
    /// flags may have replaced it; then its name alone is the better answer, but naming the place where the
    /// key stands does not harm.
    pub(super) fn with_line(self, source: Option<(&str, &str)>) -> Self {
        let (Self::Value { key, message }, Some((file, text))) = (&self, source) else {
            return self;
        };
        match key_offset(text, key) {
            Some(offset) => Self::at(file, text, offset, format_args!("{key}: {message}")),
            None => self,
        }
    }
}

/// Where a key stands in the document, at most one table deep.
fn key_offset(text: &str, key: &str) -> Option<usize> {
    let document = DeTable::parse(text).ok()?.into_inner();
    let (table, name) = match key.split_once('.') {
        None => (&document, key),
        Some((table, name)) => {
            let (_, value) = document.iter().find(|(found, _)| found.get_ref() == table)?;
            (value.get_ref().as_table()?, name)
        }
    };
    let (found, _) = table.iter().find(|(found, _)| found.get_ref() == name)?;
    Some(found.span().start)
}
