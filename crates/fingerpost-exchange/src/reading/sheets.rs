//! Hands the records of a spreadsheet over like those of other files. They come checked, because faults lead back to cells.

use fingerpost_resolver::{Accepted, Rules};

use super::{Checked, Chunk, Cutter, Note};
use crate::RecordPlace;
use crate::sheet::{self, Sheet, SheetVerdict};

impl Cutter {
    /// Reads a spreadsheet; returns whether to go on with the next source.
    pub(super) fn read_sheet(
        &mut self,
        source: u32,
        name: &str,
        sheet: Sheet<'_>,
        rules: &Rules<'_>,
    ) -> bool {
        let mut count = 0;
        let scratch = sheet.scratch().to_owned();
        let read = sheet::read(name, sheet, &scratch, rules, &mut |records, bytes| {
            let Some((number, buffer)) = self.permit() else { return false };
            let mut chunk = Chunk { bytes, ..Chunk::default() };
            for (row, verdict) in records {
                count += 1;
                let place = RecordPlace { source, line: row, record: count };
                chunk.push(
                    place,
                    match verdict {
                        SheetVerdict::Accepted { entry, warnings } => {
                            Ok(Accepted { entry, warnings })
                        }
                        SheetVerdict::Refused { anchor, faults } => {
                            Err(Note::Refused { place, anchor, faults, record: None })
                        }
                    },
                );
            }
            self.checked.send(Ok(Checked { number, chunk, buffer })).is_ok()
        });
        read.unwrap_or_else(|error| {
            let _ = self.checked.send(Err(error)); // unless nobody wants it
            false
        })
    }
}
