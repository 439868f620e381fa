//! Kinds of symbols: their content, and the sizes that the GS1 General Specifications set for them.

use crate::length::Length;

/// A kind of symbol, with what it holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum SymbolKind {
    /// A QR Code (ISO/IEC 18004) with a GS1 Digital Link URI.
    Qr,
    /// A Data Matrix (ISO/IEC 16022, ECC 200) with a GS1 Digital Link URI.
    DataMatrix,
    /// A GS1 DataMatrix: a Data Matrix with FNC1 first and an element string.
    Gs1DataMatrix,
    /// An EAN-13 (ISO/IEC 15420) with a GTIN-13.
    Ean13,
    /// An EAN-8 (ISO/IEC 15420) with a GTIN-8.
    Ean8,
    /// A UPC-A (ISO/IEC 15420) with a GTIN-12.
    UpcA,
    /// An ITF-14 (ISO/IEC 16390) with a GTIN of any length.
    Itf14,
    /// A GS1-128: a Code 128 (ISO/IEC 15417) with FNC1 first and an element string.
    Gs1_128,
}

/// Widths of a module of a symbol that scanners are made for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct XDimensions {
    /// The least width.
    pub least: Length,
    /// The width to use.
    pub target: Length,
    /// The greatest width.
    pub greatest: Length,
}

/// The light area around a symbol, in modules.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct QuietZone {
    /// The width on the left.
    pub left: u32,
    /// The width on the right.
    pub right: u32,
    /// The height above, and below.
    pub above: u32,
}

impl SymbolKind {
    /// All kinds.
    pub const ALL: [SymbolKind; 8] = [
        SymbolKind::Qr,
        SymbolKind::DataMatrix,
        SymbolKind::Gs1DataMatrix,
        SymbolKind::Ean13,
        SymbolKind::Ean8,
        SymbolKind::UpcA,
        SymbolKind::Itf14,
        SymbolKind::Gs1_128,
    ];

    /// The kinds of two dimensions.
    pub const MATRIX: [SymbolKind; 3] =
        [SymbolKind::Qr, SymbolKind::DataMatrix, SymbolKind::Gs1DataMatrix];

    /// The linear kinds.
    pub const LINEAR: [SymbolKind; 5] = [
        SymbolKind::Ean13,
        SymbolKind::Ean8,
        SymbolKind::UpcA,
        SymbolKind::Itf14,
        SymbolKind::Gs1_128,
    ];

    /// Returns the machine-readable name.
    #[must_use]
    pub fn code(self) -> &'static str {
        match self {
            SymbolKind::Qr => "qr",
            SymbolKind::DataMatrix => "datamatrix",
            SymbolKind::Gs1DataMatrix => "gs1-datamatrix",
            SymbolKind::Ean13 => "ean-13",
            SymbolKind::Ean8 => "ean-8",
            SymbolKind::UpcA => "upc-a",
            SymbolKind::Itf14 => "itf-14",
            SymbolKind::Gs1_128 => "gs1-128",
        }
    }

    /// Returns the name for people.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            SymbolKind::Qr => "QR Code",
            SymbolKind::DataMatrix => "Data Matrix",
            SymbolKind::Gs1DataMatrix => "GS1 DataMatrix",
            SymbolKind::Ean13 => "EAN-13",
            SymbolKind::Ean8 => "EAN-8",
            SymbolKind::UpcA => "UPC-A",
            SymbolKind::Itf14 => "ITF-14",
            SymbolKind::Gs1_128 => "GS1-128",
        }
    }

    /// Returns the kind with this machine-readable name.
    #[must_use]
    pub fn of_code(code: &str) -> Option<SymbolKind> {
        SymbolKind::ALL.into_iter().find(|kind| kind.code() == code)
    }

    /// Returns whether it holds a GS1 Digital Link URI.
    #[must_use]
    pub fn holds_uri(self) -> bool {
        matches!(self, SymbolKind::Qr | SymbolKind::DataMatrix)
    }

    /// Returns whether it holds an element string.
    #[must_use]
    pub fn holds_element_string(self) -> bool {
        matches!(self, SymbolKind::Gs1DataMatrix | SymbolKind::Gs1_128)
    }

    /// Returns whether it consists of bars.
    #[must_use]
    pub fn is_linear(self) -> bool {
        SymbolKind::LINEAR.contains(&self)
    }

    /// Returns whether its digits are between its long bars.
    #[must_use]
    pub fn is_ean_upc(self) -> bool {
        matches!(self, SymbolKind::Ean13 | SymbolKind::Ean8 | SymbolKind::UpcA)
    }

    /// Returns the quiet zone: around a QR Code (ISO/IEC 18004, section 9.1) and a Data Matrix
    /// (ISO/IEC 16022, section 7.2), and beside linear symbols (GS1 General Specifications,
    /// section 5.2.3.4 for EAN and UPC, chapters 5.3 and 5.4 for others).
    #[must_use]
    pub fn quiet_zone(self) -> QuietZone {
        let (left, right, above) = match self {
            SymbolKind::Qr => (4, 4, 4),
            SymbolKind::DataMatrix | SymbolKind::Gs1DataMatrix => (1, 1, 1),
            SymbolKind::Ean13 => (11, 7, 0),
            SymbolKind::Ean8 => (7, 7, 0),
            SymbolKind::UpcA => (9, 9, 0),
            SymbolKind::Itf14 | SymbolKind::Gs1_128 => (10, 10, 0),
        };
        QuietZone { left, right, above }
    }

    /// Returns the widths of a module for where the symbol is scanned first: at checkouts (GS1
    /// General Specifications, section 5.12.3.1), or in general distribution (section 5.12.3.2).
    #[must_use]
    pub fn x_dimensions(self) -> XDimensions {
        let (least, target, greatest) = match self {
            SymbolKind::Qr | SymbolKind::DataMatrix | SymbolKind::Gs1DataMatrix => (396, 495, 990),
            SymbolKind::Ean13 | SymbolKind::Ean8 | SymbolKind::UpcA => (264, 330, 660),
            SymbolKind::Itf14 | SymbolKind::Gs1_128 => (495, 495, 1_016),
        };
        XDimensions {
            least: Length::from_micrometres(least),
            target: Length::from_micrometres(target),
            greatest: Length::from_micrometres(greatest),
        }
    }

    /// Returns the height of the bars for modules of a width (same sections): in proportion to it
    /// for EAN and UPC, else always the same. `None` for symbols without bars.
    #[must_use]
    pub fn bar_height(self, x_dimension: Length) -> Option<Length> {
        let of_target = |height: u32| {
            let target = self.x_dimensions().target.micrometres();
            let height = u64::from(height) * u64::from(x_dimension.micrometres());
            let height = height.div_ceil(u64::from(target));
            Length::from_micrometres(u32::try_from(height).unwrap_or(u32::MAX))
        };
        match self {
            SymbolKind::Qr | SymbolKind::DataMatrix | SymbolKind::Gs1DataMatrix => None,
            SymbolKind::Ean13 | SymbolKind::UpcA => Some(of_target(22_850)),
            SymbolKind::Ean8 => Some(of_target(18_230)),
            SymbolKind::Itf14 | SymbolKind::Gs1_128 => Some(Length::from_micrometres(31_750)),
        }
    }

    /// Returns how many columns of its matrix a module is wide. A wide bar of an ITF-14 has two and
    /// a half modules.
    #[must_use]
    pub fn columns_per_module(self) -> u32 {
        if self == SymbolKind::Itf14 { 2 } else { 1 }
    }

    /// Returns the symbology identifier that a scanner sends before the data (GS1 General
    /// Specifications, section 5.1.2).
    #[must_use]
    pub fn symbology(self) -> &'static str {
        match self {
            SymbolKind::Qr => "]Q1",
            SymbolKind::DataMatrix => "]d1",
            SymbolKind::Gs1DataMatrix => "]d2",
            SymbolKind::Ean13 | SymbolKind::UpcA => "]E0",
            SymbolKind::Ean8 => "]E4",
            SymbolKind::Itf14 => "]I1",
            SymbolKind::Gs1_128 => "]C1",
        }
    }
}
