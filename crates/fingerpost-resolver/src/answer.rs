//! Answers: what a request leads to, with its status, its links and how long it may be cached (GS1-Conformant Resolver 1.2.0
//! sections 2.2, 2.8 and 2.10; RFC 2169 for names).

use std::borrow::Cow;

use fingerpost_gs1::EntityKey;

use crate::description::linkset_link;
use crate::{Format, Freshness, HandOver, Link, Linkset, PublicPath, Refusal, Settings};

/// The answer to a request.
#[derive(Clone, Debug)]
pub struct Answer<'a> {
    pub(crate) settings: &'a Settings,
    pub(crate) outcome: Outcome<'a>,
    pub(crate) freshness: Freshness,
    /// Whether the request named its entity by a URN or another locator.
    pub(crate) by_name: bool,
}

/// What a request leads to.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum Outcome<'a> {
    /// What is at a path that is no identifier: 200, or 404 where nothing is.
    Public(PublicPath),
    /// The request cannot be answered as asked.
    Refused(&'a Refusal),
    /// Another resolver is in charge: 307.
    HandOver(&'a HandOver),
    /// Send the client on: 307.
    Redirect(Redirect<'a>),
    /// Several links suit equally well: 300 with exactly these.
    Choices(Linkset<'a>, Format),
    /// The linkset was asked for: 200.
    Linkset(Linkset<'a>, Format),
    /// The link type asked for is not held at any level: 404 with what there is (RES-2.6.2-3).
    LinkTypeNotAvailable(Linkset<'a>, Format),
    /// Links, but no default among them, which registration prevents (RES-2.5.9-1): 404.
    NoDefault(Linkset<'a>, Format),
    /// Nothing is known about this, at any level if it has a key: 404.
    Unknown(Option<&'a EntityKey>),
    /// The URIs that a name stands for, as `text/uri-list`: 200 (RFC 2169 section 3).
    Uris(String),
    /// A name that is known, but leads nowhere at the moment: 404.
    NoLocator,
    /// A service that no resolver of links can offer, because it holds no resources: 501.
    NotOffered,
}

/// A redirect with its address ready to send.
#[derive(Clone, Debug)]
pub struct Redirect<'a> {
    pub(crate) location: String,
    pub(crate) link: Link<'a>,
    pub(crate) key: &'a EntityKey,
}

impl<'a> Redirect<'a> {
    /// The address: template filled, query forwarded, visible ASCII only.
    #[must_use]
    pub fn location(&self) -> &str {
        &self.location
    }

    /// Takes the address.
    #[must_use]
    pub fn into_location(self) -> String {
        self.location
    }

    /// The link that was chosen.
    #[must_use]
    pub fn link(&self) -> Link<'a> {
        self.link
    }
}

impl<'a> Answer<'a> {
    /// What the request leads to.
    #[must_use]
    pub fn outcome(&self) -> &Outcome<'a> {
        &self.outcome
    }

    /// Takes what the request leads to.
    #[must_use]
    pub fn into_outcome(self) -> Outcome<'a> {
        self.outcome
    }

    /// How long the answer may be cached.
    #[must_use]
    pub fn freshness(&self) -> Freshness {
        self.freshness
    }

    /// The status code. Redirects by name are 303 (WWW-THT-03).
    #[must_use]
    pub fn status(&self) -> u16 {
        match &self.outcome {
            Outcome::Public(PublicPath::Unassigned)
            | Outcome::LinkTypeNotAvailable(..)
            | Outcome::NoDefault(..)
            | Outcome::Unknown(_)
            | Outcome::NoLocator => 404,
            Outcome::Public(_) | Outcome::Linkset(..) | Outcome::Uris(_) => 200,
            Outcome::Refused(refusal) => refusal.status(),
            Outcome::HandOver(_) | Outcome::Redirect(_) if self.by_name => 303,
            Outcome::HandOver(_) | Outcome::Redirect(_) => 307,
            Outcome::Choices(..) => 300,
            Outcome::NotOffered => 501,
        }
    }

    /// The value of `Location`, if the answer has one.
    #[must_use]
    pub fn location(&self) -> Option<&str> {
        match &self.outcome {
            Outcome::HandOver(hand_over) => Some(hand_over.location()),
            Outcome::Redirect(redirect) => Some(redirect.location()),
            _ => None,
        }
    }

    /// The value of `Link`, if the answer has one: redirects point to the linkset (RES-2.2-11), linksets to their JSON-LD
    /// context (RES-2.10-4). The linkset of what is handed over is the other resolver's business (RES-2.8-2).
    #[must_use]
    pub fn link(&self) -> Option<Cow<'a, str>> {
        match &self.outcome {
            Outcome::HandOver(hand_over) => Some(hand_over.handled_by_link().into()),
            Outcome::Redirect(redirect) => Some(linkset_link(self.settings, redirect.key).into()),
            _ => self.linkset().map(|_| self.settings.context_link().into()),
        }
    }

    /// The linkset that is the body of the answer, if it is one, and its form.
    #[must_use]
    pub fn linkset(&self) -> Option<(&Linkset<'a>, Format)> {
        match &self.outcome {
            Outcome::Choices(linkset, format)
            | Outcome::Linkset(linkset, format)
            | Outcome::LinkTypeNotAvailable(linkset, format)
            | Outcome::NoDefault(linkset, format) => Some((linkset, *format)),
            _ => None,
        }
    }

    /// What the request asks about, if that is an entity.
    #[must_use]
    pub fn key(&self) -> Option<&'a EntityKey> {
        match &self.outcome {
            Outcome::HandOver(hand_over) => Some(hand_over.key()),
            Outcome::Redirect(redirect) => Some(redirect.key),
            Outcome::Unknown(key) => *key,
            _ => self.linkset().map(|(linkset, _)| linkset.key()),
        }
    }
}
