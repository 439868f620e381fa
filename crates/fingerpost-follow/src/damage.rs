//! Levels that the source cannot read.

use fingerpost_store::copy::{CopyRow, CopyValue};

/// Logs levels that the source cannot read. The copy keeps what it has of them.
pub(crate) fn warn_of_damage(rows: &[CopyRow]) {
    for row in rows.iter().filter(|row| row.value == CopyValue::Damaged) {
        tracing::error!(level = row.level, "the source cannot read this level: repair it there");
    }
}
