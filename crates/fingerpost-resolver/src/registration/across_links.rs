//! Rules that bind several links of one level (RES-2.5.7-2, RES-2.5.8-1, -3, -5, -7).
//!
//! Windows cut time into spans in which the same links exist. Within a span nothing changes, so it
//! is enough to look at one instant of each: one before all windows, and the beginning of every
//! span. At each instant only the links that exist then count, as
//! [`Contents::links_at`](crate::entry::Contents::links_at) gives them: a default link that
//! another one overrules needs no company, nor does a variant that rests.

use std::collections::HashSet;

use jiff::Timestamp;

use crate::entry::Contents;
use crate::fault::{Findings, shown};
use crate::link::Link;
use crate::media_type::media_type_essence;

/// Finds what is wrong between the links. `pointer` gives the place of the link with an index.
pub(crate) fn check(
    contents: &Contents,
    pointer: &dyn Fn(usize) -> String,
    findings: &mut Findings,
) {
    one_default_per_beginning(contents, pointer, findings);
    let mut seen = HashSet::new();
    for instant in instants(contents) {
        check_at(contents, instant, &mut |index, id, message: String| {
            // The same fault in many spans of time is one fault, reported for the first of them.
            if seen.insert((index, id)) {
                let when = instant.map_or(String::new(), |at| format!(" from {at} on"));
                findings.fault(pointer(index), id, message + &when);
            }
        });
    }
    advise(contents, pointer, findings);
}

/// Default links are told apart by `validFrom`: each only once, also none at all.
fn one_default_per_beginning(
    contents: &Contents,
    pointer: &dyn Fn(usize) -> String,
    findings: &mut Findings,
) {
    for link in contents.defaults() {
        let earlier = contents.defaults().take_while(|other| other.index() < link.index());
        let same = earlier.filter(|other| other.valid_from() == link.valid_from());
        // Two standing ones are the plainer fault.
        let Some(other) = same.max_by_key(|other| !other.has_window()) else { continue };
        let place = pointer(other.index());
        let (id, message) = if link.has_window() || other.has_window() {
            let each = "expected one default link for each beginning of validity";
            ("RES-2.5.7-2", format!("{each}, found another with the same at {place}"))
        } else {
            ("RES-2.5.8-1", format!("expected one default link, found another at {place}"))
        };
        findings.fault(pointer(link.index()), id, message);
    }
}

/// One instant of each span: `None` before all windows, then every edge, in order.
fn instants(contents: &Contents) -> impl Iterator<Item = Option<Timestamp>> + use<> {
    let mut edges: Vec<Timestamp> = contents.window_edges().collect();
    edges.sort_unstable();
    edges.dedup();
    std::iter::once(None).chain(edges.into_iter().map(Some))
}

fn check_at(
    contents: &Contents,
    instant: Option<Timestamp>,
    report: &mut impl FnMut(usize, &'static str, String),
) {
    // Windows begin in 1970 at the earliest, so the least instant lies before all of them.
    let now = instant.unwrap_or(Timestamp::MIN);
    let default = contents.default_link_at(now);
    let variants: Vec<Link<'_>> = contents.default_variants_at(now).collect();
    if default.is_none() && variants.is_empty() {
        return;
    }
    let described: HashSet<&str> = contents
        .links()
        .filter(|link| link.is_valid_at(now) && !link.is_default() && !link.is_default_variant())
        .map(Link::href)
        .collect();
    for link in default.iter().chain(&variants).filter(|link| !link.href().is_empty()) {
        if !described.contains(link.href()) {
            let message = format!(
                "expected the target under a descriptive link type too, found {} only here",
                shown(link.href())
            );
            report(link.index(), "RES-2.5.8-3", message);
        }
    }
    if let (None, Some(variant)) = (default, variants.first()) {
        let message = "expected a default link beside its variant, found none".to_owned();
        report(variant.index(), "RES-2.5.8-7", message);
    }
    let mut known = HashSet::new();
    for variant in &variants {
        if !known.insert(Attributes::of(*variant)) {
            let message = "expected variants that differ in type, hreflang or context, found \
                           another with the same"
                .to_owned();
            report(variant.index(), "RES-2.5.8-5", message);
        }
    }
}

/// What is not wrong but hardly meant.
fn advise(contents: &Contents, pointer: &dyn Fn(usize) -> String, findings: &mut Findings) {
    let mut variants = contents.variants();
    if let (Some(only), None) = (variants.next(), variants.next()) {
        let message = "expected several variants of the default link, found a single one";
        findings.warn(pointer(only.index()), "RES-2.5.8-5", message);
    }
    for variant in contents.variants() {
        if variant.media_type().is_none() && !variant.has_languages() && !variant.has_contexts() {
            let message = "expected type, hreflang or context, found none: never chosen";
            findings.warn(pointer(variant.index()), "RES-2.5.8-4", message);
        }
    }
}

/// What a request can tell variants apart by: letter case, order and repeats do not count.
#[derive(PartialEq, Eq, Hash)]
struct Attributes {
    media_type: Option<String>,
    languages: Vec<String>,
    contexts: Vec<String>,
}

impl Attributes {
    fn of(link: Link<'_>) -> Attributes {
        Attributes {
            media_type: link.media_type().map(|name| media_type_essence(name).into_owned()),
            languages: folded(link.languages()),
            contexts: folded(link.contexts()),
        }
    }
}

fn folded<'l>(values: impl Iterator<Item = &'l str>) -> Vec<String> {
    let mut values: Vec<String> = values.map(str::to_ascii_lowercase).collect();
    values.sort_unstable();
    values.dedup();
    values
}
