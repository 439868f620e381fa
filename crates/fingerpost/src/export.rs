//! `fingerpost export`: writes the records of one snapshot of the store, all or selected ones,
//! ordered by anchor.

use std::fs::File;
use std::io::{self, BufWriter, IsTerminal, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::{Args, ValueEnum, ValueHint};
use fingerpost_ce::CeExporter;
use fingerpost_exchange::{ExportError, ExportOptions, TitleLanguage, export, template};
use fingerpost_public::DEFAULT_RESOLVER_ROOT;
use fingerpost_resolver::{CompanyPrefix, LeftOut};
use fingerpost_store::Store;

use crate::explain;
use crate::failure::Failure;
use crate::output::{self, NOTE, WARNING};
use crate::shared_args::{Local, instant_or_date};
use fingerpost_server::{copy_worker, edge_settings, write_edge, write_static_site};

#[derive(Debug, Args)]
#[command(after_help = "\
The output is one consistent state of the store, even if it is changed during the export. Importing
it into an empty data directory restores the same records. --prefix and --changed-since select some of
them; deleted records are in no export.

--static writes linksets, pages, the description file and the redirects as files, with configurations
for nginx and Caddy. The README.md in the folder says what files cannot answer. The records are
copied to a temporary store first.

--edge writes the records for workers at the edge of a network, and brings a folder that it wrote
before up to date: only files of changed keys are new. Links for roles and records of suspended
organisations are left out. docs/operations/edge.md says how to run the worker.

A linkset has what the resolver publishes at this time. It has no place for validity, placeholders,
company prefixes and ranges; standard error says how many were left out.

Examples:
  fingerpost export --data data > all.jsonl
  fingerpost export --data data --prefix 9506000 --format linkset > linkset.json
  fingerpost export --data data --static site
  fingerpost export --data data --edge edge
  fingerpost export --data data --changed-since 2026-05-01 --format csv > changed.csv
  fingerpost export --data data --to-ce > documents.json")]
pub(crate) struct Export {
    #[command(flatten)]
    pub(crate) local: Local,
    /// Format of the output
    #[arg(long, value_enum, default_value_t = ExportFormat::Jsonl)]
    pub(crate) format: ExportFormat,
    /// Short for --format json
    #[arg(long, conflicts_with = "format")]
    pub(crate) json: bool,
    /// Export only keys below this GS1 Company Prefix, of every type; can be repeated
    #[arg(long = "prefix", value_name = "DIGITS", value_parser = CompanyPrefix::parse)]
    pub(crate) prefixes: Vec<CompanyPrefix>,
    /// Export only records last changed at this time (RFC 3339) or later; of a date, from 0:00 UTC
    /// on
    #[arg(long, value_name = "TIME", value_parser = instant_or_date)]
    pub(crate) changed_since: Option<jiff::Timestamp>,
    /// Language of the column titles of a spreadsheet
    #[arg(long, value_name = "TAG", default_value = "en")]
    #[arg(value_parser = clap::builder::PossibleValuesParser::new(TitleLanguage::tags()))]
    pub(crate) language: String,
    /// Write the documents that GS1 Resolver CE 3 reads, as one JSON array
    #[arg(long, conflicts_with_all = ["format", "json", "language"])]
    pub(crate) to_ce: bool,
    /// Write a workbook to fill in for import instead (XLSX), with lists of link types and
    /// languages
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    #[arg(conflicts_with_all = ["data", "config", "format", "json", "prefixes", "changed_since", "to_ce"])]
    pub(crate) template: Option<PathBuf>,
    /// Write the whole resolver to a new folder instead, as files that nginx or Caddy serves
    #[arg(long = "static", value_name = "DIR", value_hint = ValueHint::DirPath)]
    #[arg(conflicts_with_all = ["format", "json", "prefixes", "changed_since", "template", "to_ce"])]
    pub(crate) static_site: Option<PathBuf>,
    /// Write records for workers at the edge of a network to a folder, or update those in it
    #[arg(long, value_name = "DIR", value_hint = ValueHint::DirPath)]
    #[arg(conflicts_with_all = ["format", "json", "prefixes", "changed_since", "template", "to_ce", "static_site"])]
    pub(crate) edge: Option<PathBuf>,
    /// Copy the worker from this folder, which bindings/edge/build wrote
    #[arg(long, value_name = "DIR", value_hint = ValueHint::DirPath, requires = "edge")]
    pub(crate) edge_worker: Option<PathBuf>,
    /// What a row of the template is
    #[arg(long, value_enum, default_value_t = SheetLayout::Products, requires = "template")]
    pub(crate) layout: SheetLayout,
}

/// What a row of a spreadsheet is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum SheetLayout {
    /// One link
    Links,
    /// One product, with a column for each link type
    Products,
}

/// How exported records are laid out.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum ExportFormat {
    /// One record per line (JSON Lines)
    Jsonl,
    /// One JSON array
    Json,
    /// A spreadsheet with one row per link (CSV)
    Csv,
    /// The same as a workbook (XLSX)
    Xlsx,
    /// One GS1 linkset (RFC 9264), as any resolver can read it
    Linkset,
}

/// Runs `fingerpost export`.
pub(crate) fn run(args: &Export) -> Result<ExitCode, Failure> {
    let language = TitleLanguage::new(&args.language).unwrap_or_default();
    if let Some(file) = &args.template {
        write_template(file, args.layout, language)?;
        return Ok(ExitCode::SUCCESS);
    }
    if let Some(folder) = &args.static_site {
        return write_site(args, folder);
    }
    if let Some(folder) = &args.edge {
        return write_edge_files(args, folder);
    }
    let format = if args.json { ExportFormat::Json } else { args.format };
    if format == ExportFormat::Xlsx && io::stdout().is_terminal() {
        return Err(Failure::advise(
            "a workbook cannot be shown on a terminal",
            "write it to a file: > links.xlsx",
        ));
    }
    let (config, store) = args.local.open()?;
    if args.to_ce {
        return to_ce(args, &store);
    }
    let exported = match format {
        ExportFormat::Jsonl => fingerpost_exchange::ExportFormat::JsonLines,
        ExportFormat::Json => fingerpost_exchange::ExportFormat::Json,
        ExportFormat::Csv => fingerpost_exchange::ExportFormat::Csv(language),
        ExportFormat::Xlsx => fingerpost_exchange::ExportFormat::Xlsx(language),
        ExportFormat::Linkset => {
            if config.public.root_is_default() {
                warn_of_root();
            }
            let root = config.public.settings().root().clone();
            fingerpost_exchange::ExportFormat::Linkset(root, explain::clock())
        }
    };
    let options = options(args, exported);
    if matches!(format, ExportFormat::Csv | ExportFormat::Xlsx) {
        // As it is: `output::stdout` adapts text to a terminal.
        let mut out = BufWriter::new(io::stdout().lock());
        export(&store, options, &mut out)?;
        out.flush()?;
        return Ok(ExitCode::SUCCESS);
    }
    let mut out = output::stdout();
    let exported = export(&store, options, &mut out)?;
    out.flush()?;
    if let Some(note) = note(&exported.left_out) {
        output::print_aside(format_args!("{NOTE}note{NOTE:#}: {note}"));
    }
    Ok(ExitCode::SUCCESS)
}

fn options(args: &Export, format: fingerpost_exchange::ExportFormat) -> ExportOptions<'static> {
    let options = ExportOptions::new(format).company_prefixes(args.prefixes.clone());
    match args.changed_since {
        Some(at) => options.changed_since(at),
        None => options,
    }
}

/// Writes documents of Resolver CE.
fn to_ce(args: &Export, store: &Store) -> Result<ExitCode, Failure> {
    let mut out = output::stdout();
    let mut exporter = CeExporter::new(explain::clock());
    let mut between = "[\n";
    options(args, fingerpost_exchange::ExportFormat::Json).for_each(store, |entry| {
        if let Some(document) = exporter.convert(&entry) {
            let document = serde_json::to_string(&document).map_err(io::Error::from)?;
            write!(out, "{between}{document}")?;
            between = ",\n";
        }
        Ok(())
    })?;
    let end = if between == "[\n" { "[]\n" } else { "\n]\n" };
    out.write_all(end.as_bytes())?;
    out.flush()?;
    let left_out = exporter.left_out().iter().map(|(what, count)| (*count, *what));
    if let Some(counts) = listed(&left_out.collect::<Vec<_>>()) {
        output::print_aside(format_args!(
            "{NOTE}note{NOTE:#}: Resolver CE has no place for everything: {counts}"
        ));
    }
    Ok(ExitCode::SUCCESS)
}

/// Returns a line with the numbers of what a linkset has no place for.
fn note(left_out: &LeftOut) -> Option<String> {
    let counts = [
        (left_out.wide_records, "records of company prefixes, any value or ranges, left out"),
        (left_out.idle_records, "records without a link in force, left out"),
        (left_out.idle_links, "links not in force or of levels below, left out"),
        (left_out.windows, "links without their validity"),
        (left_out.templates, "targets with placeholders, filled from the anchor"),
        (left_out.languages, "links with shortened or left out language tags"),
        (left_out.restricted_links, "links for some roles only, left out"),
        (left_out.descriptions, "records without their itemDescriptions"),
        (left_out.default_answers, "records without their defaultLinkType"),
        (left_out.context_sources, "records without their contextFrom"),
    ];
    let counts = listed(&counts)?;
    Some(format!("a linkset has no place for everything (JSON Lines has): {counts}"))
}

/// Returns the numbers that are not zero, each with what it counts.
fn listed(counts: &[(u64, &str)]) -> Option<String> {
    let counts = counts.iter().filter(|(count, _)| *count > 0);
    let counts: Vec<_> = counts.map(|(count, what)| format!("{what}: {count}")).collect();
    (!counts.is_empty()).then(|| counts.join("; "))
}

fn write_site(args: &Export, folder: &Path) -> Result<ExitCode, Failure> {
    let (config, store) = args.local.open()?;
    if config.public.root_is_default() {
        warn_of_root();
    }
    let site = write_static_site(config.public, &store, folder)?;
    let name = output::printable(&folder.to_string_lossy());
    let mut out = output::stdout();
    writeln!(
        out,
        "{name}: {} and {}; README.md says what the files cannot answer",
        output::counted(site.levels, "level"),
        output::counted(site.redirects, "redirect")
    )?;
    out.flush()?;
    Ok(ExitCode::SUCCESS)
}

fn write_edge_files(args: &Export, folder: &Path) -> Result<ExitCode, Failure> {
    let (config, store) = args.local.open()?;
    if config.public.root_is_default() {
        warn_of_root();
    }
    let export = write_edge(&edge_settings(&config)?, &store, folder, explain::clock())?;
    if let Some(worker) = &args.edge_worker {
        copy_worker(worker, folder)?;
    }
    let name = output::printable(&folder.to_string_lossy());
    let files = output::counted(export.files, "file");
    let what = match export.is_complete {
        true => format!("{files} with {}", output::counted(export.rows, "row")),
        false => format!("{files} changed"),
    };
    let mut out = output::stdout();
    writeln!(out, "{name}: {what}")?;
    out.flush()?;
    if export.left > 0 {
        output::print_aside(format_args!(
            "{NOTE}note{NOTE:#}: left to the origin, because they are too large for the edge: {}",
            output::counted(export.left, "key")
        ));
    }
    Ok(ExitCode::SUCCESS)
}

fn warn_of_root() {
    output::print_aside(format_args!(
        "{WARNING}warning{WARNING:#}: no resolver_root is configured: anchors begin with {DEFAULT_RESOLVER_ROOT}"
    ));
}

fn write_template(
    file: &Path,
    layout: SheetLayout,
    language: TitleLanguage,
) -> Result<(), Failure> {
    let layout = match layout {
        SheetLayout::Links => fingerpost_exchange::SpreadsheetFormat::Links,
        SheetLayout::Products => fingerpost_exchange::SpreadsheetFormat::Products,
    };
    let failed = |error: &dyn std::fmt::Display| {
        let name = output::printable(&file.to_string_lossy());
        Failure::advise(
            format!("cannot write `{name}`: {error}"),
            "name a file that does not exist, in a folder that does",
        )
    };
    // A file that somebody has filled in is not overwritten.
    let mut out = File::create_new(file).map_err(|error| failed(&error))?;
    template(layout, language, &mut out).map_err(|error| failed(&error))
}

impl From<ExportError> for Failure {
    fn from(error: ExportError) -> Self {
        match error {
            ExportError::Output(error) => error.into(),
            ExportError::Store(error) => error.into(),
            other => Self::new(other),
        }
    }
}
