//! `fingerpost export`: writes every record of one snapshot of the store, ordered by anchor.

use std::io::Write;
use std::process::ExitCode;

use fingerpost_exchange::{ExportError, TitleLanguage, export};
use fingerpost_store::StoreError;

use crate::args::{self, ExportFormat};
use crate::config;
use crate::failure::Failure;
use crate::output;

/// Runs `fingerpost export`.
///
/// # Errors
/// Fails if the configuration or the store cannot be used, or the output cannot be written.
pub(crate) fn run(args: &args::Export) -> Result<ExitCode, Failure> {
    let config = config::load(args.config.as_deref())?;
    let store = config.open_store(args.data.as_deref())?;
    let language = TitleLanguage::new(&args.language).unwrap_or_default();
    let format = match args.format {
        ExportFormat::Jsonl => fingerpost_exchange::ExportFormat::JsonLines,
        ExportFormat::Json => fingerpost_exchange::ExportFormat::Json,
        ExportFormat::Csv => fingerpost_exchange::ExportFormat::Csv(language),
    };
    let mut out = output::stdout();
    export(&store, format, &mut out)?;
    out.flush()?;
    Ok(ExitCode::SUCCESS)
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

impl From<StoreError> for Failure {
    fn from(error: StoreError) -> Self {
        Self::new(error)
    }
}
