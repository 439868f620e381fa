//! Bearer tokens that prove roles on the public side: JWT access tokens (RFC 9068) or ID tokens of
//! configured issuers, verified as those of a sign-in, with the same client, algorithms and claims.
//!
//! A verification never waits for the network: keys are fetched in the background
//! ([`RoleTokens::refresh`]) from the address that the issuer's description names (OpenID Connect
//! Discovery 1.0). A token with an unknown key asks for a refresh, of which there is at most one in
//! [`MIN_REFRESH`], however many such tokens are sent.

use std::collections::BTreeMap;
use std::str::FromStr;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use fingerpost_http::ServeError;
use fingerpost_resolver::{Roles, excerpt};
use jiff::Timestamp;
use openidconnect::core::{CoreJsonWebKey, CoreJsonWebKeySet, CoreProviderMetadata};
use openidconnect::{
    ClientId, HttpRequest, IdTokenVerifier, IssuerUrl, JsonWebTokenType, Nonce,
    NormalizedJsonWebTokenType,
};

use super::failure::setting;
use super::http_client::HttpClient;
use super::types::{Claims, Token};
use super::verified::{ALGORITHMS, Unverified, reason};
use crate::limits::oidc::MAX_ROLE_ISSUERS;
use crate::limits::oidc::{MAX_LOGGED_TEXT, MAX_ROLE_TOKEN, MIN_REFRESH};
use crate::role_issuers::RoleIssuerParts;

/// Time after which keys are fetched again: issuers publish a new key well before they use it.
const KEY_AGE: Duration = Duration::from_secs(60 * 60);

const KEY: &str = "role_issuers";

/// The issuers of tokens that prove roles.
#[derive(Debug)]
pub struct RoleTokens(Vec<Issuer>);

#[derive(Debug)]
struct Issuer {
    url: IssuerUrl,
    audience: ClientId,
    claim: String,
    /// Role by value of the claim.
    roles: BTreeMap<String, String>,
    http: HttpClient,
    keys: Mutex<Option<Arc<CoreJsonWebKeySet>>>,
    /// When the keys were last requested, successfully or not.
    requested: Mutex<Option<Instant>>,
    /// Whether a token was signed with an unknown key.
    is_key_missing: AtomicBool,
}

impl RoleTokens {
    /// Checks the configured issuers; `None` if there are none. Nothing is requested yet.
    pub fn new(parts: &[RoleIssuerParts], declared: &Roles) -> Result<Option<Self>, ServeError> {
        if parts.len() > MAX_ROLE_ISSUERS {
            let found = parts.len();
            let message = format!("expected at most {MAX_ROLE_ISSUERS} issuers, found {found}");
            return Err(setting(KEY, message));
        }
        let issuers = parts.iter().map(|parts| Issuer::new(parts, declared));
        let issuers: Vec<_> = issuers.collect::<Result<_, _>>()?;
        Ok((!issuers.is_empty()).then_some(Self(issuers)))
    }

    /// Fetches the keys that are missing or old. Blocks; returns what failed, with the issuer, for
    /// the log. Other issuers are not affected, and old keys stay in use.
    pub fn refresh(&self) -> Vec<String> {
        self.0.iter().filter_map(|issuer| issuer.refresh(Instant::now()).err()).collect()
    }

    /// Returns the roles that a token proves, none if it is valid but maps to no role.
    ///
    /// # Errors
    ///
    /// Returns why the token is not accepted, without anything of the token.
    pub fn verify(&self, token: &str, now: Timestamp) -> Result<Vec<String>, &'static str> {
        if token.len() > MAX_ROLE_TOKEN {
            return Err("the token is too long");
        }
        let token = Token::from_str(token).map_err(|_| "the token is not a signed JWT")?;
        let mut other_issuer = None;
        for issuer in &self.0 {
            match issuer.verify(&token, now) {
                Err(OTHER_ISSUER) => other_issuer = Some(OTHER_ISSUER),
                verified => return verified,
            }
        }
        Err(other_issuer.unwrap_or(OTHER_ISSUER))
    }
}

const OTHER_ISSUER: &str = "the token is from another issuer";

impl Issuer {
    fn new(parts: &RoleIssuerParts, declared: &Roles) -> Result<Self, ServeError> {
        let url = IssuerUrl::new(parts.issuer.clone())
            .map_err(|error| setting(KEY, format!("issuer is not an address: {error}")))?;
        if parts.audience.is_empty() {
            return Err(setting(KEY, "expected the audience of the tokens, found none"));
        }
        if let Some(role) = parts.roles.values().find(|role| !declared.contains(role)) {
            return Err(setting(KEY, format!("expected {}, found {role:?}", declared.known())));
        }
        Ok(Self {
            http: HttpClient::new(KEY, url.url())?,
            url,
            audience: ClientId::new(parts.audience.clone()),
            claim: parts.claim.clone(),
            roles: parts.roles.clone(),
            keys: Mutex::default(),
            requested: Mutex::default(),
            is_key_missing: AtomicBool::new(false),
        })
    }

    fn keys(&self) -> Option<Arc<CoreJsonWebKeySet>> {
        self.keys.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    fn refresh(&self, now: Instant) -> Result<(), String> {
        let age = {
            let mut requested = self.requested.lock().unwrap_or_else(PoisonError::into_inner);
            let age = requested.map(|at| now.duration_since(at));
            let needs_any = self.keys().is_none() || self.is_key_missing.load(Ordering::Relaxed);
            let least = if needs_any { MIN_REFRESH } else { KEY_AGE };
            if age.is_some_and(|age| age < least) {
                return Ok(());
            }
            requested.replace(now)
        };
        self.is_key_missing.store(false, Ordering::Relaxed);
        let send = |request: HttpRequest| self.http.send(request);
        // The description is followed by the keys that it refers to.
        match CoreProviderMetadata::discover(&self.url, &send) {
            Ok(metadata) => {
                let found = Arc::new(metadata.jwks().clone());
                *self.keys.lock().unwrap_or_else(PoisonError::into_inner) = Some(found);
                if age.is_none() {
                    tracing::info!(issuer = self.url.as_str(), "keys of a role issuer read");
                }
                Ok(())
            }
            Err(error) => {
                let why = error.to_string();
                let why = excerpt(&why, MAX_LOGGED_TEXT);
                Err(format!("cannot get the keys of {}: {why}", self.url.as_str()))
            }
        }
    }

    fn verify(&self, token: &Token, now: Timestamp) -> Result<Vec<String>, &'static str> {
        let Some(keys) = self.keys() else {
            return Err("the keys of the issuer are not available; try again in a minute");
        };
        let claims = self.claims(token, &keys).map_err(|why| match why {
            Unverified::UnknownKey => {
                self.is_key_missing.store(true, Ordering::Relaxed);
                "the token is signed with an unknown key; if it is new, try again in a minute"
            }
            Unverified::Because("it has expired") => "the token has expired",
            Unverified::Because("it is from another issuer") => OTHER_ISSUER,
            Unverified::Because("it is for another audience") => {
                "the token is for another audience"
            }
            Unverified::Because(_) => "the token is not valid",
        })?;
        let extra = claims.additional_claims();
        if extra.not_before().is_some_and(|from| now.as_second() < from) {
            return Err("the token is not valid yet");
        }
        let values = extra.values(&self.claim).unwrap_or_default();
        let mut roles: Vec<_> =
            values.iter().filter_map(|value| self.roles.get(value)).cloned().collect();
        roles.sort_unstable();
        roles.dedup();
        Ok(roles)
    }

    fn claims(&self, token: &Token, keys: &CoreJsonWebKeySet) -> Result<Claims, Unverified> {
        let verifier: IdTokenVerifier<'_, CoreJsonWebKey> = IdTokenVerifier::new_public_client(
            self.audience.clone(),
            self.url.clone(),
            keys.clone(),
        )
        .set_allowed_algs(ALGORITHMS)
        .set_allowed_jose_types(token_types())
        // A token can be for several resources (RFC 9068 section 2.2).
        .set_other_audience_verifier_fn(|_| true);
        // A bearer token answers no request of ours.
        let no_nonce = |_: Option<&Nonce>| Ok(());
        token.claims(&verifier, no_nonce).cloned().map_err(|error| reason(&error))
    }
}

/// Returns the types in the header of tokens: those of access tokens (RFC 9068 section 2.1), and of
/// any JWT.
fn token_types() -> Vec<NormalizedJsonWebTokenType> {
    let types = ["JWT", "at+jwt", "application/at+jwt"];
    let read = |name: &str| JsonWebTokenType::new(name.to_owned()).normalize().ok();
    types.into_iter().filter_map(read).collect()
}

#[cfg(test)]
mod tests;
