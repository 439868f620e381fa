//! Principals: who may be behind an account, a key or a proposal, for approval by a second person.
//!
//! The **principals** of an account or key are the users who may be able to act with it. A change
//! is approved only if the principals of the approver and those of the proposal have nobody in
//! common. They are stored, so deleting, resetting or confirming an account later changes nothing
//! about what was set up or proposed before:
//!
//! | event | principals afterwards |
//! |---|---|
//! | an account is created, without a password or by the installation | the account's user |
//! | a password is set by somebody else | the account's user, and the principals of the one who set it |
//! | a password is set by the installation | the account's user |
//! | an account is confirmed by somebody independent | the account's user |
//! | a key is created | those of its creator at that time |
//! | a key is rotated | those it had, and those of the one who rotated it |
//! | a change is proposed | those of the proposing account or key at that time |
//! | an account or key is deleted | no change |
//!
//! "The installation" is the command line and everybody who administers the whole installation:
//! they can switch approval off. A key that the command line created can be in anybody's hands, so
//! an account that such a key sets up has unknown principals. Unknown principals
//! depend on everyone; so do documents of earlier releases in which an account was set up by one
//! that no longer exists (`Registry::determine_principals`).

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

use crate::Actor;
use crate::limits::MAX_PRINCIPALS;

/// The users who may be able to act with an account or a key; without a set, anyone.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(transparent)]
pub(crate) struct Principals(Option<BTreeSet<Actor>>);

impl Principals {
    /// Returns one principal.
    pub(crate) fn only(actor: Actor) -> Principals {
        Principals(Some(BTreeSet::from([actor])))
    }

    /// Returns whether these are unknown.
    pub(crate) fn are_unknown(&self) -> bool {
        self.0.is_none()
    }

    /// Returns whether these and the others are certainly different people.
    pub(crate) fn are_independent_of(&self, others: &Principals) -> bool {
        matches!((&self.0, &others.0), (Some(own), Some(others)) if own.is_disjoint(others))
    }

    /// Adds others. Too many become unknown.
    pub(crate) fn add(&mut self, others: &Principals) {
        self.0 = match (self.0.take(), &others.0) {
            (Some(mut own), Some(others)) => {
                own.extend(others.iter().cloned());
                Some(own).filter(|own| own.len() <= MAX_PRINCIPALS)
            }
            _ => None,
        };
    }

    /// Adds those who may know a password that a caller with these principals sets. A key that the
    /// command line created is in unknown hands.
    pub(crate) fn add_setter(&mut self, setter: &Principals) {
        let are_users = |all: &BTreeSet<Actor>| all.iter().all(|one| matches!(one, Actor::User(_)));
        let setter = Principals(setter.0.clone().filter(are_users));
        self.add(&setter);
    }
}
