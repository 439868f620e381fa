//! Options of `fingerpost import` for spreadsheets, and the file that remembers what columns mean.

use std::fs;
use std::path::PathBuf;

use clap::{Args, ValueHint};
use fingerpost_exchange::{ColumnMapping, SheetOptions, Worksheet};
use toml::{Table, Value};

use crate::failure::Failure;
use crate::output::printable;

/// What to do about a spreadsheet that is not understood.
pub(super) const ADVICE: &str = "give columns their titles, or map them: --column \"Art. no.=gtin\" --column \"Web=href\"; nothing was imported";

/// How spreadsheets are read.
#[derive(Debug, Args)]
#[command(next_help_heading = "Spreadsheets")]
pub(crate) struct Sheets {
    /// Sheet of a workbook [default: the first one]
    #[arg(long, value_name = "NAME")]
    pub(crate) sheet: Option<String>,
    /// What a column means, if its title does not say it: a name such as gtin or href, a link type
    /// such as "gs1:pip (fr)", or ignore; can be repeated
    #[arg(long = "column", value_name = "TITLE=NAME")]
    pub(crate) columns: Vec<String>,
    /// File with the meaning of columns (TOML), one line for each: "Art. no." = "gtin"
    #[arg(long = "columns", value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(crate) columns_file: Option<PathBuf>,
    /// Make one record of rows that have the same key and seem to be about different products,
    /// instead of refusing them
    #[arg(long)]
    pub(crate) merge_rows: bool,
    /// Write the meaning of all columns to a file for --columns
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(crate) save_columns: Option<PathBuf>,
}

/// Reads the options.
pub(super) fn options(args: &Sheets) -> Result<SheetOptions, Failure> {
    let (mut columns, mut remembered) = (Vec::new(), Vec::new());
    for mapping in &args.columns {
        let Some((title, column)) = mapping.rsplit_once('=') else {
            let advice = "write it as TITLE=NAME: --column \"Art. no.=gtin\"";
            return Err(Failure::advise(
                format!("`--column {}` has no =", printable(mapping)),
                advice,
            ));
        };
        columns.push(ColumnMapping::new(title, column));
    }
    if let Some(file) = &args.columns_file {
        let name = printable(&file.to_string_lossy());
        let unusable = |reason: String| {
            let advice = "each line maps a title to a name: \"Art. no.\" = \"gtin\"";
            Failure::advise(format!("cannot use the columns in `{name}`: {reason}"), advice)
        };
        let text = fs::read_to_string(file).map_err(|error| unusable(error.to_string()))?;
        let table: Table =
            text.parse().map_err(|error: toml::de::Error| unusable(error.message().to_owned()))?;
        for (title, column) in table {
            let Value::String(column) = column else {
                return Err(unusable(format!("{title:?} is not mapped to a text")));
            };
            remembered.push(ColumnMapping { title, column });
        }
    }
    let (sheet, merge_rows) = (args.sheet.clone(), args.merge_rows);
    Ok(SheetOptions { sheet, columns, remembered, merge_rows, scratch: None })
}

/// Writes what the columns of all spreadsheets mean, if that is wanted.
pub(super) fn save_columns<'s>(
    args: &Sheets,
    sheets: impl Iterator<Item = (&'s str, &'s Worksheet<'static>)>,
) -> Result<(), Failure> {
    let Some(file) = &args.save_columns else { return Ok(()) };
    let mappings = sheets.flat_map(|(_, sheet)| sheet.mapping());
    let table: Table =
        mappings.map(|mapping| (mapping.title, Value::String(mapping.column))).collect();
    fs::write(file, table.to_string()).map_err(|error| {
        let name = printable(&file.to_string_lossy());
        Failure::advise(
            format!("cannot write `{name}`: {error}"),
            "name a file in a folder that exists; nothing was imported",
        )
    })
}
