//! What to print on a package: the symbol of a level, and advice about it. `fingerpost-label`
//! draws.

pub(super) mod asked;

use std::sync::Arc;

use axum::extract::State;
use axum::response::{IntoResponse, Response};
use fingerpost_gs1::{Date, Options};
use fingerpost_identify::Finding;
use fingerpost_label::{Advice, Content, Label, LabelAddress, LabelOptions, LabelWarning, Length};
use fingerpost_resolver::day_of;
use http::StatusCode;
use http::header::{self, HeaderValue};
use serde::Serialize;
use utoipa::ToSchema;

use crate::credential::Who;
use crate::problem::AdminProblem;
use crate::query::{Query, level_key};
use crate::response::{Missing, ok};
use crate::state::App;
use asked::{AddressStyle, Correction, LabelQuery, LinearSymbol, Picture, Symbol};

/// Sizes, content and advice. Lengths are in millimetres.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = PackageLabel)]
pub(crate) struct LabelBody {
    symbol: Symbol,
    /// The address, the digits of a GTIN, or the element string without its leading FNC1 and with
    /// GS (U+001D) as separator.
    content: String,
    /// The human-readable interpretation, one text for each element.
    text: Vec<String>,
    /// The symbol beside it.
    #[serde(skip_serializing_if = "Option::is_none")]
    beside: Option<LinearSymbol>,
    /// Modules in a row.
    columns: u32,
    /// Rows of modules; 1 for a linear symbol.
    rows: u32,
    /// The version of a QR Code.
    #[serde(skip_serializing_if = "Option::is_none")]
    version: Option<u32>,
    /// The error correction of a QR Code.
    #[serde(skip_serializing_if = "Option::is_none")]
    error_correction: Option<Correction>,
    /// The width of a module.
    x_dimension: f64,
    /// The width of the quiet zone; of a linear symbol, that on its left.
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
        Missing,
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
        let today = day_of(registry.now());
        let expiry =
            asked.expiry.map_or(String::new(), |day| day.strftime("?17=%y%m%d").to_string());
        draw(&asked, &format!("{root}/{key}{expiry}"), &root, own_root.as_deref(), today)
    });
    drawn.await?
}

fn draw(
    asked: &LabelQuery,
    link: &str,
    root: &str,
    own_root: Option<&str>,
    today: Date,
) -> Result<Response, AdminProblem> {
    let address = LabelAddress { root: Some(root), form: asked.address.form() };
    // A level is not a mark: what belongs together in one is not checked.
    let options = Options::new().requisites(false);
    let content = Content::read(link, asked.symbol.into(), &address, &options)
        .map_err(|finding| no_label(sentence(&finding)))?;
    let drawn = LabelOptions {
        x_dimension: asked.x_dimension.map(|width| width.0),
        bar_height: asked.bar_height.map(|height| height.0),
        has_text: asked.text,
        error_correction: asked.error_correction.level(),
        text_width: None,
    };
    let label = with_beside(link, &content, drawn, asked.beside, &options).map_err(no_label)?;
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
            let advice = Advice::of(&label, &content, link, &address, &options, own_root, today);
            return Ok(ok(&document(asked, &label, &content, advice)));
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

/// Draws a label, with the symbol beside it.
pub(super) fn with_beside(
    link: &str,
    content: &Content,
    drawn: LabelOptions,
    beside: Option<LinearSymbol>,
    options: &Options,
) -> Result<Label, String> {
    let label =
        Label::new(content, drawn).map_err(|error| format!("{error}; {}", error.advice()))?;
    let Some(beside) = beside else { return Ok(label) };
    let beside = Content::read(link, beside.into(), &LabelAddress::default(), options)
        .map_err(|finding| sentence(&finding))?;
    label.beside(&beside).map_err(|error| format!("{error}; {}", error.advice()))
}

/// Returns a finding with its advice.
pub(super) fn sentence(finding: &Finding) -> String {
    let help = if finding.help.is_empty() { "" } else { "; " };
    [&finding.message, help, &finding.help].concat()
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

fn document(asked: &LabelQuery, label: &Label, content: &Content, advice: Advice) -> LabelBody {
    let symbol = label.symbol();
    let warning =
        |LabelWarning { code, message, help }| AdviceBody { code, detail: message, hint: help };
    LabelBody {
        symbol: asked.symbol,
        content: symbol.data().to_owned(),
        text: content.elements().to_vec(),
        columns: symbol.modules(),
        rows: symbol.rows(),
        beside: asked.beside,
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
