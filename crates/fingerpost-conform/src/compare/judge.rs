//! Two answers to the same request → how they differ.

use super::kind::{self, DifferenceKind};
use super::side::Outcome;
use super::target;
use crate::escape::excerpt;
use crate::limits::MAX_SHOWN_ADDRESS;
use crate::message::WebResponse;

/// A difference, with a detail by which differences of its kind are counted apart.
pub(super) type Judged = (&'static DifferenceKind, String);

/// What an answer is to the person or program that asked.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Class {
    Redirect,
    /// A page, a linkset, or choices.
    Content,
    Unknown,
    Refused,
    Failed,
}

/// Returns how the answers differ; empty if they do not.
pub(super) fn judge(old: &Outcome, new: &Outcome) -> Vec<Judged> {
    let (old_answer, new_answer) = match (&old.response, &new.response) {
        (Ok(old), Ok(new)) => (old, new),
        (old, new) => {
            let mut silent = Vec::new();
            silent.extend(old.is_err().then_some((&kind::NO_ANSWER_OLD, String::new())));
            silent.extend(new.is_err().then_some((&kind::NO_ANSWER_NEW, String::new())));
            return silent;
        }
    };
    if old.is_loop || new.is_loop {
        let mut loops = Vec::new();
        loops.extend(old.is_loop.then_some((&kind::LOOP_OLD, String::new())));
        loops.extend(new.is_loop.then_some((&kind::LOOP_NEW, String::new())));
        return loops;
    }
    let statuses = format!("{} → {}", old_answer.status, new_answer.status);
    let kind = match (class(old_answer), class(new_answer)) {
        (Class::Redirect, Class::Redirect) => {
            let targets = (old.target.as_deref(), new.target.as_deref());
            let differs =
                target::difference(targets.0.unwrap_or_default(), targets.1.unwrap_or_default());
            if let Some(kind) = differs {
                return vec![(kind, String::new())];
            }
            &kind::STATUS
        }
        (old_class, new_class) if old_class == new_class => {
            let types = (old_answer.media_type(), new_answer.media_type());
            if old_class == Class::Content && types.0 != types.1 {
                let detail = excerpt(&format!("{} → {}", types.0, types.1), 100);
                return vec![(&kind::MEDIA_TYPE, detail)];
            }
            &kind::STATUS
        }
        (_, Class::Failed) => &kind::FAILED,
        (Class::Failed, _) => &kind::REPAIRED,
        (Class::Unknown, Class::Refused) | (Class::Refused, Class::Unknown) => &kind::STATUS,
        (_, Class::Unknown) => &kind::MISSING,
        (_, Class::Refused) => &kind::REFUSED,
        (Class::Unknown | Class::Refused, _) => &kind::ADDED,
        (_, Class::Redirect | Class::Content) => &kind::CHOICE,
    };
    let is_same = kind == &kind::STATUS && old_answer.status == new_answer.status;
    if is_same { Vec::new() } else { vec![(kind, statuses)] }
}

fn class(response: &WebResponse) -> Class {
    match response.status {
        _ if response.location().is_some() => Class::Redirect,
        404 | 410 => Class::Unknown,
        400..=499 => Class::Refused,
        500.. => Class::Failed,
        _ => Class::Content,
    }
}

/// Returns an answer on one line.
pub(super) fn shown(outcome: &Outcome) -> String {
    match &outcome.response {
        Err(error) => format!("no answer: {}", excerpt(error, MAX_SHOWN_ADDRESS)),
        Ok(response) => match &outcome.target {
            Some(target) => format!("{} {}", response.status, excerpt(target, MAX_SHOWN_ADDRESS)),
            None => format!("{} {}", response.status, excerpt(&response.media_type(), 100)),
        },
    }
}
