//! The limits of this crate. `docs/operations/limits.md` lists them.

use std::time::Duration;

use jiff::SignedDuration;

/// Largest number of recipients, each of which adds a line to every backup.
pub(crate) const MAX_RECIPIENTS: usize = 1000;

/// Largest file of keys that is read, in bytes.
pub(crate) const MAX_BACKUP_KEY_FILE: u64 = 1 << 20;

/// Largest manifest that is read, in bytes; one with a thousand recipients is smaller.
pub(crate) const MAX_MANIFEST: u64 = 1 << 20;

/// Largest number of files that a repository may have; a list of more is refused.
pub(crate) const MAX_REPOSITORY_FILES: usize = 100_000;

/// Maximum number of bytes read of an answer: many times a page of 1,000 levels with records of
/// usual size.
pub(crate) const MAX_API_ANSWER: u64 = 256 << 20;

/// Maximum number of bytes of a file name in a static export; levels with longer values are left
/// out.
pub(crate) const MAX_FILE_NAME: usize = 255;

/// Maximum number of languages in the configurations of a static export.
pub(crate) const MAX_STATIC_LANGUAGES: usize = 1000;

/// First pause after a failure of a background service; each further one doubles it.
pub(crate) const FIRST_PAUSE: Duration = Duration::from_secs(60);

/// Longest pause after failures of a background service.
pub(crate) const MAX_PAUSE: Duration = Duration::from_secs(3600);

/// Bytes of the file with the key of a node; a key has some 80 characters.
pub(crate) const MAX_KEY_FILE: usize = 4096;

/// Backups of changes that depend on each other: all of them are open at once when they are
/// restored.
pub(crate) const MAX_CHAIN: usize = 200;

#[cfg(feature = "s3")]
/// Bytes of an answer of S3-compatible storage: a range of a file, or a page of a list with a
/// thousand names.
pub(crate) const MAX_S3_ANSWER: usize = 8 << 20;

/// Shortest interval of backups, each of which reads the whole store.
pub(crate) const MIN_BACKUP_INTERVAL: Duration = Duration::from_secs(1);

/// Time limit of a request with its whole answer: longer than the wait for a change, and enough for
/// a page on a slow network.
pub(crate) const FEED_ANSWER_TIME: Duration = Duration::from_secs(90);

/// The longest wait for a change.
pub(crate) const FEED_WAIT: Duration = Duration::from_secs(20);

/// Time limit for a connection: a machine that can be reached answers quickly.
pub(crate) const API_CONNECT_TIME: Duration = Duration::from_secs(10);

/// Time limit for an answer: a batch of 64 MiB is written durably before the answer begins.
pub(crate) const API_ANSWER_TIME: Duration = Duration::from_secs(300);

/// Connections at a time: a few monitoring systems.
pub(crate) const MAX_METRICS_CONNECTIONS: usize = 32;

/// Lines that wait for the reader of standard error.
pub(crate) const MAX_LOG_QUEUE: usize = 4096;

/// Files of an escrow: records, configuration, keys, static files, and what the configuration
/// names.
pub(crate) const MAX_ESCROW_FILES: usize = 64;

/// Bytes of the manifest of an escrow.
pub(crate) const MAX_ESCROW_MANIFEST: u64 = 1 << 20;

/// Bytes of a text in one encoded word of a mail: with `Subject: `, 73 of the 76 characters of a
/// line.
pub(crate) const MAX_ENCODED_WORD: usize = 39;

/// Pause between two looks for changes that caches in front must forget: a phone sees them within a
/// second.
pub(crate) const PURGE_LOOK: Duration = Duration::from_millis(250);

/// Changes that are read at a time for purging.
pub(crate) const MAX_PURGE_CHANGES: usize = 1000;

/// Surrogate keys in one request that purges them: Cloudflare takes a hundred, Fastly 256.
pub(crate) const MAX_PURGE_KEYS: usize = 100;

/// Bytes of surrogate keys in one request: Varnish takes header fields of 8 KiB by default.
pub(crate) const MAX_PURGE_BYTES: usize = 4096;

/// Bytes of an answer to a purge that are read.
pub(crate) const MAX_PURGE_ANSWER: usize = 64 << 10;

/// Batches of purges that wait to be repeated; what is beyond is purged once.
pub(crate) const MAX_REPEATED_PURGES: usize = 1000;

/// First pause after a purge that was not confirmed; each further one doubles it.
pub(crate) const FIRST_PURGE_PAUSE: Duration = Duration::from_millis(500);

/// Longest pause after a purge that was not confirmed.
pub(crate) const MAX_PURGE_PAUSE: Duration = Duration::from_secs(8);

/// How long a process that purges keeps others of the same store from it without a sign of life.
pub(crate) const PURGE_LEASE: SignedDuration = SignedDuration::from_secs(60);

/// How often a process that purges gives a sign of life, and stores its position.
pub(crate) const SAVE_PURGED_EVERY: Duration = Duration::from_secs(20);

#[cfg(feature = "country")]
/// Bytes of a database of countries; those of cities have some 100 MiB.
pub(crate) const MAX_COUNTRY_DATABASE: u64 = 512 << 20;
/// Changes that an edge export collects to write their shards only; after more, it writes all.
pub(crate) const MAX_EDGE_CHANGES: usize = 1_000_000;

/// Bytes of rows that an edge export sorts in memory; more are sorted in files.
pub(crate) const MAX_EDGE_ROWS_IN_MEMORY: usize = 64 << 20;
