//! A label: a symbol with its quiet zone and the text below it, exact in micrometres; or one of two
//! dimensions and a linear one.

use crate::content::Content;
use crate::helvetica;
use crate::kind::SymbolKind;
use crate::layout::{Font, Layout, Medium, PositionedLine, PositionedSymbol};
use crate::length::Length;
use crate::options::LabelOptions;
use crate::part::Part;
use crate::size::Size;
use crate::symbol::{Symbol, TooLong};

/// A symbol with its quiet zone and text, alone or beside another one.
#[derive(Clone, Debug, PartialEq)]
pub struct Label {
    /// The symbol, and the one beside it.
    parts: Vec<Part>,
    options: LabelOptions,
    layout: Layout,
    is_stacked: bool,
}

/// The reason a symbol cannot be beside another one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NotBeside {
    /// Not one symbol of two dimensions and one linear symbol.
    #[error("expected a linear symbol beside one of two dimensions, found {} beside {}", beside.name(), symbol.name())]
    Kinds {
        /// The kind of the symbol.
        symbol: SymbolKind,
        /// The kind of the one beside it.
        beside: SymbolKind,
    },
    /// The content does not fit.
    #[error(transparent)]
    TooLong(#[from] TooLong),
}

impl NotBeside {
    /// Returns what to do.
    #[must_use]
    pub fn advice(&self) -> String {
        match self {
            NotBeside::Kinds { .. } => {
                "choose a QR Code, Data Matrix or GS1 DataMatrix, and beside it an EAN, UPC, ITF-14 or GS1-128"
                    .to_owned()
            }
            NotBeside::TooLong(error) => error.advice(),
        }
    }
}

impl Label {
    /// Draws the smallest symbol for a content.
    ///
    /// ```
    /// use fingerpost_gs1::Options;
    /// use fingerpost_label::{LabelAddress, Content, Label, LabelOptions, SymbolKind};
    ///
    /// let text = "https://id.brand.example/01/09520123456788";
    /// let content = Content::read(text, SymbolKind::Qr, &LabelAddress::default(), &Options::new())
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
        let part = Part::new(content, options, options.x_dimension)?;
        let mut label =
            Label { parts: vec![part], options, layout: Layout::default(), is_stacked: false };
        label.arrange();
        Ok(label)
    }

    /// Adds a linear symbol with the content of the same identifier beside a symbol of two
    /// dimensions, as products have both until all checkouts read the latter. It has the target
    /// width of a module of its kind. An element that both symbols hold is printed once, below
    /// the linear one.
    ///
    /// ```
    /// use fingerpost_gs1::Options;
    /// use fingerpost_label::{LabelAddress, Content, Label, LabelOptions, SymbolKind};
    ///
    /// let read = |kind| {
    ///     Content::read("(01)09520123456788(10)L7", kind, &LabelAddress::default(), &Options::new())
    ///         .map_err(|finding| finding.message)
    /// };
    /// let label = Label::new(&read(SymbolKind::Qr)?, LabelOptions::default())?;
    /// let both = label.beside(&read(SymbolKind::Ean13)?)?;
    /// assert_eq!(both.lines(), ["(10) L7", "9", "520123", "456788"]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// The kinds do not belong beside each other, or the content does not fit.
    pub fn beside(mut self, content: &Content) -> Result<Label, NotBeside> {
        let (symbol, beside) = (self.symbol().kind(), content.kind());
        if symbol.is_linear() || !beside.is_linear() || self.parts.len() > 1 {
            return Err(NotBeside::Kinds { symbol, beside });
        }
        let part = Part::new(content, self.options, None)?;
        self.parts[0].elements.retain(|element| !content.shown().contains(element));
        self.parts.push(part);
        self.arrange();
        Ok(self)
    }

    /// Returns the same label with modules of another width; a symbol beside the first one keeps
    /// its width.
    #[must_use]
    pub fn with_x_dimension(mut self, x_dimension: Length) -> Label {
        self.options.x_dimension = Some(x_dimension);
        let part = &mut self.parts[0];
        part.x_dimension = x_dimension;
        part.row_heights = part.symbol.row_heights(x_dimension, self.options.bar_height);
        self.arrange();
        self
    }

    fn arrange(&mut self) {
        let paper = Paper { text_width: self.options.text_width };
        self.layout = Layout::of(&self.parts, &paper, false);
        let room = self.options.text_width.map(|width| f64::from(width.micrometres()));
        self.is_stacked = self.parts.len() > 1 && room.is_some_and(|room| self.layout.width > room);
        if self.is_stacked {
            self.layout = Layout::of(&self.parts, &paper, true);
        }
    }

    /// Returns the symbol.
    #[must_use]
    pub fn symbol(&self) -> &Symbol {
        &self.parts[0].symbol
    }

    /// Returns the symbol beside it.
    #[must_use]
    pub fn symbol_beside(&self) -> Option<&Symbol> {
        self.parts.get(1).map(|part| &part.symbol)
    }

    /// Returns the width of a module.
    #[must_use]
    pub fn x_dimension(&self) -> Length {
        self.parts[0].x_dimension
    }

    /// Returns the width of the quiet zone, that on the left of a linear symbol.
    #[must_use]
    pub fn quiet_zone(&self) -> Length {
        self.x_dimension().times(self.symbol().kind().quiet_zone().left)
    }

    /// Returns the size of the symbol with its quiet zone and modules of a width.
    #[must_use]
    pub fn symbol_size(&self, x_dimension: Length) -> Size {
        self.parts[0].size(x_dimension)
    }

    /// Returns the width of the symbol with its quiet zone.
    #[must_use]
    pub fn symbol_width(&self) -> Length {
        self.symbol_size(self.x_dimension()).width
    }

    /// Returns the height of the symbol with its quiet zone.
    #[must_use]
    pub fn symbol_height(&self) -> Length {
        self.symbol_size(self.x_dimension()).height
    }

    /// Returns the width of the dark part, without the quiet zone.
    #[must_use]
    pub fn dark_width(&self) -> Length {
        self.x_dimension().times(self.symbol().modules())
    }

    /// Returns the width of the whole label.
    #[must_use]
    pub fn width(&self) -> Length {
        Length::from_micrometres(self.layout.width as u32)
    }

    /// Returns the height of the whole label.
    #[must_use]
    pub fn height(&self) -> Length {
        Length::from_micrometres(self.layout.height as u32)
    }

    /// Returns the lines of text, those of the digits of an EAN or UPC symbol one by one.
    #[must_use]
    pub fn lines(&self) -> Vec<&str> {
        self.layout.lines.iter().map(|line| &*line.text).collect()
    }

    /// Returns how it is drawn.
    #[must_use]
    pub fn options(&self) -> LabelOptions {
        self.options
    }

    /// Returns its parts with their positions, in micrometres.
    pub(crate) fn positioned(&self) -> impl Iterator<Item = (&Part, &PositionedSymbol)> {
        self.parts.iter().zip(&self.layout.symbols)
    }

    /// Returns its lines of text with their positions, in micrometres.
    pub(crate) fn positioned_lines(&self) -> &[PositionedLine] {
        &self.layout.lines
    }

    pub(crate) fn parts(&self) -> &[Part] {
        &self.parts
    }

    /// Returns whether the second symbol is below the first one.
    pub(crate) fn is_stacked(&self) -> bool {
        self.is_stacked
    }
}

/// Paper, in micrometres.
struct Paper {
    text_width: Option<Length>,
}

impl Medium for Paper {
    fn module(&self, part: &Part) -> f64 {
        f64::from(part.x_dimension.micrometres())
    }

    fn font(&self, digits: Option<f64>) -> Font {
        let size = digits.map_or(FONT_SIZE, |height| height / helvetica::CAP_HEIGHT);
        Font {
            size,
            capitals: helvetica::CAP_HEIGHT * size,
            descent: helvetica::DESCENT * size,
            line: LINE_HEIGHT * size,
            width: helvetica::width,
        }
    }

    fn line_limit(&self, symbol: f64) -> f64 {
        let usual = symbol.max(f64::from(TEXT_WIDTH.micrometres()));
        self.text_width.map_or(usual, |width| f64::from(width.micrometres()))
    }
}

/// The size of the font in micrometres: 6 points, whose digits are 1.5 mm high.
const FONT_SIZE: f64 = 6.0 * 25_400.0 / 72.0;

/// From one line to the next, in parts of the font size.
const LINE_HEIGHT: f64 = 1.2;

/// The least width of a line: an SSCC and a GTIN fit.
pub(crate) const TEXT_WIDTH: Length = Length::from_micrometres(25_000);
