//! What the tests of the registry share: an installation with two organisations, and callers with
//! every kind of right.

use std::cell::Cell;
use std::sync::Arc;

use fingerpost_registry::{
    Caller, ChangeOutcome, ClientInfo, Conditions, Id, Membership, NewKey, NewOrganisation,
    NewUser, Registry, RegistryError, RegistryOptions, Role, Secret, Verb, Via,
};
use fingerpost_resolver::{Anchor, ResolverRoot, Vocabulary};
use fingerpost_store::{Revision, Store, StoreOptions};
use fingerpost_testkit::open_store;
use jiff::{SignedDuration, Timestamp};
use tempfile::TempDir;

/// Company prefix of the first organisation.
pub(crate) const OURS: &str = "9506000";
/// Company prefix of the second one, which begins alike.
pub(crate) const THEIRS: &str = "9506001";
pub(crate) const PASSWORD: &str = "correct horse battery staple";

pub(crate) struct Fixture {
    pub(crate) registry: Registry,
    pub(crate) dir: TempDir,
    pub(crate) ours: Id,
    pub(crate) theirs: Id,
}

impl Fixture {
    pub(crate) fn new() -> Fixture {
        let dir = tempfile::tempdir().unwrap();
        let registry = open(&dir);
        let ours = organisation(&registry, "Ours", OURS, false);
        let theirs = organisation(&registry, "Theirs", THEIRS, false);
        Fixture { registry, dir, ours, theirs }
    }

    /// The same installation with a new process, as it were.
    pub(crate) fn reopen(self) -> Fixture {
        let Fixture { registry, dir, ours, theirs } = self;
        drop(registry);
        let registry = open(&dir);
        Fixture { registry, dir, ours, theirs }
    }

    /// The same installation with the root `https://id.example.org`.
    pub(crate) fn with_root(self) -> Fixture {
        let Fixture { registry, dir, ours, theirs } = self;
        drop(registry);
        let root = ResolverRoot::parse("https://id.example.org").unwrap();
        let registry = Registry::new(store(&dir), options().resolver_root(root));
        Fixture { registry, dir, ours, theirs }
    }

    pub(crate) fn key(&self, organisation: Option<Id>, verbs: &[Verb]) -> Caller {
        self.key_with(organisation, verbs, None)
    }

    pub(crate) fn key_with(
        &self,
        organisation: Option<Id>,
        verbs: &[Verb],
        prefix: Option<&str>,
    ) -> Caller {
        let (_, token) =
            self.registry.create_key(&root(), new_key(organisation, verbs, prefix)).unwrap();
        self.registry.authenticate_key(&token, &client()).unwrap()
    }

    /// A person with a role, signed in.
    pub(crate) fn person(&self, login: &str, organisation: Option<Id>, role: Role) -> Caller {
        self.member(login, organisation, role);
        self.sign_in(login)
    }

    pub(crate) fn member(&self, login: &str, organisation: Option<Id>, role: Role) -> Id {
        let user = NewUser {
            login: login.into(),
            name: format!("Name of {login}"),
            password: Some(Secret::new(PASSWORD)),
            memberships: vec![Membership { organisation, role }],
        };
        self.registry.create_user(&root(), user).unwrap().id
    }

    pub(crate) fn sign_in(&self, login: &str) -> Caller {
        self.registry.sign_in(login, &Secret::new(PASSWORD), &client()).unwrap().caller(&client())
    }

    pub(crate) fn put(
        &self,
        caller: &Caller,
        record: &str,
    ) -> Result<ChangeOutcome, RegistryError> {
        self.registry.put(caller, None, record.as_bytes(), Conditions::none())
    }

    /// Registers a product as an administrator.
    pub(crate) fn register(&self, level: &str) -> Revision {
        self.put(&root(), &record(level, "Tea")).unwrap().revision.unwrap()
    }
}

pub(crate) fn open(dir: &TempDir) -> Registry {
    Registry::new(store(dir), options())
}

fn store(dir: &TempDir) -> Arc<Store> {
    let options = StoreOptions::default().map_size(1 << 30).cache_bytes(1 << 20);
    Arc::new(open_store(dir.path(), options))
}

fn options() -> RegistryOptions {
    let pairs = [("https://example.net/voc/", "ex:")];
    let vocabulary = Vocabulary::builtin().with_namespaces(pairs).unwrap();
    RegistryOptions::new().vocabulary(vocabulary).clock(clock)
}

thread_local! {
    static AHEAD: Cell<SignedDuration> = const { Cell::new(SignedDuration::ZERO) };
}

/// Lets the clock of this thread, and of what the registry does for it alone, run ahead.
pub(crate) fn pass(time: SignedDuration) {
    AHEAD.with(|ahead| ahead.set(ahead.get() + time));
}

pub(crate) fn clock() -> Timestamp {
    #[expect(clippy::disallowed_methods, reason = "tests run now")]
    let now = Timestamp::now();
    now + AHEAD.with(Cell::get)
}

pub(crate) fn organisation(
    registry: &Registry,
    name: &str,
    prefix: &str,
    approval_required: bool,
) -> Id {
    let new = NewOrganisation {
        name: name.into(),
        prefixes: vec![prefix.into()],
        approval_required,
        ..NewOrganisation::default()
    };
    registry.create_organisation(&root(), new).unwrap().id
}

pub(crate) fn new_key(organisation: Option<Id>, verbs: &[Verb], prefix: Option<&str>) -> NewKey {
    NewKey {
        label: "test".into(),
        organisation,
        verbs: verbs.to_vec(),
        prefix: prefix.map(str::to_owned),
        expires: None,
        for_organisation: false,
    }
}

pub(crate) fn root() -> Caller {
    Caller::local("test")
}

pub(crate) fn client() -> ClientInfo {
    ClientInfo::new(Via::Api).address("192.0.2.7".parse().unwrap()).user_agent("test/1")
}

pub(crate) fn level(text: &str) -> Anchor {
    Anchor::parse(text).unwrap()
}

/// A record with a default link and the link that it needs.
pub(crate) fn record(level: &str, title: &str) -> String {
    let href = "https://example.com/p";
    format!(
        r#"{{"anchor":"/{level}","links":[{{"linkType":"gs1:pip","href":"{href}","title":"{title}","default":true}}]}}"#
    )
}

/// A record with one link and no default.
pub(crate) fn plain(level: &str, link_type: &str) -> String {
    format!(
        r#"{{"anchor":"/{level}","links":[{{"linkType":"{link_type}","href":"https://example.com/q","title":"T"}}]}}"#
    )
}

/// Ids and positions of the faults of a refusal.
pub(crate) fn faults(error: &RegistryError) -> Vec<(String, String)> {
    error.faults().iter().map(|f| (f.id().to_owned(), f.pointer().to_owned())).collect()
}

/// What kind of refusal it is.
pub(crate) fn kind<T>(result: &Result<T, RegistryError>) -> &'static str {
    match result {
        Ok(_) => "done",
        Err(RegistryError::Unauthenticated) => "unauthenticated",
        Err(RegistryError::CodeRequired) => "code required",
        Err(RegistryError::Forbidden(_)) => "forbidden",
        Err(RegistryError::NotFound) => "not found",
        Err(RegistryError::PreconditionFailed { .. }) => "precondition failed",
        Err(RegistryError::Conflict(_)) => "conflict",
        Err(RegistryError::Invalid { .. }) => "invalid",
        Err(RegistryError::MissingDefault(_)) => "missing default",
        Err(RegistryError::QuotaExceeded(_)) => "quota exceeded",
        Err(RegistryError::IdempotencyReused) => "idempotency reused",
        Err(RegistryError::Throttled { .. }) => "throttled",
        Err(RegistryError::TooLarge { .. }) => "too large",
        Err(error) => panic!("{error}"),
    }
}

/// GTIN-14 with the right check digit.
pub(crate) fn gtin(thirteen: &str) -> String {
    let digit = char::from(fingerpost_gs1::check_digit::of(thirteen.as_bytes()));
    format!("01/{thirteen}{digit}")
}
