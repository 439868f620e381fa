//! `fingerpost serve`: opens the store, prints the addresses and warnings, and starts the server libraries: the public side, and the
//! admin side on threads of its own.

mod accounts;
mod admin_side;
mod backups;
mod certificates;
mod demo;
mod descriptors;
mod heads;
mod manager;
mod mark;
mod metrics;
mod node;
mod observers;
mod reload;
#[cfg(feature = "otel")]
mod traces;
#[cfg(not(feature = "otel"))]
#[path = "serve/traces/absent.rs"]
mod traces;

use std::io::{self, IsTerminal, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;

use fingerpost_admin::AdminServer;
use fingerpost_http::{Meter, ServeError, Shutdown};
use fingerpost_public::Server;
use fingerpost_registry::Registry;
use fingerpost_store::{Store, StoreError};
use tracing_subscriber::filter::{LevelFilter, Targets};
use tracing_subscriber::layer::SubscriberExt;
use tracing_subscriber::util::SubscriberInitExt;

use crate::args;
use crate::config::{self, Config, LogFormat, LogOptions, Overrides};
use crate::failure::Failure;
use crate::output::{self, NOTE, WARNING};
use crate::source::{Database, Followed};
use admin_side::{AdminSide, RunningApi};
use backups::Backups;
use demo::Demo;
pub(crate) use descriptors::Descriptors;
use heads::Publisher;
use jiff::Timestamp;
use manager::Manager;
use mark::Mark;
use metrics::{Metrics, MetricsListener};
use node::Node;
use observers::Observers;
use reload::Reload;

/// Runs `fingerpost serve`; returns when the server has stopped.
pub(crate) fn run(args: args::Serve) -> Result<ExitCode, Failure> {
    let mut flags = Overrides {
        listen: args.listen,
        tls_cert: args.tls_cert,
        tls_key: args.tls_key,
        tls_self_signed: args.tls_self_signed,
        admin_listen: args.admin_listen,
        no_admin: args.no_admin,
        log_format: args.log_format,
        examples: if args.demo { demo::EXAMPLES.to_vec() } else { Vec::new() },
        ..Overrides::default()
    };
    let started = demo::now();
    manager::take_sockets(&mut flags)?;
    let config = config::load_with(args.config.as_deref(), &flags)?;
    start_log(&config.log)?;
    let manager = Manager::of_environment();
    let starting = manager.starting();
    let descriptors = Descriptors::raise(&config);
    let demo = if args.demo { Some(Demo::new()?) } else { None };
    if demo.is_none() {
        warn(config.warnings().chain(descriptors.warning()));
    }
    let data = match &demo {
        Some(demo) => demo.path(),
        None => config.data(args.data.as_deref())?,
    };
    let followed = if demo.is_some() { None } else { Followed::of(&config.source, Some(data))? };
    let (store, _mark) = open_store(&config, data, followed.as_ref())?;
    match &demo {
        Some(demo) => {
            let options = fingerpost_admin::registry_options(&config.admin);
            demo.load(Registry::new(Arc::clone(&store), options))?;
        }
        None if followed.is_none() && store.is_empty()? => say_empty(data),
        None => {}
    }
    let is_demo = demo.is_some();
    let here = Here { started, is_demo, data: data.to_owned() };
    let sides = Sides::start(&config, args.config.clone(), here, (&store, followed.as_ref()))?
        .limit_connections(descriptors.for_public());
    let account = match &sides.admin {
        Some(admin) if is_demo => Some(accounts::of_demo(admin.registry())?),
        Some(admin) => accounts::say_missing(admin.registry(), data).map(|()| None)?,
        None => None,
    };
    let _publisher = sides.publisher()?;
    let _backups = match is_demo {
        true => None,
        false => Some(Backups::start(&config, data, &sides.truth)?),
    };
    // Before the address is printed: who reads it may tell the server to stop.
    let drain = config.public.limits().shutdown_drain.get();
    let reload = Reload::new(args.config, flags, config, &sides.server, &sides.side, &manager);
    let reload = Arc::new(Mutex::new(reload));
    let no_thread = |error| Failure::new(format!("cannot start a thread: {error}"));
    reload::watch(&reload).map_err(no_thread)?;
    let hangup = move || reload.lock().unwrap_or_else(PoisonError::into_inner).reload();
    let shutdown = Shutdown::new().drain_for(drain).on_signals(hangup).map_err(|error| {
        Failure::new(format!("cannot listen to signals such as SIGTERM: {error}"))
    })?;
    announce(&sides, demo.as_ref(), account.as_ref())?;
    drop(starting);
    manager.ready();
    manager.look_after(sides.meter(), &shutdown);
    if let Some(keeper) = &sides.side.keeper {
        certificates::keep(keeper, &shutdown).map_err(no_thread)?;
    }
    sides.serve(&shutdown)?;
    Ok(ExitCode::SUCCESS)
}

/// Opens the store of the data directory: the store itself, or the copy of the one that the node follows. Checks it as configured, and
/// its pages after a crash; returns the mark of this server too.
fn open_store(
    config: &Config,
    data: &Path,
    followed: Option<&Followed>,
) -> Result<(Arc<Store>, Mark), Failure> {
    let options = config.store_options().cache_bytes(config.storage.cache_bytes.get());
    let store = Arc::new(Store::open(data, options)?);
    let mut mark = Mark::set(data);
    if mark.follows_a_crash() {
        say_checking(data);
    }
    if config.storage.check_at_start || mark.demands_a_check() {
        store.check_pages()?;
    }
    if config.storage.check_at_start {
        store.check_rows().map_err(damaged_row)?;
    }
    mark.forget_crashes();
    if followed.is_none() && store.copy_state()?.is_some() {
        return Err(Failure::advise(
            format!("`{}` is a copy of another store", data.display()),
            "set `url` in the table `store` of the configuration to the store that it is a copy of",
        ));
    }
    Ok((store, mark))
}

/// Where the store is that is written.
enum Truth {
    Here(Arc<Store>),
    /// In a database that does not answer.
    Away(Arc<Database>),
    /// At another fingerpost.
    Elsewhere,
}

/// Returns the store that is written. A node with a complete copy starts without its database.
fn truth(store: &Arc<Store>, followed: Option<&Followed>) -> Result<Truth, Failure> {
    let database = match followed {
        None => return Ok(Truth::Here(Arc::clone(store))),
        Some(Followed::Feed(_)) => return Ok(Truth::Elsewhere),
        Some(Followed::Database(database)) => database,
    };
    match database.store() {
        Ok(store) => Ok(Truth::Here(store)),
        Err(error) if store.copy_state()?.is_some_and(|copy| copy.is_complete()) => {
            tracing::error!(%error, "the database cannot be opened: scans are answered from the copy");
            Ok(Truth::Away(Arc::clone(database)))
        }
        Err(error) => Err(error.into()),
    }
}

/// Returns the failure of a store in which a row is damaged. The message of the error says how to repair it.
fn damaged_row(error: StoreError) -> Failure {
    match error.is_damaged_row() {
        true => Failure::advise(
            error,
            "`fingerpost fsck` lists all damaged rows; with `check_at_start = false`, the server starts and refuses only what \
             needs them",
        ),
        false => error.into(),
    }
}

/// The process that serves.
struct Here {
    started: Timestamp,
    is_demo: bool,
    data: PathBuf,
}

/// Both sides, with their sockets bound.
struct Sides {
    server: Server,
    side: AdminSide,
    truth: Truth,
    admin: Option<AdminServer>,
    metrics: Option<MetricsListener>,
}

impl Sides {
    /// Binds the public side to the store of the data directory, and the admin side to the store that is written.
    fn start(
        config: &Config,
        file: Option<PathBuf>,
        here: Here,
        (store, followed): (&Arc<Store>, Option<&Followed>),
    ) -> Result<Self, Failure> {
        let Here { started, is_demo, data } = here;
        let wait = config.source.write_wait.get();
        let start = |followed: &Followed| Node::start(followed.source(), store, wait);
        let node = followed.map(start).transpose()?;
        let mut server = Server::bind(config.public.clone(), Arc::clone(store))
            .map_err(|error| cannot_serve(error, Side::Public))?;
        if let Some(node) = &node {
            server = server.with_copy(node.status());
        }
        let observers = Observers::start(&config.log, &config.otel)?;
        observers.add("public", server.meter());
        let api = RunningApi::default();
        let follower = node.as_ref().map(|node| Arc::clone(node.follower()));
        let keeper = certificates::keeper(config, &server, &data, is_demo)?;
        let every = config.metrics.sample_every.get();
        let threads = (follower, keeper.clone());
        let metrics = Metrics::new(started, &server, (store, &data), threads, every);
        let own = config.clone();
        let side = AdminSide { config: own, file, is_demo, node, api, metrics, keeper, observers };
        let truth = truth(store, followed)?;
        let admin = match &truth {
            Truth::Here(store) => side.bind(Arc::clone(store))?,
            Truth::Away(_) | Truth::Elsewhere => None,
        };
        let metrics = MetricsListener::bind(&config.metrics.listen, config.public.limits())
            .map_err(|error| cannot_serve(error, Side::Metrics))?;
        let sides = Self { server, side, truth, admin, metrics };
        if !sides.has_public() && sides.admin.is_none() && !matches!(sides.truth, Truth::Away(_)) {
            return Err(Failure::advise(
                "neither the public nor the admin side has an address",
                "name one in `listen`, or in the table `admin` of the configuration",
            ));
        }
        Ok(sides)
    }

    /// Returns whether this process answers scans.
    fn has_public(&self) -> bool {
        !self.server.local_addrs().is_empty()
    }

    /// Limits the connections of the public side.
    fn limit_connections(self, most: usize) -> Self {
        Self { server: self.server.limit_connections(most), ..self }
    }

    /// Starts to publish the heads of the audit log, if it is here.
    fn publisher(&self) -> Result<Option<Publisher>, Failure> {
        let Truth::Here(store) = &self.truth else { return Ok(None) };
        let started = Publisher::start(&self.side.config.audit, store);
        started.map(Some).map_err(|error| Failure::new(format!("cannot start a thread: {error}")))
    }

    /// Returns the meter of the threads that must run: those of scans, or of the admin side if this process serves nothing else.
    fn meter(&self) -> &Meter {
        match &self.admin {
            Some(admin) if !self.has_public() => admin.meter(),
            _ => self.server.meter(),
        }
    }

    /// Runs both sides. They stop together, after a signal or when one of them fails.
    fn serve(self, shutdown: &Shutdown) -> Result<(), Failure> {
        let has_public = self.has_public();
        let Self { server, side, truth, admin, metrics } = self;
        let has_more = admin.is_some() || matches!(truth, Truth::Away(_));
        let run = || match (admin, &truth) {
            (Some(admin), _) => {
                admin.run(shutdown).map_err(|error| cannot_serve(error, Side::Admin))
            }
            (None, Truth::Away(database)) => side.run_later(database, shutdown),
            (None, Truth::Here(_) | Truth::Elsewhere) => Ok(()),
        };
        thread::scope(|scope| {
            let beside = has_more.then(|| {
                scope.spawn(|| {
                    let ended = run();
                    shutdown.trigger();
                    ended
                })
            });
            let samples = has_more.then(|| scope.spawn(|| side.metrics.keep_samples(shutdown)));
            let shown = metrics.map(|listener| {
                scope.spawn(|| {
                    let ended = listener.run(&side.metrics, shutdown);
                    shutdown.trigger();
                    ended.map_err(|error| cannot_serve(error, Side::Metrics))
                })
            });
            // Without addresses of its own, the public side is another process.
            let served = if has_public {
                let served = server.run(shutdown);
                shutdown.trigger();
                served
            } else {
                Ok(())
            };
            let panicked = |_| Err(cannot_serve(ServeError::Panicked, Side::Admin));
            let beside = beside.map_or(Ok(()), |thread| thread.join().unwrap_or_else(panicked));
            let panicked = |_| Err(cannot_serve(ServeError::Panicked, Side::Metrics));
            let shown = shown.map_or(Ok(()), |thread| thread.join().unwrap_or_else(panicked));
            // It reads the store, which is closed next.
            let _ = samples.map(|thread| thread.join());
            side.observers.finish();
            served.map_err(|error| cannot_serve(error, Side::Public))?;
            beside.and(shown)
        })
    }
}

/// Prints one stable line per address, for programs that start the server, then the links to try.
fn announce(
    sides: &Sides,
    demo: Option<&Demo>,
    account: Option<&accounts::DemoAccount>,
) -> Result<(), Failure> {
    let (server, admin) = (&sides.server, sides.admin.as_ref());
    let scheme = if server.is_tls() { "https" } else { "http" };
    let mut out = output::stdout();
    for address in server.local_addrs() {
        writeln!(out, "listening on {scheme}://{address}")?;
    }
    for address in server.redirect_addrs() {
        writeln!(out, "redirecting to https from http://{address}")?;
    }
    let urls: Vec<String> = admin.map(|admin| admin.urls().collect()).unwrap_or_default();
    for url in &urls {
        writeln!(out, "admin listening on {url}")?;
    }
    for address in sides.metrics.iter().flat_map(MetricsListener::local_addrs) {
        writeln!(out, "metrics at http://{address}/metrics")?;
    }
    if let (Some(demo), Some(address)) = (demo, server.local_addrs().first()) {
        demo.invite(&mut out, scheme, *address, urls.first().zip(account))?;
    }
    out.flush()?;
    Ok(())
}

fn warn(warnings: impl Iterator<Item = String>) {
    let mut err = anstream::stderr().lock();
    for warning in warnings {
        let _ = writeln!(err, "{WARNING}warning{WARNING:#}: {warning}");
    }
}

fn say_empty(data: &Path) {
    let data = data.display();
    let mut err = anstream::stderr().lock();
    let _ = writeln!(
        err,
        "{NOTE}note{NOTE:#}: the data directory `{data}` is empty: every identifier is unknown until \
         `fingerpost import --data {data} FILE`, which may run while the server does"
    );
}

fn say_checking(data: &Path) {
    let data = data.display();
    let mut err = anstream::stderr().lock();
    let _ = writeln!(
        err,
        "{NOTE}note{NOTE:#}: the last server on `{data}` was killed or crashed: checking every page of the store first"
    );
}

fn start_log(log: &LogOptions) -> Result<(), Failure> {
    let filter: Targets = log.level.parse().map_err(|error| {
        Failure::advise(
            format!("log.level `{}`: {error}", log.level),
            "use error, warn, info, debug or trace",
        )
    })?;
    let lines =
        tracing_subscriber::fmt().with_max_level(LevelFilter::TRACE).with_writer(io::stderr);
    // A second start in one process (tests) keeps the first logger.
    let _ = match log.format {
        LogFormat::Text => {
            lines.with_ansi(io::stderr().is_terminal()).finish().with(filter).try_init()
        }
        LogFormat::Json => lines.json().finish().with(filter).try_init(),
    };
    Ok(())
}

/// The side whose flags the advice names.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Side {
    Public,
    Admin,
    Metrics,
}

fn cannot_serve(error: ServeError, side: Side) -> Failure {
    let is_admin = side == Side::Admin;
    let next = match &error {
        ServeError::Bind { .. } if side == Side::Metrics => {
            "give metrics.listen an address of this machine with a free port, such as 127.0.0.1:9464"
        }
        ServeError::Bind { error, .. } => match error.kind() {
            io::ErrorKind::AddrInUse if is_admin => {
                "choose another address for the admin side with --admin-listen, or do without by --no-admin"
            }
            io::ErrorKind::AddrInUse => {
                "choose another address with --listen; port 0 takes a free one"
            }
            io::ErrorKind::PermissionDenied => {
                "ports below 1024 need a privilege: choose one above, or grant CAP_NET_BIND_SERVICE"
            }
            _ if is_admin => {
                "give --admin-listen an address of this machine, such as 127.0.0.1:8081"
            }
            _ => "give --listen an address of this machine, such as 127.0.0.1:8080",
        },
        ServeError::Tls(_) if is_admin => "check admin.tls_cert and admin.tls_key",
        ServeError::Tls(_) => "check the files given with --tls-cert and --tls-key",
        _ => return Failure::new(error),
    };
    Failure::advise(error, next)
}

#[cfg(test)]
mod tests;
