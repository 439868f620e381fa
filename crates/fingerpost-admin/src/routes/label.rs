//! What to print on a package: the symbol of a level, and advice about it. `fingerpost-label` draws.

use std::sync::Arc;

use axum::extract::State;
use axum::response::{IntoResponse, Response};
use fingerpost_gs1::Options;
use fingerpost_label::{
    Address, AddressForm, Advice, Content, ErrorCorrection, Label, LabelOptions, Length,
    SymbolKind, Warning,
};
use fingerpost_registry::LevelKey as Key;
use http::StatusCode;
use http::header::{self, HeaderValue};
use serde::{Deserialize, Serialize};
use utoipa::openapi::schema::{ObjectBuilder, Type};
use utoipa::openapi::{RefOr, Schema};
use utoipa::{IntoParams, PartialSchema, ToSchema};

use crate::credential::Who;
use crate::problem::AdminProblem;
use crate::query::{Query, level_key};
use crate::response::ok;
use crate::state::App;

/// A kind of symbol.
#[derive(Clone, Copy, Debug, Default, Deserialize, Serialize, ToSchema)]
#[schema(as = SymbolKind)]
pub(crate) enum Symbol {
    /// QR Code with the address.
    #[default]
    #[serde(rename = "qr")]
    Qr,
    /// Data Matrix with the address.
    #[serde(rename = "datamatrix")]
    DataMatrix,
    /// GS1 DataMatrix with the element string.
    #[serde(rename = "gs1-datamatrix")]
    Gs1DataMatrix,
}

impl From<Symbol> for SymbolKind {
    fn from(symbol: Symbol) -> Self {
        match symbol {
            Symbol::Qr => Self::Qr,
            Symbol::DataMatrix => Self::DataMatrix,
            Symbol::Gs1DataMatrix => Self::Gs1DataMatrix,
        }
    }
}

/// What to return.
#[derive(Clone, Copy, Debug, Default, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Picture {
    /// Scalable Vector Graphics.
    #[default]
    Svg,
    /// Pixels, of which a whole number makes a module.
    Png,
    /// A page of the size of the label.
    Pdf,
    /// Sizes, content and advice.
    Json,
}

/// How the address is written.
#[derive(Clone, Copy, Debug, Default, Deserialize, Serialize, ToSchema)]
#[serde(rename_all = "kebab-case")]
#[schema(as = AddressForm)]
pub(crate) enum AddressStyle {
    /// Unchanged.
    #[default]
    Plain,
    /// Scheme and host in upper case: the same address, smaller in a QR Code.
    UpperCase,
    /// Compressed as in Digital Link 1.1, which GS1 has withdrawn.
    Compressed,
}

impl AddressStyle {
    fn of(form: AddressForm) -> Self {
        match form {
            AddressForm::Plain => Self::Plain,
            AddressForm::UpperCase => Self::UpperCase,
            AddressForm::Compressed => Self::Compressed,
        }
    }

    fn form(self) -> AddressForm {
        match self {
            Self::Plain => AddressForm::Plain,
            Self::UpperCase => AddressForm::UpperCase,
            Self::Compressed => AddressForm::Compressed,
        }
    }
}

/// Error correction of a QR Code.
#[derive(Clone, Copy, Debug, Default, Deserialize, Serialize, ToSchema)]
#[schema(as = ErrorCorrection)]
pub(crate) enum Correction {
    /// About 7 %.
    L,
    /// About 15 %.
    #[default]
    M,
    /// About 25 %.
    Q,
    /// About 30 %.
    H,
}

impl Correction {
    fn of(level: ErrorCorrection) -> Self {
        match level {
            ErrorCorrection::Low => Self::L,
            ErrorCorrection::Medium => Self::M,
            ErrorCorrection::Quartile => Self::Q,
            ErrorCorrection::High => Self::H,
        }
    }

    fn level(self) -> ErrorCorrection {
        match self {
            Self::L => ErrorCorrection::Low,
            Self::M => ErrorCorrection::Medium,
            Self::Q => ErrorCorrection::Quartile,
            Self::H => ErrorCorrection::High,
        }
    }
}

/// Limits of the width of a module, in millimetres.
const WIDTHS: std::ops::RangeInclusive<f64> = 0.1..=10.0;

/// Limits of the resolution, in dots per inch.
const RESOLUTIONS: std::ops::RangeInclusive<u32> = 72..=1200;

/// The width of a module in millimetres.
#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(try_from = "f64")]
pub(crate) struct ModuleWidth(Length);

impl TryFrom<f64> for ModuleWidth {
    type Error = String;

    fn try_from(millimetres: f64) -> Result<Self, String> {
        if !WIDTHS.contains(&millimetres) {
            let (least, most) = (WIDTHS.start(), WIDTHS.end());
            return Err(format!("xDimension must be {least} to {most} millimetres"));
        }
        Ok(Self(Length::from_micrometres((millimetres * 1000.0).round() as u32)))
    }
}

impl PartialSchema for ModuleWidth {
    fn schema() -> RefOr<Schema> {
        let number = ObjectBuilder::new().schema_type(Type::Number);
        let number = number.minimum(Some(*WIDTHS.start())).maximum(Some(*WIDTHS.end()));
        number.default(Some(LabelOptions::default().x_dimension.millimetres().into())).into()
    }
}

/// A resolution in dots per inch.
#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(try_from = "u32")]
pub(crate) struct Resolution(u32);

impl Default for Resolution {
    fn default() -> Self {
        Self(300)
    }
}

impl TryFrom<u32> for Resolution {
    type Error = String;

    fn try_from(dpi: u32) -> Result<Self, String> {
        if RESOLUTIONS.contains(&dpi) {
            return Ok(Self(dpi));
        }
        Err(format!("dpi must be {} to {}", RESOLUTIONS.start(), RESOLUTIONS.end()))
    }
}

impl PartialSchema for Resolution {
    fn schema() -> RefOr<Schema> {
        let number = ObjectBuilder::new().schema_type(Type::Integer);
        let number = number.minimum(Some(*RESOLUTIONS.start())).maximum(Some(*RESOLUTIONS.end()));
        number.default(Some(Self::default().0.into())).into()
    }
}

/// The label to draw.
#[derive(Clone, Debug, Deserialize, IntoParams)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub(crate) struct LabelQuery {
    /// The level as a path.
    #[param(value_type = Key, inline, example = "01/09506000134352")]
    key: String,
    /// The symbol.
    #[serde(default)]
    #[param(inline, required = false)]
    symbol: Symbol,
    /// The file to return.
    #[serde(default)]
    #[param(inline, required = false)]
    format: Picture,
    /// How the address is written.
    #[serde(default)]
    #[param(inline, required = false)]
    address: AddressStyle,
    /// The width of a module in millimetres; checkouts are made for 0.396 to 0.99.
    #[serde(default)]
    #[param(inline, required = false)]
    x_dimension: Option<ModuleWidth>,
    /// Error correction of a QR Code.
    #[serde(default)]
    #[param(inline, required = false)]
    error_correction: Correction,
    /// The resolution of PNG in dots per inch.
    #[serde(default)]
    #[param(inline, required = false)]
    dpi: Resolution,
    /// Whether the human-readable text is below the symbol.
    #[serde(default = "yes")]
    #[param(required = false)]
    text: bool,
}

fn yes() -> bool {
    true
}

/// Sizes, content and advice. Lengths are in millimetres.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = PackageLabel)]
pub(crate) struct LabelBody {
    symbol: Symbol,
    /// The address, or the element string without its leading FNC1 and with GS (U+001D) as separator.
    content: String,
    /// The human-readable interpretation, one text for each element.
    text: Vec<String>,
    /// Modules in a row.
    columns: u32,
    /// Rows of modules.
    rows: u32,
    /// The version of a QR Code.
    #[serde(skip_serializing_if = "Option::is_none")]
    version: Option<u32>,
    /// The error correction of a QR Code.
    #[serde(skip_serializing_if = "Option::is_none")]
    error_correction: Option<Correction>,
    /// The width of a module.
    x_dimension: f64,
    /// The width of the quiet zone.
    quiet_zone: f64,
    /// The width of the symbol with its quiet zone.
    symbol_width: f64,
    /// The height of the symbol with its quiet zone.
    symbol_height: f64,
    /// The distance from which a phone reads a QR Code: a rule of thumb, ten times its width.
    #[serde(skip_serializing_if = "Option::is_none")]
    scanning_distance: Option<f64>,
    /// Other forms of the address that make a smaller symbol.
    shorter: Vec<ShorterBody>,
    /// What may prevent that the label works.
    warnings: Vec<AdviceBody>,
}

/// Another form of the address.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = ShorterAddress)]
pub(crate) struct ShorterBody {
    address: AddressStyle,
    content: String,
    /// Modules in a row.
    columns: u32,
    /// The width of the symbol with its quiet zone.
    symbol_width: f64,
}

/// Something that may prevent that a label works.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = LabelWarning)]
pub(crate) struct AdviceBody {
    /// The stable name of the warning.
    code: &'static str,
    /// What may happen.
    detail: String,
    /// What to do.
    hint: String,
}

/// Draws the symbol of a level for a package, or returns its sizes with advice.
#[utoipa::path(
    get, path = "/v1/label", operation_id = "drawLabel", tag = "levels", params(LabelQuery),
    responses(
        (status = 200, description = "The label.", content(
            (String = "image/svg+xml"),
            (String = "image/png"),
            (String = "application/pdf"),
            (LabelBody = "application/json")
        ), headers(("Content-Disposition" = String, description = "The name of the file."))),
        (status = 422, description = "The level has no label: it has no key of its own, is too long for the symbol, or has too many pixels.",
            body = crate::problem::ProblemBody, content_type = "application/problem+json")
    )
)]
pub(crate) async fn label(
    State(app): State<Arc<App>>,
    Who(caller): Who,
    Query(asked): Query<LabelQuery>,
) -> Result<Response, AdminProblem> {
    let anchor = level_key(&asked.key)?;
    let site = app.config().site();
    let root = site.settings.root().as_str().to_owned();
    let own_root = (!site.root_is_default).then(|| root.clone());
    let drawn = app.try_call(move |registry| -> Result<Response, AdminProblem> {
        registry.read(&caller, &anchor)?;
        let Some(key) = anchor.entity() else {
            return Err(no_label("this record applies to many keys: name one of them".to_owned()));
        };
        draw(&asked, &format!("{root}/{key}"), &root, own_root.as_deref())
    });
    drawn.await?
}

fn draw(
    asked: &LabelQuery,
    link: &str,
    root: &str,
    own_root: Option<&str>,
) -> Result<Response, AdminProblem> {
    let address = Address { root: Some(root), form: asked.address.form() };
    // A level is not a mark: what belongs together in one is not checked.
    let options = Options::new().requisites(false);
    let content = Content::read(link, asked.symbol.into(), &address, &options)
        .map_err(|finding| no_label(finding.message))?;
    let drawn = LabelOptions::default();
    let drawn = LabelOptions {
        x_dimension: asked.x_dimension.map_or(drawn.x_dimension, |width| width.0),
        has_text: asked.text,
        error_correction: asked.error_correction.level(),
        ..drawn
    };
    let label = Label::new(&content, drawn)
        .map_err(|error| no_label(format!("{error}; {}", error.advice())))?;
    let (media_type, bytes) = match asked.format {
        Picture::Svg => ("image/svg+xml", label.to_svg().into_bytes()),
        Picture::Pdf => ("application/pdf", label.to_pdf()),
        Picture::Png => {
            let raster = label.to_raster(asked.dpi.0).map_err(|error| {
                no_label(format!("{error}; use fewer dots per inch, or a smaller module"))
            })?;
            ("image/png", raster.to_png())
        }
        Picture::Json => {
            let advice = Advice::of(&label, &content, link, &address, &options, own_root);
            return Ok(ok(&document(asked.symbol, &label, &content, advice)));
        }
    };
    let name = file_name(asked, &content);
    let disposition = HeaderValue::from_str(&format!("attachment; filename=\"{name}\""));
    let fields = [
        (header::CONTENT_TYPE, HeaderValue::from_static(media_type)),
        (
            header::CONTENT_DISPOSITION,
            disposition.unwrap_or(HeaderValue::from_static("attachment")),
        ),
    ];
    Ok((fields, bytes).into_response())
}

fn no_label(detail: String) -> AdminProblem {
    AdminProblem::new(StatusCode::UNPROCESSABLE_ENTITY, "no-label", detail)
}

/// Returns a name for the file: the digits and letters of the elements, and the symbol.
fn file_name(asked: &LabelQuery, content: &Content) -> String {
    let mut name = String::new();
    for char in content.elements().join("-").chars().take(80) {
        let char = if char.is_ascii_alphanumeric() { char } else { '-' };
        if char != '-' || !name.is_empty() && !name.ends_with('-') {
            name.push(char);
        }
    }
    let end = match asked.format {
        Picture::Png => "png",
        Picture::Pdf => "pdf",
        Picture::Svg | Picture::Json => "svg",
    };
    format!("{}-{}.{end}", name.trim_end_matches('-'), content.kind().code())
}

fn document(kind: Symbol, label: &Label, content: &Content, advice: Advice) -> LabelBody {
    let symbol = label.symbol();
    let warning =
        |Warning { code, message, help }| AdviceBody { code, detail: message, hint: help };
    LabelBody {
        symbol: kind,
        content: symbol.data().to_owned(),
        text: content.elements().to_vec(),
        columns: symbol.matrix().width(),
        rows: symbol.matrix().height(),
        version: symbol.version(),
        error_correction: symbol.error_correction().map(Correction::of),
        x_dimension: label.x_dimension().millimetres(),
        quiet_zone: label.quiet_zone().millimetres(),
        symbol_width: label.symbol_width().millimetres(),
        symbol_height: label.symbol_height().millimetres(),
        scanning_distance: Advice::scanning_distance(label).map(Length::millimetres),
        shorter: advice
            .shorter
            .into_iter()
            .map(|one| ShorterBody {
                address: AddressStyle::of(one.form),
                content: one.data,
                columns: one.modules,
                symbol_width: one.width.millimetres(),
            })
            .collect(),
        warnings: advice.warnings.into_iter().map(warning).collect(),
    }
}
