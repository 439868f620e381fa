//! The metrics of the process in the text format of Prometheus: on the admin listener, and on an address of its own if configured.
//!
//! What is counted is counted where it happens, by each thread for itself; here it is added up when somebody asks. No metric names a client, a
//! user, an organisation or an identifier. `docs/reference/metrics.md` lists all of them; a test generates it from running servers.

mod certificates;
mod families;
mod figures;
mod listener;
mod process;
mod samples;

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use fingerpost_acme::Keeper;
use fingerpost_admin::{AdminServer, Api, Exposition, Span, Status};
use fingerpost_follow::Follower;
use fingerpost_http::{
    Meter, Presented, Reading, Replaceable, Shutdown, Validity, process::free_space,
};
use fingerpost_public::Server;
use fingerpost_registry::{QuotaUse, Registry};
use fingerpost_store::Store;
use jiff::Timestamp;

use crate::backup::now;
use crate::backup::{FailedBackup, LastBackup};
use families::Families;
pub(crate) use listener::MetricsListener;
use samples::Samples;

/// How long the use of quotas is kept: all organisations are looked at for it.
const QUOTAS_KEPT: Duration = Duration::from_secs(60);

/// How often it is looked whether a sample is due, or the server stops.
const LOOK: Duration = Duration::from_millis(250);

/// A number for a metric: exact up to 2^53.
fn number(count: u64) -> f64 {
    count as f64
}

/// What the metrics are read from.
pub(crate) struct Metrics {
    started: Timestamp,
    public: Side,
    admin: OnceLock<Admin>,
    /// The store of the data directory.
    store: Arc<Store>,
    data: PathBuf,
    follower: Option<Arc<Follower>>,
    /// The certificate that an authority issues.
    keeper: Option<Arc<Keeper>>,
    reloads: Reloads,
    samples: Samples,
}

/// One listener.
struct Side {
    name: &'static str,
    meter: Meter,
    certificate: Option<Presented>,
}

/// The admin listener, once it runs.
struct Admin {
    side: Side,
    registry: Registry,
    api: Arc<Replaceable<Api>>,
    quotas: Mutex<Option<(Instant, QuotaUse)>>,
}

/// When the configuration was last read again, and how often that failed.
#[derive(Default)]
pub(crate) struct Reloads(Mutex<[u64; 2]>);

impl Reloads {
    /// Counts a configuration that was taken over, or refused.
    pub(crate) fn count(&self, is_taken: bool) {
        let mut counts = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        counts[usize::from(!is_taken)] += 1;
    }
}

impl Metrics {
    /// `every` is the time between two samples for the status page.
    pub(crate) fn new(
        started: Timestamp,
        server: &Server,
        (store, data): (&Arc<Store>, &Path),
        (follower, keeper): (Option<Arc<Follower>>, Option<Arc<Keeper>>),
        every: Duration,
    ) -> Arc<Self> {
        let (meter, certificate) = (server.meter().clone(), server.certificate());
        Arc::new(Self {
            started,
            public: Side { name: "public", meter, certificate },
            admin: OnceLock::new(),
            store: Arc::clone(store),
            data: data.to_owned(),
            follower,
            keeper,
            reloads: Reloads::default(),
            samples: Samples::new(started, every),
        })
    }

    /// Adds the admin listener, which shows the metrics from now on.
    pub(crate) fn add_admin(self: &Arc<Self>, admin: &AdminServer) {
        let (meter, certificate) = (admin.meter().clone(), admin.certificate());
        let added = Admin {
            side: Side { name: "admin", meter, certificate },
            registry: admin.registry().clone(),
            api: Arc::clone(admin.api()),
            quotas: Mutex::default(),
        };
        // There is one admin listener.
        let _ = self.admin.set(added);
        // The listener does not keep alive what it shows, which keeps the listener alive.
        let metrics = Arc::downgrade(self);
        let of_text = metrics.clone();
        let text = move || of_text.upgrade().map(|metrics| metrics.text()).unwrap_or_default();
        let status = move |span| match metrics.upgrade() {
            Some(metrics) => metrics.status(span),
            // The process ends.
            None => Status { started: now(), at: Vec::new(), series: Vec::new() },
        };
        admin.expose(Exposition::new(text, status));
    }

    pub(crate) fn reloads(&self) -> &Reloads {
        &self.reloads
    }

    /// Returns all metrics as text.
    pub(crate) fn text(&self) -> String {
        let mut families = self.families();
        if let Some(admin) = self.admin.get() {
            tell_quotas(&mut families, admin);
        }
        families.text()
    }

    /// Takes samples for the status page until shutdown, if there is an admin listener to show them.
    pub(crate) fn keep_samples(&self, shutdown: &Shutdown) {
        while !shutdown.is_triggered() {
            if self.admin.get().is_some() {
                self.samples.take((now(), Instant::now()), || self.families());
            }
            thread::sleep(LOOK);
        }
    }

    fn status(&self, span: Span) -> Status {
        self.samples.status(span, (now(), Instant::now()), &self.families())
    }

    /// Returns all metrics but the use of quotas, for which all organisations are looked at.
    fn families(&self) -> Families {
        let mut families = Families::default();
        let sides: Vec<&Side> = [Some(&self.public), self.admin.get().map(|admin| &admin.side)]
            .into_iter()
            .flatten()
            .collect();
        process::tell(&mut families, self.started);
        let read: Vec<_> = sides.iter().map(|side| (side.name, side.meter.read())).collect();
        tell_requests(&mut families, &read);
        tell_connections(&mut families, &read);
        self.tell_store(&mut families);
        self.tell_writes(&mut families);
        self.tell_copy(&mut families);
        tell_certificates(&mut families, &sides);
        if let Some(keeper) = &self.keeper {
            certificates::tell(&mut families, keeper);
        }
        self.tell_backup(&mut families);
        let [taken, refused] = *self.reloads.0.lock().unwrap_or_else(PoisonError::into_inner);
        families.counter(
            "configuration_reloads_total",
            "Configurations that were read again, by whether they were taken over.",
            [
                (vec![("result", "taken")], number(taken)),
                (vec![("result", "refused")], number(refused)),
            ],
        );
        families
    }

    fn tell_store(&self, families: &mut Families) {
        let activity = self.store.activity();
        families.one_counter(
            "cache_hits_total",
            "Reads of requests for keys that were found without a search.",
            activity.cache_hits,
        );
        families.one_counter(
            "cache_misses_total",
            "Reads of requests that searched the store.",
            activity.cache_misses,
        );
        families.one(
            "cache_bytes",
            "Bytes in which records and their places in the store are remembered.",
            number(activity.cache_bytes),
        );
        families.one(
            "cache_limit_bytes",
            "Bytes that these may take (cache_bytes).",
            number(activity.cache_limit),
        );
        let is_readable = match (self.store.len(), self.store.revision()) {
            (Ok(levels), Ok(revision)) => {
                families.one("store_levels", "Levels with a record.", number(levels));
                families.one("store_revision", "The last revision.", number(revision.number()));
                true
            }
            (Err(error), _) | (_, Err(error)) => {
                tracing::warn!(%error, "the store cannot be read for the metrics");
                false
            }
        };
        families.one(
            "store_readable",
            "1 while the store can be read.",
            f64::from(u8::from(is_readable)),
        );
        if let Ok(Some(size)) = self.store.size() {
            families.one("store_file_bytes", "Size of the data file.", number(size.file));
            families.one(
                "store_used_bytes",
                "Bytes of the data file in use so far, with pages that are free again.",
                number(size.used),
            );
            families.one(
                "store_map_bytes",
                "Bytes to which the data file may grow (map_size).",
                number(size.map),
            );
        }
        if let Ok(free) = free_space(&self.data) {
            families.one(
                "disk_free_bytes",
                "Bytes that can be written where the data directory is.",
                number(free),
            );
        }
    }

    fn tell_writes(&self, families: &mut Families) {
        let store = self.admin.get().map_or(&self.store, |admin| admin.registry.store());
        let activity = store.activity();
        families.one_counter(
            "commits_total",
            "Commits by this process; those of commands beside it are not included.",
            activity.commits,
        );
        families.one_counter(
            "commit_operations_total",
            "Operations in these commits; those that wait together share one.",
            activity.operations,
        );
        families.one_counter("commit_failures_total", "Commits that failed.", activity.failures);
        let seconds = activity.committing.as_secs_f64();
        families.counter::<&str>(
            "commit_seconds_total",
            "Time of all commits with their operations.",
            [(vec![], seconds)],
        );
        families.one(
            "write_queue",
            "Operations that wait for their turn to write.",
            number(activity.waiting),
        );
        let Some(admin) = self.admin.get() else { return };
        let places = admin.api.current().places();
        let kind = |name: &'static str| vec![("kind", name)];
        families.gauge(
            "work_in_progress",
            "Work of the admin listener in progress: calls, calls that read much, batches, imports and exports.",
            places.map(|(name, used, _)| (kind(name), used as f64)),
        );
        families.gauge(
            "work_limit",
            "How many of them there may be at a time; further ones wait.",
            places.map(|(name, _, limit)| (kind(name), limit as f64)),
        );
    }

    fn tell_copy(&self, families: &mut Families) {
        let Some(follower) = &self.follower else { return };
        let status = follower.status();
        let flag = |value: bool| f64::from(u8::from(value));
        families.one(
            "copy_complete",
            "1 once the copy is complete, so that the node answers scans.",
            flag(status.complete),
        );
        families.one(
            "copy_connected",
            "1 while the store that the node follows answers.",
            flag(status.connected),
        );
        families.one(
            "copy_lag_seconds",
            "For how long the copy has been behind, or the store that it follows silent.",
            number(status.lag_seconds),
        );
        if let Some(lag) = status.lag_revisions {
            families.one(
                "copy_lag_revisions",
                "Revisions that the copy is behind, as far as the node knows.",
                number(lag),
            );
        }
    }

    fn tell_backup(&self, families: &mut Families) {
        if let Some(failed) = FailedBackup::read(&self.data) {
            let at = failed.at.as_second() as f64;
            families.one(
                "failed_backup_timestamp_seconds",
                "When a backup failed; absent as soon as one succeeds.",
                at,
            );
        }
        let Some(backup) = LastBackup::read(&self.data) else { return };
        let at = backup.at.as_second() as f64;
        families.one(
            "last_backup_timestamp_seconds",
            "When a backup of this data directory last succeeded; absent before.",
            at,
        );
        families.one("last_backup_levels", "Levels in that backup.", number(backup.levels));
        families.one(
            "last_backup_revision",
            "The revision of that backup.",
            number(backup.revision),
        );
        if let Some(verified) = backup.verified {
            families.one(
                "last_backup_verified_timestamp_seconds",
                "When a backup of the repository was last restored on trial; absent before.",
                verified.as_second() as f64,
            );
        }
    }
}

fn tell_requests(families: &mut Families, read: &[(&'static str, Reading)]) {
    let mut requests = Vec::new();
    for (listener, reading) in read {
        for answered in &reading.requests {
            let status =
                if answered.status == 0 { "other".to_owned() } else { answered.status.to_string() };
            let labels = [
                ("listener", (*listener).to_owned()),
                ("answer", answered.answer.to_owned()),
                ("status", status),
                ("protocol", answered.protocol.to_owned()),
            ];
            requests.push((labels.to_vec(), number(answered.count)));
        }
    }
    families.counter("requests_total", "Answered requests.", requests);
    families.histogram(
        "request_duration_seconds",
        "Time from the head of a request to that of its answer; sending it to the client is not included.",
        read.iter().map(|(listener, reading)| {
            let within = reading
                .within
                .iter()
                .map(|(bound, count)| (bound.map(|bound| bound.as_secs_f64()), *count));
            (vec![("listener", *listener)], within.collect(), reading.took.as_secs_f64())
        }),
    );
    let of = |value: fn(&Reading) -> u64| {
        read.iter()
            .map(move |(listener, reading)| (vec![("listener", *listener)], number(value(reading))))
    };
    families.counter(
        "unreadable_requests_total",
        "Requests that were not HTTP, or far beyond its limits; they are not among the others.",
        of(|reading| reading.unreadable),
    );
    families.counter(
        "tls_handshake_failures_total",
        "TLS handshakes that failed.",
        of(|reading| reading.handshakes_failed),
    );
    families.counter(
        "overloads_total",
        "How often a thread fell behind, so that it answered 503 (limits.shed_after).",
        of(|reading| reading.behind),
    );
}

fn tell_connections(families: &mut Families, read: &[(&'static str, Reading)]) {
    let of = |value: fn(&fingerpost_http::Connections) -> u64| {
        read.iter().map(move |(listener, reading)| {
            (vec![("listener", *listener)], number(value(&reading.connections)))
        })
    };
    families.gauge("connections", "Open connections.", of(|all| all.open));
    families.gauge("connections_limit", "How many connections there may be.", of(|all| all.limit));
    families.counter(
        "connections_accepted_total",
        "Connections that got a place.",
        of(|all| all.accepted),
    );
    families.counter(
        "connections_refused_total",
        "Connections for which there was no place.",
        of(|all| all.refused),
    );
    let evicted = read.iter().flat_map(|(listener, reading)| {
        let all = reading.connections;
        let labels = move |reason| vec![("listener", *listener), ("reason", reason)];
        [
            (labels("all_places"), number(all.evicted)),
            (labels("network_places"), number(all.evicted_in_network)),
        ]
    });
    families.counter(
        "connections_evicted_total",
        "Idle connections closed for new ones, because all places or those of one client network were taken.",
        evicted,
    );
    let ended = read.iter().flat_map(|(listener, reading)| {
        let one = move |(limit, count): &(&'static str, u64)| {
            (vec![("listener", *listener), ("limit", *limit)], number(*count))
        };
        reading.ended.iter().map(one).collect::<Vec<_>>()
    });
    families.counter(
        "connections_timed_out_total",
        "Connections that a limit of time ended.",
        ended,
    );
}

fn tell_certificates(families: &mut Families, sides: &[&Side]) {
    let valid = |edge: fn(&Validity) -> Timestamp| {
        sides.iter().filter_map(move |side| {
            let validity = side.certificate.as_ref()?.validity()?;
            Some((vec![("listener", side.name)], edge(&validity).as_second() as f64))
        })
    };
    families.gauge(
        "certificate_start_timestamp_seconds",
        "From when the certificate in use is valid.",
        valid(|validity| validity.not_before),
    );
    families.gauge(
        "certificate_expiry_timestamp_seconds",
        "Until when the certificate in use is valid.",
        valid(|validity| validity.not_after),
    );
}

fn tell_quotas(families: &mut Families, admin: &Admin) {
    let mut kept = admin.quotas.lock().unwrap_or_else(PoisonError::into_inner);
    if kept.is_none_or(|(at, _)| at.elapsed() > QUOTAS_KEPT) {
        match admin.registry.quota_use() {
            Ok(found) => *kept = Some((Instant::now(), found)),
            Err(error) => {
                tracing::warn!(%error, "the use of quotas cannot be read for the metrics");
            }
        }
    }
    let Some((_, found)) = *kept else { return };
    families.one("organisations", "Organisations.", number(found.organisations));
    let of = |values: [f64; 4]| {
        QuotaUse::NAMES.into_iter().zip(values).map(|(name, value)| (vec![("quota", name)], value))
    };
    families.gauge(
        "quota_highest_ratio",
        "The largest part of a quota that any organisation uses, 1 for all of it; at most a minute old.",
        of(found.highest),
    );
    families.gauge(
        "quota_exhausted_organisations",
        "Organisations that use all of a quota.",
        of(found.exhausted.map(number)),
    );
}
