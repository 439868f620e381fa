//! The limits of this crate. `docs/operations/limits.md` lists them.

/// Bytes of rows that a shard has on average when it is made: one small request for a worker, and
/// little to send again after a change.
pub const SHARD_BYTES: u64 = 64 << 10;

/// Bytes of the rows of one key, with all its lots and serial numbers. The origin answers for
/// larger keys, because a worker reads all of them for one request.
pub const MAX_KEY_BYTES: usize = 1 << 20;

/// Bytes of a shard or a page of the index. The origin answers for the largest keys of a shard that
/// would exceed it.
pub const MAX_OBJECT_BYTES: usize = 8 << 20;

/// Bytes of the root of the index: the digests of all pages, and the settings.
pub const MAX_ROOT_BYTES: usize = 4 << 20;

/// Bytes of shards and pages that a worker keeps. Workers have 128 MB at common providers.
pub(crate) const MAX_KEPT_BYTES: usize = 32 << 20;

/// Shards per page of the index: 32 KiB of digests.
pub const PAGE_SHARDS: usize = 1024;

/// The maximum number of shards, as a power of two: a terabyte of rows.
pub const MAX_SHARD_BITS: u32 = 24;
