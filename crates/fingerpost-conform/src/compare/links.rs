//! Differences of two linksets.

use super::judge::Judged;
use super::kind::{self, DifferenceKind};
use crate::escape::excerpt;
use crate::linkset::{Linkset, WebLink};
use crate::subject::Subject;

/// A difference of linksets, by the link type, and what each has.
pub(super) type LinkDifference = (Judged, (String, String));

/// A link with the level that it belongs to.
struct Placed<'l> {
    level: String,
    link: &'l WebLink,
}

impl Placed<'_> {
    /// Whether two links agree in everything but the title.
    fn is_like(&self, other: &Self) -> bool {
        self.is_at(other) && attributes(self.link) == attributes(other.link)
    }

    /// Whether two links have the same type and address at the same level.
    fn is_at(&self, other: &Self) -> bool {
        let of = |it: &Self| (it.link.relation.clone(), it.link.href.clone());
        self.level == other.level && of(self) == of(other)
    }
}

/// Returns how two linksets differ.
pub(super) fn differences(old: &Linkset, new: &Linkset) -> Vec<LinkDifference> {
    let (olds, mut news) = (placed(old), placed(new));
    let mut found = Vec::new();
    let mut changed = Vec::new();
    for link in olds {
        match news.iter().position(|other| link.is_like(other)) {
            Some(at) => {
                let other = news.swap_remove(at);
                if link.link.title != other.link.title {
                    found.push(differing(&kind::LINK_TITLE, Some(&link), Some(&other)));
                }
            }
            None => changed.push(link),
        }
    }
    for link in changed {
        match news.iter().position(|other| link.is_at(other)) {
            Some(at) => {
                let other = news.swap_remove(at);
                found.push(differing(&kind::LINK_ATTRIBUTES, Some(&link), Some(&other)));
            }
            None => found.push(differing(&kind::LINK_MISSING, Some(&link), None)),
        }
    }
    found.extend(news.iter().map(|link| differing(&kind::LINK_ADDED, None, Some(link))));
    found.extend(descriptions(old, new));
    found
}

/// Returns the links of a linkset, each once.
fn placed(linkset: &Linkset) -> Vec<Placed<'_>> {
    let mut links: Vec<Placed<'_>> = Vec::new();
    for link in &linkset.links {
        let placed = Placed { level: level(&linkset.anchors[link.context]), link };
        let is_repeated =
            |other: &Placed<'_>| other.is_like(&placed) && other.link.title == link.title;
        if !links.iter().any(is_repeated) {
            links.push(placed);
        }
    }
    links
}

/// Returns the path of an anchor, regardless of the address of the resolver.
fn level(anchor: &str) -> String {
    let subject = Subject::parse(anchor);
    subject.map_or_else(
        |_| anchor.to_owned(),
        |subject| format!("/{}/{}{}", subject.ai, subject.key, subject.qualifiers),
    )
}

/// Returns the members by which links of a type are chosen.
fn attributes(link: &WebLink) -> (Vec<String>, Option<String>, Vec<String>) {
    let sorted = |list: &[String]| {
        let mut list: Vec<_> = list.iter().map(|it| it.to_ascii_lowercase()).collect();
        list.sort_unstable();
        list
    };
    let media_type = link.media_type.as_ref().map(|it| it.to_ascii_lowercase());
    (sorted(&link.languages), media_type, sorted(&link.contexts))
}

fn descriptions(old: &Linkset, new: &Linkset) -> Vec<LinkDifference> {
    let mut found = Vec::new();
    for (anchor, text) in old.anchors.iter().zip(&old.descriptions) {
        let same = |other: &&String| level(other) == level(anchor);
        let at = new.anchors.iter().position(|other| same(&other));
        let other = at.and_then(|at| new.descriptions.get(at));
        if let Some(other) = other.filter(|other| *other != text) {
            let texts = (excerpt(text, 200), excerpt(other, 200));
            found.push(((&kind::DESCRIPTION, String::new()), texts));
        }
    }
    found
}

fn differing(
    kind: &'static DifferenceKind,
    old: Option<&Placed<'_>>,
    new: Option<&Placed<'_>>,
) -> LinkDifference {
    let relation = old.or(new).map(|placed| excerpt(&placed.link.relation, 60));
    let text = |link: Option<&Placed<'_>>| link.map_or_else(|| "no such link".to_owned(), shown);
    ((kind, relation.unwrap_or_default()), (text(old), text(new)))
}

/// Returns a link on one line.
fn shown(placed: &Placed<'_>) -> String {
    let link = placed.link;
    let mut parts = vec![placed.level.clone(), link.href.clone()];
    parts.extend(link.title.iter().map(|title| format!("“{title}”")));
    parts.extend(link.media_type.iter().cloned());
    parts.extend(link.languages.iter().chain(&link.contexts).cloned());
    excerpt(&parts.join(" "), 300)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn linkset(links: &str) -> Linkset {
        let text = format!(
            r#"{{"linkset":[{{"anchor":"https://a/01/1","itemDescription":"Tea","gs1:pip":[{links}]}}]}}"#
        );
        Linkset::read(text.as_bytes()).unwrap()
    }

    fn ids(old: &str, new: &str) -> Vec<&'static str> {
        differences(&linkset(old), &linkset(new)).iter().map(|((kind, _), _)| kind.id).collect()
    }

    #[test]
    fn links_are_missing_added_or_differ_in_a_member() {
        let a = r#"{"href":"https://b/a","title":"A","hreflang":["en","fr"]}"#;
        let same = r#"{"hreflang":["FR","en"],"title":"A","href":"https://b/a"}"#;
        assert_eq!(ids(a, same), [""; 0]);
        assert_eq!(ids(&format!("{a},{a}"), same), [""; 0], "Resolver CE repeats links");
        assert_eq!(ids(a, &a.replace("\"A\"", "\"B\"")), ["link-title"]);
        assert_eq!(ids(a, &a.replace(",\"fr\"", "")), ["link-attributes"]);
        assert_eq!(ids(a, &a.replace("b/a", "b/c")), ["link-missing", "link-added"]);
        assert_eq!(ids(a, ""), ["link-missing"]);
        let mut other = linkset(a);
        other.descriptions = vec!["Coffee".to_owned()];
        other.anchors = vec!["http://b/x/01/1".to_owned()];
        let found: Vec<_> =
            differences(&linkset(a), &other).iter().map(|((kind, _), _)| kind.id).collect();
        assert_eq!(found, ["description"]);
    }
}
