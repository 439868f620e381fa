//! `fingerpost import`: registers the records of one or more files, or of a running resolver, and
//! reports refused ones.

mod interrupt;
mod progress;
mod refused;
mod report;
mod resolver;
mod sheets;
mod source;

use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;

use clap::{Args, ValueHint};
use fingerpost_engine::EngineError;
use fingerpost_exchange::{ImportError, ImportOptions, ImportTarget, import};
use fingerpost_http::process;
use fingerpost_registry::{Caller, Registry};
use fingerpost_store::{Store, StoreError};

use crate::failure::Failure;
use crate::shared_args::ReportFormat;
use fingerpost_server::config::{self, Config};
use fingerpost_server::database;

use interrupt::{INTERRUPTED, Stage};
use progress::Progress;
use refused::RefusedFile;
use report::Reporter;
use resolver::FromResolver;
use sheets::Sheets;
use source::Sources;

#[derive(Debug, Args)]
#[command(after_help = "\
Input is a JSON array of records, one record per line (JSON Lines), a single record, a GS1 linkset
(JSON), or a spreadsheet (CSV, XLSX). Files can be of any size. A record replaces everything at its
anchor. Records can be in any order, for example a lot before its product. All rows of a key in a
spreadsheet make one record.

Invalid records are reported and skipped; all others are stored. Exit status: 0 all records
accepted, 1 some records refused, 2 the import could not be carried out.

Examples:
  fingerpost import --data data products.jsonl
  fingerpost import --data data --dry-run *.json
  zcat products.jsonl.gz | fingerpost import --data data -
  fingerpost import --data data --from https://id.example.org --identifiers gtins.txt")]
pub(crate) struct Import {
    /// Data directory; created if missing [default: from the configuration]
    #[arg(long, value_name = "DIR", value_hint = ValueHint::DirPath)]
    pub(crate) data: Option<PathBuf>,
    /// Configuration file (TOML), for the address of the resolver and further link type namespaces
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(crate) config: Option<PathBuf>,
    /// Validate everything, change nothing
    #[arg(long)]
    pub(crate) dry_run: bool,
    /// Show every warning instead of their number
    #[arg(long, short)]
    pub(crate) verbose: bool,
    /// Format of the report
    #[arg(long, value_enum, default_value_t = ReportFormat::Text)]
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
    /// Files to read; `-` is standard input
    #[arg(required_unless_present = "from", conflicts_with = "from")]
    #[arg(value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(crate) files: Vec<PathBuf>,
}

/// Runs `fingerpost import`.
pub(crate) fn run(args: &Import) -> Result<ExitCode, Failure> {
    let config = config::load(args.config.as_deref())?;
    // A server on the same machine goes first.
    process::yield_to_others();
    let sources = match &args.resolver.from {
        Some(from) => Sources::of(resolver::open(&args.resolver, from)?),
        None => Sources::open(&args.files, &sheets::options(&args.sheets)?)?,
    };
    sheets::save_columns(&args.sheets, sources.sheets())?;
    let refused = args.refused.as_deref().map(RefusedFile::create).transpose()?;
    let target = target(args, &config)?;
    let progress = Progress::new(sources.total_bytes(), args.format);
    let stage = Stage::listen()?;
    let mut reporter = Reporter::new(args, sources.names(), progress, refused, stage);
    for (file, sheet) in sources.sheets() {
        reporter.sheet(file, sheet);
    }
    let batch = NonZeroUsize::new(args.batch as usize).unwrap_or(NonZeroUsize::MIN);
    let options = ImportOptions { batch, ..ImportOptions::default() };
    let result =
        import(target, sources.into_sources(), options, &mut |event| reporter.event(&event));
    match result {
        Ok(totals) => reporter.summary(&totals),
        Err(ImportError::Stopped) => reporter.stopped().map(|()| ExitCode::from(INTERRUPTED)),
        Err(error) => {
            reporter.interrupted();
            Err(error.into())
        }
    }
}

fn target(args: &Import, config: &Config) -> Result<ImportTarget, Failure> {
    let caller = Caller::local("import");
    let options = fingerpost_admin::registry_options(&config.admin);
    let data = args.data.as_deref();
    if !args.dry_run {
        let store = Arc::new(config.create_store(data)?);
        return Ok(ImportTarget::registry(Registry::new(store, options), caller));
    }
    let store = match config.database(data)? {
        Some(address) => database::store(&address, config.storage.data.as_deref())?,
        None => match Store::open_existing(config.data(data)?, config.store_options()) {
            // What would be created is empty.
            Err(StoreError::Engine(EngineError::Missing { .. })) => Store::in_memory(),
            opened => opened?,
        },
    };
    Ok(ImportTarget::dry_run(&Registry::new(Arc::new(store), options), caller)?)
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
