//! Widths of the characters of Helvetica, one of the fonts that every PDF reader has (ISO 32000-1,
//! section 9.6.2.2). Arial and Liberation Sans have the same.

/// Returns the width of a text, in parts of the font size.
pub(crate) fn width(text: &str) -> f64 {
    let thousandths: u32 = text.bytes().map(|byte| u32::from(advance(byte))).sum();
    f64::from(thousandths) / 1000.0
}

/// The height of digits and capital letters, in parts of the font size.
pub(crate) const CAP_HEIGHT: f64 = 0.718;

/// The depth of letters below the line, in parts of the font size.
pub(crate) const DESCENT: f64 = 0.207;

fn advance(byte: u8) -> u16 {
    let position = byte.checked_sub(b' ').map(usize::from);
    position.and_then(|position| ADVANCES.get(position)).copied().unwrap_or(WIDEST)
}

/// The width of `@`, the widest character of ASCII.
const WIDEST: u16 = 1015;

/// From the space to the tilde, in thousandths of the font size.
const ADVANCES: [u16; 95] = [
    278, 278, 355, 556, 556, 889, 667, 191, 333, 333, 389, 584, 278, 333, 278,
    278, // space to /
    556, 556, 556, 556, 556, 556, 556, 556, 556, 556, 278, 278, 584, 584, 584, 556, // 0 to ?
    1015, 667, 667, 722, 722, 667, 611, 778, 722, 278, 500, 667, 556, 833, 722, 778, // @ to O
    667, 778, 722, 667, 611, 722, 667, 944, 667, 667, 611, 278, 278, 278, 469, 556, // P to _
    333, 556, 556, 500, 556, 556, 278, 556, 556, 222, 222, 500, 222, 833, 556, 556, // ` to o
    556, 556, 333, 500, 278, 556, 500, 722, 500, 500, 500, 334, 260, 334, 584, // p to ~
];

#[cfg(test)]
mod tests {
    use super::width;

    #[test]
    fn widths_are_those_of_the_font() {
        let near = |text: &str, wanted: f64| assert!((width(text) - wanted).abs() < 1e-9, "{text}");
        near("0123456789", 5.56);
        near("(01) ", 2.056);
        near("iW@~", 0.222 + 0.944 + 1.015 + 0.584);
        near("", 0.0);
    }
}
