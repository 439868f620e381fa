//! Addresses as hosts (RFC 3986, section 3.2.2 and Appendix A).
//!
//! ```text
//! IPv4address = dec-octet "." dec-octet "." dec-octet "." dec-octet
//! dec-octet   = 0-255, without leading zeros
//! IPv6address = eight pieces of 16 bits, "::" standing once for one or more pieces of zero;
//!               the last two pieces may be written as an IPv4address
//! h16         = 1*4HEXDIG
//! ```
//!
//! Neither grammar includes zone identifiers.

use core::net::{Ipv4Addr, Ipv6Addr};

use crate::class;

/// Returns whether `host` matches the rule `IPv4address`. The first character excludes most names.
#[inline]
pub(crate) fn is_ipv4(host: &[u8]) -> bool {
    matches!(host, [b'0'..=b'9', ..]) && parse_ipv4(host).is_some()
}

/// Returns the value of an `IPv4address`.
pub(crate) fn parse_ipv4(host: &[u8]) -> Option<Ipv4Addr> {
    let (address, rest) = ipv4(host)?;
    rest.is_empty().then_some(address)
}

/// Returns the value of an `IPv6address`, without its brackets.
pub(crate) fn parse_ipv6(literal: &[u8]) -> Option<Ipv6Addr> {
    let (mut pieces, Layout { count, gap, rest }) = ipv6(literal)?;
    if let Some(gap) = gap {
        pieces[gap..].rotate_right(8 - count);
    }
    rest.is_empty().then(|| Ipv6Addr::from(pieces))
}

/// Returns the text after the `IPv6address` that `text` begins with.
pub(crate) fn skip_ipv6(text: &[u8]) -> Option<&[u8]> {
    ipv6(text).map(|(_, Layout { rest, .. })| rest)
}

/// The form of a written `IPv6address`.
struct Layout<'t> {
    /// The number of pieces written.
    count: usize,
    /// The number of pieces before `::`.
    gap: Option<usize>,
    /// The text after the address.
    rest: &'t [u8],
}

/// Returns the pieces of the `IPv6address` that `text` begins with, as written, and its form.
/// Inlined, so that callers that do not use the pieces do not pay for them.
#[inline(always)]
fn ipv6(text: &[u8]) -> Option<([u16; 8], Layout<'_>)> {
    let mut pieces = [0; 8];
    let mut count = 0;
    let mut gap = None;
    let mut rest = text;
    while count < 8 {
        let piece_on = match rest {
            [b':', b':', after @ ..] if gap.is_none() => {
                gap = Some(count);
                rest = after;
                after
            }
            [b':', after @ ..] if count > 0 => after,
            _ if count == 0 => rest,
            _ => break,
        };
        let Some((piece, after)) = h16(piece_on) else { break };
        if after.first() == Some(&b'.') {
            let (address, after) = ipv4(piece_on)?;
            let [a, b, c, d] = address.octets();
            let last_two = [u16::from_be_bytes([a, b]), u16::from_be_bytes([c, d])];
            pieces.get_mut(count..count + 2)?.copy_from_slice(&last_two);
            count += 2;
            rest = after;
            break;
        }
        pieces[count] = piece;
        count += 1;
        rest = after;
    }
    // The gap represents at least one piece.
    let is_whole = if gap.is_some() { count < 8 } else { count == 8 };
    is_whole.then_some((pieces, Layout { count, gap, rest }))
}

/// Returns the `h16` that `text` begins with, and the text after it.
#[inline(always)]
fn h16(text: &[u8]) -> Option<(u16, &[u8])> {
    let mut value = 0;
    let mut len = 0;
    for &byte in text.iter().take(4) {
        let Some(digit) = class::hex_value(byte) else { break };
        value = value << 4 | u16::from(digit);
        len += 1;
    }
    (len > 0).then(|| (value, &text[len..]))
}

/// Returns the `IPv4address` that `text` begins with, and the text after it.
fn ipv4(text: &[u8]) -> Option<(Ipv4Addr, &[u8])> {
    let (a, rest) = dec_octet(text)?;
    let (b, rest) = dec_octet(rest.strip_prefix(b".")?)?;
    let (c, rest) = dec_octet(rest.strip_prefix(b".")?)?;
    let (d, rest) = dec_octet(rest.strip_prefix(b".")?)?;
    Some((Ipv4Addr::new(a, b, c, d), rest))
}

/// Returns the `dec-octet` that `text` begins with, and the text after it.
fn dec_octet(text: &[u8]) -> Option<(u8, &[u8])> {
    let mut value = 0_u16;
    let mut len = 0;
    for byte in text.iter().take(3) {
        let b'0'..=b'9' = byte else { break };
        value = value * 10 + u16::from(byte - b'0');
        len += 1;
    }
    if len == 0 || (len > 1 && text[0] == b'0') {
        return None;
    }
    Some((u8::try_from(value).ok()?, &text[len..]))
}

/// Parses a host as `inet_aton` does: one to four numbers, decimal, octal (`0…`) or hexadecimal
/// (`0x…`), of which the last one fills the remaining bytes. For filters only (section 7.4): in the
/// grammar these are names.
pub(crate) fn parse_ipv4_lenient(host: &str) -> Option<Ipv4Addr> {
    let mut numbers = [0_u64; 4];
    let mut count = 0;
    for part in host.split('.') {
        *numbers.get_mut(count)? = number(part)?;
        count += 1;
    }
    let (last, leading) = numbers[..count].split_last()?;
    let mut value = 0_u64;
    for &number in leading {
        value = value << 8 | u64::from(u8::try_from(number).ok()?);
    }
    let free_bits = 8 * (4 - leading.len());
    if last >> free_bits != 0 {
        return None;
    }
    u32::try_from(value << free_bits | last).ok().map(Ipv4Addr::from)
}

fn number(part: &str) -> Option<u64> {
    let (digits, radix) =
        if let Some(hex) = part.strip_prefix("0x").or_else(|| part.strip_prefix("0X")) {
            (hex, 16)
        } else if part.len() > 1 && part.starts_with('0') {
            (&part[1..], 8)
        } else {
            (part, 10)
        };
    // `from_str_radix` would accept a sign; `inet_aton` reads a bare `0x` as zero.
    if digits.is_empty() {
        return (radix == 16).then_some(0);
    }
    if !digits.bytes().all(|byte| byte.is_ascii_hexdigit()) {
        return None;
    }
    u64::from_str_radix(digits, radix).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// URI-SYN-08, URI-SYN-09: what is an IPv4 address, and what only looks like one.
    #[test]
    fn ipv4() {
        for host in ["1.2.3.4", "0.0.0.0", "255.255.255.255"] {
            assert!(is_ipv4(host.as_bytes()), "{host}");
        }
        for host in
            ["256.1.1.1", "1.2.3", "01.2.3.4", "1.2.3.04", "1.2.3.4.", "1..3.4", "", "+1.2.3.4"]
        {
            assert!(!is_ipv4(host.as_bytes()), "{host}");
        }
    }

    /// URI-SYN-11, URI-SYN-12: the nine alternatives of `IPv6address`, checked against the standard
    /// library, which takes the same texts except for zone identifiers.
    #[test]
    fn ipv6() {
        for literal in [
            "::",
            "::1",
            "1::",
            "1:2:3:4:5:6:7::",
            "::2:3:4:5:6:7:8",
            "1:2:3:4:5:6:7:8",
            "::1.2.3.4",
            "1:2:3:4:5:6:1.2.3.4",
            "FE80::0001",
        ] {
            assert_eq!(parse_ipv6(literal.as_bytes()), literal.parse().ok(), "{literal}");
            assert!(parse_ipv6(literal.as_bytes()).is_some(), "{literal}");
        }
        for literal in [
            "",
            ":",
            ":::",
            "1",
            "1:2:3:4:5:6:7:8::",
            "1::2::3",
            "::256.0.0.1",
            "1.2.3.4::",
            "::12345",
            "1:2:3:4:5:6:7:1.2.3.4",
            "fe80::1%25eth0",
            ":1:2:3:4:5:6:7",
            "1:2:3:4:5:6:7:",
        ] {
            assert_eq!(parse_ipv6(literal.as_bytes()), None, "{literal}");
        }
    }

    /// URI-SEC-05: spellings that `inet_aton` takes for an address.
    #[test]
    fn rare_spellings_of_ipv4() {
        for host in ["2130706433", "0x7f.1", "0177.0.0.1", "127.1", "0x7F000001", "127.0.0.1"] {
            assert_eq!(parse_ipv4_lenient(host), Some(Ipv4Addr::LOCALHOST), "{host}");
        }
        for host in ["example", "1.2.3.4.5", "256.1.1.1", "4294967296", "1.", "", "0x1g", "08"] {
            assert_eq!(parse_ipv4_lenient(host), None, "{host}");
        }
    }
}
