//! Symbols whose digits are bars of their own: EAN-13, EAN-8 and UPC-A (ISO/IEC 15420), and ITF-14,
//! an Interleaved 2 of 5 of fourteen digits with bearer bars (ISO/IEC 16390, GS1 General
//! Specifications, section 5.3).

use crate::matrix::Matrix;
use crate::symbol::SymbolKind;

/// Draws the digits of a GTIN as one row of bars; below it, EAN and UPC have a row with the bars
/// that are longer, and an ITF-14 is between two rows of bearer bars. `None` for another number of
/// digits.
pub(crate) fn draw(kind: SymbolKind, data: &str) -> Option<Matrix> {
    let digits: Vec<usize> =
        data.bytes().map(|byte| usize::from(byte.wrapping_sub(b'0'))).collect();
    if digits.iter().any(|digit| *digit > 9) {
        return None;
    }
    let mut bars = Bars::default();
    match (kind, digits.len()) {
        (SymbolKind::Ean13, 13) => bars.ean(PARITIES[digits[0]], &digits[1..], 0),
        (SymbolKind::UpcA, 12) => bars.ean(PARITIES[0], &digits, 1),
        (SymbolKind::Ean8, 8) => bars.ean(PARITIES[0], &digits, 0),
        (SymbolKind::Itf14, 14) => bars.itf(&digits),
        _ => return None,
    }
    let width = u32::try_from(bars.dark.len()).ok()?;
    let rows = if kind == SymbolKind::Itf14 {
        let bearer = vec![true; bars.dark.len()];
        [bearer.clone(), bars.dark, bearer].concat()
    } else {
        let long = bars.dark.iter().zip(&bars.long).map(|(dark, long)| *dark && *long);
        let long: Vec<bool> = long.collect();
        [bars.dark, long].concat()
    };
    Some(Matrix::new(width, rows))
}

/// A row of bars, and which of its columns are longer.
#[derive(Default)]
struct Bars {
    dark: Vec<bool>,
    long: Vec<bool>,
}

impl Bars {
    /// Appends bars and spaces of these widths in turn.
    fn push(&mut self, widths: impl IntoIterator<Item = u8>, mut is_dark: bool, is_long: bool) {
        for width in widths {
            let length = self.dark.len() + usize::from(width);
            self.dark.resize(length, is_dark);
            self.long.resize(length, is_long);
            is_dark = !is_dark;
        }
    }

    /// Appends both halves of an EAN or UPC symbol between their guard bars. `outer` is the number
    /// of digits at both ends that have long bars, too.
    fn ean(&mut self, parities: [bool; 6], digits: &[usize], outer: usize) {
        let half = digits.len() / 2;
        self.push([1; 3], true, true);
        for (at, (&digit, is_mirrored)) in digits[..half].iter().zip(parities).enumerate() {
            let mut widths = EAN[digit];
            if is_mirrored {
                widths.reverse();
            }
            self.push(widths, false, at < outer);
        }
        self.push([1; 5], false, true);
        for (at, &digit) in digits[half..].iter().enumerate() {
            self.push(EAN[digit], true, at + outer >= half);
        }
        self.push([1; 3], true, true);
    }

    /// Appends pairs of digits, the first as bars and the second as the spaces between them.
    fn itf(&mut self, digits: &[usize]) {
        self.push([NARROW; 4], true, false);
        for pair in digits.chunks_exact(2) {
            let widths = ITF[pair[0]].into_iter().zip(ITF[pair[1]]);
            let width = |is_wide| if is_wide { WIDE } else { NARROW };
            self.push(widths.flat_map(|(bar, space)| [width(bar), width(space)]), true, false);
        }
        self.push([WIDE, NARROW, NARROW], true, false);
    }
}

/// Columns of a narrow bar of an ITF-14, which is one module wide.
const NARROW: u8 = 2;

/// Columns of a wide one: two and a half modules, the target (GS1 General Specifications, section
/// 5.3.2.1).
const WIDE: u8 = 5;

/// The widths of bars and spaces of each digit, from the number set A (ISO/IEC 15420, section 4.2).
/// Set C has the same with bars and spaces exchanged, set B the mirror image of set C.
const EAN: [[u8; 4]; 10] = [
    [3, 2, 1, 1],
    [2, 2, 2, 1],
    [2, 1, 2, 2],
    [1, 4, 1, 1],
    [1, 1, 3, 2],
    [1, 2, 3, 1],
    [1, 1, 1, 4],
    [1, 3, 1, 2],
    [1, 2, 1, 3],
    [3, 1, 1, 2],
];

/// Which digits of the left half are from the number set B, for each first digit, which has no bars
/// of its own.
const PARITIES: [[bool; 6]; 10] = {
    const A: bool = false;
    const B: bool = true;
    [
        [A, A, A, A, A, A],
        [A, A, B, A, B, B],
        [A, A, B, B, A, B],
        [A, A, B, B, B, A],
        [A, B, A, A, B, B],
        [A, B, B, A, A, B],
        [A, B, B, B, A, A],
        [A, B, A, B, A, B],
        [A, B, A, B, B, A],
        [A, B, B, A, B, A],
    ]
};

/// Which of the five bars of each digit are wide (ISO/IEC 16390, section 4.3).
const ITF: [[bool; 5]; 10] = {
    const N: bool = false;
    const W: bool = true;
    [
        [N, N, W, W, N],
        [W, N, N, N, W],
        [N, W, N, N, W],
        [W, W, N, N, N],
        [N, N, W, N, W],
        [W, N, W, N, N],
        [N, W, W, N, N],
        [N, N, N, W, W],
        [W, N, N, W, N],
        [N, W, N, W, N],
    ]
};

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn symbols_have_the_widths_of_the_standards() {
        for (kind, data, columns, rows) in [
            (SymbolKind::Ean13, "9520123456788", 95, 2),
            (SymbolKind::UpcA, "012345678905", 95, 2),
            (SymbolKind::Ean8, "95201238", 67, 2),
            (SymbolKind::Itf14, "19520123456785", 241, 3),
        ] {
            let matrix = draw(kind, data).unwrap();
            assert_eq!((matrix.width(), matrix.height()), (columns, rows), "{kind:?}");
            for bad in [&data[1..], &format!("{data}0"), "", &data.replace('5', "x")] {
                assert_eq!(draw(kind, bad), None, "{kind:?} {bad}");
            }
        }
    }

    #[test]
    fn digits_differ_and_are_seven_modules_wide() {
        for (at, widths) in EAN.iter().enumerate() {
            assert_eq!(widths.iter().sum::<u8>(), 7);
            assert!(!EAN[..at].contains(widths) && !PARITIES[..at].contains(&PARITIES[at]));
            assert_eq!(ITF[at].iter().filter(|is_wide| **is_wide).count(), 2);
            assert!(!ITF[..at].contains(&ITF[at]));
        }
    }
}
