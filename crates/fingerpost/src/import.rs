//! `fingerpost import`: registers the records of one or more files, of a running resolver, or of
//! GS1 Resolver CE, and reports refused ones.

mod ce;
mod finding;
mod interrupt;
mod progress;
mod refused;
mod report;
pub(crate) mod resolver;
mod sheets;
mod source;

use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;

use clap::{Args, ValueHint};
use fingerpost_engine::EngineError;
use fingerpost_exchange::{ImportError, ImportOptions, ImportTarget, Totals, import};
use fingerpost_http::process;
use fingerpost_registry::{Caller, Registry};
use fingerpost_store::{Store, StoreError};

use crate::failure::Failure;
use crate::output::printable;
use crate::shared_args::{ConfigFile, ReportFormat};
use fingerpost_server::config::Config;
use fingerpost_server::database;

use ce::{CeReport, FromCe};
pub(crate) use interrupt::INTERRUPTED;
use interrupt::Stage;
use progress::Progress;
use refused::RefusedFile;
use report::Reporter;
use resolver::FromResolver;
use sheets::Sheets;
use source::Sources;

#[derive(Debug, Args)]
#[command(after_help = "\
Input is a JSON array of records, one record per line (JSON Lines), a single record, a GS1 linkset
(JSON), or a spreadsheet (CSV, XLSX). Exports of Shlink, YOURLS, Kutt, Bitly and pyx, and redirects of nginx and
Apache are read too. Files can be of any size. A record replaces everything at its
anchor; with --keep-rest, it keeps what it does not replace. --dry-run shows what each record would
replace. Records can be in any order, for example a lot before its product. All rows of a key in a
spreadsheet make one record.

Invalid records are reported and skipped; all others are stored. Exit status: 0 all records
accepted, 1 some records refused, 2 the import could not be carried out.

Examples:
  fingerpost import --data data products.jsonl
  fingerpost import --data data --dry-run *.json
  zcat products.jsonl.gz | fingerpost import --data data -
  fingerpost import --data data --from https://id.example.org --identifiers gtins.txt
  fingerpost import --data data --from-ce dump/resolver_ce --dry-run")]
pub(crate) struct Import {
    /// Data directory; created if missing [default: from the configuration]
    #[arg(long, value_name = "DIR", value_hint = ValueHint::DirPath)]
    pub(crate) data: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) config: ConfigFile,
    /// Validate everything, change nothing
    #[arg(long)]
    pub(crate) dry_run: bool,
    /// Keep what the files do not mention of the records that they replace
    #[arg(long)]
    pub(crate) keep_rest: bool,
    /// Show every warning instead of their number
    #[arg(long, short)]
    pub(crate) verbose: bool,
    #[command(flatten)]
    pub(crate) format: ReportFormat,
    /// Write refused records to this file, one per line, to correct and import them
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(crate) refused: Option<PathBuf>,
    /// Records written in one transaction
    #[arg(long, value_name = "RECORDS", default_value_t = 20_000)]
    #[arg(value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    pub(crate) batch: u32,
    #[command(flatten)]
    pub(crate) sheets: Sheets,
    #[command(flatten)]
    pub(crate) resolver: FromResolver,
    #[command(flatten)]
    pub(crate) ce: FromCe,
    /// Files to read; `-` is standard input
    #[arg(required_unless_present_any = ["from", "from_ce"], conflicts_with_all = ["from", "from_ce"])]
    #[arg(value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(crate) files: Vec<PathBuf>,
}

/// Runs `fingerpost import`.
pub(crate) fn run(args: &Import) -> Result<ExitCode, Failure> {
    let config = args.config.load()?;
    // A server on the same machine goes first.
    process::yield_to_others();
    // Before anything is read, which may wait for input.
    let stage = Stage::listen()?;
    let refused = args.refused.as_deref().map(RefusedFile::create).transpose()?;
    if let Some(from) = &args.ce.from_ce {
        let files = ce::files(from)?;
        return run_ce(args, &files, registry(args, &config)?, refused, stage);
    }
    let sources = match &args.resolver.from {
        Some(from) => Sources::of(resolver::open(&args.resolver, from)?),
        None => Sources::open(&args.files, &sheets::options(&args.sheets)?)?,
    };
    sheets::save_columns(&args.sheets, sources.sheets())?;
    let registry = registry(args, &config)?;
    let progress = Progress::new(sources.total_bytes(), args.format);
    let reporter = Reporter::new(args, sources.names(), progress, refused, stage);
    for (file, sheet) in sources.sheets() {
        reporter.sheet(file, sheet);
    }
    for (file, format) in sources.foreign() {
        reporter.format(file, format);
    }
    match run_import(args, registry, sources, reporter)? {
        Some((reporter, totals)) => reporter.summary(&totals),
        None => Ok(ExitCode::from(INTERRUPTED)),
    }
}

/// Imports documents of Resolver CE.
fn run_ce(
    args: &Import,
    files: &[PathBuf],
    registry: Registry,
    refused: Option<RefusedFile>,
    stage: Stage,
) -> Result<ExitCode, Failure> {
    let progress = Progress::new(None, args.format);
    let names: Vec<_> = files.iter().map(|file| printable(&file.to_string_lossy())).collect();
    let documents =
        CeReport::new(&args.ce, (args.format, args.verbose), names.clone(), progress.clone());
    let sources = ce::open(&args.ce, files, registry.clone(), &documents)?;
    let reporter = Reporter::new(args, names, progress, refused, stage);
    let ended = run_import(args, registry, sources, reporter);
    let are_all_imported = documents.finish();
    match ended? {
        None => Ok(ExitCode::from(INTERRUPTED)),
        Some((reporter, totals)) => {
            let status = reporter.summary(&totals)?;
            Ok(if are_all_imported? { status } else { ExitCode::from(report::REFUSED) })
        }
    }
}

/// Imports; returns the report with the totals, or `None` if Ctrl-C has ended the import.
fn run_import(
    args: &Import,
    registry: Registry,
    sources: Sources,
    mut reporter: Reporter,
) -> Result<Option<(Reporter, Totals)>, Failure> {
    let caller = Caller::local("import");
    let target = match args.dry_run {
        true => ImportTarget::dry_run(&registry, caller)?,
        false => ImportTarget::registry(registry, caller),
    };
    let batch = NonZeroUsize::new(args.batch as usize).unwrap_or(NonZeroUsize::MIN);
    let options = ImportOptions { batch, keep_rest: args.keep_rest, ..ImportOptions::default() };
    let result =
        import(target, sources.into_sources(), options, &mut |event| reporter.event(&event));
    match result {
        Ok(totals) => Ok(Some((reporter, totals))),
        Err(ImportError::Stopped) => reporter.stopped().map(|()| None),
        Err(error) => {
            reporter.interrupted();
            Err(error.into())
        }
    }
}

/// Returns the registry to import into; for a dry run, of a store that may be missing.
fn registry(args: &Import, config: &Config) -> Result<Registry, Failure> {
    let options = fingerpost_admin::registry_options(&config.admin);
    let data = args.data.as_deref();
    let store = match (args.dry_run, config.database(data)?) {
        (false, _) => config.create_store(data)?,
        (true, Some(address)) => database::store(&address, config.storage.data.as_deref())?,
        (true, None) => match Store::open_existing(config.data(data)?, config.store_options()) {
            // What would be created is empty.
            Err(StoreError::Engine(EngineError::Missing { .. })) => Store::in_memory(),
            opened => opened?,
        },
    };
    Ok(Registry::new(Arc::new(store), options))
}

impl From<ImportError> for Failure {
    fn from(error: ImportError) -> Self {
        let next = match error {
            ImportError::Unreadable { .. } => {
                "nothing was stored; import the files again when all of them can be read"
            }
            ImportError::Temporary(_) => {
                "free space in the data directory (in TMPDIR if there is none, or for a dry run), then repeat"
            }
            other => return Self::new(other),
        };
        Self::advise(error, next)
    }
}
