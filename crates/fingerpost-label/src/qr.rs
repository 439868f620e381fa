//! QR Code (ISO/IEC 18004): divides the content into segments so that the symbol is as small as
//! possible.
//!
//! A character costs 8 bits in byte mode, 5½ in alphanumeric mode (digits, upper case letters and `
//! $%*+-./:`) and 3⅓ in numeric mode; each segment begins with its mode and its length, whose field
//! grows with the version. The cheapest sequence of modes is found character by character: for each
//! mode, the cheapest way to have written everything so far and to be in that mode.

use qrcodegen::{QrCode, QrCodeEcc, QrSegment, Version};

use crate::error_correction::ErrorCorrection;
use crate::matrix::Matrix;

/// Draws the smallest QR Code with this level of error correction; `None` if the data do not fit.
pub(crate) fn draw(data: &str, level: ErrorCorrection) -> Option<Matrix> {
    RANGES.iter().find_map(|range| {
        let segments = segments(data, range);
        let (first, last) = (Version::new(range.first), Version::new(range.last));
        let ecc = ecc(level);
        // The level stays as it was chosen: a higher one would save nothing and change the symbol
        // with its content.
        let code =
            QrCode::encode_segments_advanced(&segments, ecc, first, last, None, false).ok()?;
        let size = code.size();
        let modules = (0..size).flat_map(|y| (0..size).map(move |x| (x, y)));
        let dark = modules.map(|(x, y)| code.get_module(x, y)).collect();
        Some(Matrix::new(size.unsigned_abs(), dark))
    })
}

/// Returns whether data fit into the largest QR Code.
pub(crate) fn fits(data: &str, level: ErrorCorrection) -> bool {
    // Codewords of data in version 40.
    let codewords = match level {
        ErrorCorrection::Low => 2956,
        ErrorCorrection::Medium => 2334,
        ErrorCorrection::Quartile => 1666,
        ErrorCorrection::High => 1276,
    };
    RANGES.last().is_some_and(|range| Plan::of(data.as_bytes(), range).bits() <= codewords * 8)
}

fn ecc(level: ErrorCorrection) -> QrCodeEcc {
    match level {
        ErrorCorrection::Low => QrCodeEcc::Low,
        ErrorCorrection::Medium => QrCodeEcc::Medium,
        ErrorCorrection::Quartile => QrCodeEcc::Quartile,
        ErrorCorrection::High => QrCodeEcc::High,
    }
}

/// Versions whose length fields have the same size.
struct Range {
    first: u8,
    last: u8,
    /// Bits of the length field of each mode.
    length_bits: [u32; 3],
}

const RANGES: [Range; 3] = [
    Range { first: 1, last: 9, length_bits: [10, 9, 8] },
    Range { first: 10, last: 26, length_bits: [12, 11, 16] },
    Range { first: 27, last: 40, length_bits: [14, 13, 16] },
];

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Mode {
    Numeric,
    Alphanumeric,
    Byte,
}

const MODES: [Mode; 3] = [Mode::Numeric, Mode::Alphanumeric, Mode::Byte];

impl Mode {
    /// Returns the cost of a character in sixths of a bit; `None` if the mode does not have it.
    fn cost(self, byte: u8) -> Option<u32> {
        match self {
            Mode::Numeric => byte.is_ascii_digit().then_some(20),
            Mode::Alphanumeric => {
                let is_listed = byte.is_ascii_digit()
                    || byte.is_ascii_uppercase()
                    || b" $%*+-./:".contains(&byte);
                is_listed.then_some(33)
            }
            Mode::Byte => Some(48),
        }
    }
}

/// The cheapest modes of all characters.
struct Plan {
    modes: Vec<Mode>,
    sixths: u32,
}

impl Plan {
    fn of(data: &[u8], range: &Range) -> Plan {
        let heads = range.length_bits.map(|bits| (4 + bits) * 6);
        // For each mode, the cost up to here; and for each character, the mode of the one before
        // it.
        let mut costs: [Option<u32>; 3] = heads.map(Some);
        let mut before: Vec<[usize; 3]> = Vec::with_capacity(data.len());
        for (at, byte) in data.iter().enumerate() {
            let (mut next, mut from) = ([None; 3], [0; 3]);
            for (mode, cost) in MODES.iter().map(|mode| mode.cost(*byte)).enumerate() {
                let Some(cost) = cost else { continue };
                let ways = (0..3).filter_map(|other| {
                    let so_far = costs[other]?;
                    match (other == mode, at) {
                        (true, _) => Some((so_far, other)),
                        (false, 0) => None,
                        // A segment ends after a whole bit.
                        (false, _) => Some((so_far.next_multiple_of(6) + heads[mode], other)),
                    }
                });
                if let Some((so_far, other)) = ways.min() {
                    (next[mode], from[mode]) = (Some(so_far + cost), other);
                }
            }
            costs = next;
            before.push(from);
        }
        let ends = (0..3).filter_map(|mode| Some((costs[mode]?.next_multiple_of(6), mode)));
        let (sixths, mut mode) = ends.min().unwrap_or_default();
        let mut modes = Vec::with_capacity(data.len());
        for from in before.iter().rev() {
            modes.push(MODES[mode]);
            mode = from[mode];
        }
        modes.reverse();
        Plan { modes, sixths }
    }

    fn bits(&self) -> u32 {
        self.sixths / 6
    }
}

fn segments(data: &str, range: &Range) -> Vec<QrSegment> {
    let plan = Plan::of(data.as_bytes(), range);
    let mut begin = 0;
    let runs = plan.modes.chunk_by(|one, other| one == other);
    runs.map(|run| {
        let part = &data.as_bytes()[begin..begin + run.len()];
        begin += run.len();
        // Characters of the other modes are ASCII.
        let text = || std::str::from_utf8(part).unwrap_or_default();
        match run[0] {
            Mode::Numeric => QrSegment::make_numeric(text()),
            Mode::Alphanumeric => QrSegment::make_alphanumeric(text()),
            Mode::Byte => QrSegment::make_bytes(part),
        }
    })
    .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bits(data: &str) -> u32 {
        Plan::of(data.as_bytes(), &RANGES[0]).bits()
    }

    /// The cost of every sequence of modes, by trying all.
    fn cheapest(data: &[u8], mode: Option<Mode>, open: u32) -> Option<u32> {
        let Some((byte, rest)) = data.split_first() else { return Some(open.next_multiple_of(6)) };
        let ways = MODES.iter().zip(RANGES[0].length_bits).filter_map(|(next, bits)| {
            let cost = next.cost(*byte)?;
            if mode == Some(*next) {
                return cheapest(rest, mode, open + cost);
            }
            let begun = open.next_multiple_of(6) + (4 + bits) * 6;
            cheapest(rest, Some(*next), begun + cost)
        });
        ways.min()
    }

    #[test]
    fn segments_cost_as_little_as_any() {
        for data in ["a", "1", "A", "AB1234c", "a12345678b", "HTTPS://A", "x12y345", "12345678901"]
        {
            let least = cheapest(data.as_bytes(), None, 0).map(|sixths| sixths / 6);
            assert_eq!(Some(bits(data)), least, "{data}");
        }
    }

    #[test]
    fn an_upper_case_address_is_alphanumeric_with_numeric_digits() {
        let upper = "HTTPS://ID.EXAMPLE.ORG/01/09520123456788";
        let plan = Plan::of(upper.as_bytes(), &RANGES[0]);
        assert!(!plan.modes.contains(&Mode::Byte), "{:?}", plan.modes);
        assert!(plan.modes.contains(&Mode::Numeric), "{:?}", plan.modes);
        assert!(bits(upper) < bits(&upper.to_lowercase()));
        // 26 characters and 14 digits: 4 + 9 + 143 and 4 + 10 + 47 bits.
        assert_eq!(bits(upper), 217);
    }

    #[test]
    fn planned_bits_are_those_of_the_segments() {
        for data in ["https://id.example.org/01/09520123456788/10/ABC?17=271231", "", "A1a"] {
            for range in &RANGES {
                let planned = Plan::of(data.as_bytes(), range).bits();
                let lengths = segments(data, range)
                    .iter()
                    .map(|segment| {
                        let position = match segment.mode() {
                            qrcodegen::QrSegmentMode::Numeric => 0,
                            qrcodegen::QrSegmentMode::Alphanumeric => 1,
                            _ => 2,
                        };
                        4 + range.length_bits[position] + segment.data().len() as u32
                    })
                    .sum::<u32>();
                assert!(data.is_empty() || planned == lengths, "{data} {planned} {lengths}");
            }
        }
    }

    #[test]
    fn limits_are_those_of_the_encoder() {
        for level in ErrorCorrection::ALL {
            for byte in ["1", "A", "a"] {
                let mut length = 0;
                for step in [4096, 2048, 1024, 512, 256, 128, 64, 32, 16, 8, 4, 2, 1] {
                    if fits(&byte.repeat(length + step), level) {
                        length += step;
                    }
                }
                assert!(draw(&byte.repeat(length), level).is_some(), "{byte} {length}");
                assert!(draw(&byte.repeat(length + 1), level).is_none(), "{byte} {length}");
            }
        }
    }
}
