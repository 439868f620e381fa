//! The steps of the selection algorithm of `docs/requirements/resolver.md`, typed one after
//! another, slowly and with types of their own. It shares nothing with the crate; where it says
//! `D`, the standard leaves room and this is the reading taken.

/// One stored link.
#[derive(Clone, Debug)]
pub(crate) struct Link {
    /// IRI or IANA name.
    pub(crate) link_type: &'static str,
    pub(crate) href: String,
    pub(crate) media: Option<&'static str>,
    pub(crate) tags: Vec<&'static str>,
    pub(crate) contexts: Vec<&'static str>,
    /// Seconds.
    pub(crate) from: Option<i64>,
    pub(crate) until: Option<i64>,
}

#[derive(Clone, Debug)]
pub(crate) struct Asked {
    pub(crate) link_type: Type,
    /// `Some(None)`: given, but unreadable.
    pub(crate) context: Option<Option<String>>,
    pub(crate) accept: String,
    pub(crate) language: String,
    pub(crate) lot: String,
    pub(crate) now: i64,
    pub(crate) default_is_linkset: bool,
}

#[derive(Clone, Debug)]
pub(crate) enum Type {
    Absent,
    Linkset,
    Unreadable,
    /// Readings of the type, first to last.
    Readings(Vec<&'static str>),
}

/// Links are (level, position).
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Answer {
    Unknown,
    Redirect(usize, usize),
    Choices(Vec<(usize, usize)>, &'static str),
    Linkset(Vec<(usize, usize)>, &'static str),
    TypeMissing(Vec<(usize, usize)>, &'static str),
    NoDefault(Vec<(usize, usize)>, &'static str),
}

pub(crate) const DEFAULT: &str = "https://ref.gs1.org/voc/defaultLink";
pub(crate) const VARIANT: &str = "https://ref.gs1.org/voc/defaultLinkMulti";
const LINKSET: &str = "application/linkset+json";
const LINKSET_TEXT: &str = "application/linkset";

type LinkIndex = (usize, usize);

pub(crate) fn answer(levels: &[Vec<Link>], asked: &Asked) -> Answer {
    let accept = read_accept(&asked.accept);
    let prefs = Prefs { language: read_language(&asked.language), accept, asked };
    // Inputs: links outside their window removed, then levels without links.
    let mut all: Vec<LinkIndex> = Vec::new();
    let mut held: Vec<Vec<LinkIndex>> = Vec::new();
    for (l, links) in levels.iter().enumerate() {
        let present: Vec<LinkIndex> = existing(links, asked).into_iter().map(|n| (l, n)).collect();
        if !present.is_empty() {
            all.extend(&present);
            held.push(present);
        }
    }
    let link = |position: LinkIndex| &levels[position.0][position.1];
    let of_type = |t: &str| -> Vec<LinkIndex> {
        let mut found = Vec::new();
        for level in &held {
            found = level.iter().copied().filter(|&p| link(p).link_type == t).collect::<Vec<_>>();
            if !found.is_empty() {
                break;
            }
        }
        found
    };
    // A.1
    if all.is_empty() {
        return Answer::Unknown;
    }
    let format = section_8(&prefs.accept);
    let explicit: Vec<&Range> = prefs
        .accept
        .iter()
        .filter(|r| r.text != "*/*" && !r.text.ends_with("/*") && r.q > 0)
        .collect();
    let highest = explicit.iter().map(|r| r.q).max().unwrap_or(0);
    let top: Vec<&str> =
        explicit.iter().filter(|r| r.q == highest).map(|r| r.text.as_str()).collect();
    let accepted = [LINKSET, LINKSET_TEXT].into_iter().find(|form| top.contains(form));
    // A.2
    if matches!(asked.link_type, Type::Linkset) {
        return Answer::Linkset(all, accepted.unwrap_or(format));
    }
    // A.3
    if let Some(form) = accepted {
        return Answer::Linkset(all, form);
    }
    match &asked.link_type {
        Type::Absent => {}
        Type::Linkset | Type::Unreadable => return Answer::TypeMissing(all, format),
        Type::Readings(readings) => {
            // B, with the readings of section 11.
            let found = readings.iter().map(|t| of_type(t)).find(|found| !found.is_empty());
            let Some(mut candidates) = found else { return Answer::TypeMissing(all, format) };
            if candidates.len() > 1 {
                step_b(&mut candidates, &link, &prefs);
            }
            return match candidates[..] {
                [one] => Answer::Redirect(one.0, one.1),
                _ => Answer::Choices(candidates, format),
            };
        }
    }
    // C, needed for A.4 too.
    let mut chosen = None;
    for level in &held {
        if let Some(&default) = level.iter().find(|&&p| link(p).link_type == DEFAULT) {
            chosen = Some(step_c(default, level, &link, &prefs));
            break;
        }
    }
    // A.4
    if !top.is_empty()
        && top.iter().all(|t| *t == "application/json" || *t == "application/ld+json")
    {
        if let Some(position) = chosen
            && link(position).link_type == VARIANT
            && link(position).media == Some(top[0])
        {
            return Answer::Redirect(position.0, position.1);
        }
        let format =
            if top[0] == "application/json" { "application/json" } else { "application/ld+json" };
        return Answer::Linkset(all, format);
    }
    // A.5
    if asked.default_is_linkset {
        return Answer::Linkset(all, format);
    }
    chosen
        .map_or(Answer::NoDefault(all, format), |position| Answer::Redirect(position.0, position.1))
}

/// RES-2.5.7-2 and RES-2.5.1-7: the positions of the links that exist.
fn existing(links: &[Link], asked: &Asked) -> Vec<usize> {
    let usable = |l: &Link| {
        l.from.is_none_or(|from| from <= asked.now)
            && l.until.is_none_or(|until| asked.now < until)
            && !(l.href.contains("/{10}/") && (asked.lot == "." || asked.lot == ".."))
    };
    let mut positions: Vec<usize> = (0..links.len()).filter(|&n| usable(&links[n])).collect();
    let default = positions
        .iter()
        .copied()
        .filter(|&n| links[n].link_type == DEFAULT)
        .max_by_key(|&n| links[n].from.unwrap_or(i64::MIN));
    let windowed = |n: usize| links[n].from.is_some() || links[n].until.is_some();
    positions.retain(|&n| links[n].link_type != DEFAULT || Some(n) == default);
    if default.is_some_and(windowed) {
        positions.retain(|&n| links[n].link_type != VARIANT || windowed(n));
    }
    positions
}

struct Prefs<'a> {
    accept: Vec<Range>,
    language: Vec<Range>,
    asked: &'a Asked,
}

impl Prefs<'_> {
    /// "An Accept without usable members, or with `*/*` (q > 0) alone, equals no Accept."
    fn has_accept(&self) -> bool {
        !self.accept.iter().all(|r| r.text == "*/*" && r.q > 0)
    }

    fn has_language(&self) -> bool {
        !self.language.iter().all(|r| r.text == "*" && r.q > 0)
    }

    /// "ranges with q > 0 by descending q, ties in header order"
    fn list(&self) -> Vec<&str> {
        let mut list: Vec<&Range> = self.language.iter().filter(|r| r.q > 0).collect();
        list.sort_by_key(|r| std::cmp::Reverse(r.q));
        list.iter().map(|r| r.text.as_str()).collect()
    }

    /// "the longest range covering the tag decides whether q = 0 refuses it, `*` being the
    /// shortest"; of a repeated range the highest q counts (D).
    fn refused(&self, tag: &str) -> bool {
        let covering =
            |r: &&Range| r.text == "*" || tag == r.text || tag.starts_with(&format!("{}-", r.text));
        let len = |r: &Range| if r.text == "*" { 0 } else { r.text.len() };
        let longest = self.language.iter().filter(covering).map(len).max();
        let Some(longest) = longest else { return false };
        let deciding = self.language.iter().filter(covering).filter(|r| len(r) == longest);
        deciding.map(|r| r.q).max() == Some(0)
    }

    /// 0 mismatch, 1 neutral, 2 match; then q, then exact over range.
    fn score(&self, media: Option<&str>) -> (u8, u32, u8) {
        let Some(media) = media else { return (1, 0, 0) };
        match most_specific(&self.accept, media) {
            None | Some((_, 0)) => (0, 0, 0),
            Some((0, _)) => (1, 0, 0),
            Some((specificity, q)) => (2, q, specificity),
        }
    }
}

/// 2 exact, 1 `type/*`, 0 `*/*`, with the q; of a repeated range the highest q counts (D).
fn most_specific(accept: &[Range], media: &str) -> Option<(u8, u32)> {
    let kind = |r: &Range| {
        if r.text == media {
            Some(2)
        } else if r.text == "*/*" {
            Some(0)
        } else if r.text.ends_with("/*") && media.starts_with(r.text.trim_end_matches('*')) {
            Some(1)
        } else {
            None
        }
    };
    accept.iter().filter_map(|r| Some((kind(r)?, r.q))).max()
}

fn keep(set: &mut Vec<LinkIndex>, test: impl Fn(LinkIndex) -> bool) {
    let kept: Vec<LinkIndex> = set.iter().copied().filter(|&p| test(p)).collect();
    if !kept.is_empty() {
        *set = kept;
    }
}

fn step_b<'l>(set: &mut Vec<LinkIndex>, link: &impl Fn(LinkIndex) -> &'l Link, prefs: &Prefs<'_>) {
    let best_media = |set: &mut Vec<LinkIndex>| {
        let best = set.iter().map(|&p| prefs.score(link(p).media)).max();
        keep(set, |p| Some(prefs.score(link(p).media)) == best);
    };
    // 1
    let anything = prefs.accept.iter().any(|r| r.text == "*/*" && r.q > 0);
    if prefs.has_accept() && anything {
        keep(set, |p| {
            link(p).media.and_then(|m| most_specific(&prefs.accept, m)).is_none_or(|(_, q)| q > 0)
        });
    } else if prefs.has_accept() {
        best_media(set);
    }
    // 2
    let mut language_skipped = true;
    if prefs.has_language() {
        keep(set, |p| {
            link(p).tags.is_empty() || link(p).tags.iter().any(|t| !prefs.refused(&lower(t)))
        });
        let list = prefs.list();
        if !list.is_empty() && list[0] != "*" {
            language_skipped = false;
            if !language(set, link, &list) {
                keep(set, |p| link(p).tags.is_empty());
            }
        }
    }
    // 3
    if let Some(context) = &prefs.asked.context {
        if set.iter().any(|&p| has_context(link(p), context.as_deref())) {
            keep(set, |p| has_context(link(p), context.as_deref()));
        } else {
            keep(set, |p| link(p).contexts.is_empty());
        }
    }
    if prefs.has_accept() && anything {
        best_media(set);
    }
    // 4
    if language_skipped {
        keep(set, |p| link(p).tags.is_empty());
    }
    if prefs.asked.context.is_none() {
        keep(set, |p| link(p).contexts.is_empty());
    }
    if prefs.accept.iter().all(|r| r.text == "*/*") {
        keep(set, |p| link(p).media.is_none());
    }
}

/// B.2; `false` if all ranges failed.
fn language<'l>(
    set: &mut Vec<LinkIndex>,
    link: &impl Fn(LinkIndex) -> &'l Link,
    list: &[&str],
) -> bool {
    for (at, range) in list.iter().enumerate() {
        if *range == "*" {
            return true;
        }
        for shortened in shortenings(range) {
            let (before, has) =
                (set.len(), |p: LinkIndex| link(p).tags.iter().any(|t| lower(t) == shortened));
            if set.iter().any(|&p| has(p)) {
                keep(set, has);
                assert!(set.len() <= before);
                return true;
            }
        }
        for shortened in shortenings(range) {
            let start = format!("{shortened}-");
            let has = |p: LinkIndex| link(p).tags.iter().any(|t| lower(t).starts_with(&start));
            if set.iter().any(|&p| has(p)) {
                keep(set, has);
                if set.len() > 1 {
                    language(set, link, &list[at + 1..]);
                }
                return true;
            }
        }
    }
    false
}

/// The range, then shorter by one subtag each; a single-letter subtag left at the end goes too.
fn shortenings(range: &str) -> Vec<String> {
    let mut subtags: Vec<&str> = range.split('-').collect();
    let mut all = Vec::new();
    while !subtags.is_empty() {
        all.push(subtags.join("-"));
        subtags.pop();
        if subtags.last().is_some_and(|last| last.len() == 1) {
            subtags.pop();
        }
    }
    all
}

fn has_context(link: &Link, wanted: Option<&str>) -> bool {
    wanted.is_some_and(|wanted| link.contexts.iter().any(|c| lower(c) == lower(wanted)))
}

fn step_c<'l>(
    default: LinkIndex,
    level: &[LinkIndex],
    link: &impl Fn(LinkIndex) -> &'l Link,
    prefs: &Prefs<'_>,
) -> LinkIndex {
    let list = prefs.list();
    // D: a refused tag is not reachable, and refusing all of a link's tags contradicts the link.
    let reachable = |l: &Link| {
        prefs.has_language()
            && l.tags.iter().any(|tag| {
                let tag = lower(tag);
                !prefs.refused(&tag)
                    && list.iter().filter(|r| **r != "*").any(|range| {
                        shortenings(range)
                            .iter()
                            .any(|s| tag == *s || tag.starts_with(&format!("{s}-")))
                    })
            })
    };
    let contradicts = |l: &Link| {
        let media = prefs.has_accept() && l.media.is_some() && prefs.score(l.media).0 == 0;
        let tagged = prefs.has_language() && !l.tags.is_empty();
        let stated = !list.is_empty() && !list.contains(&"*");
        let language = tagged
            && ((stated && !reachable(l)) || l.tags.iter().all(|tag| prefs.refused(&lower(tag))));
        let context =
            prefs.asked.context.as_ref().is_some_and(|context| {
                !l.contexts.is_empty() && !has_context(l, context.as_deref())
            });
        media || language || context
    };
    let matches = |l: &Link| {
        (prefs.has_accept() && prefs.score(l.media).0 == 2)
            || reachable(l)
            || prefs
                .asked
                .context
                .as_ref()
                .is_some_and(|context| has_context(l, context.as_deref()))
    };
    let mut variants: Vec<LinkIndex> = level
        .iter()
        .copied()
        .filter(|&p| link(p).link_type == VARIANT && !contradicts(link(p)) && matches(link(p)))
        .collect();
    if variants.len() > 1 {
        step_b(&mut variants, link, prefs);
    }
    if let [one] = variants[..] { one } else { default }
}

/// Highest q wins; ties: more specific range, then header order, then the order given.
fn section_8(accept: &[Range]) -> &'static str {
    if accept.iter().all(|r| r.text == "*/*" && r.q > 0) {
        return "text/html";
    }
    let offers = [
        "text/html",
        "application/xhtml+xml",
        LINKSET,
        "application/json",
        "application/ld+json",
        LINKSET_TEXT,
    ];
    // q, specificity, then early in the header, then early in the list.
    type Rank = (u32, u8, i64, i64);
    let mut best: Option<(Rank, &'static str)> = None;
    for (order, offer) in offers.into_iter().enumerate() {
        let Some((specificity, q)) = most_specific(accept, offer) else { continue };
        if q == 0 || (offer == "application/xhtml+xml" && specificity < 2) {
            continue;
        }
        let range = match specificity {
            2 => offer.to_owned(),
            1 => format!("{}/*", offer.split('/').next().unwrap_or_default()),
            _ => "*/*".to_owned(),
        };
        let at = accept.iter().position(|r| r.text == range && r.q == q).expect("it was found");
        let rank = (q, specificity, -(at as i64), -(order as i64));
        if best.is_none_or(|(b, _)| rank > b) {
            best = Some((rank, if order == 1 { "text/html" } else { offer }));
        }
    }
    best.map_or(LINKSET, |(_, offer)| offer)
}

/// One usable member, in lower case.
#[derive(Clone, Debug)]
struct Range {
    text: String,
    /// Thousandths.
    q: u32,
}

fn read_accept(header: &str) -> Vec<Range> {
    let token = |t: &str| {
        !t.is_empty()
            && t.chars().all(|c| c.is_ascii_alphanumeric() || "!#$%&'*+-.^_`|~".contains(c))
    };
    read(header, |text| match text.split_once('/') {
        Some(("*", sub)) => sub == "*",
        Some((main, sub)) => token(main) && token(sub),
        None => false,
    })
}

fn read_language(header: &str) -> Vec<Range> {
    read(header, |text| {
        text == "*"
            || text.split('-').enumerate().all(|(at, subtag)| {
                let allowed = |c: char| c.is_ascii_alphabetic() || (at > 0 && c.is_ascii_digit());
                !subtag.is_empty() && subtag.len() <= 8 && subtag.chars().all(allowed)
            })
    })
}

fn read(header: &str, is_range: impl Fn(&str) -> bool) -> Vec<Range> {
    let mut ranges = Vec::new();
    for member in header.split(',') {
        let mut parts = member.split(';');
        let text = lower(parts.next().unwrap_or_default().trim());
        let mut q = Some(1000);
        for part in parts {
            if let Some((name, value)) = part.split_once('=')
                && name.trim().eq_ignore_ascii_case("q")
            {
                q = read_q(value.trim());
                break;
            }
        }
        if let Some(q) = q.filter(|_| is_range(&text)) {
            ranges.push(Range { text, q });
        }
    }
    ranges
}

/// 0 to 1 with at most three decimals.
fn read_q(text: &str) -> Option<u32> {
    let (whole, decimals) = text.split_once('.').unwrap_or((text, ""));
    if decimals.len() > 3 || !decimals.chars().all(|c| c.is_ascii_digit()) {
        return None;
    }
    let padded = format!("{decimals:0<3}");
    let q = whole.parse::<u32>().ok().filter(|_| whole.len() == 1)? * 1000
        + padded.parse::<u32>().ok()?;
    (q <= 1000).then_some(q)
}

fn lower(text: &str) -> String {
    text.to_ascii_lowercase()
}
