//! The label as black and white pixels: modules are a whole number of pixels, which printers
//! reproduce exactly.

use crate::glyphs;
use crate::label::{Label, TEXT_WIDTH};
use crate::length::{Length, MICROMETRES_PER_INCH};
use crate::text;

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
    /// not so few that the module becomes too small for retail if it is not.
    #[must_use]
    pub fn module_pixels(&self, dpi: u32) -> u32 {
        let wanted =
            f64::from(self.x_dimension().micrometres()) * f64::from(dpi) / MICROMETRES_PER_INCH;
        let least = crate::label::X_DIMENSION_LEAST;
        let near = (wanted.round() as u32).max(1);
        let is_too_small = width_of(near, dpi) < least && self.x_dimension() >= least;
        if is_too_small { near + 1 } else { near }
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
        let module = self.module_pixels(dpi);
        let per_millimetre = f64::from(dpi) / 25.4;
        let symbol_width = module * self.symbol().width_with_quiet_zone();
        let dots = DIGIT_HEIGHT * per_millimetre / f64::from(glyphs::CAP_ROWS);
        let dot = (dots.ceil() as u32).max(1);
        let least = (glyphs::ADVANCE * LINE_CHARACTERS * dot).max(symbol_width);
        let limit = f64::from(least).max(TEXT_WIDTH.millimetres() * per_millimetre);
        let lines =
            text::lines(self.elements(), limit, |line| f64::from(glyphs::columns(line) * dot));
        let widest = lines.iter().map(|line| glyphs::columns(line) * dot).max().unwrap_or(0);
        let width = symbol_width.max(widest);
        let text_top = module * self.symbol().height_with_quiet_zone();
        let text_height = lines.len() as u32 * glyphs::LINE_ROWS * dot;
        let mut raster = Raster::white(width, text_top + text_height, dpi, module)?;
        let quiet = module * self.symbol().kind().quiet_modules();
        let left = (width - symbol_width) / 2 + quiet;
        for (y, x, length) in self.symbol().matrix().runs() {
            raster.fill(left + x * module, quiet + y * module, length * module, module);
        }
        for (nth, line) in (0..).zip(&lines) {
            let left = (width - glyphs::columns(line) * dot) / 2;
            let top = text_top + nth * glyphs::LINE_ROWS * dot;
            for (x, y) in glyphs::dots(line) {
                raster.fill(left + x * dot, top + y * dot, dot, dot);
            }
        }
        Ok(raster)
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

    /// Blackens a rectangle, which is within the picture, byte by byte.
    fn fill(&mut self, left: u32, top: u32, width: u32, height: u32) {
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
        let place = (y * self.width.div_ceil(8) + x / 8) as usize;
        x < self.width && self.rows.get(place).is_some_and(|byte| byte & (0x80 >> (x % 8)) != 0)
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

/// The most pixels of a picture: 12.5 MB of memory.
const MAX_PIXELS: u64 = 100_000_000;
