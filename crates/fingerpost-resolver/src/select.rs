//! Selects links: steps B and C of the selection algorithm in `docs/requirements/resolver.md`,
//! applied to the links that exist at an instant (GS1-Conformant Resolver 1.2.0 sections 2.5.7,
//! 2.5.8 and 2.6.1 to 2.6.3).

use std::cell::OnceCell;
use std::sync::Arc;

use fingerpost_gs1::EntityKey;
use jiff::Timestamp;
use smallvec::SmallVec;

use crate::accept::{Accept, AcceptLanguage, MediaScore};
use crate::request::{EntityRequest, Parameter};
use crate::trace::Trace;
use crate::{Entry, Link, language_match};

/// The usable preferences of the client.
#[derive(Debug)]
pub(crate) struct Preferences<'r> {
    /// `None` if absent, unusable, or `*/*` alone.
    pub(crate) accept: Option<Accept<'r>>,
    accept_language: &'r [u8],
    /// The preferences in `accept_language`, read on first use: most redirects do not depend on
    /// language.
    language: OnceCell<Option<AcceptLanguage<'r>>>,
    context: &'r Parameter<'r>,
}

impl<'r> Preferences<'r> {
    pub(crate) fn read(request: &'r EntityRequest<'_>) -> Self {
        let accept = Some(request.accept()).filter(|text| !text.is_empty());
        Self {
            accept: accept.map(Accept::read).filter(|a| !a.is_absent()),
            accept_language: request.accept_language(),
            language: OnceCell::new(),
            context: request.context_parameter(),
        }
    }

    /// Returns the language preferences; `None` if absent, unusable, or `*` alone.
    fn language(&self) -> Option<&AcceptLanguage<'r>> {
        let read = || {
            let header = Some(self.accept_language).filter(|text| !text.is_empty());
            header.map(AcceptLanguage::read).filter(|l| !l.is_absent())
        };
        self.language.get_or_init(read).as_ref()
    }

    /// Returns whether the request has no preferences that could rank links.
    fn is_silent(&self) -> bool {
        self.accept.is_none() && self.language().is_none() && self.context.is_absent()
    }

    /// Returns whether a tag suits the client: a stated language matches it and none refuses it.
    fn reaches(&self, tag: &str) -> bool {
        self.language().is_some_and(|language| language.reaches(tag) && !language.refuses(tag))
    }

    /// Returns whether a link states something that the request excludes (step C).
    fn contradicts(&self, link: Link<'_>) -> bool {
        let media = self.accept.as_ref().is_some_and(|accept| {
            link.media_type().is_some() && accept.score(link.media_type()) == MediaScore::Mismatch
        });
        media || self.language_contradicts(link) || {
            let stated = link.has_contexts() && !self.context.is_absent();
            stated && !self.has_context(link)
        }
    }

    fn language_contradicts(&self, link: Link<'_>) -> bool {
        let Some(language) = self.language() else { return false };
        if !link.has_languages() {
            return false;
        }
        if language.preferences().next().is_none() || language.takes_anything() {
            return link.languages().all(|tag| language.refuses(tag));
        }
        !link.languages().any(|tag| self.reaches(tag))
    }

    /// Returns whether a link states something that was requested (step C).
    fn matches(&self, link: Link<'_>) -> bool {
        let media = self
            .accept
            .as_ref()
            .is_some_and(|accept| matches!(accept.score(link.media_type()), MediaScore::Match(..)));
        media || link.languages().any(|tag| self.reaches(tag)) || self.has_context(link)
    }

    fn has_context(&self, link: Link<'_>) -> bool {
        let wanted = self.context.text();
        wanted.is_some_and(|wanted| link.contexts().any(|c| c.eq_ignore_ascii_case(wanted)))
    }
}

/// The levels of a request at an instant.
#[derive(Clone, Copy, Debug)]
pub(crate) struct View<'a> {
    pub(crate) key: &'a EntityKey,
    pub(crate) levels: &'a [Arc<Entry>],
    pub(crate) now: Timestamp,
}

impl<'a> View<'a> {
    /// Returns whether the link can be used: it is inside its window (RES-2.5.7-2), and its
    /// template can be filled for this request (RES-2.5.1-7).
    fn exists(&self, link: Link<'_>) -> bool {
        link.is_valid_at(self.now) && link.is_available_for(self.key)
    }

    fn default_in_force(&self, entry: &'a Entry) -> Option<Link<'a>> {
        entry.contents().default_in_force(|link| self.exists(link))
    }

    /// Returns the links of a level in force, in registration order.
    pub(crate) fn links(&self, entry: &'a Entry) -> impl Iterator<Item = Link<'a>> {
        let view = *self;
        entry.contents().links_in_force(move |link| view.exists(link))
    }

    /// Returns the variants in force besides the default link of a level, in registration order.
    pub(crate) fn variants(
        &self,
        entry: &'a Entry,
        default: Link<'a>,
    ) -> impl Iterator<Item = Link<'a>> {
        let view = *self;
        entry.contents().variants_in_force(Some(default), move |link| view.exists(link))
    }

    /// Returns the most granular level with a default link, and that link (RES-2.5.8-8).
    pub(crate) fn default(&self) -> Option<(&'a Entry, Link<'a>)> {
        self.levels.iter().find_map(|entry| Some((&**entry, self.default_in_force(entry)?)))
    }

    /// Returns the most granular level that is recalled, with its notices.
    pub(crate) fn recall(&self) -> Option<(&'a Entry, Vec<Link<'a>>)> {
        self.levels.iter().filter(|entry| entry.is_recalled()).find_map(|entry| {
            let notices: Vec<_> = self.links(entry).filter(|link| link.is_recall()).collect();
            (!notices.is_empty()).then_some((&**entry, notices))
        })
    }

    /// Returns the link from the key of the request to what has replaced it.
    pub(crate) fn successor(&self) -> Option<Link<'a>> {
        let entry = self.levels.iter().find(|entry| entry.is_succeeded())?;
        self.links(entry).find(|link| link.is_successor())
    }

    /// Returns the most granular level that has the type, with its links of the type (RES-2.6.2-4).
    pub(crate) fn of_type(&self, link_type: &str) -> Option<(&'a Entry, Vec<Link<'a>>)> {
        self.levels.iter().find_map(|entry| {
            let mut links = Vec::new();
            links.extend(self.links(entry).filter(|link| link.link_type() == link_type));
            (!links.is_empty()).then_some((&**entry, links))
        })
    }
}

/// Applies step C: returns the default link, or the one variant at its level that the request
/// selects.
pub(crate) fn default_or_variant<'a>(
    view: &View<'a>,
    preferences: &Preferences<'_>,
    entry: &'a Entry,
    default: Link<'a>,
    trace: &mut impl Trace,
) -> Link<'a> {
    let at = || entry.anchor().as_str();
    let mut variants: Vec<Link<'a>> = view.variants(entry, default).collect();
    if variants.is_empty() {
        trace.step(
            "C",
            || format!("no type asked, no variants: the default link at {}", at()),
            &[default],
        );
        return default;
    }
    if preferences.is_silent() {
        trace.step(
            "C",
            || format!("nothing asked that could prefer a variant: the default link at {}", at()),
            &[default],
        );
        return default;
    }
    trace.step(
        "C",
        || format!("no type asked: variants beside the default link at {}", at()),
        &variants,
    );
    variants.retain(|&link| !preferences.contradicts(link));
    trace.step("C", || "without those that contradict the request".into(), &variants);
    variants.retain(|&link| preferences.matches(link));
    trace.step("C", || "of these, those that match something asked for".into(), &variants);
    rank(preferences, &mut variants, trace);
    match variants[..] {
        [variant] => {
            trace.step("C", || "one variant is left".into(), &[variant]);
            variant
        }
        _ => {
            let why = if variants.is_empty() {
                "no variant fits"
            } else {
                "variants cannot be told apart"
            };
            trace.step("C", || format!("{why}: the default link"), &[default]);
            default
        }
    }
}

/// Applies steps B.1 to B.4: keeps the links that suit the request best.
pub(crate) fn rank(
    preferences: &Preferences<'_>,
    links: &mut Vec<Link<'_>>,
    trace: &mut impl Trace,
) {
    if links.len() < 2 {
        return;
    }
    let accept = preferences.accept.as_ref();
    // ER-23: a client that accepts anything only states a preference, so language and context are
    // applied first.
    let put_off = accept.is_some_and(Accept::takes_anything);
    match accept {
        Some(accept) if put_off => {
            keep(links, |link| !accept.refuses(link.media_type()));
            trace.step(
                "B.1",
                || "media type put off, as Accept has */*; refused ones go".into(),
                links,
            );
        }
        Some(accept) => {
            keep_best_media_type(accept, links);
            trace.step("B.1", || "best media type".into(), links);
        }
        None => {}
    }
    by_language(preferences, links, trace);
    by_context(preferences, links, trace);
    if let Some(accept) = accept.filter(|_| put_off) {
        keep_best_media_type(accept, links);
        trace.step("B.1", || "best media type, put off before".into(), links);
    }
    by_silence(preferences, links, trace);
}

/// The number of links of one type whose scores are kept without an allocation.
const FEW: usize = 16;

fn keep_best_media_type(accept: &Accept<'_>, links: &mut Vec<Link<'_>>) {
    let scores: SmallVec<[MediaScore; FEW]> =
        links.iter().map(|link| accept.score(link.media_type())).collect();
    let best = scores.iter().max();
    let mut of_each = scores.iter();
    links.retain(|_| of_each.next() == best);
}

/// Applies step B.2, by language.
fn by_language(preferences: &Preferences<'_>, links: &mut Vec<Link<'_>>, trace: &mut impl Trace) {
    let Some(language) = preferences.language() else { return };
    if language.has_refusals() {
        keep(links, |link| {
            !link.has_languages() || !link.languages().all(|tag| language.refuses(tag))
        });
        trace.step("B.2", || "without refused languages".into(), links);
    }
    if !language.ranks() {
        return;
    }
    if language_match::narrow(links, language.preferences(), &|link| link.languages()) {
        trace.step("B.2", || "closest language".into(), links);
    } else {
        keep(links, |link| !link.has_languages());
        trace.step("B.2", || "no language matches; links without one go first".into(), links);
    }
}

/// Applies step B.3, by context.
fn by_context(preferences: &Preferences<'_>, links: &mut Vec<Link<'_>>, trace: &mut impl Trace) {
    if preferences.context.is_absent() {
        return;
    }
    if links.iter().any(|&link| preferences.has_context(link)) {
        keep(links, |link| preferences.has_context(link));
    } else {
        keep(links, |link| !link.has_contexts());
    }
    trace.step("B.3", || "context asked for, else links without context".into(), links);
}

/// Applies step B.4: where the request is silent, a link that states nothing is preferred to links
/// that do (RES-2.6.3-7).
fn by_silence(preferences: &Preferences<'_>, links: &mut Vec<Link<'_>>, trace: &mut impl Trace) {
    if links.len() < 2 {
        return;
    }
    if !preferences.language().is_some_and(AcceptLanguage::ranks) {
        keep(links, |link| !link.has_languages());
        trace.step("B.4", || "no language asked: links without one go first".into(), links);
    }
    if preferences.context.is_absent() {
        keep(links, |link| !link.has_contexts());
        trace.step("B.4", || "no context asked: links without one go first".into(), links);
    }
    if !preferences.accept.as_ref().is_some_and(Accept::names_something) {
        keep(links, |link| link.media_type().is_none());
        trace.step("B.4", || "no media type asked: links without one go first".into(), links);
    }
}

/// Keeps the links that pass the test; keeps all if none passes.
fn keep<'a>(links: &mut Vec<Link<'a>>, test: impl Fn(Link<'a>) -> bool) {
    if links.iter().any(|&link| test(link)) {
        links.retain(|&link| test(link));
    }
}
