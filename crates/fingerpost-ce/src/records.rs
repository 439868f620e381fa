//! The records of documents, in the order of their keys: the documents of one anchor become one
//! record, and a key without a document gets one.

use std::collections::VecDeque;
use std::io;

use fingerpost_exchange::{RecordPosition, Sorted, SortedValue};
use fingerpost_registry::{Caller, Registry};
use fingerpost_resolver::{Anchor, AnchorForm, read_record};
use serde::{Deserialize, Serialize};

use crate::anchor::{RecordAnchor, locate};
use crate::document::{CeDocument, CeQualifier};
use crate::level::find;
use crate::limits::MAX_MERGED_BYTES;
use crate::merge::{Wins, merge};
use crate::outcome::{DocumentOutcome, Fate, OutcomeReason, Repair, ReportOutcome, quarantined};
use crate::record::RecordDraft;

/// Records for an import, as JSON on one line each, with the positions of their documents.
pub struct CeRecords {
    sorted: Sorted,
    /// The first document of the next anchor.
    ahead: Option<SortedValue>,
    registry: Registry,
    report: ReportOutcome,
    ready: VecDeque<(RecordPosition, Vec<u8>)>,
    key: KeyState,
}

/// What is known about the last key.
#[derive(Debug, Default)]
struct KeyState {
    key: String,
    /// Whether its own record is imported or quarantined.
    is_in: Option<bool>,
    /// Whether it has a record of any value, all of which come before its other records.
    has_any: bool,
}

/// A document as it is sorted.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Incoming {
    pub(crate) document: CeDocument,
    pub(crate) repairs: Vec<Repair>,
    /// Whether it was merged from several documents.
    pub(crate) is_merged: bool,
    /// Whether it comes from a store, where the first of several documents is served.
    pub(crate) is_stored: bool,
}

/// A document of one anchor.
struct Member {
    position: RecordPosition,
    original: Incoming,
    /// With the placeholders of its record.
    document: CeDocument,
    qualifiers: Vec<CeQualifier>,
}

impl CeRecords {
    pub(crate) fn new(sorted: Sorted, registry: Registry, report: ReportOutcome) -> CeRecords {
        let (ready, key) = (VecDeque::new(), KeyState::default());
        CeRecords { sorted, ahead: None, registry, report, ready, key }
    }

    /// Converts the documents of the next anchor; returns whether there were any.
    fn convert_next(&mut self) -> io::Result<bool> {
        let Some((located, mut members)) = self.next_members()? else { return Ok(false) };
        // Documents of the anchor itself come before those of qualifier sets that it stands for.
        members.sort_by_key(|member| member.is_reduced());
        let mut members = members.into_iter();
        let Some(mut first) = members.next() else { return Ok(true) };
        let mut merged = first.document.clone();
        let mut joined = Vec::new();
        for mut member in members {
            if member.qualifiers == first.qualifiers {
                let wins = if member.original.is_stored { Wins::First } else { Wins::Later };
                merge(&mut merged, member.document.clone(), wins);
                (first.original.is_merged, member.original.is_merged) = (true, true);
            } else if member.document.links != merged.links {
                // Both have a default link, and only one can be served.
                let fault = format!("{} has other links for the same scans", first.shown());
                self.quarantine(&member, vec![OutcomeReason::new("same-scans", fault)]);
                continue;
            }
            joined.push(member);
        }
        joined.insert(0, first);
        self.register(&located, &merged, &mut joined)?;
        Ok(true)
    }

    /// Reads the documents of the next anchor.
    fn next_members(&mut self) -> io::Result<Option<(RecordAnchor, Vec<Member>)>> {
        let first = match self.ahead.take() {
            Some(first) => first,
            None => match self.sorted.next().transpose()? {
                Some(first) => first,
                None => return Ok(None),
            },
        };
        let (located, member) = Member::read(&first)?;
        let (mut members, mut bytes) = (vec![member], first.value.len());
        while let Some(next) = self.sorted.next().transpose()? {
            if next.key != first.key {
                self.ahead = Some(next);
                break;
            }
            let (_, member) = Member::read(&next)?;
            bytes += next.value.len();
            if bytes <= MAX_MERGED_BYTES {
                members.push(member);
                continue;
            }
            let fault =
                format!("more than {MAX_MERGED_BYTES} bytes of documents for the same scans");
            self.quarantine(&member, vec![OutcomeReason::new("same-scans", fault)]);
        }
        Ok(Some((located, members)))
    }

    /// Makes the record of an anchor, and reports the outcomes of its documents.
    fn register(
        &mut self,
        located: &RecordAnchor,
        merged: &CeDocument,
        members: &mut [Member],
    ) -> io::Result<()> {
        self.key.enter(located.anchor.key_level());
        let is_any = located.anchor.form() == AnchorForm::Any;
        if !is_any && self.key.has_any && members[0].is_reduced() {
            let message = "a document of any value has other links for some of its scans";
            let fault = vec![OutcomeReason::new("same-scans", message)];
            members.iter().for_each(|member| self.quarantine(member, fault.clone()));
            return Ok(());
        }
        let mut found = Vec::new();
        let draft =
            RecordDraft::new(merged, &located.anchor, &mut found).map_err(|fault| vec![fault]);
        let checked = draft.and_then(|draft| Ok((self.check(draft.to_json())?, draft)));
        let record = match checked {
            Ok((json, draft)) if !located.anchor.is_key_level() => {
                self.with_key(members, &draft)?.map(|()| json)
            }
            checked => {
                if located.anchor.is_key_level() {
                    self.key.is_in = Some(checked.is_ok());
                }
                checked.map(|(json, _)| json)
            }
        };
        self.key.has_any |= is_any && record.is_ok();
        match record {
            Ok(json) => {
                let position = members.last().map_or_else(Default::default, |m| m.position);
                self.ready.push_back((position, json));
                for member in members {
                    member.note(&found);
                    (self.report)(member.outcome());
                }
            }
            Err(faults) => members.iter().for_each(|m| self.quarantine(m, faults.clone())),
        }
        Ok(())
    }

    /// Makes sure that the key of a record has one (RES-2.5.9-1).
    fn with_key(
        &mut self,
        members: &mut [Member],
        draft: &RecordDraft,
    ) -> io::Result<Result<(), Vec<OutcomeReason>>> {
        let key = &self.key.key;
        if self.key.is_in == Some(true) || self.has_record(key)? {
            self.key.is_in = Some(true);
            return Ok(Ok(()));
        }
        if self.key.is_in == Some(false) {
            let message = format!("the document of /{key} itself is quarantined: correct it first");
            return Ok(Err(vec![OutcomeReason::new("key-quarantined", message)]));
        }
        let Some(of_key) = draft.of_key(key) else {
            let message = format!("expected a document of /{key} itself, found none");
            return Ok(Err(vec![OutcomeReason::new("RES-2.5.9-1", message)]));
        };
        match self.check(of_key.to_json()) {
            Ok(of_key) => self.ready.push_back((members[0].position, of_key)),
            Err(faults) => return Ok(Err(faults)),
        }
        members.iter_mut().for_each(|member| member.original.repairs.push(Repair::KeyRecord));
        self.key.is_in = Some(true);
        Ok(Ok(()))
    }

    fn check(&self, json: Vec<u8>) -> Result<Vec<u8>, Vec<OutcomeReason>> {
        match read_record(&json, &self.registry.rules()) {
            Ok(_) => Ok(json),
            Err(refused) => Err(refused
                .faults
                .iter()
                .map(|fault| {
                    let message = format!("{}: {}", fault.pointer(), fault.message());
                    OutcomeReason::new(fault.id(), message)
                })
                .collect()),
        }
    }

    fn has_record(&self, key: &str) -> io::Result<bool> {
        let Some(anchor) = Anchor::from_canonical(key) else { return Ok(false) };
        let found = find(&self.registry, &Caller::local("import"), &anchor);
        Ok(found.map_err(io::Error::other)?.is_some())
    }

    fn quarantine(&mut self, member: &Member, reasons: Vec<OutcomeReason>) {
        (self.report)(quarantined(member.position, &member.original.document, reasons));
    }
}

impl KeyState {
    /// Forgets another key.
    fn enter(&mut self, key: &str) {
        if self.key != key {
            *self = KeyState { key: key.to_owned(), ..KeyState::default() };
        }
    }
}

impl Iterator for CeRecords {
    type Item = io::Result<(RecordPosition, Vec<u8>)>;

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            if let Some(ready) = self.ready.pop_front() {
                return Some(Ok(ready));
            }
            match self.convert_next() {
                Ok(true) => {}
                Ok(false) => return None,
                Err(error) => return Some(Err(error)),
            }
        }
    }
}

impl Member {
    fn read(value: &SortedValue) -> io::Result<(RecordAnchor, Member)> {
        let mut original: Incoming = serde_json::from_slice(&value.value)?;
        let mut located =
            locate(&original.document).map_err(|fault| io::Error::other(fault.message))?;
        original.repairs.append(&mut located.repairs);
        let document = located.filled(&original.document);
        let mut qualifiers = original.document.qualifier_set();
        for qualifier in qualifiers.iter_mut().filter(|qualifier| qualifier.variable().is_some()) {
            qualifier.value = "{}".to_owned();
        }
        let position = value.position;
        Ok((located, Member { position, original, document, qualifiers }))
    }

    fn shown(&self) -> String {
        self.original.document.shown_anchor()
    }

    /// Returns whether the record covers more than the qualifier set of the document.
    fn is_reduced(&self) -> bool {
        let reducing = [Repair::SerialAlone, Repair::VariableAbove, Repair::Variables];
        self.original.repairs.iter().any(|repair| reducing.contains(repair))
    }

    /// Adds the repairs of the record that concern this document.
    fn note(&mut self, found: &[Repair]) {
        let has_inactive = self.original.document.links.iter().any(|link| !link.active);
        self.original.repairs.extend(found.iter().filter(|_| has_inactive));
    }

    fn outcome(&self) -> DocumentOutcome {
        let Incoming { repairs, is_merged, .. } = &self.original;
        let fate = match (repairs.is_empty(), is_merged) {
            (false, _) => Fate::Repaired,
            (true, true) => Fate::Merged,
            (true, false) => Fate::Imported,
        };
        DocumentOutcome {
            position: self.position,
            anchor: Some(self.shown()),
            fate,
            reasons: repairs.iter().map(|repair| OutcomeReason::from(*repair)).collect(),
            document: None,
        }
    }
}
