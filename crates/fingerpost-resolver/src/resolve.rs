//! The decision: from a request and the entries of its levels to an answer (step A of the
//! selection algorithm in `docs/requirements/resolver.md`; GS1-Conformant Resolver 1.2.0 sections 2.2, 2.6, 2.9 and 2.11).
//!
//! `resolve` and `explain` are one function, generic over what listens to its steps.

use std::sync::Arc;

use jiff::Timestamp;

use crate::explain::{NoTrace, Recorder, Trace};
use crate::format::{JSON, JSON_LD, LINKSET_JSON};
use crate::forward::forward;
use crate::request::Parameter;
use crate::select::{self, Preferences, View};
use crate::{Entry, Explanation, Format, Link, Linkset, Request, Settings};

/// What a request resolves to.
#[derive(Clone, Debug)]
pub enum Resolution<'a> {
    /// Send the client on: 307.
    Redirect(Redirect<'a>),
    /// Several links suit equally well: 300 with exactly these.
    Choices(Linkset<'a>, Format),
    /// The linkset was asked for: 200.
    Linkset(Linkset<'a>, Format),
    /// The link type asked for is not held at any level: 404 with what there is (RES-2.6.2-3).
    LinkTypeNotAvailable(Linkset<'a>, Format),
    /// Nothing is known at any level: 404.
    Unknown,
    /// Links, but no default among them, which registration prevents (RES-2.5.9-1): 404.
    NoDefault(Linkset<'a>, Format),
}

/// A redirect with its address ready to send.
#[derive(Clone, Debug)]
pub struct Redirect<'a> {
    location: String,
    link: Link<'a>,
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

/// Decides what a valid request resolves to.
///
/// `levels` are the entries held for the request's levels, most granular first; levels without an entry
/// are left out. `now` decides about validity windows.
#[must_use]
pub fn resolve<'a>(
    settings: &'a Settings,
    request: &'a Request<'a>,
    levels: &'a [Arc<Entry>],
    now: Timestamp,
) -> Resolution<'a> {
    Decision::new(settings, request, levels, now, &mut NoTrace).decide()
}

/// Decides like [`resolve`], and tells how.
#[must_use]
pub fn explain<'a>(
    settings: &'a Settings,
    request: &'a Request<'a>,
    levels: &'a [Arc<Entry>],
    now: Timestamp,
) -> (Explanation, Resolution<'a>) {
    let mut recorder = Recorder::default();
    let resolution = Decision::new(settings, request, levels, now, &mut recorder).decide();
    let explanation = recorder.finish(settings, request, levels, now, &resolution);
    (explanation, resolution)
}

struct Decision<'a, 't, T> {
    settings: &'a Settings,
    request: &'a Request<'a>,
    view: View<'a>,
    preferences: Preferences<'a>,
    trace: &'t mut T,
}

impl<'a, 't, T: Trace> Decision<'a, 't, T> {
    fn new(
        settings: &'a Settings,
        request: &'a Request<'a>,
        levels: &'a [Arc<Entry>],
        now: Timestamp,
        trace: &'t mut T,
    ) -> Self {
        let view = View { key: request.entity(), levels, now };
        Self { settings, request, view, preferences: Preferences::read(request), trace }
    }

    /// Step A. Its first rule, nothing held anywhere, is read where no link was found.
    fn decide(self) -> Resolution<'a> {
        let link_type = self.request.link_type_parameter();
        if matches!(link_type.text(), Some("linkset" | "all")) {
            self.trace.step("A.2", || "linkType asks for the linkset".into(), &[]);
            let format = Format::negotiate(self.preferences.accept.as_ref());
            return self.linkset(format);
        }
        if self.accept_asks_for_linkset() {
            self.trace.step("A.3", || format!("Accept asks for {LINKSET_JSON} first"), &[]);
            return self.linkset(Format::LinksetJson);
        }
        match link_type {
            Parameter::Text(link_type) => self.requested_type(link_type),
            Parameter::Unreadable => {
                self.not_available("linkType cannot be decoded, so nobody has it")
            }
            Parameter::Absent => self.no_type(),
        }
    }

    fn accept_asks_for_linkset(&self) -> bool {
        let accept = self.preferences.accept.as_ref();
        accept.is_some_and(|a| a.top().any(|t| t.eq_ignore_ascii_case(LINKSET_JSON.as_bytes())))
    }

    /// The JSON format if JSON is all that the client wants most (RES-2.10-2, RES-2.10-6, ER-8).
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

    /// Steps A.4, A.5 and C.
    fn no_type(mut self) -> Resolution<'a> {
        if let Some(format) = self.accept_asks_for_json() {
            if let Some(variant) = self.variant_of_type(format) {
                return self.redirect(variant);
            }
            let say = || {
                format!("Accept asks for {}, and no default variant is that", format.media_type())
            };
            self.trace.step("A.4", say, &[]);
            return self.linkset(format);
        }
        if self.settings.default_is_linkset() {
            self.trace.step(
                "A.5",
                || "the operator made the linkset the default answer".into(),
                &[],
            );
            let format = Format::negotiate(self.preferences.accept.as_ref());
            return self.linkset(format);
        }
        let Some((entry, default)) = self.view.default() else {
            return self.no_default();
        };
        let chosen =
            select::default_or_variant(&self.view, &self.preferences, entry, default, self.trace);
        self.redirect(chosen)
    }

    /// The exception of step A.4: a default variant of exactly the JSON type that step C would choose.
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

    /// Step B.
    fn requested_type(self, requested: &str) -> Resolution<'a> {
        let vocabulary = self.settings.vocabulary();
        let first = vocabulary.normalise(requested);
        let found = first.as_deref().and_then(|link_type| self.view.of_type(link_type));
        // RES-2.14-7: a bare term is an IANA relation where one is held, else a GS1 term.
        let found = found.or_else(|| self.view.of_type(vocabulary.second_reading(requested)?));
        let Some((entry, mut links)) = found else {
            return self.not_available("no level holds the link type asked for");
        };
        let say =
            || format!("links of the type at {}, the most granular level holding it", entry.key());
        self.trace.step("B", say, &links);
        select::rank(&self.preferences, &mut links, self.trace);
        if let [link] = links[..] {
            self.trace.step("B.5", || "one link".into(), &[link]);
            return self.redirect(link);
        }
        self.trace.step("B.5", || "several links suit equally well".into(), &links);
        let format = Format::negotiate(self.preferences.accept.as_ref());
        let choices = Linkset::of_choices(self.settings.root(), self.view, entry, links);
        Resolution::Choices(choices, format)
    }

    fn redirect(self, link: Link<'a>) -> Resolution<'a> {
        // Links whose template cannot be filled were left out before, so the fallback is never sent.
        let target = link.expand(self.view.key).unwrap_or(std::borrow::Cow::Borrowed(link.href()));
        let location = forward(&target, self.request.query());
        Resolution::Redirect(Redirect { location, link })
    }

    fn linkset(self, format: Format) -> Resolution<'a> {
        match self.everything() {
            Some(linkset) => Resolution::Linkset(linkset, format),
            None => Resolution::Unknown,
        }
    }

    fn not_available(self, why: &'static str) -> Resolution<'a> {
        self.trace.step("B", || why.into(), &[]);
        let format = Format::negotiate(self.preferences.accept.as_ref());
        match self.everything() {
            Some(linkset) => Resolution::LinkTypeNotAvailable(linkset, format),
            None => Resolution::Unknown,
        }
    }

    fn no_default(self) -> Resolution<'a> {
        self.trace.step("C", || "no level has a default link".into(), &[]);
        let format = Format::negotiate(self.preferences.accept.as_ref());
        match self.everything() {
            Some(linkset) => Resolution::NoDefault(linkset, format),
            None => Resolution::Unknown,
        }
    }

    /// Every link of every level; `None` if there is none (step A.1).
    fn everything(self) -> Option<Linkset<'a>> {
        let linkset = Linkset::of_levels(self.settings.root(), self.view);
        if linkset.is_none() {
            self.trace.step("A.1", || "no level holds anything".into(), &[]);
        }
        linkset
    }
}
