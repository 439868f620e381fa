//! Linksets: every link of every applicable level, or the links of a choice, as RFC 9264 JSON and
//! text, as JSON-LD and as data for a page (GS1-Conformant Resolver 1.2.0 sections 2.9 and 2.10).
//!
//! ```text
//! {"linkset": [ {"anchor": uri, "itemDescription": text, "<link type>": [ link, … ], … }, … ]}
//! link = {"href": uri, "title": text, "type": media-type?, "hreflang": [tag, …]?, "context": [value, …]?}
//! ```

use std::borrow::Cow;
use std::collections::BTreeSet;

use fingerpost_gs1::EntityKey;
use jiff::Timestamp;
use serde::ser::{Serialize, SerializeMap, Serializer};

use crate::forward::forward;
use crate::language::degraded_language_tag;
use crate::request::without_preferences;
use crate::select::View;
use crate::{Entry, Link, ReaderLanguages, ResolverRoot};

mod merged;
mod of_record;
mod pages;
mod text;

use merged::MergedLevel;
pub use of_record::{LeftOut, write_linkset_context};

/// The context definitions, without the member name around them. The terms have the same meaning as
/// in GS1's context file; `gs1` stands for the namespace that is written here (ER-20). `context`,
/// for which there is no term elsewhere, has one in a namespace of our own: without it, `@vocab`
/// would make it a link relation.
macro_rules! definitions {
    () => {
        concat!(
            r#"{"@protected":true,"@vocab":"http://www.iana.org/assignments/relation/","#,
            r#""dcterms":"http://purl.org/dc/terms/","gs1":"https://ref.gs1.org/voc/","#,
            r#""rdfs":"http://www.w3.org/2000/01/rdf-schema#","linkset":"@graph","anchor":"@id","href":"@id","#,
            r#""itemDescription":"rdfs:comment","title":"dcterms:title","type":"dcterms:format","#,
            r#""hreflang":{"@id":"dcterms:language","@container":"@set"},"#,
            r#""context":{"@id":"urn:uuid:5a1f1d0e-6f0b-4c55-9d0a-0c6a5e0f7b13#context","@container":"@set"}}"#
        )
    };
}

/// Returns the JSON-LD context file for a server that hosts its own context (RES-2.10-14).
pub fn context_document() -> &'static str {
    concat!("{\"@context\":", definitions!(), "}")
}

/// Links of one or more levels, as they are published.
#[derive(Clone, Debug)]
pub struct Linkset<'a> {
    root: &'a ResolverRoot,
    view: View<'a>,
    contexts: Vec<MergedLevel<'a>>,
    /// The query that clients pass on when they follow a link.
    query: Vec<u8>,
}

impl<'a> Linkset<'a> {
    /// Returns the links of every level that exist at the instant of `view`; `None` if there is
    /// none.
    pub(crate) fn of_levels(root: &'a ResolverRoot, view: View<'a>) -> Option<Self> {
        let contexts = merged::levels(view);
        (!contexts.is_empty()).then_some(Self { root, view, contexts, query: Vec::new() })
    }

    /// Returns the undecided links of one level (RES-2.10-11).
    pub(crate) fn of_choices(
        root: &'a ResolverRoot,
        view: View<'a>,
        entry: &'a Entry,
        links: Vec<Link<'a>>,
    ) -> Self {
        let contexts = vec![merged::choices(view, entry, links)];
        Self { root, view, contexts, query: Vec::new() }
    }

    /// Returns the same links, for people who follow one of them instead of a redirect. They pass
    /// on the query (RES-2.12-1), without the preferences that the choice among the links
    /// replaces.
    pub(crate) fn forwarding(self, query: Option<&[u8]>) -> Self {
        Self { query: without_preferences(query.unwrap_or_default()), ..self }
    }

    /// Returns the entity that the request asks about.
    pub fn key(&self) -> &'a EntityKey {
        self.view.key
    }

    /// Returns one link context object per level, most granular first.
    pub fn contexts(&self) -> impl ExactSizeIterator<Item = LinkContext<'_>> {
        self.contexts.iter().map(|level| LinkContext {
            root: self.root,
            key: self.view.key,
            level,
            query: &self.query,
        })
    }

    /// Returns the linkset as RFC 9264 JSON that the GS1 linkset schema accepts: language tags are
    /// degraded to `ll` or `ll-CC` (ER-3).
    pub fn to_json(&self) -> String {
        to_text(&Document { linkset: self, full_tags: false })
    }

    /// Returns the linkset with its context definitions, and with full language tags (RES-2.10-6).
    pub fn to_json_ld(&self) -> String {
        let json = to_text(&Document { linkset: self, full_tags: true });
        // The document is an object with one member; the definitions are inserted before it.
        let members = json.strip_prefix('{').unwrap_or(&json);
        [concat!("{\"@context\":", definitions!(), ","), members].concat()
    }

    /// Returns [`Linkset::to_json_ld`] for a `script` element: `<` is escaped, because stored text
    /// must not end the element (RES-2.10-15).
    pub fn to_script_json_ld(&self) -> String {
        self.to_json_ld().replace('<', "\\u003c")
    }

    /// Returns the instant at which the answer may change by itself: the next edge of a validity
    /// window at any of the levels. A cached linkset must not outlive it (RES-2.5.7-2).
    pub fn next_window_edge(&self, now: Timestamp) -> Option<Timestamp> {
        self.view.levels.iter().filter_map(|entry| entry.next_window_edge(now)).min()
    }
}

/// The published data of one level.
#[derive(Clone, Copy, Debug)]
pub struct LinkContext<'s> {
    root: &'s ResolverRoot,
    /// The request's entity, which fills templates.
    key: &'s EntityKey,
    level: &'s MergedLevel<'s>,
    query: &'s [u8],
}

impl<'s> LinkContext<'s> {
    /// Returns the canonical URI of the level, below this resolver's root. A record that is
    /// attached to a set of levels, or to a company prefix, is published at the level of the
    /// request that it applies to.
    pub fn anchor(&self) -> String {
        [self.root.as_str(), "/", self.level.key.as_str()].concat()
    }

    /// Returns the key of the level.
    pub fn key(&self) -> &'s EntityKey {
        &self.level.key
    }

    /// Returns the stored description, or the element string of the level (RES-2.10-12).
    pub fn description(&self) -> Cow<'s, str> {
        match self.level.described_by.and_then(Entry::item_description) {
            Some(description) => Cow::Borrowed(description),
            None => Cow::Owned(self.key().to_element_string_text()),
        }
    }

    /// Returns the stored description that suits a reader best, with its language if it has one.
    pub fn description_for(
        &self,
        languages: &ReaderLanguages<'_>,
    ) -> Option<(&'s str, Option<&'s str>)> {
        self.level.described_by?.description_for(languages)
    }

    /// Returns the links, grouped by link type, in the order in which the types were registered.
    pub fn groups(&self) -> impl Iterator<Item = LinkGroup<'s>> + use<'s> {
        let Self { key, level, query, .. } = *self;
        level.links.chunk_by(|a, b| a.link_type() == b.link_type()).map(move |links| LinkGroup {
            key,
            links,
            query,
        })
    }
}

/// The links of one type at one level.
#[derive(Clone, Copy, Debug)]
pub struct LinkGroup<'s> {
    key: &'s EntityKey,
    /// At least one.
    links: &'s [Link<'s>],
    query: &'s [u8],
}

impl<'s> LinkGroup<'s> {
    /// Returns the link type in its normal spelling: an IRI or the name of an IANA relation.
    pub fn link_type(&self) -> &'s str {
        self.links.first().map_or("", |link| link.link_type())
    }

    /// Returns the links, in registration order.
    pub fn links(&self) -> impl Iterator<Item = PublishedLink<'s>> + use<'s> {
        let Self { key, links, query } = *self;
        links.iter().map(move |&link| PublishedLink { key, link, query })
    }
}

/// A link as published: template filled, no window.
#[derive(Clone, Copy, Debug)]
pub struct PublishedLink<'s> {
    key: &'s EntityKey,
    link: Link<'s>,
    query: &'s [u8],
}

impl<'s> PublishedLink<'s> {
    pub(crate) fn new(key: &'s EntityKey, link: Link<'s>) -> Self {
        Self { key, link, query: &[] }
    }

    /// Returns whether both are registered alike; the query that is passed on is ignored.
    pub fn is_same_as(&self, other: &PublishedLink<'_>) -> bool {
        self.link == other.link
    }

    /// Returns the target, with its template filled from the request.
    pub fn href(&self) -> Cow<'s, str> {
        self.link.expand(self.key).unwrap_or(Cow::Borrowed(self.link.href()))
    }

    /// Returns the address that a person who chooses this link goes to: of a choice, the target
    /// with the query of the request, without `linkType` and `context`; else the target
    /// (RES-2.12-1).
    pub fn address(&self) -> Cow<'s, str> {
        if self.query.is_empty() {
            return self.href();
        }
        Cow::Owned(forward(&self.href(), Some(self.query)))
    }

    /// Returns the human-readable title.
    pub fn title(&self) -> &'s str {
        self.link.title()
    }

    /// Returns the media type of the target.
    pub fn media_type(&self) -> Option<&'s str> {
        self.link.media_type()
    }

    /// Returns the full language tags of the target.
    pub fn languages(&self) -> impl Iterator<Item = &'s str> + Clone + use<'s> {
        self.link.languages()
    }

    /// Returns the context values.
    pub fn contexts(&self) -> impl Iterator<Item = &'s str> + use<'s> {
        self.link.contexts()
    }

    /// Returns language tags in the form that the schema accepts, each once (RES-2.10-13).
    fn degraded_languages(&self) -> Vec<Cow<'s, str>> {
        let mut known = BTreeSet::new();
        let tags = self.link.languages().filter_map(degraded_language_tag);
        tags.filter(|tag| known.insert(tag.clone())).collect()
    }
}

/// Writes the document. All keys are text and no member can fail, so writing it to memory cannot
/// fail.
fn to_text(document: &Document<'_>) -> String {
    serde_json::to_string(document).expect("text keys and values only")
}

struct Document<'s> {
    linkset: &'s Linkset<'s>,
    full_tags: bool,
}

impl Serialize for Document<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(1))?;
        let contexts = self.linkset.contexts();
        let contexts = contexts.map(|context| WithTags(context, self.full_tags));
        map.serialize_entry("linkset", &contexts.collect::<Vec<_>>())?;
        map.end()
    }
}

/// A value, and whether it is written with full language tags.
struct WithTags<T>(T, bool);

impl Serialize for WithTags<LinkContext<'_>> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("anchor", &self.0.anchor())?;
        map.serialize_entry("itemDescription", &self.0.description())?;
        for group in self.0.groups() {
            let links = group.links().map(|link| WithTags(link, self.1));
            map.serialize_entry(group.link_type(), &links.collect::<Vec<_>>())?;
        }
        map.end()
    }
}

impl Serialize for WithTags<PublishedLink<'_>> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let Self(link, full_tags) = self;
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("href", &link.href())?;
        map.serialize_entry("title", link.title())?;
        if let Some(media_type) = link.media_type() {
            map.serialize_entry("type", media_type)?;
        }
        let tags = if *full_tags {
            link.languages().map(Cow::Borrowed).collect()
        } else {
            link.degraded_languages()
        };
        if !tags.is_empty() {
            map.serialize_entry("hreflang", &tags)?;
        }
        let contexts: Vec<&str> = link.contexts().collect();
        if !contexts.is_empty() {
            map.serialize_entry("context", &contexts)?;
        }
        map.end()
    }
}
