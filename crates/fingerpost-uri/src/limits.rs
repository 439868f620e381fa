//! The limits of this crate. `docs/operations/limits.md` lists them.

/// The maximum length of a text, in bytes: offsets are stored as 32-bit numbers.
pub const MAX_LEN: usize = u32::MAX as usize;
