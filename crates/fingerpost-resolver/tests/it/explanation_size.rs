//! Explanations stay small, whatever is registered: links beyond a size are counted, not listed.

use std::sync::Arc;

use fingerpost_resolver::{
    Plan, ResolutionRequest, Rules, Settings, SettingsParts, Vocabulary, read_record,
};
use serde_json::{Value, json};

/// The largest explanation, in bytes: twice the links that are listed, with the names of their
/// members.
const LARGEST: usize = 512 << 10;

#[test]
fn explanations_list_what_has_room_and_count_the_rest() {
    let link = |at: usize| {
        json!({"linkType": "gs1:pip", "href": "https://example.com/p", "title": "T",
            "hreflang": [format!("en-x-{at}"), format!("de-x-{at}")], "context": ["CH", "DE"]})
    };
    let mut links: Vec<Value> = (0..499).map(link).collect();
    links.push(
        json!({"linkType": "gs1:defaultLink", "href": "https://example.com/p", "title": "T"}),
    );
    let vocabulary = Vocabulary::builtin();
    let levels = ["/10/L", ""].map(|level| {
        let anchor = format!("/01/09520123456788{level}");
        let record = json!({"anchor": anchor, "links": links}).to_string();
        Arc::new(read_record(record.as_bytes(), &Rules::new(&vocabulary)).expect("accepted").entry)
    });
    let parts = SettingsParts {
        resolver_root: "https://id.example.org".into(),
        ..SettingsParts::default()
    };
    let settings = Settings::new(parts).expect("valid settings");
    let asked = ResolutionRequest {
        target: b"/01/09520123456788/10/L?linkType=gs1:pip&context=CH",
        accept: b"text/html",
        accept_language: b"de;q=0, en",
        ..ResolutionRequest::default()
    };
    let plan = Plan::of(&settings, &asked);
    let (answer, explanation) = plan.explain(&levels);
    assert_eq!(answer.status(), 300);
    let text = serde_json::to_string(&explanation).expect("JSON");
    assert!(text.len() <= LARGEST, "{} bytes", text.len());
    assert!(explanation.to_string().len() <= LARGEST);
    let value: Value = serde_json::from_str(&text).expect("JSON");
    let count = |part: &Value, name: &str| {
        let omitted = part[format!("{name}Omitted")].as_u64().unwrap_or(0);
        part[name].as_array().expect("links").len() as u64 + omitted
    };
    for level in
        value["levels"].as_array().expect("levels").iter().filter(|level| level["held"] == true)
    {
        assert_eq!(count(level, "links"), 500);
    }
    let steps = value["steps"].as_array().expect("steps");
    assert_eq!(steps.iter().map(|step| count(step, "left")).max(), Some(499));
    let last = steps.last().expect("a step");
    assert!(last["leftOmitted"].as_u64() > Some(0), "{last}");
    assert!(explanation.to_string().contains(" more\n"));
}
