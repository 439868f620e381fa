//! The codes of an authenticator application (RFC 6238, with SHA-1, 6 digits and 30 seconds), for
//! tests that sign in with one.

use hmac::{Hmac, KeyInit, Mac};
use sha1::Sha1;

/// Returns the code that an application shows at a second of Unix time.
///
/// # Panics
///
/// Panics if the secret is not base 32 (RFC 4648, section 6).
pub fn totp(secret: &str, second: i64) -> String {
    let (mut bytes, mut bits, mut count) = (Vec::new(), 0_u32, 0);
    for letter in secret.chars() {
        let digit = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567".find(letter).expect("base 32");
        bits = (bits << 5) | u32::try_from(digit).expect("five bits");
        count += 5;
        if count >= 8 {
            count -= 8;
            bytes.push((bits >> count).to_le_bytes()[0]);
        }
    }
    let mut mac = Hmac::<Sha1>::new_from_slice(&bytes).expect("a key");
    mac.update(&(second / 30).to_be_bytes());
    let hash = mac.finalize().into_bytes();
    let offset = usize::from(hash[19] & 15);
    let four: [u8; 4] = hash[offset..offset + 4].try_into().expect("four bytes");
    format!("{:06}", (u32::from_be_bytes(four) & 0x7fff_ffff) % 1_000_000)
}

#[cfg(test)]
mod tests {
    // RFC 6238, appendix B
    #[test]
    fn codes_are_those_of_the_standard() {
        assert_eq!(super::totp("GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ", 59), "287082");
        assert_eq!(super::totp("GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ", 1_111_111_109), "081804");
    }
}
