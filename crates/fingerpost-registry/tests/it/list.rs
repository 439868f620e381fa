//! Lists: filters and pages against looking at every level.

use crate::support;

use std::sync::OnceLock;

use fingerpost_gs1::Ai;
use fingerpost_registry::{BatchMode, Caller, CompanyPrefix, Conditions, Filter, Verb};
use proptest::prelude::*;
use support::*;

/// Level, link type, host, title.
type Row = (String, &'static str, &'static str, String);

struct World {
    fixture: Fixture,
    reader: Caller,
    narrowed: Caller,
    rows: Vec<Row>,
}

fn check(digits: &str) -> String {
    let digit = char::from(fingerpost_gs1::check_digit::of(digits.as_bytes()));
    format!("{digits}{digit}")
}

const RECALL: &str = "gs1:recallStatus";
const RECALLED: &str = r#""defaultLinkType":"gs1:recallStatus","links":"#;

fn rows() -> Vec<Row> {
    let mut rows: Vec<Row> = Vec::new();
    for n in 0..60_usize {
        let prefix = ["9506000", "9506001", "4012345"][n % 3];
        let key = match n % 5 {
            0 => format!("414/{}", check(&format!("{prefix}{n:05}"))),
            1 => format!("8004/{prefix}A{n}"),
            2 => format!("00/{}", check(&format!("{}{prefix}{n:09}", n % 10))),
            _ => gtin(&format!("{}{prefix}{n:05}", n % 10)),
        };
        rows.push((key.clone(), "", "example.com", format!("Tea {n}")));
        if key.starts_with("01/") {
            for lot in 0..n % 4 {
                let link_type = ["gs1:pip", "gs1:recallStatus"][lot % 2];
                let host = ["example.org", "shop.example.com"][n % 2];
                rows.push((format!("{key}/10/L{lot}"), link_type, host, format!("ÄPFEL {lot}")));
            }
        }
    }
    rows.sort();
    rows
}

fn world() -> &'static World {
    static WORLD: OnceLock<World> = OnceLock::new();
    WORLD.get_or_init(|| {
        let fixture = Fixture::new();
        let rows = rows();
        let lines: String = rows
            .iter()
            .map(|(key, link_type, host, title)| match *link_type {
                "" => record(key, title) + "\n",
                link_type => {
                    plain(key, link_type)
                        .replace("example.com", host)
                        .replace("\"T\"", &format!("\"{title}\""))
                        .replace(
                            "\"links\":",
                            if link_type == RECALL { RECALLED } else { "\"links\":" },
                        )
                        + "\n"
                }
            })
            .collect();
        let report = fixture
            .registry
            .batch(&root(), lines.as_bytes(), BatchMode::Atomic, Conditions::none())
            .unwrap();
        assert_eq!(report.refused, 0, "{:?}", report.items.first());
        let reader = fixture.key(Some(fixture.ours), &[Verb::Read]);
        let narrowed = fixture.key_with(Some(fixture.ours), &[Verb::Read], Some("95060000002"));
        World { fixture, reader, narrowed, rows }
    })
}

fn is_wanted(row: &Row, filter: &Filter) -> bool {
    let (key, link_type, host, title) = row;
    let entity = level(key);
    let default = ["https://ref.gs1.org/voc/defaultLink", "https://ref.gs1.org/voc/pip"];
    let types: Vec<String> = match *link_type {
        "" => default.map(str::to_owned).to_vec(),
        link_type => vec![link_type.replace("gs1:", "https://ref.gs1.org/voc/")],
    };
    let given =
        filter.link_type.as_deref().map(|given| given.replace("gs1:", "https://ref.gs1.org/voc/"));
    filter
        .under
        .as_ref()
        .is_none_or(|under| *key == under.as_str() || key.starts_with(&format!("{under}/")))
        && filter.company_prefix.as_ref().is_none_or(|prefix| {
            entity.company_prefix_part().is_some_and(|part| part.starts_with(prefix.as_str()))
        })
        && filter.key_type.is_none_or(|ai| entity.primary_key() == Some(ai))
        && given.is_none_or(|given| types.contains(&given))
        && filter.target_host.as_deref().is_none_or(|wanted| *host == wanted)
        && filter.text.as_deref().is_none_or(|text| {
            let path = if link_type.is_empty() { "p" } else { "q" };
            [key.clone(), title.clone(), format!("https://{host}/{path}")]
                .iter()
                .any(|given| plainly(given).contains(&plainly(text)))
        })
        && filter.recalled.is_none_or(|recalled| recalled == (*link_type == RECALL))
}

/// The only letter with an accent here.
fn plainly(text: &str) -> String {
    text.to_lowercase().replace('ä', "a")
}

fn filters() -> impl Strategy<Value = Filter> {
    let some = |values: &'static [&'static str]| {
        proptest::option::weighted(0.3, prop::sample::select(values))
    };
    (
        proptest::option::weighted(0.2, prop::sample::select(rows())),
        some(&["9506000", "9506", "950600000", "4012345", "9999"]),
        some(&["00", "01", "414", "8004", "253"]),
        some(&["gs1:pip", "gs1:recallStatus", "gs1:defaultLink", "gs1:faqs"]),
        some(&["example.com", "example.org", "shop.example.com", "com"]),
        proptest::option::weighted(0.3, any::<bool>()),
        some(&["äpfel", "Apfel", "tea 1", "9506", "shop", "nothing"]),
    )
        .prop_map(|(under, prefix, ai, link_type, host, recalled, text)| Filter {
            under: under.map(|row| level(&row.0)),
            company_prefix: prefix.map(|prefix| CompanyPrefix::parse(prefix).unwrap()),
            key_type: ai.and_then(Ai::new),
            link_type: link_type.map(str::to_owned),
            target_host: host.map(str::to_owned),
            text: text.map(str::to_owned),
            recalled,
            broken: false,
            author: None,
            changed_since: None,
        })
}

fn listed(caller: &Caller, filter: &Filter, limit: usize) -> Vec<String> {
    let mut found = Vec::new();
    let mut after: Option<String> = None;
    loop {
        let page = world().fixture.registry.list(caller, filter, after.as_deref(), limit).unwrap();
        assert!(page.items.len() <= limit);
        found.extend(page.items.into_iter().map(|item| item.key.to_string()));
        after = page.next;
        if after.is_none() {
            return found;
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(150))]

    #[test]
    fn pages_hold_what_the_filter_leaves(filter in filters(), limit in 1_usize..40, who in 0..3) {
        let world = world();
        let local = root();
        let (caller, prefix) = match who {
            0 => (&local, ""),
            1 => (&world.reader, OURS),
            _ => (&world.narrowed, "95060000002"),
        };
        let expected: Vec<String> = world
            .rows
            .iter()
            .filter(|row| is_wanted(row, &filter))
            .filter(|(key, ..)| level(key).company_prefix_part().is_some_and(|part| part.starts_with(prefix)))
            .map(|(key, ..)| key.clone())
            .collect();
        prop_assert_eq!(listed(caller, &filter, limit), expected);
    }
}

#[test]
fn lists_tell_who_changed_what_since() {
    let fixture = Fixture::new();
    let registry = &fixture.registry;
    let (old, new) = (gtin("0950600013435"), gtin("0950600023435"));
    fixture.register(&old);
    pass(jiff::SignedDuration::from_hours(1));
    let since = clock();
    let writer = fixture.key(Some(fixture.ours), &[Verb::Write]);
    fixture.put(&writer, &record(&new, "A")).unwrap();
    let keys = |filter: Filter| {
        let page = registry.list(&root(), &filter, None, 10).unwrap();
        page.items.into_iter().map(|item| item.key.to_string()).collect::<Vec<_>>()
    };
    let author = |author: &str| Filter { author: Some(author.into()), ..Filter::default() };
    assert_eq!(
        keys(Filter { changed_since: Some(since), ..Filter::default() }),
        std::slice::from_ref(&new)
    );
    assert_eq!(keys(author(&writer.actor().to_string())), std::slice::from_ref(&new));
    assert_eq!(keys(author("local:test")), [old]);
    assert_eq!(keys(author("nobody")), Vec::<String>::new());
    let nonsense = Filter { link_type: Some("no such word".into()), ..Filter::default() };
    assert_eq!(kind(&registry.list(&root(), &nonsense, None, 10)), "invalid");
    // A caller who may only write lists nothing.
    assert!(registry.list(&writer, &Filter::default(), None, 10).unwrap().items.is_empty());
}
