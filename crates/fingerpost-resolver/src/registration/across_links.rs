//! Rules across several links of one level (RES-2.5.7-2, RES-2.5.8-1, -3, -5, -7).
//!
//! Windows cut time into spans in which the same links exist. Nothing changes within a span, so it
//! is enough to check one instant of each: one before all windows, and the beginning of every span.
//! At each instant, only the links that exist then are checked, as returned by
//! [`Contents::links_in_force`](crate::entry::Contents::links_in_force): an overruled default link
//! needs no descriptive link, nor does a suspended variant.

use std::collections::{HashMap, HashSet};
use std::hash::Hash;

use jiff::Timestamp;

use crate::entry::{Contents, Link};
use crate::fault::{Findings, shown};
use crate::media_type::media_type_essence;

/// Finds faults between the links. `pointer` returns the position of the link with an index.
pub(crate) fn check(
    contents: &Contents,
    pointer: &dyn Fn(usize) -> String,
    findings: &mut Findings,
) {
    if !is_simple(contents) {
        check_thoroughly(contents, pointer, findings);
    }
}

fn check_thoroughly(
    contents: &Contents,
    pointer: &dyn Fn(usize) -> String,
    findings: &mut Findings,
) {
    one_default_per_beginning(contents, pointer, findings);
    let alike = Alike::of(contents);
    let mut seen = HashSet::new();
    for instant in instants(contents) {
        check_at(contents, &alike, instant, &mut |link, id, message| {
            // The same fault in several spans is one fault, reported for the first of them.
            if seen.insert((link.index(), id)) {
                let when = instant.map_or(String::new(), |at| format!(" from {at} on"));
                let advice = if id == "RES-2.5.8-3" { one_line(link) } else { "" };
                findings.fault(pointer(link.index()), id, message(link) + &when + advice);
            }
        });
    }
    advise(contents, pointer, findings);
}

/// Returns how a link is written that is a default link and descriptive at once.
fn one_line(link: Link<'_>) -> &'static str {
    match link.is_default() {
        true => r#"; one link is both with "linkType": "gs1:pip", "default": true"#,
        false => r#"; one link is both with "linkType": "gs1:pip", "default": "variant""#,
    }
}

/// Returns whether there is one default link without a window, described under another type, and
/// nothing else that any rule is about: true of nearly all records, and cheap to find out.
fn is_simple(contents: &Contents) -> bool {
    let mut defaults = contents.defaults();
    let (Some(default), None) = (defaults.next(), defaults.next()) else { return false };
    let describes =
        |link: Link<'_>| !link.is_default() && !link.has_access() && link.href() == default.href();
    !contents.links().any(|link| link.has_window() || link.is_default_variant())
        && contents.links().any(describes)
}

/// Checks that each `validFrom` (or none) occurs only once among default links, because it tells
/// them apart.
fn one_default_per_beginning(
    contents: &Contents,
    pointer: &dyn Fn(usize) -> String,
    findings: &mut Findings,
) {
    for link in contents.defaults() {
        let earlier = contents.defaults().take_while(|other| other.index() < link.index());
        let same = earlier.filter(|other| other.valid_from() == link.valid_from());
        // Two default links without a window are the easier fault to understand.
        let Some(other) = same.max_by_key(|other| !other.has_window()) else { continue };
        let other_pointer = pointer(other.index());
        let (id, message) = if link.has_window() || other.has_window() {
            let each = "expected one default link for each beginning of validity";
            ("RES-2.5.7-2", format!("{each}, found another with the same at {other_pointer}"))
        } else {
            ("RES-2.5.8-1", format!("expected one default link, found another at {other_pointer}"))
        };
        findings.fault(pointer(link.index()), id, message);
    }
}

/// Returns one instant of each span: `None` before all windows, then every edge, in order.
fn instants(contents: &Contents) -> impl Iterator<Item = Option<Timestamp>> + use<> {
    let mut edges: Vec<Timestamp> = contents.window_edges().collect();
    edges.sort_unstable();
    edges.dedup();
    std::iter::once(None).chain(edges.into_iter().map(Some))
}

fn check_at<'c>(
    contents: &'c Contents,
    alike: &Alike,
    instant: Option<Timestamp>,
    report: &mut impl FnMut(Link<'c>, &'static str, fn(Link<'_>) -> String),
) {
    // Windows begin in 1970 at the earliest, so the least instant is before all of them.
    let now = instant.unwrap_or(Timestamp::MIN);
    let exists = |link: Link<'_>| link.is_valid_at(now);
    let default = contents.default_in_force(exists);
    let variants: Vec<Link<'_>> = contents.variants_in_force(default, exists).collect();
    if default.is_none() && variants.is_empty() {
        return;
    }
    let described: HashSet<usize> = contents
        .links()
        .filter(|link| link.is_valid_at(now) && !link.is_default() && !link.is_default_variant())
        // The rule holds for what everyone sees.
        .filter(|link| !link.has_access())
        .map(|link| alike.target[link.index()])
        .collect();
    for &link in default.iter().chain(&variants).filter(|link| !link.href().is_empty()) {
        if !described.contains(&alike.target[link.index()]) {
            report(link, "RES-2.5.8-3", |link| {
                let target = shown(link.href());
                format!(
                    "expected the target under a descriptive link type too, found {target} only here"
                )
            });
        }
    }
    if let (None, Some(&variant)) = (default, variants.first()) {
        report(variant, "RES-2.5.8-7", |_| {
            "expected a default link beside its variant, found none".to_owned()
        });
    }
    let mut known = HashSet::new();
    for variant in variants {
        if !known.insert(alike.attributes[variant.index()]) {
            report(variant, "RES-2.5.8-5", |_| {
                let expected = "expected variants that differ in type, hreflang or context";
                format!("{expected}, found another with the same")
            });
        }
    }
}

/// Warns about links that are valid but probably not intended.
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

/// Numbers that say which links have the same target, and which the same attributes: one number for
/// each link, equal for links that are alike. Computed once, regardless of the number of spans.
struct Alike {
    target: Vec<usize>,
    attributes: Vec<usize>,
}

impl Alike {
    fn of(contents: &Contents) -> Alike {
        // Only variants are compared by their attributes.
        let attributes = |link: Link<'_>| link.is_default_variant().then(|| Attributes::of(link));
        Alike {
            target: numbers(contents.links().map(Link::href)),
            attributes: numbers(contents.links().map(attributes)),
        }
    }
}

/// Returns a number for each key, the same for equal keys.
fn numbers<K: Eq + Hash>(keys: impl Iterator<Item = K>) -> Vec<usize> {
    let mut known = HashMap::new();
    keys.map(|key| {
        let next = known.len();
        *known.entry(key).or_insert(next)
    })
    .collect()
}

/// The attributes by which a request can distinguish variants: letter case, order and repeats are
/// ignored.
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

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::record::contents_of;
    use crate::{Rules, Vocabulary};

    fn link() -> impl Strategy<Value = String> {
        const TYPES: [&str; 4] = ["defaultLink", "defaultLinkMulti", "pip", "promotion"];
        let window = prop::option::of((1_u8..9, 11_u8..19));
        (prop::sample::select(&TYPES[..]), prop::sample::select(&["a", "b"][..]), window).prop_map(
            |(link_type, target, window)| {
                let window = window.map_or(String::new(), |(from, until)| {
                    let day = |day| format!("2026-05-{day:02}T00:00:00Z");
                    format!(r#","validFrom":"{}","validUntil":"{}""#, day(from), day(until))
                });
                format!(
                    r#"{{"linkType":"gs1:{link_type}","href":"https://example.com/{target}","title":"T"{window}}}"#
                )
            },
        )
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(2_000))]

        #[test]
        fn what_looks_simple_has_no_fault(links in prop::collection::vec(link(), 1..5)) {
            let json = format!(r#"{{"anchor":"/01/09520123456788","links":[{}]}}"#, links.join(","));
            let vocabulary = Vocabulary::builtin();
            let contents = contents_of(json.as_bytes(), &Rules::new(&vocabulary));
            if is_simple(&contents) {
                let mut findings = Findings::default();
                check_thoroughly(&contents, &|index| index.to_string(), &mut findings);
                prop_assert!(findings.faults.is_empty() && findings.warnings.is_empty(), "{json}");
            }
        }
    }
}
