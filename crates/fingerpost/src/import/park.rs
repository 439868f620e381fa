//! Where qualified levels wait until their key level has come (RES-2.5.9-1), in a file without a name.
//!
//! ```text
//! parked = file line key-length entry-length key entry     ; numbers little-endian
//! ```
//!
//! To keep the order of records for the same level, every later qualified record of a key that has parked one
//! is parked too. Which keys have is remembered in a bit set of fixed size; a false hit only parks a record
//! that need not have waited.

use std::fs::File;
use std::hash::{BuildHasher, BuildHasherDefault, DefaultHasher};
use std::io::{self, BufReader, BufWriter, Read, Seek, Write};
use std::path::Path;

use fingerpost_gs1::EntityKey;
use fingerpost_resolver::Entry;

use super::Place;

/// Bits that remember keys: 1 MiB, one wrong hit in 8 with a million keys parked.
const BITS: usize = 1 << 23;

/// Bytes before the key: file, line, and the two lengths.
const HEADER: usize = 4 + 8 + 4 + 4;

/// The records that wait.
#[derive(Debug)]
pub(super) struct Park {
    file: BufWriter<File>,
    keys: Box<[u64]>,
    count: u64,
}

impl Park {
    /// An empty park in `dir`. Its file has no name: nothing is left behind, however the process ends.
    ///
    /// # Errors
    /// That no file can be made there.
    pub(super) fn new(dir: &Path) -> io::Result<Self> {
        let file = BufWriter::new(tempfile::tempfile_in(dir)?);
        Ok(Self { file, keys: vec![0; BITS / 64].into_boxed_slice(), count: 0 })
    }

    /// Records parked so far.
    pub(super) fn count(&self) -> u64 {
        self.count
    }

    /// May a record of this key be waiting?
    pub(super) fn may_hold(&self, key_level: &str) -> bool {
        let (word, bit) = place_of(key_level);
        self.count > 0 && self.keys[word] & bit != 0
    }

    /// Adds a record at the end.
    ///
    /// # Errors
    /// That the file cannot be written.
    pub(super) fn push(&mut self, entry: &Entry, place: Place) -> io::Result<()> {
        let (word, bit) = place_of(entry.key().key_level());
        self.keys[word] |= bit;
        let (key, bytes) = (entry.key().as_str(), entry.encode());
        self.file.write_all(&place.file.to_le_bytes())?;
        self.file.write_all(&place.line.to_le_bytes())?;
        self.file.write_all(&length(key.len())?.to_le_bytes())?;
        self.file.write_all(&length(bytes.len())?.to_le_bytes())?;
        self.file.write_all(key.as_bytes())?;
        self.file.write_all(&bytes)?;
        self.count += 1;
        Ok(())
    }

    /// All records in the order they were parked.
    ///
    /// # Errors
    /// That the file cannot be written to its end, or read from its beginning.
    pub(super) fn into_records(
        self,
    ) -> io::Result<impl Iterator<Item = io::Result<(Entry, Place)>>> {
        let mut file = self.file.into_inner().map_err(io::IntoInnerError::into_error)?;
        file.rewind()?;
        let mut file = BufReader::new(file);
        Ok((0..self.count).map(move |_| read(&mut file)))
    }
}

fn read(file: &mut impl Read) -> io::Result<(Entry, Place)> {
    let mut header = [0; HEADER];
    file.read_exact(&mut header)?;
    let number = |at: usize| u32::from_le_bytes(header[at..at + 4].try_into().expect("four bytes"));
    let line = u64::from_le_bytes(header[4..12].try_into().expect("eight bytes"));
    let mut key = vec![0; number(12) as usize];
    file.read_exact(&mut key)?;
    let mut bytes = vec![0; number(16) as usize];
    file.read_exact(&mut bytes)?;
    let key = String::from_utf8(key).ok().and_then(|key| EntityKey::from_canonical(&key));
    let key = key.ok_or_else(|| io::Error::from(io::ErrorKind::InvalidData))?;
    let entry = Entry::decode(key, &bytes).map_err(io::Error::other)?;
    Ok((entry, Place { file: number(0), line }))
}

fn length(bytes: usize) -> io::Result<u32> {
    u32::try_from(bytes).map_err(io::Error::other)
}

fn place_of(key_level: &str) -> (usize, u64) {
    let hash = BuildHasherDefault::<DefaultHasher>::default().hash_one(key_level);
    let bit = (hash % BITS as u64) as usize;
    (bit / 64, 1 << (bit % 64))
}
