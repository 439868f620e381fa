//! The sizes of keys and values that every engine accepts.

/// The longest key in bytes: LMDB's limit.
pub const MAX_KEY: usize = 511;

/// The longest value in bytes that every engine accepts; far more than a record or a document can have.
pub const MAX_VALUE: usize = 16 << 20;
