//! The structure of a URI: the order of qualifiers, no repeated AI, attributes only in the query
//! (GS1 Digital Link URI Syntax 1.4.1, sections 3, 4.9 and 4.10), then the values and the
//! associations.

use alloc::vec::Vec;

use super::parse::Parser;
use super::sequence;
use super::warning::WarningKind;
use crate::element::{Element, Elements};
use crate::findings::Report;
use crate::value::check_content;
use crate::{Ai, Error, ErrorKind, Span, percent};

impl<'a, R: Report> Parser<'a, '_, R> {
    /// Checks the order of the path, repetitions, and the position of every attribute.
    #[inline]
    pub(super) fn check_structure(&mut self) -> Result<(), Error> {
        if self.link.elements.len() == 1 {
            return Ok(()); // a key alone
        }
        let alternatives = self.alternatives();
        let misplaced = sequence::first_misplaced(alternatives, &self.qualifiers());
        if let Some(at) = misplaced {
            self.structure_fault(ErrorKind::QualifierSequence, at + 1)?;
        }
        if self.link.elements.len() > self.link.path_len {
            if self.options.allows_repeated_attributes() {
                self.keep_last_attributes();
            }
            if let Some(at) = repetition(&self.link.elements) {
                self.structure_fault(ErrorKind::DuplicateAi, at)?;
            }
            if self.options.lifts_qualifiers() || self.options.reads_uri_syntax_1_4() {
                self.lift_qualifiers();
            }
            self.check_attributes()?;
        }
        Ok(())
    }

    fn key(&self) -> Ai {
        self.link.elements.first().map_or(Ai::GTIN, Element::ai)
    }

    /// Returns the qualifier sequences of the key.
    #[inline]
    fn alternatives(&self) -> &'static [&'static [Ai]] {
        self.link.elements[0].entry().qualifier_sequences().unwrap_or_default()
    }

    #[inline]
    fn qualifiers(&self) -> impl Iterator<Item = Ai> + Clone {
        self.link.elements[..self.link.path_len].iter().skip(1).map(Element::ai)
    }

    /// Removes all but the last occurrence of each attribute.
    #[cold]
    fn keep_last_attributes(&mut self) {
        if repetition(&self.link.elements[self.link.path_len..]).is_none() {
            return;
        }
        let (path, query) = self.link.elements.split_at(self.link.path_len);
        let mut kept: Elements<'a> = path.iter().cloned().collect();
        let mut dropped = Vec::new();
        for (at, element) in query.iter().enumerate() {
            if query[at + 1..].iter().any(|later| later.ai() == element.ai()) {
                dropped.push((element.ai(), self.pair_span(element)));
            } else {
                kept.push(element.clone());
            }
        }
        self.link.elements = kept;
        for (ai, span) in dropped {
            self.warn(WarningKind::RepeatedAttribute, Some(ai), span);
        }
    }

    /// Moves qualifiers from the query into the path: the longest valid order that includes the
    /// existing ones. Parsing by URI Syntax 1.4.1 does so only for 8020 after 415, because that
    /// document lists 8020 as an attribute.
    #[cold]
    fn lift_qualifiers(&mut self) {
        let key = self.key();
        if !self.options.lifts_qualifiers() && key != Ai::PAY_TO {
            return;
        }
        let present = |ai| self.link.elements.iter().any(|element| element.ai() == ai);
        let Some(order) = sequence::longest(key, &self.qualifiers(), present) else { return };
        let lifted: Vec<Element<'a>> = self.link.elements[self.link.path_len..]
            .iter()
            .filter(|element| order.contains(&element.ai()) && self.is_first(element))
            .cloned()
            .collect();
        if lifted.is_empty() {
            return;
        }
        let (path, query) = self.link.elements.split_at(self.link.path_len);
        let of = |ai: &Ai| path.iter().chain(&lifted).find(|element| element.ai() == *ai).cloned();
        let mut all: Elements<'a> = path.iter().take(1).cloned().collect();
        all.extend(order.iter().filter_map(of));
        let path_len = all.len();
        all.extend(query.iter().filter(|element| !order.contains(&element.ai())).cloned());
        self.link.path_len = path_len;
        self.link.elements = all;
        for element in lifted {
            let span = self.pair_span(&element);
            self.warn(WarningKind::LiftedQualifier, Some(element.ai()), span);
        }
    }

    /// Checks that every attribute can be one, and that none belongs in the path. Of several
    /// errors, that of the lowest AI is reported.
    #[inline]
    fn check_attributes(&mut self) -> Result<(), Error> {
        let key = self.key();
        let sequences = self.alternatives();
        let permitted = |element: &Element<'_>| {
            let (ai, entry) = (element.ai(), element.entry());
            if sequences.iter().any(|sequence| sequence.contains(&ai)) {
                return false; // looked at closely below
            }
            entry.is_attribute()
                || (self.options.allows_unknown_attributes() && ai.entry().is_none())
        };
        if self.link.elements[self.link.path_len..].iter().all(permitted) {
            return Ok(());
        }
        let mut faults: Vec<(Ai, usize, ErrorKind)> = Vec::new();
        for (at, element) in self.link.elements.iter().enumerate().skip(self.link.path_len) {
            let ai = element.ai();
            if permitted(element) {
                continue;
            }
            if !element.entry().is_attribute() {
                faults.push((ai, at, ErrorKind::NotAnAttribute));
            } else if sequence::can_insert(key, &self.qualifiers(), ai) {
                faults.push((ai, at, ErrorKind::BelongsInPath));
            }
        }
        faults.sort_by_key(|&(ai, at, _)| (ai, at));
        for (_, at, kind) in faults {
            self.structure_fault(kind, at)?;
        }
        Ok(())
    }

    /// Checks the components of every value.
    #[cold]
    pub(super) fn check_values(&mut self) -> Result<(), Error> {
        let lookups = self.options.custom_lookups();
        for at in 0..self.link.elements.len() {
            let element = &self.link.elements[at];
            let (ai, entry) = (element.ai(), element.entry());
            if let Err(error) = check_content(ai, entry, element.value().as_bytes(), lookups) {
                self.value_fault(at, error)?;
            }
        }
        Ok(())
    }

    /// Maps an error about a decoded value to the position of the value.
    #[cold]
    fn value_fault(&mut self, at: usize, error: Error) -> Result<(), Error> {
        let element = &self.link.elements[at];
        let (outer, value) = (element.span(), element.value());
        if self.faulty.contains(&outer.start) {
            return Ok(());
        }
        let encoded = &self.bytes()[outer.start..outer.end];
        let inner = error.value_span().unwrap_or(Span { start: 0, end: value.len() });
        // Padding zeros are in the value but not in the URI.
        let filled = value.len().saturating_sub(percent::decoded_len(encoded));
        let here = Span {
            start: inner.start.saturating_sub(filled),
            end: inner.end.saturating_sub(filled),
        };
        let span = percent::encoded_span(encoded, here, outer.start);
        let found = value.as_bytes().get(inner.start..inner.end);
        let error = if found.is_some_and(|found| found.contains(&0x7F)) {
            error.with_found(&self.bytes()[span.start..span.end])
        } else {
            error
        };
        self.fault(error.with_span(span))
    }

    #[cold]
    fn structure_fault(&mut self, kind: ErrorKind, at: usize) -> Result<(), Error> {
        let element = &self.link.elements[at];
        let span = self.pair_span(element);
        self.fault(Error::new(kind, span).with_ai(element.ai()))
    }

    /// Returns the range of AI and value of an element.
    fn pair_span(&self, element: &Element<'_>) -> Span {
        let value = element.span();
        let before = &self.bytes()[..value.start - 1];
        let start = before.iter().rposition(|b| b"/?&;".contains(b)).map_or(0, |at| at + 1);
        Span { start, end: value.end }
    }

    /// Returns whether no earlier element has the AI of `element`.
    fn is_first(&self, element: &Element<'_>) -> bool {
        let first = self.link.elements.iter().find(|other| other.ai() == element.ai());
        first.is_some_and(|first| first.span() == element.span())
    }
}

/// Returns the index of an element that repeats an earlier one; the lowest if several AIs are
/// repeated.
#[inline]
fn repetition(elements: &[Element<'_>]) -> Option<usize> {
    if elements.len() > FEW {
        return repetition_among_many(elements);
    }
    let repeats = |at: usize| elements[..at].iter().any(|e| e.ai() == elements[at].ai());
    let mut lowest: Option<usize> = None;
    for at in 1..elements.len() {
        if repeats(at) && lowest.is_none_or(|low| elements[at].ai() < elements[low].ai()) {
            lowest = Some(at);
        }
    }
    lowest
}

/// Finds a repetition by sorting, so that a malicious query does not take quadratic time.
#[cold]
fn repetition_among_many(elements: &[Element<'_>]) -> Option<usize> {
    let mut order: Vec<(Ai, usize)> =
        elements.iter().enumerate().map(|(at, element)| (element.ai(), at)).collect();
    order.sort_unstable();
    order.windows(2).find(|pair| pair[0].0 == pair[1].0).map(|pair| pair[1].1)
}

/// Up to this number, elements are compared pairwise.
const FEW: usize = 16;
