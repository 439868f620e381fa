//! A label: a symbol with its quiet zone and the text below it, exact in micrometres.

use crate::content::Content;
use crate::error_correction::ErrorCorrection;
use crate::helvetica;
use crate::length::Length;
use crate::symbol::{Symbol, TooLong};
use crate::text;

/// How a label is drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LabelOptions {
    /// The width of a module.
    pub x_dimension: Length,
    /// Whether the human-readable interpretation is below the symbol.
    pub has_text: bool,
    /// The width that lines of text must not exceed; without it, that of the symbol, or 25 mm if
    /// that is more.
    pub text_width: Option<Length>,
    /// Error correction of a QR Code.
    pub error_correction: ErrorCorrection,
}

impl Default for LabelOptions {
    /// The target width of a module at retail, text, and error correction M.
    fn default() -> LabelOptions {
        LabelOptions {
            x_dimension: X_DIMENSION_TARGET,
            has_text: true,
            text_width: None,
            error_correction: ErrorCorrection::default(),
        }
    }
}

/// The least width of a module that is scanned at retail point-of-sale (GS1 General Specifications,
/// section 5.12.3.1).
pub const X_DIMENSION_LEAST: Length = Length::from_micrometres(396);

/// The width that a module should have there.
pub const X_DIMENSION_TARGET: Length = Length::from_micrometres(495);

/// The greatest width of a module there.
pub const X_DIMENSION_GREATEST: Length = Length::from_micrometres(990);

/// A symbol with its quiet zone and text.
#[derive(Clone, Debug, PartialEq)]
pub struct Label {
    symbol: Symbol,
    options: LabelOptions,
    elements: Vec<String>,
    lines: Vec<String>,
    width: Length,
}

impl Label {
    /// Draws the smallest symbol for a content.
    ///
    /// ```
    /// use fingerpost_gs1::Options;
    /// use fingerpost_label::{Address, Content, Label, LabelOptions, SymbolKind};
    ///
    /// let text = "https://id.brand.example/01/09520123456788";
    /// let content = Content::read(text, SymbolKind::Qr, &Address::default(), &Options::new())
    ///     .map_err(|finding| finding.message)?;
    /// let label = Label::new(&content, LabelOptions::default())?;
    /// assert_eq!(label.symbol().matrix().width(), 29);
    /// assert_eq!(label.symbol_width().to_string(), "18.315 mm");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// The content does not fit into any symbol of its kind.
    pub fn new(content: &Content, options: LabelOptions) -> Result<Label, TooLong> {
        let symbol = Symbol::draw(content.kind(), content.data(), options.error_correction)?;
        let elements = if options.has_text { content.elements().to_vec() } else { Vec::new() };
        let mut label =
            Label { symbol, options, elements, lines: Vec::new(), width: Length::default() };
        label.arrange();
        Ok(label)
    }

    /// Returns the same label with modules of another width.
    #[must_use]
    pub fn with_x_dimension(mut self, x_dimension: Length) -> Label {
        self.options.x_dimension = x_dimension;
        self.arrange();
        self
    }

    fn arrange(&mut self) {
        let limit = self.options.text_width.unwrap_or(self.symbol_width().max(TEXT_WIDTH));
        self.lines = text::lines(&self.elements, limit.millimetres(), line_width);
        let widest = self.lines.iter().map(|line| line_width(line)).fold(0.0, f64::max);
        self.width = self.symbol_width().max(Length::from_millimetres_up(widest));
    }

    /// Returns the symbol.
    #[must_use]
    pub fn symbol(&self) -> &Symbol {
        &self.symbol
    }

    /// Returns the width of a module.
    #[must_use]
    pub fn x_dimension(&self) -> Length {
        self.options.x_dimension
    }

    /// Returns the width of the quiet zone.
    #[must_use]
    pub fn quiet_zone(&self) -> Length {
        self.x_dimension().times(self.symbol.kind().quiet_modules())
    }

    /// Returns the width of the symbol with its quiet zone.
    #[must_use]
    pub fn symbol_width(&self) -> Length {
        self.x_dimension().times(self.symbol.width_with_quiet_zone())
    }

    /// Returns the height of the symbol with its quiet zone.
    #[must_use]
    pub fn symbol_height(&self) -> Length {
        self.x_dimension().times(self.symbol.height_with_quiet_zone())
    }

    /// Returns the width of the dark part, without the quiet zone.
    #[must_use]
    pub fn dark_width(&self) -> Length {
        self.x_dimension().times(self.symbol.matrix().width())
    }

    /// Returns the width of the whole label.
    #[must_use]
    pub fn width(&self) -> Length {
        self.width
    }

    /// Returns the height of the whole label.
    #[must_use]
    pub fn height(&self) -> Length {
        let last = self.lines.len().checked_sub(1).map(|last| self.baseline(last));
        last.map_or(self.symbol_height(), |baseline| {
            Length::from_millimetres_up(baseline + helvetica::DESCENT * FONT_SIZE)
        })
    }

    /// Returns the lines of text below the symbol.
    #[must_use]
    pub fn lines(&self) -> &[String] {
        &self.lines
    }

    /// Returns how it is drawn.
    #[must_use]
    pub fn options(&self) -> LabelOptions {
        self.options
    }

    /// Returns the elements of the text.
    pub(crate) fn elements(&self) -> &[String] {
        &self.elements
    }

    /// Returns the distance of the symbol from the left side of the label, in millimetres.
    pub(crate) fn symbol_left(&self) -> f64 {
        (self.width.millimetres() - self.symbol_width().millimetres()) / 2.0
    }

    /// Returns the distance of the line under the letters from the top of the label, in
    /// millimetres.
    pub(crate) fn baseline(&self, line: usize) -> f64 {
        let top = self.symbol_height().millimetres();
        top + (helvetica::CAP_HEIGHT + LINE_HEIGHT * line as f64) * FONT_SIZE
    }
}

/// Returns the width of a line in millimetres.
pub(crate) fn line_width(line: &str) -> f64 {
    helvetica::width(line) * FONT_SIZE
}

/// The size of the font in millimetres: 6 points, whose digits are 1.5 mm high.
pub(crate) const FONT_SIZE: f64 = 6.0 * 25.4 / 72.0;

/// From one line to the next, in parts of the font size.
const LINE_HEIGHT: f64 = 1.2;

/// The least width of a line: an SSCC and a GTIN fit.
pub(crate) const TEXT_WIDTH: Length = Length::from_micrometres(25_000);
