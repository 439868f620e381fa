//! Requests for a link type (sections 2.6.2, 2.6.3 and 2.14).

use super::linkset::{JSON, shape};
use super::{describe, leads_to, parameter};
use crate::check::Check;
use crate::limits::MAX_TYPES;
use crate::linkset::Linkset;
use crate::message::WebRequest;
use crate::run::{Run, answer};

pub(super) const CHECKS: &[Check] = &[
    Check::shall("type-redirect", "2.6.2", &["RES-2.6.2-1", "RES-2.5.9-2"])
        .expects("A request for a link type with one link is redirected to it.")
        .needs("a link type with one link")
        .advice("Look for the type at the requested level, then at the levels above it."),
    Check::shall("type-any-attributes", "2.6.3", &["RES-2.6.3-1"])
        .expects("A single link of the type is used, also if its language and media type were not requested.")
        .needs("a link type with one link that has hreflang or type")
        .advice("Compare languages and media types only if there are several links."),
    Check::shall("type-full-uri", "2.14", &["RES-2.14-1"])
        .expects("A link type is also found by its URI, https://ref.gs1.org/voc/NAME.")
        .needs("a link type of GS1 with one link")
        .advice("Treat gs1: as an abbreviation of https://ref.gs1.org/voc/."),
    Check::shall("type-percent-encoded", "2.6.2; RFC 3986, 2.1", &["RES-2.6.2-1", "RES-2.6.2-5"])
        .expects("A link type is also found if its colon is percent-encoded.")
        .needs("a link type of GS1 with one link")
        .advice("Decode the value of linkType once."),
    Check::shall("type-unknown", "2.6.2", &["RES-2.6.2-2"])
        .expects("A request for a link type without links is answered with 404.")
        .advice("Do not use the default link if a type was requested."),
    Check::shall("type-several", "2.6.3", &["RES-2.6.3-8"])
        .expects("Links of a type that the request cannot distinguish are answered with 300, without Location.")
        .needs("several links of a type with the same languages, media type and contexts")
        .advice("List the links in the body of a 300 answer instead of choosing one."),
    Check::shall("type-several-body", "2.10", &["RES-2.10-11", "RES-2.10-3"])
        .expects("The body of a 300 answer is a linkset of the links to choose from.")
        .needs("a 300 answer")
        .advice("Send a linkset with these links only."),
];

pub(super) fn examine(run: &mut Run) {
    if run.linkset.anchors.is_empty() {
        return;
    }
    let url = run.subject.url();
    let (trial, unknown) = answer!(run, WebRequest::get(format!("{url}?linkType=gs1:nosuchlt")));
    run.expect("type-unknown", &trial, unknown.status == 404, describe(&unknown));
    let relations: Vec<String> =
        run.linkset.relations().into_iter().map(str::to_owned).take(MAX_TYPES).collect();
    let mut is_first = true;
    for relation in relations {
        let links: Vec<_> = run.linkset.of_type(&relation).into_iter().cloned().collect();
        let request = format!("{url}?linkType={}", parameter(&relation));
        if let [link] = &links[..] {
            let (trial, response) = answer!(run, WebRequest::get(&*request));
            let leads = leads_to(&response, &link.href);
            let found = format!("{}; the link is {}", describe(&response), link.href);
            run.expect("type-redirect", &trial, leads, found);
            let location = response.location().unwrap_or_default();
            if leads {
                let value = format!("linkType={}", parameter(&relation));
                run.expect(
                    "query-link-type",
                    &trial,
                    location.contains(&value),
                    describe(&response),
                );
                if !link.languages.is_empty() || link.media_type.is_some() {
                    any_attributes(run, &request, &link.href);
                }
                if relation.starts_with("gs1:") && std::mem::take(&mut is_first) {
                    spellings(run, &relation, &link.href);
                }
            }
        } else {
            several(run, &request, &relation);
        }
    }
}

fn any_attributes(run: &mut Run, url: &str, href: &str) {
    let request =
        WebRequest::get(url).header("accept", "model/vrml").header("accept-language", "tlh");
    let (trial, response) = answer!(run, request);
    run.expect("type-any-attributes", &trial, leads_to(&response, href), describe(&response));
}

fn spellings(run: &mut Run, relation: &str, href: &str) {
    let local = relation.strip_prefix("gs1:").unwrap_or_default();
    let full = format!("https://ref.gs1.org/voc/{local}");
    for (id, value) in [("type-full-uri", full), ("type-percent-encoded", format!("gs1%3A{local}"))]
    {
        let url = format!("{}?linkType={value}", run.subject.url());
        let (trial, response) = answer!(run, WebRequest::get(url));
        run.expect(id, &trial, leads_to(&response, href), describe(&response));
    }
}

/// Tries a type whose links all have the same attributes.
fn several(run: &mut Run, url: &str, relation: &str) {
    let links: Vec<_> = run.linkset.of_type(relation).into_iter().cloned().collect();
    let attributes = |index: usize| {
        let link = &links[index];
        (&link.languages, &link.media_type, &link.contexts)
    };
    if (1..links.len()).any(|index| attributes(index) != attributes(0)) {
        return;
    }
    let (trial, response) =
        answer!(run, WebRequest::get(url).header("accept", JSON.replace("linkset+json", "json")));
    let is_list = response.status == 300 && response.header("location").is_none();
    run.expect("type-several", &trial, is_list, describe(&response));
    if !is_list {
        return;
    }
    let value = serde_json::from_slice(&response.body).unwrap_or_default();
    let result = shape(&value).and_then(|()| {
        let body = Linkset::read(&response.body).ok_or("no linkset")?;
        let mut found: Vec<&str> = body.links.iter().map(|link| &*link.href).collect();
        let mut expected: Vec<&str> = links.iter().map(|link| &*link.href).collect();
        found.sort_unstable();
        expected.sort_unstable();
        if found == expected { Ok(()) } else { Err(format!("links {}", found.join(", "))) }
    });
    run.judge("type-several-body", &trial, result);
}
