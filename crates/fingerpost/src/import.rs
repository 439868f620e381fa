//! `fingerpost import`: registers the records of one or more files, or of a running resolver, and reports refused ones.

mod interrupt;
mod progress;
mod refused;
mod report;
mod resolver;
mod sheets;
mod source;

use std::num::NonZeroUsize;
use std::process::ExitCode;
use std::sync::Arc;

use fingerpost_engine::EngineError;
use fingerpost_exchange::{ImportError, ImportOptions, ImportTarget, import};
use fingerpost_http::process;
use fingerpost_registry::{Caller, Registry};
use fingerpost_store::{Store, StoreError};

use crate::args;
use crate::failure::Failure;
use fingerpost_server::config::{self, Config};
use fingerpost_server::database;

use interrupt::{INTERRUPTED, Stage};
use progress::Progress;
use refused::RefusedFile;
use report::Reporter;
use source::Sources;

/// Runs `fingerpost import`.
pub(crate) fn run(args: &args::Import) -> Result<ExitCode, Failure> {
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

fn target(args: &args::Import, config: &Config) -> Result<ImportTarget, Failure> {
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
