//! The arguments of `fingerpost uri`.

use std::path::PathBuf;

use clap::{Args, Subcommand, ValueHint};

use super::ReportFormat;
use super::check::Passwords;
use super::www::Www;

#[derive(Debug, Args)]
#[command(after_help = "\
The rules are those of RFC 3986; `uri www` has those of the first web syntax. Quotes, angle brackets, URL:
and white space around a URI are left out. An input that begins with a hyphen follows `--`.
Exit status: 0 valid (or equal), 1 invalid (or not equal), 2 wrong usage.")]
pub(crate) struct Uri {
    #[command(subcommand)]
    pub(crate) command: UriCommand,
}

#[derive(Debug, Subcommand)]
pub(crate) enum UriCommand {
    /// Parse URI references, and warn about suspicious parts
    Parse(Parse),
    /// Print the target of a reference
    Resolve(Resolve),
    /// Normalise step by step; the last line is the result
    Normalise(Normalise),
    /// Compare two URIs, and show which normalisation makes them equal
    Compare(Compare),
    /// Find URIs in text
    Extract(Extract),
    /// Build a URI from data
    Build(Build),
    /// Parse, resolve and compare URIs of the first web syntax (1994)
    Www(Www),
}

#[derive(Debug, Args)]
#[command(after_help = "\
Undefined components are left out (in JSON: null); an empty component is shown as <empty>. Warnings
do not make a reference invalid.

Examples:
  fingerpost uri parse 'https://[2001:db8::1]:8443/a/b?x=1#top'
  fingerpost uri parse http://bank.example@203.0.113.9/ //example.org ../a
  fingerpost uri parse --format json - < links.txt")]
pub(crate) struct Parse {
    #[command(flatten)]
    pub(crate) passwords: Passwords,
    /// Format of the findings
    #[arg(long, value_enum, default_value_t = ReportFormat::Text)]
    pub(crate) format: ReportFormat,
    /// URIs or relative references; `-` reads lines from standard input
    #[arg(required = true, value_name = "INPUT")]
    pub(crate) inputs: Vec<String>,
}

#[derive(Debug, Args)]
#[command(after_help = "\
Errors go to standard error; standard output holds the target or nothing.

Examples:
  fingerpost uri resolve 'http://a/b/c/d;p?q' ../g         prints http://a/b/g
  fingerpost uri resolve --non-strict http://a/b/c http:g  prints http://a/b/g")]
pub(crate) struct Resolve {
    /// Ignore the scheme of a reference if it is that of the base, as in old data
    #[arg(long)]
    pub(crate) non_strict: bool,
    /// Treat %2e as a dot when dot-segments are removed
    #[arg(long)]
    pub(crate) decode_dots: bool,
    #[command(flatten)]
    pub(crate) passwords: Passwords,
    /// Format of the answer
    #[arg(long, value_enum, default_value_t = ReportFormat::Text)]
    pub(crate) format: ReportFormat,
    /// The base URI; its fragment is ignored
    #[arg(value_name = "BASE")]
    pub(crate) base: String,
    /// The reference to resolve
    #[arg(value_name = "REFERENCE")]
    pub(crate) reference: String,
}

#[derive(Debug, Args)]
#[command(after_help = "\
The steps: case, percent (triplets of unreserved characters), path (dot-segments), scheme (default
ports, empty paths). Each step that changes something is shown with its name; the last line is the
normal form. Errors and warnings go to standard error.

Examples:
  fingerpost uri normalise 'HTTP://EXAMPLE.com:80/a/./b/../%7Ejane'
  fingerpost uri normalise \"$uri\" | tail -n 1")]
pub(crate) struct Normalise {
    #[command(flatten)]
    pub(crate) passwords: Passwords,
    /// Format of the answer
    #[arg(long, value_enum, default_value_t = ReportFormat::Text)]
    pub(crate) format: ReportFormat,
    /// The URI
    #[arg(value_name = "URI")]
    pub(crate) uri: String,
}

#[derive(Debug, Args)]
#[command(after_help = "\
Exit status: 0 equal after some step, 1 not equal or invalid, 2 wrong usage.

Examples:
  fingerpost uri compare http://example.com/%7Ejane HTTP://example.com:80/~jane
  fingerpost uri compare --ignore-fragment http://example.com/#a http://example.com/#b")]
pub(crate) struct Compare {
    /// Ignore fragments
    #[arg(long)]
    pub(crate) ignore_fragment: bool,
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
Finds URIs of any scheme in <angle brackets> (also with a leading URL:, and broken over several
lines) and in \"double quotes\", and bare ones of the common schemes. Prints one line each: its position
(bytes, from..to), its form (angle, quote, bare, suffix), and the URI. If a line was broken after a
hyphen, the reading without the hyphen follows after `or`.

Examples:
  fingerpost uri extract mail.txt
  fingerpost uri extract --suffix notes.txt
  git log -1 | fingerpost uri extract | awk '{print $3}'")]
pub(crate) struct Extract {
    /// Also find www.… and add http:// to it
    #[arg(long)]
    pub(crate) suffix: bool,
    #[command(flatten)]
    pub(crate) passwords: Passwords,
    /// Format of the answer
    #[arg(long, value_enum, default_value_t = ReportFormat::Text)]
    pub(crate) format: ReportFormat,
    /// The text; `-` is standard input
    #[arg(default_value = "-", hide_default_value = true)]
    #[arg(value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(crate) file: PathBuf,
}

#[derive(Debug, Args)]
#[command(after_help = "\
Every argument is data: characters that would delimit something are percent-encoded, also % itself. User
and port are written only with a host. Without --scheme the result is a relative reference.

Examples:
  fingerpost uri build --scheme https --host id.example.org --segment 01 --segment 09520123456788
  fingerpost uri build --scheme mailto --rootless --segment me@example.org
  fingerpost uri build --segment 'a/b' --pair 'name=R & D' --fragment top")]
pub(crate) struct Build {
    /// Scheme
    #[arg(long)]
    pub(crate) scheme: Option<String>,
    /// User information
    #[arg(long, value_name = "TEXT", requires = "host")]
    pub(crate) userinfo: Option<String>,
    /// Host: a name or an IP address
    #[arg(long, value_name = "NAME", value_hint = ValueHint::Hostname)]
    pub(crate) host: Option<String>,
    /// Port
    #[arg(long, requires = "host")]
    pub(crate) port: Option<u16>,
    /// Path segment; can be repeated
    #[arg(long, value_name = "TEXT")]
    pub(crate) segment: Vec<String>,
    /// Begin the path without a slash
    #[arg(long)]
    pub(crate) rootless: bool,
    /// Query as a whole
    #[arg(long, value_name = "TEXT", conflicts_with = "pair")]
    pub(crate) query: Option<String>,
    /// Pair of the query; can be repeated
    #[arg(long, value_name = "NAME=VALUE", value_parser = pair)]
    pub(crate) pair: Vec<(String, String)>,
    /// Fragment
    #[arg(long, value_name = "TEXT")]
    pub(crate) fragment: Option<String>,
    #[command(flatten)]
    pub(crate) passwords: Passwords,
    /// Format of the answer
    #[arg(long, value_enum, default_value_t = ReportFormat::Text)]
    pub(crate) format: ReportFormat,
}

fn pair(text: &str) -> Result<(String, String), String> {
    let (name, value) = text.split_once('=').ok_or("expected a name, = and a value")?;
    Ok((name.to_owned(), value.to_owned()))
}
