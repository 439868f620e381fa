//! Validity windows (RES-2.5.7-2): which links exist when, and which records may be registered.

use std::collections::BTreeSet;

use fingerpost_resolver::{Entry, Link, Rules, Vocabulary, has_standing_default, read_record};
use jiff::Timestamp;
use proptest::prelude::*;

/// A link of a test: type, target letter, language, days of May 2026 from which and until which.
#[derive(Clone, Debug)]
struct Sketch(&'static str, char, Option<&'static str>, Option<u8>, Option<u8>);

fn instant(day: u8) -> Timestamp {
    format!("2026-05-{day:02}T00:00:00Z").parse().expect("a day of May")
}

fn record(links: &[Sketch]) -> String {
    let link = |Sketch(kind, target, language, from, until): &Sketch| {
        let mut members =
            format!(r#""linkType":"gs1:{kind}","href":"https://example.com/{target}","title":"T""#);
        if let Some(language) = language {
            members += &format!(r#","hreflang":["{language}"]"#);
        }
        for (name, day) in [("validFrom", from), ("validUntil", until)] {
            if let Some(day) = day {
                members += &format!(r#","{name}":"{}""#, instant(*day));
            }
        }
        format!("{{{members}}}")
    };
    let links: Vec<String> = links.iter().map(link).collect();
    format!(r#"{{"anchor":"/01/09520123456788","links":[{}]}}"#, links.join(","))
}

fn read(links: &[Sketch]) -> Result<Entry, BTreeSet<&'static str>> {
    let vocabulary = Vocabulary::builtin();
    match read_record(record(links).as_bytes(), &Rules::new(&vocabulary)) {
        Ok(accepted) => Ok(accepted.entry),
        Err(refused) => {
            Err(refused.faults.iter().map(fingerpost_resolver::RecordFault::id).collect())
        }
    }
}

fn refused_by(links: &[Sketch]) -> Vec<&'static str> {
    read(links).map_or_else(|ids| ids.into_iter().collect(), |_| Vec::new())
}

#[test]
fn a_campaign_stands_beside_the_standing_default() {
    // RES-2.5.7-2, RES-2.5.8-6
    let entry = read(&[
        Sketch("defaultLink", 'p', None, None, None),
        Sketch("pip", 'p', None, None, None),
        Sketch("defaultLink", 'c', None, Some(1), Some(8)),
        Sketch("promotion", 'c', None, Some(1), Some(8)),
    ])
    .expect("accepted");
    let target = |now| entry.default_link_at(now).map(Link::href);
    let (standing, campaign) = (Some("https://example.com/p"), Some("https://example.com/c"));
    let just_before = |day| instant(day) - jiff::SignedDuration::from_nanos(1);
    assert_eq!(target(just_before(1)), standing);
    assert_eq!(target(instant(1)), campaign);
    assert_eq!(target(instant(7)), campaign);
    assert_eq!(target(just_before(8)), campaign);
    assert_eq!(target(instant(8)), standing);
    let edges = |now| entry.next_window_edge(now);
    assert_eq!(edges(just_before(1)), Some(instant(1)));
    assert_eq!(edges(instant(1)), Some(instant(8)));
    assert_eq!(edges(instant(8)), None);
    assert!(has_standing_default(&entry));
    // RES-2.5.8-1: exactly one default link at any moment.
    for day in 1..=9 {
        assert_eq!(entry.links_at(instant(day)).filter(|link| link.is_default()).count(), 1);
    }
}

#[test]
fn the_latest_beginning_wins() {
    // RES-2.5.7-2
    let entry = read(&[
        Sketch("defaultLink", 'b', None, Some(3), Some(20)),
        Sketch("defaultLink", 'a', None, None, None),
        Sketch("defaultLink", 'c', None, Some(5), Some(6)),
        Sketch("pip", 'a', None, None, None),
        Sketch("pip", 'b', None, None, None),
        Sketch("pip", 'c', None, None, None),
    ])
    .expect("accepted");
    let targets: String = [1, 3, 4, 5, 6, 19, 20]
        .map(|day| entry.default_link_at(instant(day)).map_or("-", |link| &link.href()[20..]))
        .concat();
    assert_eq!(targets, "abbcbba");
}

#[test]
fn variants_without_a_window_rest_during_a_campaign() {
    // RES-2.5.7-2, RES-2.5.8-8
    let entry = read(&[
        Sketch("defaultLink", 'p', None, None, None),
        Sketch("defaultLinkMulti", 'p', Some("en"), None, None),
        Sketch("defaultLinkMulti", 'p', Some("fr"), None, None),
        Sketch("defaultLinkMulti", 'c', Some("fr"), Some(1), Some(8)),
        Sketch("defaultLink", 'c', None, Some(1), Some(8)),
        Sketch("pip", 'p', None, None, None),
        Sketch("promotion", 'c', None, None, None),
    ])
    .expect("accepted");
    let variants =
        |day| entry.default_variants_at(instant(day)).map(Link::index).collect::<Vec<_>>();
    assert_eq!(variants(7), [3]);
    assert_eq!(variants(8), [1, 2]);
    let indices = |day| entry.links_at(instant(day)).map(Link::index).collect::<Vec<_>>();
    assert_eq!(indices(7), [3, 4, 5, 6]);
    assert_eq!(indices(8), [0, 1, 2, 5, 6]);
}

#[test]
fn a_beginning_belongs_to_one_default() {
    // RES-2.5.7-2: the same validFrom twice, also none twice.
    let company = [Sketch("pip", 'p', None, None, None)];
    let with = |defaults: &[Sketch]| refused_by(&[defaults, &company].concat());
    let default = |from, until| Sketch("defaultLink", 'p', None, from, until);
    assert_eq!(with(&[default(Some(1), Some(3)), default(Some(1), Some(9))]), ["RES-2.5.7-2"]);
    assert_eq!(with(&[default(None, None), default(None, Some(9))]), ["RES-2.5.7-2"]);
    assert_eq!(with(&[default(None, None), default(None, None)]), ["RES-2.5.8-1"]);
    assert_eq!(with(&[default(None, None), default(Some(1), None)]), [""; 0]);
}

#[test]
fn rules_across_links_hold_at_every_instant() {
    let standing = Sketch("defaultLink", 'p', None, None, None);
    // RES-2.5.8-3: the descriptive twin ends before the default link does.
    let twin = Sketch("pip", 'p', None, None, Some(9));
    assert_eq!(refused_by(&[standing.clone(), twin.clone()]), ["RES-2.5.8-3"]);
    // … begins after it does …
    let campaign = Sketch("defaultLink", 'c', None, Some(3), Some(6));
    let late = Sketch("promotion", 'c', None, Some(4), None);
    let pip = Sketch("pip", 'p', None, None, None);
    let records = [standing.clone(), pip.clone(), campaign.clone(), late];
    assert_eq!(refused_by(&records), ["RES-2.5.8-3"]);
    // … has a gap, or is relieved without one.
    let halves = |gap: u8| {
        let second = Sketch("faqs", 'p', None, Some(9 + gap), None);
        refused_by(&[standing.clone(), twin.clone(), second])
    };
    assert_eq!(halves(1), ["RES-2.5.8-3"]);
    assert_eq!(halves(0), [""; 0]);
    // While another default link overrules it, a default link needs no company.
    let forever = Sketch("defaultLink", 'c', None, Some(9), None);
    let records = [standing.clone(), twin, forever, Sketch("pip", 'c', None, None, None)];
    assert_eq!(refused_by(&records), [""; 0]);
    // RES-2.5.8-5: alike only while both exist.
    let variant = |from, until| Sketch("defaultLinkMulti", 'p', Some("fr"), from, until);
    let two = |one, other| refused_by(&[standing.clone(), pip.clone(), one, other]);
    assert_eq!(two(variant(None, Some(5)), variant(Some(5), None)), [""; 0]);
    assert_eq!(two(variant(None, Some(5)), variant(Some(4), None)), ["RES-2.5.8-5"]);
    // RES-2.5.8-7: the level's only default link ends.
    let only = Sketch("defaultLink", 'p', None, Some(1), Some(9));
    assert_eq!(refused_by(&[only.clone(), pip.clone(), variant(Some(1), Some(9))]), [""; 0]);
    assert_eq!(
        refused_by(&[only.clone(), pip.clone(), variant(Some(1), Some(10))]),
        ["RES-2.5.8-7"]
    );
    assert!(!has_standing_default(&read(&[only, pip]).expect("accepted")));
}

#[test]
fn faults_tell_since_when() {
    let vocabulary = Vocabulary::builtin();
    let links =
        [Sketch("defaultLink", 'p', None, None, None), Sketch("pip", 'p', None, None, Some(9))];
    let refused = read_record(record(&links).as_bytes(), &Rules::new(&vocabulary)).unwrap_err();
    assert_eq!(
        refused.to_string(),
        "/links/0: expected the target under a descriptive link type too, found \
         \"https://example.com/p\" only here from 2026-05-09T00:00:00Z on; one link is both \
         with \"linkType\": \"gs1:pip\", \"default\": true (RES-2.5.8-3)"
    );
}

#[test]
fn many_windows_take_little_time() {
    // The largest record: every link has a window of its own, many are variants with many tags.
    let days = |index: usize| {
        let at = |second: usize| {
            Timestamp::from_second(i64::try_from(second).unwrap_or(0)).unwrap_or_default()
        };
        format!(r#""validFrom":"{}","validUntil":"{}""#, at(index), at(1000 + index))
    };
    let tags: Vec<String> = (0..150).map(|_| r#""en""#.to_owned()).collect();
    let links: Vec<String> = (0..499)
        .map(|index| {
            let (kind, tags) = if index % 2 == 0 { ("pip", String::new()) } else {
                ("defaultLinkMulti", format!(r#","hreflang":[{}]"#, tags.join(",")))
            };
            format!(
                r#"{{"linkType":"gs1:{kind}","href":"https://example.com/{index}","title":"T",{}{tags}}}"#,
                days(index)
            )
        })
        .collect();
    let record = format!(r#"{{"anchor":"/01/09520123456788","links":[{}]}}"#, links.join(","));
    let vocabulary = Vocabulary::builtin();
    let started = std::time::Instant::now();
    assert!(read_record(record.as_bytes(), &Rules::new(&vocabulary)).is_err());
    // Milliseconds; the bound only tells a square from a cube, on any machine.
    assert!(started.elapsed().as_secs() < 20, "{:?}", started.elapsed());
}

/// The rules of RES-2.5.7-2 and RES-2.5.8-1, -3, -5, -7 word by word, day by day.
fn transcription(links: &[Sketch]) -> BTreeSet<&'static str> {
    let mut broken = BTreeSet::new();
    let defaults: Vec<&Sketch> = links.iter().filter(|link| link.0 == "defaultLink").collect();
    for (index, one) in defaults.iter().enumerate() {
        for other in &defaults[..index] {
            let windows = one.3.or(one.4).or(other.3).or(other.4).is_some();
            if one.3 == other.3 {
                broken.insert(if windows { "RES-2.5.7-2" } else { "RES-2.5.8-1" });
            }
        }
    }
    for day in 0..=LAST_DAY + 1 {
        let exists = |link: &&Sketch| {
            link.3.is_none_or(|from| from <= day) && link.4.is_none_or(|until| day < until)
        };
        let now: Vec<&Sketch> = links.iter().filter(exists).collect();
        // `max_by_key` takes the last of equal ones; such records are broken anyway.
        let default = now.iter().filter(|link| link.0 == "defaultLink").max_by_key(|link| link.3);
        let campaign = default.is_some_and(|link| link.3.is_some() || link.4.is_some());
        let variants: Vec<&&Sketch> = now
            .iter()
            .filter(|link| link.0 == "defaultLinkMulti")
            .filter(|link| link.3.is_some() || link.4.is_some() || !campaign)
            .collect();
        let described = |target| now.iter().any(|link| link.0 == "pip" && link.1 == target);
        if default.iter().chain(&variants).any(|link| !described(link.1)) {
            broken.insert("RES-2.5.8-3");
        }
        let languages: BTreeSet<_> = variants.iter().map(|link| link.2).collect();
        if languages.len() < variants.len() {
            broken.insert("RES-2.5.8-5");
        }
        if default.is_none() && !variants.is_empty() {
            broken.insert("RES-2.5.8-7");
        }
    }
    broken
}

const LAST_DAY: u8 = 6;

fn sketch() -> impl Strategy<Value = Sketch> {
    let kind = prop_oneof![Just("defaultLink"), Just("defaultLinkMulti"), Just("pip"), Just("pip")];
    let target = prop_oneof![Just('a'), Just('a'), Just('b')];
    let language = prop_oneof![Just(None), Just(Some("en")), Just(Some("fr"))];
    let day = || prop_oneof![Just(None), Just(None), (1..=LAST_DAY).prop_map(Some)];
    (kind, target, language, day(), day()).prop_map(|(kind, target, language, from, until)| {
        let language = language.filter(|_| kind == "defaultLinkMulti");
        let until = until.filter(|until| from.is_none_or(|from| from < *until));
        Sketch(kind, target, language, from, until)
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    fn the_verdict_is_that_of_the_transcription(links in prop::collection::vec(sketch(), 1..8)) {
        let broken = read(&links).err().unwrap_or_default();
        prop_assert_eq!(broken, transcription(&links));
    }

    #[test]
    fn between_two_edges_nothing_changes(links in prop::collection::vec(sketch(), 1..8)) {
        let Ok(entry) = read(&links) else { return Ok(()) };
        for day in 1..=LAST_DAY {
            let here = || entry.links_at(instant(day)).map(Link::index);
            let edge = entry.next_window_edge(instant(day));
            let next = instant(day + 1);
            if edge.is_none_or(|edge| edge > next) {
                prop_assert!(here().eq(entry.links_at(next).map(Link::index)));
            }
            prop_assert!(here().filter(|index| entry.link(*index).is_some_and(Link::is_default)).count() <= 1);
        }
    }
}
