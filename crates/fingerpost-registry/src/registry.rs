//! The registry: the state that all operations share.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use fingerpost_resolver::{PrimaryKeys, ResolverRoot, Roles, Rules, Vocabulary};
use fingerpost_store::{Prefetch, Store, Transaction, View};
use jiff::{SignedDuration, Timestamp};

use crate::limits::MAX_PERIOD;
use crate::recent_keys::RecentKeys;
use crate::rights::{self, Access, FEDERATED_KEYS};
use crate::throttle::Throttle;
use crate::usage::LastUses;
use crate::{Caller, Quotas, RegistryError};

/// Registry options from the configuration.
#[derive(Clone, Debug)]
pub struct RegistryOptions {
    vocabulary: Vocabulary,
    pub(crate) root: Option<ResolverRoot>,
    context_values: Vec<String>,
    primary_keys: PrimaryKeys,
    default_by_record: bool,
    roles: Roles,
    clock: fn() -> Timestamp,
    pub(crate) session_lifetime: SignedDuration,
    pub(crate) session_idle: SignedDuration,
    pub(crate) federated_keys: SignedDuration,
    pub(crate) quotas: Quotas,
    pub(crate) require_second_factor: bool,
    pub(crate) invitation_lifetime: SignedDuration,
    pub(crate) reset_lifetime: SignedDuration,
    pub(crate) terms: Option<String>,
    pub(crate) webhooks: bool,
}

impl RegistryOptions {
    /// Creates options with the built-in vocabulary, no resolver root, any context value, and the
    /// system clock.
    #[must_use]
    #[expect(
        clippy::disallowed_methods,
        reason = "the one place where the registry meets the clock of the system"
    )]
    pub fn new() -> RegistryOptions {
        RegistryOptions {
            vocabulary: Vocabulary::builtin(),
            root: None,
            context_values: Vec::new(),
            primary_keys: PrimaryKeys::All,
            default_by_record: false,
            roles: Roles::NONE,
            clock: Timestamp::now,
            session_lifetime: SignedDuration::from_hours(12),
            session_idle: SignedDuration::from_mins(60),
            federated_keys: FEDERATED_KEYS,
            quotas: Quotas::default(),
            require_second_factor: false,
            invitation_lifetime: SignedDuration::from_hours(72),
            reset_lifetime: SignedDuration::from_hours(1),
            terms: None,
            webhooks: false,
        }
    }

    /// Sets the vocabulary, with link types of other namespaces and media types.
    pub fn vocabulary(self, vocabulary: Vocabulary) -> RegistryOptions {
        RegistryOptions { vocabulary, ..self }
    }

    /// Sets the resolver root (RES-2.5.1-8).
    pub fn resolver_root(self, root: ResolverRoot) -> RegistryOptions {
        RegistryOptions { root: Some(root), ..self }
    }

    /// Sets the declared context values (RES-2.5.6-3).
    pub fn context_values(self, context_values: Vec<String>) -> RegistryOptions {
        RegistryOptions { context_values, ..self }
    }

    /// Sets the primary keys that the resolver serves; registering others causes a warning.
    pub fn primary_keys(self, primary_keys: PrimaryKeys) -> RegistryOptions {
        RegistryOptions { primary_keys, ..self }
    }

    /// Sets whether records choose what a request without a link type gets.
    pub fn default_by_record(self, allowed: bool) -> RegistryOptions {
        RegistryOptions { default_by_record: allowed, ..self }
    }

    /// Accepts these roles in `access` of links; without any, it is refused.
    #[must_use]
    pub fn roles(self, roles: Roles) -> RegistryOptions {
        RegistryOptions { roles, ..self }
    }

    /// Sets the maximum lifetime of a session; default: twelve hours. Existing sessions keep their
    /// end.
    pub fn session_lifetime(self, lifetime: Duration) -> RegistryOptions {
        RegistryOptions { session_lifetime: signed(lifetime), ..self }
    }

    /// Sets the time after which an unused session ends; default: one hour.
    pub fn session_idle(self, idle: Duration) -> RegistryOptions {
        RegistryOptions { session_idle: signed(idle), ..self }
    }

    /// Sets the time for which API keys of users of another identity provider stay valid after a
    /// sign-in; default: 30 days. It applies from the next sign-in on.
    pub fn federated_keys(self, period: Duration) -> RegistryOptions {
        RegistryOptions { federated_keys: signed(period), ..self }
    }

    /// Sets the quotas of organisations that have none of their own; default: no limits.
    pub fn quotas(self, quotas: Quotas) -> RegistryOptions {
        RegistryOptions { quotas, ..self }
    }

    /// Sets whether local users with the role of an administrator must have a second factor;
    /// default: no. Without one they can only set it up.
    pub fn require_second_factor(self, required: bool) -> RegistryOptions {
        RegistryOptions { require_second_factor: required, ..self }
    }

    /// Sets the time for which an invitation can be accepted; default: 72 hours.
    pub fn invitation_lifetime(self, lifetime: Duration) -> RegistryOptions {
        RegistryOptions { invitation_lifetime: signed(lifetime), ..self }
    }

    /// Sets the time for which the link in a mail resets a password; default: one hour.
    pub fn reset_lifetime(self, lifetime: Duration) -> RegistryOptions {
        RegistryOptions { reset_lifetime: signed(lifetime), ..self }
    }

    /// Sets the version of the terms that members must accept; default: there are none.
    pub fn terms(self, version: Option<String>) -> RegistryOptions {
        RegistryOptions { terms: version, ..self }
    }

    /// Sets whether events are delivered to webhooks; default: no. Without, no events are kept.
    pub fn webhooks(self, enabled: bool) -> RegistryOptions {
        RegistryOptions { webhooks: enabled, ..self }
    }

    /// Sets the clock, for tests.
    pub fn clock(self, clock: fn() -> Timestamp) -> RegistryOptions {
        RegistryOptions { clock, ..self }
    }
}

impl Default for RegistryOptions {
    fn default() -> Self {
        Self::new()
    }
}

/// All operations on registered levels and on accounts. Cheap to clone; all clones share their
/// state.
#[derive(Clone)]
pub struct Registry {
    pub(crate) inner: Arc<Inner>,
}

pub(crate) struct Inner {
    pub(crate) store: Arc<Store>,
    pub(crate) options: RegistryOptions,
    pub(crate) usage: Arc<LastUses>,
    pub(crate) recent_keys: Arc<RecentKeys>,
    pub(crate) throttle: Arc<Throttle>,
    copied: Option<Copied>,
}

/// Returns whether what was written is in the copy that the node answers from. With `true`, waits
/// for it.
type Copied = Arc<dyn Fn(bool) -> bool + Send + Sync>;

/// What an operation in a transaction works with.
pub(crate) struct Context<'c> {
    pub(crate) inner: &'c Inner,
    pub(crate) caller: &'c Caller,
    pub(crate) access: &'c Access,
    pub(crate) now: Timestamp,
}

impl Registry {
    /// Reads a snapshot, with the permissions of the caller in it.
    pub(crate) fn view_as<T>(
        &self,
        caller: &Caller,
        read: impl FnOnce(&View<'_>, &Access) -> Result<T, RegistryError>,
    ) -> Result<T, RegistryError> {
        self.view_prefetched_as(caller, &rights::prefetch(caller), read)
    }

    /// Does the same as [`Registry::view_as`]. `read` reads the prefetched rows first.
    pub(crate) fn view_prefetched_as<T>(
        &self,
        caller: &Caller,
        prefetch: &Prefetch,
        read: impl FnOnce(&View<'_>, &Access) -> Result<T, RegistryError>,
    ) -> Result<T, RegistryError> {
        let now = self.inner.now();
        self.inner
            .store
            .view_prefetched(prefetch, |view| read(view, &Access::of(view, caller, now)?))
    }

    /// Runs an operation in a transaction, with the permissions of the caller in it. It may run
    /// several times.
    pub(crate) fn transact_as<T: Send + 'static>(
        &self,
        caller: &Caller,
        operation: impl Fn(&mut Transaction<'_>, &Context<'_>) -> Result<T, RegistryError>
        + Send
        + 'static,
    ) -> Result<T, RegistryError> {
        let (inner, caller) = (self.inner.clone(), caller.clone());
        self.inner.store.transact(move |tx| {
            let now = inner.now();
            let access = &Access::of(tx, &caller, now)?;
            operation(tx, &Context { inner: &inner, caller: &caller, access, now })
        })
    }

    /// Creates a registry on this store.
    pub fn new(store: Arc<Store>, options: RegistryOptions) -> Registry {
        Registry {
            inner: Arc::new(Inner {
                store,
                options,
                usage: Arc::default(),
                recent_keys: Arc::default(),
                throttle: Arc::new(Throttle::new()),
                copied: None,
            }),
        }
    }

    /// Returns a registry for a dry run: with the same options over an overlay of the store
    /// ([`Store::overlay`]) in `dir`.
    pub fn overlay(&self, dir: &Path) -> Result<Registry, RegistryError> {
        let store = Store::overlay(&self.inner.store, dir)?;
        Ok(Registry::new(Arc::new(store), self.inner.options.clone()))
    }

    /// Returns the same registry with other options: with what it remembers of attempts to sign in
    /// and of uses.
    pub fn with_options(&self, options: RegistryOptions) -> Registry {
        let inner = Inner { options, ..self.inner.again() };
        Registry { inner: Arc::new(inner) }
    }

    /// Returns the same registry on a node that answers from a copy of the store. `copied` returns
    /// whether the copy has what was written; with `true`, it waits for that, for a limited time.
    /// See [`Registry::wait_for_copy`].
    pub fn with_copy(&self, copied: impl Fn(bool) -> bool + Send + Sync + 'static) -> Registry {
        let inner = Inner { copied: Some(Arc::new(copied)), ..self.inner.again() };
        Registry { inner: Arc::new(inner) }
    }

    /// Returns whether the copy that the node answers from is known to have everything that was
    /// written, or the node answers from the store itself. Does not wait.
    pub fn is_copied(&self) -> bool {
        self.inner.copied.as_ref().is_none_or(|copied| copied(false))
    }

    /// Waits, for a limited time, until the copy that the node answers from has everything that was
    /// written. Call it before the answer to a write. Does nothing if the node answers from the
    /// store itself.
    pub fn wait_for_copy(&self) {
        if let Some(copied) = &self.inner.copied {
            copied(true);
        }
    }

    /// Returns the store.
    pub fn store(&self) -> &Arc<Store> {
        &self.inner.store
    }

    /// Returns the rules that records are checked against.
    pub fn rules(&self) -> Rules<'_> {
        self.inner.rules()
    }

    /// Returns the vocabulary that link types are checked against.
    pub fn vocabulary(&self) -> &Vocabulary {
        &self.inner.options.vocabulary
    }

    /// Returns whether records can choose what a request without a link type gets.
    pub fn default_by_record(&self) -> bool {
        self.inner.options.default_by_record
    }

    /// Returns whether events are delivered to webhooks.
    pub fn keeps_events(&self) -> bool {
        self.inner.options.webhooks
    }

    /// Returns the roles that links can be restricted to.
    pub fn roles(&self) -> &Roles {
        &self.inner.options.roles
    }

    /// Returns the declared context values.
    pub fn context_values(&self) -> &[String] {
        &self.inner.options.context_values
    }

    /// Returns the time by the clock of the options.
    pub fn now(&self) -> Timestamp {
        self.inner.now()
    }
}

impl Inner {
    /// Returns the same state, to change a part of it.
    fn again(&self) -> Self {
        Self {
            store: Arc::clone(&self.store),
            options: self.options.clone(),
            usage: Arc::clone(&self.usage),
            recent_keys: Arc::clone(&self.recent_keys),
            throttle: Arc::clone(&self.throttle),
            copied: self.copied.clone(),
        }
    }

    pub(crate) fn now(&self) -> Timestamp {
        (self.options.clock)()
    }

    pub(crate) fn rules(&self) -> Rules<'_> {
        let rules = Rules::new(&self.options.vocabulary)
            .with_context_values(&self.options.context_values)
            .with_primary_keys(&self.options.primary_keys)
            .with_default_by_record(self.options.default_by_record)
            .with_roles(&self.options.roles);
        match &self.options.root {
            Some(root) => rules.with_resolver_root(root),
            None => rules,
        }
    }
}

/// Converts a duration for arithmetic with instants; limits it to 100 years.
fn signed(duration: Duration) -> SignedDuration {
    SignedDuration::try_from(duration.min(MAX_PERIOD)).unwrap_or(SignedDuration::ZERO)
}
