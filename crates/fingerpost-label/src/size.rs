//! Sizes of paper, labels and symbols.
//!
//! ```text
//! size = length ("x" / "×") length / length
//! ```

use std::fmt;
use std::str::FromStr;

use crate::length::{Length, NotALength};

/// A width and a height, `50x30mm`.
///
/// ```
/// use fingerpost_label::Size;
///
/// let size: Size = "63.5x38.1mm".parse()?;
/// assert_eq!(size.to_string(), "63.5 × 38.1 mm");
/// assert_eq!("2in x 1in".parse::<Size>()?.to_string(), "50.8 × 25.4 mm");
/// # Ok::<(), fingerpost_label::NotALength>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Size {
    /// The width.
    pub width: Length,
    /// The height.
    pub height: Length,
}

impl Size {
    /// A4 paper (ISO 216).
    pub const A4: Size = Size::new(210_000, 297_000);

    /// Letter paper (ANSI/ASME Y14.1).
    pub const LETTER: Size = Size::new(215_900, 279_400);

    /// The labels of a sheet unless others are given: 21 on A4 with gaps of 2.5 mm between columns.
    pub const LABEL: Size = Size::new(63_500, 38_100);

    const fn new(width: u32, height: u32) -> Size {
        Size { width: Length::from_micrometres(width), height: Length::from_micrometres(height) }
    }
}

impl FromStr for Size {
    type Err = NotALength;

    fn from_str(text: &str) -> Result<Size, NotALength> {
        let Some((width, height)) = text.split_once(['x', '×']) else {
            let both: Length = text.parse()?;
            return Ok(Size { width: both, height: both });
        };
        let height = height.trim();
        // One unit at the end is that of both.
        let unit = height.trim_start_matches(|char: char| char.is_ascii_digit() || char == '.');
        let has_unit = width.trim_end().ends_with(|char: char| char.is_ascii_alphabetic());
        let width = if has_unit { width.parse()? } else { format!("{width}{unit}").parse()? };
        Ok(Size { width, height: height.parse()? })
    }
}

impl fmt::Display for Size {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let width = self.width.to_string();
        write!(f, "{} × {}", width.trim_end_matches(" mm"), self.height)
    }
}

#[cfg(test)]
mod tests {
    use super::Size;

    #[test]
    fn sizes_are_read_with_one_unit_or_two() {
        for (text, size) in [
            ("50x30mm", Some("50 × 30 mm")),
            ("50x30", Some("50 × 30 mm")),
            ("5cm x 30mm", Some("50 × 30 mm")),
            ("2x1in", Some("50.8 × 25.4 mm")),
            ("40 × 20 mm", Some("40 × 20 mm")),
            ("40mm", Some("40 × 40 mm")),
            ("x30mm", None),
            ("50x", None),
            ("50x30x2mm", None),
            ("A4", None),
        ] {
            let found = text.parse::<Size>().ok().map(|size| size.to_string());
            assert_eq!(found.as_deref(), size, "{text}");
        }
    }
}
