//! What is scheduled is secret before its time and after its end: by no link type, `Accept`,
//! language, context, linkset or page (RES-2.5.7-2). Random schedules are asked about at random
//! instants; every text of every answer is searched.

use std::sync::Arc;

use fingerpost_resolver::{
    Entry, Plan, ResolutionRequest, Rules, Settings, SettingsParts, Vocabulary, read_record,
};
use jiff::{SignedDuration, Timestamp};
use proptest::prelude::*;

const KEY: &str = "/01/09520123456788";

/// Levels with links of their own.
const LEVELS: [&str; 2] = ["", "/10/LOT7"];

const TYPES: [&str; 8] = [
    "gs1:defaultLink",
    "gs1:defaultLinkMulti",
    "gs1:pip",
    "gs1:promotion",
    "gs1:recipeInfo",
    "gs1:recallStatus",
    "gs1:relatedImage",
    "license",
];

const LAST_DAY: u8 = 6;

/// A link: its level, type, language, media type and context by number, and its days.
#[derive(Clone, Debug)]
struct Scheduled {
    level: usize,
    link_type: &'static str,
    language: Option<&'static str>,
    media_type: Option<&'static str>,
    context: Option<&'static str>,
    from: Option<u8>,
    until: Option<u8>,
}

impl Scheduled {
    fn is_default(&self) -> bool {
        self.link_type == "gs1:defaultLink"
    }

    fn is_variant(&self) -> bool {
        self.link_type == "gs1:defaultLinkMulti"
    }

    fn exists(&self, now: Timestamp) -> bool {
        self.from.is_none_or(|from| instant(from) <= now)
            && self.until.is_none_or(|until| now < instant(until))
    }

    fn document(&self, number: usize, link_type: &str) -> String {
        let mut members = format!(
            r#""linkType":"{link_type}","href":"https://example.com/{}","title":"{}""#,
            target(number),
            title(number)
        );
        if !self.is_default() {
            let texts = [("type", self.media_type)];
            for (name, text) in texts.iter().filter_map(|(name, text)| Some((name, (*text)?))) {
                members += &format!(r#","{name}":"{text}""#);
            }
            let lists = [("hreflang", self.language), ("context", self.context)];
            for (name, text) in lists.iter().filter_map(|(name, text)| Some((name, (*text)?))) {
                members += &format!(r#","{name}":["{text}"]"#);
            }
        }
        for (name, day) in [("validFrom", self.from), ("validUntil", self.until)] {
            if let Some(day) = day {
                members += &format!(r#","{name}":"{}""#, instant(day));
            }
        }
        format!("{{{members}}}")
    }
}

fn instant(day: u8) -> Timestamp {
    format!("2026-05-{day:02}T00:00:00Z").parse().expect("a day of May")
}

fn target(number: usize) -> String {
    format!("secret-{number}.html")
}

fn title(number: usize) -> String {
    format!("Secret {number}.")
}

/// Returns the record of a level, with an unscheduled page if `standing`.
fn record(level: usize, links: &[Scheduled]) -> String {
    let mut documents = Vec::new();
    if level == 0 {
        for link_type in ["gs1:defaultLink", "gs1:pip"] {
            documents.push(format!(
                r#"{{"linkType":"{link_type}","href":"https://example.com/open","title":"Open"}}"#
            ));
        }
    }
    for (number, link) in links.iter().enumerate().filter(|(_, link)| link.level == level) {
        documents.push(link.document(number, link.link_type));
        if link.is_default() || link.is_variant() {
            // RES-2.5.8-3: the same target under a descriptive type, at the same times.
            documents.push(link.document(number, "gs1:consumerHandlingStorageInfo"));
        }
    }
    format!(r#"{{"anchor":"{KEY}{}","links":[{}]}}"#, LEVELS[level], documents.join(","))
}

/// Returns the levels, the most granular first; `None` if the standard refuses one of the records.
fn entries(links: &[Scheduled]) -> Option<Vec<Arc<Entry>>> {
    let vocabulary = Vocabulary::builtin();
    let read = |level: usize| {
        let accepted = read_record(record(level, links).as_bytes(), &Rules::new(&vocabulary));
        accepted.ok().map(|accepted| Arc::new(accepted.entry))
    };
    let has_lot = links.iter().any(|link| link.level == 1);
    let levels = if has_lot { vec![read(1)?, read(0)?] } else { vec![read(0)?] };
    Some(levels)
}

/// Returns every text that a client can get for a request: address, `Link` field, linksets, and
/// what pages are made of.
fn texts(plan: &Plan<'_>, levels: &[Arc<Entry>]) -> String {
    let answer = plan.answer(levels);
    let mut texts = vec![
        answer.location().unwrap_or_default().to_owned(),
        answer.link().unwrap_or_default().into_owned(),
    ];
    if let Some((linkset, _)) = answer.linkset() {
        texts.extend([linkset.to_json(), linkset.to_json_ld(), linkset.to_script_json_ld()]);
    }
    if let Some(overview) = plan.overview(levels) {
        texts.push(overview.linkset().to_json());
        let shown = overview.main().into_iter().chain(overview.recalls().flatten());
        texts.extend(shown.map(|link| format!("{} {}", link.href(), link.title())));
    }
    texts.join("\n")
}

fn scheduled() -> impl Strategy<Value = Scheduled> {
    let day = || prop_oneof![1 => Just(None), 3 => (1..=LAST_DAY).prop_map(Some)];
    let language = prop::sample::select(vec![None, Some("en"), Some("fr"), Some("ja")]);
    let media_type =
        prop::sample::select(vec![None, None, Some("text/html"), Some("application/pdf")]);
    let context = prop::sample::select(vec![None, None, Some("CH")]);
    let link_type = prop::sample::select(TYPES.to_vec());
    (0..LEVELS.len(), link_type, language, media_type, context, day(), day()).prop_map(
        |(level, link_type, language, media_type, context, from, until)| Scheduled {
            level,
            link_type,
            language,
            media_type,
            context,
            from: from.or((level == 0 && link_type == "gs1:defaultLink").then_some(1)),
            until: until.filter(|until| from.is_none_or(|from| from < *until)),
        },
    )
}

/// A path below the key, a query, and header fields.
fn question() -> impl Strategy<Value = (String, &'static str, &'static str)> {
    let path = prop::sample::select(vec!["", "/10/LOT7", "/10/LOT7/21/5", "/10/OTHER"]);
    let mut queries: Vec<String> = TYPES.iter().map(|name| format!("?linkType={name}")).collect();
    queries.extend(
        ["", "", "?linkType=linkset", "?linkType=all", "?linkType=gs1:nosuch", "?context=CH"]
            .map(str::to_owned),
    );
    queries.push("?linkType=gs1:consumerHandlingStorageInfo".to_owned());
    let accept = prop::sample::select(vec![
        "",
        "*/*",
        "text/html",
        "application/json",
        "application/ld+json",
        "application/linkset+json",
        "application/pdf, text/html;q=0.5",
    ]);
    let language = prop::sample::select(vec!["", "en", "fr-CA, en;q=0.5", "ja", "*"]);
    (path, prop::sample::select(queries), accept, language).prop_map(
        |(path, query, accept, language)| (format!("{KEY}{path}{query}"), accept, language),
    )
}

/// A moment: the beginning of a day, or just before it.
fn moment() -> impl Strategy<Value = Timestamp> {
    (0..=LAST_DAY + 1, any::<bool>()).prop_map(|(day, just_before)| {
        let begin = instant(day + 1) - SignedDuration::from_hours(24);
        if just_before { begin - SignedDuration::from_nanos(1) } else { begin }
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 1000, max_global_rejects: 100_000, ..ProptestConfig::default() })]

    #[test]
    fn nothing_scheduled_is_visible_outside_of_its_time(
        links in prop::collection::vec(scheduled(), 1..6),
        questions in prop::collection::vec((question(), moment()), 1..30),
    ) {
        let levels = entries(&links);
        prop_assume!(levels.is_some());
        let levels = levels.unwrap_or_default();
        let parts = SettingsParts { resolver_root: "https://id.example.org".into(), ..SettingsParts::default() };
        let settings = Settings::new(parts).expect("valid settings");
        for ((target_path, accept, language), now) in &questions {
            let asked = ResolutionRequest {
                target: target_path.as_bytes(),
                accept: accept.as_bytes(),
                accept_language: language.as_bytes(),
                now: *now,
            };
            let plan = Plan::of(&settings, &asked);
            let key = plan.key().expect("an entity");
            let applying: Vec<Arc<Entry>> =
                levels.iter().filter(|entry| key.levels().any(|level| level == entry.anchor().as_str())).cloned().collect();
            let texts = texts(&plan, &applying);
            for (number, link) in links.iter().enumerate().filter(|(_, link)| !link.exists(*now)) {
                for secret in [target(number), title(number)] {
                    prop_assert!(!texts.contains(&secret), "{link:?} at {now}: {target_path} has {secret}\n{texts}");
                }
            }
        }
    }

    /// The search above finds what is there: each link that has no rivals is in the linkset while it exists.
    #[test]
    fn everything_scheduled_is_visible_in_its_time(
        links in prop::collection::vec(scheduled(), 1..6),
        now in moment(),
    ) {
        let levels = entries(&links);
        prop_assume!(levels.is_some());
        let levels = levels.unwrap_or_default();
        let parts = SettingsParts { resolver_root: "https://id.example.org".into(), ..SettingsParts::default() };
        let settings = Settings::new(parts).expect("valid settings");
        let target_path = format!("{KEY}/10/LOT7?linkType=linkset");
        let asked = ResolutionRequest { target: target_path.as_bytes(), now, ..ResolutionRequest::default() };
        let texts = texts(&Plan::of(&settings, &asked), &levels);
        for (number, link) in links.iter().enumerate().filter(|(_, link)| link.exists(now)) {
            if !link.is_default() && !link.is_variant() {
                prop_assert!(texts.contains(&target(number)), "{link:?} at {now}\n{texts}");
            }
        }
    }
}
