//! The registry: what all operations share.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use fingerpost_resolver::{ResolverRoot, Rules, Vocabulary};
use fingerpost_store::Store;
use jiff::{SignedDuration, Timestamp};

use crate::throttle::Throttle;
use crate::usage::Usage;

/// What an installation registers by.
#[derive(Clone, Debug)]
pub struct RegistryOptions {
    vocabulary: Vocabulary,
    root: Option<ResolverRoot>,
    context_values: Vec<String>,
    clock: fn() -> Timestamp,
    pub(crate) session_lifetime: SignedDuration,
    pub(crate) session_idle: SignedDuration,
}

impl RegistryOptions {
    /// The vocabulary built in, no resolver root, any context value, the clock of the system.
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
            clock: Timestamp::now,
            session_lifetime: SignedDuration::from_hours(12),
            session_idle: SignedDuration::from_mins(60),
        }
    }

    /// Link types of other namespaces, media types.
    #[must_use]
    pub fn vocabulary(self, vocabulary: Vocabulary) -> RegistryOptions {
        RegistryOptions { vocabulary, ..self }
    }

    /// Where the installation resolves (RES-2.5.1-8).
    #[must_use]
    pub fn resolver_root(self, root: ResolverRoot) -> RegistryOptions {
        RegistryOptions { root: Some(root), ..self }
    }

    /// The context values that are declared (RES-2.5.6-3).
    #[must_use]
    pub fn context_values(self, context_values: Vec<String>) -> RegistryOptions {
        RegistryOptions { context_values, ..self }
    }

    /// How long a session lives at most; twelve hours unless told. Sessions that have begun keep their end.
    #[must_use]
    pub fn session_lifetime(self, lifetime: Duration) -> RegistryOptions {
        RegistryOptions { session_lifetime: signed(lifetime), ..self }
    }

    /// How long a session lives without being used; an hour unless told.
    #[must_use]
    pub fn session_idle(self, idle: Duration) -> RegistryOptions {
        RegistryOptions { session_idle: signed(idle), ..self }
    }

    /// What tells the time; for tests.
    #[must_use]
    pub fn clock(self, clock: fn() -> Timestamp) -> RegistryOptions {
        RegistryOptions { clock, ..self }
    }
}

impl Default for RegistryOptions {
    fn default() -> Self {
        Self::new()
    }
}

/// Every operation on registered levels and on accounts. Cheap to clone; all clones are one.
#[derive(Clone)]
pub struct Registry {
    pub(crate) inner: Arc<Inner>,
}

pub(crate) struct Inner {
    pub(crate) store: Arc<Store>,
    pub(crate) options: RegistryOptions,
    pub(crate) usage: Usage,
    pub(crate) throttle: Throttle,
}

impl Registry {
    /// A registry on this store.
    #[must_use]
    pub fn new(store: Arc<Store>, options: RegistryOptions) -> Registry {
        Registry {
            inner: Arc::new(Inner {
                store,
                options,
                usage: Usage::default(),
                throttle: Throttle::new(),
            }),
        }
    }

    /// The store.
    #[must_use]
    pub fn store(&self) -> &Arc<Store> {
        &self.inner.store
    }

    /// What records are checked against.
    #[must_use]
    pub fn rules(&self) -> Rules<'_> {
        self.inner.rules()
    }

    /// The vocabulary that link types are checked against.
    #[must_use]
    pub fn vocabulary(&self) -> &Vocabulary {
        &self.inner.options.vocabulary
    }

    /// The declared context values.
    #[must_use]
    pub fn context_values(&self) -> &[String] {
        &self.inner.options.context_values
    }
}

impl Inner {
    pub(crate) fn now(&self) -> Timestamp {
        (self.options.clock)()
    }

    pub(crate) fn rules(&self) -> Rules<'_> {
        let rules =
            Rules::new(&self.options.vocabulary).with_context_values(&self.options.context_values);
        match &self.options.root {
            Some(root) => rules.with_resolver_root(root),
            None => rules,
        }
    }
}

impl fmt::Debug for Registry {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Registry").field("store", &self.inner.store).finish_non_exhaustive()
    }
}

/// A duration that instants can be moved by; centuries are cut.
fn signed(duration: Duration) -> SignedDuration {
    SignedDuration::try_from(duration.min(LONGEST)).unwrap_or(SignedDuration::ZERO)
}

const LONGEST: Duration = Duration::from_secs(100 * 366 * 24 * 60 * 60);
