//! What is exported can be imported: the same records, or, from a linkset, the same links.

use std::collections::BTreeMap;

use fingerpost_exchange::{ExportFormat, ExportOptions, Exported, export};
use fingerpost_registry::CompanyPrefix;
use fingerpost_resolver::ResolverRoot;
use jiff::Timestamp;
use proptest::prelude::*;
use serde_json::{Value, json};

use crate::support::Fixture;

/// Keys of several types and levels below three company prefixes, one of which begins with another;
/// sets; and a GTIN-8, which has no company prefix. Key levels come first.
const ANCHORS: [(&str, Option<&str>); 14] = [
    ("/01/09520123456788", Some("9520123")),
    ("/01/19520123456785", Some("9520123")),
    ("/01/09506000134352", Some("9506000")),
    ("/414/9520123456788", Some("9520123")),
    ("/417/9506000134352", Some("9506000")),
    ("/00/095060001343520123", Some("9506000")),
    ("/8004/9520123ABC", Some("9520123")),
    ("/gcp/9520123", Some("9520123")),
    ("/gcp/95060001", Some("9506000")),
    ("/01/00000096385074", None),
    ("/01/09520123456788/10/L", Some("9520123")),
    ("/01/09520123456788/21/S", Some("9520123")),
    ("/01/09506000134352/-any/10", Some("9506000")),
    ("/01/09506000134352/-range/10/4/A100/A199", Some("9506000")),
];

const KEY_LEVELS: usize = 10;

const NOW: &str = "2026-05-01T00:00:00Z";

/// A link other than the default one: type, title, language tag, context, media type, window.
fn link() -> impl Strategy<Value = Value> {
    let kinds = ["gs1:certificationInfo", "gs1:instructions", "author", "gs1:hasRetailers"];
    let tags = prop_oneof![
        Just(None),
        prop::sample::select(vec!["en", "fr-CA", "zh-Hant-TW", "fil"]).prop_map(Some)
    ];
    let windows = prop::sample::select(vec![
        (None, None),
        (Some("2026-01-01T00:00:00Z"), None),
        (None, Some("2026-01-01T00:00:00Z")),
        (Some("2026-04-01T00:00:00Z"), Some("2026-06-01T00:00:00Z")),
    ]);
    let text = "[a-z\"\\\\<é日]{1,4}";
    (
        prop::sample::select(kinds.to_vec()),
        text,
        tags,
        prop::option::of("[a-z]{2}"),
        any::<bool>(),
        windows,
    )
        .prop_map(|(kind, title, tag, context, is_page, (from, until))| {
            let target =
                if is_page { "https://example.com/a?b=c" } else { "https://example.com/{01}" };
            let mut link = json!({"linkType": kind, "href": target, "title": title});
            let members = [
                ("type", is_page.then(|| json!("text/html"))),
                ("hreflang", tag.map(|tag| json!([tag]))),
                ("context", context.map(|context| json!([context]))),
                ("validFrom", from.map(Value::from)),
                ("validUntil", until.map(Value::from)),
            ];
            for (name, value) in members {
                if let Some(value) = value {
                    link[name] = value;
                }
            }
            link
        })
}

fn record() -> impl Strategy<Value = Value> {
    let links = prop::collection::vec(link(), 0..4);
    (0..ANCHORS.len(), links, prop::option::of("[A-Z]{1,3}")).prop_map(
        |(at, mut links, description)| {
            let anchor = ANCHORS[at].0;
            if !anchor.starts_with("/01/") {
                links.retain(|link| link["href"] != "https://example.com/{01}");
            }
            let page =
                |kind| json!({"linkType": kind, "href": "https://example.com/p", "title": "P"});
            links.insert(links.len() / 2, page("gs1:defaultLink"));
            links.insert(links.len() / 3, page("gs1:pip"));
            let mut record = json!({"anchor": anchor, "links": links});
            if let Some(description) = description {
                record["itemDescription"] = description.into();
            }
            record
        },
    )
}

/// Records that are registered in this order: every key level has one with a default link.
fn records() -> impl Strategy<Value = Vec<Value>> {
    prop::collection::vec(record(), 1..16).prop_map(|records| {
        let key_levels = ANCHORS[..KEY_LEVELS].iter().map(|(anchor, _)| {
            let page =
                |kind| json!({"linkType": kind, "href": "https://example.com/k", "title": "K"});
            json!({"anchor": anchor, "links": [page("gs1:defaultLink"), page("gs1:pip")]})
        });
        key_levels.chain(records).collect()
    })
}

fn registered(records: &[Value]) -> Fixture {
    let fixture = Fixture::new();
    let lines: Vec<String> = records.iter().map(Value::to_string).collect();
    let imported = fixture.import(&lines.join("\n"), 1_000);
    assert_eq!(imported.refused, [], "every record is valid");
    fixture
}

fn exported(fixture: &Fixture, options: ExportOptions<'_>) -> (String, Exported) {
    let mut out = Vec::new();
    let exported = export(fixture.registry.store(), options, &mut out).unwrap();
    (String::from_utf8(out).unwrap(), exported)
}

fn prefixes(given: &[&str]) -> Vec<CompanyPrefix> {
    given.iter().map(|prefix| CompanyPrefix::parse(prefix).unwrap()).collect()
}

fn linkset() -> ExportFormat {
    let root = ResolverRoot::parse("https://id.example.org/stem").unwrap();
    ExportFormat::Linkset(root, NOW.parse().unwrap())
}

/// The description and the links, grouped by their types.
type Carried = (Option<String>, BTreeMap<String, Vec<Value>>);

/// Each anchor that is a key, with what a linkset at `NOW` carries of it.
fn carried(records: &str) -> BTreeMap<String, Carried> {
    let now: Timestamp = NOW.parse().unwrap();
    let mut levels = BTreeMap::new();
    for record in records.lines().map(|line| serde_json::from_str::<Value>(line).unwrap()) {
        let anchor = record["anchor"].as_str().unwrap().to_owned();
        if anchor.contains("/-") || anchor.starts_with("/gcp/") {
            continue;
        }
        let mut types: BTreeMap<String, Vec<Value>> = BTreeMap::new();
        for link in record["links"].as_array().unwrap() {
            let mut link = link.clone();
            let edge = |name: &str| link[name].as_str().map(|at| at.parse::<Timestamp>().unwrap());
            if edge("validFrom").is_some_and(|from| now < from)
                || edge("validUntil").is_some_and(|until| until <= now)
            {
                continue;
            }
            let members = link.as_object_mut().unwrap();
            members.remove("validFrom");
            members.remove("validUntil");
            match members.get("hreflang").and_then(|tags| tags[0].as_str()) {
                Some("zh-Hant-TW") => drop(members.insert("hreflang".into(), json!(["zh-TW"]))),
                Some("fil") => drop(members.remove("hreflang")),
                _ => {}
            }
            let gtin = anchor.split('/').nth(2).unwrap();
            members["href"] = members["href"].as_str().unwrap().replace("{01}", gtin).into();
            types.entry(link["linkType"].as_str().unwrap().to_owned()).or_default().push(link);
        }
        let description = record["itemDescription"].as_str().map(str::to_owned);
        levels.insert(anchor, (description, types));
    }
    levels
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, ..ProptestConfig::default() })]

    #[test]
    fn exporting_importing_and_exporting_is_the_identity(
        records in records(),
        given in prop::sample::subsequence(vec!["9520123", "9506000", "95060001", "4012345"], 0..4),
    ) {
        let first = registered(&records);
        let options = || ExportOptions::new(ExportFormat::JsonLines).company_prefixes(prefixes(&given));
        let (file, numbers) = exported(&first, options());
        prop_assert_eq!(numbers.records, file.lines().count() as u64);
        let second = Fixture::new();
        let imported = second.import(&file, 7);
        prop_assert_eq!(imported.totals.refused, 0, "{:?}", imported.refused);
        prop_assert_eq!(&second.export(), &file);
        // The filter selects what the table of anchors says.
        let is_selected = |line: &&str| {
            let record: Value = serde_json::from_str(line).unwrap();
            let anchor = record["anchor"].as_str().unwrap();
            let (_, company) = ANCHORS.iter().find(|(known, _)| *known == anchor).unwrap();
            given.is_empty() || company.is_some_and(|company| {
                given.contains(&company)
                    || given.contains(&"95060001") && matches!(
                        anchor,
                        "/gcp/95060001" | "/01/09506000134352" | "/417/9506000134352"
                            | "/00/095060001343520123" | "/01/09506000134352/-any/10"
                            | "/01/09506000134352/-range/10/4/A100/A199"
                    )
            })
        };
        let all = first.export();
        let selected: Vec<&str> = all.lines().filter(is_selected).collect();
        prop_assert_eq!(file.lines().collect::<Vec<_>>(), selected);
    }

    #[test]
    fn a_linkset_gives_back_the_links_that_it_can_carry(records in records()) {
        let first = registered(&records);
        let (file, numbers) = exported(&first, ExportOptions::new(linkset()));
        let document: Value = serde_json::from_str(&file).unwrap();
        prop_assert_eq!(document["linkset"].as_array().unwrap().len() as u64, numbers.records);
        let second = Fixture::new();
        let imported = second.import(&file, 7);
        prop_assert_eq!(imported.totals.refused, 0, "{:?}\n{}", imported.refused, file);
        prop_assert_eq!(carried(&second.export()), carried(&first.export()));
        // What comes back is carried completely.
        let (again, numbers) = exported(&second, ExportOptions::new(linkset()));
        prop_assert_eq!(again, file);
        prop_assert!(numbers.left_out.is_nothing(), "{:?}", numbers.left_out);
    }
}

#[test]
fn changes_since_an_instant_are_exported_by_the_last_change() {
    let page = |anchor: &str, title: &str| {
        json!({"anchor": anchor, "links": [
            {"linkType": "gs1:defaultLink", "href": "https://example.com/p", "title": title},
            {"linkType": "gs1:pip", "href": "https://example.com/p", "title": title}]})
    };
    let fixture = registered(&[page("/01/09520123456788", "A"), page("/01/09506000134352", "A")]);
    let since = |fixture: &Fixture, at: Timestamp| {
        let options = ExportOptions::new(ExportFormat::JsonLines).changed_since(at);
        exported(fixture, options).0.lines().map(|line| line[11..29].to_owned()).collect::<Vec<_>>()
    };
    let head = |fixture: &Fixture| {
        let store = fixture.registry.store();
        let record = store.view(|view| view.audit_of(view.revision()?)).unwrap();
        record.unwrap().at()
    };
    let first = head(&fixture);
    assert_eq!(since(&fixture, first).len(), 2);
    while head(&fixture) == first {
        std::thread::sleep(std::time::Duration::from_millis(2));
        fixture.import(
            &page("/01/09520123456788", &format!("{:?}", std::time::Instant::now())).to_string(),
            1,
        );
    }
    // A record that is imported again without a change keeps its revision.
    fixture.import(&page("/01/09506000134352", "A").to_string(), 1);
    let second = head(&fixture);
    assert_eq!(since(&fixture, second), ["/01/09520123456788"]);
    assert_eq!(since(&fixture, "2100-01-01T00:00:00Z".parse().unwrap()).len(), 0);
    // The closure sees what the other filters leave.
    let mut seen = Vec::new();
    let options =
        ExportOptions::new(ExportFormat::Json).changed_since(second).wanted(|anchor, _| {
            seen.push(anchor.to_string());
            Ok(false)
        });
    assert_eq!(exported(&fixture, options).0, "[]\n");
    assert_eq!(seen, ["01/09520123456788"]);
}
