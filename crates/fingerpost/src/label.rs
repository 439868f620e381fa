//! `fingerpost label`: what to print on a package. `fingerpost-label` draws; this module reads the
//! input and writes files and reports.

mod one;
mod report;
mod sheet;

use std::path::PathBuf;
use std::process::ExitCode;

use clap::{Args, ValueEnum, ValueHint};
use fingerpost_gs1::{DigitalLink, Options};
use fingerpost_identify::{Finding, Identifier};
use fingerpost_label::{
    AddressForm, Content, ErrorCorrection, LabelAddress, LabelOptions, Length, RESOLUTIONS, Size,
    SymbolKind,
};
use fingerpost_public::DEFAULT_RESOLVER_ROOT;
use fingerpost_report::draw_label;
use fingerpost_uri::hide_password;

use crate::failure::Failure;
use crate::output::printable;
use crate::shared_args::{ConfigFile, Passwords, Readings, ReportFormat};
use fingerpost_server::config::Config;

#[derive(Debug, Args)]
#[command(after_help = "\
INPUT is anything that `fingerpost check` recognises. QR Code and Data Matrix hold a GS1 Digital Link URI: the
input itself if it is one, otherwise its identifier below --root, the resolver_root of the configuration, or
https://id.example.org. GS1 DataMatrix and GS1-128 hold the element string, EAN-13, EAN-8, UPC-A and ITF-14 the
GTIN alone. --beside adds a linear symbol, which products have until all checkouts read the other one. The
report says how large the label is, from how far away it can be scanned, and which form of the address makes it
smaller.

With --sheet, each record of a file (JSON Lines, JSON, linkset, CSV or XLSX, as `import` reads them) becomes a
label on pages of labels. Records for ranges, any value or a company prefix have no label of their own.

Exit status: 0 all labels written, 1 some inputs or records refused, 2 wrong usage or nothing written.

Examples:
  fingerpost label 9520123456788 --root https://id.brand.example --output tea.svg
  fingerpost label '(01)09520123456788(10)L7' --symbol gs1-datamatrix --output lot.png --dpi 600
  fingerpost label '(01)09520123456788(10)L7' --beside ean-13 --root https://id.brand.example --output tea.pdf
  fingerpost label https://id.brand.example/01/09520123456788 --address upper-case --distance 1m --output poster.pdf
  fingerpost label 9520123456788 --symbol datamatrix --output - --format svg > tea.svg
  fingerpost label --sheet labels.pdf --from products.csv --label 63.5x38.1mm --gap 2.5x0mm")]
pub(crate) struct Label {
    /// Scanned or typed identifier
    #[arg(value_name = "INPUT", required_unless_present = "sheet")]
    pub(crate) input: Option<String>,
    /// Symbol to draw
    #[arg(long, value_enum, default_value_t = SymbolName::Qr)]
    pub(crate) symbol: SymbolName,
    /// Linear symbol to draw beside a QR Code, Data Matrix or GS1 DataMatrix
    #[arg(long, value_enum, value_name = "SYMBOL")]
    pub(crate) beside: Option<SymbolName>,
    /// File to write, .svg, .png or .pdf; `-` is standard output
    #[arg(long, short, value_name = "FILE", value_hint = ValueHint::FilePath)]
    #[arg(required_unless_present = "sheet")]
    pub(crate) output: Option<PathBuf>,
    /// Format of the file [default: by the end of its name]
    #[arg(long, value_enum, value_name = "FORMAT")]
    pub(crate) format: Option<PictureFormat>,
    /// Beginning of the address [default: from INPUT or the configuration]
    #[arg(long, value_name = "URL", value_hint = ValueHint::Url)]
    pub(crate) root: Option<String>,
    /// How the address is written
    #[arg(long, value_enum, default_value_t = AddressName::Plain)]
    pub(crate) address: AddressName,
    /// Width of a module, such as 0.495mm or 20mil [default: 0.33 mm for EAN and UPC, 0.495 mm for
    /// others]
    #[arg(long, value_name = "LENGTH", conflicts_with = "distance")]
    pub(crate) x_dimension: Option<Length>,
    /// Height of the bars of linear symbols [default: that of the GS1 General Specifications]
    #[arg(long, value_name = "LENGTH")]
    pub(crate) bar_height: Option<Length>,
    /// Choose the width of a module for phones at this distance, such as 30cm
    #[arg(long, value_name = "LENGTH")]
    pub(crate) distance: Option<Length>,
    /// Error correction of a QR Code: low (7 %), medium (15 %), quartile (25 %) or high (30 %)
    #[arg(long, value_enum, default_value_t = ErrorCorrectionName::Medium)]
    pub(crate) error_correction: ErrorCorrectionName,
    /// Resolution of PNG, which draws modules as whole pixels
    #[arg(long, value_name = "DPI", default_value_t = 300)]
    #[arg(value_parser = clap::value_parser!(u32).range(resolutions()))]
    pub(crate) dpi: u32,
    /// Leave out the human-readable text below the symbol
    #[arg(long)]
    pub(crate) no_text: bool,
    #[command(flatten)]
    pub(crate) config: ConfigFile,
    /// Format of the report
    #[arg(long, value_enum, default_value_t = ReportFormat::Text)]
    pub(crate) report: ReportFormat,
    #[command(flatten)]
    pub(crate) readings: Readings,
    #[command(flatten)]
    pub(crate) passwords: Passwords,
    #[command(flatten)]
    pub(crate) sheets: LabelSheet,
}

/// Many labels on pages.
#[derive(Debug, Args)]
#[command(next_help_heading = "Sheets of labels")]
pub(crate) struct LabelSheet {
    /// PDF file to write, with a label for each record of --from; `-` is standard output
    #[arg(long, value_name = "FILE", requires = "from", value_hint = ValueHint::FilePath)]
    #[arg(conflicts_with_all = ["input", "output", "format", "distance", "dpi"])]
    pub(crate) sheet: Option<PathBuf>,
    /// Records or spreadsheet to read; `-` is standard input
    #[arg(long, value_name = "FILE", requires = "sheet", value_hint = ValueHint::FilePath)]
    pub(crate) from: Option<PathBuf>,
    /// Paper
    #[arg(long, value_enum, default_value_t = Paper::A4, requires = "sheet")]
    pub(crate) paper: Paper,
    /// Size of a label [default: 63.5x38.1mm]
    #[arg(long, value_name = "SIZE", requires = "sheet")]
    pub(crate) label: Option<Size>,
    /// Gap between columns and between rows, such as 2.5x0mm [default: none]
    #[arg(long, value_name = "SIZE", requires = "sheet", value_parser = gap)]
    pub(crate) gap: Option<(Length, Length)>,
}

/// A kind of symbol.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum SymbolName {
    /// QR Code with a GS1 Digital Link URI, for phones and new checkouts
    Qr,
    /// Data Matrix with a GS1 Digital Link URI
    Datamatrix,
    /// GS1 DataMatrix with the element string, for scanners
    Gs1Datamatrix,
    /// EAN-13 with a GTIN-13, for checkouts
    #[value(name = "ean-13", alias = "ean13")]
    Ean13,
    /// EAN-8 with a GTIN-8, for small packages
    #[value(name = "ean-8", alias = "ean8")]
    Ean8,
    /// UPC-A with a GTIN-12, for checkouts
    #[value(name = "upc-a", alias = "upca")]
    UpcA,
    /// ITF-14 with a GTIN, for cartons
    #[value(name = "itf-14", alias = "itf14")]
    Itf14,
    /// GS1-128 with the element string, for cartons and pallets
    #[value(name = "gs1-128")]
    Gs1_128,
}

impl From<SymbolName> for SymbolKind {
    fn from(name: SymbolName) -> Self {
        match name {
            SymbolName::Qr => Self::Qr,
            SymbolName::Datamatrix => Self::DataMatrix,
            SymbolName::Gs1Datamatrix => Self::Gs1DataMatrix,
            SymbolName::Ean13 => Self::Ean13,
            SymbolName::Ean8 => Self::Ean8,
            SymbolName::UpcA => Self::UpcA,
            SymbolName::Itf14 => Self::Itf14,
            SymbolName::Gs1_128 => Self::Gs1_128,
        }
    }
}

/// How an address is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum AddressName {
    /// Unchanged
    Plain,
    /// Scheme and host in upper case: the same address, smaller in a QR Code
    UpperCase,
    /// Compressed as in Digital Link 1.1, which GS1 has withdrawn
    Compressed,
}

impl From<AddressName> for AddressForm {
    fn from(name: AddressName) -> Self {
        match name {
            AddressName::Plain => Self::Plain,
            AddressName::UpperCase => Self::UpperCase,
            AddressName::Compressed => Self::Compressed,
        }
    }
}

/// A level of error correction.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum ErrorCorrectionName {
    #[value(alias = "L", alias = "l")]
    Low,
    #[value(alias = "M", alias = "m")]
    Medium,
    #[value(alias = "Q", alias = "q")]
    Quartile,
    #[value(alias = "H", alias = "h")]
    High,
}

impl From<ErrorCorrectionName> for ErrorCorrection {
    fn from(name: ErrorCorrectionName) -> Self {
        match name {
            ErrorCorrectionName::Low => Self::Low,
            ErrorCorrectionName::Medium => Self::Medium,
            ErrorCorrectionName::Quartile => Self::Quartile,
            ErrorCorrectionName::High => Self::High,
        }
    }
}

/// A format of a label.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum PictureFormat {
    /// Scalable Vector Graphics, for designers and web pages
    Svg,
    /// Pixels, for label printers
    Png,
    /// A page of the size of the label, for print
    Pdf,
}

/// Paper of a sheet.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Paper {
    /// 210 × 297 mm
    A4,
    /// 8.5 × 11 in
    Letter,
}

/// Reads a gap, of which one or both can be 0.
fn gap(text: &str) -> Result<(Length, Length), String> {
    let length = |text: &str| -> Result<Length, String> {
        let number = text.trim_end_matches(|char: char| char.is_ascii_alphabetic() || char == ' ');
        match number.trim().parse::<f64>() {
            Ok(0.0) => Ok(Length::default()),
            _ => text.parse().map_err(|error: fingerpost_label::NotALength| error.to_string()),
        }
    };
    match text.split_once(['x', '×']) {
        Some((columns, rows)) => Ok((length(columns)?, length(rows)?)),
        None => length(text).map(|both| (both, both)),
    }
}

fn resolutions() -> std::ops::RangeInclusive<i64> {
    i64::from(*RESOLUTIONS.start())..=i64::from(*RESOLUTIONS.end())
}

/// Runs `fingerpost label`.
pub(crate) fn run(args: &Label) -> Result<ExitCode, Failure> {
    let config = args.config.load()?;
    if let Some(root) = &args.root {
        DigitalLink::check_stem(root).map_err(|error| {
            let root = printable(&hide_password(root));
            Failure::advise(
                format!("cannot use `{root}` as --root: {error}"),
                "give it as https://id.example.org, perhaps with a path",
            )
        })?;
    }
    let wanted = Wanted::new(args, &config);
    match (&args.sheets.sheet, &args.sheets.from, &args.input) {
        (Some(sheet), Some(from), _) => sheet::run(&wanted, &config, sheet, from),
        (_, _, Some(input)) => one::run(&wanted, input),
        _ => Err(Failure::advise(
            "expected an identifier, found none",
            "give INPUT, or --sheet with --from",
        )),
    }
}

/// The labels that are wanted.
struct Wanted<'a> {
    args: &'a Label,
    kind: SymbolKind,
    options: LabelOptions,
    /// The root of the resolver, if it is configured.
    own_root: Option<&'a str>,
}

impl<'a> Wanted<'a> {
    fn new(args: &'a Label, config: &'a Config) -> Self {
        let own_root =
            (!config.public.root_is_default()).then(|| config.public.settings().root().as_str());
        let options = LabelOptions {
            x_dimension: args.x_dimension,
            bar_height: args.bar_height,
            has_text: !args.no_text,
            text_width: None,
            error_correction: args.error_correction.into(),
        };
        Self { args, kind: args.symbol.into(), options, own_root }
    }

    /// Returns the root of identifiers that are no addresses themselves.
    fn root(&self) -> &'a str {
        self.args.root.as_deref().or(self.own_root).unwrap_or(DEFAULT_RESOLVER_ROOT)
    }

    /// Draws the label of an identifier, with the symbol beside it.
    fn draw(
        &self,
        content: &Content,
        options: LabelOptions,
        identifier: &Identifier<'_>,
        gs1: &Options,
    ) -> Result<fingerpost_label::Label, Finding> {
        let beside = self.args.beside.map(SymbolKind::from);
        draw_label(content, options, identifier, beside, gs1)
    }

    /// Returns the address of a label. That of an input is kept, unless another one is given.
    fn address(&self, is_address: bool) -> LabelAddress<'a> {
        let root = if is_address { self.args.root.as_deref() } else { Some(self.root()) };
        LabelAddress { root, form: self.args.address.into() }
    }
}

#[cfg(test)]
mod tests {
    use super::gap;

    #[test]
    fn a_gap_can_be_zero() {
        let found = |text: &str| {
            gap(text).ok().map(|(columns, rows)| (columns.micrometres(), rows.micrometres()))
        };
        assert_eq!(found("2.5x0mm"), Some((2500, 0)));
        assert_eq!(found("0x3"), Some((0, 3000)));
        assert_eq!(found("0"), Some((0, 0)));
        assert_eq!(found("1mm x 2mm"), Some((1000, 2000)));
        assert_eq!(found("x"), None);
        assert_eq!(found("-1x0mm"), None);
    }
}
