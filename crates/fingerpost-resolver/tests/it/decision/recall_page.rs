//! Recalls without an address: requests get the page of the resolver.

use std::sync::Arc;

use fingerpost_resolver::{
    Anchor, Entry, Format, Outcome, Plan, RecallNotice, ResolutionRequest, Rules, read_record,
    recall_page, recall_record,
};
use serde_json::Value;

use crate::decision::{entry, get, linkset, settings};

const KEY: &str = "/01/09520123456788";

/// The record of a recall of a level, as it is stored.
fn recalled(anchor: &str) -> Arc<Entry> {
    let settings = settings();
    let level = Anchor::parse(&[KEY, anchor].concat()).expect("an anchor");
    let page = recall_page(settings.root(), &level).expect("a page");
    let record = recall_record(&level, None, &[RecallNotice::default()], Some(&page));
    let record = record.expect("an address");
    let rules = Rules::new(settings.vocabulary()).with_resolver_root(settings.root());
    Arc::new(read_record(record.as_bytes(), &rules).expect("a valid record").entry)
}

fn product() -> Arc<Entry> {
    entry(
        r#"{"anchor": "/01/09520123456788", "links": [
        {"linkType": "gs1:pip", "href": "https://a.example/", "title": "A", "default": true}]}"#,
    )
}

fn html(target: &str) -> ResolutionRequest<'_> {
    ResolutionRequest { accept: b"text/html", ..get(target) }
}

/// PE-30, RES-2.11-1: a scan of a recalled lot, of one in a recalled range, or of an item of one,
/// gets the page itself, and so does a request for the recall; other requests are as usual.
#[test]
fn a_scan_gets_the_page_and_not_a_redirect() {
    let settings = settings();
    for anchor in ["/10/L150", "/-range/10/4/L100/L199", "/-any/10"] {
        let levels = [recalled(anchor), product()];
        for tail in ["", "/21/S", "?linkType=gs1:recallStatus", "?linkType=recallStatus&a=b"] {
            let target = [KEY, "/10/L150", tail].concat();
            let asked = html(&target);
            let plan = Plan::of(&settings, &asked);
            let answer = plan.answer(&levels);
            assert_eq!((answer.status(), answer.location()), (200, None), "{anchor} {target}");
            let is_page = matches!(answer.outcome(), Outcome::Linkset(_, Format::Html));
            assert!(is_page, "{anchor} {target}: {answer:?}");
            assert_eq!(answer.freshness().cache_control().as_deref(), Some("no-cache"));
        }
        let target = [KEY, "/10/L150?linkType=gs1:pip"].concat();
        let asked = html(&target);
        let plan = Plan::of(&settings, &asked);
        let location = plan.answer(&levels).location().map(str::to_owned);
        assert_eq!(location.as_deref(), Some("https://a.example/?linkType=gs1:pip"), "{anchor}");
    }
}

/// PE-30: programs see the recall in the linkset, with an address that answers.
#[test]
fn the_linkset_has_the_address_of_the_page() {
    let settings = settings();
    let levels = [recalled("/-range/10/4/L100/L199"), product()];
    let asked = get("/01/09520123456788/10/L150?linkType=linkset");
    let plan = Plan::of(&settings, &asked);
    let json: Value = serde_json::from_str(&linkset(&plan, &levels).to_json()).expect("JSON");
    let notices = &json["linkset"][0]["https://ref.gs1.org/voc/recallStatus"];
    let page = "https://id.example.org/01/09520123456788/10/L150?linkType=linkset";
    assert_eq!(notices[0]["href"], page);
    assert_eq!(notices[0]["title"], "Recall");
}

/// PE-30, RES-2.5.1-8: only a notice can lead to the page, and only to that of its own level.
#[test]
fn other_links_to_this_resolver_are_refused() {
    let settings = settings();
    let rules = Rules::new(settings.vocabulary()).with_resolver_root(settings.root());
    let page = "https://id.example.org/01/09520123456788/10/L1?linkType=linkset";
    for (link_type, href, is_valid) in [
        ("gs1:recallStatus", page, true),
        ("gs1:pip", page, false),
        ("gs1:recallStatus", &page.replace("/10/L1", "/10/L2"), false),
        ("gs1:recallStatus", &page.replace("/10/L1", ""), false),
        ("gs1:recallStatus", &page.replace("linkset", "all"), false),
        ("gs1:recallStatus", &page.replace("https", "http"), false),
    ] {
        let record = format!(
            r#"{{"anchor": "/01/09520123456788/10/L1", "links": [
            {{"linkType": "{link_type}", "href": "{href}", "title": "R"}}]}}"#
        );
        let read = read_record(record.as_bytes(), &rules);
        assert_eq!(read.is_ok(), is_valid, "{link_type} {href}: {read:?}");
    }
}
