//! Keeps link entries: an embedded, crash-safe store on LMDB with a hot cache.

