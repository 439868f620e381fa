//! The decision against a slow literal transcription of the selection algorithm of
//! `docs/requirements/resolver.md` (`steps`), on random levels,
//! links, validity windows and headers. What it covers, id by id:
//!
//! - which links compete: RES-2.5.1-7, RES-2.5.7-2, RES-2.5.8-8, RES-2.5.9-2, RES-2.6.2-4,
//!   RES-2.14-7, ER-6;
//! - no type asked: RES-2.6.1-1, RES-2.6.1-2, RES-2.6.3-9, RES-2.11-1, ER-8, ER-19;
//! - a type asked: RES-2.6.2-1, RES-2.6.2-2, RES-2.6.2-3, RES-2.6.2-5;
//! - choosing: RES-2.6.3-1, RES-2.6.3-2, RES-2.6.3-3, RES-2.6.3-4, RES-2.6.3-5, RES-2.6.3-6,
//!   RES-2.6.3-7, RES-2.6.3-8, RES-2.5.6-4, ER-12, ER-22, ER-23;
//! - linksets: RES-2.4.1-2, RES-2.9-1, RES-2.9-2, RES-2.9-6, RES-2.9-7, RES-2.10-1, RES-2.10-2,
//!   RES-2.10-6, RES-2.10-7, RES-2.10-11, ER-9.

mod steps;

use std::sync::Arc;

use fingerpost_resolver::{
    Format, Linkset, Outcome, Plan, Rules, Settings, SettingsParts, Vocabulary, read_record,
};
use jiff::Timestamp;
use proptest::option;
use proptest::prelude::*;
use proptest::sample::{select, subsequence};
use serde_json::{Value, json};
use steps::{Answer, Asked, DEFAULT, Link, Type, VARIANT};

const KEY: &str = "01/09520123456788";
const PIP: &str = "https://ref.gs1.org/voc/pip";
const DPP: &str = "https://ref.gs1.org/voc/dpp";
/// Carries the targets of default links and variants under a descriptive type (RES-2.5.8-3).
const TWIN: &str = "https://ref.gs1.org/voc/hasRetailers";

/// What is asked and what is held, as it goes to both sides.
#[derive(Clone, Debug)]
struct Scene {
    /// `None`: nothing registered at that level.
    levels: Vec<Option<Vec<Link>>>,
    asked: Asked,
    query: Option<String>,
}

/// What the random parts are drawn from.
#[derive(Debug)]
struct Pool {
    /// Probability that a level is registered.
    registered: f64,
    media: &'static [&'static str],
    tags: &'static [&'static str],
    accept: &'static [&'static str],
    languages: &'static [&'static str],
    weights: &'static [&'static str],
}

/// Everything, in every company.
const WIDE: Pool = Pool {
    registered: 0.45,
    media: &[
        "text/html",
        "text/html",
        "text/plain",
        "application/pdf",
        "application/json",
        "application/ld+json",
    ],
    tags: &[
        "en",
        "en-US",
        "en-GB",
        "fr",
        "fr-CA",
        "pt",
        "pt-BR",
        "pt-AO",
        "zh",
        "zh-Hant-TW",
        "DE",
    ],
    accept: &[
        "text/html",
        "Text/HTML",
        "text/*",
        "*/*",
        "application/json",
        "application/ld+json",
        "application/linkset+json",
        "application/linkset",
        "application/pdf",
        "application/*",
        "application/xhtml+xml",
        "image/png",
        "undefined",
        "*/html",
        "",
    ],
    languages: &[
        "en",
        "en-GB",
        "EN-us",
        "fr",
        "fr-CH",
        "pt",
        "pt-PT",
        "pt-BR",
        "zh-Hant",
        "zh-Hant-HK",
        "de",
        "*",
        "vi",
        "x-a",
        "i-a-bc",
        "e_n",
        "toolongsubtag",
        "de-*-DE",
        "",
    ],
    weights: &[
        "",
        "",
        "",
        ";q=0",
        "; q=0.5",
        ";Q=0.500",
        ";q=0.9",
        ";x=y;q=0.3",
        ";q=1.5",
        ";q=0.1234",
        ";q=",
    ],
};

/// Few values, so that links and preferences meet: regions, refusals, the two JSON types.
const NARROW: Pool = Pool {
    registered: 0.3,
    media: &["application/json", "application/ld+json"],
    tags: &["pt-BR", "pt-AO", "pt-MZ", "en-GB"],
    accept: &["application/json", "application/ld+json", "application/json", "*/*"],
    languages: &["pt", "pt-PT", "pt-BR", "pt-MZ", "en", "*"],
    weights: &["", "", ";q=0", ";q=0.5"],
};

fn link(pool: &'static Pool) -> impl Strategy<Value = Link> {
    let types = select(vec![PIP, PIP, PIP, "https://ref.gs1.org/voc/faqs", "license", DPP]);
    (types, attributes(pool), window(), prop::bool::weighted(0.1)).prop_map(
        |(link_type, (media, tags, contexts), (from, until), template)| Link {
            link_type,
            href: if template {
                "https://t.example.com/{10}/".into()
            } else {
                "https://e.example.com/".into()
            },
            media,
            tags,
            contexts,
            from,
            until,
        },
    )
}

type Attributes = (Option<&'static str>, Vec<&'static str>, Vec<&'static str>);

fn attributes(pool: &'static Pool) -> impl Strategy<Value = Attributes> {
    let media = option::weighted(0.6, select(pool.media));
    let tags = prop_oneof![
        2 => Just(Vec::new()),
        3 => subsequence(pool.tags, 1),
        1 => subsequence(pool.tags, 2),
    ];
    let contexts = prop_oneof![
        2 => Just(Vec::new()),
        1 => subsequence(vec!["CH", "FR", "gb"], 1..=2),
    ];
    (media, tags, contexts)
}

/// Around the instants that are asked about: 1000 and 2000.
fn window() -> impl Strategy<Value = (Option<i64>, Option<i64>)> {
    prop_oneof![
        6 => Just((None, None)),
        1 => select(vec![500, 1000, 1500]).prop_map(|from| (Some(from), None)),
        1 => select(vec![1000, 1500, 2000]).prop_map(|until| (None, Some(until))),
        1 => select(vec![(500, 1000), (1000, 1500), (500, 2500)]).prop_map(|(f, u)| (Some(f), Some(u))),
    ]
}

fn level(pool: &'static Pool) -> impl Strategy<Value = Vec<Link>> {
    let campaigns = subsequence(vec![(500, Some(1500)), (700, Some(2500)), (1500, None)], 0..=2);
    let variants = prop::collection::vec((attributes(pool), window()), 0..5);
    let links = prop::collection::vec(link(pool), 0..8);
    let defaults = (prop::bool::weighted(0.8), campaigns, variants, prop::bool::weighted(0.1));
    (links, defaults).prop_map(|(mut links, (standing, campaigns, variants, template))| {
        let mut add = |link_type, (media, tags, contexts): Attributes, from, until| {
            let href: String =
                if template { "https://t.example.com/{10}/" } else { "https://d.example.com/" }
                    .into();
            links.push(Link { link_type, href, media, tags, contexts, from, until });
        };
        if standing {
            add(DEFAULT, (None, vec![], vec![]), None, None);
            let mut seen: Vec<Attributes> = vec![(None, vec![], vec![])];
            for (attributes, (from, until)) in variants {
                if !seen.contains(&attributes) {
                    seen.push(attributes.clone());
                    add(VARIANT, attributes, from, until);
                }
            }
        }
        for (from, until) in campaigns {
            add(DEFAULT, (None, vec![], vec![]), Some(from), until);
        }
        // Targets differ by their number, and each default target has its twin.
        let mut twins = Vec::new();
        for (number, link) in links.iter_mut().enumerate() {
            link.href.push_str(&number.to_string());
            if matches!(link.link_type, DEFAULT | VARIANT) {
                let attributes = (None, vec![], vec![]);
                let (media, tags, contexts): Attributes = attributes;
                let href = link.href.clone();
                twins.push(Link {
                    link_type: TWIN,
                    href,
                    media,
                    tags,
                    contexts,
                    from: None,
                    until: None,
                });
            }
        }
        links.extend(twins);
        links
    })
}

fn header(
    members: &'static [&'static str],
    weights: &'static [&'static str],
) -> impl Strategy<Value = String> {
    let member = (select(members), select(weights)).prop_map(|(text, q)| [text, q].concat());
    prop_oneof![
        1 => Just(String::new()),
        4 => prop::collection::vec(member, 1..6).prop_map(|members| members.join(", ")),
    ]
}

/// What stands in the query, and what it means.
fn link_type() -> impl Strategy<Value = (&'static str, Type)> {
    let plain = |texts: &[&'static str], readings: &[&'static str]| -> Vec<(&'static str, Type)> {
        texts.iter().map(|text| (*text, Type::Readings(readings.to_vec()))).collect()
    };
    let mut all = vec![
        ("", Type::Absent),
        ("linkset", Type::Linkset),
        ("all", Type::Linkset),
        ("%ZZ", Type::Unreadable),
        ("%FF", Type::Unreadable),
    ];
    all.extend(plain(
        &["gs1:pip", "pip", "http://gs1.org/voc/pip", "gs1%3Apip", "gs1:pip"],
        &[PIP],
    ));
    all.extend(plain(&["gs1:pip", "gs1:pip", "gs1:pip"], &[PIP]));
    all.extend(plain(&["dpp"], &["dpp", DPP]));
    all.extend(plain(&["gs1:dpp"], &[DPP, "dpp"]));
    all.extend(plain(&["license"], &["license"]));
    all.extend(plain(&["gs1:defaultLink", "defaultLink"], &[DEFAULT]));
    all.extend(plain(&["gs1:defaultLinkMulti"], &[VARIANT]));
    all.extend(plain(&["gs1:nosuch", "ex:thing", "linksets"], &[]));
    prop_oneof![1 => Just(("", Type::Absent)), 2 => select(all)]
}

fn scene(pool: &'static Pool) -> impl Strategy<Value = Scene> {
    let context = prop_oneof![
        4 => Just(None),
        2 => select(vec!["CH", "gb", "GB", "DE"]).prop_map(|c| Some((c, Some(c.to_owned())))),
        1 => Just(Some(("%F", None))),
    ];
    let levels = prop::collection::vec(option::weighted(pool.registered, level(pool)), 5);
    let rest = (
        select(vec![".", "..", "B", "B", "B", "B"]),
        select(vec![1000_i64, 2000]),
        prop::bool::weighted(0.1),
    );
    (
        levels,
        link_type(),
        context,
        header(pool.accept, pool.weights),
        header(pool.languages, pool.weights),
        rest,
    )
        .prop_map(
            |(
                mut levels,
                (text, link_type),
                context,
                accept,
                language,
                (lot, now, default_is_linkset),
            )| {
                let mut query = Vec::new();
                if !matches!(link_type, Type::Absent) {
                    query.push(format!("linkType={text}"));
                }
                if let Some((text, _)) = &context {
                    query.push(format!("context={text}"));
                }
                let context = context.map(|(_, meaning)| meaning);
                let lot = lot.to_owned();
                // GS1-DL-28: nothing is registered at a level that browsers cannot open.
                if lot != "B" {
                    levels[1..=2].fill(None);
                }
                let asked =
                    Asked { link_type, context, accept, language, lot, now, default_is_linkset };
                Scene { levels, asked, query: (!query.is_empty()).then(|| query.join("&")) }
            },
        )
}

/// Level paths, most granular first, of a request with variant, lot and serial.
fn level_paths(lot: &str) -> [String; 5] {
    let path = |tail: &str| format!("/{KEY}{tail}");
    [
        path("/21/S"),
        path(&format!("/22/V/10/{lot}")),
        path(&format!("/10/{lot}")),
        path("/22/V"),
        path(""),
    ]
}

fn record(path: &str, links: &[Link]) -> Value {
    let instant = |seconds: i64| Timestamp::from_second(seconds).expect("in range").to_string();
    let links = links.iter().map(|link| {
        let mut object = json!({"linkType": link.link_type, "href": link.href, "title": "T"});
        if let Some(media) = link.media {
            object["type"] = json!(media);
        }
        for (name, values) in [("hreflang", &link.tags), ("context", &link.contexts)] {
            if !values.is_empty() {
                object[name] = json!(values);
            }
        }
        for (name, at) in [("validFrom", link.from), ("validUntil", link.until)] {
            if let Some(at) = at {
                object[name] = json!(instant(at));
            }
        }
        object
    });
    json!({"anchor": path, "links": links.collect::<Vec<_>>()})
}

fn check(scene: &Scene) -> Result<(), TestCaseError> {
    let parts = SettingsParts {
        resolver_root: "https://id.example.org".into(),
        default_link_type: scene.asked.default_is_linkset.then(|| "linkset".into()),
        ..SettingsParts::default()
    };
    let settings = Settings::new(parts).expect("settings");
    let vocabulary = Vocabulary::builtin();
    let rules = Rules::new(&vocabulary);
    let (mut entries, mut levels) = (Vec::new(), Vec::new());
    for (path, links) in level_paths(&scene.asked.lot).iter().zip(&scene.levels) {
        let Some(links) = links.as_ref().filter(|links| !links.is_empty()) else { continue };
        match read_record(record(path, links).to_string().as_bytes(), &rules) {
            Ok(accepted) => entries.push(Arc::new(accepted.entry)),
            Err(refused) => return Err(TestCaseError::fail(format!("scene refused: {refused}"))),
        }
        levels.push(links.clone());
    }
    let path = format!("/{KEY}/22/V/10/{}/21/S", scene.asked.lot);
    let query = scene.query.as_ref().map_or_else(String::new, |query| format!("?{query}"));
    let target = path + &query;
    let asked = fingerpost_resolver::ResolutionRequest {
        target: target.as_bytes(),
        accept: scene.asked.accept.as_bytes(),
        accept_language: scene.asked.language.as_bytes(),
        now: Timestamp::from_second(scene.asked.now).expect("in range"),
    };
    let plan = Plan::of(&settings, &asked);
    let found = plan.answer(&entries).into_outcome();
    let expected = steps::answer(&levels, &scene.asked);
    prop_assert_eq!(shown(&found), told(&expected, &levels, scene));
    let (explained, explanation) = plan.explain(&entries);
    prop_assert_eq!(shown(explained.outcome()), shown(&found));
    prop_assert!(explanation.to_string().contains("Answer: "));
    prop_assert!(serde_json::to_value(&explanation).is_ok());
    Ok(())
}

/// An answer in words that both sides can say.
fn shown(outcome: &Outcome<'_>) -> String {
    let list = |linkset: &Linkset<'_>| {
        let mut all = Vec::new();
        for context in linkset.contexts() {
            for group in context.groups() {
                for link in group.links() {
                    all.push(format!("{} {} {}", context.key(), group.link_type(), link.href()));
                }
            }
        }
        all.sort();
        all.join("\n")
    };
    let say = |what: &str, linkset: &Linkset<'_>, format: &Format| {
        format!("{what} as {}\n{}", format.media_type(), list(linkset))
    };
    match outcome {
        Outcome::Redirect(redirect) => format!("redirect {}", redirect.location()),
        Outcome::Choices(linkset, format) => say("choices", linkset, format),
        Outcome::Linkset(linkset, format) => say("linkset", linkset, format),
        Outcome::LinkTypeNotAvailable(linkset, format) => say("not available", linkset, format),
        Outcome::Unknown(_) => "unknown".into(),
        Outcome::NoDefault(linkset, format) => say("no default", linkset, format),
        other => panic!("no answer to a Digital Link: {other:?}"),
    }
}

fn told(answer: &Answer, levels: &[Vec<Link>], scene: &Scene) -> String {
    let filled =
        |link: (usize, usize)| levels[link.0][link.1].href.replace("{10}", &scene.asked.lot);
    let names: Vec<String> = level_paths(&scene.asked.lot)
        .iter()
        .zip(&scene.levels)
        .filter(|(_, links)| links.as_ref().is_some_and(|links| !links.is_empty()))
        .map(|(path, _)| path[1..].to_owned())
        .collect();
    let say = |what: &str, links: &[(usize, usize)], format: &str| {
        let line = |&link: &(usize, usize)| {
            format!("{} {} {}", names[link.0], levels[link.0][link.1].link_type, filled(link))
        };
        let mut all: Vec<String> = links.iter().map(line).collect();
        all.sort();
        format!("{what} as {format}\n{}", all.join("\n"))
    };
    match answer {
        Answer::Unknown => "unknown".into(),
        Answer::Redirect(level, link) => {
            let query = scene.query.as_ref().map(|query| format!("?{query}")).unwrap_or_default();
            format!("redirect {}{query}", filled((*level, *link)))
        }
        Answer::Choices(links, format) => say("choices", links, format),
        Answer::Linkset(links, format) => say("linkset", links, format),
        Answer::TypeMissing(links, format) => say("not available", links, format),
        Answer::NoDefault(links, format) => say("no default", links, format),
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 3000, ..ProptestConfig::default() })]

    #[test]
    fn the_decision_is_that_of_the_literal_steps(scene in scene(&WIDE)) {
        check(&scene)?;
    }

    #[test]
    fn the_decision_is_that_of_the_literal_steps_where_values_meet(scene in scene(&NARROW)) {
        check(&scene)?;
    }
}
