//! Verification of an ID token (OpenID Connect Core 1.0, section 3.1.3.7): signature, issuer,
//! audience, time, nonce.

use std::fmt;

use openidconnect::core::{CoreJsonWebKey, CoreJwsSigningAlgorithm as Algorithm};
use openidconnect::{
    AccessToken, AccessTokenHash, ClaimsVerificationError, IdTokenVerifier, Nonce,
    SignatureVerificationError,
};

use super::types::{Claims, RelyingParty, Token};

/// Signature algorithms that only the provider can use. Not `none`, and none with a shared secret.
pub(super) const ALGORITHMS: [Algorithm; 9] = [
    Algorithm::RsaSsaPkcs1V15Sha256,
    Algorithm::RsaSsaPkcs1V15Sha384,
    Algorithm::RsaSsaPkcs1V15Sha512,
    Algorithm::RsaSsaPssSha256,
    Algorithm::RsaSsaPssSha384,
    Algorithm::RsaSsaPssSha512,
    Algorithm::EcdsaP256Sha256,
    Algorithm::EcdsaP384Sha384,
    Algorithm::EdDsa,
];

/// The reason why an ID token is invalid. Contains nothing of the token.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Unverified {
    /// The provider had not published the signing key when its keys were loaded.
    UnknownKey,
    Because(&'static str),
}

impl fmt::Display for Unverified {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let why = match self {
            Unverified::UnknownKey => "it is signed with an unknown key",
            Unverified::Because(why) => why,
        };
        write!(f, "the ID token is invalid: {why}")
    }
}

/// Returns the claims of a valid token.
pub(super) fn claims(
    party: &RelyingParty,
    token: &Token,
    nonce: &Nonce,
) -> Result<Claims, Unverified> {
    let claims = token.claims(&verifier(party), nonce).map_err(|error| reason(&error))?;
    // The library leaves the authorized party to its callers. Ours is the only client that has a
    // use for the token.
    match claims.authorized_party() {
        Some(authorized) if authorized != party.client_id() => {
            Err(Unverified::Because("it was issued to another client"))
        }
        _ => Ok(claims.clone()),
    }
}

/// Checks that the access token for further claims is the one that the ID token refers to (section
/// 3.1.3.8).
pub(super) fn access_token(
    party: &RelyingParty,
    token: &Token,
    access_token: &AccessToken,
    claims: &Claims,
) -> Result<(), Unverified> {
    let Some(expected) = claims.access_token_hash() else { return Ok(()) };
    let verifier = verifier(party);
    let found = token.signing_alg().and_then(|algorithm| {
        let key = token.signing_key(&verifier)?;
        Ok(AccessTokenHash::from_token(access_token, algorithm, key))
    });
    match found {
        Ok(Ok(found)) if found == *expected => Ok(()),
        Ok(Ok(_)) => Err(Unverified::Because("it belongs to another access token")),
        _ => Err(Unverified::Because("its hash of the access token cannot be verified")),
    }
}

fn verifier(party: &RelyingParty) -> IdTokenVerifier<'_, CoreJsonWebKey> {
    party.id_token_verifier().set_allowed_algs(ALGORITHMS)
}

pub(super) fn reason(error: &ClaimsVerificationError) -> Unverified {
    use ClaimsVerificationError as Error;
    use SignatureVerificationError as Signature;
    Unverified::Because(match error {
        Error::SignatureVerification(Signature::NoMatchingKey) => return Unverified::UnknownKey,
        Error::SignatureVerification(Signature::NoSignature) => "it is not signed",
        Error::SignatureVerification(
            Signature::DisallowedAlg(_) | Signature::UnsupportedAlg(_),
        ) => "it is signed with an algorithm that is not allowed",
        Error::SignatureVerification(_) => "its signature is wrong",
        Error::Expired(_) => "it has expired",
        Error::InvalidAudience(_) => "it is for another audience",
        Error::InvalidIssuer(_) => "it is from another issuer",
        Error::InvalidNonce(_) => "it has another nonce",
        Error::InvalidSubject(_) => "it is about another subject",
        _ => "it cannot be read",
    })
}
