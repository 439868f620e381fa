//! The positions of symbols and texts on a label, on paper or in pixels (GS1 General
//! Specifications, section 4.14).
//!
//! Digits of EAN and UPC symbols are between their long bars (ISO/IEC 15420, section 4.3.6), all
//! other texts centred below their symbol. A second symbol is to the right of the first one, or
//! below it if the label is too narrow.

use crate::part::Part;
use crate::symbol::{LONGER, SymbolKind};
use crate::text;

/// A medium that labels are laid out for, in whole units: micrometres, or pixels.
pub(crate) trait Medium {
    /// Returns the width of a module.
    fn module(&self, part: &Part) -> f64;

    /// Returns the usual font, or one whose digits have about this height.
    fn font(&self, digits: Option<f64>) -> Font;

    /// Returns the width that lines below a symbol of this width can have.
    fn line_limit(&self, symbol: f64) -> f64;
}

/// The measures of a font.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Font {
    /// The size, in units of the medium.
    pub(crate) size: f64,
    /// The height of capital letters.
    pub(crate) capitals: f64,
    /// The depth below the line.
    pub(crate) descent: f64,
    /// From one line to the next.
    pub(crate) line: f64,
    /// Returns the width of a text in parts of the size.
    pub(crate) width: fn(&str) -> f64,
}

impl Font {
    fn width_of(&self, text: &str) -> f64 {
        (self.width)(text) * self.size
    }

    /// Returns a text whose centre is at this distance from the left side.
    fn line(&self, text: String, centre: f64, baseline: f64) -> PositionedLine {
        let width = self.width_of(&text);
        PositionedLine { text, left: centre - width / 2.0, baseline, size: self.size, width }
    }
}

/// The positions of everything on a label, from its top left corner.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Layout {
    pub(crate) width: f64,
    pub(crate) height: f64,
    pub(crate) symbols: Vec<PositionedSymbol>,
    pub(crate) lines: Vec<PositionedLine>,
}

/// A symbol and its position: that of its first column and row, without the quiet zone.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct PositionedSymbol {
    pub(crate) left: f64,
    pub(crate) top: f64,
    /// The width of a column.
    pub(crate) column: f64,
    /// The height of a module.
    pub(crate) module: f64,
}

/// A line of text and its position.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct PositionedLine {
    pub(crate) text: String,
    pub(crate) left: f64,
    pub(crate) baseline: f64,
    /// The size of the font.
    pub(crate) size: f64,
    pub(crate) width: f64,
}

impl Layout {
    /// Lays out the parts of a label, below each other if it `is_stacked`.
    pub(crate) fn of(parts: &[Part], medium: &impl Medium, is_stacked: bool) -> Layout {
        let blocks: Vec<Layout> = parts.iter().map(|part| Layout::of_part(part, medium)).collect();
        let mut whole = Layout::default();
        let widest = blocks.iter().map(|block| block.width).fold(0.0, f64::max);
        for block in blocks {
            let (left, top) = if is_stacked {
                ((widest - block.width) / 2.0, whole.height)
            } else {
                (whole.width, 0.0)
            };
            whole.width = whole.width.max(left + block.width);
            whole.height = whole.height.max(top + block.height);
            let symbols = block.symbols.into_iter();
            whole.symbols.extend(symbols.map(|symbol| PositionedSymbol {
                left: symbol.left + left,
                top: symbol.top + top,
                ..symbol
            }));
            whole.lines.extend(block.lines.into_iter().map(|line| PositionedLine {
                left: line.left + left,
                baseline: line.baseline + top,
                ..line
            }));
        }
        whole
    }

    /// Lays out one symbol with its text.
    fn of_part(part: &Part, medium: &impl Medium) -> Layout {
        let kind = part.symbol.kind();
        let module = medium.module(part);
        let column = module / f64::from(kind.columns_per_module());
        let quiet = kind.quiet_zone();
        let width = column * f64::from(part.symbol.columns_with_quiet_zone());
        let height = module * f64::from(part.rows_with_quiet_zone());
        let symbol = |left: f64| PositionedSymbol {
            left: left + module * f64::from(quiet.left),
            top: module * f64::from(quiet.above),
            column,
            module,
        };
        if kind.is_ean_upc() {
            let lines = Layout::ean_upc_digits(part, medium, module);
            let below = if lines.is_empty() { 0 } else { EAN_TEXT - LONGER };
            let height = height + module * f64::from(below);
            return Layout { width, height, symbols: vec![symbol(0.0)], lines };
        }
        let font = medium.font(None);
        let limit = medium.line_limit(width);
        let texts = text::lines(&part.elements, limit, |line| font.width_of(line));
        let widest = texts.iter().map(|line| font.width_of(line)).fold(0.0, f64::max);
        let whole = width.max(widest.ceil());
        let gap = if kind.is_linear() { module * f64::from(BARS_GAP) } else { 0.0 };
        let lines = (0_u32..).zip(texts).map(|(nth, text)| {
            let baseline = height + gap + font.capitals + font.line * f64::from(nth);
            font.line(text, whole / 2.0, baseline)
        });
        let lines: Vec<PositionedLine> = lines.collect();
        let height = lines.last().map_or(height, |last| (last.baseline + font.descent).ceil());
        let left = (whole - width) / 2.0;
        Layout { width: whole, height, symbols: vec![symbol(left)], lines }
    }

    /// Returns the digits of an EAN or UPC symbol.
    fn ean_upc_digits(part: &Part, medium: &impl Medium, module: f64) -> Vec<PositionedLine> {
        let Some(digits) = part.elements.first() else { return Vec::new() };
        let font = medium.font(Some(module * f64::from(EAN_DIGITS)));
        let bars = part.row_heights.first().copied().unwrap_or_default();
        let baseline = module * f64::from(bars + EAN_GAP) + font.capitals;
        // Digits, and the column that they are centred on, in halves of a module from the left side
        // of the quiet zone.
        let groups: &[(std::ops::Range<usize>, u32)] = match part.symbol.kind() {
            SymbolKind::Ean8 => &[(0..4, 48), (4..8, 114)],
            SymbolKind::UpcA => &[(0..1, 9), (1..6, 73), (6..11, 153), (11..12, 217)],
            _ => &[(0..1, 11), (1..7, 70), (7..13, 164)],
        };
        let lines = groups.iter().filter_map(|(range, centre)| {
            let text = digits.get(range.clone())?.to_owned();
            Some(font.line(text, module * f64::from(*centre) / 2.0, baseline))
        });
        lines.collect()
    }
}

/// Modules between other bars and their text: at least 1.02 mm below an ITF-14 (GS1 General
/// Specifications, section 5.3.2.2).
const BARS_GAP: u32 = 3;

/// Modules between the bars of an EAN or UPC symbol and its digits.
const EAN_GAP: u32 = 1;

/// The height of the digits in modules: 2.31 mm at the target. Fonts that are a sixth wider than
/// Helvetica stay between the bars.
const EAN_DIGITS: u32 = 7;

/// Modules below the bars with the digits.
const EAN_TEXT: u32 = EAN_GAP + EAN_DIGITS;
