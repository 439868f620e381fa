//! Options for opening a directory.

/// Options for opening a directory.
#[derive(Clone, Copy, Debug, Default)]
pub struct LmdbOptions {
    pub(crate) map_size: Option<usize>,
    pub(crate) location_bytes: usize,
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

    /// Limits the memory for remembered locations of rows, of which each takes twelve bytes.
    /// Default: 0, which remembers none.
    pub fn location_bytes(mut self, bytes: usize) -> Self {
        self.location_bytes = bytes;
        self
    }
}
