//! The limits of this crate. `docs/operations/limits.md` lists them.

/// Finished signatures that are in memory at a time; a newer one takes the room of another.
pub(crate) const MAX_FINISHED: usize = 8_192;

/// Bytes of the signed lines of a finished signature that is kept in memory.
pub(crate) const MAX_FINISHED_BYTES: usize = 2_048;

/// Keys of a directory that are read.
pub(crate) const MAX_KEYS: usize = 100;

/// Signatures of an answer that are tried.
pub(crate) const MAX_SIGNATURES: usize = 16;

/// Seconds by which the clock of a signer may be ahead of the verifier's.
pub(crate) const CLOCK_DIFFERENCE: i64 = 60;
