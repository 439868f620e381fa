//! `fingerpost export`: writes every record of one snapshot of the store, ordered by anchor.

use std::fs::File;
use std::io::{self, BufWriter, IsTerminal, Write};
use std::path::Path;
use std::process::ExitCode;

use fingerpost_exchange::{ExportError, TitleLanguage, export, template};
use fingerpost_store::StoreError;

use crate::args::{self, ExportFormat, SheetLayout};
use crate::config;
use crate::failure::Failure;
use crate::output;

/// Runs `fingerpost export`.
///
/// # Errors
/// Fails if the configuration or the store cannot be used, or the output cannot be written.
pub(crate) fn run(args: &args::Export) -> Result<ExitCode, Failure> {
    let language = TitleLanguage::new(&args.language).unwrap_or_default();
    if let Some(file) = &args.template {
        write_template(file, args.layout, language)?;
        return Ok(ExitCode::SUCCESS);
    }
    if args.format == ExportFormat::Xlsx && io::stdout().is_terminal() {
        return Err(Failure::advise(
            "a workbook cannot be shown on a terminal",
            "write it to a file: > links.xlsx",
        ));
    }
    let config = config::load(args.config.as_deref())?;
    let store = config.open_store(args.data.as_deref())?;
    let format = match args.format {
        ExportFormat::Jsonl => fingerpost_exchange::ExportFormat::JsonLines,
        ExportFormat::Json => fingerpost_exchange::ExportFormat::Json,
        ExportFormat::Csv => fingerpost_exchange::ExportFormat::Csv(language),
        ExportFormat::Xlsx => fingerpost_exchange::ExportFormat::Xlsx(language),
    };
    if matches!(args.format, ExportFormat::Csv | ExportFormat::Xlsx) {
        // As it is: `output::stdout` adapts text to a terminal.
        let mut out = BufWriter::new(io::stdout().lock());
        export(&store, format, &mut out)?;
        out.flush()?;
        return Ok(ExitCode::SUCCESS);
    }
    let mut out = output::stdout();
    export(&store, format, &mut out)?;
    out.flush()?;
    Ok(ExitCode::SUCCESS)
}

fn write_template(
    file: &Path,
    layout: SheetLayout,
    language: TitleLanguage,
) -> Result<(), Failure> {
    let layout = match layout {
        SheetLayout::Links => fingerpost_exchange::SheetLayout::Links,
        SheetLayout::Products => fingerpost_exchange::SheetLayout::Products,
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

impl From<StoreError> for Failure {
    fn from(error: StoreError) -> Self {
        Self::new(error)
    }
}
