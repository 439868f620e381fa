//! Options for opening a store.

use fingerpost_lmdb::LmdbOptions;

use crate::limits::{CACHE_BYTES, RECORD_CACHE_PART};

/// Options for opening a store.
///
/// ```
/// let options = fingerpost_store::StoreOptions::default().cache_bytes(64 << 20);
/// # let _ = options;
/// ```
#[derive(Clone, Copy, Debug)]
pub struct StoreOptions {
    map_size: Option<usize>,
    cache_bytes: usize,
    is_copy: bool,
    is_random: bool,
}

impl StoreOptions {
    /// Opens a copy of another store: commits return before they are on disk. A crash of the
    /// machine can undo the last one before [`Store::flush`](crate::Store::flush) has returned; the
    /// copy then continues from the commit before it.
    pub fn copy(mut self) -> Self {
        self.is_copy = true;
        self
    }

    /// Prepares for requests for single records, as a server has them: once the data file exceeds
    /// memory, a missing page is read without its neighbours, which would replace pages that are
    /// needed. By default, a page is read with as many neighbours as the disk is configured for,
    /// which suits commands that read everything.
    pub fn random_reads(mut self) -> Self {
        self.is_random = true;
        self
    }

    /// Limits the size of the data file to this number of bytes, rounded up to 64 KiB, and the
    /// address space of the memory map with it. Without a limit, the map has room for 256 GiB or
    /// twice the data file, or for as much as the operating system grants. When another process
    /// writes beyond the limit, the map grows to twice the data file.
    pub fn map_size(mut self, bytes: usize) -> Self {
        self.map_size = Some(bytes);
        self
    }

    /// Limits the memory for the locations of rows and for the records that are requested most, as
    /// of the last commit, in bytes; 0 disables both. Seven eighths are for locations of rows, of
    /// which each takes twelve bytes; a small store takes only what its rows need. The rest is for
    /// decoded records. Default: 128 MiB.
    pub fn cache_bytes(mut self, bytes: usize) -> Self {
        self.cache_bytes = bytes;
        self
    }

    /// Returns the bytes for decoded records.
    pub(crate) fn bytes_of_records(self) -> usize {
        self.cache_bytes / RECORD_CACHE_PART
    }

    /// Returns the options of the engine.
    pub(crate) fn lmdb(self) -> LmdbOptions {
        let options =
            LmdbOptions::default().location_bytes(self.cache_bytes - self.bytes_of_records());
        let options = if self.is_copy { options.deferred_sync() } else { options };
        let options = if self.is_random { options.random_reads() } else { options };
        match self.map_size {
            Some(bytes) => options.map_size(bytes),
            None => options,
        }
    }
}

impl Default for StoreOptions {
    fn default() -> Self {
        Self { map_size: None, cache_bytes: CACHE_BYTES, is_copy: false, is_random: false }
    }
}
