//! The context object of one record in a linkset file, as
//! [`read_linkset_context`](crate::read_linkset_context) reads it (GS1-Conformant Resolver 1.2.0
//! section 2.10, RFC 9264 section 4.2).
//!
//! It holds what the resolver publishes for a request of exactly this key at this instant. A
//! linkset has no place for the rest of a record, which is counted.

use std::ops::AddAssign;
use std::sync::Arc;

use fingerpost_gs1::EntityKey;
use jiff::Timestamp;

use super::{Linkset, WithTags};
use crate::select::View;
use crate::{Entry, Link, ResolverRoot, Viewer, degraded_language_tag};

/// Counts of what a linkset has no place for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LeftOut {
    /// Records of company prefixes, of any value and of ranges: an anchor is the URI of one thing.
    pub wide_records: u64,
    /// Records of which no link is in force.
    pub idle_records: u64,
    /// Links that are not in force: outside of their validity, or replaced by others meanwhile;
    /// and those whose target has a placeholder for which the anchor has no value
    /// (RES-2.5.1-7).
    pub idle_links: u64,
    /// Links in force written without the beginning or end of their validity.
    pub windows: u64,
    /// Targets in which placeholders are filled from the anchor.
    pub templates: u64,
    /// Links with a language tag that is shortened, or left out because it has no code of two
    /// letters.
    pub languages: u64,
    /// Links that only some roles may see: a linkset is public.
    pub restricted_links: u64,
    /// Records whose choice of the default answer is left out.
    pub default_answers: u64,
    /// Records whose source of the context is left out.
    pub context_sources: u64,
    /// Records without their description in other languages.
    pub descriptions: u64,
}

impl LeftOut {
    /// Returns whether everything is in the linkset.
    pub fn is_nothing(&self) -> bool {
        *self == LeftOut::default()
    }

    /// Counts what a link that is written loses.
    fn count(&mut self, link: Link<'_>) {
        self.windows += u64::from(link.valid_from().is_some() || link.valid_until().is_some());
        self.templates += u64::from(link.is_template());
        let is_kept = |tag: &str| degraded_language_tag(tag).is_some_and(|kept| kept == tag);
        self.languages += u64::from(!link.languages().all(is_kept));
    }
}

impl AddAssign for LeftOut {
    fn add_assign(&mut self, other: LeftOut) {
        self.wide_records += other.wide_records;
        self.idle_records += other.idle_records;
        self.idle_links += other.idle_links;
        self.windows += other.windows;
        self.templates += other.templates;
        self.languages += other.languages;
        self.restricted_links += other.restricted_links;
        self.default_answers += other.default_answers;
        self.context_sources += other.context_sources;
        self.descriptions += other.descriptions;
    }
}

/// Writes the context object of a record, as one line of JSON, with what it leaves out. `None` if a
/// linkset cannot have the record, or none of its links is in force.
///
/// Links are grouped by their type. A record without a description gets the element string of its
/// key, because the schema requires one (RES-2.10-12).
///
/// ```
/// use fingerpost_resolver::{ResolverRoot, Rules, Vocabulary, read_record, write_linkset_context};
///
/// let vocabulary = Vocabulary::builtin();
/// let record = br#"{"anchor": "/01/09520123456788", "itemDescription": "Tea", "links": [
///     {"linkType": "gs1:pip", "href": "https://example.com/p", "title": "Tea"}]}"#;
/// let entry = read_record(record, &Rules::new(&vocabulary))?.entry;
/// let root = ResolverRoot::parse("https://id.example.org")?;
/// let (context, left_out) = write_linkset_context(&entry.into(), &root, jiff::Timestamp::UNIX_EPOCH);
/// assert_eq!(context.unwrap(), concat!(
///     r#"{"anchor":"https://id.example.org/01/09520123456788","itemDescription":"Tea","#,
///     r#""https://ref.gs1.org/voc/pip":[{"href":"https://example.com/p","title":"Tea"}]}"#
/// ));
/// assert!(left_out.is_nothing());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn write_linkset_context(
    entry: &Arc<Entry>,
    root: &ResolverRoot,
    now: Timestamp,
) -> (Option<String>, LeftOut) {
    let mut left_out = LeftOut::default();
    let Some(key) = entry.anchor().entity() else {
        left_out.wide_records = 1;
        return (None, left_out);
    };
    let seen = Viewer::PUBLIC.see(entry);
    let published = seen.as_ref().map_or(0, |seen| seen.link_count());
    left_out.restricted_links = (entry.link_count() - published) as u64;
    let json = seen.and_then(|seen| write(key, &seen, root, now, &mut left_out));
    match &json {
        Some(_) => {
            left_out.default_answers = u64::from(entry.default_answer().is_some());
            left_out.context_sources = u64::from(entry.context_source().is_some());
            left_out.descriptions = u64::from(entry.item_descriptions().next().is_some());
        }
        None => left_out.idle_records = 1,
    }
    (json, left_out)
}

fn write(
    key: &EntityKey,
    entry: &Arc<Entry>,
    root: &ResolverRoot,
    now: Timestamp,
    left_out: &mut LeftOut,
) -> Option<String> {
    let levels = std::slice::from_ref(entry);
    let linkset = Linkset::of_levels(root, View { key, levels, now })?;
    let links = linkset.contexts.iter().flat_map(|level| &level.links);
    let written = links.map(|&link| left_out.count(link)).count();
    left_out.idle_links = (entry.link_count() - written) as u64;
    let context = linkset.contexts().next()?;
    // Text keys and values only, so writing to memory cannot fail.
    serde_json::to_string(&WithTags(context, false)).ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Rules, Vocabulary, read_linkset_context, read_record};

    fn written(record: &str) -> (Option<String>, LeftOut) {
        let vocabulary = Vocabulary::builtin();
        let rules = Rules::new(&vocabulary).with_default_by_record(true);
        let entry = read_record(record.as_bytes(), &rules).unwrap().entry;
        let root = ResolverRoot::parse("https://id.example.org").unwrap();
        let now = "2026-05-01T00:00:00Z".parse().unwrap();
        let (context, left_out) = write_linkset_context(&entry.into(), &root, now);
        if let Some(context) = &context {
            read_linkset_context(context.as_bytes(), &Rules::new(&vocabulary)).unwrap();
        }
        (context, left_out)
    }

    #[test]
    fn what_a_linkset_has_no_place_for_is_counted() {
        let (context, left_out) = written(
            r#"{"anchor": "/01/09520123456788", "defaultLinkType": "linkset", "contextFrom": "country", "links": [
                {"linkType": "gs1:pip", "href": "https://example.com/{01}", "title": "Tea"},
                {"linkType": "gs1:pip", "href": "https://example.com/old", "title": "Old", "validUntil": "2026-01-01T00:00:00Z"},
                {"linkType": "gs1:pip", "href": "https://example.com/new", "title": "New", "validFrom": "2026-01-01T00:00:00Z", "hreflang": ["zh-Hant-TW"]}]}"#,
        );
        assert_eq!(
            context.unwrap(),
            concat!(
                r#"{"anchor":"https://id.example.org/01/09520123456788","itemDescription":"(01)09520123456788","#,
                r#""https://ref.gs1.org/voc/pip":[{"href":"https://example.com/09520123456788","title":"Tea"},"#,
                r#"{"href":"https://example.com/new","title":"New","hreflang":["zh-TW"]}]}"#
            )
        );
        let expected = LeftOut {
            idle_links: 1,
            windows: 1,
            templates: 1,
            languages: 1,
            default_answers: 1,
            context_sources: 1,
            descriptions: 0,
            ..LeftOut::default()
        };
        assert_eq!(left_out, expected);
    }

    #[test]
    fn records_without_a_context_object_are_counted() {
        let link = r#""href": "https://example.com/p", "title": "P""#;
        let (context, left_out) = written(&format!(
            r#"{{"anchor": "/gcp/9520123", "links": [{{"linkType": "gs1:defaultLink", {link}}}, {{"linkType": "gs1:pip", {link}}}]}}"#
        ));
        assert_eq!((context, left_out), (None, LeftOut { wide_records: 1, ..LeftOut::default() }));
        let (context, left_out) = written(&format!(
            r#"{{"anchor": "/01/09520123456788", "links": [{{"linkType": "gs1:pip", {link}, "validFrom": "2027-01-01T00:00:00Z"}}]}}"#
        ));
        let expected = LeftOut { idle_records: 1, idle_links: 0, ..LeftOut::default() };
        assert_eq!((context, left_out), (None, expected));
    }
}
