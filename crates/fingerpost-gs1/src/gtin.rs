//! The lengths of a GTIN (GS1 General Specifications 3.3.2).

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
