//! The limits of this crate. `docs/operations/limits.md` lists them.

/// Components of an identity: those of an ITIP.
pub(crate) const MAX_COMPONENTS: usize = 5;

/// Units of a host name, which six bits count.
pub(crate) const MAX_UNITS: usize = 63;

/// Characters of a label of a domain name (RFC 1035, section 2.3.4).
pub(crate) const MAX_LABEL: usize = 63;

/// Characters of a host name of 63 units: all of it four-letter sequences such as `.com`.
pub(crate) const MAX_HOSTNAME: usize = 63 * 4;

/// Serial number of CPI-var.
pub(crate) const MAX_CPI_SERIAL: u64 = 999_999_999_999;

/// Filter value.
pub(crate) const MAX_FILTER: u8 = 7;

/// Characters of key and reference together: those of GIAI, GINC and CPI.
pub(crate) const MAX_KEY_CHARACTERS: usize = 30;
