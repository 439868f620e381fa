//! The arguments of `fingerpost urn`.

use clap::{Args, Subcommand, ValueEnum};

use super::ReportFormat;

#[derive(Debug, Args)]
#[command(after_help = "\
The rules are those of RFC 8141 and of the draft of October 2012 that preceded it.
Exit status: 0 valid (or the same name), 1 invalid (or another name), 2 wrong usage.")]
pub(crate) struct Urn {
    #[command(subcommand)]
    pub(crate) command: UrnCommand,
}

#[derive(Debug, Subcommand)]
pub(crate) enum UrnCommand {
    /// Parse URNs and check them against their namespaces
    Parse(Parse),
    /// Compare two URNs
    Compare(Compare),
    /// Print the GS1 key of a URN
    Key(Key),
    /// Build a URN from data
    Build(Build),
}

/// The definition of URNs to use.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum UrnMode {
    /// The draft of October 2012: directives after ?, no slash in a name
    Draft,
    /// RFC 8141: r-, q- and f-components
    Rfc8141,
    /// Chosen by the character after `?`
    Auto,
}

#[derive(Debug, Args)]
#[command(after_help = "\
A keyword that occurs more than once in the directives is ignored by resolvers. Known namespaces are
isbn, issn, uuid, oid, ietf, epc, nbn and example; a name that violates the rules of its namespace is
invalid.

Examples:
  fingerpost urn parse urn:isbn:0-451-45052-3
  fingerpost urn parse 'urn:example:a?s=I2L&c=ToC' 'urn:example:a?+r?=q#f'
  fingerpost urn parse --mode rfc8141 urn:example:a/b")]
pub(crate) struct Parse {
    /// Definition of URNs to use
    #[arg(long, value_enum, default_value_t = UrnMode::Auto)]
    pub(crate) mode: UrnMode,
    /// Format of the findings
    #[arg(long, value_enum, default_value_t = ReportFormat::Text)]
    pub(crate) format: ReportFormat,
    /// URNs, or references to them; `-` reads lines from standard input
    #[arg(required = true, value_name = "INPUT")]
    pub(crate) inputs: Vec<String>,
}

#[derive(Debug, Args)]
#[command(after_help = "\
Purpose 5a asks whether both name the same thing: directives, components and fragments are ignored.
Purpose 5b asks whether a resolver can answer both alike: directives matter, but not their order.
Both are answered by syntax alone, and with the rules of the namespace (hyphens in an ISBN).
Triplets are never decoded: %2C and a comma are different.

Exit status: 0 the same name by the rules of the namespace, 1 another name or invalid, 2 wrong usage.

Examples:
  fingerpost urn compare urn:isbn:0-451-45052-3 URN:ISBN:0451450523
  fingerpost urn compare 'urn:example:a?s=I2L' 'urn:example:a?s=I2C'")]
pub(crate) struct Compare {
    /// Definition of URNs to use
    #[arg(long, value_enum, default_value_t = UrnMode::Auto)]
    pub(crate) mode: UrnMode,
    /// Format of the answer
    #[arg(long, value_enum, default_value_t = ReportFormat::Text)]
    pub(crate) format: ReportFormat,
    /// One URN
    #[arg(value_name = "A")]
    pub(crate) a: String,
    /// The other
    #[arg(value_name = "B")]
    pub(crate) b: String,
}

#[derive(Debug, Args)]
#[command(after_help = "\
Books (urn:isbn:), serials (urn:issn:) and Electronic Product Codes (urn:epc:id:…,
urn:epc:class:lgtin:…, urn:epc:idpat:sgtin:….*) have GS1 keys. Errors go to standard error.

Examples:
  fingerpost urn key urn:isbn:978-0-451-45052-4
  fingerpost urn key urn:epc:id:sgtin:0614141.112345.400")]
pub(crate) struct Key {
    /// Format of the answer
    #[arg(long, value_enum, default_value_t = ReportFormat::Text)]
    pub(crate) format: ReportFormat,
    /// The URN
    #[arg(value_name = "URN")]
    pub(crate) urn: String,
}

#[derive(Debug, Args)]
#[command(after_help = "\
NAME is data: characters that a name cannot contain, and those to which the namespace gives a meaning, are
percent-encoded, also % itself. A name that violates the rules of a known namespace is refused.

Examples:
  fingerpost urn build example 'café 50%'
  fingerpost urn build isbn 0-451-45052-3")]
pub(crate) struct Build {
    /// Format of the answer
    #[arg(long, value_enum, default_value_t = ReportFormat::Text)]
    pub(crate) format: ReportFormat,
    /// Namespace identifier
    #[arg(value_name = "NID")]
    pub(crate) nid: String,
    /// The name within the namespace
    #[arg(value_name = "NAME")]
    pub(crate) name: String,
}
