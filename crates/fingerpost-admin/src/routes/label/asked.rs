//! The query of `GET /v1/label`: which symbol to draw, and how.

#![allow(unused_qualifications, reason = "utoipa's derive qualifies the types that it is given")]

use fingerpost_label::{AddressForm, ErrorCorrection, LabelOptions, Length, SymbolKind};
use fingerpost_registry::LevelKey as Key;
use serde::{Deserialize, Serialize};
use utoipa::openapi::schema::{ObjectBuilder, Type};
use utoipa::openapi::{RefOr, Schema};
use utoipa::{IntoParams, PartialSchema, ToSchema};

use crate::limits::{MODULE_WIDTHS, RESOLUTIONS};

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
    pub(super) fn of(form: AddressForm) -> Self {
        match form {
            AddressForm::Plain => Self::Plain,
            AddressForm::UpperCase => Self::UpperCase,
            AddressForm::Compressed => Self::Compressed,
        }
    }

    pub(crate) fn form(self) -> AddressForm {
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
    pub(super) fn of(level: ErrorCorrection) -> Self {
        match level {
            ErrorCorrection::Low => Self::L,
            ErrorCorrection::Medium => Self::M,
            ErrorCorrection::Quartile => Self::Q,
            ErrorCorrection::High => Self::H,
        }
    }

    pub(crate) fn level(self) -> ErrorCorrection {
        match self {
            Self::L => ErrorCorrection::Low,
            Self::M => ErrorCorrection::Medium,
            Self::Q => ErrorCorrection::Quartile,
            Self::H => ErrorCorrection::High,
        }
    }
}

/// The width of a module in millimetres.
#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(try_from = "f64")]
pub(crate) struct ModuleWidth(pub(crate) Length);

impl TryFrom<f64> for ModuleWidth {
    type Error = String;

    fn try_from(millimetres: f64) -> Result<Self, String> {
        if !MODULE_WIDTHS.contains(&millimetres) {
            let (least, most) = (MODULE_WIDTHS.start(), MODULE_WIDTHS.end());
            return Err(format!("xDimension must be {least} to {most} millimetres"));
        }
        Ok(Self(Length::from_micrometres((millimetres * 1000.0).round() as u32)))
    }
}

impl PartialSchema for ModuleWidth {
    fn schema() -> RefOr<Schema> {
        let number = ObjectBuilder::new().schema_type(Type::Number);
        let number =
            number.minimum(Some(*MODULE_WIDTHS.start())).maximum(Some(*MODULE_WIDTHS.end()));
        number.default(Some(LabelOptions::default().x_dimension.millimetres().into())).into()
    }
}

/// A resolution in dots per inch.
#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(try_from = "u32")]
pub(crate) struct Resolution(pub(super) u32);

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
    pub(super) key: String,
    /// The symbol.
    #[serde(default)]
    #[param(inline, required = false)]
    pub(super) symbol: Symbol,
    /// The file to return.
    #[serde(default)]
    #[param(inline, required = false)]
    pub(super) format: Picture,
    /// How the address is written.
    #[serde(default)]
    #[param(inline, required = false)]
    pub(super) address: AddressStyle,
    /// The width of a module in millimetres; checkouts are made for 0.396 to 0.99.
    #[serde(default)]
    #[param(inline, required = false)]
    pub(super) x_dimension: Option<ModuleWidth>,
    /// Error correction of a QR Code.
    #[serde(default)]
    #[param(inline, required = false)]
    pub(super) error_correction: Correction,
    /// The resolution of PNG in dots per inch.
    #[serde(default)]
    #[param(inline, required = false)]
    pub(super) dpi: Resolution,
    /// Whether the human-readable text is below the symbol.
    #[serde(default = "yes")]
    #[param(required = false)]
    pub(super) text: bool,
}

fn yes() -> bool {
    true
}
