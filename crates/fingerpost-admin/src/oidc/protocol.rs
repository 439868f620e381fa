//! The protocol with the provider: its description (OpenID Connect Discovery 1.0, section 4), the
//! authentication request, the exchange of the code for tokens, and their verification (OpenID
//! Connect Core 1.0, sections 3.1.2 and 3.1.3).

use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use fingerpost_http::ServeError;
use fingerpost_registry::{Federated, Secret};
use fingerpost_resolver::excerpt;
use openidconnect::core::{
    CoreAuthenticationFlow, CoreClientAuthMethod, CoreGenderClaim, CoreProviderMetadata,
};
use openidconnect::url::form_urlencoded;
use openidconnect::{
    AuthType, AuthorizationCode, Client, ClientId, ClientSecret, CsrfToken, DiscoveryError,
    HttpRequest, IssuerUrl, Nonce, OAuth2TokenResponse, PkceCodeChallenge, RedirectUrl,
    RequestTokenError, Scope, TokenResponse, UserInfoClaims,
};
use subtle::ConstantTimeEq;

use super::attempts::{Attempt, Attempts};
use super::claims::{self, Extra, Mapping};
use super::failure::{Failure, setting};
use super::http_client::{HttpClient, NoAnswer};
use super::types::{Claims, ErrorAnswer, RelyingParty, Token, Tokens};
use super::verified::{self, Unverified};
use crate::config::OidcOptions;
use crate::limits::oidc::{MAX_CLIENT_SECRET, MAX_LOGGED_TEXT};

/// Time after which the description is reloaded: providers change it rarely and with notice.
const DESCRIPTION_AGE: Duration = Duration::from_secs(60 * 60);

/// Number of random bytes of a ticket.
const TICKET_BYTES: u32 = 32;

/// The description of the provider, and when it was loaded.
#[derive(Clone, Debug)]
struct Description {
    metadata: Arc<CoreProviderMetadata>,
    read: Instant,
}

/// The address to which the browser is redirected, and the cookie that it brings back.
#[derive(Debug)]
pub(crate) struct Begun {
    pub(crate) location: String,
    pub(crate) ticket: Secret,
}

/// The protocol state for one provider.
#[derive(Debug)]
pub(super) struct Protocol {
    issuer: IssuerUrl,
    client_id: ClientId,
    secret: Option<ClientSecret>,
    scopes: Vec<Scope>,
    claim: String,
    mapping: Mapping,
    http: HttpClient,
    description: Mutex<Option<Description>>,
    attempts: Attempts,
}

impl Protocol {
    pub(super) fn new(oidc: &OidcOptions) -> Result<Self, ServeError> {
        let issuer = IssuerUrl::new(oidc.issuer.clone())
            .map_err(|error| setting("admin.oidc", format!("issuer is not an address: {error}")))?;
        Ok(Self {
            http: HttpClient::new("admin.oidc", issuer.url())?,
            issuer,
            client_id: ClientId::new(oidc.client_id.clone()),
            secret: oidc.client_secret_file.as_deref().map(read_secret).transpose()?,
            scopes: oidc.scopes.iter().cloned().map(Scope::new).collect(),
            claim: oidc.claim.clone(),
            mapping: Mapping::new(&oidc.roles)?,
            description: Mutex::new(None),
            attempts: Attempts::default(),
        })
    }

    /// Begins an attempt: creates the authentication request, and stores the part of it that stays
    /// here.
    pub(super) fn begin(
        &self,
        callback: String,
        network: Option<[u8; 8]>,
    ) -> Result<Begun, Failure> {
        let party = self.party(&*self.describe(false)?, &callback)?;
        let (challenge, verifier) = PkceCodeChallenge::new_random_sha256();
        let request = party.authorize_url(
            CoreAuthenticationFlow::AuthorizationCode,
            CsrfToken::new_random,
            Nonce::new_random,
        );
        let request = request.add_scopes(self.scopes.iter().cloned());
        let (location, state, nonce) = request.set_pkce_challenge(challenge).url();
        let ticket = CsrfToken::new_random_len(TICKET_BYTES).into_secret();
        let ticket = Secret::new(ticket);
        let attempt = Attempt { state, nonce, verifier, callback, network };
        self.attempts.insert(ticket.clone(), attempt, Instant::now());
        Ok(Begun { location: location.into(), ticket })
    }

    /// Removes and returns the attempt of this ticket.
    pub(super) fn take(&self, ticket: &Secret) -> Option<Attempt> {
        self.attempts.take(ticket, Instant::now())
    }

    /// Ends an attempt. Blocks.
    pub(super) fn finish(
        &self,
        attempt: Attempt,
        answer: ProviderAnswer,
    ) -> Result<Federated, Failure> {
        let code = self.code(&attempt, answer)?;
        let Attempt { nonce, verifier, callback, .. } = attempt;
        let party = self.party(&*self.describe(false)?, &callback)?;
        let request = party.exchange_code(code).map_err(|_| no_endpoint("token"))?;
        let tokens = request
            .set_pkce_verifier(verifier)
            .request(&|request: HttpRequest| self.http.send(request))
            .map_err(|error| failure(&error))?;
        let token = tokens.id_token().ok_or_else(|| {
            Failure::Untrusted("the response of the provider has no ID token".to_owned())
        })?;
        let (party, claims) = self.verified(party, token, &nonce, &callback)?;
        let untrusted = |why: Unverified| Failure::Untrusted(why.to_string());
        verified::access_token(&party, token, tokens.access_token(), &claims).map_err(untrusted)?;
        self.person(&party, &tokens, &claims)
    }

    /// Returns the claims of a valid ID token, and the provider with the keys that verified it.
    fn verified(
        &self,
        party: RelyingParty,
        token: &Token,
        nonce: &Nonce,
        callback: &str,
    ) -> Result<(RelyingParty, Claims), Failure> {
        let untrusted = |why: Unverified| Failure::Untrusted(why.to_string());
        match verified::claims(&party, token, nonce) {
            Ok(claims) => Ok((party, claims)),
            // The provider has changed its signing key since we loaded its keys.
            Err(Unverified::UnknownKey) => {
                let party = self.party(&*self.describe(true)?, callback)?;
                let claims = verified::claims(&party, token, nonce).map_err(untrusted)?;
                Ok((party, claims))
            }
            Err(why) => Err(untrusted(why)),
        }
    }

    /// Checks that the answer is for this attempt, comes from this provider, and is positive.
    fn code(
        &self,
        attempt: &Attempt,
        answer: ProviderAnswer,
    ) -> Result<AuthorizationCode, Failure> {
        let state = answer.state.unwrap_or_default();
        let same: bool = attempt.state.secret().as_bytes().ct_eq(state.as_bytes()).into();
        if !same {
            return Err(Failure::Foreign(
                "the answer has a different state than the attempt of this browser",
            ));
        }
        // RFC 9207, section 2.4: detects a provider that pretends to be another one.
        if answer.issuer.is_some_and(|issuer| issuer != *self.issuer.as_str()) {
            return Err(Failure::Foreign("the answer names another issuer"));
        }
        if let Some(error) = answer.error {
            return Err(Failure::Declined(format!(
                "the provider answered {}",
                excerpt(&error, MAX_LOGGED_TEXT)
            )));
        }
        let code = answer.code.filter(|code| !code.is_empty());
        code.map(AuthorizationCode::new)
            .ok_or(Failure::Foreign("the answer has neither a code nor an error"))
    }

    /// Returns the user's identity. Requests claims that the ID token leaves out (OpenID Connect
    /// Core 1.0, section 5.3).
    fn person(
        &self,
        party: &RelyingParty,
        tokens: &Tokens,
        claims: &Claims,
    ) -> Result<Federated, Failure> {
        let subject = claims.subject();
        let own = claims.additional_claims().values(&self.claim);
        let has_name = claims.name().is_some() || claims.preferred_username().is_some();
        let more = match party.user_info(tokens.access_token().clone(), Some(subject.clone())) {
            Ok(request) if own.is_none() || !has_name => {
                let more: UserInfoClaims<Extra, CoreGenderClaim> = request
                    .request(&|request: HttpRequest| self.http.send(request))
                    .map_err(|_| {
                        Failure::Provider(
                            "the UserInfo endpoint of the provider sent no claims".to_owned(),
                        )
                    })?;
                Some(more)
            }
            _ => None,
        };
        let values = own.or_else(|| more.as_ref()?.additional_claims().values(&self.claim));
        let more = more.as_ref();
        let name = claims.name().or_else(|| more?.name());
        let name = name.and_then(|name| name.get(None)).map(|name| name.as_str());
        let login = claims.preferred_username().or_else(|| more?.preferred_username());
        let email = claims.email().or_else(|| more?.email());
        let login = login.map(|login| login.as_str());
        let email = email.map(|email| email.as_str());
        Ok(Federated {
            issuer: self.issuer.as_str().to_owned(),
            subject: subject.as_str().to_owned(),
            name: claims::name([name, login, email, Some(subject.as_str())]),
            login: claims::name([login, email, Some(subject.as_str())]),
            memberships: self.mapping.memberships(&values.unwrap_or_default()),
        })
    }

    /// Returns the description of the provider, reloaded if it is old or if the caller requires it.
    /// Blocks.
    fn describe(&self, anew: bool) -> Result<Arc<CoreProviderMetadata>, Failure> {
        let known = self.description.lock().unwrap_or_else(PoisonError::into_inner).clone();
        let known = known.filter(|known| !anew && known.read.elapsed() < DESCRIPTION_AGE);
        if let Some(known) = known {
            return Ok(known.metadata);
        }
        // Without holding the lock, so that others need not wait for a slow provider.
        let send = |request: HttpRequest| self.http.send(request);
        let metadata = CoreProviderMetadata::discover(&self.issuer, &send).map_err(|error| {
            let why = match error {
                DiscoveryError::Request(error) => error.to_string(),
                DiscoveryError::Validation(why) => excerpt(&why, MAX_LOGGED_TEXT).to_string(),
                DiscoveryError::Response(status, ..) => format!("status {status}"),
                _ => "the answer is not a description".to_owned(),
            };
            Failure::Provider(format!("cannot get the description of the provider: {why}"))
        })?;
        let metadata = Arc::new(metadata);
        let described = Description { metadata: Arc::clone(&metadata), read: Instant::now() };
        *self.description.lock().unwrap_or_else(PoisonError::into_inner) = Some(described);
        Ok(metadata)
    }

    fn party(
        &self,
        metadata: &CoreProviderMetadata,
        callback: &str,
    ) -> Result<RelyingParty, Failure> {
        // The browser follows this address with its parameters; addresses of our own requests are
        // checked when they are sent.
        if !self.http.may_ask(Some(metadata.authorization_endpoint().url().scheme())) {
            return Err(Failure::Provider(
                "its authorization endpoint does not use TLS".to_owned(),
            ));
        }
        let callback = RedirectUrl::new(callback.to_owned()).map_err(|_| {
            Failure::Provider(
                "admin.origins has no valid address for the redirect of the provider".to_owned(),
            )
        })?;
        let party = Client::from_provider_metadata(
            metadata.clone(),
            self.client_id.clone(),
            self.secret.clone(),
        );
        Ok(party.set_auth_type(authentication(metadata)).set_redirect_uri(callback))
    }
}

/// Returns how we send the secret: the method that every provider must support, unless this one
/// names another.
fn authentication(metadata: &CoreProviderMetadata) -> AuthType {
    let methods = metadata.token_endpoint_auth_methods_supported();
    let takes = |method| methods.is_none_or(|methods| methods.contains(&method));
    if !takes(CoreClientAuthMethod::ClientSecretBasic)
        && takes(CoreClientAuthMethod::ClientSecretPost)
    {
        AuthType::RequestBody
    } else {
        AuthType::BasicAuth
    }
}

fn read_secret(path: &std::path::Path) -> Result<ClientSecret, ServeError> {
    let text = std::fs::read_to_string(path).map_err(|error| {
        setting("admin.oidc", format!("cannot read client_secret_file {}: {error}", path.display()))
    })?;
    match text.trim() {
        "" => Err(setting("admin.oidc", "client_secret_file is empty")),
        secret if secret.len() > MAX_CLIENT_SECRET => Err(setting(
            "admin.oidc",
            format!("client_secret_file is longer than {MAX_CLIENT_SECRET} bytes"),
        )),
        secret => Ok(ClientSecret::new(secret.to_owned())),
    }
}

/// Converts an error, without the provider's description of it and unreadable data: either may
/// repeat our request.
fn failure(error: &RequestTokenError<NoAnswer, ErrorAnswer>) -> Failure {
    Failure::Provider(match error {
        RequestTokenError::ServerResponse(answer) => {
            format!(
                "the token endpoint answered {}",
                excerpt(answer.error().as_ref(), MAX_LOGGED_TEXT)
            )
        }
        RequestTokenError::Request(error) => format!("the token endpoint: {error}"),
        RequestTokenError::Parse(error, _) => {
            format!(
                "the answer of the token endpoint is invalid at {}",
                excerpt(&error.path().to_string(), MAX_LOGGED_TEXT)
            )
        }
        RequestTokenError::Other(_) => "the token endpoint sent no usable answer".to_owned(),
    })
}

fn no_endpoint(which: &str) -> Failure {
    Failure::Provider(format!("the description of the provider names no {which} endpoint"))
}

/// The parameters that the browser brings back from the provider (RFC 6749 section 4.1.2, RFC
/// 9207).
#[derive(Debug, Default)]
pub(super) struct ProviderAnswer {
    code: Option<String>,
    state: Option<String>,
    issuer: Option<String>,
    error: Option<String>,
}

impl ProviderAnswer {
    /// Parses the parameters. They must not be repeated (RFC 6749, section 3.1); others are
    /// ignored.
    pub(super) fn parse(query: &str) -> Result<Self, Failure> {
        let mut answer = Self::default();
        for (name, value) in form_urlencoded::parse(query.as_bytes()) {
            let value_of = match &*name {
                "code" => &mut answer.code,
                "state" => &mut answer.state,
                "iss" => &mut answer.issuer,
                "error" => &mut answer.error,
                _ => continue,
            };
            if value_of.replace(value.into_owned()).is_some() {
                return Err(Failure::Foreign("a parameter of the answer is repeated"));
            }
        }
        Ok(answer)
    }
}
