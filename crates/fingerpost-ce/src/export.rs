//! Documents of Resolver CE 3 from records, in the order of their anchors.
//!
//! ```text
//! key, level                 a document of its qualifier set
//! any value                  a document with a variable
//! company prefix             a pattern of assets, if all targets name one type of asset
//! ```
//!
//! The link type of the default is that of the links before which the default link stands, as
//! `record` writes it; else the first type that has a link with the same target. Resolver CE
//! inherits nothing, so a level without a default link gets that of its key.

use std::collections::BTreeMap;

use fingerpost_gs1::{Ai, EntityKey};
use fingerpost_resolver::{AnchorForm, Entry, GS1_NAMESPACE, Link};
use jiff::Timestamp;

use crate::document::{CeDocument, CeLink, CeQualifier};
use crate::pattern;

/// Converts records to documents.
#[derive(Debug)]
pub struct CeExporter {
    now: Timestamp,
    left_out: BTreeMap<&'static str, u64>,
    /// The last key, its default link, and the type of that.
    key: Option<(String, CeLink)>,
}

impl CeExporter {
    /// Creates a converter of what is valid at an instant.
    pub fn new(now: Timestamp) -> CeExporter {
        CeExporter { now, left_out: BTreeMap::new(), key: None }
    }

    /// Returns what a document cannot represent so far, and how often.
    pub fn left_out(&self) -> &BTreeMap<&'static str, u64> {
        &self.left_out
    }

    fn leave_out(&mut self, what: &'static str) {
        *self.left_out.entry(what).or_default() += 1;
    }

    /// Converts a record; `None` if Resolver CE has no counterpart. Records come in the order of
    /// their anchors.
    pub fn convert(&mut self, entry: &Entry) -> Option<CeDocument> {
        let Some(level) = CeLevel::of(entry) else {
            self.leave_out("records of company prefixes or ranges, left out");
            return None;
        };
        if entry.item_descriptions().next().is_some() {
            self.leave_out("records without their itemDescriptions");
        }
        if entry.default_answer().is_some() {
            self.leave_out("records without their defaultLinkType");
        }
        if entry.context_source().is_some() {
            self.leave_out("records without their contextFrom");
        }
        let mut links = Vec::new();
        for link in entry.links().filter(|link| !link.is_default() && !link.is_default_variant()) {
            if link.has_access() {
                // A document of Resolver CE is for everyone.
                self.leave_out("links for some roles only, left out");
                continue;
            }
            match (link.is_valid_at(self.now), gs1_name(link)) {
                (false, _) => self.leave_out("links not in force, left out"),
                (true, None) => {
                    self.leave_out("links of types other than those of GS1, left out");
                }
                (true, Some(name)) => match level.fill(link.href()) {
                    Filled::Unavailable => {
                        self.leave_out("links whose placeholders have no value, left out");
                    }
                    filled => links.push(self.link(link, name, filled)),
                },
            }
        }
        let default = default_type(entry, self.now).and_then(|(name, href)| {
            let is_it =
                |link: &&CeLink| link.type_name() == name && link.href == level.fill(href).text();
            links.iter().rfind(is_it).cloned()
        });
        let inherited = || {
            let (key, link) = self.key.as_ref()?;
            (key == entry.anchor().key_level()).then(|| link.clone())
        };
        let Some(default) = default.or_else(inherited) else {
            self.leave_out("records without a default link, left out");
            return None;
        };
        if entry.anchor().is_key_level() {
            self.key = Some((entry.anchor().as_str().to_owned(), default.clone()));
        }
        let mut document = CeDocument {
            anchor: level.anchor,
            item_description: entry.item_description().unwrap_or_default().to_owned(),
            default_link_type: default.link_type.clone(),
            qualifiers: level.qualifiers,
            links,
            active: true,
        };
        if !document.make_default(|link| *link == default) {
            document.links.push(default);
        }
        Some(document)
    }

    fn link(&mut self, link: Link<'_>, name: &str, filled: Filled) -> CeLink {
        if let Filled::Shortened(_) = filled {
            self.leave_out("targets with placeholders that have no value");
        }
        link_of(link, name, filled.text())
    }
}

/// Returns a link of a GS1 link type with this target.
pub(crate) fn link_of(link: Link<'_>, name: &str, href: String) -> CeLink {
    CeLink {
        link_type: format!("gs1:{name}"),
        href,
        title: link.title().to_owned(),
        media_type: link.media_type().map(str::to_owned),
        hreflang: link.languages().map(str::to_owned).collect(),
        context: link.contexts().map(str::to_owned).collect(),
        active: true,
    }
}

/// The anchor and qualifiers of a document.
struct CeLevel {
    anchor: String,
    qualifiers: Vec<CeQualifier>,
    /// What replaces each placeholder in targets.
    values: Vec<(String, String)>,
}

impl CeLevel {
    /// Returns the level of a record; `None` if Resolver CE has no counterpart.
    fn of(entry: &Entry) -> Option<CeLevel> {
        match entry.anchor().form() {
            AnchorForm::Key(key) => Some(CeLevel::of_key(key, None)),
            AnchorForm::Any => {
                let (pairs, variable) = entry.anchor().as_str().rsplit_once('/')?;
                let path = pairs.replacen("/-any", "", 1);
                let key = EntityKey::from_canonical(&path)?;
                Some(CeLevel::of_key(&key, Ai::new(variable)))
            }
            AnchorForm::CompanyPrefix(digits) => {
                let hrefs: Vec<_> = entry.links().map(Link::href).collect();
                let (anchor, whole, part) = pattern::of_company_prefix(digits, &hrefs)?;
                Some(CeLevel { anchor, qualifiers: Vec::new(), values: vec![(whole, part)] })
            }
            AnchorForm::Range { .. }
            | AnchorForm::Suspension
            | AnchorForm::CountrySwitch
            | AnchorForm::Brand
            | AnchorForm::Logo => None,
        }
    }

    fn of_key(key: &EntityKey, variable: Option<Ai>) -> CeLevel {
        let mut values: Vec<_> =
            key.pairs().map(|(ai, value)| (format!("{{{ai}}}"), value.to_owned())).collect();
        let mut pairs = key.pairs().map(|(ai, _)| (ai, key.value(ai).unwrap_or_default()));
        let (ai, value) = pairs.next().unwrap_or((Ai::GTIN, "".into()));
        let anchor = format!("/{ai}/{value}");
        let mut qualifiers: Vec<_> = pairs
            .map(|(ai, value)| CeQualifier { ai: ai.to_string(), value: value.into_owned() })
            .collect();
        if let Some(ai) = variable {
            let value = variable_name(ai);
            values.push((format!("{{{ai}}}"), value.clone()));
            qualifiers.push(CeQualifier { ai: ai.to_string(), value });
        }
        CeLevel { anchor, qualifiers, values }
    }

    /// Fills placeholders with values and variables.
    fn fill(&self, href: &str) -> Filled {
        let mut filled = String::with_capacity(href.len());
        let (mut rest, mut is_complete) = (href, true);
        while let Some((before, after)) = rest.split_once('{') {
            filled.push_str(before);
            let (ai, after) = after.split_once('}').unwrap_or((after, ""));
            match self.values.iter().find(|(name, _)| name[1..name.len() - 1] == *ai) {
                Some((_, value)) => filled.push_str(value),
                // In the query only (RES-2.5.1-3, -7).
                None if filled.contains('?') && !filled.contains('#') => is_complete = false,
                None => return Filled::Unavailable,
            }
            rest = after;
        }
        filled.push_str(rest);
        if is_complete { Filled::Whole(filled) } else { Filled::Shortened(filled) }
    }
}

/// A target whose placeholders are filled.
enum Filled {
    /// Each has a value or a variable.
    Whole(String),
    /// One in the query has none.
    Shortened(String),
    /// One outside the query has none: the level does not have the link.
    Unavailable,
}

impl Filled {
    /// Returns the target; empty if the level does not have it.
    fn text(self) -> String {
        match self {
            Filled::Whole(text) | Filled::Shortened(text) => text,
            Filled::Unavailable => String::new(),
        }
    }
}

/// Returns the name of a variable, as the examples of Resolver CE call it.
fn variable_name(ai: Ai) -> String {
    match ai.as_str() {
        "10" => "{lotnumber}".to_owned(),
        "21" => "{serialnumber}".to_owned(),
        "22" => "{cpv}".to_owned(),
        other => format!("{{value{other}}}"),
    }
}

pub(crate) fn gs1_name(link: Link<'_>) -> Option<&str> {
    match link.term() {
        Some(term) => Some(term.name()),
        None => link.link_type().strip_prefix(GS1_NAMESPACE),
    }
}

/// Returns the type of the default link and its target.
pub(crate) fn default_type<'e>(entry: &'e Entry, now: Timestamp) -> Option<(&'e str, &'e str)> {
    let valid = entry.links().filter(|link| link.is_valid_at(now) && !link.has_access());
    let default = valid.clone().filter(|link| link.is_default());
    let default = default.max_by_key(|link| link.valid_from())?;
    let described: Vec<Link<'e>> =
        valid.filter(|link| !link.is_default() && !link.is_default_variant()).collect();
    let same_target =
        |link: &&Link<'e>| link.href() == default.href() && gs1_name(**link).is_some();
    let next = described.iter().find(|link| link.index() > default.index());
    let next_type = next.filter(|next| {
        let of_type = described.iter().rfind(|link| link.link_type() == next.link_type());
        of_type.is_some_and(|last| same_target(&last))
    });
    let found = next_type.or_else(|| described.iter().find(same_target))?;
    Some((gs1_name(*found)?, default.href()))
}
