//! Whom an answer is for: the roles that a request proves by a bearer token (RFC 6750) or by a
//! signed link. Only requests with a proof take this path.

use std::borrow::Cow;
use std::fmt;

use fingerpost_resolver::{
    Plan, SIGNED_ACCESS, Settings, SignedAccessFault, Viewer, take_signed_access,
};
use http::header::{self, HeaderMap, HeaderName, HeaderValue};
use jiff::Timestamp;

/// A verifier of bearer tokens.
pub trait VerifyToken: fmt::Debug + Send + Sync {
    /// Returns the roles that a token proves at an instant; none if it is valid, but maps to no
    /// role. It must not wait for the network: it is called on the thread of the request.
    ///
    /// # Errors
    ///
    /// Returns why the token is not accepted.
    fn verify(&self, token: &str, now: Timestamp) -> Result<Vec<String>, TokenFault>;
}

/// The reason why a bearer token is not accepted. It contains nothing of the token.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TokenFault(pub &'static str);

/// A proof that is not accepted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ProofFault {
    Token(TokenFault),
    SignedAccess(SignedAccessFault),
}

/// The proof in a request target, and the target without it.
#[derive(Debug)]
pub(crate) struct Asked<'r> {
    pub(crate) target: Cow<'r, str>,
    signed: Option<&'r str>,
}

impl<'r> Asked<'r> {
    /// Takes the proof out of a target, if signed links are in use.
    #[inline]
    pub(crate) fn read(settings: &Settings, target: &'r str) -> Self {
        if !settings.signing_secrets().is_empty()
            && target.contains(SIGNED_ACCESS)
            && let Some((target, proof)) = take_signed_access(target)
        {
            return Self { target: target.into(), signed: Some(proof) };
        }
        Self { target: target.into(), signed: None }
    }

    /// Returns whether the target has the proof of a signed link.
    #[inline]
    pub(crate) fn is_signed(&self) -> bool {
        self.signed.is_some()
    }

    /// Returns whom the answer is for. A signed link takes precedence: its bearer may have a token
    /// for something else.
    pub(crate) fn viewer(
        &self,
        plan: &Plan<'_>,
        tokens: Option<&dyn VerifyToken>,
        fields: &HeaderMap,
        settings: &Settings,
        now: Timestamp,
    ) -> Result<Viewer, ProofFault> {
        let Some(key) = plan.key() else { return Ok(Viewer::PUBLIC) };
        if let Some(proof) = self.signed {
            let secrets = settings.signing_secrets();
            let viewer = secrets.verify(key, proof, settings.roles(), now);
            return viewer.map_err(ProofFault::SignedAccess);
        }
        let Some(tokens) = tokens else { return Ok(Viewer::PUBLIC) };
        let Some(token) = bearer(fields).map_err(ProofFault::Token)? else {
            return Ok(Viewer::PUBLIC);
        };
        let proven = tokens.verify(token, now).map_err(ProofFault::Token)?;
        let declared = proven.into_iter().filter(|role| settings.roles().contains(role));
        Ok(Viewer::with_roles(declared))
    }
}

/// Returns the bearer token of a request (RFC 6750 section 2.1); `None` without one. Other schemes
/// are not ours.
fn bearer(fields: &HeaderMap) -> Result<Option<&str>, TokenFault> {
    let mut found = None;
    for value in fields.get_all(header::AUTHORIZATION) {
        let Some((scheme, rest)) = value.to_str().ok().and_then(|text| text.split_once(' ')) else {
            continue;
        };
        if scheme.eq_ignore_ascii_case("bearer") && found.replace(rest.trim()).is_some() {
            return Err(TokenFault("the request has more than one token"));
        }
    }
    Ok(found)
}

/// Returns the challenge for a token that is not accepted (RFC 6750 section 3).
pub(crate) fn challenge(fault: TokenFault) -> (HeaderName, HeaderValue) {
    let TokenFault(why) = fault;
    let value = format!("Bearer error=\"invalid_token\", error_description=\"{why}\"");
    let bare = HeaderValue::from_static("Bearer error=\"invalid_token\"");
    (header::WWW_AUTHENTICATE, HeaderValue::from_str(&value).unwrap_or(bare))
}
