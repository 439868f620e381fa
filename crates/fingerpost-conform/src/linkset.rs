//! A linkset as a resolver publishes it (RFC 9264, section 4.2, with the profile of GS1).

use serde_json::{Map, Value};

/// The namespace of GS1 link types in linksets, and other spellings of it in use (RES-2.14-2).
const NAMESPACES: [&str; 6] = [
    "https://ref.gs1.org/voc/",
    "http://ref.gs1.org/voc/",
    "https://gs1.org/voc/",
    "http://gs1.org/voc/",
    "https://www.gs1.org/voc/",
    "http://www.gs1.org/voc/",
];

/// A link.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct WebLink {
    /// The index of the link context object.
    pub(crate) context: usize,
    /// `gs1:…` for types of GS1 in any spelling, otherwise the name as published.
    pub(crate) relation: String,
    pub(crate) href: String,
    pub(crate) title: Option<String>,
    pub(crate) media_type: Option<String>,
    pub(crate) languages: Vec<String>,
    pub(crate) contexts: Vec<String>,
}

/// The members of a linkset that could be read.
#[derive(Clone, Debug, Default)]
pub(crate) struct Linkset {
    /// The anchors of the link context objects.
    pub(crate) anchors: Vec<String>,
    /// Their descriptions; empty if there is none.
    pub(crate) descriptions: Vec<String>,
    pub(crate) links: Vec<WebLink>,
}

impl Linkset {
    /// Reads what is readable; [`contexts`] and the checks of the shape judge the rest.
    pub(crate) fn read(body: &[u8]) -> Option<Self> {
        let value: Value = serde_json::from_slice(body).ok()?;
        let mut linkset = Self::default();
        for (index, object) in contexts(&value).enumerate() {
            let anchor = object.get("anchor").and_then(Value::as_str).unwrap_or_default();
            linkset.anchors.push(anchor.to_owned());
            let description = object.get("itemDescription").and_then(Value::as_str);
            linkset.descriptions.push(description.unwrap_or_default().to_owned());
            for (relation, target) in targets(object) {
                linkset.links.push(link(index, relation, target));
            }
        }
        (!linkset.anchors.is_empty()).then_some(linkset)
    }

    /// Returns the links of a type at the most granular level that has the type.
    pub(crate) fn of_type(&self, relation: &str) -> Vec<&WebLink> {
        let of_type = || self.links.iter().filter(|link| link.relation == relation);
        let rank = |link: &&WebLink| granularity(&self.anchors[link.context]);
        // Of equals, the first one.
        let level = of_type().rev().max_by_key(rank).map(|link| link.context);
        of_type().filter(|link| Some(link.context) == level).collect()
    }

    /// Returns the link types in the order of the linkset, without the default types.
    pub(crate) fn relations(&self) -> Vec<&str> {
        let mut relations: Vec<&str> = Vec::new();
        for link in &self.links {
            let is_default = link.relation.starts_with("gs1:defaultLink");
            if !is_default && !relations.contains(&&*link.relation) {
                relations.push(&link.relation);
            }
        }
        relations
    }

    /// Returns the default link that applies.
    pub(crate) fn default_link(&self) -> Option<&WebLink> {
        self.of_type("gs1:defaultLink").first().copied()
    }

    /// Returns the variants of the default link, which are those of the same level.
    pub(crate) fn variants(&self) -> Vec<&WebLink> {
        let level = self.default_link().map(|link| link.context);
        let variants = self.links.iter().filter(|link| link.relation == "gs1:defaultLinkMulti");
        variants.filter(|link| Some(link.context) == level).collect()
    }
}

/// Returns the link context objects.
pub(crate) fn contexts(value: &Value) -> impl Iterator<Item = &Map<String, Value>> {
    let list = value.get("linkset").and_then(Value::as_array);
    list.into_iter().flatten().filter_map(Value::as_object)
}

/// Whether a member of a link context object is no link type.
pub(crate) fn is_metadata(member: &str) -> bool {
    matches!(member, "anchor" | "itemDescription" | "description")
}

/// Returns the target objects of a link context object, each with its link type as published.
pub(crate) fn targets(
    object: &Map<String, Value>,
) -> impl Iterator<Item = (&str, &Map<String, Value>)> {
    let types = object.iter().filter(|(member, _)| !is_metadata(member));
    types.flat_map(|(member, value)| {
        let list = value.as_array().into_iter().flatten().filter_map(Value::as_object);
        list.map(move |target| (member.as_str(), target))
    })
}

/// Returns how granular an anchor is: an item or a third party's serial number before a lot, a lot
/// before a variant (RES-2.5.10-4), otherwise the anchor with more segments.
fn granularity(anchor: &str) -> (bool, usize, bool) {
    let path = format!("{anchor}/");
    let has = |ai: &str| path.contains(&format!("/{ai}/"));
    (has("21") || has("235"), path.matches('/').count(), has("10"))
}

fn link(context: usize, relation: &str, target: &Map<String, Value>) -> WebLink {
    let text = |member: &str| target.get(member).and_then(Value::as_str).map(str::to_owned);
    let list = |member: &str| {
        let values = target.get(member).and_then(Value::as_array).into_iter().flatten();
        values.filter_map(Value::as_str).map(str::to_owned).collect()
    };
    WebLink {
        context,
        relation: compact(relation),
        href: text("href").unwrap_or_default(),
        title: text("title"),
        media_type: text("type"),
        languages: list("hreflang"),
        contexts: list("context"),
    }
}

/// Returns `gs1:…` for a link type of GS1.
pub(crate) fn compact(relation: &str) -> String {
    let local = NAMESPACES.iter().find_map(|namespace| relation.strip_prefix(namespace));
    local.map_or_else(|| relation.to_owned(), |local| format!("gs1:{local}"))
}
