//! Answers: the outcome of a request, with its status, its links and its caching (GS1-Conformant
//! Resolver 1.2.0 sections 2.2, 2.8 and 2.10; RFC 2169 for names).

use std::borrow::Cow;

use fingerpost_gs1::EntityKey;

use crate::description::linkset_link;
use crate::entry::SUCCESSOR;
use crate::{
    CountryOrigin, Format, Freshness, HandOver, Link, Linkset, PublicPath, Refusal, Settings,
};

/// The answer to a request.
#[derive(Clone, Debug)]
pub struct Answer<'a> {
    pub(crate) settings: &'a Settings,
    pub(crate) outcome: Outcome<'a>,
    pub(crate) freshness: Freshness,
    /// Whether the request identified its entity by a URN or another locator.
    pub(crate) by_name: bool,
    /// Whether the country of the client counts as context.
    pub(crate) by_country: bool,
}

/// The outcome of a request.
#[derive(Clone, Debug)]
pub enum Outcome<'a> {
    /// The content of a path that is not an identifier: 200, or 404 if there is none.
    Public(PublicPath),
    /// The request cannot be answered as asked.
    Refused(&'a Refusal),
    /// Another resolver is responsible: 307.
    HandOver(&'a HandOver),
    /// Redirect the client: 307.
    Redirect(Redirect<'a>),
    /// Several links suit equally well: 300 with exactly these.
    Choices(Linkset<'a>, Format),
    /// The requested linkset: 200.
    Linkset(Linkset<'a>, Format),
    /// The requested link type is not registered at any level: 404 with the available links
    /// (RES-2.6.2-3).
    LinkTypeNotAvailable(Linkset<'a>, Format),
    /// There are links but no default link, which registration prevents (RES-2.5.9-1): 404.
    NoDefault(Linkset<'a>, Format),
    /// Nothing is registered for the request, nor at any level of its key if it has one: 404.
    Unknown(Option<&'a EntityKey>),
    /// The organisation of the key is suspended, with this notice: 410 (RES-2.4.1-5).
    Suspended(&'a EntityKey, &'a str),
    /// The URIs that a name stands for, as `text/uri-list`: 200 (RFC 2169 section 3).
    Uris(String),
    /// A known name that currently leads nowhere: 404.
    NoLocator,
    /// A service that a resolver of links cannot offer, because it holds no resources: 501.
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
    /// Returns the address: template filled, query forwarded, visible ASCII only.
    pub fn location(&self) -> &str {
        &self.location
    }

    /// Consumes the redirect and returns its address.
    pub fn into_location(self) -> String {
        self.location
    }

    /// Returns the chosen link.
    pub fn link(&self) -> Link<'a> {
        self.link
    }
}

impl<'a> Answer<'a> {
    /// Returns the outcome of the request.
    pub fn outcome(&self) -> &Outcome<'a> {
        &self.outcome
    }

    /// Consumes the answer and returns its outcome.
    pub fn into_outcome(self) -> Outcome<'a> {
        self.outcome
    }

    /// Returns how long the answer may be cached.
    pub fn freshness(&self) -> Freshness {
        self.freshness
    }

    /// Returns the status code. Redirects by name are 303 (WWW-THT-03).
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
            Outcome::Suspended(..) => 410,
            Outcome::NotOffered => 501,
        }
    }

    /// Returns the value of `Location`, if the answer has one.
    pub fn location(&self) -> Option<&str> {
        match &self.outcome {
            Outcome::HandOver(hand_over) => Some(hand_over.location()),
            Outcome::Redirect(redirect) => Some(redirect.location()),
            _ => None,
        }
    }

    /// Returns the value of `Link`, if the answer has one: redirects point to the linkset
    /// (RES-2.2-11), linksets to their JSON-LD context (RES-2.10-4). For a hand-over, the other
    /// resolver is responsible for the linkset (RES-2.8-2).
    pub fn link(&self) -> Option<Cow<'a, str>> {
        match &self.outcome {
            Outcome::HandOver(hand_over) => Some(hand_over.handled_by_link().into()),
            Outcome::Redirect(redirect) => {
                let mut value = linkset_link(self.settings, redirect.key);
                if redirect.link.is_successor() {
                    let href = redirect.link.href().replace('>', "%3E");
                    value.push_str(&format!(", <{href}>; rel=\"{SUCCESSOR}\""));
                }
                Some(value.into())
            }
            _ => {
                let (_, format) = self.linkset()?;
                // Only JSON can be read as JSON-LD, and a page embeds it.
                (format != Format::LinksetText).then(|| self.settings.context_link().into())
            }
        }
    }

    /// Returns the linkset that is the body of the answer, and its form, if the body is a linkset.
    pub fn linkset(&self) -> Option<(&Linkset<'a>, Format)> {
        match &self.outcome {
            Outcome::Choices(linkset, format)
            | Outcome::Linkset(linkset, format)
            | Outcome::LinkTypeNotAvailable(linkset, format)
            | Outcome::NoDefault(linkset, format) => Some((linkset, *format)),
            _ => None,
        }
    }

    /// Returns whether the request identified its entity by a URN or another locator, not by the
    /// path of a Digital Link.
    pub fn is_by_name(&self) -> bool {
        self.by_name
    }

    /// Returns the entity that the request asks about, if there is one.
    pub fn key(&self) -> Option<&'a EntityKey> {
        match &self.outcome {
            Outcome::HandOver(hand_over) => Some(hand_over.key()),
            Outcome::Redirect(redirect) => Some(redirect.key),
            Outcome::Unknown(key) => *key,
            Outcome::Suspended(key, _) => Some(key),
            _ => self.linkset().map(|(linkset, _)| linkset.key()),
        }
    }

    /// Returns whether the answer depends on the country of the client, known or not.
    pub fn is_by_country(&self) -> bool {
        self.by_country && matches!(self.outcome, Outcome::Redirect(_) | Outcome::Choices(..))
    }

    /// Returns the request header with the country of the client, if the answer depends on it.
    pub fn country_header(&self) -> Option<&str> {
        match self.settings.country() {
            Some(CountryOrigin::Header(name)) if self.is_by_country() => Some(name),
            _ => None,
        }
    }
}
