//! Credentials: a key in `Authorization` (RFC 6750), or a session in a cookie (RFC 6265) in a
//! request of our own pages. The registry decides what they permit.

use std::net::IpAddr;
use std::sync::Arc;

use axum::extract::{FromRequestParts, Request, State};
use axum::middleware::Next;
use axum::response::Response;
use fingerpost_http::client_address;
use fingerpost_registry::{Caller, ClientInfo, Secret, SignedIn, Via};
use http::header::{self, HeaderMap, HeaderName};
use http::request::Parts;
use http::{Method, StatusCode};

use crate::limits::{MAX_TOKEN, REFUSAL_DELAY};
use crate::problem::AdminProblem;
use crate::state::App;

/// The header with the token that a page sends with every change.
pub(crate) const CSRF: HeaderName = HeaderName::from_static("x-csrf-token");

const FETCH_SITE: HeaderName = HeaderName::from_static("sec-fetch-site");
const FORWARDED_FOR: HeaderName = HeaderName::from_static("x-forwarded-for");
const REAL_IP: HeaderName = HeaderName::from_static("x-real-ip");

/// Passes requests with a valid credential to the handlers, with their caller.
pub(crate) async fn authenticate(
    State(app): State<Arc<App>>,
    mut request: Request,
    next: Next,
) -> Result<Response, AdminProblem> {
    let client = client_of(&app, request.headers(), request.extensions().get());
    let (caller, organisations) = match bearer(request.headers())? {
        Some(token) => {
            let client = client.with(Via::Api);
            // What changes something asks for its permissions again, in its transaction.
            let changes = matches!(*request.method(), Method::PUT | Method::PATCH | Method::DELETE);
            match changes.then(|| app.registry().recall_key(&token, &client)).flatten() {
                Some(found) => found,
                None => app.call(move |registry| registry.admit_key(&token, &client)).await?,
            }
        }
        None => {
            let (caller, session) = session(&app, request.headers(), client)
                .await?
                .ok_or_else(AdminProblem::unauthenticated)?;
            if !request.method().is_safe() {
                check_origin(&app, request.headers())?;
                check_csrf(request.headers(), &session)?;
            }
            let who = caller.clone();
            let organisations = app.call(move |registry| registry.organisations_of(&who)).await?;
            (caller, organisations)
        }
    };
    let actor = caller.actor().to_string();
    request.extensions_mut().insert(Who(caller));
    let admitted = app.admission().admit(actor, organisations, next.run(request)).await;
    if admitted.is_err() {
        // A client that does not wait by itself is made to.
        tokio::time::sleep(REFUSAL_DELAY).await;
    }
    admitted
}

/// The caller that [`authenticate`] identified.
#[derive(Clone, Debug)]
pub(crate) struct Who(pub(crate) Caller);

impl<S: Send + Sync> FromRequestParts<S> for Who {
    type Rejection = AdminProblem;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, AdminProblem> {
        // A handler without that layer refuses every request.
        parts.extensions.get::<Who>().cloned().ok_or_else(AdminProblem::unauthenticated)
    }
}

/// Returns the key in `Authorization`. Another scheme, or two keys, are no credential.
fn bearer(fields: &HeaderMap) -> Result<Option<Secret>, AdminProblem> {
    let mut values = fields.get_all(header::AUTHORIZATION).iter();
    let Some(value) = values.next() else { return Ok(None) };
    let token = value.to_str().ok().and_then(|value| value.split_once(' '));
    match token {
        Some((scheme, token))
            if scheme.eq_ignore_ascii_case("bearer")
                && token.len() <= MAX_TOKEN
                && values.next().is_none() =>
        {
            Ok(Some(Secret::new(token.trim())))
        }
        _ => Err(AdminProblem::unauthenticated()),
    }
}

/// Returns the session of the cookie, if it is valid.
pub(crate) async fn session(
    app: &Arc<App>,
    fields: &HeaderMap,
    client: RequestClient,
) -> Result<Option<(Caller, SignedIn)>, AdminProblem> {
    let Some(token) = cookie(fields, app.cookie_name()) else { return Ok(None) };
    let client = client.with(Via::Console);
    let found = app.try_call(move |registry| registry.session(&token, &client)).await?;
    match found {
        Ok(found) => Ok(Some(found)),
        Err(fingerpost_registry::RegistryError::Unauthenticated) => Ok(None),
        Err(error) => Err(error.into()),
    }
}

/// Returns the value of the only cookie of this name; if there are two, we did not set both.
pub(crate) fn cookie(fields: &HeaderMap, name: &str) -> Option<Secret> {
    let pairs = fields.get_all(header::COOKIE).iter().filter_map(|value| value.to_str().ok());
    let mut found = pairs.flat_map(|pairs| pairs.split(';')).filter_map(|pair| {
        let (key, value) = pair.trim().split_once('=')?;
        (key == name && value.len() <= MAX_TOKEN).then_some(value)
    });
    let value = found.next()?;
    found.next().is_none().then(|| Secret::new(value))
}

/// Refuses requests that other sites cause a browser to send. Programs that are not browsers and
/// hold no session may omit both fields: see [`check_foreign`].
fn check_origin(app: &App, fields: &HeaderMap) -> Result<(), AdminProblem> {
    let named = fields.contains_key(header::ORIGIN)
        || fields.get(FETCH_SITE).is_some_and(|v| !v.is_empty());
    if named { check_foreign(app, fields) } else { Err(cross_site()) }
}

/// Refuses requests that, according to the browser, another site caused.
pub(crate) fn check_foreign(app: &App, fields: &HeaderMap) -> Result<(), AdminProblem> {
    let site = fields.get(FETCH_SITE);
    let own_site = site.is_none_or(|site| site == "same-origin");
    let own_origin = fields.get_all(header::ORIGIN).iter().all(|origin| {
        let host = fields.get(header::HOST).and_then(|host| host.to_str().ok());
        origin.to_str().is_ok_and(|origin| app.is_own_origin(origin, host))
    });
    if own_site && own_origin { Ok(()) } else { Err(cross_site()) }
}

fn check_csrf(fields: &HeaderMap, session: &SignedIn) -> Result<(), AdminProblem> {
    let sent = fields.get(CSRF).and_then(|value| value.to_str().ok());
    if sent.is_some_and(|sent| session.csrf_is(sent)) { Ok(()) } else { Err(cross_site()) }
}

fn cross_site() -> AdminProblem {
    let detail = "a request with a session must come from the console and carry its X-CSRF-Token";
    AdminProblem::new(StatusCode::FORBIDDEN, "cross-site", detail)
}

/// The address of the other end of the connection, as an extension of a request.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Peer(pub(crate) IpAddr);

/// The client of a request, before the type of its credential is known.
#[derive(Clone, Debug)]
pub(crate) struct RequestClient {
    address: Option<IpAddr>,
    user_agent: Option<String>,
    device: Option<Secret>,
}

impl RequestClient {
    pub(crate) fn with(self, via: Via) -> ClientInfo {
        let mut client = ClientInfo::new(via);
        if let Some(address) = self.address {
            client = client.address(address);
        }
        if let Some(user_agent) = &self.user_agent {
            client = client.user_agent(user_agent);
        }
        if let Some(device) = &self.device {
            client = client.device(device);
        }
        client
    }
}

fn client_of(app: &App, fields: &HeaderMap, peer: Option<&Peer>) -> RequestClient {
    let user_agent = fields.get(header::USER_AGENT).and_then(|value| value.to_str().ok());
    RequestClient {
        address: peer.map(|Peer(peer)| forwarded(app, fields, *peer)),
        user_agent: user_agent.map(str::to_owned),
        device: cookie(fields, app.device_name()),
    }
}

/// Returns the client address reported by the last proxy that we trust. Warns of a proxy that is
/// not configured: all its clients would share one address, and with it the rate of sign-in.
fn forwarded(app: &App, fields: &HeaderMap, peer: IpAddr) -> IpAddr {
    let is_forwarded = [FORWARDED_FOR, header::FORWARDED, REAL_IP];
    let is_forwarded = is_forwarded.iter().any(|name| fields.contains_key(name));
    if is_forwarded && !app.is_trusted_proxy(peer) && app.first_of_untrusted_proxy() {
        tracing::warn!(
            %peer,
            "a request was forwarded by a proxy that is not in `trusted_proxies`: all its clients share one address, and the limits of \
             sign-in; add its address, unless it is not yours"
        );
    }
    client_address(fields, peer, &app.config().site().trusted_proxies)
}

impl FromRequestParts<Arc<App>> for RequestClient {
    type Rejection = std::convert::Infallible;

    async fn from_request_parts(
        parts: &mut Parts,
        app: &Arc<App>,
    ) -> Result<Self, Self::Rejection> {
        Ok(client_of(app, &parts.headers, parts.extensions.get()))
    }
}
