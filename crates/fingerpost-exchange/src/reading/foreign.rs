//! Reads the files of other programs: each item is a record, or refused with the reason.

use fingerpost_resolver::{Accepted, RecordFault, Refused, Rules, read_record};

use super::{CHUNK_RECORDS, Checked, Chunk, Cutter, Note};
use crate::foreign::{Foreign, Item};
use crate::{ImportError, RecordPosition};

impl Cutter<'_> {
    /// Reads a file of another program; returns whether to go on with the next source.
    pub(super) fn read_foreign(
        &mut self,
        source: u32,
        name: &str,
        foreign: Foreign<'_>,
        rules: &Rules<'_>,
    ) -> bool {
        let mut items = foreign.items.enumerate().peekable();
        while items.peek().is_some() {
            let Some((number, buffer)) = self.permit() else { return false };
            let mut chunk = Chunk::default();
            let mut result = Ok(());
            for (count, item) in items.by_ref().take(CHUNK_RECORDS) {
                match item {
                    Ok(item) => {
                        let record = count as u64 + 1;
                        let position = RecordPosition { source, line: item.0, record };
                        chunk.push(position, judge_item(position, item, rules));
                    }
                    Err(source) => {
                        result = Err(ImportError::Unreadable { name: name.to_owned(), source });
                        break;
                    }
                }
            }
            let is_error = result.is_err();
            let checked = result.map(|()| Checked { number, chunk, buffer });
            if self.checked.send(checked).is_err() || is_error {
                return false;
            }
        }
        true
    }
}

/// Checks an item by itself.
pub(crate) fn judge_item(
    position: RecordPosition,
    (_, item): Item,
    rules: &Rules<'_>,
) -> Result<Accepted, Note> {
    let refused = |anchor, faults, record| Note::Refused { position, anchor, faults, record };
    match item {
        Err(why) => Err(refused(None, vec![RecordFault::new(String::new(), FORMAT, why)], None)),
        Ok(record) => {
            let json = record.to_string().into_bytes();
            read_record(&json, rules).map_err(|Refused { faults, .. }| {
                let anchor = record["anchor"].as_str().map(str::to_owned);
                refused(anchor, faults, Some(json.clone()))
            })
        }
    }
}

/// The id of faults of the format.
const FORMAT: &str = "FORMAT";
