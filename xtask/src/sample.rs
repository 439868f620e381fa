//! Synthetic GTINs with their links, and requests for them, for measurements (`bench/README.md`).
//!
//! Nothing is random: the same numbers produce the same bytes, so that runs on different days are
//! comparable. The company prefixes begin with 952, which GS1 reserves for examples.

use std::io::{BufWriter, Write, stdout};

/// Number of company prefixes of a block.
const PREFIXES: u32 = 16;

/// GS1 Company Prefixes of seven digits, which leave five for the item reference.
const COMPANY_PREFIXES: [u32; PREFIXES as usize] = [
    9_520_001, 9_520_017, 9_520_123, 9_520_260, 9_520_341, 9_520_488, 9_520_555, 9_520_699,
    9_521_004, 9_521_117, 9_521_234, 9_521_350, 9_521_666, 9_521_808, 9_521_919, 9_521_987,
];

/// The first of the company prefixes for further GTINs; each block has as many as
/// [`COMPANY_PREFIXES`].
const FURTHER_PREFIXES: u32 = 9_525_000;

/// Blocks of company prefixes.
const BLOCKS: u32 = 100;

/// Number of item references of five digits under one company prefix.
const ITEMS: u32 = 100_000;

/// Indicator digits 0 to 8; 9 marks a variable measure.
const INDICATORS: u32 = 9;

/// Number of GTINs of a block.
const BLOCK: u32 = ITEMS * INDICATORS * PREFIXES;

/// One in this many GTINs also has a lot with its own links.
const LOT_EVERY: u32 = 20;

/// Step through the ranks that distributes popular GTINs over the store; prime, so it shares no
/// factor with a count.
const SCATTER: u64 = 1_000_000_007;

/// Prints `count` GTINs as records, one JSON document per line, and the lots of every twentieth.
pub(crate) fn records(count: u32) -> Result<(), String> {
    check_count(count)?;
    print(|out| {
        for index in 0..count {
            item(out, index)?;
            if index.is_multiple_of(LOT_EVERY) {
                lot(out, index)?;
            }
        }
        Ok(())
    })
}

/// Prints `count` request paths over the GTINs `0..entities`: nine in ten for the GTIN, the rest
/// for a lot or a serial.
pub(crate) fn requests(entities: u32, count: u32, traffic: &str) -> Result<(), String> {
    check_count(entities)?;
    let zipf = match traffic {
        "uniform" => None,
        "zipf" => Some(Zipf::new(entities)),
        _ => return Err(format!("expected uniform or zipf, found {traffic:?}")),
    };
    let mut noise = Noise(0x5eed);
    print(|out| {
        for _ in 0..count {
            let index = match &zipf {
                None => noise.below(entities),
                Some(zipf) => zipf.pick(noise.unit()),
            };
            let gtin = gtin(index);
            match noise.below(20) {
                0 => writeln!(out, "/01/{gtin}/10/L{:04}", index % 10_000)?,
                1 => writeln!(out, "/01/{gtin}/21/{}", noise.below(1_000_000))?,
                _ => writeln!(out, "/01/{gtin}")?,
            }
        }
        Ok(())
    })
}

fn check_count(count: u32) -> Result<(), String> {
    let most = BLOCK * BLOCKS;
    if count > most {
        return Err(format!("expected at most {most} GTINs, found {count}"));
    }
    Ok(())
}

/// Writes to standard output; a reader that closes it is not an error.
fn print(write: impl FnOnce(&mut dyn Write) -> std::io::Result<()>) -> Result<(), String> {
    let mut out = BufWriter::with_capacity(1 << 16, stdout().lock());
    match write(&mut out).and_then(|()| out.flush()) {
        Err(error) if error.kind() != std::io::ErrorKind::BrokenPipe => Err(error.to_string()),
        _ => Ok(()),
    }
}

fn item(out: &mut dyn Write, index: u32) -> std::io::Result<()> {
    let gtin = gtin(index);
    let page = format!("https://brand{}.example.com/products/{gtin}", index % 97);
    write!(out, r#"{{"anchor":"/01/{gtin}","itemDescription":"Sample product {index}","links":["#)?;
    write!(out, r#"{{"linkType":"gs1:defaultLink","href":"{page}","title":"Product page"}},"#)?;
    write!(
        out,
        r#"{{"linkType":"gs1:pip","href":"{page}","title":"Product page","type":"text/html","hreflang":["en"]}},"#
    )?;
    write!(
        out,
        r#"{{"linkType":"gs1:pip","href":"{page}/fr","title":"Fiche produit","type":"text/html","hreflang":["fr"]}}"#
    )?;
    if index.is_multiple_of(2) {
        write!(
            out,
            r#",{{"linkType":"gs1:instructions","href":"{page}/manual.pdf","title":"Manual","type":"application/pdf","hreflang":["en"]}}"#
        )?;
    }
    if index.is_multiple_of(3) {
        write!(
            out,
            r#",{{"linkType":"gs1:traceability","href":"https://trace.example.com/?gtin={{01}}&serial={{21}}","title":"Traceability"}}"#
        )?;
    }
    writeln!(out, "]}}")
}

fn lot(out: &mut dyn Write, index: u32) -> std::io::Result<()> {
    let gtin = gtin(index);
    let lot = index % 10_000;
    writeln!(
        out,
        r#"{{"anchor":"/01/{gtin}/10/L{lot:04}","itemDescription":"Lot L{lot:04}","links":[{{"linkType":"gs1:certificationInfo","href":"https://trace.example.com/lots/{gtin}/L{lot:04}","title":"Certificates"}}]}}"#
    )
}

/// Returns the GTIN of an index, as 14 digits.
fn gtin(index: u32) -> String {
    let (block, index) = (index / BLOCK, index % BLOCK);
    let prefix = match block {
        0 => COMPANY_PREFIXES[(index % PREFIXES) as usize],
        _ => FURTHER_PREFIXES + (block - 1) * PREFIXES + index % PREFIXES,
    };
    let item = index / PREFIXES % ITEMS;
    let indicator = index / PREFIXES / ITEMS;
    let mut gtin = format!("{indicator}{prefix}{item:05}");
    let check = check_digit(&gtin);
    gtin.push(char::from(b'0' + check));
    gtin
}

/// Returns the check digit of GS1 General Specifications 7.9: weights 3 and 1 from the right.
fn check_digit(digits: &str) -> u8 {
    let weighted = digits.bytes().rev().enumerate().map(|(position, digit)| {
        let weight = if position % 2 == 0 { 3 } else { 1 };
        u32::from(digit - b'0') * weight
    });
    u8::try_from((10 - weighted.sum::<u32>() % 10) % 10).expect("a remainder by ten is one digit")
}

/// A generator of ranks by Zipf's law with exponent 1: the second is requested half as often as the
/// first.
struct Zipf {
    /// Sums of `1/rank` up to each rank.
    cumulated: Vec<f64>,
}

impl Zipf {
    fn new(entities: u32) -> Self {
        let mut sum = 0.0;
        let cumulated = (1..=entities).map(|rank| {
            sum += 1.0 / f64::from(rank);
            sum
        });
        Self { cumulated: cumulated.collect() }
    }

    /// Returns the index for a number in 0..1.
    fn pick(&self, unit: f64) -> u32 {
        let total = self.cumulated.last().copied().unwrap_or_default();
        let rank = self.cumulated.partition_point(|&sum| sum <= unit * total);
        let entities = self.cumulated.len() as u64;
        let scattered = rank as u64 * SCATTER % entities;
        u32::try_from(scattered).expect("an index is below the count of entities")
    }
}

/// A generator of uniform noise (splitmix64); sufficient for samples.
struct Noise(u64);

impl Noise {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// Returns a number in 0..`bound`.
    fn below(&mut self, bound: u32) -> u32 {
        u32::try_from(((self.next() >> 32) * u64::from(bound)) >> 32).expect("below the bound")
    }

    /// Returns a number in 0..1.
    fn unit(&mut self) -> f64 {
        f64::from(self.below(u32::MAX)) / f64::from(u32::MAX)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn check_digits_are_those_of_the_standard() {
        assert_eq!(check_digit("0952012345678"), 8);
        assert_eq!(check_digit("0950600013435"), 2);
    }

    #[test]
    fn gtins_differ_and_have_fourteen_digits() {
        let gtins: std::collections::BTreeSet<String> = (0..10_000).map(gtin).collect();
        assert_eq!(gtins.len(), 10_000);
        assert!(gtins.iter().all(|gtin| gtin.len() == 14));
        assert_ne!(gtin(0), gtin(1_600_000));
        let of_blocks = [gtin(0), gtin(BLOCK), gtin(2 * BLOCK)];
        assert_eq!(of_blocks, ["09520001000003", "09525000000009", "09525016000000"]);
    }

    #[test]
    fn zipf_prefers_low_ranks() {
        let zipf = Zipf::new(1000);
        assert_eq!(zipf.pick(0.0), 0);
        let mut noise = Noise(1);
        let first = (0..10_000).filter(|_| zipf.pick(noise.unit()) == 0).count();
        assert!((1000..1700).contains(&first), "one in 7.5 asks for the first, found {first}");
    }
}
