//! `fingerpost import --from`: the records of a running GS1-Conformant Resolver, asked for one
//! identifier after another (GS1-Conformant Resolver 1.2.0, sections 2.9, 2.10 and 3).
//!
//! ```text
//! describe   GET /.well-known/gs1resolver: the root and the primary keys
//! list       lines → keys, with fingerpost-identify
//! queue      some requests at a time; the answers in the order of the list
//! ask        one identifier: redirects on the same host, pauses that the resolver asks for, limits of time and size
//! ```
//!
//! `fingerpost-exchange` reads the answers like linksets in files, and refuses links of other keys.

mod address;
mod ask;
pub(crate) mod list;
mod queue;

use std::fs::File;
use std::io::{self, BufReader, Read};
use std::path::PathBuf;
use std::time::Duration;

use clap::{Args, ValueHint};
use fingerpost_exchange::ImportSource;

use self::address::Address;
use self::ask::Asker;
use self::list::List;
use self::queue::Queue;
use super::source::Input;
use crate::check::{NoResolver, Resolver, describe};
use crate::failure::Failure;
use crate::output::{self, WARNING, printable};

/// A running resolver instead of files.
#[derive(Debug, Args)]
#[command(next_help_heading = "From a running resolver")]
pub(crate) struct FromResolver {
    /// Address of a GS1-Conformant Resolver, perhaps with a stem, whose links are imported
    #[arg(long, value_name = "URL", requires = "identifiers", value_hint = ValueHint::Url)]
    pub(crate) from: Option<String>,
    /// File with the identifiers to ask for, one per line, in any form that `check` reads; `-` is
    /// standard input
    #[arg(long, value_name = "FILE", requires = "from", value_hint = ValueHint::FilePath)]
    pub(crate) identifiers: Option<PathBuf>,
    /// Number of requests at the same time
    #[arg(long, value_name = "NUMBER", default_value_t = 4)]
    #[arg(value_parser = clap::value_parser!(u8).range(1..=16))]
    pub(crate) requests: u8,
    /// Time limit for an answer
    #[arg(long, value_name = "SECONDS", default_value_t = 60)]
    #[arg(value_parser = clap::value_parser!(u16).range(1..=600))]
    pub(crate) timeout: u16,
}

/// Opens the list, and asks the resolver who it is.
pub(super) fn open(args: &FromResolver, from: &str) -> Result<Input, Failure> {
    let address = Address::parse(from)?;
    let (name, list) = open_list(args)?;
    if address.is_unprotected() {
        warn(&format!(
            "{} has no TLS: anyone on the way can change the links; use https:// if it is served",
            address.origin()
        ));
    }
    let (stem, keys) = match describe(address.origin()) {
        Ok(Resolver { root, keys, .. }) => (stem_of(&address, &root), keys),
        Err(NoResolver { file, code: "NO_ANSWER", why }) => {
            return Err(Failure::advise(
                format!("{} {}", printable(&file), printable(&why)),
                "check the address and the network; nothing was imported",
            ));
        }
        Err(NoResolver { file, why, .. }) => {
            warn(&format!("no description of the resolver: {file}: {why}; asking without it"));
            (address.stem().to_owned(), Vec::new())
        }
    };
    let patience = Duration::from_secs(args.timeout.into());
    let asker = Asker::new(address.origin(), &stem, patience);
    let list = List::new(list, keys).map_err(|error| unreadable_list(&name, &error))?;
    let queue = Queue::new(asker, list, args.requests);
    let source = ImportSource::answers(&name, queue);
    Ok(Input { name, source, size: None })
}

fn open_list(args: &FromResolver) -> Result<(String, BufReader<Box<dyn Read + Send>>), Failure> {
    let file = args.identifiers.as_deref().filter(|file| file.as_os_str() != "-");
    let Some(path) = file else {
        return Ok(("-".to_owned(), BufReader::new(Box::new(io::stdin()))));
    };
    let name = printable(&path.to_string_lossy());
    let file = File::open(path).map_err(|error| unreadable_list(&name, &error))?;
    Ok((name, BufReader::new(Box::new(file))))
}

fn unreadable_list(name: &str, error: &io::Error) -> Failure {
    Failure::advise(
        format!("cannot read `{name}`: {error}"),
        "give --identifiers a file with one identifier on each line; nothing was imported",
    )
}

/// Returns the stem below which to ask: the one of the command line, else that of `resolverRoot`.
/// The host is never another one.
fn stem_of(address: &Address, root: &str) -> String {
    let described = Address::parse(root).ok();
    let origin = described.as_ref().map(Address::origin);
    if origin != Some(address.origin()) {
        warn(&format!(
            "the resolver calls itself {}; asking at {} as given",
            printable(root),
            address.origin()
        ));
    }
    let stem = Some(address.stem()).filter(|stem| !stem.is_empty());
    stem.or(described.as_ref().map(Address::stem)).unwrap_or_default().to_owned()
}

fn warn(message: &str) {
    output::print_aside(format_args!("{WARNING}warning{WARNING:#}: {}", printable(message)));
}
