//! The limits of this crate. `docs/operations/limits.md` lists them.

/// Segments after the last value that are recognised as surplus.
pub(crate) const MAX_SURPLUS_SEGMENTS: usize = 4;

/// Number of characters of a segment shown in a message.
pub(crate) const MAX_SHOWN_INPUT: usize = 32;

/// Bytes of an element string in which lost separators are searched for. GS1-128 holds 48, and a
/// label rarely more than 100.
pub(crate) const MAX_LOST_SEPARATOR_INPUT: usize = 256;

/// Bytes of the text of a label that is interpreted.
pub(crate) const MAX_LABEL_INPUT: usize = 512;
