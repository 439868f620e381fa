//! Reads documents of every form, and sorts them by the anchors of their records.
//!
//! ```text
//! file   = dump / json
//! dump   = *stored                                   ; BSON, `dump`
//! json   = any layout of v2, v3 and stored documents ; `fingerpost_exchange::JsonValues`
//! answer = "{" "data": [ *v3 ] "}"                   ; of a running Resolver CE
//! ```

use std::io::{self, Read};
use std::path::Path;

use fingerpost_exchange::{JsonValue, JsonValues, RecordPosition, Sorter};
use fingerpost_registry::Registry;
use fingerpost_resolver::Anchor;
use serde::Deserialize;
use serde_json::Value;

use crate::anchor::locate;
use crate::document::CeDocument;
use crate::dump;
use crate::limits::{MAX_DOCUMENT, SORT_BYTES};
use crate::outcome::{DocumentOutcome, Fate, OutcomeReason, Repair, ReportOutcome, quarantined};
use crate::records::{CeRecords, Incoming};
use crate::stored::StoredKey;
use crate::v2::V2Document;

/// Documents of Resolver CE, which were read to be imported.
pub struct CeDocuments {
    sorter: Sorter,
    report: ReportOutcome,
}

impl CeDocuments {
    /// Creates an empty collection with its temporary file in `scratch`.
    pub fn new(scratch: &Path, report: ReportOutcome) -> CeDocuments {
        CeDocuments { sorter: Sorter::new(scratch, SORT_BYTES), report }
    }

    /// Reads a file of any form. `source` is the index of the file in positions.
    pub fn read(&mut self, source: u32, mut input: impl Read + Send) -> io::Result<()> {
        let mut begin = Vec::new();
        input.by_ref().take(dump::LENGTH_BYTES as u64).read_to_end(&mut begin)?;
        let is_dump = dump::is_dump(&begin);
        let mut input = begin.as_slice().chain(input);
        if is_dump {
            let mut position = RecordPosition { source, line: 0, record: 0 };
            while let Some(value) = dump::next(&mut input)? {
                position = RecordPosition { record: position.record + 1, ..position };
                self.value(position, &value, true)?;
            }
            return Ok(());
        }
        for value in JsonValues::new(input, MAX_DOCUMENT) {
            let JsonValue { line, number, text } = value?;
            let position = RecordPosition { source, line, record: number };
            match text {
                Ok(text) => match serde_json::from_slice(&text) {
                    Ok(value) => self.value(position, &value, false)?,
                    Err(error) => self.refuse(position, None, "RFC 8259", error.to_string(), None),
                },
                Err((problem, line)) => self.refuse(position, None, "RFC 8259", problem, line),
            }
        }
        Ok(())
    }

    /// Reads the answer of a running Resolver CE to the request for one key.
    pub fn read_answer(&mut self, source: u32, number: u64, body: &[u8]) -> io::Result<()> {
        #[derive(Deserialize)]
        struct Documents {
            data: Vec<Value>,
        }
        let position = RecordPosition { source, line: 0, record: number };
        match serde_json::from_slice::<Documents>(body) {
            Ok(Documents { data }) => {
                data.iter().try_for_each(|document| self.value(position, document, true))
            }
            Err(error) => {
                self.refuse(position, None, "answer", error.to_string(), None);
                Ok(())
            }
        }
    }

    /// Reports a key for which a running Resolver CE has no answer.
    pub fn refuse_key(&mut self, source: u32, number: u64, anchor: &str, why: String) {
        let position = RecordPosition { source, line: 0, record: number };
        self.refuse(position, Some(anchor.to_owned()), "answer", why, None);
    }

    /// Returns the records of all documents, in the order of their keys. `registry` has the rules,
    /// and the keys that have a record already.
    pub fn into_records(self, registry: Registry) -> io::Result<CeRecords> {
        Ok(CeRecords::new(self.sorter.sorted()?, registry, self.report))
    }

    fn value(
        &mut self,
        position: RecordPosition,
        value: &Value,
        is_stored: bool,
    ) -> io::Result<()> {
        let is_key = value.get("_id").is_some() && value.get("data").is_some();
        let read = if is_key {
            read::<StoredKey>(value).map(StoredKey::into_documents)
        } else {
            document_of(value).map(|(document, repairs)| {
                vec![Ok(Incoming { document, repairs, is_merged: false, is_stored })]
            })
        };
        // A key is kept once, however many of its sets are wrong.
        let mut line = Some(value);
        for document in read.unwrap_or_else(|why| vec![Err(why)]) {
            match document {
                Ok(document) => self.add(position, &document)?,
                Err(why) => {
                    let line = line.take().map(|value| value.to_string().into_bytes());
                    self.refuse(position, None, "document", why, line);
                }
            }
        }
        Ok(())
    }

    fn add(&mut self, position: RecordPosition, incoming: &Incoming) -> io::Result<()> {
        match locate(&incoming.document) {
            Ok(located) => {
                let key = sort_key(&located.anchor);
                self.sorter.add(&key, &serde_json::to_vec(incoming)?, position)
            }
            Err(fault) => {
                (self.report)(quarantined(position, &incoming.document, vec![fault]));
                Ok(())
            }
        }
    }

    fn refuse(
        &mut self,
        position: RecordPosition,
        anchor: Option<String>,
        id: &str,
        why: String,
        document: Option<Vec<u8>>,
    ) {
        let reasons = vec![OutcomeReason::new(id, why)];
        (self.report)(DocumentOutcome { position, anchor, fate: Fate::Refused, reasons, document });
    }
}

impl std::fmt::Debug for CeDocuments {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("CeDocuments").field("sorter", &self.sorter).finish_non_exhaustive()
    }
}

fn read<'v, T: Deserialize<'v>>(value: &'v Value) -> Result<T, String> {
    T::deserialize(value).map_err(|error| error.to_string())
}

/// Reads a document of version 2 or 3; returns what was repaired.
pub(crate) fn document_of(value: &Value) -> Result<(CeDocument, Vec<Repair>), String> {
    match value.get("identificationKeyType") {
        Some(_) => read::<V2Document>(value).map(V2Document::into_document),
        None => read::<CeDocument>(value).map(|document| (document, Vec::new())),
    }
}

/// Returns a text by which a key comes directly before everything below it.
fn sort_key(anchor: &Anchor) -> String {
    let (key, rest) = anchor.as_str().split_at(anchor.key_level().len());
    format!("{key}\u{1}{rest}")
}
