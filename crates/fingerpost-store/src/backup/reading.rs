//! Reads a backup and verifies it.

use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Chain, Read};

use fingerpost_engine::checksum::{FIRST_WITH_CHECKSUMS, verified};
use fingerpost_engine::format::{FORMAT, FORMAT_KEY, parse_format};
use fingerpost_engine::{Bytes, EngineError, MAX_KEY, Table};
use flate2::bufread::GzDecoder;
use sha2::{Digest, Sha256};

use super::changes::CHANGES;
use super::{AT_ONCE, BackupError, BackupReport, FRAME, GZIP, HEADER, NAME, TRAILER, Trailer};
use crate::AuditHead;
use crate::audit::record_hash;
use crate::format::{Hash, REVISION_KEY, parse_revision};
use crate::limits::MAX_BACKUP_VALUE;
use crate::{Revision, StoreError};

/// Length of the beginning of the first line of a backup of changes that has no version.
const CHANGES_NAME: usize = "fingerpost-changes".len();

/// A row that was read.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct BackupRow {
    pub(super) table: Table,
    pub(super) key: Vec<u8>,
    pub(super) value: Vec<u8>,
}

/// Rows in order.
pub(super) trait Source {
    /// Returns the next row. They are verified only when there is none left.
    fn next(&mut self) -> Result<Option<BackupRow>, BackupError>;

    /// Returns what was read, after the last row.
    fn report(&mut self) -> Result<BackupReport, BackupError>;
}

/// A full backup.
pub(super) struct Full<R: BufRead> {
    frames: Frames<R>,
    contents: Contents,
    report: Option<BackupReport>,
}

impl<R: BufRead> Full<R> {
    pub(super) fn open(backup: R) -> Result<Self, BackupError> {
        let frames = Frames::open(backup, HEADER)?;
        Ok(Self { frames, contents: Contents::default(), report: None })
    }
}

impl<R: BufRead> Source for Full<R> {
    fn next(&mut self) -> Result<Option<BackupRow>, BackupError> {
        let (number, key, value) = self.frames.next()?;
        if number == TRAILER {
            let digest = self.frames.end()?;
            let trailer = serde_json::from_slice(&value);
            let trailer = trailer.map_err(|_| BackupError::damaged("its trailer is malformed"))?;
            self.contents.compare(&trailer)?;
            self.report = Some(BackupReport::new(trailer, self.frames.bytes(), digest)?);
            return Ok(None);
        }
        let table = Table::ALL.get(usize::from(number) - 1).copied();
        let table = table.ok_or_else(|| BackupError::damaged("a frame is malformed"))?;
        let taken = self.contents.take(table, &key, &value);
        taken.map_err(|error| self.frames.stream.unless_damaged(error))?;
        Ok(Some(BackupRow { table, key, value }))
    }

    fn report(&mut self) -> Result<BackupReport, BackupError> {
        self.report.clone().ok_or_else(|| BackupError::damaged("it is cut off"))
    }
}

/// The frames of a backup.
pub(super) struct Frames<R: BufRead> {
    stream: Stream<R>,
}

impl<R: BufRead> Frames<R> {
    /// Reads the first line, which must be `header`.
    pub(super) fn open(mut backup: R, header: &'static [u8]) -> Result<Self, BackupError> {
        let mut line = Vec::with_capacity(header.len());
        let first = backup.by_ref().take(header.len() as u64).read_until(b'\n', &mut line);
        first.map_err(|error| unreadable(&error))?;
        if line != header {
            let is_whole = line.ends_with(b"\n");
            let detail = match () {
                () if line.starts_with(&CHANGES[..CHANGES_NAME]) && header == HEADER => {
                    "it has only what changed since another one: restore it from its repository"
                }
                () if line.starts_with(NAME) && is_whole => "it has another format",
                () if header.starts_with(&line) => "it is cut off",
                () => "it is no backup of a store",
            };
            return Err(BackupError::damaged(detail));
        }
        let mut packed = [0; GZIP.len()];
        backup.read_exact(&mut packed).map_err(|error| unreadable(&error))?;
        if packed != *GZIP {
            return Err(BackupError::damaged("its gzip header is not that of a backup"));
        }
        let stream = Stream {
            hasher: Sha256::new_with_prefix(header),
            bytes: header.len() as u64,
            input: BufReader::with_capacity(AT_ONCE, GzDecoder::new(GZIP.chain(backup))),
        };
        Ok(Self { stream })
    }

    /// Returns the next frame: its number, key and value.
    pub(super) fn next(&mut self) -> Result<(u8, Vec<u8>, Vec<u8>), BackupError> {
        let (mut key, mut value) = (Vec::new(), Vec::new());
        let number = self.stream.frame(&mut key, &mut value)?;
        Ok((number, key, value))
    }

    /// Checks that everything ends after the trailer; returns the digest.
    pub(super) fn end(&mut self) -> Result<Hash, BackupError> {
        self.stream.end()
    }

    pub(super) fn bytes(&self) -> u64 {
        self.stream.bytes
    }
}

fn unreadable(error: &std::io::Error) -> BackupError {
    match error.kind() {
        std::io::ErrorKind::UnexpectedEof => BackupError::damaged("it is cut off"),
        std::io::ErrorKind::InvalidData | std::io::ErrorKind::InvalidInput => {
            BackupError::damaged(error.to_string())
        }
        kind => BackupError::Io(std::io::Error::new(kind, error.to_string())),
    }
}

/// The input, hashed while it is read.
struct Stream<R: BufRead> {
    hasher: Sha256,
    bytes: u64,
    /// Buffered, because each read of the decoder moves its window of 32 KiB.
    input: BufReader<GzDecoder<Chain<&'static [u8], R>>>,
}

impl<R: BufRead> Stream<R> {
    /// Reads a frame; returns its number.
    fn frame(&mut self, key: &mut Vec<u8>, value: &mut Vec<u8>) -> Result<u8, BackupError> {
        let mut head = Vec::with_capacity(FRAME);
        self.part(FRAME, &mut head)?;
        let [number, k0, k1, k2, k3, v0, v1, v2, v3] = head[..] else {
            return Err(BackupError::damaged("it is cut off"));
        };
        let length = |bytes| usize::try_from(u32::from_le_bytes(bytes)).unwrap_or(usize::MAX);
        let (of_key, of_value) = (length([k0, k1, k2, k3]), length([v0, v1, v2, v3]));
        if of_key > MAX_KEY || of_value > MAX_BACKUP_VALUE {
            return Err(BackupError::damaged("a frame is malformed"));
        }
        self.part(of_key, key)?;
        self.part(of_value, value)?;
        Ok(number)
    }

    /// Reads `length` bytes. Memory grows with the data that is read, not with the announced
    /// length.
    fn part(&mut self, length: usize, bytes: &mut Vec<u8>) -> Result<(), BackupError> {
        bytes.clear();
        bytes.reserve(length.min(AT_ONCE));
        let mut part = self.input.by_ref().take(length as u64);
        part.read_to_end(bytes).map_err(|error| unreadable(&error))?;
        if bytes.len() < length {
            return Err(BackupError::damaged("it is cut off"));
        }
        self.hasher.update(&*bytes);
        self.bytes += length as u64;
        Ok(())
    }

    /// Returns `error` if the checksum in the gzip trailer is right, otherwise an error about
    /// damage.
    fn unless_damaged(&mut self, error: BackupError) -> BackupError {
        match std::io::copy(&mut self.input, &mut std::io::sink()) {
            Ok(_) => error,
            Err(error) => unreadable(&error),
        }
    }

    /// Compares the hash, which it returns, and checks that the stream and the file end here.
    fn end(&mut self) -> Result<Hash, BackupError> {
        let expected: Hash = std::mem::take(&mut self.hasher).finalize().into();
        let mut rest = Vec::new();
        let mut part = self.input.by_ref().take(33);
        part.read_to_end(&mut rest).map_err(|error| unreadable(&error))?;
        if rest != expected[..] {
            return Err(BackupError::damaged("its hash is not that of its contents"));
        }
        let after =
            self.input.get_mut().get_mut().fill_buf().map_err(|error| unreadable(&error))?;
        if !after.is_empty() {
            return Err(BackupError::damaged("something follows after its end"));
        }
        Ok(expected)
    }
}

/// Counts of the rows read so far, to compare with the trailer.
#[derive(Default)]
pub(super) struct Contents {
    counts: [u64; Table::ALL.len()],
    /// The last row.
    last: Option<(Table, Vec<u8>)>,
    revision: Revision,
    head: AuditHead,
    /// Whether rows have checksums.
    has_checksums: bool,
}

impl Contents {
    pub(super) fn take(
        &mut self,
        table: Table,
        key: &[u8],
        value: &[u8],
    ) -> Result<(), BackupError> {
        let is_next = |(last, before): &(Table, Vec<u8>)| (*last, &**before) < (table, key);
        if key.is_empty() || !self.last.as_ref().is_none_or(is_next) {
            return Err(BackupError::damaged("its rows are out of order"));
        }
        self.last = Some((table, key.to_owned()));
        self.counts[table.index()] += 1;
        match table {
            Table::Meta if key == FORMAT_KEY => match parse_format(value) {
                Some(found) if found > FORMAT => {
                    return Err(EngineError::NewerFormat { found, supported: FORMAT }.into());
                }
                Some(found) => self.has_checksums = found >= FIRST_WITH_CHECKSUMS,
                None => return Err(BackupError::damaged("the format of its store is malformed")),
            },
            Table::Meta if key == REVISION_KEY => {
                let value = self.value(table, key, value)?;
                self.revision = parse_revision(&value).unwrap_or_default();
            }
            Table::Audit => {
                let seq = self.head.seq + 1;
                let value = &self.value(table, key, value)?;
                let record = value.split_first_chunk::<32>();
                let record = record.filter(|_| *key == seq.to_be_bytes());
                let hash =
                    record.filter(|(hash, json)| record_hash(&self.head.hash, json) == **hash);
                let Some((hash, _)) = hash else {
                    return Err(BackupError::damaged(format!(
                        "audit record {seq} is not in the chain"
                    )));
                };
                self.head = AuditHead { seq, hash: *hash };
            }
            _ => {}
        }
        Ok(())
    }

    /// Returns a value without its checksum.
    fn value<'v>(
        &self,
        table: Table,
        key: &[u8],
        value: &'v [u8],
    ) -> Result<Bytes<'v>, BackupError> {
        let value = Bytes::Borrowed(value);
        if !self.has_checksums {
            return Ok(value);
        }
        verified(table, key, value)
            .map_err(|error| BackupError::damaged(StoreError::from(error).to_string()))
    }

    pub(super) fn compare(&self, trailer: &Trailer) -> Result<(), BackupError> {
        let counts = Table::ALL.into_iter().zip(self.counts);
        let counts = counts.map(|(table, count)| (table.name().to_owned(), count));
        let found = Trailer {
            rows: counts.collect::<BTreeMap<_, _>>(),
            revision: self.revision.number(),
            audit: self.head.to_string(),
        };
        if found != *trailer {
            return Err(BackupError::damaged("its trailer does not fit its rows"));
        }
        Ok(())
    }
}
