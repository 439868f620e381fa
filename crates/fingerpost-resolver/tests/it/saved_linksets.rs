//! A linkset that is saved, and imported into an empty store, is answered again (RES-2.9-8): one
//! context object for each level, whatever records of the level, of ranges, of any value and of
//! company prefixes it comes from.

use std::sync::Arc;

use fingerpost_resolver::{
    Entry, Outcome, Plan, ResolutionRequest, Rules, Settings, SettingsParts, Vocabulary,
    read_linkset_context, read_record,
};
use proptest::prelude::*;
use proptest::sample::{select, subsequence};
use serde_json::{Value, json};

const GTIN: &str = "01/09520123456788";

/// Anchors that apply to the lot of the requests, or to its product.
const ANCHORS: [&str; 8] = [
    "/01/09520123456788/10/L1",
    "/01/09520123456788/-range/10/2/L0/L9",
    "/01/09520123456788/-any/10",
    "/01/09520123456788/22/V",
    "/01/09520123456788/-any/22",
    "/01/09520123456788",
    "/gcp/9520123",
    "/gcp/952012",
];

const TARGETS: [&str; 3] =
    ["https://example.com/a", "https://example.com/b", "https://example.com/c?{01}"];

const VOC: &str = "https://ref.gs1.org/voc/";

fn settings() -> Settings {
    let root = "https://id.example.org".into();
    Settings::new(SettingsParts { resolver_root: root, ..SettingsParts::default() }).unwrap()
}

/// The records that apply to a request, most specific first, as a store finds them.
fn applying(plan: &Plan<'_>, held: &[Arc<Entry>]) -> Vec<Arc<Entry>> {
    let key = plan.key().expect("a key");
    let mut found: Vec<_> = held
        .iter()
        .filter_map(|entry| Some((entry.anchor().specificity(key)?, entry.clone())))
        .collect();
    found.sort_by_key(|(specificity, _)| *specificity);
    let mut has_company = false;
    found.retain(|(_, entry)| {
        let is_second = entry.anchor().as_str().starts_with("gcp/") && has_company;
        has_company |= entry.anchor().as_str().starts_with("gcp/");
        !is_second
    });
    found.into_iter().map(|(_, entry)| entry).collect()
}

/// Returns the JSON of the linkset, or where a redirect leads, or the targets of a choice.
fn answer(held: &[Arc<Entry>], target: &str) -> Result<String, String> {
    let settings = settings();
    let asked = ResolutionRequest { target: target.as_bytes(), ..ResolutionRequest::default() };
    let plan = Plan::of(&settings, &asked);
    let levels = applying(&plan, held);
    match plan.answer(&levels).into_outcome() {
        Outcome::Linkset(linkset, _) | Outcome::Choices(linkset, _) => {
            Ok(sorted(&linkset.to_json()))
        }
        Outcome::Redirect(redirect) => Err(redirect.location().to_owned()),
        Outcome::LinkTypeNotAvailable(..) => Err("not available".to_owned()),
        Outcome::NoDefault(..) => Err("no default".to_owned()),
        other => Err(format!("{other:?}")),
    }
}

/// Returns JSON with its members in order, as reading it into a value of `serde_json` sorts them.
fn sorted(json: &str) -> String {
    serde_json::from_str::<Value>(json).expect("JSON").to_string()
}

fn import(linkset: &str) -> Vec<Arc<Entry>> {
    let vocabulary = Vocabulary::builtin();
    let document: Value = serde_json::from_str(linkset).expect("JSON");
    let contexts = document["linkset"].as_array().expect("an array").iter();
    let read = |context: &Value| {
        let read = read_linkset_context(context.to_string().as_bytes(), &Rules::new(&vocabulary));
        Arc::new(read.unwrap_or_else(|refused| panic!("{refused:?} in {linkset}")).entry)
    };
    contexts.map(read).collect()
}

fn record(anchor: &str, links: &[Value]) -> Arc<Entry> {
    let record = json!({ "anchor": anchor, "links": links });
    let vocabulary = Vocabulary::builtin();
    Arc::new(read_record(record.to_string().as_bytes(), &Rules::new(&vocabulary)).unwrap().entry)
}

fn link(link_type: &str, href: &str) -> Value {
    json!({ "linkType": link_type, "href": href, "title": "T" })
}

/// One context object, and one default link, for each anchor.
fn assert_one_of_each(linkset: &str) {
    let document: Value = serde_json::from_str(linkset).expect("JSON");
    let mut anchors = Vec::new();
    for context in document["linkset"].as_array().expect("an array") {
        anchors.push(context["anchor"].as_str().expect("text"));
        let default = &context[format!("{VOC}defaultLink")];
        assert!(default.as_array().is_none_or(|links| links.len() == 1), "{linkset}");
    }
    let count = anchors.len();
    anchors.sort_unstable();
    anchors.dedup();
    assert_eq!(anchors.len(), count, "{linkset}");
}

/// RES-2.9-8, RES-2.5.8-1, RES-2.5.9-8: the product's default stays, and types that it lacks come
/// from the company.
#[test]
fn section_2_9_a_company_prefix_and_its_product_are_one_context_object() {
    let company = "https://company.example/";
    let product = "https://product.example/";
    let held = [
        record(
            "/gcp/9520123",
            &[
                link("gs1:defaultLink", company),
                link("gs1:pip", company),
                link("gs1:socialMedia", company),
            ],
        ),
        record("/01/09520123456788", &[link("gs1:defaultLink", product), link("gs1:pip", product)]),
    ];
    let ask = format!("/{GTIN}?linkType=linkset");
    let saved = answer(&held, &ask).expect("a linkset");
    let one = |href: &str| json!([{ "href": href, "title": "T" }]);
    assert_eq!(
        serde_json::from_str::<Value>(&saved).unwrap(),
        json!({ "linkset": [{
            "anchor": format!("https://id.example.org/{GTIN}"),
            "itemDescription": "(01)09520123456788",
            format!("{VOC}defaultLink"): one(product),
            format!("{VOC}pip"): one(product),
            format!("{VOC}socialMedia"): one(company),
        }]})
    );
    let again = import(&saved);
    assert_eq!(answer(&again, &ask).as_ref(), Ok(&saved));
    for query in
        ["", "?linkType=gs1:pip", "?linkType=gs1:socialMedia", "?linkType=gs1:nutritionalInfo"]
    {
        let ask = format!("/{GTIN}{query}");
        assert_eq!(answer(&again, &ask), answer(&held, &ask), "{query}");
    }
}

/// RES-2.9-8, RES-2.5.8-3: the link that describes the default is kept, although a more specific
/// record has its type.
#[test]
fn section_2_5_8_the_default_of_a_set_keeps_its_descriptive_link() {
    let (own, any) = ("https://lot.example/", "https://lots.example/");
    let held = [
        record("/01/09520123456788/10/L1", &[link("gs1:pip", own)]),
        record(
            "/01/09520123456788/-any/10",
            &[
                link("gs1:pip", any),
                link("gs1:pip", "https://other.example/"),
                link("gs1:defaultLink", any),
            ],
        ),
    ];
    let saved = answer(&held, &format!("/{GTIN}/10/L1?linkType=linkset")).expect("a linkset");
    let document: Value = serde_json::from_str(&saved).unwrap();
    let context = &document["linkset"][0];
    let targets = context[format!("{VOC}pip")].as_array().unwrap().iter();
    assert_eq!(targets.map(|link| &link["href"]).collect::<Vec<_>>(), [own, any]);
    import(&saved);
}

/// RES-2.9-8: a notice about a recall is in the linkset, whatever else is there.
#[test]
fn section_2_9_no_recall_is_left_out() {
    let held = [
        record("/01/09520123456788/10/L1", &[link("gs1:recallStatus", "https://a.example/")]),
        record("/01/09520123456788/-any/10", &[link("gs1:recallStatus", "https://b.example/")]),
    ];
    let saved = answer(&held, &format!("/{GTIN}/10/L1?linkType=linkset")).expect("a linkset");
    assert!(
        saved.contains("https://a.example/") && saved.contains("https://b.example/"),
        "{saved}"
    );
}

const DESCRIPTIVE: [&str; 3] = ["gs1:pip", "gs1:instructions", "license"];

/// The links of a record: some types, each with its targets; perhaps a default link, and variants
/// of it.
fn links() -> impl Strategy<Value = Vec<Value>> {
    let of_type = |link_type: &'static str| {
        let targets = subsequence(&TARGETS[..], 1..3);
        targets.prop_map(move |targets| {
            targets.into_iter().map(|href| link(link_type, href)).collect::<Vec<_>>()
        })
    };
    let types = subsequence(&DESCRIPTIVE[..], 1..4);
    let links =
        types.prop_flat_map(move |types| types.into_iter().map(of_type).collect::<Vec<_>>());
    (links, any::<bool>(), any::<bool>(), any::<bool>()).prop_map(
        |(links, has_default, variants, first)| {
            let mut links: Vec<Value> = links.concat();
            let href = links[0]["href"].as_str().unwrap().to_owned();
            let mut roles = Vec::new();
            if has_default {
                roles.push(link("gs1:defaultLink", &href));
            }
            for tag in ["fr", "de"].into_iter().filter(|_| has_default && variants) {
                let mut variant = link("gs1:defaultLinkMulti", &href);
                variant["hreflang"] = json!([tag]);
                roles.push(variant);
            }
            if first {
                roles.append(&mut links);
                roles
            } else {
                links.append(&mut roles);
                links
            }
        },
    )
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    /// RES-2.9-8: what is answered as a linkset, imported into an empty store, is answered again, and so are the default and every
    /// type, except for a type of which the default of a wider record needs a link (RES-2.5.8-3).
    #[test]
    fn section_2_9_a_saved_linkset_is_answered_again(
        anchors in subsequence(&ANCHORS[..], 1..8),
        contents in proptest::collection::vec(links(), 8),
        path in select(&["", "/10/L1", "/22/V/10/L1", "/10/L1/21/S", "/22/W"][..]),
    ) {
        let held: Vec<_> =
            anchors.into_iter().zip(&contents).map(|(anchor, links)| record(anchor, links)).collect();
        let target = format!("/{GTIN}{path}");
        let Ok(saved) = answer(&held, &format!("{target}?linkType=linkset")) else { return Ok(()) };
        assert_one_of_each(&saved);
        let again = import(&saved);
        prop_assert_eq!(answer(&again, &format!("{target}?linkType=linkset")), Ok(saved.clone()));
        prop_assert_eq!(answer(&again, &target), answer(&held, &target));
        for link_type in DESCRIPTIVE {
            let ask = format!("{target}?linkType={link_type}");
            let (before, after) = (answer(&held, &ask), answer(&again, &ask));
            // What describes a default stands beside the links that were asked for.
            prop_assert!(before == after || after.is_ok(), "{before:?} {after:?} {saved}");
        }
    }
}
