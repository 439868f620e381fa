//! Errors of a configuration, with their positions.

use std::fmt;
use std::io;
use std::path::PathBuf;

/// The reason why a configuration was refused. Nothing was started.
#[derive(Debug, thiserror::Error)]
pub enum ConfigError {
    /// A file could not be read.
    #[error("cannot read `{}`: {error}", path.display())]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// The error of the operating system.
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
    /// An environment variable or a flag is wrong.
    #[error("{variable}: {message}")]
    Variable {
        /// Its name.
        variable: String,
        /// What was expected and found.
        message: String,
    },
    /// A value that cannot be used and has no position in a source, such as a default.
    #[error("{key}: {message}")]
    Value {
        /// The key, with dots.
        key: String,
        /// What was expected and found.
        message: String,
    },
}

impl ConfigError {
    /// Creates the error of a value, without its position; see
    /// [`Document::with_position`](crate::Document::with_position).
    pub fn value(key: impl Into<String>, message: impl fmt::Display) -> Self {
        Self::Value { key: key.into(), message: message.to_string() }
    }
}
