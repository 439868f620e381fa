//! Binary schemes from before EPC Tag Data Standard 2.0: sections 14.3 to 14.6.
//!
//! Their bits are a transcript of the EPC Tag URI: header, filter, and one field per component.

/// How company prefix and reference share their bits and digits: a row of a partition table.
pub(crate) struct Partition {
    pub(crate) gcp_bits: u8,
    pub(crate) gcp_digits: u8,
    pub(crate) ref_bits: u8,
    /// Digits, or where the reference is not padded the most digits or characters.
    pub(crate) ref_digits: u8,
}
