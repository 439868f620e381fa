//! Decides the answer to a request from the entries of its levels (step A of the selection
//! algorithm in `docs/requirements/resolver.md`; GS1-Conformant Resolver 1.2.0 sections 2.2, 2.6,
//! 2.9 and 2.11).
//!
//! It is generic over the listener to its steps, so an answer and its explanation come from the
//! same function.

use std::borrow::Cow;
use std::sync::Arc;

use fingerpost_gs1::EntityKey;
use jiff::Timestamp;

use crate::format::{JSON, JSON_LD, LINKSET_JSON, LINKSET_TEXT};
use crate::forward::forward;
use crate::record::is_recall_page;
use crate::request::{EntityRequest, Parameter};
use crate::select::{self, Preferences, View};
use crate::trace::Trace;
use crate::{DefaultAnswer, Entry, Format, Link, Linkset, Outcome, Redirect, Settings};

/// A decision in progress.
pub(crate) struct Decision<'a, 't, T> {
    settings: &'a Settings,
    request: &'a EntityRequest<'a>,
    view: View<'a>,
    preferences: Preferences<'a>,
    trace: &'t mut T,
}

impl<'a, 't, T: Trace> Decision<'a, 't, T> {
    /// Creates a decision. `levels` are the entries registered for the levels of the request, most
    /// granular first, without levels that have no entry. `now` is the instant for which
    /// validity windows are evaluated.
    pub(crate) fn new(
        settings: &'a Settings,
        request: &'a EntityRequest<'a>,
        levels: &'a [Arc<Entry>],
        now: Timestamp,
        trace: &'t mut T,
    ) -> Self {
        let view = View { key: request.entity(), levels, now };
        Self { settings, request, view, preferences: Preferences::read(request), trace }
    }

    /// Returns the entity that the request asks about.
    pub(crate) fn key(&self) -> &'a EntityKey {
        self.view.key
    }

    /// Returns whether nothing is registered at any level.
    pub(crate) fn holds_nothing(&self) -> bool {
        self.view.levels.is_empty()
    }

    /// Returns every target that exists at this instant, as redirects to it; with `linkType`, those
    /// of this type.
    pub(crate) fn targets(&self) -> Vec<Redirect<'a>> {
        let View { key, levels, now } = self.view;
        let links = match self.request.link_type_parameter() {
            Parameter::Text(link_type) if !is_linkset(link_type) => {
                self.held_of_type(link_type).map(|(_, links)| links).unwrap_or_default()
            }
            Parameter::Unreadable => Vec::new(),
            _ => levels.iter().flat_map(|entry| entry.links_at(now)).collect(),
        };
        let redirect = |link: Link<'a>| {
            let location = forward(&link.expand(key)?, self.request.query());
            Some(Redirect { location, link, key })
        };
        links.into_iter().filter_map(redirect).collect()
    }

    /// Reports a step that was done earlier.
    pub(crate) fn trace(&mut self, rule: &'static str, text: impl FnOnce() -> String) {
        self.trace.step(rule, text, &[]);
    }

    /// Applies step A. Its first rule, that nothing is registered, is checked where no link was
    /// found.
    pub(crate) fn decide(mut self) -> Outcome<'a> {
        let link_type = self.request.link_type_parameter();
        let accepted = self.accept_asks_for_linkset();
        if link_type.text().is_some_and(is_linkset) {
            self.trace.step("A.2", || "linkType asks for the linkset".into(), &[]);
            let format =
                accepted.unwrap_or_else(|| Format::negotiate(self.preferences.accept.as_ref()));
            return self.linkset(format);
        }
        if let Some(format) = accepted.filter(|_| self.request.may_be_linkset()) {
            let say = || format!("Accept asks for {} first", format.media_type());
            self.trace.step("A.3", say, &[]);
            return self.linkset(format);
        }
        match link_type {
            Parameter::Text(link_type) => self.requested_type(link_type),
            Parameter::Unreadable => {
                self.not_available("linkType cannot be decoded, so nobody has it")
            }
            Parameter::Absent => self.no_type(),
        }
    }

    /// Returns the form of the linkset that is among the most preferred types of the client,
    /// whatever else is (RES-2.9-7).
    fn accept_asks_for_linkset(&self) -> Option<Format> {
        let mut found = None;
        for range in self.preferences.accept.as_ref()?.top() {
            if range.eq_ignore_ascii_case(LINKSET_JSON.as_bytes()) {
                return Some(Format::LinksetJson);
            }
            if range.eq_ignore_ascii_case(LINKSET_TEXT.as_bytes()) {
                found = Some(Format::LinksetText);
            }
        }
        found
    }

    /// Returns the JSON format if the client prefers JSON and nothing else most (RES-2.10-2,
    /// RES-2.10-6, ER-8).
    fn accept_asks_for_json(&self) -> Option<Format> {
        let mut first = None;
        for range in self.preferences.accept.as_ref()?.top() {
            let format = if range.eq_ignore_ascii_case(JSON.as_bytes()) {
                Format::Json
            } else if range.eq_ignore_ascii_case(JSON_LD.as_bytes()) {
                Format::JsonLd
            } else {
                return None;
            };
            first = first.or(Some(format));
        }
        first
    }

    /// Applies steps A.4, A.5 and C.
    fn no_type(&mut self) -> Outcome<'a> {
        let may_be_linkset = self.request.may_be_linkset();
        if let Some(format) = self.accept_asks_for_json().filter(|_| may_be_linkset) {
            if let Some(variant) = self.variant_of_type(format) {
                return self.redirect(variant);
            }
            let say = || {
                format!("Accept asks for {}, and no default variant is that", format.media_type())
            };
            self.trace.step("A.4", say, &[]);
            return self.linkset(format);
        }
        if let Some(notice) = self.recall() {
            return self.notice(notice);
        }
        if may_be_linkset && self.default_is_linkset() {
            self.trace.step("A.5", || "the linkset is the default answer here".into(), &[]);
            let format = Format::negotiate(self.preferences.accept.as_ref());
            return self.linkset(format);
        }
        let default = self.view.default();
        // A more granular record that says where its scans go is not replaced.
        if let Some(successor) = self.view.successor()
            && default.is_none_or(|(entry, _)| entry.is_succeeded())
        {
            return self.succeeded(successor);
        }
        let Some((entry, default)) = default else {
            return self.no_default();
        };
        let chosen =
            select::default_or_variant(&self.view, &self.preferences, entry, default, self.trace);
        self.redirect(chosen)
    }

    /// Returns the notice of a recall that suits the request best; of several, the one registered
    /// first.
    fn recall(&mut self) -> Option<Link<'a>> {
        let (entry, mut notices) = self.view.recall()?;
        let say =
            || format!("recalled at {}: the notice comes before everything else", entry.anchor());
        self.trace.step("A.5", say, &notices);
        select::rank(&self.preferences, &mut notices, self.trace);
        let notice = *notices.first()?;
        self.trace.step("A.5", || "the notice that suits best".into(), &[notice]);
        Some(notice)
    }

    /// Returns whether the linkset is the default answer: by the most granular record that says so,
    /// else by the installation (RES-2.11-1).
    fn default_is_linkset(&self) -> bool {
        if self.settings.default_by_record()
            && let Some(answer) = self.view.levels.iter().find_map(|entry| {
                entry
                    .default_answer()
                    .filter(|answer| matches!(answer, DefaultAnswer::Linkset | DefaultAnswer::Link))
            })
        {
            return answer == DefaultAnswer::Linkset;
        }
        self.settings.default_is_linkset()
    }

    /// Applies the exception of step A.4: a default variant of exactly the JSON type that step C
    /// would choose.
    fn variant_of_type(&mut self, format: Format) -> Option<Link<'a>> {
        let (entry, default) = self.view.default()?;
        let is_of_type = |link: Link<'_>| {
            link.media_type().is_some_and(|media_type| {
                crate::accept::essence(media_type)
                    .eq_ignore_ascii_case(format.media_type().as_bytes())
            })
        };
        if !self.view.variants(entry, default).any(is_of_type) {
            return None;
        }
        let chosen =
            select::default_or_variant(&self.view, &self.preferences, entry, default, self.trace);
        let found = Some(chosen).filter(|&link| link.is_default_variant() && is_of_type(link))?;
        self.trace.step(
            "A.4",
            || "a default variant of exactly the type asked for".into(),
            &[found],
        );
        Some(found)
    }

    /// Applies step B.
    fn requested_type(&mut self, requested: &str) -> Outcome<'a> {
        let Some((entry, mut links)) = self.held_of_type(requested) else {
            if let Some(successor) = self.view.successor() {
                return self.succeeded(successor);
            }
            return self.not_available("no level holds the link type asked for");
        };
        let say = || {
            format!("links of the type at {}, the most granular level holding it", entry.anchor())
        };
        self.trace.step("B", say, &links);
        select::rank(&self.preferences, &mut links, self.trace);
        if let [link] = links[..] {
            self.trace.step("B.5", || "one link".into(), &[link]);
            return self.notice(link);
        }
        self.trace.step("B.5", || "several links suit equally well".into(), &links);
        let format = Format::negotiate(self.preferences.accept.as_ref());
        let choices = Linkset::of_choices(self.settings.root(), self.view, entry, links)
            .forwarding(self.request.query());
        Outcome::Choices(choices, format)
    }

    /// Returns the most granular level that holds links of a type, and these links.
    fn held_of_type(&self, requested: &str) -> Option<(&'a Entry, Vec<Link<'a>>)> {
        let vocabulary = self.settings.vocabulary();
        let first = vocabulary.normalise(requested);
        let found = first.as_deref().and_then(|link_type| self.view.of_type(link_type));
        // RES-2.14-7: a bare term is an IANA relation if a link of that type is registered, else a
        // GS1 term, and the other way round.
        found.or_else(|| self.view.of_type(vocabulary.second_reading(requested)?))
    }

    /// Redirects to the same request for the successor: with its query, and with the qualifiers
    /// where they belong to keys of its type.
    fn succeeded(&mut self, link: Link<'a>) -> Outcome<'a> {
        self.trace.step("A.5", || "replaced: its successor answers".into(), &[link]);
        let key = self.view.key;
        let target = link.href();
        let key_segment = ["/", key.primary_key().as_str(), "/"].concat();
        let is_alike = target.rsplit_once(&key_segment).is_some_and(|(_, value)| {
            !value.is_empty() && value.bytes().all(|byte| byte.is_ascii_alphanumeric())
        });
        let qualifiers = &key.as_str()[key.key_level().len()..];
        let target = [target, if is_alike { qualifiers } else { "" }].concat();
        Outcome::Redirect(Redirect { location: forward(&target, self.request.query()), link, key })
    }

    /// Redirects to a link, or answers with the page of this resolver if the link leads to that. A
    /// client that needs a locator is redirected to it.
    fn notice(&mut self, link: Link<'a>) -> Outcome<'a> {
        let (root, key) = (self.settings.root(), self.view.key);
        let is_page = |href: Cow<'_, str>| is_recall_page(root, key, &href);
        let may_be_page = link.is_recall() && self.request.may_be_linkset();
        if !may_be_page || !link.expand(key).is_some_and(is_page) {
            return self.redirect(link);
        }
        self.trace.step("A.5", || "the notice is the page of this resolver".into(), &[link]);
        let format = Format::negotiate(self.preferences.accept.as_ref());
        self.linkset(format)
    }

    fn redirect(&self, link: Link<'a>) -> Outcome<'a> {
        // Links whose template cannot be filled are left out earlier, so the fallback is never
        // sent.
        let target = link.expand(self.view.key).unwrap_or(Cow::Borrowed(link.href()));
        let location = forward(&target, self.request.query());
        Outcome::Redirect(Redirect { location, link, key: self.view.key })
    }

    fn linkset(&mut self, format: Format) -> Outcome<'a> {
        let key = self.view.key;
        match self.everything() {
            Some(linkset) => Outcome::Linkset(linkset, format),
            None => Outcome::Unknown(Some(key)),
        }
    }

    fn not_available(&mut self, why: &'static str) -> Outcome<'a> {
        self.trace.step("B", || why.into(), &[]);
        let format = Format::negotiate(self.preferences.accept.as_ref());
        let key = self.view.key;
        match self.everything() {
            Some(linkset) => Outcome::LinkTypeNotAvailable(linkset, format),
            None => Outcome::Unknown(Some(key)),
        }
    }

    fn no_default(&mut self) -> Outcome<'a> {
        self.trace.step("C", || "no level has a default link".into(), &[]);
        let format = Format::negotiate(self.preferences.accept.as_ref());
        let key = self.view.key;
        match self.everything() {
            Some(linkset) => Outcome::NoDefault(linkset, format),
            None => Outcome::Unknown(Some(key)),
        }
    }

    /// Returns every link of every level; `None` if there is none (step A.1).
    fn everything(&mut self) -> Option<Linkset<'a>> {
        let linkset = Linkset::of_levels(self.settings.root(), self.view);
        if linkset.is_none() {
            self.trace.step("A.1", || "no level holds anything".into(), &[]);
        }
        linkset
    }
}

/// Returns whether a value of `linkType` asks for the linkset (RES-2.9-1, RES-2.9-6).
fn is_linkset(link_type: &str) -> bool {
    matches!(link_type, "linkset" | "all")
}
