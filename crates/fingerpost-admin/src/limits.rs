//! The limits of this crate. `docs/operations/limits.md` lists them.

use std::num::{NonZeroU32, NonZeroUsize};
use std::ops::RangeInclusive;
use std::time::Duration;

/// Concurrent calls of the registry. Writers that wait together share one commit, so the limit
/// exceeds the number of cores.
pub(crate) const MAX_CALLS: usize = 64;

/// Concurrent long calls; each may keep a core busy.
pub(crate) const MAX_LONG_CALLS: usize = 4;

/// Batches in progress: they take turns, and each has a thread.
pub(crate) const MAX_BATCHES: usize = 16;

/// Batches of one caller or organisation that arrive, wait or run; one of them runs.
pub(crate) const MAX_BATCHES_OF_CALLER: usize = 2;

/// Bytes of memory for batches of all callers.
pub(crate) const MAX_BATCH_MEMORY: usize = 512 << 20;

/// Requests in progress for each call that a caller may run: the others wait, or send their bodies.
pub(crate) const MAX_REQUESTS_PER_CALL: usize = 16;

/// Seconds of its request rate that a caller can save up.
pub(crate) const RATE_BURST: NonZeroU32 = NonZeroU32::new(5).unwrap();

/// Buckets for the request rates of callers and organisations; several may share one, which bounds
/// the memory.
pub(crate) const RATE_BUCKETS: u64 = 65_536;

/// Time for which a call waits for other calls of its caller or organisation.
pub(crate) const MAX_CALL_WAIT: Duration = Duration::from_secs(10);

/// `Retry-After` of a refused call.
pub(crate) const CALL_RETRY_AFTER: Duration = Duration::from_secs(1);

/// Import files that arrive, wait or are imported.
pub(crate) const MAX_UPLOADS: usize = 8;

/// Concurrent imports.
pub(crate) const MAX_IMPORTS: usize = 2;

/// Concurrent exports.
pub(crate) const MAX_EXPORTS: usize = 4;

/// `Retry-After` of a refused import or export.
pub(crate) const TRANSFER_RETRY_AFTER: Duration = Duration::from_secs(30);

/// Time for which long work keeps its slots before others get them.
pub(crate) const MAX_TURN: Duration = Duration::from_millis(5);

/// Processor time up to which a call needs no rest of its share.
pub(crate) const BRIEF_CALL: Duration = Duration::from_millis(1);

/// Time that work in one transaction may take without a longer rest.
pub(crate) const SHORT_TRANSACTION: Duration = Duration::from_millis(20);

/// Rest after a longer transaction, as a multiple of the excess over `SHORT_TRANSACTION`.
pub(crate) const TRANSACTION_REST: u32 = 200;

/// Bytes that a batch reads before it may yield: a few rows.
pub(crate) const BATCH_STEP: usize = 16 << 10;

/// Requests that hash a password or wait for it.
pub(crate) const MAX_HASHING: usize = 64;

/// The same from one address or for one account: an entire office can share an address.
pub(crate) const MAX_HASHING_OF_SOURCE: usize = 16;

/// Bytes of a JSON document: as many as a record may have.
pub(crate) const MAX_BODY: usize = fingerpost_resolver::MAX_RECORD_BYTES;

/// Bytes of the body of a change that is read before the permission for the change is checked.
pub(crate) const SMALL_BODY: u64 = 16 << 10;

/// Bytes of a JSON document from a client without a credential.
pub(crate) const MAX_SIGN_IN_BODY: usize = 16 << 10;

/// Bytes of a batch: about 100,000 records in one request.
pub(crate) const MAX_BATCH_BODY: usize = 64 << 20;

/// Time for a JSON document to arrive.
pub(crate) const MAX_BODY_TIME: Duration = Duration::from_secs(30);

/// Time for a batch to arrive: 1 Mbit/s.
pub(crate) const MAX_BATCH_TIME: Duration = Duration::from_secs(600);

/// Time between two parts of a body.
pub(crate) const MAX_BODY_PAUSE: Duration = Duration::from_secs(10);

/// Bytes of batch memory that a body reserves at a time.
pub(crate) const BODY_PERMIT: usize = 256 << 10;

/// Time for a file to arrive in addition to the time that it needs at `MIN_UPLOAD_RATE`.
pub(crate) const UPLOAD_GRACE: Duration = Duration::from_secs(30);

/// Bytes per second of a file that arrives: 1 Mbit/s.
pub(crate) const MIN_UPLOAD_RATE: u64 = 128 << 10;

/// Parts of a file that arrived and are not written yet.
pub(crate) const MAX_UNWRITTEN_PARTS: usize = 8;

/// Bytes of a file after which the free space is checked again.
pub(crate) const SPACE_CHECK_INTERVAL: u64 = 64 << 20;

/// Bytes of free space that uploads and imports leave for everything else.
pub(crate) const MIN_FREE_SPACE: u64 = 256 << 20;

/// Messages of an import that wait for the client; one may hold a record of 1 MiB.
pub(crate) const MAX_UNSENT_MESSAGES: usize = 16;

/// Records of each kind that an import reports by default.
pub(crate) const DEFAULT_REPORTED: u64 = 1_000;

/// Records of each kind that an import reports at most.
pub(crate) const MAX_REPORTED: u64 = 100_000;

/// Bytes of records in the report at the end of an import; more are counted only.
pub(crate) const MAX_REPORT: usize = 8 << 20;

/// Records in one transaction of an import: nobody else writes meanwhile.
pub(crate) const MAX_IMPORT_TRANSACTION: NonZeroUsize = NonZeroUsize::new(1_000).expect("not zero");

/// Bytes of records after which a transaction of an import ends.
pub(crate) const MAX_IMPORT_TRANSACTION_BYTES: usize = 2 << 20;

/// Bytes of memory in which an import sorts records; more are sorted in a temporary file.
pub(crate) const IMPORT_SORT_BUFFER: usize = 16 << 20;

/// Levels of a selection.
pub(crate) const MAX_SELECTED: usize = 10_000;

/// Bytes of a part in which a file is sent.
pub(crate) const EXPORT_PART: usize = 64 << 10;

/// Parts of a file that wait for the client.
pub(crate) const MAX_UNSENT_PARTS: usize = 4;

/// Characters of a text to check.
pub(crate) const MAX_CHECKED_TEXT: usize = 4096;

/// Digits in which a search looks for a typing error: the longest number with a check digit.
pub(crate) const MAX_CORRECTED_DIGITS: usize = 18;

/// Width of a module of a label, in millimetres.
pub(crate) const MODULE_WIDTHS: RangeInclusive<f64> = 0.1..=10.0;

/// Height of the bars of a linear symbol, in millimetres.
pub(crate) const BAR_HEIGHTS: RangeInclusive<f64> = 1.0..=200.0;

/// Resolution of a label, in dots per inch.
pub(crate) const RESOLUTIONS: RangeInclusive<u32> = 72..=1200;

/// Width and height of a label on a sheet, in millimetres.
pub(crate) const LABEL_SIZES: RangeInclusive<f64> = 5.0..=300.0;

/// Seconds for which `/v1/feed/head` waits for another revision.
pub(crate) const MAX_FEED_WAIT: u64 = 30;

/// Characters of the list of company prefixes of a copy: some 400 prefixes.
pub(crate) const MAX_FEED_PREFIXES: usize = 4096;

/// Items on a page of a list by default.
pub(crate) const DEFAULT_PAGE: usize = 100;

/// Largest number in a request: every JSON parser keeps it exactly (RFC 8259, section 6).
pub(crate) const MAX_NUMBER: u64 = (1 << 53) - 1;

/// Characters of an idempotency key.
pub(crate) const MAX_IDEMPOTENCY_KEY: usize = 128;

/// Bytes of a credential that is checked: tokens have less than a hundred.
pub(crate) const MAX_TOKEN: usize = 512;

/// Delay of the answer to a request beyond the share of its caller.
pub(crate) const REFUSAL_DELAY: Duration = Duration::from_millis(500);

/// Digits of a revision in an entity tag.
pub(crate) const MAX_REVISION_DIGITS: usize = 16;

/// `Retry-After` if the store did not answer.
pub(crate) const STORE_RETRY_AFTER: Duration = Duration::from_secs(5);

/// `Retry-After` if all slots were taken.
pub(crate) const BUSY_RETRY_AFTER: Duration = Duration::from_secs(1);

/// Sign-ins that wait for the identity provider: it may be slow, and threads are few.
pub(crate) const MAX_SIGN_INS: usize = 8;

/// Maximum number of characters of the version of the terms.
pub(crate) const MAX_TERMS_VERSION: usize = 100;

/// Maximum number of bytes of the text of the terms.
pub(crate) const MAX_TERMS_BYTES: usize = 64 << 10;

/// Sign-in with an identity provider.
#[cfg(feature = "oidc")]
pub(crate) mod oidc {
    use std::time::Duration;

    /// Maximum number of issuers of tokens that prove roles; a token is compared with each.
    pub(crate) const MAX_ROLE_ISSUERS: usize = 8;

    /// Time for which a sign-in waits to be one of them.
    pub(crate) const MAX_SIGN_IN_WAIT: Duration = Duration::from_secs(10);

    /// Time for a request to the identity provider, for which a browser waits.
    pub(crate) const MAX_PROVIDER_TIME: Duration = Duration::from_secs(10);

    /// Bytes of an answer of the identity provider: descriptions, keys and tokens have some KiB.
    pub(crate) const MAX_PROVIDER_ANSWER: u64 = 1 << 20;

    /// Characters of a name from the identity provider.
    pub(crate) const MAX_CLAIMED_NAME: usize = 200;

    /// Bytes of the client secret; a larger file cannot be a secret.
    pub(crate) const MAX_CLIENT_SECRET: usize = 4096;

    /// Bytes of a token that proves roles; it is in a header field, and has at most some dozen
    /// groups.
    pub(crate) const MAX_ROLE_TOKEN: usize = 8192;

    /// Time between two requests to an issuer of such tokens for its keys, however many tokens name
    /// unknown ones.
    pub(crate) const MIN_REFRESH: Duration = Duration::from_secs(60);

    /// Bytes of a text from the identity provider in the log.
    pub(crate) const MAX_LOGGED_TEXT: usize = 100;

    /// Attempts to sign in that are remembered, of about half a KiB each.
    pub(crate) const MAX_ATTEMPTS: usize = 4096;

    /// The same from the network of one subscriber: an entire office may share one, but must not
    /// displace all others.
    pub(crate) const MAX_ATTEMPTS_OF_NETWORK: usize = 128;

    /// Time for a user to type a password and to find the second factor.
    pub(crate) const MAX_ATTEMPT_AGE: Duration = Duration::from_secs(600);
}

/// Levels of nesting to which examples of documents show members that can be absent.
pub(crate) const MAX_EXAMPLE_DEPTH: usize = 2;
