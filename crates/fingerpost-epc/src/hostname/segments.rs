//! The shortest encoding of a host name in units of seven bits: EPC Tag Data Standard 2.3, section
//! 14.5.16.2.
//!
//! Taking the longest sequence at each position is not always shortest: in `covid.com` the `id.`
//! takes the dot from `.com`. Therefore the units needed from each position to the end are counted
//! from the back, and of the shortest encodings the one with the longest first piece is used.

use super::table::{LONG, SHORT};
use crate::bits::Bits;
use crate::limits::MAX_HOSTNAME;

/// A piece of the name and its encoding.
#[derive(Clone, Copy)]
struct Piece {
    /// The number of characters.
    len: usize,
    /// The number of units of seven bits: 1 or 2.
    units: usize,
    bits: u64,
}

/// Returns the units of the shortest encoding; more than 63 for a name that is too long.
pub(super) fn units(name: &str) -> usize {
    if name.len() > MAX_HOSTNAME {
        return name.len();
    }
    usize::from(costs(name.as_bytes())[0])
}

/// Writes the shortest encoding.
pub(super) fn write(name: &str, out: &mut Bits) {
    // The caller has counted the units, so the name is not longer.
    let name = &name.as_bytes()[..name.len().min(MAX_HOSTNAME)];
    let costs = costs(name);
    let mut at = 0;
    while at < name.len() {
        let piece = best(name, at, &costs);
        out.push(piece.bits, 7 * piece.units);
        at += piece.len;
    }
}

/// Returns the units from each position to the end, 0 at the end.
fn costs(name: &[u8]) -> [u8; MAX_HOSTNAME + 1] {
    let mut costs = [0; MAX_HOSTNAME + 1];
    for at in (0..name.len()).rev() {
        let piece = best(name, at, &costs);
        // At most one for each of 252 characters.
        costs[at] = costs[at + piece.len] + piece.units as u8;
    }
    costs
}

/// Returns the piece at `at` with the fewest units to the end, the longest if there are several.
fn best(name: &[u8], at: usize, costs: &[u8; MAX_HOSTNAME + 1]) -> Piece {
    let rest = &name[at..];
    let total = |piece: &Piece| usize::from(costs[at + piece.len]) + piece.units;
    let mut best = Piece { len: 1, units: 1, bits: u64::from(rest[0]) };
    let mut consider = |piece: Piece| {
        let better = total(&piece) < total(&best);
        if better || (total(&piece) == total(&best) && piece.len > best.len) {
            best = piece;
        }
    };
    for (bits, text) in &SHORT {
        if rest.starts_with(text.as_bytes()) {
            consider(Piece { len: text.len(), units: 1, bits: u64::from(*bits) });
        }
    }
    // All sequences of fourteen bits begin with a dot.
    if rest[0] == b'.' {
        for (table, texts) in LONG.iter().enumerate() {
            for (index, text) in texts.iter().enumerate() {
                if rest.starts_with(text.as_bytes()) {
                    let bits = (table as u64) << 7 | index as u64;
                    consider(Piece { len: text.len(), units: 2, bits });
                }
            }
        }
    }
    best
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_sequences_begin_with_dots() {
        assert!(LONG.iter().all(|texts| texts.iter().all(|text| text.starts_with('.'))));
        // `MAX_HOSTNAME` assumes that no text has more than four characters per unit.
        assert!(SHORT.iter().all(|(_, text)| text.len() <= 4));
        assert!(LONG.iter().all(|texts| texts.iter().all(|text| text.len() <= 8)));
    }

    // EPC-HST-05
    #[test]
    fn the_shortest_way_is_not_the_greedy_one() {
        for (name, expected) in [
            ("covid.com", 6),
            ("covid.org", 6),
            ("id.example.com", 9),
            ("example.co.uk", 9),
            ("shop.example.tech", 14),
            ("x", 1),
        ] {
            assert_eq!(units(name), expected, "{name}");
        }
    }
}
