//! Labels for identifiers. `fingerpost-label` draws.

use data_encoding::BASE64;
use fingerpost_gs1::Options as Gs1Options;
use fingerpost_identify::{Finding, Identifier, InputForm, read_with};
use fingerpost_label::{
    AddressForm, Content, ErrorCorrection, Label, LabelAddress, LabelOptions, Length, NotBeside,
    RESOLUTIONS, SymbolKind,
};
use fingerpost_uri::Typed;
use serde::Deserialize;
use serde_json::{Value, json};

use crate::international::ascii_form;

use super::{Toolkit, ToolkitError, expected, expected_one_of, given, refusal};

/// The options of labels.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct LabelSettings {
    symbol: Option<String>,
    beside: Option<String>,
    /// The beginning of the address; by default that of the input, or `https://id.gs1.org`.
    root: Option<String>,
    address: Option<String>,
    x_dimension: Option<String>,
    bar_height: Option<String>,
    no_text: bool,
    /// `L`, `M`, `Q` or `H`.
    error_correction: Option<String>,
    /// `svg`, `png` or `pdf`.
    format: Option<String>,
    dpi: Option<u32>,
}

/// A label in a file format.
#[derive(Clone, Debug)]
pub struct Picture {
    /// `svg`, `png` or `pdf`.
    pub format: &'static str,
    /// The content of the file.
    pub bytes: Vec<u8>,
    /// What a scanner reports.
    pub scan_data: String,
    /// Width and height in millimetres.
    pub size: (f64, f64),
}

impl Picture {
    /// Returns the label as a JSON object; PNG and PDF in base64.
    #[must_use]
    pub fn json(&self) -> Value {
        let (name, text) = match self.format {
            "svg" => ("text", String::from_utf8_lossy(&self.bytes).into_owned()),
            _ => ("base64", BASE64.encode(&self.bytes)),
        };
        let (width, height) = self.size;
        json!({
            "result": {
                "format": self.format,
                name: text,
                "scan_data": self.scan_data,
                "width_mm": width,
                "height_mm": height,
            }
        })
    }
}

/// Returns whether an identifier is an address itself, which a label keeps.
#[must_use]
pub fn is_address(form: InputForm, identifier: &Identifier<'_>) -> bool {
    match identifier {
        Identifier::Link(_) | Identifier::Rebuilt(_) => form != InputForm::DigitalLinkPath,
        Identifier::Epc { stem, .. } => stem.is_some(),
        Identifier::Urn(_) | Identifier::Elements(_) => false,
    }
}

/// Draws the label of an identifier, with a linear symbol beside it.
///
/// # Errors
///
/// Why the symbols cannot hold the content.
pub fn draw_label(
    content: &Content,
    options: LabelOptions,
    identifier: &Identifier<'_>,
    beside: Option<SymbolKind>,
    gs1: &Gs1Options,
) -> Result<Label, Finding> {
    let label = Label::new(content, options)
        .map_err(|error| Finding::of_form("TOO_LONG", error.to_string(), error.advice(), 0..0))?;
    let Some(beside) = beside else { return Ok(label) };
    let beside = Content::of(identifier, beside, &LabelAddress::default(), gs1)?;
    label.beside(&beside).map_err(|error| {
        let code = match error {
            NotBeside::Kinds { .. } => "NOT_BESIDE",
            NotBeside::TooLong(_) => "TOO_LONG",
        };
        Finding::of_form(code, error.to_string(), error.advice(), 0..0)
    })
}

impl Toolkit {
    /// Draws the label of an identifier, as `fingerpost label` does.
    ///
    /// # Errors
    ///
    /// Why it cannot be read or drawn, or which option is not valid.
    pub fn label(&self, text: &str) -> Result<Picture, ToolkitError> {
        let settings = &self.options.label;
        let length = |name: &str, option: &Option<String>| {
            given(option, |text| {
                text.parse::<Length>().map_err(|error| {
                    refusal("OPTION", format!("{name}: {error}"), "give it as 0.495mm or 20mil")
                })
            })
        };
        let kind = |name: &'static str, option: &Option<String>| {
            let known = || SymbolKind::ALL.iter().map(|kind| kind.code());
            given(option, |code| {
                SymbolKind::of_code(code).ok_or_else(|| expected_one_of(name, known(), code))
            })
        };
        let form = given(&settings.address, |code| {
            let known = AddressForm::ALL.iter().map(|form| form.code());
            AddressForm::of_code(code).ok_or_else(|| expected_one_of("address", known, code))
        })?;
        let correction = given(&settings.error_correction, |letter| {
            let mut all = ErrorCorrection::ALL.into_iter();
            let known = ErrorCorrection::ALL.into_iter().map(ErrorCorrection::letter);
            all.find(|level| level.letter() == letter)
                .ok_or_else(|| expected_one_of("error_correction", known, letter))
        })?;
        if let Some(root) = &settings.root {
            fingerpost_gs1::DigitalLink::check_stem(root).map_err(|error| {
                let help = "give it as https://id.example.org, perhaps with a path";
                refusal("OPTION", format!("root: {error}"), help)
            })?;
        }
        let options = LabelOptions {
            x_dimension: length("x_dimension", &settings.x_dimension)?,
            bar_height: length("bar_height", &settings.bar_height)?,
            has_text: !settings.no_text,
            text_width: None,
            error_correction: correction.unwrap_or_default(),
        };
        let symbol = kind("symbol", &settings.symbol)?.unwrap_or(SymbolKind::Qr);
        let beside = kind("beside", &settings.beside)?;
        let address =
            LabelAddress { root: settings.root.as_deref(), form: form.unwrap_or_default() };
        let input = Typed::new(text).converted(ascii_form);
        let label = self.drawn(input.text(), symbol, beside, address, options);
        let label = label.map_err(|finding| self.refuse(finding, input.text()))?;
        picture(&label, settings)
    }

    fn drawn(
        &self,
        input: &str,
        symbol: SymbolKind,
        beside: Option<SymbolKind>,
        address: LabelAddress<'_>,
        options: LabelOptions,
    ) -> Result<Label, Finding> {
        let gs1 = self.reader.options();
        let understood = self.reader.understand(input);
        let read = read_with(understood.text(), gs1);
        let (_, identifier) = read.map_err(|fault| understood.advise(fault))?;
        let content = Content::of(&identifier, symbol, &address, gs1);
        let label =
            content.and_then(|content| draw_label(&content, options, &identifier, beside, gs1));
        label.map_err(|finding| finding.about(0..input.len()))
    }
}

/// Returns a label in the format of the options.
fn picture(label: &Label, settings: &LabelSettings) -> Result<Picture, ToolkitError> {
    let (format, bytes) = match settings.format.as_deref().unwrap_or("svg") {
        "svg" => ("svg", label.to_svg().into_bytes()),
        "pdf" => ("pdf", label.to_pdf()),
        "png" => {
            let dpi = settings.dpi.unwrap_or(DPI);
            if !RESOLUTIONS.contains(&dpi) {
                let range = format!("{} to {}", RESOLUTIONS.start(), RESOLUTIONS.end());
                return Err(expected("dpi", &range, &dpi.to_string()));
            }
            let raster = label.to_raster(dpi).map_err(|error| {
                let help = "use fewer dots per inch, a smaller module, SVG or PDF";
                refusal("OPTION", error.to_string(), help)
            })?;
            ("png", raster.to_png())
        }
        other => return Err(expected_one_of("format", ["svg", "png", "pdf"].into_iter(), other)),
    };
    Ok(Picture {
        format,
        bytes,
        scan_data: label.symbol().scan_data().clone(),
        size: (label.width().millimetres(), label.height().millimetres()),
    })
}

/// The resolution of PNG unless another one is given.
const DPI: u32 = 300;
