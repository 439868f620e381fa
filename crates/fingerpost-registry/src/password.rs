//! Passwords: Argon2id (RFC 9106) with the parameters that OWASP's Password Storage Cheat Sheet
//! lists first for little memory.
//!
//! Each call takes 19 MiB and a core for a while: a server calls few of them at a time.

use std::sync::LazyLock;

use argon2::password_hash::phc::PasswordHash;
use argon2::password_hash::{PasswordHasher, PasswordVerifier};
use argon2::{Algorithm, Argon2, Params, Version};

use crate::fault::Fault;
use crate::limits::{MAX_PASSWORD_CHARACTERS, MIN_PASSWORD_CHARACTERS};
use crate::{RegistryError, Secret};

/// Checks that the password is long enough, and short enough to be hashed.
pub(crate) fn check(password: &Secret, pointer: &str) -> Result<(), Fault> {
    let characters = password.expose().chars().count();
    if characters < MIN_PASSWORD_CHARACTERS {
        let detail = format!("password must have at least {MIN_PASSWORD_CHARACTERS} characters");
        return Err(Fault::new(pointer, "password", detail));
    }
    if characters > MAX_PASSWORD_CHARACTERS {
        let detail = format!("password must have at most {MAX_PASSWORD_CHARACTERS} characters");
        return Err(Fault::new(pointer, "password", detail));
    }
    Ok(())
}

/// Hashes a password with a new salt; the result is a PHC string.
pub(crate) fn hash(password: &Secret) -> Result<String, RegistryError> {
    let mut salt = [0_u8; SALT_BYTES];
    getrandom::fill(&mut salt).map_err(|_| RegistryError::NoRandomness)?;
    let hash = argon2().hash_password_with_salt(password.expose().as_bytes(), &salt);
    Ok(hash.map_err(|_| RegistryError::NoRandomness)?.to_string())
}

/// Returns whether the password matches the hash. Without a hash, takes the same time and returns
/// `false`.
pub(crate) fn verify(password: &Secret, hash: Option<&str>) -> Result<bool, RegistryError> {
    // No longer password was ever hashed.
    let given = if password.expose().chars().count() > MAX_PASSWORD_CHARACTERS {
        ""
    } else {
        password.expose()
    };
    let parsed = PasswordHash::new(hash.unwrap_or(&DUMMY)).ok();
    let is_right =
        parsed.is_some_and(|parsed| argon2().verify_password(given.as_bytes(), &parsed).is_ok());
    Ok(is_right && hash.is_some())
}

fn argon2() -> Argon2<'static> {
    let params = Params::new(MEMORY_KIB, PASSES, LANES, None).unwrap_or_default();
    Argon2::new(Algorithm::Argon2id, Version::V0x13, params)
}

/// Hash of an unknown password, for logins that do not exist.
static DUMMY: LazyLock<String> = LazyLock::new(|| {
    let hash = argon2().hash_password_with_salt(b"", &[0; SALT_BYTES]);
    hash.map(|hash| hash.to_string()).unwrap_or_default()
});

const MEMORY_KIB: u32 = 19_456;
const PASSES: u32 = 2;
const LANES: u32 = 1;
const SALT_BYTES: usize = 16;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_password_itself_is_right() {
        let hash = hash(&Secret::new("correct horse battery")).unwrap();
        assert!(hash.starts_with("$argon2id$v=19$m=19456,t=2,p=1$"), "{hash}");
        assert!(verify(&Secret::new("correct horse battery"), Some(&hash)).unwrap());
        assert!(!verify(&Secret::new("correct horse batterz"), Some(&hash)).unwrap());
        // The dummy's password is never accepted, even if a user enters it.
        assert!(!verify(&Secret::new(""), None).unwrap());
        assert!(!verify(&Secret::new("x".repeat(MAX_PASSWORD_CHARACTERS + 1)), None).unwrap());
    }

    // The time of a refusal must not reveal whether a login exists.
    #[test]
    fn an_unknown_login_costs_the_same_work() {
        let parameters = |hash: &str| hash.rsplitn(3, '$').nth(2).map(str::to_owned);
        let known = hash(&Secret::new("correct horse battery")).unwrap();
        assert_eq!(parameters(&DUMMY), parameters(&known));
        let lengths = |hash: &str| hash.split('$').map(str::len).collect::<Vec<_>>();
        assert_eq!(lengths(&DUMMY), lengths(&known));
        // The dummy is a hash that is really computed and compared: its own password matches it.
        let parsed = PasswordHash::new(&DUMMY).unwrap();
        assert!(argon2().verify_password(b"", &parsed).is_ok());
    }

    #[test]
    fn lengths_are_bounded() {
        for (password, is_right) in [
            ("x".repeat(11), false),
            ("x".repeat(12), true),
            ("é".repeat(12), true),
            ("x".repeat(256), true),
            ("x".repeat(257), false),
            ("é".repeat(256), true),
        ] {
            assert_eq!(check(&Secret::new(password), "/password").is_ok(), is_right);
        }
    }
}
