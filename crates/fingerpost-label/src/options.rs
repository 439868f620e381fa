//! How a label is drawn.

use crate::error_correction::ErrorCorrection;
use crate::length::Length;

/// How a label is drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LabelOptions {
    /// The width of a module; without it, the target of the kind.
    pub x_dimension: Option<Length>,
    /// The height of the bars of linear symbols; without it, that of the GS1 General
    /// Specifications.
    pub bar_height: Option<Length>,
    /// Whether the human-readable interpretation is below the symbol.
    pub has_text: bool,
    /// The width of the label, which lines of text and two symbols side by side must not exceed;
    /// without it, lines are as long as the symbol, or 25 mm if that is more.
    pub text_width: Option<Length>,
    /// Error correction of a QR Code.
    pub error_correction: ErrorCorrection,
}

impl Default for LabelOptions {
    /// The target width of a module, the usual height, text, and error correction M.
    fn default() -> LabelOptions {
        LabelOptions {
            x_dimension: None,
            bar_height: None,
            has_text: true,
            text_width: None,
            error_correction: ErrorCorrection::default(),
        }
    }
}
