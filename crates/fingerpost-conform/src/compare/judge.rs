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
    let on_a_side = |is_so: fn(&Outcome) -> bool, kinds: [&'static DifferenceKind; 2]| {
        let sides = [old, new].into_iter().zip(kinds).filter(|(outcome, _)| is_so(outcome));
        sides.map(|(_, kind)| (kind, String::new())).collect()
    };
    let (Ok(old_answer), Ok(new_answer)) = (&old.response, &new.response) else {
        return on_a_side(|it| it.response.is_err(), [&kind::NO_ANSWER_OLD, &kind::NO_ANSWER_NEW]);
    };
    if old.is_loop || new.is_loop {
        return on_a_side(|it| it.is_loop, [&kind::LOOP_OLD, &kind::LOOP_NEW]);
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
