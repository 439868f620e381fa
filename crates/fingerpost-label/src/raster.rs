//! The label as black and white pixels: modules are a whole number of pixels, which printers
//! reproduce exactly.

use crate::glyphs;
use crate::label::{Label, TEXT_WIDTH};
use crate::layout::{Font, Layout, Medium};
use crate::length::{Length, MICROMETRES_PER_INCH};
use crate::limits::MAX_PIXELS;
use crate::part::Part;

/// Resolutions that can be drawn, in dots per inch.
pub const RESOLUTIONS: std::ops::RangeInclusive<u32> = 72..=4800;

/// The reason a label cannot be drawn as pixels.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NoRaster {
    /// The resolution is not within [`RESOLUTIONS`].
    #[error("the resolution is {found} dpi, and can be {} to {}", RESOLUTIONS.start(), RESOLUTIONS.end())]
    Resolution {
        /// The resolution.
        found: u32,
    },
    /// The picture has too many pixels.
    #[error("the picture would have {width} × {height} pixels, more than {} million", MAX_PIXELS / 1_000_000)]
    TooLarge {
        /// The width in pixels.
        width: u32,
        /// The height in pixels.
        height: u32,
    },
}

/// A label as pixels.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Raster {
    width: u32,
    height: u32,
    dpi: u32,
    module: u32,
    /// Rows of whole bytes; a set bit is black, the highest bit is the left pixel.
    rows: Vec<u8>,
}

impl Label {
    /// Returns the width in pixels that a module has at a resolution: the nearest whole number, but
    /// not so few that the module becomes too small for scanners if it is not.
    #[must_use]
    pub fn module_pixels(&self, dpi: u32) -> u32 {
        self.parts()[0].module_pixels(dpi)
    }

    /// Returns the width of a module that is drawn at a resolution.
    #[must_use]
    pub fn module_width(&self, dpi: u32) -> Length {
        width_of(self.module_pixels(dpi), dpi)
    }

    /// Returns the label as pixels at a resolution, with text in a bitmap font.
    ///
    /// # Errors
    ///
    /// The resolution is out of range, or the picture too large.
    pub fn to_raster(&self, dpi: u32) -> Result<Raster, NoRaster> {
        if !RESOLUTIONS.contains(&dpi) {
            return Err(NoRaster::Resolution { found: dpi });
        }
        let layout = Layout::of(self.parts(), &Pixels { dpi }, self.is_stacked());
        // A float becomes the nearest integer that the type has.
        let (width, height) = (layout.width as u32, layout.height as u32);
        let mut raster = Raster::white(width, height, dpi, self.module_pixels(dpi))?;
        for (part, positioned) in self.parts().iter().zip(&layout.symbols) {
            let (left, top) = (positioned.left as u32, positioned.top as u32);
            let (column, module) = (positioned.column as u32, positioned.module as u32);
            for bar in part.bars() {
                raster.fill(
                    left + bar.left * column,
                    top + bar.top * module,
                    bar.width * column,
                    bar.height * module,
                );
            }
        }
        for line in &layout.lines {
            let dot = line.size as u32;
            let left = line.left.max(0.0) as u32;
            let top = line.baseline as u32 - glyphs::CAP_ROWS * dot;
            for (x, y) in glyphs::dots(&line.text) {
                raster.fill(left + x * dot, top + y * dot, dot, dot);
            }
        }
        Ok(raster)
    }
}

impl Part {
    fn module_pixels(&self, dpi: u32) -> u32 {
        // Each column is a whole number of pixels.
        let columns = self.symbol.kind().columns_per_module();
        let pixels = f64::from(self.x_dimension.micrometres()) * f64::from(dpi);
        let wanted = pixels / MICROMETRES_PER_INCH / f64::from(columns);
        let least = self.symbol.kind().x_dimensions().least;
        let near = (wanted.round() as u32).max(1) * columns;
        let is_too_small = width_of(near, dpi) < least && self.x_dimension >= least;
        if is_too_small { near + columns } else { near }
    }
}

/// Pixels of a resolution.
struct Pixels {
    dpi: u32,
}

impl Pixels {
    fn per_millimetre(&self) -> f64 {
        f64::from(self.dpi) / 25.4
    }
}

impl Medium for Pixels {
    fn module(&self, part: &Part) -> f64 {
        f64::from(part.module_pixels(self.dpi))
    }

    fn font(&self, digits: Option<f64>) -> Font {
        let rows = f64::from(glyphs::CAP_ROWS);
        let dot = match digits {
            Some(height) => (height / rows).floor(),
            None => (DIGIT_HEIGHT * self.per_millimetre() / rows).ceil(),
        };
        let size = dot.max(1.0);
        let line = f64::from(glyphs::LINE_ROWS);
        Font {
            size,
            capitals: rows * size,
            descent: (line - rows) * size,
            line: line * size,
            width: |text| f64::from(glyphs::columns(text)),
        }
    }

    fn line_limit(&self, symbol: f64) -> f64 {
        let least = f64::from(glyphs::ADVANCE * LINE_CHARACTERS) * self.font(None).size;
        least.max(symbol).max(TEXT_WIDTH.millimetres() * self.per_millimetre())
    }
}

impl Raster {
    fn white(width: u32, height: u32, dpi: u32, module: u32) -> Result<Raster, NoRaster> {
        if u64::from(width) * u64::from(height) > MAX_PIXELS {
            return Err(NoRaster::TooLarge { width, height });
        }
        let rows = vec![0; (width.div_ceil(8) * height) as usize];
        Ok(Raster { width, height, dpi, module, rows })
    }

    /// Blackens a rectangle, byte by byte; what is outside of the picture is left out.
    fn fill(&mut self, left: u32, top: u32, width: u32, height: u32) {
        let width = width.min(self.width.saturating_sub(left));
        if width == 0 {
            return;
        }
        let row_bytes = self.width.div_ceil(8) as usize;
        let (first, last) = (left / 8, (left + width - 1) / 8);
        for row in self.rows.chunks_mut(row_bytes).skip(top as usize).take(height as usize) {
            for (at, byte) in (first..=last).zip(&mut row[first as usize..]) {
                let mut bits = 0xff_u8;
                if at == first {
                    bits &= 0xff >> (left % 8);
                }
                if at == last {
                    bits &= 0xff << (7 - (left + width - 1) % 8);
                }
                *byte |= bits;
            }
        }
    }

    /// Returns the width in pixels.
    #[must_use]
    pub fn width(&self) -> u32 {
        self.width
    }

    /// Returns the height in pixels.
    #[must_use]
    pub fn height(&self) -> u32 {
        self.height
    }

    /// Returns the resolution in dots per inch.
    #[must_use]
    pub fn dpi(&self) -> u32 {
        self.dpi
    }

    /// Returns the width of a module in pixels.
    #[must_use]
    pub fn module_pixels(&self) -> u32 {
        self.module
    }

    /// Returns whether a pixel is black.
    #[must_use]
    pub fn is_black(&self, x: u32, y: u32) -> bool {
        let position = (y * self.width.div_ceil(8) + x / 8) as usize;
        x < self.width && self.rows.get(position).is_some_and(|byte| byte & (0x80 >> (x % 8)) != 0)
    }

    /// Returns the rows in whole bytes; a set bit is black, the highest bit of a byte is the left
    /// pixel.
    pub(crate) fn rows(&self) -> impl Iterator<Item = &[u8]> {
        self.rows.chunks(self.width.div_ceil(8).max(1) as usize)
    }
}

fn width_of(pixels: u32, dpi: u32) -> Length {
    let micrometres = f64::from(pixels) * MICROMETRES_PER_INCH / f64::from(dpi.max(1));
    Length::from_micrometres(micrometres.round() as u32)
}

/// The least height of digits in millimetres; the next whole number of pixels for each of their
/// dots is drawn.
const DIGIT_HEIGHT: f64 = 1.1;

/// The characters that a line has room for: an SSCC with its Application Identifier.
const LINE_CHARACTERS: u32 = 23;
