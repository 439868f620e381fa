//! `fingerpost export`: writes the records of one snapshot of the store, all or selected ones, ordered by anchor.

use std::fs::File;
use std::io::{self, BufWriter, IsTerminal, Write};
use std::path::Path;
use std::process::ExitCode;

use fingerpost_exchange::{ExportError, ExportOptions, TitleLanguage, export, template};
use fingerpost_public::DEFAULT_RESOLVER_ROOT;
use fingerpost_resolver::LeftOut;

use crate::args::{self, ExportFormat, SheetLayout};
use crate::explain;
use crate::failure::Failure;
use crate::output::{self, NOTE, WARNING};
use fingerpost_server::config;

/// Runs `fingerpost export`.
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
        ExportFormat::Linkset => {
            if config.public.root_is_default() {
                anstream::eprintln!(
                    "{WARNING}warning{WARNING:#}: no resolver_root is configured: anchors begin with {DEFAULT_RESOLVER_ROOT}"
                );
            }
            let root = config.public.settings().root().clone();
            fingerpost_exchange::ExportFormat::Linkset(root, explain::clock())
        }
    };
    let mut options = ExportOptions::new(format).company_prefixes(args.prefixes.clone());
    if let Some(at) = args.changed_since {
        options = options.changed_since(at);
    }
    if matches!(args.format, ExportFormat::Csv | ExportFormat::Xlsx) {
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
        anstream::eprintln!("{NOTE}note{NOTE:#}: {note}");
    }
    Ok(ExitCode::SUCCESS)
}

/// Returns a line with the numbers of what a linkset has no place for.
fn note(left_out: &LeftOut) -> Option<String> {
    let counts = [
        (left_out.wide_records, "records of company prefixes, any value or ranges, left out"),
        (left_out.idle_records, "records without a link in force, left out"),
        (left_out.idle_links, "links not in force, left out"),
        (left_out.windows, "links without their validity"),
        (left_out.templates, "targets with placeholders, filled from the anchor"),
        (left_out.languages, "links with shortened or left out language tags"),
        (left_out.default_answers, "records without their defaultLinkType"),
    ];
    let counts = counts.iter().filter(|(count, _)| *count > 0);
    let counts: Vec<_> = counts.map(|(count, what)| format!("{what}: {count}")).collect();
    (!counts.is_empty()).then(|| {
        format!("a linkset has no place for everything (JSON Lines has): {}", counts.join("; "))
    })
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
