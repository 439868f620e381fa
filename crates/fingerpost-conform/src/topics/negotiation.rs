//! Languages, media types and contexts of a request (sections 2.6.1 and 2.6.3).

use super::{describe, leads_to, parameter};
use crate::check::Check;
use crate::linkset::WebLink;
use crate::message::WebRequest;
use crate::run::{Run, answer};

pub(super) const CHECKS: &[Check] = &[
    Check::shall("variant-language", "2.6.1", &["RES-2.6.1-2", "RES-2.5.8-4"])
        .expects("Accept-Language with the language of a default variant leads to this variant.")
        .needs("variants of the default link with different languages")
        .advice("Let gs1:defaultLinkMulti compete if no type is requested."),
    Check::shall("variant-none", "2.6.1", &["RES-2.6.1-2"])
        .expects("Accept-Language without a variant in this language leads to the default link.")
        .needs("variants of the default link with languages")
        .advice("Use the default link if no variant suits the request."),
    Check::shall("variant-any-language", "2.6.1; RFC 4647, 2.1", &["RES-2.6.1-1"])
        .expects("Accept-Language: * is no preference: it leads to the default link.")
        .needs("variants of the default link with languages")
        .advice("Do not match * with the first variant."),
    Check::should("language", "2.6.3", &["RES-2.6.3-3"])
        .expects("Accept-Language chooses among links of a type in different languages.")
        .needs("links of a type that differ in their language only")
        .advice("Compare the language ranges with hreflang."),
    Check::should("language-case", "RFC 4647, 2", &["RES-2.6.3-4", "RES-2.5.4-2"])
        .expects("Languages are compared without regard to case.")
        .needs("links of a type that differ in their language only")
        .advice("Convert ranges and tags to one case before comparing them."),
    Check::should("language-weights", "2.6.3; RFC 9110, 12.4.2", &["RES-2.6.3-3"])
        .expects("Of several languages, the one with the highest q is used, in any order.")
        .needs("links of a type that differ in their language only")
        .advice("Sort the ranges by q before comparing them."),
    Check::should("language-closest", "2.6.3; RFC 4647, 3.4", &["RES-2.6.3-4"])
        .expects("A range with a region finds the language without it.")
        .needs("a link with a language without a region")
        .advice("Shorten the range from the right until a language is found."),
    Check::should("media-type", "2.6.3", &["RES-2.6.3-2"])
        .expects("Accept chooses among links of a type with different media types.")
        .needs("links of a type that differ in their media type only")
        .advice("Compare Accept with the type of each link."),
    Check::should("context", "2.6.3", &["RES-2.6.3-5", "RES-2.5.6-4"])
        .expects("The parameter context chooses among links of a type with different contexts.")
        .needs("links of a type that differ in their context only")
        .advice("Compare the parameter with the contexts of each link."),
];

pub(super) fn examine(run: &mut Run) {
    variants(run);
    let relations: Vec<String> = run.linkset.relations().into_iter().map(str::to_owned).collect();
    for relation in relations {
        let links: Vec<WebLink> = run.linkset.of_type(&relation).into_iter().cloned().collect();
        let url = format!("{}?linkType={}", run.subject.url(), parameter(&relation));
        languages(run, &url, &links);
        media_types(run, &url, &links);
        contexts(run, &url, &links);
    }
}

fn variants(run: &mut Run) {
    let Some(default) = run.linkset.default_link().cloned() else { return };
    let variants: Vec<WebLink> = run.linkset.variants().into_iter().cloned().collect();
    let url = run.subject.url();
    let (_, plain) = answer!(run, WebRequest::get(&*url));
    if !leads_to(&plain, &default.href) {
        // A finding of `redirect-to-default`; variants of a default that is not used mean nothing.
        return;
    }
    let by_language: Vec<&WebLink> =
        variants.iter().filter(|it| it.contexts.is_empty() && it.media_type.is_none()).collect();
    let languages = single_languages(&by_language);
    if languages.len() != variants.len() || languages.is_empty() {
        return;
    }
    for (language, link) in &languages {
        let request = WebRequest::get(&*url).header("accept-language", *language);
        let (trial, response) = answer!(run, request);
        let found = format!("{}; the variant is {}", describe(&response), link.href);
        run.expect("variant-language", &trial, leads_to(&response, &link.href), found);
    }
    for (id, range) in [("variant-none", "tlh"), ("variant-any-language", "*")] {
        let (trial, response) =
            answer!(run, WebRequest::get(&*url).header("accept-language", range));
        let found = format!("{}; the default link is {}", describe(&response), default.href);
        run.expect(id, &trial, leads_to(&response, &default.href), found);
    }
}

/// Returns the links with one language that no other link has, by language.
fn single_languages<'a>(links: &[&'a WebLink]) -> Vec<(&'a str, &'a WebLink)> {
    let has =
        |link: &WebLink, tag: &str| link.languages.iter().any(|it| it.eq_ignore_ascii_case(tag));
    let single = links.iter().filter_map(|link| match &link.languages[..] {
        [tag] if links.iter().filter(|other| has(other, tag)).count() == 1 => Some((&**tag, *link)),
        _ => None,
    });
    single.collect()
}

/// Tries links that differ in nothing but their single language.
fn languages(run: &mut Run, url: &str, links: &[WebLink]) {
    let all: Vec<&WebLink> = links.iter().collect();
    let single = single_languages(&all);
    let same = |link: &WebLink| {
        (&link.media_type, &link.contexts) == (&links[0].media_type, &links[0].contexts)
    };
    if links.len() < 2 || single.len() != links.len() || !links.iter().all(same) {
        return;
    }
    let try_language = |run: &mut Run, id: &'static str, range: &str, href: &str| {
        let (trial, response) = answer!(run, WebRequest::get(url).header("accept-language", range));
        let found = format!("{}; the link is {href}", describe(&response));
        run.expect(id, &trial, leads_to(&response, href), found);
    };
    for (language, link) in &single {
        try_language(run, "language", language, &link.href);
    }
    if run.has_failed("language") {
        return;
    }
    let (one, two) = (single[0], single[1]);
    try_language(run, "language-case", &two.0.to_ascii_uppercase(), &two.1.href);
    let range = format!("{};q=0.2, {};q=0.8", one.0, two.0);
    try_language(run, "language-weights", &range, &two.1.href);
    if let Some((language, link)) = single.iter().find(|(language, _)| !language.contains('-')) {
        try_language(run, "language-closest", &format!("{language}-ZZ"), &link.href);
    }
}

fn media_types(run: &mut Run, url: &str, links: &[WebLink]) {
    let differ = links.iter().all(|link| {
        let same_type = links.iter().filter(|other| other.media_type == link.media_type).count();
        link.media_type.is_some()
            && same_type == 1
            && (&link.languages, &link.contexts) == (&links[0].languages, &links[0].contexts)
    });
    if links.len() < 2 || !differ {
        return;
    }
    for link in links {
        let accept = link.media_type.as_deref().unwrap_or_default();
        let (trial, response) = answer!(run, WebRequest::get(url).header("accept", accept));
        if leads_to(&response, &link.href) {
            run.expect("media-type", &trial, true, "");
        } else {
            run.depends(
                "media-type",
                &trial,
                format!("{}; the use of Accept is optional", describe(&response)),
            );
        }
    }
}

fn contexts(run: &mut Run, url: &str, links: &[WebLink]) {
    let differ = links.iter().all(|link| {
        let same = links.iter().filter(|other| other.contexts == link.contexts).count();
        link.contexts.len() == 1
            && same == 1
            && (&link.languages, &link.media_type) == (&links[0].languages, &links[0].media_type)
    });
    if links.len() < 2 || !differ {
        return;
    }
    for link in links {
        let url = format!("{url}&context={}", parameter(&link.contexts[0]));
        let (trial, response) = answer!(run, WebRequest::get(url));
        let found = format!("{}; the link is {}", describe(&response), link.href);
        run.expect("context", &trial, leads_to(&response, &link.href), found);
        if let Some(location) = response.location().filter(|_| leads_to(&response, &link.href)) {
            let is_forwarded = location.contains("context=");
            run.expect("query-context", &trial, is_forwarded, describe(&response));
        }
    }
}
