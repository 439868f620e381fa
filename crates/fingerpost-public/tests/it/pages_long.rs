//! Pages stay small, whatever is registered and whatever is asked: long linksets are divided into
//! pages, and the home page shows some of the faults of a text.

use std::collections::BTreeSet;

use crate::body;
use crate::page;

use page::{Page, page, router_with};
use serde_json::{Value, json};

/// The largest page, in bytes. It has links of at most 32 KiB, written twice: once to follow, once
/// as JSON-LD.
const LARGEST: usize = 256 << 10;

const KEY: &str = "/01/09780451450524";

/// A level with 500 links; the default link comes last.
fn long_record(title: &str) -> Value {
    let link = |at: usize| {
        let href = format!("https://example.com/{at:03}");
        json!({"linkType": if at < 250 { "gs1:pip" } else { "gs1:faqs" }, "href": href, "title": title})
    };
    let mut links: Vec<Value> = (0..499).map(link).collect();
    links.push(
        json!({"linkType": "gs1:defaultLink", "href": "https://example.com/000", "title": title}),
    );
    json!({"anchor": KEY, "itemDescription": "Book", "links": links})
}

fn following(page: &Page) -> Option<String> {
    let next = page.all("a").into_iter().find(|a| a.attribute("rel") == Some("next"));
    next.and_then(|a| a.attribute("href")).map(str::to_owned)
}

/// The targets of the links on a page.
fn targets(page: &Page) -> BTreeSet<String> {
    let links = page.all("a").into_iter().filter_map(|a| a.attribute("href"));
    links.filter(|href| href.starts_with("https://example.com/")).map(str::to_owned).collect()
}

// RES-2.10-7, RES-2.10-8
#[test]
fn long_linksets_are_divided_into_pages() {
    for (path, first) in [
        (KEY, "?linkType=linkset"),
        (KEY, "?linkType=gs1:nosuch&a=b"),
        ("/uri-res/N2C", "?urn:isbn:9780451450524"),
        ("/urn/urn:isbn:9780451450524", "?s=I2C"),
    ] {
        let router = router_with("", &[long_record("&<\">")]);
        let mut target = format!("{path}{first}");
        let (mut all, mut embedded, mut pages) = (BTreeSet::new(), 0, 0);
        loop {
            let page = page(&router, &target, "en");
            assert!(page.html.len() <= LARGEST, "{target}: {} bytes", page.html.len());
            assert_eq!(page.one("h1").text, "Book");
            // The default link is on the first page, though it was registered last.
            assert_eq!(page.text.contains("Main page"), pages == 0, "{target}");
            let json: Value = serde_json::from_str(&page.script).expect("JSON-LD");
            let types = json["linkset"][0].as_object().expect("a level").values();
            embedded += types.filter_map(Value::as_array).map(Vec::len).sum::<usize>();
            all.extend(targets(&page));
            pages += 1;
            let Some(next) = following(&page) else { break };
            let path = target.split('?').next().unwrap_or_default();
            target = if next.starts_with('?') { format!("{path}{next}") } else { next };
        }
        assert_eq!((pages, all.len(), embedded), (5, 499, 500), "{first}");
    }
}

// RES-2.10-11
#[test]
fn long_choices_are_divided_into_pages() {
    let router = router_with("", &[long_record("Read")]);
    let target = format!("{KEY}?linkType=gs1:pip&x=1");
    let shown = page(&router, &target, "en");
    assert_eq!((shown.status, targets(&shown).len()), (300, 100));
    let next = following(&shown).expect("a second page");
    assert_eq!(next, "?linkType=gs1:pip&x=1&page=2");
    assert_eq!(targets(&page(&router, &format!("{KEY}{next}"), "en")).len(), 100);
    // A page that does not exist is the last one; JSON has every link.
    let last = page(&router, &format!("{KEY}?linkType=gs1:pip&page=77"), "en");
    assert_eq!((targets(&last).len(), following(&last)), (50, None));
    let asked = http::Request::get(format!("{target}&page=2")).header("accept", "application/json");
    let json = body::text(router.handle(&asked.body(()).expect("a request")));
    assert_eq!(json.matches("\"href\"").count(), 250);
}

#[test]
fn large_links_make_pages_of_few_links() {
    let link = |at: usize| json!({"linkType": "gs1:pip", "href": format!("https://example.com/{at:03}?{}", "&".repeat(4_000)), "title": "T"});
    let mut links: Vec<Value> = (0..30).map(link).collect();
    links.push(json!({"linkType": "gs1:defaultLink", "href": links[0]["href"], "title": "T"}));
    let router = router_with("", &[json!({"anchor": KEY, "links": links})]);
    let shown = page(&router, &format!("{KEY}?linkType=linkset"), "en");
    assert!(shown.html.len() <= LARGEST, "{}", shown.html.len());
    assert!(following(&shown).is_some());
}

#[test]
fn the_home_page_shows_twenty_faults() {
    for (question, more) in
        [("(01)1".repeat(819), true), ("(99)^".repeat(500), true), ("(01)1(02)2".to_owned(), false)]
    {
        let shown =
            page(&router_with("", &[]), &format!("/?q={}", question.replace('^', "%5E")), "en");
        let faults = shown.all("mark").len();
        println!("{} bytes, {faults} faults", shown.html.len());
        assert!(shown.html.len() <= 64 << 10, "{} bytes", shown.html.len());
        assert!(faults <= 20, "{faults}");
        assert_eq!(shown.text.contains("more errors are not shown"), more, "{faults}: {question}");
    }
}
