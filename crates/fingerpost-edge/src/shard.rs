//! Shards: the rows of all keys whose hashes begin with the same bits.
//!
//! ```text
//! shard  = "FPS1" count *offset row*    count, offset: 32 bits, little-endian
//! offset = where a row begins, from the start of the shard; ascending, and one more: the end of the last row
//! row    = length anchor entry          length of the anchor: 16 bits, little-endian; entry: Entry::encode
//! ```
//!
//! Rows are in the order of their anchors, so that one is found by a binary search, and ranges are
//! found as in a store.

use std::fmt::Write as _;

use fingerpost_gs1::EntityKey;
use fingerpost_resolver::{Anchor, CompanyPrefix, company_anchor};
use sha2::{Digest as _, Sha256};

const MAGIC: &[u8] = b"FPS1";
const NUMBER: usize = 4;

/// The group of an anchor: all rows that a request may need together are in one group, and a group
/// is in one shard. A key with its qualifiers, sets and suspension is a group; company prefixes are
/// grouped by the digits that all prefixes have at least.
pub fn group_of(anchor: &Anchor) -> String {
    let key_level = anchor.key_level();
    match key_level.strip_prefix(&company_anchor("")) {
        Some(digits) => company_anchor(digits.get(..shortest()).unwrap_or(digits)),
        None => key_level.to_owned(),
    }
}

/// Returns the group of the company prefixes of a key; `None` if it can have none.
pub(crate) fn company_group(key: &EntityKey) -> Option<String> {
    let digits = key.company_prefix_part()?.get(..shortest())?;
    digits.bytes().all(|byte| byte.is_ascii_digit()).then(|| company_anchor(digits))
}

/// Returns whether a row belongs to a company prefix, not to a key.
pub(crate) fn is_of_company(anchor: &str) -> bool {
    let kinds = [Anchor::suspensions(), Anchor::country_switches()];
    let anchor = kinds.into_iter().find_map(|kind| anchor.strip_prefix(kind)).unwrap_or(anchor);
    anchor.starts_with(&company_anchor(""))
}

fn shortest() -> usize {
    *CompanyPrefix::LENGTHS.start()
}

/// Returns the number of the shard of a group, of `1 << bits` shards. A cryptographic hash, so that
/// nobody can register keys that all belong to one shard.
pub fn shard_number(group: &str, bits: u32) -> usize {
    let digest: [u8; 32] = Sha256::digest(group.as_bytes()).into();
    let [a, b, c, d, ..] = digest;
    let number = u32::from_be_bytes([a, b, c, d]);
    number.checked_shr(u32::BITS - bits.min(u32::BITS)).unwrap_or(0) as usize
}

/// Returns the bytes of a shard, from rows in the order of their anchors; `None` if there are more
/// bytes than its numbers can count.
pub fn write_shard(rows: &[(String, Vec<u8>)]) -> Option<Vec<u8>> {
    let number = |number: usize| Some(u32::try_from(number).ok()?.to_le_bytes());
    let mut out = MAGIC.to_vec();
    out.extend(number(rows.len())?);
    let mut at = out.len() + NUMBER * (rows.len() + 1);
    for (anchor, entry) in rows {
        out.extend(number(at)?);
        at += 2 + anchor.len() + entry.len();
    }
    out.extend(number(at)?);
    for (anchor, entry) in rows {
        out.extend(u16::try_from(anchor.len()).ok()?.to_le_bytes());
        out.extend(anchor.as_bytes());
        out.extend(entry);
    }
    Some(out)
}

/// The rows of a shard. Any bytes can be read: rows that are malformed are not found.
#[derive(Clone, Copy)]
pub struct Shard<'b> {
    bytes: &'b [u8],
    count: usize,
}

impl<'b> Shard<'b> {
    /// Reads a shard; `None` if it does not begin as one.
    pub fn read(bytes: &'b [u8]) -> Option<Self> {
        let count = number(bytes.strip_prefix(MAGIC)?, 0)?;
        Some(Self { bytes, count })
    }

    /// Returns the rows: anchor and encoded entry.
    pub fn rows(self) -> impl Iterator<Item = (&'b str, &'b [u8])> {
        (0..self.count).map_while(move |at| self.at(at))
    }

    /// Returns the entry of an anchor.
    pub fn find(self, anchor: &str) -> Option<&'b [u8]> {
        let at = self.first_after(|found| found < anchor);
        self.at(at).filter(|(found, _)| *found == anchor).map(|(_, entry)| entry)
    }

    /// Returns the last row of those from `first` to `last`, both included.
    pub fn last(self, first: &str, last: &str) -> Option<(&'b str, &'b [u8])> {
        let after = self.first_after(|found| found <= last);
        self.at(after.checked_sub(1)?).filter(|(found, _)| *found >= first)
    }

    /// Returns the index of the first row for whose anchor this does not hold.
    fn first_after(self, is_before: impl Fn(&str) -> bool) -> usize {
        let (mut low, mut high) = (0, self.count);
        while low < high {
            let middle = low + (high - low) / 2;
            match self.at(middle) {
                Some((anchor, _)) if is_before(anchor) => low = middle + 1,
                _ => high = middle,
            }
        }
        low
    }

    fn at(self, index: usize) -> Option<(&'b str, &'b [u8])> {
        let offsets = self.bytes.get(MAGIC.len() + NUMBER..)?;
        let (start, end) = (number(offsets, index)?, number(offsets, index.checked_add(1)?)?);
        let (length, row) = self.bytes.get(start..end)?.split_first_chunk::<2>()?;
        let (anchor, entry) = row.split_at_checked(usize::from(u16::from_le_bytes(*length)))?;
        Some((std::str::from_utf8(anchor).ok()?, entry))
    }
}

impl std::fmt::Debug for Shard<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Shard")?;
        f.debug_set().entries(self.rows().map(|(anchor, _)| anchor)).finish()?;
        f.write_char(' ')
    }
}

/// Returns the number at an index of a list of numbers.
fn number(list: &[u8], index: usize) -> Option<usize> {
    let bytes = list.get(index.checked_mul(NUMBER)?..)?.first_chunk::<NUMBER>()?;
    usize::try_from(u32::from_le_bytes(*bytes)).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(anchor: &str) -> (String, Vec<u8>) {
        (anchor.to_owned(), anchor.as_bytes().to_vec())
    }

    /// 37.3
    #[test]
    fn rows_are_found_by_their_anchors() {
        let rows =
            ["01/09506000134352", "01/09506000134352/10/A", "gcp/9506", "gcp/95060"].map(row);
        let bytes = write_shard(&rows).unwrap();
        let shard = Shard::read(&bytes).unwrap();
        for (anchor, entry) in &rows {
            assert_eq!(shard.find(anchor), Some(&**entry));
        }
        assert_eq!(shard.find("01/09506000134352/10"), None);
        assert_eq!(shard.last("gcp/9506", "gcp/950600013").map(|row| row.0), Some("gcp/95060"));
        assert_eq!(shard.last("gcp/95061", "gcp/95062"), None);
        assert_eq!(shard.rows().count(), 4);
        let empty = write_shard(&[]).unwrap();
        assert_eq!(Shard::read(&empty).unwrap().find("01/1"), None);
    }

    /// 37.4: any bytes can be read.
    #[test]
    fn damaged_shards_have_no_rows_and_do_no_harm() {
        let bytes = write_shard(&["01/09506000134352", "gcp/9506"].map(row)).unwrap();
        for at in 0..bytes.len() {
            for change in [0, 1, 0x7F, 0xFF] {
                let mut damaged = bytes.clone();
                damaged[at] = change;
                for damaged in [&damaged[..], &bytes[..at]] {
                    if let Some(shard) = Shard::read(damaged) {
                        let _ = (shard.find("gcp/9506"), shard.last("01", "gcp/9507"));
                        let _ = shard.rows().take(10).count();
                    }
                }
            }
        }
    }

    /// 37.3: all levels of a key are in one group, and all prefixes that a key can have.
    #[test]
    fn a_request_needs_two_groups_at_most() {
        let group = |text: &str| group_of(&Anchor::from_canonical(text).unwrap());
        for anchor in [
            "01/09506000134352",
            "01/09506000134352/10/A/21/7",
            "01/09506000134352/-any/10",
            "01/09506000134352/-range/10/4/A100/A199",
            "-suspended/01/09506000134352",
        ] {
            assert_eq!(group(anchor), "01/09506000134352");
        }
        let key = EntityKey::parse("/01/09506000134352/10/A").unwrap();
        for anchor in ["gcp/9506", "gcp/950600013", "-suspended/gcp/9506000"] {
            assert_eq!(Some(group(anchor)), company_group(&key), "{anchor}");
        }
        assert_eq!(shard_number("01/09506000134352", 0), 0);
        assert!((0..=24).all(|bits| shard_number("01/09506000134352", bits) < 1 << bits));
    }
}
