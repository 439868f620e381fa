//! GS1-128: Code 128 (ISO/IEC 15417) with FNC1 first (GS1 General Specifications, section 5.4).
//!
//! ```text
//! symbol = start FNC1 *(character / FNC1 / code) check stop
//! ```
//!
//! Code set B has a character for each of ASCII, code set C one for two digits; `code` changes from
//! one to the other. Element strings have no characters that only code set A has. The shortest
//! sequence is found character by character from the end.

use crate::limits::MAX_GS1_128_CHARACTERS;
use crate::matrix::Matrix;

/// Draws an element string without its leading FNC1, with GS (0x1D) as separator; `None` if it is
/// too long or has other characters than ASCII.
pub(crate) fn draw(data: &[u8]) -> Option<Matrix> {
    let values = values(data)?;
    let check: usize = values.iter().enumerate().map(|(at, value)| at.max(1) * value).sum();
    let mut dark = Vec::new();
    for value in values.iter().copied().chain([check % 103, STOP]) {
        let mut is_dark = true;
        for width in PATTERNS[value].bytes().map(|digit| usize::from(digit - b'0')) {
            dark.resize(dark.len() + width, is_dark);
            is_dark = !is_dark;
        }
    }
    Some(Matrix::new(u32::try_from(dark.len()).ok()?, dark))
}

/// Returns the values of the characters of a symbol before its check character.
fn values(data: &[u8]) -> Option<Vec<usize>> {
    if data.len() > MAX_GS1_128_CHARACTERS || !data.iter().all(|byte| is_writable(*byte)) {
        return None;
    }
    let costs = costs(data);
    let mut is_c = costs[0].c < costs[0].b;
    let mut values = vec![if is_c { START_C } else { START_B }, FNC1];
    let mut at = 0;
    while let Some(&byte) = data.get(at) {
        let Costs { b, c } = costs[at];
        let (stay, change) = if is_c { (c, b) } else { (b, c) };
        if change + 1 < stay {
            values.push(if is_c { CODE_B } else { CODE_C });
            is_c = !is_c;
        }
        match (byte, pair(&data[at..])) {
            (SEPARATOR, _) => values.push(FNC1),
            (_, Some(pair)) if is_c => {
                values.push(pair);
                at += 1;
            }
            _ => values.push(usize::from(byte - b' ')),
        }
        at += 1;
    }
    Some(values)
}

/// How many characters the rest of the data needs if its first one is from a code set.
#[derive(Clone, Copy)]
struct Costs {
    b: usize,
    c: usize,
}

/// Returns the costs from each position of the data to their end.
fn costs(data: &[u8]) -> Vec<Costs> {
    let mut costs = vec![Costs { b: 0, c: 0 }; data.len() + 1];
    for at in (0..data.len()).rev() {
        let from_b = |at: usize| costs[at].b.min(costs[at].c + 1);
        let from_c = |at: usize| costs[at].c.min(costs[at].b + 1);
        let b = 1 + from_b(at + 1);
        let c = match (data[at], pair(&data[at..])) {
            (SEPARATOR, _) => 1 + from_c(at + 1),
            (_, Some(_)) => 1 + from_c(at + 2),
            // More than any data need.
            _ => 2 * MAX_GS1_128_CHARACTERS,
        };
        costs[at] = Costs { b, c };
    }
    costs
}

/// Returns the value of the two digits at the beginning, if there are two.
fn pair(data: &[u8]) -> Option<usize> {
    let [ten @ b'0'..=b'9', one @ b'0'..=b'9', ..] = data else { return None };
    Some(usize::from((ten - b'0') * 10 + one - b'0'))
}

fn is_writable(byte: u8) -> bool {
    byte == SEPARATOR || (b' '..=b'~').contains(&byte)
}

/// GS, which stands for FNC1 between elements.
const SEPARATOR: u8 = 0x1d;

const CODE_C: usize = 99;
const CODE_B: usize = 100;
const FNC1: usize = 102;
const START_B: usize = 104;
const START_C: usize = 105;
const STOP: usize = 106;

/// The widths of bars and spaces of each character by its value (ISO/IEC 15417, section 4.3.2).
#[rustfmt::skip]
const PATTERNS: [&str; 107] = [
    "212222", "222122", "222221", "121223", "121322", "131222", "122213", "122312", "132212", "221213",
    "221312", "231212", "112232", "122132", "122231", "113222", "123122", "123221", "223211", "221132",
    "221231", "213212", "223112", "312131", "311222", "321122", "321221", "312212", "322112", "322211",
    "212123", "212321", "232121", "111323", "131123", "131321", "112313", "132113", "132311", "211313",
    "231113", "231311", "112133", "112331", "132131", "113123", "113321", "133121", "313121", "211331",
    "231131", "213113", "213311", "213131", "311123", "311321", "331121", "312113", "312311", "332111",
    "314111", "221411", "431111", "111224", "111422", "121124", "121421", "141122", "141221", "112214",
    "112412", "122114", "122411", "142112", "142211", "241211", "221114", "413111", "241112", "134111",
    "111242", "121142", "121241", "114212", "124112", "124211", "411212", "421112", "421211", "212141",
    "214121", "412121", "111143", "111341", "131141", "114113", "114311", "411113", "411311", "113141",
    "114131", "311141", "411131", "211412", "211214", "211232", "2331112",
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_differ_and_are_eleven_modules_wide() {
        for (at, pattern) in PATTERNS.iter().enumerate() {
            let width = |step| pattern.bytes().step_by(step).map(|digit| digit - b'0').sum::<u8>();
            assert_eq!(width(1), if at == STOP { 13 } else { 11 }, "{at}");
            assert!(width(2) % 2 == 0 || at == STOP, "{at}: bars are an even number of modules");
            assert!(!PATTERNS[..at].contains(pattern), "{at}");
        }
    }

    /// The fewest characters, by trying every sequence of code sets.
    fn fewest(data: &[u8], is_c: bool) -> usize {
        let Some(byte) = data.first() else { return 0 };
        let in_c = if *byte == SEPARATOR {
            Some(1 + fewest(&data[1..], true))
        } else {
            pair(data).map(|_| 1 + fewest(&data[2..], true))
        };
        let in_b = 1 + fewest(&data[1..], false);
        let in_c = in_c.map_or(usize::MAX, |cost| cost + usize::from(!is_c));
        in_c.min(in_b + usize::from(is_c))
    }

    #[test]
    fn characters_are_as_few_as_possible() {
        for data in [
            "0109520123456788",
            "10A",
            "10A1",
            "10AB12C345",
            "2112\u{1d}1034",
            "211\u{1d}103\u{1d}9912",
            "99123",
            "10A1234",
            "10A123456B",
            "1",
            "",
        ] {
            let fewest = fewest(data.as_bytes(), true).min(fewest(data.as_bytes(), false));
            assert_eq!(values(data.as_bytes()).unwrap().len(), fewest + 2, "{data:?}");
        }
        assert_eq!(values(b"10A1").unwrap(), [START_B, FNC1, 17, 16, 33, 17]);
        assert_eq!(values(b"0112").unwrap(), [START_C, FNC1, 1, 12]);
    }

    #[test]
    fn what_is_too_long_or_not_ascii_is_refused() {
        let long = "1".repeat(MAX_GS1_128_CHARACTERS + 1);
        assert!(draw(&long.as_bytes()[1..]).is_some() && draw(long.as_bytes()).is_none());
        assert!(draw("é".as_bytes()).is_none() && draw(b"\n").is_none() && draw(b"\x7f").is_none());
    }
}
