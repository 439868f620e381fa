//! A symbol of a label, with the sizes and the text that it is drawn with.

use crate::content::Content;
use crate::length::Length;
use crate::options::LabelOptions;
use crate::size::Size;
use crate::symbol::{Symbol, TooLong};

/// A symbol of a label, with its text.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Part {
    pub(crate) symbol: Symbol,
    pub(crate) x_dimension: Length,
    /// The height of each row of the matrix, in modules.
    pub(crate) row_heights: Vec<u32>,
    pub(crate) elements: Vec<String>,
}

/// A dark rectangle of a symbol, in columns and in modules from its top left corner.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Bar {
    pub(crate) left: u32,
    pub(crate) top: u32,
    pub(crate) width: u32,
    pub(crate) height: u32,
}

impl Part {
    /// Draws the smallest symbol for a content. `x_dimension` is the width of a module, if it is
    /// not the target of the kind.
    pub(crate) fn new(
        content: &Content,
        options: LabelOptions,
        x_dimension: Option<Length>,
    ) -> Result<Part, TooLong> {
        let symbol = Symbol::draw(content.kind(), content.data(), options.error_correction)?;
        let elements = if options.has_text { content.elements().to_vec() } else { Vec::new() };
        let x_dimension = x_dimension.unwrap_or(content.kind().x_dimensions().target);
        let row_heights = symbol.row_heights(x_dimension, options.bar_height);
        Ok(Part { symbol, x_dimension, row_heights, elements })
    }

    /// Returns the modules of the height, with the quiet zone.
    pub(crate) fn rows_with_quiet_zone(&self) -> u32 {
        let rows = self.row_heights.iter().fold(0, |sum: u32, rows| sum.saturating_add(*rows));
        rows.saturating_add(2 * self.symbol.kind().quiet_zone().above)
    }

    /// Returns the size with the quiet zone and modules of a width.
    pub(crate) fn size(&self, x_dimension: Length) -> Size {
        let columns = x_dimension.times(self.symbol.columns_with_quiet_zone()).micrometres();
        let width = columns.div_ceil(self.symbol.kind().columns_per_module());
        Size {
            width: Length::from_micrometres(width),
            height: x_dimension.times(self.rows_with_quiet_zone()),
        }
    }

    /// Returns the dark rectangles. A bar of a linear symbol is one, also where it is longer.
    pub(crate) fn bars(&self) -> Vec<Bar> {
        let is_linear = self.symbol.kind().is_linear();
        let mut bars: Vec<Bar> = Vec::new();
        for (row, left, width) in self.symbol.matrix().runs() {
            let row = row as usize;
            let top = if is_linear { self.row_heights[..row].iter().sum() } else { row as u32 };
            let height = self.row_heights.get(row).copied().unwrap_or(1);
            let above =
                |bar: &&mut Bar| (bar.left, bar.width, bar.top + bar.height) == (left, width, top);
            match bars.iter_mut().filter(|_| is_linear).find(above) {
                Some(bar) => bar.height += height,
                None => bars.push(Bar { left, top, width, height }),
            }
        }
        bars
    }
}
