//! The limits of this crate. `docs/operations/limits.md` lists them.

/// Bytes of a string, a number or a member name of an EPCIS document; far more than any identifier
/// has. Only one of them is in memory.
pub(crate) const MAX_EPCIS_TOKEN: usize = 64 << 10;
