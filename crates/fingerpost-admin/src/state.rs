//! The state that all handlers share.

use std::any::Any;
use std::net::SocketAddr;
use std::pin::Pin;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};

use bytes::Bytes;
use fingerpost_http::process::thread_time;
use fingerpost_insight::Insight;
use fingerpost_registry::{Caller, Registry, RegistryError};
use serde::Serialize;
use utoipa::ToSchema;

use crate::admission::{Admission, Turn, Work};
use crate::commits::Commits;
use crate::config::Config;
use crate::exposition::Exposition;
use crate::hashing::{Hashing, HashingSlot};
use crate::oidc::Provider;
use crate::problem::AdminProblem;

/// How long the answer of `/ready` is kept: it writes a temporary file, and needs no credential.
const READINESS: Duration = Duration::from_secs(5);

/// The state that all handlers share.
pub(crate) struct App {
    registry: Registry,
    config: Config,
    tls: bool,
    origins: Vec<String>,
    bound: Vec<SocketAddr>,
    oidc: Option<Arc<Provider>>,
    admission: Admission,
    sign_ins: Arc<Hashing>,
    passwords: Arc<Hashing>,
    warned_of_proxy: AtomicBool,
    texts: Texts,
    commits: Arc<Commits>,
    exposition: Arc<OnceLock<Exposition>>,
    insight: Arc<OnceLock<Insight>>,
    /// When writing was last tried, and whether it was possible.
    tried: tokio::sync::Mutex<Option<(Instant, bool)>>,
}

/// The description of the API, in the forms that are served.
#[derive(Clone, Debug)]
pub(crate) struct Texts {
    /// The OpenAPI document.
    pub(crate) description: Bytes,
    /// The OpenAPI document as an HTML page.
    pub(crate) manual: Bytes,
    /// The documents of the operations as an HTML page.
    pub(crate) documents: Bytes,
}

/// The ways to sign in.
#[derive(Clone, Copy, Debug, Serialize, ToSchema)]
pub(crate) struct SignInWays {
    /// Whether `POST /v1/session` takes a login and a password.
    pub(crate) password: bool,
    /// Whether `GET /v1/oidc/start` leads to an OpenID Connect provider.
    pub(crate) oidc: bool,
}

impl App {
    /// Creates the state. `bound` are the addresses in use, `texts` the description of the API.
    pub(crate) fn new(
        registry: Registry,
        config: Config,
        bound: &[SocketAddr],
        oidc: Option<Provider>,
        texts: Texts,
    ) -> Self {
        let tls = config.tls().is_some();
        Self {
            tls,
            origins: origins(&config.options().origins, tls, bound),
            bound: bound.to_vec(),
            oidc: oidc.map(Arc::new),
            admission: Admission::new(config.options()),
            sign_ins: Arc::new(Hashing::new()),
            passwords: Arc::new(Hashing::new()),
            warned_of_proxy: AtomicBool::new(false),
            texts,
            commits: Arc::default(),
            exposition: Arc::default(),
            insight: Arc::default(),
            tried: tokio::sync::Mutex::default(),
            registry,
            config,
        }
    }

    /// Returns the same state with another configuration. The calls in progress are counted from
    /// zero.
    pub(crate) fn with_config(&self, config: Config) -> Self {
        Self {
            tls: self.tls,
            origins: origins(&config.options().origins, self.tls, &self.bound),
            bound: self.bound.clone(),
            oidc: self.oidc.clone(),
            admission: Admission::new(config.options()),
            sign_ins: Arc::clone(&self.sign_ins),
            passwords: Arc::clone(&self.passwords),
            warned_of_proxy: AtomicBool::new(self.warned_of_proxy.load(Relaxed)),
            texts: self.texts.clone(),
            commits: Arc::clone(&self.commits),
            exposition: Arc::clone(&self.exposition),
            insight: Arc::clone(&self.insight),
            tried: tokio::sync::Mutex::default(),
            registry: self.registry.with_options(
                crate::registry_options(&config).webhooks(self.registry.keeps_events()),
            ),
            config,
        }
    }

    pub(crate) fn config(&self) -> &Config {
        &self.config
    }

    pub(crate) fn registry(&self) -> &Registry {
        &self.registry
    }

    /// Returns the metrics of the process, if it provides them.
    pub(crate) fn exposition(&self) -> Option<&Exposition> {
        self.exposition.get()
    }

    /// Provides the metrics of the process. Only the first ones count.
    pub(crate) fn expose(&self, exposition: Exposition) {
        let _ = self.exposition.set(exposition);
    }

    /// Returns the counts of scans, if scans are counted.
    pub(crate) fn insight(&self) -> Option<&Insight> {
        self.insight.get()
    }

    /// Provides the counts of scans. Only the first ones count.
    pub(crate) fn show_insight(&self, insight: Insight) {
        let _ = self.insight.set(insight);
    }

    pub(crate) fn is_tls(&self) -> bool {
        self.tls
    }

    pub(crate) fn description(&self) -> Bytes {
        self.texts.description.clone()
    }

    pub(crate) fn manual(&self) -> Bytes {
        self.texts.manual.clone()
    }

    pub(crate) fn documents(&self) -> Bytes {
        self.texts.documents.clone()
    }

    /// Returns whether browsers may only send the cookie over TLS, either to us or to the front
    /// end.
    pub(crate) fn is_secure(&self) -> bool {
        let in_front = self.config.options().origins.first();
        self.tls || in_front.is_some_and(|origin| origin.starts_with("https://"))
    }

    /// Returns the name of the cookie. Its prefix has browsers refuse it from other hosts and
    /// without TLS (RFC 6265bis section 4.1.3.2).
    pub(crate) fn cookie_name(&self) -> &'static str {
        if self.is_secure() { "__Host-fingerpost-session" } else { "fingerpost-session" }
    }

    /// Returns the name of the cookie by which a browser is recognised at the next sign-in, as
    /// [`App::cookie_name`].
    pub(crate) fn device_name(&self) -> &'static str {
        if self.is_secure() { "__Host-fingerpost-device" } else { "fingerpost-device" }
    }

    /// Returns the name of the cookie that binds a sign-in with a provider to the browser that
    /// began it, as [`App::cookie_name`].
    pub(crate) fn ticket_name(&self) -> &'static str {
        if self.is_secure() { "__Host-fingerpost-oidc" } else { "fingerpost-oidc" }
    }

    pub(crate) fn oidc(&self) -> Option<&Provider> {
        self.oidc.as_deref()
    }

    pub(crate) fn sign_in_ways(&self) -> SignInWays {
        SignInWays { password: true, oidc: self.oidc.is_some() }
    }

    /// Returns the known origin with this host, else the first one: a client cannot make us use
    /// another.
    pub(crate) fn origin_of(&self, host: Option<&str>) -> &str {
        let is_asked = |origin: &&String| {
            let named = origin.split_once("://").map(|(_, named)| named);
            named.is_some() && named == host
        };
        let found = self.origins.iter().find(is_asked).or(self.origins.first());
        found.map_or("", String::as_str)
    }

    /// Returns whether a page of this origin is ours: a configured origin, or the host of the
    /// request.
    pub(crate) fn is_own_origin(&self, origin: &str, host: Option<&str>) -> bool {
        let scheme = if self.tls { "https://" } else { "http://" };
        let asked = origin.strip_prefix(scheme);
        self.origins.iter().any(|own| own == origin) || (asked.is_some() && asked == host)
    }

    /// Returns whether this is the first request from an untrusted proxy, about which the operator
    /// is warned once.
    pub(crate) fn first_of_untrusted_proxy(&self) -> bool {
        !self.warned_of_proxy.swap(true, Relaxed)
    }

    pub(crate) fn is_trusted_proxy(&self, address: std::net::IpAddr) -> bool {
        self.config.site().trusted_proxies.iter().any(|network| network.contains(address))
    }

    /// Calls the registry on a thread that may block.
    pub(crate) async fn call<T: Send + 'static>(
        &self,
        call: impl FnOnce(&Registry) -> Result<T, RegistryError> + Send + 'static,
    ) -> Result<T, AdminProblem> {
        self.try_call(call).await?.map_err(AdminProblem::from)
    }

    /// As [`App::call`], for callers that handle errors themselves.
    pub(crate) async fn try_call<T: Send + 'static>(
        &self,
        call: impl FnOnce(&Registry) -> T + Send + 'static,
    ) -> Result<T, AdminProblem> {
        self.work(Work::Call, call).await
    }

    /// As [`App::call`], for lists and other calls that read many rows.
    pub(crate) async fn list<T: Send + 'static>(
        &self,
        list: impl FnOnce(&Registry) -> Result<T, RegistryError> + Send + 'static,
    ) -> Result<T, AdminProblem> {
        self.work(Work::Long, list).await?.map_err(AdminProblem::from)
    }

    /// As [`App::call`], for a transaction with many writes, which blocks all other writers.
    pub(crate) async fn exclusive<T: Send + 'static>(
        &self,
        call: impl FnOnce(&Registry) -> Result<T, RegistryError> + Send + 'static,
    ) -> Result<T, AdminProblem> {
        self.work(Work::Exclusive, call).await?.map_err(AdminProblem::from)
    }

    /// As [`App::call`], for rows that are read by turns. `is_exclusive`: whether they are written
    /// in one transaction.
    pub(crate) async fn batch<T: Send + 'static>(
        &self,
        is_exclusive: bool,
        batch: impl FnOnce(&Registry, &mut Turn) -> Result<T, RegistryError> + Send + 'static,
    ) -> Result<T, AdminProblem> {
        let held = self.admission.batch().await?;
        let work = if is_exclusive { Work::Exclusive } else { Work::Long };
        let batch = move |registry: &Registry, turn: &mut Turn| {
            let _held = held;
            batch(registry, turn)
        };
        self.by_turns(work, batch).await?.map_err(AdminProblem::from)
    }

    async fn work<T: Send + 'static>(
        &self,
        work: Work,
        call: impl FnOnce(&Registry) -> T + Send + 'static,
    ) -> Result<T, AdminProblem> {
        self.by_turns(work, |registry, _| call(registry)).await
    }

    async fn by_turns<T: Send + 'static>(
        &self,
        work: Work,
        call: impl FnOnce(&Registry, &mut Turn) -> T + Send + 'static,
    ) -> Result<T, AdminProblem> {
        let call = Box::new(|registry: &Registry, turn: &mut Turn| -> Erased {
            Box::new(call(registry, turn))
        });
        of_type(self.by_turns_erased(work, call).await)
    }

    /// The same for all calls: compiled for each of their types, this and what it needs of the
    /// runtime were a fifth of the code of this crate.
    fn by_turns_erased(&self, work: Work, call: ErasedCall) -> Called<'_> {
        Box::pin(async move {
            let mut turn = self.admission.turn(work).await?;
            let registry = self.registry.clone();
            let called = tokio::task::spawn_blocking(move || {
                let begin = thread_time();
                let result = call(&registry, &mut turn); // continues if the client disconnects
                turn.end(thread_time().saturating_sub(begin));
                result
            });
            // A panic of the call is a bug that has been reported.
            called.await.map_err(|_| AdminProblem::internal())
        })
    }

    /// Calls the registry for a sign-in, which hashes a password. It has slots of its own, separate
    /// from those of other calls. `source`: the network that the request comes from.
    pub(crate) async fn sign_in<T: Send + 'static>(
        &self,
        source: String,
        call: impl FnOnce(&Registry) -> T + Send + 'static,
    ) -> Result<T, AdminProblem> {
        self.hash(self.sign_ins.slot(source).await?, call).await
    }

    /// As [`App::sign_in`], for other calls that hash a password. They have separate slots, so that
    /// no organisation occupies those of sign-in.
    pub(crate) async fn call_with_password<T: Send + 'static>(
        &self,
        caller: Caller,
        call: impl FnOnce(&Registry, &Caller) -> Result<T, RegistryError> + Send + 'static,
    ) -> Result<T, AdminProblem> {
        let slot = self.passwords.slot(caller.actor().to_string()).await?;
        self.hash(slot, move |registry| call(registry, &caller)).await?.map_err(AdminProblem::from)
    }

    async fn hash<T: Send + 'static>(
        &self,
        slot: HashingSlot,
        call: impl FnOnce(&Registry) -> T + Send + 'static,
    ) -> Result<T, AdminProblem> {
        let registry = self.registry.clone();
        let called = tokio::task::spawn_blocking(move || {
            let _slot = slot; // the call continues if the client disconnects
            call(&registry)
        });
        called.await.map_err(|_| AdminProblem::internal())
    }

    /// Returns the requests that wait for a commit.
    pub(crate) fn commits(&self) -> &Arc<Commits> {
        &self.commits
    }

    /// Returns what one caller and one organisation can take.
    pub(crate) fn admission(&self) -> &Admission {
        &self.admission
    }

    /// Returns whether the store can be read and written. Tries that at most once in [`READINESS`],
    /// one at a time.
    pub(crate) async fn is_writable(&self) -> Result<bool, AdminProblem> {
        let mut tried = self.tried.lock().await;
        if let Some((at, is_writable)) = *tried
            && at.elapsed() < READINESS
        {
            return Ok(is_writable);
        }
        let checked = self.try_call(|registry| {
            let store = registry.store();
            store.revision().and_then(|_| store.check_writable())
        });
        let checked = checked.await?;
        if let Err(error) = &checked {
            tracing::error!(%error, "the store cannot be written");
        }
        *tried = Some((Instant::now(), checked.is_ok()));
        Ok(checked.is_ok())
    }
}

/// The result of a call, of any type.
type Erased = Box<dyn Any + Send>;

/// A call of the registry.
type ErasedCall = Box<dyn FnOnce(&Registry, &mut Turn) -> Erased + Send>;

/// A call in progress.
type Called<'a> = Pin<Box<dyn Future<Output = Result<Erased, AdminProblem>> + Send + 'a>>;

fn of_type<T: 'static>(result: Result<Erased, AdminProblem>) -> Result<T, AdminProblem> {
    result?.downcast().map(|result| *result).map_err(|_| AdminProblem::internal())
}

/// Returns the configured origins, followed by those of the bound addresses.
fn origins(configured: &[String], tls: bool, bound: &[SocketAddr]) -> Vec<String> {
    let scheme = if tls { "https" } else { "http" };
    let mut origins = configured.to_vec();
    for address in bound {
        origins.push(format!("{scheme}://{address}"));
        if address.ip().is_loopback() {
            origins.push(format!("{scheme}://localhost:{}", address.port()));
        }
    }
    origins
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use fingerpost_registry::RegistryOptions;
    use fingerpost_store::{Store, StoreOptions};

    use super::*;
    use crate::limits::MAX_CALLS;

    /// All slots for hashing are taken and stay taken; other calls are served.
    #[tokio::test]
    async fn hashing_takes_no_slot_of_other_calls() {
        let folder = tempfile::tempdir().expect("a folder");
        let store = Store::open(folder.path(), StoreOptions::default()).expect("a store");
        let registry = Registry::new(Arc::new(store), RegistryOptions::new());
        let texts =
            Texts { description: Bytes::new(), manual: Bytes::new(), documents: Bytes::new() };
        let app = App::new(registry, crate::config::plain(), &[], None, texts);
        let mut held = Vec::new();
        for number in 0..Hashing::at_once() {
            held.push(app.sign_ins.slot(number.to_string()).await.expect("a slot"));
        }
        // More requests to sign in than there are slots for calls; those beyond the queue are
        // refused, the others wait.
        let waiting: Vec<_> =
            (0..2 * MAX_CALLS).map(|n| app.sign_in(n.to_string(), |_| ())).collect();
        let mut waiting: Vec<_> = waiting.into_iter().map(Box::pin).collect();
        let mut refused = 0;
        for one in &mut waiting {
            let first = tokio::time::timeout(Duration::ZERO, one);
            refused += usize::from(matches!(first.await, Ok(Err(_))));
        }
        assert!(refused >= MAX_CALLS, "{refused}");
        for _ in 0..2 * MAX_CALLS {
            app.call(|_| Ok(())).await.expect("a call");
        }
        let caller = Caller::local("test");
        app.call_with_password(caller, |_, _| Ok(())).await.expect("a call with a password");
        drop(held);
    }
}
