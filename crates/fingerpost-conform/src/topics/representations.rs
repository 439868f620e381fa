//! The formats of a linkset (section 2.10).

use serde_json::Value;

use super::describe;
use super::linkset::JSON;
use crate::check::Check;
use crate::message::{WebRequest, WebResponse};
use crate::run::{Run, answer};

/// The relation of a JSON-LD context.
const CONTEXT: &str = "http://www.w3.org/ns/json-ld#context";

const NEEDS: &str = "a linkset";

pub(super) const CHECKS: &[Check] = &[
    Check::should("format-context-link", "2.10", &["RES-2.10-4"])
        .expects("A linkset as JSON has a Link header to its JSON-LD context.")
        .needs(NEEDS)
        .advice("Send Link: <https://ref.gs1.org/standards/resolver/linkset-context>; rel=\"http://www.w3.org/ns/json-ld#context\"; type=\"application/ld+json\"."),
    Check::shall("format-context-type", "2.10", &["RES-2.10-4"])
        .expects("The Link to the JSON-LD context has type=\"application/ld+json\".")
        .needs("a linkset with a Link to its JSON-LD context")
        .advice("Add the type to the same member of the Link header."),
    Check::should("format-json", "2.10", &["RES-2.10-2"])
        .expects("Accept: application/json with linkType=linkset is answered with the linkset as JSON.")
        .needs(NEEDS)
        .advice("Answer application/json as application/linkset+json."),
    Check::should("format-json-ld", "2.10", &["RES-2.10-6"])
        .expects("Accept: application/ld+json is answered with the linkset and its context inside.")
        .needs(NEEDS)
        .advice("Add @context to the linkset and send it as application/ld+json."),
    Check::should("format-html", "2.10", &["RES-2.10-7"])
        .expects("Accept: text/html with linkType=linkset is answered with an HTML page.")
        .needs(NEEDS)
        .advice("Show people a page instead of JSON."),
    Check::should("format-html-links", "2.10", &["RES-2.10-7"])
        .expects("The page has a hyperlink for each link.")
        .needs("a linkset as HTML")
        .advice("Add the missing links to the page."),
    Check::should("format-html-json-ld", "2.10", &["RES-2.10-8"])
        .expects("The page contains the linkset as JSON-LD.")
        .needs("a linkset as HTML")
        .advice("Embed the linkset in <script type=\"application/ld+json\">."),
    Check::should("format-default-html", "2.10", &["RES-2.10-7"])
        .expects("linkType=linkset without Accept is answered with an HTML page.")
        .needs(NEEDS)
        .advice("Use HTML if the request names no format."),
    Check::should("format-context-file", "2.10", &["RES-2.10-14"])
        .expects("A JSON-LD context on the host of the resolver is served as application/ld+json, with @context, for scripts of other origins.")
        .needs("a Link to a JSON-LD context on the host of the resolver")
        .advice("Serve the file with this media type and Access-Control-Allow-Origin: *."),
    Check::should("format-text", "RFC 9264, 4.1", &["RES-2.10-17"])
        .expects("A linkset as application/linkset has all links, each with its target, relation and anchor.")
        .needs("a resolver that answers Accept: application/linkset with this media type")
        .advice("Write each link as <target>; rel=\"…\"; anchor=\"…\", separated by commas."),
];

pub(super) fn examine(run: &mut Run) {
    if run.linkset.anchors.is_empty() {
        return;
    }
    let url = format!("{}?linkType=linkset", run.subject.url());
    context_link(run, &url);
    let (trial, json) = answer!(run, WebRequest::get(&*url).header("accept", "application/json"));
    let is_json = json.status == 200 && has_member(&json, "linkset");
    run.expect("format-json", &trial, is_json, describe(&json));
    let (trial, ld) = answer!(run, WebRequest::get(&*url).header("accept", "application/ld+json"));
    let is_ld =
        ld.status == 200 && ld.media_type() == "application/ld+json" && has_member(&ld, "@context");
    run.expect("format-json-ld", &trial, is_ld, describe(&ld));
    let (trial, response) = answer!(run, WebRequest::get(&*url));
    let is_html = response.status == 200 && response.media_type() == "text/html";
    run.expect("format-default-html", &trial, is_html, describe(&response));
    html(run, &url);
    text(run, &url);
}

/// The format that the standard does not require.
fn text(run: &mut Run, url: &str) {
    let (trial, text) = answer!(run, WebRequest::get(url).header("accept", "application/linkset"));
    if text.status != 200 || text.media_type() != "application/linkset" {
        return;
    }
    let body = String::from_utf8_lossy(&text.body).into_owned();
    let members: Vec<&str> = body.split('<').skip(1).collect();
    let is_shown = |href: &str| {
        let start = format!("{href}>");
        let of_link = members.iter().filter(|member| member.starts_with(&start));
        of_link.into_iter().any(|member| ["rel=", "anchor="].iter().all(|it| member.contains(it)))
    };
    let missing = run.linkset.links.iter().find(|link| !is_shown(&link.href));
    let found = missing.map(|link| format!("no link to {} with rel and anchor", link.href));
    run.judge("format-text", &trial, found.map_or(Ok(()), Err));
}

/// A context file of the resolver's own.
fn context_file(run: &mut Run, target: &str) {
    if !target.starts_with(&format!("{}/", run.subject.origin)) {
        return;
    }
    let request = WebRequest::get(target).header("origin", "https://app.example.net");
    let (trial, file) = answer!(run, request);
    let holds = file.status == 200
        && file.media_type() == "application/ld+json"
        && file.header("access-control-allow-origin").is_some()
        && has_member(&file, "@context");
    run.expect("format-context-file", &trial, holds, describe(&file));
}

fn html(run: &mut Run, url: &str) {
    let (trial, html) = answer!(run, WebRequest::get(url).header("accept", "text/html"));
    let is_html = html.status == 200 && html.media_type() == "text/html";
    run.expect("format-html", &trial, is_html, describe(&html));
    if !is_html {
        return;
    }
    let page = String::from_utf8_lossy(&html.body).to_ascii_lowercase();
    // Markup can write an ampersand in four ways.
    let plain = page.replace("&amp;", "&").replace("&#38;", "&").replace("&#x26;", "&");
    let is_shown = |href: &str| {
        let href = href.to_ascii_lowercase();
        ["\"", "'", ""].iter().any(|quote| plain.contains(&format!("href={quote}{href}{quote}")))
    };
    let missing = run.linkset.links.iter().find(|link| !is_shown(&link.href));
    let found = missing.map(|link| format!("no hyperlink to {}", link.href));
    run.judge("format-html-links", &trial, found.map_or(Ok(()), Err));
    let embedded = page.contains("application/ld+json");
    run.expect("format-html-json-ld", &trial, embedded, "no script of this type");
}

fn context_link(run: &mut Run, url: &str) {
    let (trial, response) = answer!(run, WebRequest::get(url).header("accept", JSON));
    let header = response.joined("link");
    let member = header.split(',').find(|member| member.contains(CONTEXT));
    run.expect("format-context-link", &trial, member.is_some(), format!("Link {header}"));
    let Some(member) = member else { return };
    let compact = member.replace(' ', "").to_ascii_lowercase();
    let has_type = compact.contains("type=\"application/ld+json\"")
        || compact.contains("type=application/ld+json");
    run.expect("format-context-type", &trial, has_type, format!("Link {member}"));
    let target = member.split_once('<').and_then(|(_, rest)| rest.split_once('>'));
    let Some((target, _)) = target else { return };
    context_file(run, target);
    if !run.description.is_empty() {
        let declared = run.description.get("jsonLdContextLocation").and_then(Value::as_str);
        let found = format!(
            "{} in the description file, {target} in the Link header",
            declared.unwrap_or("nothing")
        );
        run.expect("description-context", &trial, declared == Some(target), found);
    }
}

fn has_member(response: &WebResponse, name: &str) -> bool {
    let value: Value = serde_json::from_slice(&response.body).unwrap_or_default();
    value.get(name).is_some()
}
