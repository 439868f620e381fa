//! A file without a name that holds qualified levels until their key level has been read (RES-2.5.9-1).
//!
//! ```text
//! parked = source line record key-length entry-length key entry     ; numbers little-endian
//! ```
//!
//! To keep the order of records for the same level, every later qualified record of a key that has parked records is parked too. A
//! bit set of fixed size remembers these keys; a false hit only parks a record that did not need to wait.

use std::fs::File;
use std::hash::{BuildHasher, BuildHasherDefault, DefaultHasher};
use std::io::{self, BufReader, BufWriter, Read, Seek, Write};
use std::path::Path;

use fingerpost_registry::Change;
use fingerpost_resolver::{Accepted, Anchor, Entry};

use crate::RecordPlace;

/// Bits that remember keys: 1 MiB, one false hit in 8 with a million keys parked.
const BITS: usize = 1 << 23;

/// The records that wait for their key level.
#[derive(Debug)]
pub(crate) struct Park {
    file: BufWriter<File>,
    keys: Box<[u64]>,
    count: u64,
}

impl Park {
    /// Creates an empty park in `dir`. Its file has no name, so nothing is left behind however the process ends.
    ///
    /// # Errors
    /// No file can be created in `dir`.
    pub(crate) fn new(dir: &Path) -> io::Result<Self> {
        let file = BufWriter::new(tempfile::tempfile_in(dir)?);
        Ok(Self { file, keys: vec![0; BITS / 64].into_boxed_slice(), count: 0 })
    }

    /// Returns the number of records parked so far.
    pub(crate) fn count(&self) -> u64 {
        self.count
    }

    /// Returns whether this is a qualified level whose key may have parked records.
    pub(crate) fn may_hold_up(&self, level: &Anchor) -> bool {
        let (word, bit) = place_of(level.key_level());
        self.count > 0 && !level.is_key_level() && self.keys[word] & bit != 0
    }

    /// Adds a record at the end.
    ///
    /// # Errors
    /// The file cannot be written.
    pub(crate) fn push(&mut self, entry: &Entry, place: RecordPlace) -> io::Result<()> {
        let (word, bit) = place_of(entry.anchor().key_level());
        self.keys[word] |= bit;
        let (key, bytes) = (entry.anchor().as_str(), entry.encode());
        self.file.write_all(&place.source.to_le_bytes())?;
        self.file.write_all(&place.line.to_le_bytes())?;
        self.file.write_all(&place.record.to_le_bytes())?;
        self.file.write_all(&length(key.len())?.to_le_bytes())?;
        self.file.write_all(&length(bytes.len())?.to_le_bytes())?;
        self.file.write_all(key.as_bytes())?;
        self.file.write_all(&bytes)?;
        self.count += 1;
        Ok(())
    }

    /// Returns all records in the order they were parked.
    ///
    /// # Errors
    /// The file cannot be written completely, or cannot be read from its beginning.
    pub(crate) fn into_records(
        self,
    ) -> io::Result<impl Iterator<Item = io::Result<(Change, RecordPlace)>>> {
        let mut file = self.file.into_inner().map_err(io::IntoInnerError::into_error)?;
        file.rewind()?;
        let mut file = BufReader::new(file);
        Ok((0..self.count).map(move |_| read(&mut file)))
    }
}

fn read(file: &mut impl Read) -> io::Result<(Change, RecordPlace)> {
    let source = u32::from_le_bytes(bytes(file)?);
    let line = u64::from_le_bytes(bytes(file)?);
    let record = u64::from_le_bytes(bytes(file)?);
    let mut key = vec![0; u32::from_le_bytes(bytes(file)?) as usize];
    let mut entry = vec![0; u32::from_le_bytes(bytes(file)?) as usize];
    file.read_exact(&mut key)?;
    file.read_exact(&mut entry)?;
    let key = String::from_utf8(key).ok().and_then(|key| Anchor::from_canonical(&key));
    let key = key.ok_or_else(|| io::Error::from(io::ErrorKind::InvalidData))?;
    let entry = Entry::decode(key, &entry).map_err(io::Error::other)?;
    let change = Change::put(Accepted { entry, warnings: Vec::new() });
    Ok((change, RecordPlace { source, line, record }))
}

fn bytes<const N: usize>(file: &mut impl Read) -> io::Result<[u8; N]> {
    let mut bytes = [0; N];
    file.read_exact(&mut bytes)?;
    Ok(bytes)
}

fn length(bytes: usize) -> io::Result<u32> {
    u32::try_from(bytes).map_err(io::Error::other)
}

fn place_of(key_level: &str) -> (usize, u64) {
    let hash = BuildHasherDefault::<DefaultHasher>::default().hash_one(key_level);
    let bit = (hash % BITS as u64) as usize;
    (bit / 64, 1 << (bit % 64))
}
