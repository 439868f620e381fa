//! `fingerpost insight`: prints counts of scans.

use std::borrow::Cow;
use std::convert::Infallible;
use std::io::Write;
use std::process::ExitCode;

use clap::{Args, ValueEnum};
use fingerpost_exchange::{CsvWriter, ExportError, RowWriter};
use fingerpost_insight::{Dimension, Grain, InsightQuery, InsightReport, InsightRow};
use fingerpost_registry::{CompanyPrefix, company_prefix_ranges};
use fingerpost_resolver::Anchor;
use jiff::Timestamp;

use crate::client::key;
use crate::failure::Failure;
use crate::output::{self, NOTE, counted, printable};
use crate::shared_args::Local;

#[derive(Debug, Args)]
#[command(after_help = "\
Scans are counted while a server runs with `enabled = true` in the table [insight] of the configuration; the last
minute may still be in its memory. Times are in UTC. Counts below the threshold of the configuration are hidden.

Examples:
  fingerpost insight --data data --dimensions key
  fingerpost insight --data data --key 9506000134352 --by day --format csv
  fingerpost insight --data data --prefix 9506000 --dimensions linkType,language --from 2026-11-01T00:00:00Z")]
pub(crate) struct InsightArgs {
    #[command(flatten)]
    pub(crate) local: Local,
    /// Scans of this key, and of the levels below it
    #[arg(long, value_name = "KEY", conflicts_with = "prefix")]
    pub(crate) key: Option<String>,
    /// Scans of the keys with this GS1 Company Prefix
    #[arg(long, value_name = "DIGITS", value_parser = CompanyPrefix::parse)]
    pub(crate) prefix: Option<CompanyPrefix>,
    /// The earliest time, such as 2026-11-01T00:00:00Z
    #[arg(long, value_name = "TIME")]
    pub(crate) from: Option<Timestamp>,
    /// The end of the time
    #[arg(long, value_name = "TIME")]
    pub(crate) to: Option<Timestamp>,
    /// Length of the periods [default: all times added up]
    #[arg(long, value_name = "PERIOD")]
    pub(crate) by: Option<By>,
    /// What rows are told apart by: key, linkType, kind, language, country
    #[arg(long, value_name = "NAMES", value_delimiter = ',', value_parser = dimension)]
    pub(crate) dimensions: Vec<Dimension>,
    /// Scans by programs, in place of those by people
    #[arg(long)]
    pub(crate) bots: bool,
    /// Layout
    #[arg(long, value_name = "FORMAT", default_value = "text")]
    pub(crate) format: InsightFormat,
    /// Short for --format json
    #[arg(long, conflicts_with = "format")]
    pub(crate) json: bool,
}

/// The length of periods.
#[derive(Clone, Copy, Debug, ValueEnum)]
pub(crate) enum By {
    /// Hours
    Hour,
    /// Days
    Day,
    /// Months
    Month,
}

/// The layout of counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum InsightFormat {
    /// A table
    Text,
    /// CSV
    Csv,
    /// A Parquet file
    Parquet,
    /// One JSON document
    Json,
}

fn dimension(name: &str) -> Result<Dimension, String> {
    Dimension::from_name(name)
        .ok_or_else(|| "expected key, linkType, kind, language or country".to_owned())
}

/// Runs `fingerpost insight`.
pub(crate) fn run(args: &InsightArgs) -> Result<ExitCode, Failure> {
    let config = args.local.config.load()?;
    let Some(insight) = config.open_insight(args.local.data.as_deref())? else {
        return Err(Failure::advise(
            "no scans were counted in this data directory",
            "set `enabled = true` in the table [insight] of the configuration, and restart the server",
        ));
    };
    let key: Option<Anchor> = args.key.as_deref().map(key::read).transpose()?;
    let ranges = match (&key, &args.prefix) {
        (Some(key), _) => vec![key.as_str().to_owned()],
        (None, Some(prefix)) => company_prefix_ranges(std::slice::from_ref(prefix)),
        (None, None) => vec![String::new()],
    };
    let query = InsightQuery {
        ranges,
        from: args.from,
        to: args.to,
        by: args.by.map(|by| match by {
            By::Hour => Grain::Hour,
            By::Day => Grain::Day,
            By::Month => Grain::Month,
        }),
        dimensions: args.dimensions.clone(),
        bots: args.bots,
    };
    let is_meant = |level: &&str| match &key {
        Some(key) => level
            .strip_prefix(key.as_str())
            .is_some_and(|rest| rest.is_empty() || rest.starts_with('/')),
        None => true,
    };
    let report = insight
        .report(&query, |levels| Ok::<_, Infallible>(levels.iter().map(is_meant).collect()))
        .map_err(Failure::new)?;
    let mut out = output::stdout();
    match if args.json { InsightFormat::Json } else { args.format } {
        InsightFormat::Json => {
            serde_json::to_writer(&mut out, &report).map_err(std::io::Error::from)?;
            writeln!(out)?;
        }
        InsightFormat::Csv => csv(&report, &mut out)?,
        InsightFormat::Parquet => out.write_all(&report.to_parquet().map_err(Failure::new)?)?,
        InsightFormat::Text => table(&report, &mut out)?,
    }
    out.flush()?;
    Ok(ExitCode::SUCCESS)
}

fn csv(report: &InsightReport, out: &mut impl Write) -> Result<(), Failure> {
    let write = || -> Result<(), ExportError> {
        let mut csv = CsvWriter::new(out)?;
        csv.row(&InsightRow::TITLES.map(Cow::Borrowed))?;
        report.rows.iter().try_for_each(|row| csv.row(&row.fields().map(Cow::Owned)))
    };
    write().map_err(Failure::new)
}

/// Prints a table of the columns that have any value.
fn table(report: &InsightReport, out: &mut impl Write) -> std::io::Result<()> {
    let rows: Vec<_> = report.rows.iter().map(InsightRow::fields).collect();
    let used = |at: &usize| *at == 6 || rows.iter().any(|row| !row[*at].is_empty());
    let columns: Vec<_> = (0..InsightRow::TITLES.len()).filter(used).collect();
    let width = |at: usize| {
        rows.iter()
            .map(|row| row[at].chars().count())
            .chain([InsightRow::TITLES[at].len()])
            .max()
            .unwrap_or(0)
    };
    let widths: Vec<_> = columns.iter().map(|at| width(*at)).collect();
    let mut line = |texts: &[String]| {
        let cells = columns.iter().zip(&widths).map(|(at, width)| match at {
            6 => format!("{:>width$}", texts[*at]),
            _ => format!("{:<width$}", printable(&texts[*at])),
        });
        writeln!(out, "{}", cells.collect::<Vec<_>>().join("  "))
    };
    line(&InsightRow::TITLES.map(str::to_owned))?;
    rows.iter().try_for_each(|row| line(row))?;
    if report.hidden > 0 {
        let rows = counted(report.hidden as u64, "row");
        writeln!(out, "{NOTE}hidden{NOTE:#}: {rows} with a count below {}", report.threshold)?;
    }
    Ok(())
}
