//! `fingerpost import --from-ce`: documents of GS1 Resolver CE, from files, a folder, or its API.
//!
//! ```text
//! open     files or answers → documents, sorted by anchor      (before anything is written)
//! import   documents → records, by `fingerpost-ce`; the same import as of files
//! report   one outcome for each document; the file of quarantined ones
//! ```

mod report;
mod running;

use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};

use clap::{Args, ValueHint};
use fingerpost_ce::CeDocuments;
use fingerpost_exchange::ImportSource;
use fingerpost_registry::Registry;

use super::source::{Input, Sources};
use crate::failure::Failure;
use crate::output::{self, NOTE, printable};

pub(super) use report::CeReport;

/// Documents of Resolver CE instead of files of records.
#[derive(Debug, Args)]
#[command(next_help_heading = "From GS1 Resolver CE")]
pub(crate) struct FromCe {
    /// Documents of GS1 Resolver CE 2 or 3: a file (JSON, or BSON of mongodump), a folder of such
    /// files, or the address of a running data-entry API
    #[arg(long, value_name = "FILE|DIR|URL", value_hint = ValueHint::AnyPath)]
    pub(crate) from_ce: Option<String>,
    /// File with the token of the data-entry API (`SESSION_TOKEN`)
    #[arg(long, value_name = "FILE", requires = "from_ce", value_hint = ValueHint::FilePath)]
    pub(crate) ce_token: Option<PathBuf>,
    /// Write documents that cannot be imported as they are to this file, to correct and import
    /// them with --from-ce
    #[arg(long, value_name = "FILE", requires = "from_ce", value_hint = ValueHint::FilePath)]
    #[arg(default_value = "quarantine.jsonl")]
    pub(crate) quarantine: PathBuf,
}

/// Reads all documents of these files, and returns their records as the input of the import.
pub(super) fn open(
    args: &FromCe,
    files: &[PathBuf],
    registry: Registry,
    report: &CeReport,
) -> Result<Sources, Failure> {
    let scratch = registry.store().scratch();
    let mut documents = CeDocuments::new(&scratch, report.receiver());
    let from = args.from_ce.as_deref().unwrap_or_default();
    if is_address(from) {
        running::read(args, from, &scratch, &mut documents)?;
    } else {
        for (number, path) in (0..).zip(files) {
            let file = File::open(path).map_err(|error| unreadable(path, &error))?;
            documents.read(number, file).map_err(|error| unreadable(path, &error))?;
        }
    }
    let records = documents.into_records(registry).map_err(|error| unsorted(&error))?;
    let name = printable(from);
    let source = ImportSource::converted(&name, records);
    Ok(Sources::of(Input { name, source, size: None }))
}

fn is_address(from: &str) -> bool {
    from.starts_with("http://") || from.starts_with("https://")
}

/// Returns the file, or the files of a folder and the folders in it, in the order of their names;
/// of a running Resolver CE, its address. Checks that they exist, before a store is created.
pub(super) fn files(from: &str) -> Result<Vec<PathBuf>, Failure> {
    let path = Path::new(from);
    let is_folder = || fs::metadata(path).map(|metadata| metadata.is_dir());
    if is_address(from) || !is_folder().map_err(|error| unreadable(path, &error))? {
        return Ok(vec![path.to_owned()]);
    }
    let mut found = Vec::new();
    let mut ignored = Vec::new();
    collect(path, &mut found, &mut ignored).map_err(|error| unreadable(path, &error))?;
    if !ignored.is_empty() {
        let names: Vec<_> = ignored.iter().map(|path| path.to_string_lossy()).collect();
        let names = printable(&names.join(", "));
        output::print_aside(format_args!(
            "{NOTE}note{NOTE:#}: not documents by their names: {names}"
        ));
    }
    if found.is_empty() {
        return Err(Failure::advise(
            format!("`{}` has no files of documents", printable(&path.to_string_lossy())),
            "name a folder with files that end in .json, .jsonl or .bson; nothing was imported",
        ));
    }
    Ok(found)
}

fn collect(folder: &Path, found: &mut Vec<PathBuf>, ignored: &mut Vec<PathBuf>) -> io::Result<()> {
    let mut entries =
        fs::read_dir(folder)?.map(|entry| Ok(entry?.path())).collect::<io::Result<Vec<_>>>()?;
    entries.sort_unstable();
    for path in entries {
        if path.is_dir() {
            collect(&path, found, ignored)?;
        } else if is_documents(&path) {
            found.push(path);
        } else {
            ignored.push(path);
        }
    }
    Ok(())
}

/// Returns whether a file in a folder has documents; a dump has descriptions of collections beside
/// them.
fn is_documents(path: &Path) -> bool {
    let extension = path.extension().and_then(|extension| extension.to_str());
    let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
    matches!(extension, Some("json" | "jsonl" | "bson"))
        && !name.ends_with(".metadata.json")
        && name != "prelude.json"
}

fn unsorted(error: &io::Error) -> Failure {
    Failure::advise(
        format!("cannot sort the documents: {error}"),
        "free space in the data directory; nothing was imported",
    )
}

fn unreadable(path: &Path, error: &io::Error) -> Failure {
    let name = printable(&path.to_string_lossy());
    let next = match error.kind() {
        io::ErrorKind::Unsupported => format!(
            "build it with `--features bson`, or convert the file with MongoDB's tools and import \
             the result: bsondump {name} > documents.json"
        ),
        _ => "check the file and its permissions; nothing was imported".to_owned(),
    };
    Failure::advise(format!("cannot read `{name}`: {error}"), next)
}
