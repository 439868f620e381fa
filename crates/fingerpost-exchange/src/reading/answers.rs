//! Reads the answers of a resolver that is asked for one identifier after another: linksets of a
//! key and the levels above it.

use std::collections::HashSet;
use std::hash::{BuildHasher, RandomState};
use std::io;

use fingerpost_gs1::EntityKey;
use fingerpost_resolver::{Accepted, RecordFault, Rules, write_record};

use super::{Checked, Chunk, Cutter, Note, READ_BYTES, anchor, judge, on_one_line};
use crate::limits::MAX_REMEMBERED;
use crate::source::{Answers, IdentifierAnswer};
use crate::split::{Content, Piece, Splitter};
use crate::{ImportError, RecordPosition};

/// The position of the records of a source.
struct Positions {
    source: u32,
    /// The number of records so far.
    records: u64,
    /// Hashes of recent records: each lot brings its product.
    recent: HashSet<u64>,
    hasher: RandomState,
}

impl Cutter<'_> {
    /// Reads answers until there are no more; returns whether to go on with the next source.
    pub(super) fn read_answers(
        &mut self,
        source: u32,
        name: &str,
        answers: Answers<'_>,
        rules: &Rules<'_>,
    ) -> bool {
        let hasher = RandomState::new();
        let mut positions = Positions { source, records: 0, recent: HashSet::new(), hasher };
        for answer in answers {
            let Some((number, buffer)) = self.permit() else { return false };
            let checked = match answer {
                Ok(answer) => Ok(Checked { number, chunk: positions.read(&answer, rules), buffer }),
                Err(source) => Err(ImportError::Unreadable { name: name.to_owned(), source }),
            };
            let is_error = checked.is_err();
            if self.checked.send(checked).is_err() || is_error {
                return false;
            }
        }
        true
    }
}

impl Positions {
    fn next(&mut self, line: u64) -> RecordPosition {
        self.records += 1;
        RecordPosition { source: self.source, line, record: self.records }
    }

    fn read(&mut self, answer: &IdentifierAnswer, rules: &Rules<'_>) -> Chunk {
        let mut chunk = Chunk::default();
        let refusal = |position, asked: Option<String>, fault| {
            Err(Note::Refused { position, anchor: asked, faults: vec![fault], record: None })
        };
        let (key, linkset) = match &answer.linkset {
            Ok(linkset) => linkset,
            Err((asked, fault)) => {
                let position = self.next(answer.line);
                chunk.push(position, refusal(position, asked.clone(), fault.clone()));
                return chunk;
            }
        };
        chunk.bytes = linkset.len() as u64;
        let mut found = Vec::new();
        let result = self.contexts(answer.line, key, linkset, rules, &mut found, &mut chunk);
        // Reading from memory does not fail.
        if found.is_empty() && chunk.notes.is_empty() && result.is_ok() {
            let position = self.next(answer.line);
            let fault = RecordFault::new(
                String::new(),
                LINKSET,
                "expected a linkset with links, found an empty one",
            );
            chunk.push(position, refusal(position, Some(format!("/{key}")), fault));
        }
        chunk
    }

    /// Reads the context objects of a linkset.
    fn contexts(
        &mut self,
        line: u64,
        key: &EntityKey,
        linkset: &[u8],
        rules: &Rules<'_>,
        found: &mut Vec<String>,
        chunk: &mut Chunk,
    ) -> io::Result<()> {
        let mut splitter = Splitter::new(linkset, READ_BYTES.min(linkset.len()));
        while let Some(Piece { content, column, .. }) = splitter.next()? {
            let position = self.next(line);
            let json = match content {
                Content::Context(json) => json,
                Content::Line(_) | Content::Record(_) => {
                    let message = "expected a linkset, found other JSON";
                    let fault = RecordFault::new(String::new(), LINKSET, message);
                    let asked = Some(format!("/{key}"));
                    let faults = vec![fault];
                    chunk.push(
                        position,
                        Err(Note::Refused { position, anchor: asked, faults, record: None }),
                    );
                    continue;
                }
                Content::Refused(problem) => {
                    chunk.push(position, Err(Note::Unreadable { position, problem, line: None }));
                    continue;
                }
            };
            let judged = judge(position, column, Content::Context(json), rules);
            let Ok(Accepted { entry, warnings }) = judged else {
                chunk.push(position, judged);
                continue;
            };
            let text = entry.anchor().as_str();
            let is_repeated = found.iter().any(|known| known == text);
            if let Some(fault) = misplaced(text, key, is_repeated) {
                let (anchor, record) = (anchor(json), on_one_line(json, true));
                let faults = vec![fault];
                chunk.push(
                    position,
                    Err(Note::Refused { position, anchor, faults, record: Some(record) }),
                );
                continue;
            }
            found.push(text.to_owned());
            if self.recent.len() == MAX_REMEMBERED {
                self.recent.clear(); // what is repeated from here on is reported as superseded
            }
            let is_new = self.recent.insert(self.hasher.hash_one(write_record(&entry)));
            if is_new {
                chunk.push(position, Ok(Accepted { entry, warnings }));
            }
        }
        Ok(())
    }
}

/// Returns the fault of a context object that is not the first one of a level of the key.
fn misplaced(anchor: &str, key: &EntityKey, is_repeated: bool) -> Option<RecordFault> {
    let message = if !key.levels().any(|level| level == anchor) {
        format!("expected links of /{key} and the levels above it, found some of /{anchor}")
    } else if is_repeated {
        format!(
            "expected the links of /{anchor} in one object (RFC 9264, section 4.2.1), found another one"
        )
    } else {
        return None;
    };
    Some(RecordFault::new("/anchor".to_owned(), LEVELS, message))
}

/// A request for a linkset gets one.
const LINKSET: &str = "RES-2.9-1";

/// It has the links of the levels of the key.
const LEVELS: &str = "RES-2.9-4";
