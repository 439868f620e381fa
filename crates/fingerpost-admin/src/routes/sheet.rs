//! Sheets of labels for some levels: PDF, page by page. `fingerpost-label` draws.

#![allow(unused_qualifications, reason = "utoipa's derive qualifies the types that it is given")]

use std::sync::Arc;

use axum::extract::{Request, State};
use axum::response::Response;
use fingerpost_gs1::Options;
use fingerpost_label::{
    Content, Label, LabelAddress, LabelOptions, Length, Sheet, SheetLayout, Size,
};
use fingerpost_registry::{Caller, Registry};
use fingerpost_resolver::Anchor;
use http::StatusCode;
use serde::Deserialize;
use utoipa::openapi::schema::{ObjectBuilder, Type};
use utoipa::openapi::{RefOr, Schema};
use utoipa::{IntoParams, PartialSchema, ToSchema};

use super::label;
use super::label::asked::{AddressStyle, BarHeight, Correction, LinearSymbol, ModuleWidth, Symbol};
use super::outlet::{self, Named, Outlet};
use super::selection::{self, Selection};
use crate::credential::Who;
use crate::limits::LABEL_SIZES;
use crate::problem::AdminProblem;
use crate::query::Query;
use crate::response::{Invalid, Missing};
use crate::state::App;

/// Paper.
#[derive(Clone, Copy, Debug, Default, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Paper {
    /// 210 × 297 mm.
    #[default]
    A4,
    /// 8.5 × 11 inches.
    Letter,
}

/// The width or height of a label in millimetres.
#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(try_from = "f64")]
pub(crate) struct LabelSide(Length);

impl TryFrom<f64> for LabelSide {
    type Error = String;

    fn try_from(millimetres: f64) -> Result<Self, String> {
        if !LABEL_SIZES.contains(&millimetres) {
            let (least, most) = (LABEL_SIZES.start(), LABEL_SIZES.end());
            return Err(format!("the side of a label must be {least} to {most} millimetres"));
        }
        Ok(Self(Length::from_micrometres((millimetres * 1000.0).round() as u32)))
    }
}

impl PartialSchema for LabelSide {
    fn schema() -> RefOr<Schema> {
        let number = ObjectBuilder::new().schema_type(Type::Number);
        number.minimum(Some(*LABEL_SIZES.start())).maximum(Some(*LABEL_SIZES.end())).into()
    }
}

/// How to draw the labels.
#[derive(Clone, Copy, Debug, Deserialize, IntoParams)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub(crate) struct SheetQuery {
    /// The symbol.
    #[serde(default)]
    #[param(inline, required = false)]
    symbol: Symbol,
    /// The linear symbol beside a symbol of two dimensions.
    #[serde(default)]
    #[param(inline, required = false)]
    beside: Option<LinearSymbol>,
    /// How the address is written.
    #[serde(default)]
    #[param(inline, required = false)]
    address: AddressStyle,
    /// The width of a module in millimetres; 0.33 by default for EAN and UPC, 0.495 for others.
    #[serde(default)]
    #[param(inline, required = false)]
    x_dimension: Option<ModuleWidth>,
    /// The height of the bars of linear symbols in millimetres; that of the GS1 General
    /// Specifications by default.
    #[serde(default)]
    #[param(inline, required = false)]
    bar_height: Option<BarHeight>,
    /// Error correction of a QR Code.
    #[serde(default)]
    #[param(inline, required = false)]
    error_correction: Correction,
    /// Whether the human-readable text is below the symbol.
    #[serde(default = "yes")]
    #[param(required = false)]
    text: bool,
    /// The paper.
    #[serde(default)]
    #[param(inline, required = false)]
    paper: Paper,
    /// The width of a label in millimetres; 63.5 by default.
    #[serde(default)]
    #[param(inline, required = false)]
    width: Option<LabelSide>,
    /// The height of a label in millimetres; 38.1 by default.
    #[serde(default)]
    #[param(inline, required = false)]
    height: Option<LabelSide>,
}

fn yes() -> bool {
    true
}

/// Draws a sheet with a label for each of some levels, as PDF.
///
/// As many labels as fit are on a page. Nothing is drawn if a level has no label: it has no key of
/// its own, is too long for the symbol, or the symbol is larger than the label.
#[utoipa::path(
    post, path = "/v1/label/sheet", operation_id = "drawSheet", tag = "levels", params(SheetQuery),
    request_body(content = Selection, content_type = "application/json"),
    responses(
        (status = 200, description = "The sheet.", body = String, content_type = "application/pdf",
            headers(("Content-Disposition" = String, description = "The name of the file."))),
        Missing,
        Invalid
    )
)]
pub(crate) async fn sheet(
    State(app): State<Arc<App>>,
    Who(caller): Who,
    Query(asked): Query<SheetQuery>,
    request: Request,
) -> Result<Response, AdminProblem> {
    let levels = Selection::of_request(&app, &caller, request).await?;
    let layout = asked.layout()?;
    let root = app.config().site().settings.root().as_str().to_owned();
    let to = Named { media_type: "application/pdf", name: "labels.pdf" };
    outlet::send(&app, to, move |registry, out| {
        Job { registry, caller: &caller, asked, layout, root: &root }.run(&levels, out)
    })
    .await
}

impl SheetQuery {
    fn layout(&self) -> Result<SheetLayout, AdminProblem> {
        let (paper, gap) = match self.paper {
            Paper::A4 => (Size::A4, Length::from_micrometres(2_500)),
            Paper::Letter => (Size::LETTER, Length::default()),
        };
        let side = |asked: Option<LabelSide>, usual: Length| asked.map_or(usual, |side| side.0);
        let label = Size {
            width: side(self.width, Size::LABEL.width),
            height: side(self.height, Size::LABEL.height),
        };
        let gap = if label == Size::LABEL { gap } else { Length::default() };
        SheetLayout::new(paper, label, (gap, Length::default())).map_err(|error| {
            AdminProblem::new(StatusCode::UNPROCESSABLE_ENTITY, "no-label", error.to_string())
        })
    }

    fn options(&self, layout: &SheetLayout) -> LabelOptions {
        LabelOptions {
            x_dimension: self.x_dimension.map(|width| width.0),
            bar_height: self.bar_height.map(|height| height.0),
            has_text: self.text,
            error_correction: self.error_correction.level(),
            text_width: Some(layout.text_width()),
        }
    }
}

/// The work on one sheet.
struct Job<'a> {
    registry: &'a Registry,
    caller: &'a Caller,
    asked: SheetQuery,
    layout: SheetLayout,
    root: &'a str,
}

impl Job<'_> {
    fn run(&self, levels: &[Anchor], out: &Outlet) -> Result<(), AdminProblem> {
        // Writing fails only if the client has gone.
        let Ok(mut sheet) = Sheet::begin(self.layout, out.clone()) else { return Ok(()) };
        for (at, level) in levels.iter().enumerate() {
            selection::read(self.registry, self.caller, at, level)?;
            let label = self.label(level, &sheet).map_err(|detail| {
                selection::fault(StatusCode::UNPROCESSABLE_ENTITY, "no-label", at, detail)
            })?;
            if !out.go_on()? || sheet.add(&label).is_err() {
                return Ok(());
            }
        }
        let _ = sheet.finish();
        Ok(())
    }

    fn label(&self, level: &Anchor, sheet: &Sheet<Outlet>) -> Result<Label, String> {
        let Some(key) = level.entity() else {
            return Err(format!("/{level} applies to many keys, and has no label of its own"));
        };
        let address = LabelAddress { root: Some(self.root), form: self.asked.address.form() };
        // A level is not a mark: what belongs together in one is not checked.
        let options = Options::new().requisites(false);
        let link = format!("{}/{key}", self.root);
        let content = Content::read(&link, self.asked.symbol.into(), &address, &options)
            .map_err(|finding| format!("/{level}: {}", label::sentence(&finding)))?;
        let drawn = self.asked.options(&self.layout);
        let label = label::with_beside(&link, &content, drawn, self.asked.beside, &options)
            .map_err(|detail| format!("/{level}: {detail}"))?;
        sheet.check(&label).map_err(|error| {
            format!("/{level}: {error}; choose a larger label, a smaller module or no text")
        })?;
        Ok(label)
    }
}
