//! The arguments of `fingerpost uri www`.

use clap::{Args, Subcommand, ValueEnum};

use super::ReportFormat;
use super::check::Passwords;

#[derive(Debug, Args)]
#[command(after_help = "\
The first URI syntax of the web (the Internet-Draft of 1994 before RFC 1630) differs from RFC 3986: a host is a
part of the path, + in a search means a space, an empty fragment means none, and partial forms have their own
rule for slashes.
Exit status: 0 valid (or equivalent), 1 invalid (or not equivalent), 2 wrong usage.")]
pub(crate) struct Www {
    #[command(subcommand)]
    pub(crate) command: WwwCommand,
}

#[derive(Debug, Subcommand)]
pub(crate) enum WwwCommand {
    /// Parse URIs, and show what they mean in their schemes
    Parse(Parse),
    /// Print the full form of a partial one
    Resolve(Resolve),
    /// Compare two URIs in one encoding level
    Compare(Compare),
    /// Print the shortest partial form of a URI in a context
    Partial(Partial),
}

/// How much of the syntax is accepted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum WwwLevel {
    /// The printed grammar: with spaces, without =
    Bnf,
    /// The grammar and =, which it omits by mistake
    Tolerant,
    /// The canonical form of the text: no spaces
    Canonical,
}

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  fingerpost uri www parse 'wais://host/db?a%2Bb+c'
  fingerpost uri www parse --level canonical ftp://host/pub/doc.txt")]
pub(crate) struct Parse {
    /// How much of the syntax is accepted
    #[arg(long, value_enum, default_value_t = WwwLevel::Tolerant)]
    pub(crate) level: WwwLevel,
    #[command(flatten)]
    pub(crate) passwords: Passwords,
    /// Format of the findings
    #[arg(long, value_enum, default_value_t = ReportFormat::Text)]
    pub(crate) format: ReportFormat,
    /// URIs; `-` reads lines from standard input
    #[arg(required = true, value_name = "INPUT")]
    pub(crate) inputs: Vec<String>,
}

#[derive(Debug, Args)]
#[command(after_help = "\
Errors go to standard error; standard output holds the full form or nothing.

Examples:
  fingerpost uri www resolve magic://a/b/c//d/e/f g    prints magic://a/b/c//d/e/g
  fingerpost uri www resolve magic://a/b/c//d/e/f //g  prints magic://g")]
pub(crate) struct Resolve {
    #[command(flatten)]
    pub(crate) passwords: Passwords,
    /// Format of the answer
    #[arg(long, value_enum, default_value_t = ReportFormat::Text)]
    pub(crate) format: ReportFormat,
    /// The URI of the document that has the partial form
    #[arg(value_name = "CONTEXT")]
    pub(crate) context: String,
    /// The partial form
    #[arg(value_name = "PARTIAL")]
    pub(crate) partial: String,
}

#[derive(Debug, Args)]
#[command(after_help = "\
Exit status: 0 equivalent, 1 not equivalent or invalid, 2 wrong usage.

Examples:
  fingerpost uri www compare http://h/marie%2Dclaude http://h/marie-claude")]
pub(crate) struct Compare {
    #[command(flatten)]
    pub(crate) passwords: Passwords,
    /// Format of the answer
    #[arg(long, value_enum, default_value_t = ReportFormat::Text)]
    pub(crate) format: ReportFormat,
    /// One URI
    #[arg(value_name = "A")]
    pub(crate) a: String,
    /// The other
    #[arg(value_name = "B")]
    pub(crate) b: String,
}

#[derive(Debug, Args)]
#[command(after_help = "\
`uri www resolve` gives the URI back.

Examples:
  fingerpost uri www partial magic://a/b/c//d/e/f magic://a/b/c//d/g  prints ../g")]
pub(crate) struct Partial {
    #[command(flatten)]
    pub(crate) passwords: Passwords,
    /// Format of the answer
    #[arg(long, value_enum, default_value_t = ReportFormat::Text)]
    pub(crate) format: ReportFormat,
    /// The URI of the document that will have the partial form
    #[arg(value_name = "CONTEXT")]
    pub(crate) context: String,
    /// The full form
    #[arg(value_name = "URI")]
    pub(crate) uri: String,
}
