//! Hands the records of a spreadsheet over like those of other files. They come checked, because
//! faults lead back to cells.

use fingerpost_resolver::Rules;

use super::{Checked, Chunk, Cutter, Note};
use crate::RecordPosition;
use crate::sheet::{self, RefusedRows, Worksheet};

impl Cutter<'_> {
    /// Reads a spreadsheet; returns whether to go on with the next source.
    pub(super) fn read_sheet(
        &mut self,
        source: u32,
        name: &str,
        sheet: Worksheet<'_>,
        rules: &Rules<'_>,
    ) -> bool {
        let mut count = 0;
        let scratch = self.scratch;
        let read = sheet::read(name, sheet, scratch, rules, &mut |records, bytes| {
            let Some((number, buffer)) = self.permit() else { return false };
            let mut chunk = Chunk { bytes, ..Chunk::default() };
            for (row, result) in records {
                count += 1;
                let position = RecordPosition { source, line: row, record: count };
                let result = result.map_err(|RefusedRows { anchor, faults }| Note::Refused {
                    position,
                    anchor,
                    faults,
                    record: None,
                });
                chunk.push(position, result);
            }
            self.checked.send(Ok(Checked { number, chunk, buffer })).is_ok()
        });
        read.unwrap_or_else(|error| {
            let _ = self.checked.send(Err(error)); // unless nobody wants it
            false
        })
    }
}
