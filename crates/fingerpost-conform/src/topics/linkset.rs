//! The linkset: how it is requested, and its contents (sections 2.5, 2.9 and 2.10).

use std::rc::Rc;

use serde_json::{Map, Value};

use super::describe;
use super::description::is_web;
use crate::check::{Check, Release};
use crate::linkset::{Linkset, compact, contexts, is_metadata, targets};
use crate::message::{Trial, WebRequest};
use crate::run::{Run, answer};

/// The media type of linksets (RFC 9264).
pub(super) const JSON: &str = "application/linkset+json";

const NEEDS: &str = "a linkset";

pub(super) const CHECKS: &[Check] = &[
    Check::shall("linkset-by-type", "2.9", &["RES-2.9-1", "RES-2.9-3", "RES-2.2-9"])
        .expects("linkType=linkset is answered with status 200, without a redirect.")
        .advice("Give a URI that has links, and answer linkType=linkset with the linkset."),
    Check::shall("linkset-by-accept", "2.9", &["RES-2.9-2", "RES-2.9-3", "RES-2.2-9"])
        .expects("Accept: application/linkset+json is answered with status 200, without a redirect.")
        .needs(NEEDS)
        .advice("Answer this media type with the linkset, also without linkType."),
    Check::shall("linkset-content-type", "2.10", &["RES-2.10-1"])
        .expects("Content-Type is application/linkset+json.")
        .needs(NEEDS)
        .advice("Set the media type; parameters may follow it."),
    Check::shall("linkset-shape", "2.10; RFC 9264, 4.2", &["RES-2.10-3"])
        .expects("The body is a JSON object with one member, linkset, an array of link context objects with anchors.")
        .needs(NEEDS)
        .advice("Validate the body with GS1's linkset schema."),
    Check::shall("linkset-anchor", "2.3, 2.9", &["RES-2.3-4", "RES-2.9-4"])
        .expects("Each anchor is the URI of the request or of a level above it: uncompressed, without query.")
        .needs(NEEDS)
        .advice("Build anchors from resolverRoot and the path of the level."),
    Check::shall("linkset-relation", "2.5.2", &["RES-2.5.2-1", "RES-2.5.2-3"])
        .expects("Each link type is a http or https URI of letters, digits, dots and slashes, or a registered relation name.")
        .needs(NEEDS)
        .advice("Write types of GS1 as https://ref.gs1.org/voc/NAME; a prefix such as gs1: is no URI here."),
    Check::shall("linkset-namespace", "2.14", &["RES-2.14-1"])
        .expects("Link types of GS1 are in the namespace https://ref.gs1.org/voc/.")
        .needs("a linkset with link types of GS1")
        .advice("Write https://ref.gs1.org/voc/ in linksets; accept the older spellings in requests."),
    Check::shall("linkset-href", "2.5.1", &["RES-2.5.1-1", "RES-2.5.1-2"])
        .expects("Each link has href, an absolute http or https URL in ASCII.")
        .needs(NEEDS)
        .advice("Convert international addresses to Punycode and percent-encoding."),
    Check::shall("linkset-title", "2.5.3", &["RES-2.5.3-1"])
        .expects("Each link has a title that is not empty.")
        .needs(NEEDS)
        .advice("Add a title that people can read."),
    Check::shall("linkset-arrays", "2.5.4, 2.5.6, 2.10", &["RES-2.5.4-3", "RES-2.5.6-2", "RES-2.10-9"])
        .expects("hreflang and context are arrays of strings.")
        .needs(NEEDS)
        .advice("Write [\"en\"] instead of \"en\"."),
    Check::shall("linkset-languages", "2.5.4", &["RES-2.5.4-2"])
        .expects("Each hreflang is a language tag of BCP 47.")
        .needs("a linkset with hreflang")
        .advice("Write en or fr-CA instead of the name of the language."),
    Check::shall("linkset-media-types", "2.5.5", &["RES-2.5.5-2"])
        .expects("Each type is a media type.")
        .needs("a linkset with type")
        .advice("Write a media type that IANA lists, such as text/html."),
    Check::shall("linkset-members", "2.10", &["RES-2.10-3", "RES-2.5.7-1"])
        .since(Release::V1_2)
        .expects("Links have no members other than href, title, type, hreflang, context, fwqs and public.")
        .needs(NEEDS)
        .advice("Leave out members of your own; GS1's schema does not allow them."),
    Check::shall("linkset-default-one", "2.5.8, 2.5.9", &["RES-2.5.8-1", "RES-2.5.9-1"])
        .expects("There is a gs1:defaultLink, and at most one for each anchor.")
        .needs(NEEDS)
        .advice("Register one default link for the key, and at most one for each level below it."),
    Check::shall("linkset-default-plain", "2.5.8", &["RES-2.5.8-2"])
        .expects("A gs1:defaultLink has a title, but no type, hreflang or context.")
        .needs("a linkset with gs1:defaultLink")
        .advice("Use gs1:defaultLinkMulti for variants of the default link."),
    Check::shall("linkset-default-typed", "2.5.8", &["RES-2.5.8-3"])
        .expects("The target of each default link also has a descriptive link type.")
        .needs("a linkset with gs1:defaultLink")
        .advice("Register the same target as gs1:pip, for example."),
];

pub(super) fn examine(run: &mut Run) {
    let url = run.subject.url();
    let request = WebRequest::get(format!("{url}?linkType=linkset")).header("accept", JSON);
    let (trial, response) = answer!(run, request);
    let is_answered = response.status == 200;
    run.expect("linkset-by-type", &trial, is_answered, describe(&response));
    let (accept_trial, by_accept) = answer!(run, WebRequest::get(url).header("accept", JSON));
    if !is_answered {
        return;
    }
    run.expect("linkset-by-accept", &accept_trial, by_accept.status == 200, describe(&by_accept));
    let media_type = response.media_type();
    let found = format!("Content-Type {}", response.header("content-type").unwrap_or("missing"));
    run.expect("linkset-content-type", &trial, media_type == JSON, found);
    let value: Value = serde_json::from_slice(&response.body).unwrap_or_default();
    let shape = shape(&value);
    let is_sound = shape.is_ok();
    run.judge("linkset-shape", &trial, shape);
    let Some(linkset) = Linkset::read(&response.body).filter(|_| is_sound) else { return };
    run.linkset = linkset;
    anchors(run, &trial);
    links(run, &trial, &value);
    defaults(run, &trial, &value);
}

/// Judges the outer members, and that link types have arrays of objects.
pub(super) fn shape(value: &Value) -> Result<(), String> {
    let object = value.as_object().ok_or("no JSON object")?;
    let list = object.get("linkset").and_then(Value::as_array).ok_or("no array linkset")?;
    if let Some(other) = object.keys().find(|key| *key != "linkset") {
        return Err(format!("a member {other}"));
    }
    if list.is_empty() {
        return Err("an empty linkset".to_owned());
    }
    for context in list {
        let context = context.as_object().ok_or("a link context object that is no object")?;
        let anchor = context.get("anchor").and_then(Value::as_str).ok_or("no anchor")?;
        for (member, value) in context.iter().filter(|(member, _)| !is_metadata(member)) {
            let links = value.as_array().filter(|links| links.iter().all(Value::is_object));
            links.ok_or_else(|| format!("no array of links for {member} of {anchor}"))?;
        }
    }
    Ok(())
}

fn anchors(run: &mut Run, trial: &Rc<Trial>) {
    // The host can differ: a resolver is tested before its name points to it.
    let path = format!("/{}/{}", run.subject.ai, run.subject.key);
    let is_own = |anchor: &&String| {
        let path = anchor.split_once(&path).map(|(_, rest)| rest);
        is_web(anchor)
            && path.is_some_and(|rest| {
                (rest.is_empty() || rest.starts_with('/'))
                    && !rest.ends_with('/')
                    && !rest.contains(['?', '#'])
            })
    };
    let wrong = run.linkset.anchors.iter().find(|anchor| !is_own(anchor)).cloned();
    run.judge("linkset-anchor", trial, wrong.map_or(Ok(()), |it| Err(format!("anchor {it}"))));
}

fn links(run: &mut Run, trial: &Rc<Trial>, value: &Value) {
    for object in contexts(value) {
        for relation in object.keys().filter(|member| !is_metadata(member)) {
            run.expect("linkset-relation", trial, is_relation(relation), relation.as_str());
            if compact(relation).starts_with("gs1:") && is_relation(relation) {
                let is_current = relation.starts_with("https://ref.gs1.org/voc/");
                run.expect("linkset-namespace", trial, is_current, relation.as_str());
            }
        }
        for (relation, link) in targets(object) {
            link_members(run, trial, relation, link);
        }
    }
}

fn link_members(run: &mut Run, trial: &Rc<Trial>, relation: &str, link: &Map<String, Value>) {
    let text = |name: &str| link.get(name).and_then(Value::as_str);
    let shown = |name: &str| {
        let value = link.get(name).map_or_else(|| "missing".to_owned(), ToString::to_string);
        format!("{name} {value} of a link of type {relation}")
    };
    let href = text("href");
    run.expect("linkset-href", trial, href.is_some_and(is_web), shown("href"));
    let has_title = text("title").is_some_and(|title| !title.trim().is_empty());
    run.expect("linkset-title", trial, has_title, shown("title"));
    for name in ["hreflang", "context"] {
        let Some(value) = link.get(name) else { continue };
        let texts: Option<Vec<&str>> =
            value.as_array().and_then(|list| list.iter().map(Value::as_str).collect());
        // For context, release 1.2 says so; for hreflang, RFC 9264.
        if name == "hreflang" || run.standard() >= Release::V1_2 {
            run.expect("linkset-arrays", trial, texts.is_some(), shown(name));
        }
        if let ("hreflang", Some(tags)) = (name, texts) {
            let holds = tags.iter().all(|tag| is_language(tag));
            run.expect("linkset-languages", trial, holds, shown(name));
        }
    }
    if let Some(value) = link.get("type") {
        let holds = value.as_str().is_some_and(is_media_type);
        run.expect("linkset-media-types", trial, holds, shown("type"));
    }
    let known = ["href", "title", "type", "hreflang", "context", "fwqs", "public"];
    let other = link.keys().find(|name| !known.contains(&name.as_str()));
    run.judge("linkset-members", trial, other.map_or(Ok(()), |name| Err(shown(name))));
}

fn defaults(run: &mut Run, trial: &Rc<Trial>, value: &Value) {
    let mut count = 0;
    for object in contexts(value) {
        let is_default = |relation: &str| compact(relation).starts_with("gs1:defaultLink");
        let hrefs = |of_default: bool| {
            let links = targets(object).filter(move |(it, _)| is_default(it) == of_default);
            links.filter_map(|(_, link)| link.get("href").and_then(Value::as_str))
        };
        let described: Vec<&str> = hrefs(false).collect();
        let lonely = hrefs(true).find(|href| !described.contains(href));
        let found = lonely.map(|href| format!("{href} only as default link"));
        run.judge("linkset-default-typed", trial, found.map_or(Ok(()), Err));
        let defaults = targets(object).filter(|(it, _)| compact(it) == "gs1:defaultLink");
        let mut here = 0;
        for (_, link) in defaults {
            here += 1;
            let extra =
                ["type", "hreflang", "context"].into_iter().find(|it| link.contains_key(*it));
            let found = extra.map(|name| format!("a gs1:defaultLink with {name}"));
            run.judge("linkset-default-plain", trial, found.map_or(Ok(()), Err));
        }
        let anchor = object.get("anchor").and_then(Value::as_str).unwrap_or_default();
        run.expect(
            "linkset-default-one",
            trial,
            here <= 1,
            format!("{here} default links of {anchor}"),
        );
        count += here;
    }
    run.expect("linkset-default-one", trial, count > 0, "no gs1:defaultLink");
}

fn is_relation(relation: &str) -> bool {
    let uri = relation.strip_prefix("https://").or_else(|| relation.strip_prefix("http://"));
    match uri {
        Some(rest) => {
            let plain = |it: char| it.is_ascii_alphanumeric() || matches!(it, '.' | '/');
            !rest.is_empty() && rest.chars().all(plain)
        }
        None => {
            !relation.is_empty() && relation.chars().all(|it| it.is_ascii_lowercase() || it == '-')
        }
    }
}

/// Whether a text has the form of RFC 5646, section 2.1, with a primary language of two or three
/// letters.
fn is_language(tag: &str) -> bool {
    let mut subtags = tag.split('-');
    let first = subtags.next().unwrap_or_default();
    let is_first = matches!(first.len(), 2 | 3) && first.chars().all(|it| it.is_ascii_alphabetic());
    is_first
        && subtags
            .all(|it| matches!(it.len(), 1..=8) && it.chars().all(|it| it.is_ascii_alphanumeric()))
}

fn is_media_type(text: &str) -> bool {
    let part = |it: &str| {
        !it.is_empty()
            && it.chars().all(|it| it.is_ascii_alphanumeric() || "!#$&-^_.+".contains(it))
    };
    let registered = [
        "application",
        "audio",
        "example",
        "font",
        "haptics",
        "image",
        "message",
        "model",
        "multipart",
        "text",
        "video",
    ];
    text.split_once('/')
        .is_some_and(|(kind, rest)| registered.contains(&&*kind.to_ascii_lowercase()) && part(rest))
}
