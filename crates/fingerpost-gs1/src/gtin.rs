//! The lengths of a GTIN (GS1 General Specifications 3.3.2).

mod kind;
mod layout;
mod national;

pub use kind::GtinKind;
pub use layout::WeightCodes;
pub use national::MedicineScheme;

/// The valid lengths.
pub(crate) const LENGTHS: [usize; 4] = [8, 12, 13, 14];

/// Returns the value of (01) for a GTIN of 8, 12 or 13 digits, with leading zeros. `None` for other
/// lengths.
///
/// ```
/// use fingerpost_gs1::gtin;
///
/// assert_eq!(gtin::padded(b"95201234"), Some(*b"00000095201234"));
/// assert_eq!(gtin::padded(b"09520123456788"), None);
/// ```
#[must_use]
pub fn padded(value: &[u8]) -> Option<[u8; 14]> {
    let [shorter @ .., longest] = LENGTHS;
    if !shorter.contains(&value.len()) {
        return None;
    }
    let mut padded = [b'0'; 14];
    padded[longest - value.len()..].copy_from_slice(value);
    Some(padded)
}

/// Returns the GTIN-12 whose zeros a UPC-E of eight digits leaves out; `None` if the digits are
/// not a UPC-E: its number system is 0 or 1, and its check digit that of the GTIN-12.
///
/// ```
/// use fingerpost_gs1::gtin;
///
/// assert_eq!(gtin::expand_upc_e(b"01234565"), Some(*b"012345000065"));
/// assert_eq!(gtin::expand_upc_e(b"01234566"), None);
/// ```
#[must_use]
pub fn expand_upc_e(digits: &[u8]) -> Option<[u8; 12]> {
    let &[system @ b'0'..=b'1', a, b, c, d, e, last, check] = digits else { return None };
    if !digits.iter().all(u8::is_ascii_digit) {
        return None;
    }
    let z = b'0';
    let [head, tail] = match last {
        b'0'..=b'2' => [[a, b, last, z, z], [z, z, c, d, e]],
        b'3' => [[a, b, c, z, z], [z, z, z, d, e]],
        b'4' => [[a, b, c, d, z], [z, z, z, z, e]],
        _ => [[a, b, c, d, e], [z, z, z, z, last]],
    };
    let mut gtin = [z; 12];
    (gtin[0], gtin[11]) = (system, check);
    gtin[1..6].copy_from_slice(&head);
    gtin[6..11].copy_from_slice(&tail);
    (crate::check_digit::of(&gtin[..11]) == check).then_some(gtin)
}
