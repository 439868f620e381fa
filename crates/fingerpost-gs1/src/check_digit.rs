//! The check digit of GS1 keys (GS1 General Specifications 7.9.1).

/// Returns the check digit, as ASCII, of these ASCII digits. For other bytes the result is an
/// arbitrary digit.
///
/// ```
/// use fingerpost_gs1::check_digit;
///
/// assert_eq!(check_digit::of(b"0950600013435"), b'2');
/// ```
#[inline]
#[must_use]
pub fn of(data: &[u8]) -> u8 {
    // From the right, the digits weigh 3, 1, 3, 1, ...
    let pairs = data.rchunks_exact(2);
    let first: u32 = pairs.remainder().iter().map(|three| 3 * u32::from(three & 15)).sum();
    let weigh = |pair: &[u8]| u32::from(pair[0] & 15) + 3 * u32::from(pair[1] & 15);
    let sum = first + pairs.map(weigh).sum::<u32>();
    b"0987654321"[sum as usize % 10]
}
