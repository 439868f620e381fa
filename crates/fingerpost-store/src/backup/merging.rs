//! Reads a full backup and backups of changes, each on top of the one before, as the rows of one
//! store, in order.

use std::io::BufRead;
use std::mem;

use fingerpost_engine::Table;

use super::changes::{CHANGES, GONE, HEAD, Head, SAME};
use super::reading::{BackupRow, Contents, Frames, Full, Source};
use super::{BackupError, BackupReport, TRAILER, Trailer};

/// Reads a backup to its end and verifies all of it, including its audit chain.
///
/// Fails with [`BackupError::Damaged`] if it is damaged, truncated, or not a backup;
/// [`BackupError::Io`] if it cannot be read.
pub fn verify_backup(backup: impl BufRead) -> Result<BackupReport, BackupError> {
    read_chain([backup], |_| Ok(()))
}

/// Reads a full backup and backups of changes on top of it to their ends, and verifies them
/// together.
pub fn verify_backup_chain<R: BufRead>(
    backups: impl IntoIterator<Item = R>,
) -> Result<BackupReport, BackupError> {
    read_chain(backups, |_| Ok(()))
}

/// Reads a chain of backups, the full one first, to their ends, verifies them, and passes on the
/// rows of the last state. The rows are verified only when this has returned.
pub(super) fn read_chain<R: BufRead>(
    backups: impl IntoIterator<Item = R>,
    mut row: impl FnMut(BackupRow) -> Result<(), BackupError>,
) -> Result<BackupReport, BackupError> {
    let mut backups = backups.into_iter();
    let first = backups.next().ok_or_else(|| BackupError::damaged("there is none"))?;
    let mut full = Full::open(first)?;
    let mut changes = backups.peekable();
    if changes.peek().is_none() {
        while let Some(taken) = full.next()? {
            row(taken)?;
        }
        return full.report();
    }
    let mut source: Box<dyn Source + '_> = Box::new(full);
    for backup in changes {
        source = Box::new(Merged::open(source, backup)?);
    }
    let mut contents = Contents::default();
    while let Some(taken) = source.next()? {
        if let Err(error) = contents.take(taken.table, &taken.key, &taken.value) {
            // An error that the contents of a damaged file cause, such as a newer format, does not
            // describe the damage.
            while source.next()?.is_some() {}
            return Err(error);
        }
        row(taken)?;
    }
    let report = source.report()?;
    contents.compare(&report.trailer)?;
    Ok(report)
}

/// What a frame of changes does with a row.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Deed {
    Put,
    Gone,
    Same,
}

/// A backup of changes on top of other rows.
struct Merged<'s, R: BufRead> {
    base: Box<dyn Source + 's>,
    /// The next row of the base, and of the changes.
    row: Option<BackupRow>,
    change: Option<(Deed, BackupRow)>,
    has_begun: bool,
    frames: Frames<R>,
    head: Head,
    whole: [bool; Table::ALL.len()],
    /// The table and key of the last frame.
    last: Option<(Table, Vec<u8>)>,
    report: Option<BackupReport>,
}

impl<'s, R: BufRead> Merged<'s, R> {
    fn open(base: Box<dyn Source + 's>, changes: R) -> Result<Self, BackupError> {
        let mut frames = Frames::open(changes, CHANGES)?;
        let malformed = || BackupError::damaged("its head is malformed");
        let (number, key, value) = frames.next()?;
        if number != HEAD || !key.is_empty() {
            return Err(malformed());
        }
        let head: Head = serde_json::from_slice(&value).map_err(|_| malformed())?;
        let mut whole = [false; Table::ALL.len()];
        for name in &head.whole {
            let table = Table::ALL.into_iter().find(|table| table.name() == name);
            whole[table.ok_or_else(malformed)?.index()] = true;
        }
        Ok(Self {
            base,
            row: None,
            change: None,
            has_begun: false,
            frames,
            head,
            whole,
            last: None,
            report: None,
        })
    }

    /// Reads the next row of the base; at its end, compares it with the one that the changes are
    /// based on.
    fn next_row(&mut self) -> Result<(), BackupError> {
        self.row = self.base.next()?;
        if self.row.is_none() {
            let report = self.base.report()?;
            let found =
                (report.revision().number(), report.trailer.audit.as_str(), report.digest());
            if found != (self.head.revision, self.head.audit.as_str(), self.head.digest.clone()) {
                return Err(BackupError::damaged(
                    "its changes are based on another backup than the one before it",
                ));
            }
        }
        Ok(())
    }

    /// Reads the next frame of the changes.
    fn next_change(&mut self) -> Result<(), BackupError> {
        let (number, key, value) = self.frames.next()?;
        if number == TRAILER {
            let digest = self.frames.end()?;
            let trailer: Trailer = serde_json::from_slice(&value)
                .map_err(|_| BackupError::damaged("its trailer is malformed"))?;
            self.report = Some(BackupReport::new(trailer, self.frames.bytes(), digest)?);
            self.change = None;
            return Ok(());
        }
        let malformed = || BackupError::damaged("a frame is malformed");
        let deed = match number & (GONE | SAME) {
            0 => Deed::Put,
            GONE => Deed::Gone,
            SAME => Deed::Same,
            _ => return Err(malformed()),
        };
        let index = usize::from(number & !(GONE | SAME)).checked_sub(1);
        let table = index.and_then(|index| Table::ALL.get(index)).copied().ok_or_else(malformed)?;
        let is_next = |(last, before): &(Table, Vec<u8>)| (*last, before) < (table, &key);
        if key.is_empty() || !self.last.as_ref().is_none_or(is_next) {
            return Err(BackupError::damaged("its rows are out of order"));
        }
        self.last = Some((table, key.clone()));
        self.change = Some((deed, BackupRow { table, key, value }));
        Ok(())
    }

    /// Takes the next row of the base.
    fn take_row(&mut self) -> Result<Option<BackupRow>, BackupError> {
        let row = self.row.take();
        self.next_row()?;
        Ok(row)
    }
}

impl<R: BufRead> Source for Merged<'_, R> {
    fn next(&mut self) -> Result<Option<BackupRow>, BackupError> {
        if !mem::replace(&mut self.has_begun, true) {
            self.next_row()?;
            self.next_change()?;
        }
        loop {
            let (row, change) = (self.row.as_ref(), self.change.as_ref().map(|(_, taken)| taken));
            let order = match (row, change) {
                (None, None) => return Ok(None),
                (Some(_), None) => std::cmp::Ordering::Less,
                (None, Some(_)) => std::cmp::Ordering::Greater,
                (Some(row), Some(change)) => {
                    (row.table, &row.key).cmp(&(change.table, &change.key))
                }
            };
            if order.is_lt() {
                let row = self.take_row()?;
                match row {
                    Some(row) if self.whole[row.table.index()] => continue, // deleted
                    row => return Ok(row),
                }
            }
            let Some((deed, change)) = self.change.take() else { continue };
            self.next_change()?;
            let row = if order.is_eq() { self.take_row()? } else { None };
            match deed {
                Deed::Put => return Ok(Some(change)),
                Deed::Gone => {}
                Deed::Same if row.is_some() => return Ok(row),
                Deed::Same => {
                    return Err(BackupError::damaged(
                        "it keeps a row that the backup before it does not have",
                    ));
                }
            }
        }
    }

    fn report(&mut self) -> Result<BackupReport, BackupError> {
        self.report.clone().ok_or_else(|| BackupError::damaged("it is cut off"))
    }
}
