//! The next step for a request, as far as it is known before anything is read.

use crate::request::EntityRequest;
use crate::{HandOver, PublicPath, Refusal, Settings};

/// The next step for a request.
#[derive(Clone, Debug)]
pub(crate) enum NextStep<'a> {
    Public(PublicPath),
    Refused(Refusal),
    HandOver(HandOver),
    /// Read the levels of the entity, and decide.
    Decide(EntityRequest<'a>),
    /// Answer that the name or locator has no key.
    Unknown,
    NotOffered,
}

impl<'a> NextStep<'a> {
    pub(crate) fn of_request(settings: &Settings, request: EntityRequest<'a>) -> Self {
        match HandOver::of(settings, &request, request.query()) {
            Some(hand_over) => Self::HandOver(hand_over),
            None => Self::Decide(request),
        }
    }
}
