//! Signed links: proof of roles in the query of a link, which the owner of a record makes for
//! somebody without an account, with an end of life.
//!
//! ```text
//! proof = 1*(role ".") expiry "." mac
//! role  = name of a role
//! expiry = seconds since 1970-01-01T00:00:00Z, decimal
//! mac   = base64url without padding of HMAC (RFC 2104) with SHA-256 over
//!         "fingerpost signed access 1" LF key LF 1*(role ".") expiry
//! ```
//!
//! The key is the canonical text of the Digital Link, so that a proof is of no use for another one.
//! The parameter is taken out of the query before anything reads it: it is neither forwarded to a
//! target nor part of the Digital Link.

use std::fmt;

use data_encoding::BASE64URL_NOPAD;
use fingerpost_gs1::EntityKey;
use hmac::{Hmac, KeyInit, Mac};
use jiff::Timestamp;
use sha2::Sha256;

use crate::limits::{MAX_ACCESS, MIN_SIGNING_SECRET};
use crate::roles::{Roles, Viewer};

/// The query parameter with the proof.
pub const SIGNED_ACCESS: &str = "signed-access";

/// The secrets of signed links: the first one signs, all of them verify, so that a secret can be
/// replaced without an end to all links at once. Without the secret that signed it, a link is
/// revoked.
#[derive(Clone, Default)]
pub struct SigningSecrets(Vec<Hmac<Sha256>>);

impl fmt::Debug for SigningSecrets {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "SigningSecrets({})", self.0.len())
    }
}

/// The reason why the proof of a signed link is not accepted. Deliberately no more: who made it
/// knows the rest.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SignedAccessFault {
    /// It is malformed, for another Digital Link, changed, or signed with a revoked secret.
    Invalid,
    /// Its end of life has passed.
    Expired,
}

impl fmt::Display for SignedAccessFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Invalid => "the signature of this link is not valid for this address",
            Self::Expired => "this link has expired",
        })
    }
}

impl std::error::Error for SignedAccessFault {}

impl SigningSecrets {
    /// Reads secrets, one in each line; blank lines are skipped. `None`: there is none, or one is
    /// shorter than 32 bytes.
    pub fn from_lines(text: &str) -> Option<Self> {
        let lines = text.lines().map(str::trim).filter(|line| !line.is_empty());
        let read = |line: &str| {
            let long = line.len() >= MIN_SIGNING_SECRET;
            long.then(|| Hmac::new_from_slice(line.as_bytes()).ok()).flatten()
        };
        let secrets: Vec<_> = lines.map(read).collect::<Option<_>>()?;
        (!secrets.is_empty()).then_some(Self(secrets))
    }

    /// Returns whether there is no secret: nothing is signed or verified.
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Returns the value of [`SIGNED_ACCESS`] that proves these roles for a key until an instant;
    /// `None` without a secret or without a role.
    pub fn sign(&self, key: &EntityKey, roles: &[String], until: Timestamp) -> Option<String> {
        let secret = self.0.first().filter(|_| !roles.is_empty())?;
        let claim = format!("{}.{}", roles.join("."), until.as_second());
        let mac = with_claim(secret, key, &claim).finalize().into_bytes();
        Some(format!("{claim}.{}", BASE64URL_NOPAD.encode(&mac)))
    }

    /// Returns the viewer whose roles a proof shows for a key. Roles that are no longer declared
    /// prove nothing.
    ///
    /// # Errors
    ///
    /// Returns why the proof is not accepted.
    pub fn verify(
        &self,
        key: &EntityKey,
        proof: &str,
        roles: &Roles,
        now: Timestamp,
    ) -> Result<Viewer, SignedAccessFault> {
        let invalid = SignedAccessFault::Invalid;
        let (claim, mac) = proof.rsplit_once('.').ok_or(invalid)?;
        let mac = BASE64URL_NOPAD.decode(mac.as_bytes()).map_err(|_| invalid)?;
        // `verify_slice` compares in constant time.
        let is_ours =
            |secret: &Hmac<Sha256>| with_claim(secret, key, claim).verify_slice(&mac).is_ok();
        if !self.0.iter().any(is_ours) {
            return Err(invalid);
        }
        let (names, until) = claim.rsplit_once('.').ok_or(invalid)?;
        let until: i64 = until.parse().map_err(|_| invalid)?;
        if now.as_second() >= until {
            return Err(SignedAccessFault::Expired);
        }
        let names = names.split('.').take(MAX_ACCESS);
        Ok(Viewer::with_roles(names.filter(|name| roles.contains(name))))
    }
}

fn with_claim(secret: &Hmac<Sha256>, key: &EntityKey, claim: &str) -> Hmac<Sha256> {
    let mut mac = secret.clone();
    for part in ["fingerpost signed access 1\n", key.as_str(), "\n", claim] {
        mac.update(part.as_bytes());
    }
    mac
}

/// Takes the proof out of a request target: returns the target without the parameter, and its
/// value. `None` if there is no proof. Of several, the first one is taken, and none is left.
///
/// ```
/// use fingerpost_resolver::take_signed_access;
///
/// let (target, proof) =
///     take_signed_access("/01/09520123456788?17=270101&signed-access=a.1.x&linkType=gs1:pip").unwrap();
/// assert_eq!(target, "/01/09520123456788?17=270101&linkType=gs1:pip");
/// assert_eq!(proof, "a.1.x");
/// assert_eq!(take_signed_access("/01/09520123456788?signed-access=a").unwrap().0, "/01/09520123456788");
/// assert!(take_signed_access("/01/09520123456788?x=signed-access").is_none());
/// ```
pub fn take_signed_access(target: &str) -> Option<(String, &str)> {
    let (path, query) = target.split_once('?')?;
    // Roles, digits and base64url need no percent-encoding, and none is read.
    let (proofs, kept): (Vec<_>, Vec<_>) =
        query.split('&').partition(|pair| pair.split('=').next() == Some(SIGNED_ACCESS));
    let proof = proofs.first()?.split_once('=').map_or("", |(_, proof)| proof);
    let target = match kept[..] {
        [] => path.to_owned(),
        _ => [path, "?", &kept.join("&")].concat(),
    };
    Some((target, proof))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::RoleParts;

    fn key(text: &str) -> EntityKey {
        EntityKey::parse(text).unwrap()
    }

    fn roles(names: &[&str]) -> Roles {
        let part = |name: &&str| RoleParts { name: (*name).into(), ..RoleParts::default() };
        Roles::new(names.iter().map(part).collect()).unwrap()
    }

    /// Issue 36.1: a proof is bound to key, roles and expiry, and to a secret that still exists.
    #[test]
    fn a_proof_is_for_one_key_its_roles_and_its_time() {
        let (old, new) = ("o".repeat(32), "n".repeat(32));
        let secrets = SigningSecrets::from_lines(&format!("{old}\n")).unwrap();
        let item = key("01/09520123456788");
        let until = Timestamp::from_second(1_000).unwrap();
        let at = |second| Timestamp::from_second(second).unwrap();
        let declared = roles(&["recycler", "authority"]);
        let proof = secrets.sign(&item, &["recycler".to_owned()], until).unwrap();
        let verify = |secrets: &SigningSecrets, key: &EntityKey, proof: &str, second| {
            secrets.verify(key, proof, &declared, at(second))
        };
        let viewer = verify(&secrets, &item, &proof, 999).unwrap();
        assert_eq!(viewer.roles(), ["recycler"]);
        assert_eq!(verify(&secrets, &item, &proof, 1_000), Err(SignedAccessFault::Expired));
        let invalid = Err(SignedAccessFault::Invalid);
        for other in ["01/09520123456788/10/A", "01/09520123456795"] {
            assert_eq!(verify(&secrets, &key(other), &proof, 0), invalid, "{other}");
        }
        for (from, to) in
            [("recycler", "authority"), ("1000", "2000"), ("recycler", "recycler.authority")]
        {
            let changed = proof.replacen(from, to, 1);
            assert_ne!(changed, proof);
            assert_eq!(verify(&secrets, &item, &changed, 0), invalid, "{changed}");
        }
        for odd in ["", ".", "..", "recycler", "recycler.1000", "recycler.1000.", "recycler.1000.é"]
        {
            assert_eq!(verify(&secrets, &item, odd, 0), invalid, "{odd}");
        }
        let both = SigningSecrets::from_lines(&format!("{new}\n\n{old}\n")).unwrap();
        assert!(verify(&both, &item, &proof, 0).is_ok());
        let replaced = SigningSecrets::from_lines(&new).unwrap();
        assert_eq!(verify(&replaced, &item, &proof, 0), invalid);
        assert!(secrets.verify(&item, &proof, &roles(&["other"]), at(0)).unwrap().is_public());
        assert!(!format!("{secrets:?}").contains(&old));
        assert!(SigningSecrets::from_lines("short").is_none());
        assert!(SigningSecrets::from_lines(" \n").is_none());
        assert!(secrets.sign(&item, &[], until).is_none());
    }
}
