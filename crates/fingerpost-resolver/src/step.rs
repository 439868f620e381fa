//! What is to be done about a request, as far as that is known before anything is read.

use crate::request::EntityRequest;
use crate::{HandOver, PublicPath, Refusal, Settings};

/// What is to be done.
#[derive(Clone, Debug)]
pub(crate) enum Step<'a> {
    Public(PublicPath),
    Refused(Refusal),
    HandOver(HandOver),
    /// Read the levels of the entity, and decide.
    Decide(EntityRequest<'a>),
    /// A name or locator that stands for no key.
    Unknown,
    NotOffered,
}

impl<'a> Step<'a> {
    pub(crate) fn of_request(settings: &Settings, request: EntityRequest<'a>) -> Self {
        match HandOver::of(settings, &request, request.query()) {
            Some(hand_over) => Self::HandOver(hand_over),
            None => Self::Decide(request),
        }
    }
}
