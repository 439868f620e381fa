//! The sizes of keys and values that every engine takes.

/// The longest key in bytes: LMDB's limit.
pub const MAX_KEY: usize = 511;

/// The longest value in bytes that every engine takes; far more than a record or a document may have.
pub const MAX_VALUE: usize = 16 << 20;
