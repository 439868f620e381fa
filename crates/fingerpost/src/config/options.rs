//! The options that only the command uses: the data directory and logging.

use std::path::PathBuf;

use fingerpost_options::{FromLiteral, Size, options};
use serde::Deserialize;

options! {
    /// The data directory, and how it is read.
    pub struct StorageOptions {
        /// Data directory, for every command that has `--data`, which wins.
        data: Option<PathBuf>, example r#""/var/lib/fingerpost""#;
        /// Memory for entries in use.
        cache_bytes: Size = "256 MiB";
        /// Largest size of the data file. It takes address space, not memory or disk. The same for all processes that use the
        /// data directory.
        map_size: Size = "256 GiB";
    }
}

options! {
    /// No line of fingerpost itself has client addresses or query strings, at any level; at `trace`, libraries may write them.
    pub struct LogOptions {
        /// Directives of tracing: `error`, `warn`, `info`, `debug`, `trace`, or `fingerpost_public=debug`. Up to `info`
        /// nothing is written per request.
        level: String = "info";
        /// `text` for people, `json` for programs.
        format: LogFormat = "text";
    }
}

impl FromLiteral<&str> for LogFormat {
    fn from_literal(literal: &str) -> Self {
        if literal == "json" { Self::Json } else { Self::Text }
    }
}

/// Form of log lines.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum LogFormat {
    /// For people.
    Text,
    /// For programs: one JSON object per line.
    Json,
}
