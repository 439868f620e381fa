//! What is scheduled is in no byte of an answer before its time or after its end, whatever is asked
//! for.

use crate::{body, page};

use fingerpost_public::Router;
use http::Request;
use jiff::{SignedDuration, Timestamp};
use page::router_with;
use serde_json::{Value, json};

const KEY: &str = "/01/09520123456788";

const TYPES: [&str; 7] = [
    "gs1:defaultLinkMulti",
    "gs1:pip",
    "gs1:promotion",
    "gs1:recallStatus",
    "gs1:relatedImage",
    "gs1:recipeInfo",
    "license",
];

/// An item with a page, and links of all types that have ended, or begin later.
#[expect(clippy::disallowed_methods, reason = "the server under test reads the clock")]
fn router() -> Router {
    let now = Timestamp::now();
    let day = |days: i64| (now + SignedDuration::from_hours(24 * days)).to_string();
    let mut links: Vec<Value> = ["gs1:defaultLink", "gs1:pip"]
        .map(|kind| json!({"linkType": kind, "href": "https://example.com/open", "title": "Open"}))
        .into();
    for (name, from, until) in [("over", day(-9), day(-2)), ("soon", day(2), day(9))] {
        let scheduled = |kind: &str, number: usize, further: Value| {
            let mut link = json!({"linkType": kind, "href": format!("https://example.com/secret-{name}-{number}"),
                "title": format!("Secret {name} {number}"), "validFrom": from, "validUntil": until});
            let members = link.as_object_mut().expect("an object");
            members.extend(further.as_object().expect("an object").clone());
            link
        };
        links.push(scheduled("gs1:defaultLink", 99, json!({})));
        links.push(scheduled("gs1:promotion", 99, json!({})));
        for (number, kind) in TYPES.iter().enumerate() {
            links.push(scheduled(kind, number, json!({"hreflang": ["fr"]})));
            if *kind == "gs1:defaultLinkMulti" {
                links.push(scheduled("gs1:promotion", number, json!({"hreflang": ["fr"]})));
            }
        }
    }
    let records = [json!({"anchor": KEY, "itemDescription": "Tea", "links": links})];
    let images = "[brand]\nimage_sources = [\"https://example.com\"]\n";
    router_with(images, &records)
}

#[test]
fn nothing_scheduled_is_in_an_answer_before_its_time_or_after_its_end() {
    let router = router();
    let mut targets = vec![String::new(), "?linkType=linkset".into(), "?linkType=all".into()];
    targets.push("?linkType=gs1:nosuch".into());
    targets.extend(TYPES.iter().map(|kind| format!("?linkType={kind}")));
    for path in ["", "/10/LOT7"] {
        for target in &targets {
            for accept in [
                "*/*",
                "text/html",
                "application/json",
                "application/ld+json",
                "application/linkset+json",
            ] {
                for language in ["en", "fr-CA, en;q=0.1", "ja"] {
                    let target = format!("{KEY}{path}{target}");
                    let request = Request::get(&target)
                        .header("accept", accept)
                        .header("accept-language", language);
                    let response = router.handle(&request.body(()).expect("a request"));
                    let (parts, sent) = response.into_parts();
                    let text =
                        format!("{:?}\n{}", parts.headers, body::text(http::Response::new(sent)));
                    assert!(
                        !text.to_lowercase().contains("secret"),
                        "{target} {accept} {language}: {text}"
                    );
                    assert!(text.contains("example.com/open"), "{target} {accept}: {text}");
                }
            }
        }
    }
}
