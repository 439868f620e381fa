//! Backups of a store to one file.

use std::fs::File;
use std::io::{self, BufReader, BufWriter, Seek, Write};
use std::path::Path;

use fingerpost_store::{BackupReport, Store, verify_backup};

use super::storage::create_aside;
use crate::failure::Failure;
use crate::text::printable;

/// Writes a backup to a file, and reads it back.
///
/// If this fails, an existing file of that name is then unchanged.
pub fn write_file(store: &Store, file: &Path) -> Result<BackupReport, Failure> {
    let name = printable(&file.to_string_lossy());
    let unwritable = |error: &io::Error| {
        Failure::advise(
            format!("cannot write `{name}`: {error}"),
            "check folder, permissions and space; a backup of that name is as it was",
        )
    };
    let folder = file.parent().filter(|folder| !folder.as_os_str().is_empty());
    let folder = folder.unwrap_or(Path::new("."));
    // In the same folder, so that it can be renamed atomically; readable by its owner only.
    let mut aside = create_aside(folder).map_err(|error| unwritable(&error))?;
    let mut out = BufWriter::new(aside.as_file_mut());
    let report = store.backup(&mut out)?;
    out.flush().map_err(|error| unwritable(&error))?;
    drop(out);
    aside.as_file().sync_all().map_err(|error| unwritable(&error))?;
    aside.rewind().map_err(|error| unwritable(&error))?;
    verify_backup(BufReader::new(aside.as_file())).map_err(|error| {
        Failure::advise(
            format!("what was written to `{name}` reads back wrong: {error}"),
            "check disk and memory of the machine; a backup of that name is as it was",
        )
    })?;
    aside.persist(file).map_err(|error| unwritable(&error.error))?;
    // The name is durable once the folder is.
    File::open(folder).and_then(|folder| folder.sync_all()).map_err(|error| unwritable(&error))?;
    Ok(report)
}
