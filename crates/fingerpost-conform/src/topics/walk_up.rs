//! Levels: qualifiers that are not registered, and links of the levels above (section 2.5.9).

use super::describe;
use super::linkset::JSON;
use crate::check::Check;
use crate::linkset::Linkset;
use crate::message::WebRequest;
use crate::run::{Run, answer};

/// A value that no level has.
const UNKNOWN: &str = "FPZ7Q2X9";

pub(super) const CHECKS: &[Check] = &[
    Check::shall("level-unknown", "2.5.9", &["RES-2.5.9-6", "RES-2.5.9-7"])
        .expects("A qualifier that is not registered leads to the answer of the level above.")
        .needs("a key that has qualifiers, and a redirect of the bare key")
        .advice("Look for the key without its last qualifier if nothing is registered with it."),
    Check::shall("level-unknown-linkset", "2.5.9, 2.9", &["RES-2.9-4", "RES-2.5.9-4"])
        .expects("The linkset of an unregistered qualifier has the links of the key.")
        .needs("a key that has qualifiers, and a linkset of the bare key")
        .advice("Collect the links of all levels up to the key."),
    Check::shall("level-union", "2.5.9, 2.9", &["RES-2.9-4", "RES-2.5.9-2"])
        .expects("The linkset of a level contains the links of the bare key.")
        .needs("a URI with qualifiers")
        .advice("Add a link context object for each level above."),
    Check::shall("level-qualifiers", "2.1, 2.5.9", &["RES-2.1-2", "RES-2.5.9-7", "RES-2.5.10-8"])
        .expects("Each key qualifier, and each combination in the order of the URI syntax, is understood: unregistered values lead to the answer of the key.")
        .needs("a key that has qualifiers, and a redirect of the bare key")
        .advice("Accept 22, 10, 21 and their combinations or 235 after 01; 22, 10, 21 after 8006."),
    Check::shall("level-combined", "2.5.10", &["RES-2.5.10-4", "RES-2.5.10-8"])
        .expects("An unregistered serial number below a lot or variant leads to the answer of the lot or variant.")
        .needs("a GTIN with a lot or variant that has links of its own")
        .advice("Look for each set of qualifiers that occurs in the request, not only for the whole path."),
    Check::shall("level-literal", "2.5.10", &["RES-2.5.10-5", "RES-2.9-4"])
        .expects("No anchor of a linkset has a qualifier that the request does not have.")
        .needs("a linkset")
        .advice("Leave out levels that are more granular than the request."),
    Check::shall("level-sets", "2.5.10", &["RES-2.5.10-1", "RES-2.5.10-2", "RES-2.5.10-7"])
        .expects("Links of a GTIN or ITIP with a serial number, or with 235, are attached without other qualifiers.")
        .needs("a linkset of a GTIN or ITIP")
        .advice("Register links of items by key and serial number alone."),
];

/// Key qualifiers of a primary key with unregistered values.
fn qualified(ai: &str) -> &'static [&'static str] {
    match ai {
        "01" => &[
            "22/FPZ7",
            "10/FPZ7",
            "21/FPZ7",
            "22/FPZ7/10/FPZ7/21/FPZ7",
            "10/FPZ7/21/FPZ7",
            "235/FPZ7",
        ],
        "8006" => &["22/FPZ7", "10/FPZ7", "21/FPZ7", "22/FPZ7/10/FPZ7/21/FPZ7"],
        "8010" => &["8011/42"],
        "414" => &["254/FPZ7", "7040/1ABC"],
        "415" => &["8020/FPZ7"],
        "417" | "8004" => &["7040/1ABC"],
        "8017" | "8018" => &["8019/42"],
        _ => &[],
    }
}

pub(super) fn examine(run: &mut Run) {
    let subject = run.subject.clone();
    let key_url = subject.key_url();
    let request = WebRequest::get(format!("{key_url}?linkType=linkset")).header("accept", JSON);
    let (_, response) = answer!(run, request);
    let of_key = Linkset::read(&response.body).filter(|_| response.status == 200);
    if !subject.qualifiers.is_empty() && !run.linkset.anchors.is_empty() {
        let url = format!("{}?linkType=linkset", subject.url());
        let (trial, _) = answer!(run, WebRequest::get(url).header("accept", JSON));
        if let Some(of_key) = &of_key {
            let missing = missing(of_key, &run.linkset);
            run.judge("level-union", &trial, missing.map_or(Ok(()), Err));
        }
    }
    let own = run.linkset.clone();
    combined(run, &own);
    sets(run);
    all_qualifiers(run, &key_url);
    let qualifier = match &*subject.ai {
        "01" => "10",
        "414" => "254",
        "417" | "8004" => "7040",
        _ => return,
    };
    let value = if qualifier == "7040" { "9QZZ" } else { UNKNOWN };
    let (_, plain) = answer!(run, WebRequest::get(&*key_url));
    let url = format!("{key_url}/{qualifier}/{value}");
    if plain.is_redirect() {
        let (trial, response) = answer!(run, WebRequest::get(&*url));
        let is_same = response.location() == plain.location();
        // A template can write the qualifier into the target.
        let is_template = response.location().is_some_and(|location| location.contains(value));
        run.expect("level-unknown", &trial, is_same || is_template, describe(&response));
        if !(is_same || is_template) {
            return;
        }
    }
    let Some(of_key) = of_key else { return };
    let url = format!("{url}?linkType=linkset");
    let (trial, response) = answer!(run, WebRequest::get(url).header("accept", JSON));
    let result = match Linkset::read(&response.body).filter(|_| response.status == 200) {
        None => Err(describe(&response)),
        Some(linkset) => missing(&of_key, &linkset).map_or(Ok(()), Err),
    };
    run.judge("level-unknown-linkset", &trial, result);
}

fn all_qualifiers(run: &mut Run, key_url: &str) {
    let (_, plain) = answer!(run, WebRequest::get(key_url));
    if !plain.is_redirect() {
        return;
    }
    for rest in qualified(&run.subject.ai.clone()) {
        let (trial, response) = answer!(run, WebRequest::get(format!("{key_url}/{rest}")));
        // A template can write the qualifiers into the target.
        let location = response.location().unwrap_or_default();
        let holds = response.location() == plain.location() || location.contains("FPZ7");
        run.expect("level-qualifiers", &trial, holds, describe(&response));
    }
}

/// A serial number below a lot or variant with links of its own.
fn combined(run: &mut Run, own: &Linkset) {
    let subject = run.subject.clone();
    let is_lot = ["/10/", "/22/"].iter().any(|it| subject.qualifiers.starts_with(it))
        && !subject.qualifiers.contains("/21/")
        && own.anchors.iter().any(|anchor| anchor.ends_with(&subject.qualifiers));
    let (_, plain) = answer!(run, WebRequest::get(subject.url()));
    if !is_lot || subject.ai != "01" || !plain.is_redirect() {
        return;
    }
    let (trial, response) =
        answer!(run, WebRequest::get(format!("{}/21/{UNKNOWN}", subject.url())));
    let is_same = response.location() == plain.location();
    let is_template = response.location().is_some_and(|location| location.contains(UNKNOWN));
    run.expect("level-combined", &trial, is_same || is_template, describe(&response));
}

/// Judges which qualifiers the anchors of the linkset have.
fn sets(run: &mut Run) {
    let subject = run.subject.clone();
    let url = format!("{}?linkType=linkset", subject.url());
    let (trial, _) = answer!(run, WebRequest::get(url).header("accept", JSON));
    let key = format!("/{}/{}", subject.ai, subject.key);
    for anchor in run.linkset.anchors.clone() {
        let Some((_, rest)) = anchor.split_once(&key) else { continue };
        let ais: Vec<&str> = rest.trim_end_matches('/').split('/').skip(1).step_by(2).collect();
        let requested = format!("{}/", subject.qualifiers);
        let is_requested = ais.iter().all(|ai| requested.contains(&format!("/{ai}/")));
        run.expect("level-literal", &trial, is_requested, format!("anchor {anchor}"));
        if matches!(&*subject.ai, "01" | "8006") {
            let is_alone = ais.len() < 2 || !ais.iter().any(|ai| matches!(*ai, "21" | "235"));
            run.expect("level-sets", &trial, is_alone, format!("anchor {anchor}"));
        }
    }
}

/// Returns the first link that another linkset lacks. Targets can be templates, so only link types
/// are compared.
fn missing(expected: &Linkset, found: &Linkset) -> Option<String> {
    let has = |relation: &str| found.links.iter().any(|link| link.relation == relation);
    let missing = expected.links.iter().find(|link| !has(&link.relation))?;
    Some(format!("no link of type {}, which the key has", missing.relation))
}
