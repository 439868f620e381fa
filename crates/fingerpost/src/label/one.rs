//! A label for one identifier.

use std::fs;
use std::io::{self, IsTerminal, Write};
use std::path::Path;
use std::process::ExitCode;

use fingerpost_identify::{Finding, read_with};
use fingerpost_label::{Advice, Content, Label, LabelWarning};
use fingerpost_report::is_address;
use fingerpost_resolver::{ascii_form, day_of};
use fingerpost_uri::Typed;
use serde_json::json;

use super::PictureFormat;
use super::{Wanted, report};
use crate::explain::clock;
use crate::failure::Failure;
use crate::output::{self, printable};
use crate::uri_report::{Refused, refuse};

/// Writes the label and the report.
pub(super) fn run(wanted: &Wanted<'_>, input: &str) -> Result<ExitCode, Failure> {
    let args = wanted.args;
    let Some(path) = args.output.as_deref() else {
        return Err(Failure::advise(
            "expected a file to write, found none",
            "give --output FILE.svg",
        ));
    };
    let is_standard = path.as_os_str() == "-";
    let format = format_of(path, args.format)?;
    if is_standard && format != PictureFormat::Svg && io::stdout().is_terminal() {
        return Err(Failure::advise(
            "this format cannot be shown on a terminal",
            "write it to a file: --output label.png",
        ));
    }
    let typed = Typed::new(input).converted(ascii_form);
    let (label, content, advice) = match drawn(wanted, typed.text(), format) {
        Ok(drawn) => drawn,
        Err(finding) => {
            let shown = args.passwords.of(typed.text());
            let refused = [Refused { argument: "", input: typed.text(), finding }];
            let mut out = output::stdout();
            return refuse(
                &refused,
                args.passwords,
                args.report,
                json!({"input": shown}),
                &mut out,
            );
        }
    };
    let bytes = file(&label, format, args.dpi)?;
    if is_standard {
        let mut out = io::stdout().lock();
        out.write_all(&bytes)?;
        out.flush()?;
    } else {
        fs::write(path, bytes).map_err(|error| unwritable(path, &error))?;
    }
    let report = report::Report {
        label: &label,
        content: &content,
        advice: &advice,
        path,
        format,
        dpi: args.dpi,
    };
    match (args.report, is_standard) {
        // Standard output has the label.
        (format, true) => report.write(format, &mut anstream::stderr().lock())?,
        (format, false) => {
            let mut out = output::stdout();
            report.write(format, &mut out)?;
            out.flush()?;
        }
    }
    Ok(ExitCode::SUCCESS)
}

/// Returns the content of the file.
fn file(label: &Label, format: PictureFormat, dpi: u32) -> Result<Vec<u8>, Failure> {
    Ok(match format {
        PictureFormat::Svg => label.to_svg().into_bytes(),
        PictureFormat::Pdf => label.to_pdf(),
        PictureFormat::Png => {
            let raster = label.to_raster(dpi).map_err(|error| {
                Failure::advise(error, "use fewer dots per inch, a smaller module, SVG or PDF")
            })?;
            raster.to_png()
        }
    })
}

/// Returns the failure to write a file.
pub(super) fn unwritable(path: &Path, error: &io::Error) -> Failure {
    let name = printable(&path.to_string_lossy());
    Failure::advise(
        format!("cannot write `{name}`: {error}"),
        "name a file in a folder that exists",
    )
}

/// Draws the label; a finding says what is wrong with the input.
fn drawn(
    wanted: &Wanted<'_>,
    text: &str,
    format: PictureFormat,
) -> Result<(Label, Content, Advice), Finding> {
    let args = wanted.args;
    let today = day_of(clock());
    let reader = args.readings.reader(args.passwords, today);
    let (options, understood) = (reader.options(), reader.understand(text));
    let (input, text) = (text, understood.text());
    let read = read_with(text, options);
    let (form, identifier) = read.map_err(|fault| understood.advise(fault))?;
    let address = wanted.address(is_address(form, &identifier));
    let whole = |finding: Finding| finding.about(0..input.len());
    let content = Content::of(&identifier, wanted.kind, &address, options).map_err(whole)?;
    let label = wanted.draw(&content, wanted.options, &identifier, options).map_err(whole)?;
    let label = match args.distance {
        Some(distance) => {
            let width = Advice::x_dimension_for(&label, distance);
            label.with_x_dimension(width)
        }
        None => label,
    };
    let own_root = wanted.own_root;
    let mut advice = Advice::of(&label, &content, text, &address, options, own_root, today);
    advice.warnings.extend(
        understood.warnings().into_iter().map(|Finding { code, message, help, .. }| LabelWarning {
            code,
            message,
            help,
        }),
    );
    if args.distance.is_some() {
        // What is scanned from far away is not scanned at a checkout.
        advice.warnings.retain(|warning| warning.code != "X_DIMENSION_LARGE");
    }
    if format == PictureFormat::Png {
        advice.warnings.extend(Advice::of_pixels(&label, args.dpi));
    }
    Ok((label, content, advice))
}

/// Returns the format: the one that is given, or that of the name of the file.
fn format_of(path: &Path, format: Option<PictureFormat>) -> Result<PictureFormat, Failure> {
    if let Some(format) = format {
        return Ok(format);
    }
    let end = path.extension().map(|end| end.to_string_lossy().to_ascii_lowercase());
    match end.as_deref() {
        Some("svg") => Ok(PictureFormat::Svg),
        Some("png") => Ok(PictureFormat::Png),
        Some("pdf") => Ok(PictureFormat::Pdf),
        _ => Err(Failure::advise(
            format!("the format of `{}` is not clear", printable(&path.to_string_lossy())),
            "end its name in .svg, .png or .pdf, or give --format",
        )),
    }
}
