//! Measures how lost separators are found: draws valid element strings from the table of
//! Application Identifiers, removes each separator in turn, and compares the reading with the
//! original.
//!
//! ```console
//! $ cargo run -p fingerpost-identify --example lost_separators -- 1000
//! element strings   1000
//! warned untouched  0.00 %
//! separators        2186
//! recovered         87.69 %
//! ambiguous         3.34 %
//! wrong             0.69 %
//! ```

use fingerpost_gs1::{Ai, AiEntry, CharacterSet, ElementString, ErrorKind, Linter, Order};
use fingerpost_identify::inspect;

/// The results of a measurement.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Shares {
    /// Element strings drawn.
    pub(crate) drawn: usize,
    /// Of these, those that carry a warning although nothing was removed.
    pub(crate) warned: usize,
    /// Separators removed.
    pub(crate) removed: usize,
    /// Of these, those whose original was proposed.
    pub(crate) recovered: usize,
    /// Those with another proposal.
    pub(crate) wrong: usize,
    /// Those of which several readings were reported as equally likely.
    pub(crate) ambiguous: usize,
}

fn main() {
    let count = std::env::args().nth(1).and_then(|count| count.parse().ok()).unwrap_or(1_000);
    let shares = measure(count, 1);
    let percent = |part: usize, whole: usize| 100.0 * part as f64 / whole as f64;
    println!("element strings   {}", shares.drawn);
    println!("warned untouched  {:.2} %", percent(shares.warned, shares.drawn));
    println!("separators        {}", shares.removed);
    println!("recovered         {:.2} %", percent(shares.recovered, shares.removed));
    println!("ambiguous         {:.2} %", percent(shares.ambiguous, shares.removed));
    println!("wrong             {:.2} %", percent(shares.wrong, shares.removed));
}

/// Draws `count` element strings and reads each, first untouched, then without each separator.
pub(crate) fn measure(count: usize, seed: u64) -> Shares {
    let mut random = Random(seed);
    let mut shares = Shares::default();
    while shares.drawn < count {
        let Some(item) = random.element_string() else { continue };
        let raw = item.to_raw_gs(Order::AsStored);
        shares.drawn += 1;
        shares.warned += usize::from(inspect(&raw).meant.is_some());
        for (at, _) in raw.match_indices('\u{1d}').skip(1) {
            let damaged = [&raw[..at], &raw[at + 1..]].concat();
            let found = inspect(&damaged);
            shares.removed += 1;
            match found.meant.as_ref().map(|meant| meant.item.as_ref()) {
                Some(Some(read)) if read.element_string == item.to_bracketed() => {
                    shares.recovered += 1;
                }
                Some(Some(_)) => shares.wrong += 1,
                Some(None) => shares.ambiguous += 1,
                None => {}
            }
        }
    }
    shares
}

/// A generator of random numbers (splitmix64): the same ones in every run.
struct Random(u64);

impl Random {
    fn below(&mut self, limit: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((mixed ^ (mixed >> 31)) % limit as u64) as usize
    }

    /// Draws a key and one to four other rows of the table, each row with the same probability, and
    /// what they require. `None` if these cannot occur together.
    fn element_string(&mut self) -> Option<ElementString<'static>> {
        let all: Vec<(Ai, &AiEntry)> = Ai::all().collect();
        let mut ais = vec![Ai::PRIMARY_KEYS[self.below(Ai::PRIMARY_KEYS.len())]];
        for _ in 0..=self.below(4) {
            ais.push(self.row(&all));
        }
        let mut nth = 0;
        while let Some(entry) = ais.get(nth).and_then(|ai| ai.entry()) {
            for groups in entry.requires() {
                let group = groups[self.below(groups.len())];
                for pattern in group {
                    if !ais.iter().any(|ai| pattern.matches(*ai)) {
                        ais.push(all.iter().find(|(ai, _)| pattern.matches(*ai))?.0);
                    }
                }
            }
            nth += 1;
            if nth > 12 {
                return None;
            }
        }
        ais.dedup();
        let pairs: Option<Vec<(Ai, String)>> =
            ais.into_iter().map(|ai| Some((ai, self.value(ai)?))).collect();
        ElementString::from_pairs(pairs?).ok()
    }

    /// Draws a row, and one of its Application Identifiers.
    fn row(&mut self, all: &[(Ai, &AiEntry)]) -> Ai {
        let starts: Vec<usize> = (0..all.len())
            .filter(|&nth| nth == 0 || !std::ptr::eq(all[nth - 1].1, all[nth].1))
            .collect();
        let (ai, entry) = all[starts[self.below(starts.len())]];
        let ais: Vec<Ai> = entry.ais().collect();
        ais.get(self.below(ais.len())).copied().unwrap_or(ai)
    }

    /// Draws a valid value of at most 20 characters where the table allows more; its text has
    /// digits only, digits and capitals, or any character. `None` if no value was found.
    fn value(&mut self, ai: Ai) -> Option<String> {
        let style = self.below(3);
        (0..300).find_map(|_| {
            let mut value = Vec::new();
            for component in ai.entry()?.components() {
                let (min, max) = (component.min_length(), component.max_length());
                if component.is_optional() && self.below(2) == 0 {
                    break;
                }
                let length = min.max(1) + self.below(max.min(min.max(20)) + 1 - min.max(1));
                if component.linters().iter().any(|linter| linter.name().starts_with("yy")) {
                    value.extend(self.date(component.linters(), length));
                } else {
                    let set = component.character_set();
                    value.extend((0..length).map(|_| self.character(set, style)));
                }
            }
            corrected(ai, value)
        })
    }

    fn date(&mut self, linters: &[Linter], length: usize) -> Vec<u8> {
        let century =
            if linters.iter().any(|linter| linter.name().starts_with("yyyy")) { "20" } else { "" };
        let (year, month, day) = (20 + self.below(13), 1 + self.below(12), 1 + self.below(28));
        let mut date = format!("{century}{year}{month:02}{day:02}").into_bytes();
        date.resize(length, b'0');
        date
    }

    fn character(&mut self, set: CharacterSet, style: usize) -> u8 {
        loop {
            let byte = match (set, style) {
                (CharacterSet::Digits, _) | (_, 0) => b'0' + self.below(10) as u8,
                (_, 1) => b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ"[self.below(36)],
                _ => 33 + self.below(90) as u8,
            };
            if set.contains(byte) {
                return byte;
            }
        }
    }
}

/// Returns a value with its check characters corrected, if it is valid with these.
fn corrected(ai: Ai, mut value: Vec<u8>) -> Option<String> {
    for _ in 0..4 {
        let Err(error) = ai.check_value(&value) else { return String::from_utf8(value).ok() };
        let span = error.span();
        match error.kind() {
            ErrorKind::CheckDigit { expected, .. } => value[span.start] = expected,
            ErrorKind::CheckPair { expected, .. } => {
                value[span.start..span.end].copy_from_slice(&expected);
            }
            _ => return None,
        }
    }
    None
}
