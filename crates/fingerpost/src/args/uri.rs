//! The arguments of `fingerpost uri`.

use std::path::PathBuf;

use clap::{Args, Subcommand, ValueHint};

use super::ReportFormat;

#[derive(Debug, Args)]
#[command(after_help = "\
The rules are those of RFC 3986. An input that begins with a hyphen follows `--`.
Exit status: 0 valid (or equal), 1 invalid (or not equal), 2 wrong usage.")]
pub(crate) struct Uri {
    #[command(subcommand)]
    pub(crate) command: UriCommand,
}

#[derive(Debug, Subcommand)]
pub(crate) enum UriCommand {
    /// Take URI references apart, and question what looks odd
    Parse(Parse),
    /// Print the target of a reference, and nothing else
    Resolve(Resolve),
    /// Climb the ladder of normal forms; the last line is the result
    Normalise(Normalise),
    /// Tell whether two URIs are equal, and how far one has to go to make them so
    Compare(Compare),
    /// Find the URIs in a text
    Extract(Extract),
}

#[derive(Debug, Args)]
#[command(after_help = "\
Components that are undefined are left out (in JSON: null); a component that is there without
content is shown as <empty>. Warnings do not make a reference invalid.

Examples:
  fingerpost uri parse 'https://[2001:db8::1]:8443/a/b?x=1#top'
  fingerpost uri parse http://bank.example@203.0.113.9/ //example.org ../a
  fingerpost uri parse --format json - < links.txt")]
pub(crate) struct Parse {
    /// Form of the findings
    #[arg(long, value_enum, default_value_t = ReportFormat::Text)]
    pub(crate) format: ReportFormat,
    /// URIs or relative references; `-` reads lines from standard input
    #[arg(required = true, value_name = "INPUT")]
    pub(crate) inputs: Vec<String>,
}

#[derive(Debug, Args)]
#[command(after_help = "\
Faults go to standard error, so standard output holds the target or nothing.

Examples:
  fingerpost uri resolve 'http://a/b/c/d;p?q' ../g         prints http://a/b/g
  fingerpost uri resolve --non-strict http://a/b/c http:g  prints http://a/b/g")]
pub(crate) struct Resolve {
    /// Read a reference whose scheme is that of the base as if it had none, as old data means it
    #[arg(long)]
    pub(crate) non_strict: bool,
    /// Form of the answer
    #[arg(long, value_enum, default_value_t = ReportFormat::Text)]
    pub(crate) format: ReportFormat,
    /// The base: a URI; its fragment does not count
    #[arg(value_name = "BASE")]
    pub(crate) base: String,
    /// What is resolved against it
    #[arg(value_name = "REFERENCE")]
    pub(crate) reference: String,
}

#[derive(Debug, Args)]
#[command(after_help = "\
The rungs: case, percent (triplets of unreserved characters), path (dot-segments), scheme (default
ports, empty paths). Each rung that changes something is shown with its name; the last line is the
normal form alone. Faults and warnings go to standard error.

Examples:
  fingerpost uri normalise 'HTTP://EXAMPLE.com:80/a/./b/../%7Ejane'
  fingerpost uri normalise \"$uri\" | tail -n 1")]
pub(crate) struct Normalise {
    /// Form of the answer
    #[arg(long, value_enum, default_value_t = ReportFormat::Text)]
    pub(crate) format: ReportFormat,
    /// The URI
    #[arg(value_name = "URI")]
    pub(crate) uri: String,
}

#[derive(Debug, Args)]
#[command(after_help = "\
Exit status: 0 equal at some rung, 1 not equal or invalid, 2 wrong usage.

Examples:
  fingerpost uri compare http://example.com/%7Ejane HTTP://example.com:80/~jane
  fingerpost uri compare --ignore-fragment http://example.com/#a http://example.com/#b")]
pub(crate) struct Compare {
    /// Compare what stands before the fragments
    #[arg(long)]
    pub(crate) ignore_fragment: bool,
    /// Form of the answer
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
Found are URIs of any scheme in <angle brackets> (also with a leading URL:, and broken over several
lines) and in \"double quotes\", and bare ones of the usual schemes. One line each: where it stands
(bytes, from..to), how (angle, quote, bare, suffix), and the URI. Where a line was broken behind a
hyphen, the reading without the hyphen follows after `or`.

Examples:
  fingerpost uri extract mail.txt
  fingerpost uri extract --suffix notes.txt
  git log -1 | fingerpost uri extract | awk '{print $3}'")]
pub(crate) struct Extract {
    /// Also find www.… and guess http:// before it
    #[arg(long)]
    pub(crate) suffix: bool,
    /// Form of the answer
    #[arg(long, value_enum, default_value_t = ReportFormat::Text)]
    pub(crate) format: ReportFormat,
    /// The text; `-` is standard input
    #[arg(default_value = "-", hide_default_value = true)]
    #[arg(value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(crate) file: PathBuf,
}
