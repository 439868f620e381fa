//! The query of `GET /v1/label`: which symbol to draw, and how.

#![allow(unused_qualifications, reason = "utoipa's derive qualifies the types that it is given")]

use fingerpost_label::{AddressForm, ErrorCorrection, Length, SymbolKind};
use fingerpost_registry::LevelKey as Key;
use serde::{Deserialize, Serialize};
use utoipa::openapi::schema::{ObjectBuilder, Type};
use utoipa::openapi::{RefOr, Schema};
use utoipa::{IntoParams, PartialSchema, ToSchema};

use crate::limits::{BAR_HEIGHTS, MODULE_WIDTHS, RESOLUTIONS};

/// Declares symbols by the names that they have in the API.
macro_rules! symbols {
    ($(#[$outer:meta])* $name:ident as $schema:ident { $($(#[$inner:meta])* $kind:ident = $code:tt,)* }) => {
        $(#[$outer])*
        #[derive(Clone, Copy, Debug, Deserialize, Serialize, ToSchema)]
        #[schema(as = $schema)]
        pub(crate) enum $name {
            $($(#[$inner])* #[serde(rename = $code)] $kind,)*
        }

        impl From<$name> for SymbolKind {
            fn from(symbol: $name) -> Self {
                match symbol {
                    $($name::$kind => Self::$kind,)*
                }
            }
        }
    };
}

symbols! {
    /// A kind of symbol.
    #[derive(Default)]
    Symbol as SymbolKind {
        /// QR Code with the address.
        #[default]
        Qr = "qr",
        /// Data Matrix with the address.
        DataMatrix = "datamatrix",
        /// GS1 DataMatrix with the element string.
        Gs1DataMatrix = "gs1-datamatrix",
        /// EAN-13 with a GTIN-13.
        Ean13 = "ean-13",
        /// EAN-8 with a GTIN-8.
        Ean8 = "ean-8",
        /// UPC-A with a GTIN-12.
        UpcA = "upc-a",
        /// ITF-14 with a GTIN.
        Itf14 = "itf-14",
        /// GS1-128 with the element string.
        Gs1_128 = "gs1-128",
    }
}

symbols! {
    /// A symbol of bars.
    LinearSymbol as LinearSymbol {
        /// EAN-13 with a GTIN-13.
        Ean13 = "ean-13",
        /// EAN-8 with a GTIN-8.
        Ean8 = "ean-8",
        /// UPC-A with a GTIN-12.
        UpcA = "upc-a",
        /// ITF-14 with a GTIN.
        Itf14 = "itf-14",
        /// GS1-128 with the element string.
        Gs1_128 = "gs1-128",
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

/// Declares lengths in millimetres as numbers within a range.
macro_rules! millimetres {
    ($($(#[$doc:meta])* $name:ident, $parameter:literal, $range:expr;)*) => {$(
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, Deserialize)]
        #[serde(try_from = "f64")]
        pub(crate) struct $name(pub(crate) Length);

        impl TryFrom<f64> for $name {
            type Error = String;

            fn try_from(millimetres: f64) -> Result<Self, String> {
                if !$range.contains(&millimetres) {
                    let (least, most) = ($range.start(), $range.end());
                    return Err(format!("{} must be {least} to {most} millimetres", $parameter));
                }
                Ok(Self(Length::from_micrometres((millimetres * 1000.0).round() as u32)))
            }
        }

        impl PartialSchema for $name {
            fn schema() -> RefOr<Schema> {
                let number = ObjectBuilder::new().schema_type(Type::Number);
                number.minimum(Some(*$range.start())).maximum(Some(*$range.end())).into()
            }
        }
    )*};
}

millimetres! {
    /// The width of a module in millimetres.
    ModuleWidth, "xDimension", MODULE_WIDTHS;
    /// The height of bars in millimetres.
    BarHeight, "barHeight", BAR_HEIGHTS;
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
    /// The expiry date of the lot or item, such as `2027-03-31`, which the symbol then has as
    /// (17).
    #[serde(default)]
    #[param(value_type = Option<String>, format = Date, required = false)]
    pub(super) expiry: Option<jiff::civil::Date>,
    /// The symbol.
    #[serde(default)]
    #[param(inline, required = false)]
    pub(super) symbol: Symbol,
    /// The linear symbol beside a symbol of two dimensions.
    #[serde(default)]
    #[param(inline, required = false)]
    pub(super) beside: Option<LinearSymbol>,
    /// The file to return.
    #[serde(default)]
    #[param(inline, required = false)]
    pub(super) format: Picture,
    /// How the address is written.
    #[serde(default)]
    #[param(inline, required = false)]
    pub(super) address: AddressStyle,
    /// The width of a module in millimetres; 0.33 by default for EAN and UPC, 0.495 for others.
    #[serde(default)]
    #[param(inline, required = false)]
    pub(super) x_dimension: Option<ModuleWidth>,
    /// The height of the bars of linear symbols in millimetres; that of the GS1 General
    /// Specifications by default.
    #[serde(default)]
    #[param(inline, required = false)]
    pub(super) bar_height: Option<BarHeight>,
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
