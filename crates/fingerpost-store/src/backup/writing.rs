//! Writes a backup.

use std::collections::BTreeMap;
use std::io::{self, BufWriter, Write};

use fingerpost_engine::{ALL_KEYS, CheckedRows, Direction, Snapshot, Table};
use flate2::Compression;
use flate2::write::GzEncoder;
use sha2::{Digest, Sha256};

use super::{AT_ONCE, BackupError, BackupReport, FRAME, HEADER, TRAILER, Trailer};
use crate::format::Hash;
use crate::view::View;
use crate::{Store, StoreError};

impl Store {
    /// Writes one snapshot of the whole store, after [`Store::check_pages`]; others can read and
    /// write the store meanwhile. This flushes `out`; making it durable is up to the caller.
    ///
    /// During a long backup, the space of replaced data cannot be reused.
    ///
    /// ```no_run
    /// # use fingerpost_store::{Store, StoreOptions, verify_backup};
    /// # use std::fs::File;
    /// # use std::io::BufReader;
    /// # fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// # let store = Store::open("data".as_ref(), StoreOptions::default())?;
    /// let file = File::create("backup.fpb")?;
    /// let written = store.backup(&file)?;
    /// file.sync_all()?;
    /// assert_eq!(verify_backup(BufReader::new(File::open("backup.fpb")?))?, written);
    /// let options = StoreOptions::default();
    /// let backup = BufReader::new(File::open("backup.fpb")?);
    /// let restored = Store::restore(backup, "restored".as_ref(), options)?;
    /// assert!(restored.check().is_sound());
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// Fails with [`BackupError::Store`] if the store cannot be read or is a [copy](crate::copy),
    /// which has no history, [`BackupError::Io`] if `out` cannot be written.
    pub fn backup(&self, out: impl Write) -> Result<BackupReport, BackupError> {
        if self.copy_state()?.is_some() {
            return Err(StoreError::IsCopy { location: self.location().to_owned() }.into());
        }
        self.check_pages()?;
        let engine = self.raw_engine();
        let rows = &*engine.snapshot()?;
        let mut stream = Stream::begin(HEADER, out)?;
        let counts = write_rows(rows, &mut stream)?;
        let rows = CheckedRows(rows);
        let view = View::reading(engine.location(), &rows);
        let revision = view.revision()?.number();
        let trailer = Trailer { rows: counts, revision, audit: view.audit_head()?.to_string() };
        stream.end(trailer)
    }
}

/// Writes the rows of all tables as they are stored; returns how many there are of each.
fn write_rows<W: Write>(
    rows: &dyn Snapshot,
    stream: &mut Stream<W>,
) -> Result<BTreeMap<String, u64>, BackupError> {
    let mut counts = BTreeMap::new();
    for (number, table) in (1_u8..).zip(Table::ALL) {
        let mut count = 0;
        for row in rows.range(table, ALL_KEYS, Direction::Forward)? {
            let (key, value) = row?;
            stream.frame(number, &key, &value)?;
            count += 1;
        }
        counts.insert(table.name().to_owned(), count);
    }
    Ok(counts)
}

/// The output, hashed while it is written.
pub(super) struct Stream<W: Write> {
    hasher: Sha256,
    bytes: u64,
    /// Buffered, because each write begins a run of the encoder.
    out: BufWriter<GzEncoder<W>>,
}

impl<W: Write> Stream<W> {
    /// Writes the first line.
    pub(super) fn begin(header: &[u8], mut out: W) -> Result<Self, BackupError> {
        out.write_all(header)?;
        let encoder = GzEncoder::new(out, Compression::fast());
        Ok(Self {
            hasher: Sha256::new_with_prefix(header),
            bytes: header.len() as u64,
            out: BufWriter::with_capacity(AT_ONCE, encoder),
        })
    }

    pub(super) fn end(mut self, trailer: Trailer) -> Result<BackupReport, BackupError> {
        let json = serde_json::to_vec(&trailer).expect("texts and numbers are JSON");
        self.frame(TRAILER, &[], &json)?;
        let hash: Hash = self.hasher.finalize().into();
        self.out.write_all(&hash)?;
        let encoder = self.out.into_inner().map_err(io::IntoInnerError::into_error)?;
        encoder.finish()?.flush()?;
        BackupReport::new(trailer, self.bytes, hash)
    }

    pub(super) fn frame(
        &mut self,
        number: u8,
        key: &[u8],
        value: &[u8],
    ) -> Result<(), BackupError> {
        let length = |bytes: &[u8]| {
            u32::try_from(bytes.len()).map(u32::to_le_bytes).map_err(|_| {
                io::Error::new(io::ErrorKind::InvalidData, "a value is longer than 4 GiB")
            })
        };
        let mut head = [0; FRAME];
        let (first, lengths) = head.split_at_mut(1);
        first.copy_from_slice(&[number]);
        let (of_key, of_value) = lengths.split_at_mut(4);
        of_key.copy_from_slice(&length(key)?);
        of_value.copy_from_slice(&length(value)?);
        for part in [&head[..], key, value] {
            self.hasher.update(part);
            self.out.write_all(part)?;
            self.bytes += part.len() as u64;
        }
        Ok(())
    }
}
