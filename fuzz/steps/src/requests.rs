//! The slowest requests known, about the largest levels that can be registered.

use std::sync::Arc;

use fingerpost_resolver::{
    Entry, Outcome, Plan, ResolutionRequest, Rules, Settings, SettingsParts, Vocabulary,
    read_record,
};

/// Steps that a request may take with the form of its answer, without sending it. Uninstrumented, a core takes about a thousand million in a
/// second, so this is 5 ms at most.
pub const MOST_STEPS: u64 = 5_000_000;

/// The key of all levels: an ISBN, which can be requested by name.
const KEY: &str = "/01/09780451450524";
const LEVELS: [&str; 5] = ["", "/10/L", "/22/V", "/22/V/10/L", "/21/S"];
const PATH: &str = "/01/09780451450524/22/V/10/L/21/S";

/// A level that fills one of the bounds of registration.
#[derive(Clone, Copy, Debug)]
pub enum Level {
    /// Two thousand language tags that begin alike.
    Languages,
    /// Links of one type with media types that begin alike.
    MediaTypes,
    /// Variants of the default link with languages, media types and contexts.
    Variants,
    /// Every link type in turn.
    Types,
    /// Targets with as many placeholders as they can have.
    Templates,
    /// Targets and titles of characters that are escaped wherever they are written.
    Escapes,
}

/// All kinds of levels.
pub const KINDS: [Level; 6] = [
    Level::Languages,
    Level::MediaTypes,
    Level::Variants,
    Level::Types,
    Level::Templates,
    Level::Escapes,
];

const MEDIA_TYPES: [&str; 8] = [
    "application/vnd.openxmlformats-officedocument.spreadsheetml.pivotCacheDefinition+xml",
    "application/vnd.openxmlformats-officedocument.spreadsheetml.pivotCacheRecords+xml",
    "application/vnd.openxmlformats-officedocument.spreadsheetml.sharedStrings+xml",
    "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet.main+xml",
    "application/vnd.openxmlformats-officedocument.spreadsheetml.sheetMetadata+xml",
    "application/vnd.openxmlformats-officedocument.spreadsheetml.styles+xml",
    "application/vnd.openxmlformats-officedocument.spreadsheetml.table+xml",
    "application/vnd.openxmlformats-officedocument.spreadsheetml.tableSingleCells+xml",
];

const TYPES: [&str; 8] = [
    "gs1:pip",
    "gs1:faqs",
    "gs1:recipeInfo",
    "gs1:certificationInfo",
    "gs1:hasRetailers",
    "gs1:allergenInfo",
    "gs1:instructions",
    "license",
];

/// Returns the JSON of a link.
fn link(link_type: &str, href: &str, title: &str, more: &str) -> String {
    format!(r#"{{"linkType":"{link_type}","href":"{href}","title":"{title}"{more}}}"#)
}

impl Level {
    /// Returns the link at a place, and the number of such links.
    fn link(self, at: usize) -> String {
        let quoted = |tag: String| format!("\"{tag}\"");
        let tags = |count: usize| {
            let tags: Vec<_> =
                (0..count).map(|n| quoted(format!("en-aaaaaaaa-x-{at:03}{n}"))).collect();
            tags.join(",")
        };
        match self {
            Self::Languages => link(
                "gs1:pip",
                "https://a.example/p",
                "T",
                &format!(r#","hreflang":[{}]"#, tags(4)),
            ),
            Self::MediaTypes => {
                let more = format!(r#","type":"{}","context":["{at}"]"#, MEDIA_TYPES[at % 8]);
                link("gs1:pip", "https://a.example/p", "T", &more)
            }
            Self::Variants => {
                let of_each = (tags(2), MEDIA_TYPES[at % 8]);
                let more = format!(
                    r#","hreflang":[{}],"type":"{}","context":["{at}","C"]"#,
                    of_each.0, of_each.1
                );
                link("gs1:defaultLinkMulti", "https://a.example/p", "T", &more)
            }
            Self::Types => link(TYPES[at % 8], &format!("https://a.example/{at}"), "T", ""),
            Self::Templates => {
                let href = format!("https://a.example/{at}/{}", "{01}".repeat(16));
                link("gs1:pip", &href, "T", "")
            }
            Self::Escapes => {
                let href = format!("https://a.example/?{at}{}", "&".repeat(90));
                link("gs1:pip", &href, &"<".repeat(90), "")
            }
        }
    }

    /// Returns the record of the level with as many links as can be registered.
    fn record(self, anchor: &str, count: usize) -> String {
        let default = link("gs1:defaultLink", "https://a.example/p", "T", "");
        let twin = link("gs1:pip", "https://a.example/p", "T", "");
        let links: Vec<String> =
            [default, twin].into_iter().chain((0..count).map(|at| self.link(at))).collect();
        format!(r#"{{"anchor":"{anchor}","links":[{}]}}"#, links.join(","))
    }

    /// Returns the level at all five places of the key, most granular first, with as many links as registration accepts.
    fn entries(self) -> Vec<Arc<Entry>> {
        let vocabulary = Vocabulary::builtin();
        let rules = Rules::new(&vocabulary);
        let read = |anchor: &str, count: usize| {
            read_record(self.record(anchor, count).as_bytes(), &rules)
                .map(|accepted| accepted.entry)
        };
        let fits =
            (1..=10).rev().map(|tenth| tenth * 498 / 10).find(|&count| read(KEY, count).is_ok());
        let count = fits.expect("fifty links of any kind can be registered");
        let entry = |level: &&str| read(&[KEY, level].concat(), count).expect("accepted above");
        LEVELS.iter().rev().map(entry).map(Arc::new).collect()
    }
}

/// A request, in words and as it is asked.
struct Request {
    target: String,
    accept: String,
    accept_language: String,
}

fn requests() -> Vec<Request> {
    // More members than a header of 16 KiB has room for.
    let filled = |member: &dyn Fn(usize) -> String| {
        let mut header = String::new();
        let mut at = 0;
        while header.len() < 16_000 {
            header.push_str(&member(at));
            at += 1;
        }
        header
    };
    let languages = [
        String::new(),
        "fr".to_owned(),
        filled(&|_| format!("en{},", "-aaaaaaaa".repeat(6))),
        filled(&|at| format!("en-aaaaaaaa-b-{at},")),
        filled(&|at| format!("en-aaaaaaaa-x-{at}x;q=0,")),
        filled(&|at| format!("fr-{},", at % 10)),
        "en".to_owned() + &filled(&|_| "-aaaaaaaa".to_owned()),
        filled(&|at| format!("*;q=0.{at},")),
        "*;q=0.5,".to_owned() + &filled(&|at| format!("en-aaaaaaaa-x-000{at};q=0,")),
    ];
    let accepts = [
        String::new(),
        "text/html".to_owned(),
        "application/linkset+json".to_owned(),
        filled(&|at| format!("{}x,", MEDIA_TYPES[at % 8])),
        filled(&|at| format!("{};q=0.{},", MEDIA_TYPES[at % 8], at % 10)),
        "*/*;q=0.1,".to_owned() + &filled(&|at| format!("{};q=0,", MEDIA_TYPES[at % 8])),
        filled(&|_| "a/b;x=\"\\\"\";".to_owned()),
    ];
    let targets = [
        PATH.to_owned(),
        format!("{PATH}?linkType=linkset"),
        format!("{PATH}?linkType=gs1:pip"),
        format!("{PATH}?linkType=gs1:pip&context=C"),
        format!("{PATH}?context={}", "C".repeat(8_000)),
        format!("{PATH}?{}linkType=gs1:nosuch", "a=%41;".repeat(1_300)),
        "/uri-res/N2Ls?urn:isbn:9780451450524".to_owned(),
        "/uri-res/N2C?urn:isbn:9780451450524".to_owned(),
        format!("/urn/urn:isbn:9780451450524?s=I2Ls{}", "&a=b".repeat(2_000)),
    ];
    let mut all = Vec::new();
    for target in targets {
        for accept in &accepts {
            for accept_language in &languages {
                let (accept, accept_language) = (accept.clone(), accept_language.clone());
                all.push(Request { target: target.clone(), accept, accept_language });
            }
        }
    }
    all
}

/// Answers every request about a kind of level; returns the most steps, and the request that took them. `steps` counts those of some work.
pub fn slowest(kind: Level, steps: impl Fn(&dyn Fn()) -> u64) -> (u64, String) {
    let root = "https://id.example.org".to_owned();
    let parts = SettingsParts { resolver_root: root, ..SettingsParts::default() };
    let settings = Settings::new(parts).expect("the settings are valid");
    let levels = kind.entries();
    // A name has one level only, that of its key.
    let by_name = &levels[levels.len() - 1..];
    let mut worst = (0, String::new());
    for Request { target, accept, accept_language } in requests() {
        let asked = ResolutionRequest {
            target: target.as_bytes(),
            accept: accept.as_bytes(),
            accept_language: accept_language.as_bytes(),
            ..ResolutionRequest::default()
        };
        let levels = if target.starts_with(KEY) { &levels[..] } else { by_name };
        let taken = steps(&|| answer(&settings, &asked, levels));
        if taken > worst.0 {
            let cut = |text: &str| text.chars().take(50).collect::<String>();
            worst =
                (taken, format!("{} | {} | {}", cut(&target), cut(&accept), cut(&accept_language)));
        }
    }
    worst
}

/// Answers a request, and writes the linkset in each form in which it could be sent.
fn answer(settings: &Settings, asked: &ResolutionRequest<'_>, levels: &[Arc<Entry>]) {
    let plan = Plan::of(settings, asked);
    let answer = plan.answer(levels);
    let _ = (answer.location().map(str::len), answer.link());
    if let Outcome::Uris(list) = answer.outcome() {
        assert!(!list.is_empty());
    }
    if let Some((linkset, format)) = answer.linkset() {
        match format {
            fingerpost_resolver::Format::Html => drop(linkset.page(1).0.to_script_json_ld()),
            fingerpost_resolver::Format::JsonLd => drop(linkset.to_json_ld()),
            _ => drop(linkset.to_json()),
        }
    }
}
