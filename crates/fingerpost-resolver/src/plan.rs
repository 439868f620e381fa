//! Turns a request into its answer, in two steps with one read between them and no I/O in either
//! (GS1-Conformant Resolver 1.2.0 section 2.2, RES-2.2-8).
//!
//! ```text
//! ResolutionRequest -> Plan::of -> Plan::read, through two functions of the caller -> Plan::answer -> Answer
//! ```
//!
//! All code that answers a request, or explains how it would be answered, uses this sequence.

use std::ops::Deref;
use std::sync::Arc;

use fingerpost_gs1::EntityKey;
use jiff::Timestamp;

use crate::country::{self, CountryContext};
use crate::description::linkset_link;
use crate::names::{self, Name};
use crate::request::EntityRequest;
use crate::resolve::Decision;
use crate::step::NextStep;
use crate::trace::{NoTrace, Trace};
use crate::{
    Answer, ContextSource, CountryOrigin, Entry, Freshness, Outcome, Overview, PublicPath, Refusal,
    ResolutionRequest, Settings, Suspension,
};

/// The entity or page that a request asks for, before anything is read.
///
/// ```
/// use fingerpost_resolver::{ResolutionRequest, Plan, Settings, SettingsParts};
///
/// let parts = SettingsParts { resolver_root: "https://id.example.org".into(), ..Default::default() };
/// let settings = Settings::new(parts)?;
/// let asked = ResolutionRequest { target: b"/01/09520123456788/10/A%2fB/?linkType=gs1:pip", ..ResolutionRequest::default() };
/// let plan = Plan::of(&settings, &asked);
/// assert_eq!(plan.key().map(|key| key.as_str()), Some("01/09520123456788/10/A%2FB"));
/// assert_eq!(plan.answer(&[]).status(), 404);
///
/// let asked = ResolutionRequest { target: b"/01/09520123456789", ..ResolutionRequest::default() };
/// assert_eq!(Plan::of(&settings, &asked).answer(&[]).status(), 400);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct Plan<'a> {
    pub(crate) settings: &'a Settings,
    pub(crate) asked: ResolutionRequest<'a>,
    pub(crate) step: NextStep<'a>,
    /// The name by which the entity was requested.
    pub(crate) name: Option<Box<Name>>,
    /// The country that is the context, known or not.
    pub(crate) country: Option<Box<CountryContext>>,
}

impl<'a> Plan<'a> {
    /// Reads a request.
    pub fn of(settings: &'a Settings, asked: &ResolutionRequest<'a>) -> Self {
        let plan = |step| Self { settings, asked: *asked, step, name: None, country: None };
        if asked.target.len() > settings.public_side().max_target_bytes {
            return plan(NextStep::Refused(Refusal::TargetTooLong));
        }
        // No reserved path begins with a digit, and nearly every request does.
        if !asked.target.get(1).is_some_and(u8::is_ascii_digit) {
            let path = asked.path();
            if let Some(public) = PublicPath::of(settings, path) {
                return plan(NextStep::Public(public));
            }
            if names::is_name_path(path) {
                let (step, name) = names::read(settings, asked);
                return Self { name: name.map(Box::new), ..plan(step) };
            }
        }
        match EntityRequest::parse(settings, asked) {
            Ok(request) => plan(NextStep::of_request(settings, request)),
            Err(refusal) => plan(NextStep::Refused(refusal)),
        }
    }

    /// Returns the key whose levels must be read, if any.
    pub fn key(&self) -> Option<&EntityKey> {
        self.request().map(EntityRequest::entity)
    }

    /// Returns the entity that is asked about, whether it is to be read or handed over.
    pub fn entity(&self) -> Option<&EntityKey> {
        match &self.step {
            NextStep::HandOver(hand_over) => Some(hand_over.key()),
            _ => self.key(),
        }
    }

    /// Returns the query of a request about an entity: what a compressed path held besides the
    /// entity, then the query as received (RES-2.3-7).
    pub fn query(&self) -> Option<&[u8]> {
        self.request()?.query()
    }

    /// Returns the decoded value of `linkType`, if one was given that can be decoded.
    pub fn link_type(&self) -> Option<&str> {
        self.request()?.link_type()
    }

    /// Returns the decoded value of `context`, if one was given that can be decoded.
    pub fn context(&self) -> Option<&str> {
        self.request()?.context()
    }

    /// Returns the requested path if it is not an identifier.
    pub fn public_path(&self) -> Option<PublicPath> {
        match self.step {
            NextStep::Public(path) => Some(path),
            _ => None,
        }
    }

    /// Returns the reason the request cannot be answered as asked, if that is known without
    /// reading.
    pub fn refusal(&self) -> Option<&Refusal> {
        match &self.step {
            NextStep::Refused(refusal) => Some(refusal),
            _ => None,
        }
    }

    /// Returns the value of `Link` in the answer to OPTIONS: the address of the linkset of a
    /// Digital Link, or the resolver responsible for it (RES-2.2-11, RES-2.8-2).
    pub fn options_link(&self) -> Option<String> {
        match &self.step {
            _ if self.name.is_some() => None,
            NextStep::HandOver(hand_over) => Some(hand_over.handled_by_link()),
            NextStep::Decide(request) => Some(linkset_link(self.settings, request.entity())),
            _ => None,
        }
    }

    /// Reads the entries that the answer depends on. `levels` reads the entries of the levels of a
    /// key, most granular first; `first_key` finds the first registered key whose canonical
    /// text begins with a prefix.
    pub fn read<L, E>(
        &mut self,
        mut levels: impl FnMut(&EntityKey) -> Result<L, E>,
        first_key: impl FnOnce(&str) -> Result<Option<EntityKey>, E>,
    ) -> Result<L, E>
    where
        L: Deref<Target = [Arc<Entry>]> + Default,
    {
        let Some(key) = self.key() else { return Ok(L::default()) };
        let found = levels(key)?;
        let Some(prefix) = self.alternatives().filter(|_| found.is_empty()) else {
            return Ok(found);
        };
        let Some(key) = first_key(prefix)? else { return Ok(found) };
        self.replace_key(key);
        self.key().map_or_else(|| Ok(L::default()), levels)
    }

    /// Takes the country of the client as context, if it counts for these levels.
    /// `of_organisation` reads what the organisation of a key says, and `country` returns the
    /// country as ISO 3166-1 alpha-2 code, if it is known; both are called only if needed.
    ///
    /// # Errors
    ///
    /// Those of `of_organisation`.
    #[inline]
    pub fn take_country<E>(
        &mut self,
        levels: &[Arc<Entry>],
        of_organisation: impl FnOnce(&EntityKey) -> Result<Option<ContextSource>, E>,
        country: impl FnOnce() -> Option<String>,
    ) -> Result<(), E> {
        if self.settings.country().is_none() {
            return Ok(());
        }
        let Some(request) = self.request().filter(|request| country::may_differ(request, levels))
        else {
            return Ok(());
        };
        let stated = levels.iter().find_map(|entry| Some((entry, entry.context_source()?)));
        let source = match stated {
            Some((_, source)) => Some(source),
            None => of_organisation(request.entity())?,
        };
        if source != Some(ContextSource::Country) {
            return Ok(());
        }
        let record = stated.map(|(entry, _)| entry.anchor().as_str().to_owned());
        let country = country();
        if let NextStep::Decide(request) = &mut self.step
            && let Some(country) = &country
        {
            request.set_context(country.clone());
        }
        self.country = Some(Box::new(CountryContext { record, country }));
        Ok(())
    }

    /// Returns the answer, from the entries registered for the levels of [`Plan::key`], most
    /// granular first.
    pub fn answer<'l>(&'l self, levels: &'l [Arc<Entry>]) -> Answer<'l> {
        self.decide(levels, &mut NoTrace)
    }

    /// Returns what a page for people shows about the entity, from the same entries as
    /// [`Plan::answer`]; `None` if nothing is registered, or the request asks about no entity
    /// of this resolver.
    pub fn overview<'l>(&'l self, levels: &'l [Arc<Entry>]) -> Option<Overview<'l>> {
        Overview::new(self.settings, self.request()?, levels, self.asked.now)
    }

    pub(crate) fn request(&self) -> Option<&EntityRequest<'a>> {
        match &self.step {
            NextStep::Decide(request) => Some(request),
            _ => None,
        }
    }

    pub(crate) fn decide<'l>(
        &'l self,
        levels: &'l [Arc<Entry>],
        trace: &mut impl Trace,
    ) -> Answer<'l> {
        let Self { settings, asked: ResolutionRequest { now, .. }, .. } = *self;
        let outcome = match &self.step {
            NextStep::Public(path) => Outcome::Public(*path),
            NextStep::Refused(refusal) => Outcome::Refused(refusal),
            NextStep::HandOver(hand_over) => {
                let to = hand_over.location();
                trace.step("2.8", || format!("a pattern hands this identifier over to {to}"), &[]);
                Outcome::HandOver(hand_over)
            }
            NextStep::Unknown => Outcome::Unknown(None),
            NextStep::NotOffered => Outcome::NotOffered,
            NextStep::Decide(request) => {
                if let Some(suspension) = levels.first().and_then(|first| first.as_suspension()) {
                    trace.step("A.1", || "the organisation of the key is suspended".into(), &[]);
                    let key = request.entity();
                    return self.answering(
                        match suspension {
                            Suspension::Notice(text) => Outcome::Suspended(key, text),
                            Suspension::Stop | Suspension::None => Outcome::Unknown(Some(key)),
                        },
                        levels,
                    );
                }
                if let Some(country) = &self.country {
                    trace.step("2.5.6", || country.describe(), &[]);
                }
                let decision = Decision::new(settings, request, levels, now, trace);
                match &self.name {
                    None => decision.decide(),
                    Some(name) => name.decide(decision),
                }
            }
        };
        self.answering(outcome, levels)
    }

    #[inline]
    fn answering<'l>(&'l self, outcome: Outcome<'l>, levels: &[Arc<Entry>]) -> Answer<'l> {
        let (by_name, by_country) = (self.name.is_some(), self.country.is_some());
        let freshness = Freshness::Unstated;
        let mut answer =
            Answer { settings: self.settings, outcome, freshness, by_name, by_country };
        answer.freshness = freshness_of(&answer, levels, self.asked.now);
        answer
    }

    /// Returns the prefix of keys that are equally suitable if nothing is registered for
    /// [`Plan::key`].
    fn alternatives(&self) -> Option<&str> {
        self.name.as_ref()?.alternatives.as_deref()
    }

    /// Changes the request to ask about another key than the computed one.
    #[cold]
    fn replace_key(&mut self, key: EntityKey) {
        let step = std::mem::replace(&mut self.step, NextStep::Unknown);
        self.step = match (step, &self.name) {
            (NextStep::Decide(request), Some(name)) => name.step(self.settings, request.about(key)),
            (step, _) => step,
        };
    }
}

fn freshness_of(answer: &Answer<'_>, levels: &[Arc<Entry>], now: Timestamp) -> Freshness {
    let public_side = answer.settings.public_side();
    if answer.is_by_country() && answer.settings.country() == Some(&CountryOrigin::Address) {
        return Freshness::Private;
    }
    let next_edge = || levels.iter().filter_map(|entry| entry.next_window_edge(now)).min();
    match &answer.outcome {
        Outcome::Public(path) => Freshness::of_public(*path),
        Outcome::Redirect(_) if !public_side.shared.is_off() => {
            let own = Freshness::Seconds(0);
            public_side.shared.beside(own, next_edge(), now)
        }
        Outcome::Redirect(_) | Outcome::HandOver(_) => Freshness::Unstated,
        Outcome::Linkset(linkset, _) => {
            let edge = linkset.next_window_edge(now);
            let own = Freshness::of_linkset(public_side.linkset_max_age, edge, now);
            public_side.shared.beside(own, edge, now)
        }
        _ => Freshness::Revalidate,
    }
}
