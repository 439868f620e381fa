//! Metrics of the store, its writes, and the quotas in it.

use std::path::Path;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use fingerpost_admin::Api;
use fingerpost_http::{Replaceable, process::free_space};
use fingerpost_registry::{QuotaUse, Registry};
use fingerpost_store::Store;

use super::families::{Families, number};

/// How long the use of quotas is kept: all organisations are read for it.
const QUOTAS_KEPT: Duration = Duration::from_secs(60);

/// The use of quotas, and when it was read.
pub(super) type QuotaCache = Mutex<Option<(Instant, QuotaUse)>>;

/// Adds the metrics of the store of the data directory.
pub(super) fn report(families: &mut Families, store: &Store, data: &Path) {
    let activity = store.activity();
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
        "Bytes in which records and their positions in the store are cached.",
        number(activity.cache_bytes),
    );
    families.one(
        "cache_limit_bytes",
        "Bytes that these may take (cache_bytes).",
        number(activity.cache_limit),
    );
    let is_readable = match (store.len(), store.revision()) {
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
    families.one(
        "store_unchecked",
        "1 while the data file is checked, and if damage was found (check_first).",
        f64::from(u8::from(store.is_unchecked())),
    );
    if let Ok(Some(size)) = store.size() {
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
    if let Ok(free) = free_space(data) {
        families.one(
            "disk_free_bytes",
            "Bytes that can be written where the data directory is.",
            number(free),
        );
    }
}

/// Adds the metrics of writes.
pub(super) fn report_writes(
    families: &mut Families,
    store: &Store,
    api: Option<&Replaceable<Api>>,
) {
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
    let Some(api) = api else { return };
    let slots = api.current().slots();
    let kind = |name: &'static str| vec![("kind", name)];
    families.gauge(
        "work_in_progress",
        "Work of the admin listener in progress: calls, calls that read much, batches, imports and exports.",
        slots.map(|(name, used, _)| (kind(name), used as f64)),
    );
    families.gauge(
        "work_limit",
        "How many of them there may be at a time; further ones wait.",
        slots.map(|(name, _, limit)| (kind(name), limit as f64)),
    );
}

/// Adds the use of quotas.
pub(super) fn report_quotas(families: &mut Families, registry: &Registry, cache: &QuotaCache) {
    let mut kept = cache.lock().unwrap_or_else(PoisonError::into_inner);
    if kept.is_none_or(|(at, _)| at.elapsed() > QUOTAS_KEPT) {
        match registry.quota_use() {
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
