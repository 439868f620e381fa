//! Addresses as hosts (RFC 3986, seed 003, section 3.2.2 and Appendix A).
//!
//! ```text
//! IPv4address = dec-octet "." dec-octet "." dec-octet "." dec-octet
//! dec-octet   = 0-255, without leading zeros
//! IPv6address = eight pieces of 16 bits, "::" standing once for one or more pieces of zero;
//!               the last two pieces may be written as an IPv4address
//! h16         = 1*4HEXDIG
//! ```
//!
//! Zone identifiers are no part of either grammar (URI-DIFF-3).

use core::net::{Ipv4Addr, Ipv6Addr};

use crate::class;

/// Whether `host` matches the rule `IPv4address`.
pub(crate) fn is_ipv4(host: &[u8]) -> bool {
    parse_ipv4(host).is_some()
}

/// The value of an `IPv4address`.
pub(crate) fn parse_ipv4(host: &[u8]) -> Option<Ipv4Addr> {
    // The longest is `255.255.255.255`.
    if host.len() > 15 {
        return None;
    }
    let mut octets = [0; 4];
    let mut pieces = host.split(|&byte| byte == b'.');
    for octet in &mut octets {
        *octet = dec_octet(pieces.next()?)?;
    }
    pieces.next().is_none().then(|| Ipv4Addr::from(octets))
}

fn dec_octet(digits: &[u8]) -> Option<u8> {
    if digits.is_empty() || digits.len() > 3 || (digits.len() > 1 && digits[0] == b'0') {
        return None;
    }
    let mut value = 0_u16;
    for digit in digits {
        value = value * 10 + u16::from(digit.is_ascii_digit().then(|| digit - b'0')?);
    }
    u8::try_from(value).ok()
}

/// The value of an `IPv6address`, without its brackets.
pub(crate) fn parse_ipv6(literal: &[u8]) -> Option<Ipv6Addr> {
    // The longest is six pieces of four digits and an IPv4 address.
    if literal.len() > 45 {
        return None;
    }
    match literal.windows(2).position(|pair| pair == b"::") {
        None => {
            let (pieces, count) = pieces(literal)?;
            (count == 8).then(|| Ipv6Addr::from(pieces))
        }
        Some(gap) => {
            let (mut head, head_count) = pieces_or_none(&literal[..gap], false)?;
            let (tail, tail_count) = pieces_or_none(&literal[gap + 2..], true)?;
            // The gap stands for at least one piece.
            if head_count + tail_count > 7 {
                return None;
            }
            head[8 - tail_count..].copy_from_slice(&tail[..tail_count]);
            Some(Ipv6Addr::from(head))
        }
    }
}

/// The pieces on one side of a gap. Only the last pieces of an address may be an IPv4 address.
fn pieces_or_none(side: &[u8], last: bool) -> Option<([u16; 8], usize)> {
    if side.is_empty() {
        return Some(([0; 8], 0));
    }
    if !last && side.contains(&b'.') {
        return None;
    }
    pieces(side)
}

/// Pieces divided by single colons, the last two perhaps as an IPv4 address.
fn pieces(text: &[u8]) -> Option<([u16; 8], usize)> {
    let mut values = [0; 8];
    let mut count = 0;
    let mut rest = text.split(|&byte| byte == b':').peekable();
    while let Some(piece) = rest.next() {
        if rest.peek().is_none() && piece.contains(&b'.') {
            let [a, b, c, d] = parse_ipv4(piece)?.octets();
            *values.get_mut(count)? = u16::from_be_bytes([a, b]);
            *values.get_mut(count + 1)? = u16::from_be_bytes([c, d]);
            count += 2;
        } else {
            *values.get_mut(count)? = h16(piece)?;
            count += 1;
        }
    }
    Some((values, count))
}

fn h16(digits: &[u8]) -> Option<u16> {
    if digits.is_empty() || digits.len() > 4 {
        return None;
    }
    digits
        .iter()
        .try_fold(0, |value, &digit| Some(value << 4 | u16::from(class::hex_value(digit)?)))
}

/// What `inet_aton` makes of a host: one to four numbers, decimal, octal (`0…`) or hexadecimal (`0x…`), the last one filling
/// the bytes that are left. For filters only (URI-SEC-05, section 7.4): in the grammar these are names.
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
    // A sign would be read by `from_str_radix`; `0x` alone is zero for `inet_aton`.
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

    /// URI-SYN-11, URI-SYN-12: the nine alternatives of `IPv6address`, checked against the standard library, which takes the
    /// same texts but for zone identifiers.
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
