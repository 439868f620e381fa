//! Options for opening a directory.

/// Options for opening a directory.
#[derive(Clone, Copy, Debug, Default)]
pub struct LmdbOptions {
    pub(crate) map_size: Option<usize>,
    pub(crate) location_bytes: usize,
    pub(crate) is_deferred: bool,
    pub(crate) is_random: bool,
}

impl LmdbOptions {
    /// Limits the size of the data file to this number of bytes, rounded up to 64 KiB, and the
    /// address space of the memory map with it. Without a limit, the map has room for 256 GiB or
    /// twice the data file, or for as much as the operating system grants. When another process
    /// writes beyond the limit, the map grows to twice the data file.
    pub fn map_size(mut self, bytes: usize) -> Self {
        self.map_size = Some(bytes);
        self
    }

    /// Lets commits return before they are on disk, where the operating system tells whether the
    /// machine was restarted (Linux). Readers see them at once, and they survive a crash of the
    /// process. After a crash of the machine, the last commit may be undone, if
    /// [`Engine::flush`](fingerpost_engine::Engine::flush) has not returned since.
    pub fn deferred_sync(mut self) -> Self {
        self.is_deferred = true;
        self
    }

    /// Prepares for reads of single rows anywhere in the file, as a server makes them. Once the
    /// file exceeds memory, a missing page is read without its neighbours, which would replace
    /// pages that are needed; scans ask for their next pages. By default, a page is read with
    /// as many neighbours as the disk is configured for.
    pub fn random_reads(mut self) -> Self {
        self.is_random = true;
        self
    }

    /// Limits the memory for remembered locations of rows, of which each takes twelve bytes.
    /// Default: 0, which remembers none.
    pub fn location_bytes(mut self, bytes: usize) -> Self {
        self.location_bytes = bytes;
        self
    }
}
