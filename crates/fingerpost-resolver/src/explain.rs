//! Explanations of answers: what was read, which links were left at each step, which rule decided.
//!
//! Rules are named as in the selection algorithm of `docs/requirements/resolver.md`: `A.3`, `B.2`,
//! `C`.

use std::borrow::Cow;
use std::fmt;
use std::sync::Arc;

use fingerpost_uri::urn::thttp::read_uri_list;
use serde::Serialize;

use crate::limits::MAX_LISTED_BYTES;
use crate::request::EntityRequest;
use crate::select::View;
use crate::trace::Trace;
use crate::vocabulary::{GS1_NAMESPACE, GS1_PREFIX};
use crate::{Answer, Entry, Format, Link, Outcome, Plan, PublicPath, Refusal};

impl Plan<'_> {
    /// Returns the answer and its explanation.
    pub fn explain<'l>(&'l self, levels: &'l [Arc<Entry>]) -> (Answer<'l>, Explanation) {
        let mut recorder = Recorder::default();
        let answer = self.decide(levels, &mut recorder);
        let explanation = recorder.finish(self, levels, &answer);
        (answer, explanation)
    }
}

/// A listener that keeps every step.
#[derive(Debug)]
struct Recorder {
    steps: Vec<TraceStep>,
    room: usize,
}

impl Default for Recorder {
    fn default() -> Self {
        Self { steps: Vec::new(), room: MAX_LISTED_BYTES }
    }
}

impl Trace for Recorder {
    fn step(&mut self, rule: &'static str, text: impl FnOnce() -> String, left: &[Link<'_>]) {
        let (left, left_omitted) = listed(left, &mut self.room, |_| None);
        self.steps.push(TraceStep { rule, text: text(), left, left_omitted });
    }
}

/// Returns summaries of the first links that there is room for, each with its note, and the number
/// of other links.
fn listed<'l>(
    links: &[Link<'l>],
    room: &mut usize,
    note: impl Fn(Link<'l>) -> Option<&'static str>,
) -> (Vec<LinkSummary>, usize) {
    let fits = |link: &&Link<'_>| {
        let left = room.checked_sub(link.published_bytes());
        *room = left.unwrap_or(0);
        left.is_some()
    };
    let count = links.iter().take_while(fits).count();
    let summaries = links[..count].iter().map(|&link| LinkSummary::of(link, note(link)));
    (summaries.collect(), links.len() - count)
}

impl Recorder {
    fn finish(self, plan: &Plan<'_>, entries: &[Arc<Entry>], answer: &Answer<'_>) -> Explanation {
        let root = plan.settings.root();
        let now = plan.asked.now;
        let mut room = MAX_LISTED_BYTES;
        let levels = plan.request().map_or_else(Vec::new, |request| {
            let view = View { key: request.entity(), levels: entries, now };
            let mut summary = |anchor: &str, entry: Option<&Arc<Entry>>| {
                let listed = entry.map(|entry| view.summaries(entry, &mut room));
                let (links, links_omitted) = listed.unwrap_or_default();
                let anchor = format!("{root}/{anchor}");
                LevelSummary { anchor, held: entry.is_some(), links, links_omitted }
            };
            let mut levels = Vec::new();
            let mut entries = entries.iter().peekable();
            for (index, level) in request.entity().levels().enumerate() {
                let held = entries.next_if(|entry| *entry.anchor().as_str() == *level);
                levels.push(summary(&level, held));
                // The sets that contain the level follow it, and company prefixes come last.
                let contains = |entry: &&Arc<Entry>| {
                    let specificity = entry.anchor().specificity(view.key);
                    specificity.is_some_and(|specificity| specificity.level() == index)
                };
                while let Some(entry) = entries.next_if(contains) {
                    levels.push(summary(entry.anchor().as_str(), Some(entry)));
                }
            }
            levels.extend(entries.map(|entry| summary(entry.anchor().as_str(), Some(entry))));
            levels
        });
        let text = |header: &[u8]| (!header.is_empty()).then(|| header.escape_ascii().to_string());
        let asked =
            |read: fn(&'_ EntityRequest<'_>) -> Option<String>| plan.request().and_then(read);
        Explanation {
            entity: plan.entity().map(ToString::to_string),
            name: plan.name.as_ref().map(|name| name.operand.clone()),
            compressed: plan.request().and_then(CompressedSummary::of),
            link_type: asked(|request| request.link_type().map(str::to_owned)),
            context: asked(|request| request.context().map(str::to_owned)),
            accept: text(plan.asked.accept),
            accept_language: text(plan.asked.accept_language),
            now: now.to_string(),
            levels,
            steps: self.steps,
            outcome: OutcomeSummary::of(answer.outcome()),
            status: answer.status(),
            link: answer.link().map(Cow::into_owned),
        }
    }
}

impl View<'_> {
    fn summaries(&self, entry: &Entry, room: &mut usize) -> (Vec<LinkSummary>, usize) {
        let used: Vec<usize> = self.links(entry).map(Link::index).collect();
        let note = |link: Link<'_>| {
            // In registration order.
            if used.binary_search(&link.index()).is_ok() {
                None
            } else if !link.is_valid_at(self.now) {
                Some("outside its validity window")
            } else if link.expand(self.key).is_none() {
                Some("its template cannot be filled for this request")
            } else {
                Some("rests while another default link is in force")
            }
        };
        listed(&entry.links().collect::<Vec<_>>(), room, note)
    }
}

/// The explanation of an answer. `Display` is human-readable, `Serialize` gives the same in
/// machine-readable form.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Explanation {
    #[serde(skip_serializing_if = "Option::is_none")]
    entity: Option<String>,
    /// The name, or other locator, by which the entity was requested.
    #[serde(skip_serializing_if = "Option::is_none")]
    name: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    compressed: Option<CompressedSummary>,
    #[serde(skip_serializing_if = "Option::is_none")]
    link_type: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    context: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    accept: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    accept_language: Option<String>,
    now: String,
    levels: Vec<LevelSummary>,
    steps: Vec<TraceStep>,
    outcome: OutcomeSummary,
    status: u16,
    /// The value of the header field `Link`.
    #[serde(skip_serializing_if = "Option::is_none")]
    link: Option<String>,
}

/// The compressed path of the entity.
#[derive(Clone, Debug, Serialize)]
struct CompressedSummary {
    path: String,
    how: String,
    /// The part of the path that is not the entity and goes before the query.
    #[serde(skip_serializing_if = "Option::is_none")]
    query: Option<String>,
}

impl CompressedSummary {
    fn of(request: &EntityRequest<'_>) -> Option<Self> {
        request.compressed().map(|(how, path, query)| Self {
            path: path.escape_ascii().to_string(),
            how: how.to_string(),
            query: (!query.is_empty()).then(|| query.escape_ascii().to_string()),
        })
    }
}

/// A level that applies to the request.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct LevelSummary {
    anchor: String,
    held: bool,
    links: Vec<LinkSummary>,
    /// The number of links that are not listed.
    #[serde(skip_serializing_if = "is_zero")]
    links_omitted: usize,
}

#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct LinkSummary {
    /// Its position in the registration, from 1.
    number: usize,
    link_type: String,
    href: String,
    #[serde(rename = "type", skip_serializing_if = "Option::is_none")]
    media_type: Option<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    hreflang: Vec<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    context: Vec<String>,
    /// The reason the link is left out.
    #[serde(skip_serializing_if = "Option::is_none")]
    left_out: Option<&'static str>,
}

impl LinkSummary {
    fn of(link: Link<'_>, left_out: Option<&'static str>) -> Self {
        Self {
            number: link.index() + 1,
            link_type: link.link_type().to_owned(),
            href: link.href().to_owned(),
            media_type: link.media_type().map(str::to_owned),
            hreflang: link.languages().map(str::to_owned).collect(),
            context: link.contexts().map(str::to_owned).collect(),
            left_out,
        }
    }
}

/// One step: the rule, what it did, and the links left after it.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct TraceStep {
    rule: &'static str,
    text: String,
    left: Vec<LinkSummary>,
    /// The number of links that are left too, but not listed.
    #[serde(skip_serializing_if = "is_zero")]
    left_omitted: usize,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde calls it so")]
fn is_zero(count: &usize) -> bool {
    *count == 0
}

/// The outcome.
#[derive(Clone, Debug, Serialize)]
#[serde(tag = "answer", rename_all = "kebab-case")]
enum OutcomeSummary {
    Redirect {
        location: String,
    },
    Delegated {
        #[serde(rename = "handledBy")]
        handled_by: String,
        location: String,
    },
    Choices {
        format: &'static str,
    },
    Linkset {
        format: &'static str,
    },
    LinkTypeNotAvailable {
        format: &'static str,
    },
    NoDefault {
        format: &'static str,
    },
    Unknown,
    Suspended {
        notice: String,
    },
    Uris {
        uris: Vec<String>,
    },
    NoLocator,
    NotOffered,
    Public {
        page: PublicPath,
    },
    Refused(RefusalSummary),
}

/// The reason a request is refused.
#[derive(Clone, Debug, Serialize)]
struct RefusalSummary {
    error: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    hint: Option<&'static str>,
    #[serde(flatten)]
    path: Option<PathSummary>,
}

/// The fault of a path.
#[derive(Clone, Debug, Serialize)]
struct PathSummary {
    class: &'static str,
    /// Its position, in bytes of the path.
    span: std::ops::Range<usize>,
    reason: Option<&'static str>,
}

impl OutcomeSummary {
    fn of(outcome: &Outcome<'_>) -> Self {
        let name = |format: &Format| format.media_type();
        match outcome {
            Outcome::Redirect(redirect) => {
                Self::Redirect { location: redirect.location().to_owned() }
            }
            Outcome::HandOver(hand_over) => Self::Delegated {
                handled_by: hand_over.location().to_owned(),
                location: hand_over.location().to_owned(),
            },
            Outcome::Choices(_, format) => Self::Choices { format: name(format) },
            Outcome::Linkset(_, format) => Self::Linkset { format: name(format) },
            Outcome::LinkTypeNotAvailable(_, format) => {
                Self::LinkTypeNotAvailable { format: name(format) }
            }
            Outcome::NoDefault(_, format) => Self::NoDefault { format: name(format) },
            Outcome::Unknown(_) => Self::Unknown,
            Outcome::Suspended(_, notice) => Self::Suspended { notice: (*notice).to_owned() },
            Outcome::Uris(list) => {
                Self::Uris { uris: read_uri_list(list).map(str::to_owned).collect() }
            }
            Outcome::NoLocator => Self::NoLocator,
            Outcome::NotOffered => Self::NotOffered,
            Outcome::Public(page) => Self::Public { page: *page },
            Outcome::Refused(refusal) => Self::Refused(RefusalSummary::of(refusal)),
        }
    }
}

impl RefusalSummary {
    fn of(refusal: &Refusal) -> Self {
        let path = match refusal {
            Refusal::Invalid(invalid) => Some(PathSummary {
                class: invalid.class().as_str(),
                span: invalid.span().start..invalid.span().end,
                reason: invalid.reason(),
            }),
            _ => None,
        };
        Self { error: refusal.to_string(), hint: refusal.hint(), path }
    }
}

impl fmt::Display for Explanation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(entity) = &self.entity {
            writeln!(f, "Request for {entity}")?;
        }
        if let Some(name) = &self.name {
            writeln!(f, "  by the name {}", name.escape_default())?;
        }
        if let Some(compressed) = &self.compressed {
            writeln!(f, "  by {}, {}", compressed.path, compressed.how)?;
            if let Some(query) = &compressed.query {
                writeln!(f, "  which adds to the query: {query}")?;
            }
        }
        let said = [
            ("linkType", &self.link_type),
            ("context", &self.context),
            ("Accept", &self.accept),
            ("Accept-Language", &self.accept_language),
        ];
        for (name, value) in said {
            if let Some(value) = value {
                writeln!(f, "  {name}: {value}")?;
            }
        }
        if !self.levels.is_empty() {
            writeln!(f, "Levels, at {}", self.now)?;
        }
        for level in &self.levels {
            let count = match (level.held, level.links.len() + level.links_omitted) {
                (false, _) => "nothing registered".to_owned(),
                (true, 1) => "1 link".to_owned(),
                (true, count) => format!("{count} links"),
            };
            writeln!(f, "  {}: {count}", level.anchor)?;
            for link in &level.links {
                writeln!(f, "    {link}")?;
            }
            write_omitted(f, level.links_omitted)?;
        }
        if !self.steps.is_empty() {
            writeln!(f, "Steps")?;
        }
        for step in &self.steps {
            writeln!(f, "  {:<4} {}", step.rule, step.text)?;
            for link in &step.left {
                writeln!(f, "       {link}")?;
            }
            write_omitted(f, step.left_omitted)?;
        }
        write!(f, "Answer: {}\nStatus: {}", self.outcome, self.status)
    }
}

fn write_omitted(f: &mut fmt::Formatter<'_>, count: usize) -> fmt::Result {
    if count > 0 { writeln!(f, "       and {count} more") } else { Ok(()) }
}

impl fmt::Display for LinkSummary {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}. ", self.number)?;
        match self.link_type.strip_prefix(GS1_NAMESPACE) {
            Some(local) => write!(f, "{GS1_PREFIX}{local}")?,
            None => f.write_str(&self.link_type)?,
        }
        write!(f, " {}", self.href)?;
        if let Some(media_type) = &self.media_type {
            write!(f, " {media_type}")?;
        }
        for (name, values) in [("language", &self.hreflang), ("context", &self.context)] {
            if !values.is_empty() {
                write!(f, " {name} {}", values.join(", "))?;
            }
        }
        match self.left_out {
            Some(why) => write!(f, " (left out: {why})"),
            None => Ok(()),
        }
    }
}

impl fmt::Display for OutcomeSummary {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Redirect { location } | Self::Delegated { location, .. } => {
                write!(f, "redirect to {location}")
            }
            Self::Choices { format } => write!(f, "a choice among several links, as {format}"),
            Self::Linkset { format } => write!(f, "the linkset, as {format}"),
            Self::LinkTypeNotAvailable { format } => {
                write!(f, "link type not available; what is, as {format}")
            }
            Self::NoDefault { format } => write!(f, "no default link; what there is, as {format}"),
            Self::Unknown => f.write_str("nothing is known about this"),
            Self::Suspended { notice } => {
                write!(f, "the organisation is suspended, with the notice {notice:?}")
            }
            Self::Uris { uris } => write!(f, "a list of URIs: {}", uris.join(" ")),
            Self::NoLocator => f.write_str("the name is known, but has no locator at present"),
            Self::NotOffered => f.write_str("a service that a resolver of links cannot offer"),
            Self::Public { page } => f.write_str(page.description()),
            Self::Refused(refusal) => f.write_str(&refusal.error),
        }
    }
}
