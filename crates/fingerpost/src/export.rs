//! `fingerpost export`: every record of one snapshot of the store, in the order of their anchors.

use std::io::Write;
use std::process::ExitCode;

use fingerpost_resolver::write_record;
use fingerpost_store::{Store, StoreError};

use crate::args::{self, ExportFormat};
use crate::config;
use crate::failure::Failure;
use crate::output;

/// Carries out `fingerpost export`.
///
/// # Errors
/// That the configuration or the store cannot be used, or the output not be written.
pub(crate) fn run(args: &args::Export) -> Result<ExitCode, Failure> {
    let options = config::store_options(&config::load(args.config.as_deref())?);
    let store = Store::open_existing(&args.data, options)?;
    let mut out = output::stdout();
    let mut separator = match args.format {
        ExportFormat::Jsonl => "",
        ExportFormat::Json => "[\n",
    };
    store.for_each("", |entry, _| -> Result<(), Failure> {
        out.write_all(separator.as_bytes())?;
        out.write_all(write_record(&entry).as_bytes())?;
        separator = match args.format {
            ExportFormat::Jsonl => "\n",
            ExportFormat::Json => ",\n",
        };
        Ok(())
    })?;
    out.write_all(match (args.format, separator) {
        (ExportFormat::Jsonl, "") => b"",
        (ExportFormat::Jsonl, _) => b"\n",
        (ExportFormat::Json, "[\n") => b"[]\n",
        (ExportFormat::Json, _) => b"\n]\n",
    })?;
    out.flush()?;
    Ok(ExitCode::SUCCESS)
}

impl From<StoreError> for Failure {
    fn from(error: StoreError) -> Self {
        Self::new(error)
    }
}
