//! Merges documents of one qualifier set by the identity of their links: link type, set of
//! languages, set of contexts.

use crate::document::{CeDocument, CeLink};

/// Which of two links with the same identity is kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Wins {
    /// The one of the document that is merged into.
    First,
    /// The later one, member by member.
    Later,
}

/// Merges `later` into a document. The default link of a document is the last one of its type; that
/// of the document that wins stays it.
pub(crate) fn merge(document: &mut CeDocument, later: CeDocument, wins: Wins) {
    let default = match wins {
        Wins::First => document.default_index().map(|at| document.links[at].clone()),
        Wins::Later => later.default_index().map(|at| later.links[at].clone()),
    };
    match wins {
        Wins::First => {
            let known = document.links.clone();
            let is_new = |link: &CeLink| !known.iter().any(|known| known.is_same_as(link));
            document.links.extend(later.links.into_iter().filter(is_new));
        }
        Wins::Later => overwrite(&mut document.links, later.links),
    }
    if wins == Wins::Later {
        document.item_description = later.item_description;
        document.default_link_type = later.default_link_type;
    }
    if let Some(default) = default {
        document.make_default(|link| link.is_same_as(&default) && link.href == default.href);
    }
}

/// Overwrites links, member by member, with those that have the same identity, and adds the others.
///
/// Several links can have the same identity, for example three certificates; of those, links with
/// the same target belong together, then those at the same position.
pub(crate) fn overwrite(links: &mut Vec<CeLink>, later: Vec<CeLink>) {
    let mut is_taken = vec![false; links.len()];
    let mut waiting = later;
    for is_by_target in [true, false] {
        for link in std::mem::take(&mut waiting) {
            let found = links.iter().zip(&is_taken).position(|(known, is_taken)| {
                let is_target = known.href == link.href || !is_by_target;
                !is_taken && known.is_same_as(&link) && is_target
            });
            match found {
                Some(at) => {
                    is_taken[at] = true;
                    replace(&mut links[at], link);
                }
                None if is_by_target => waiting.push(link),
                None => {
                    links.push(link);
                    is_taken.push(true);
                }
            }
        }
    }
}

/// Overwrites the members that a link has.
fn replace(known: &mut CeLink, link: CeLink) {
    let media_type = link.media_type.clone().or_else(|| known.media_type.take());
    *known = CeLink { media_type, ..link };
}

#[cfg(test)]
mod tests {
    use super::*;

    fn document(links: &[(&str, &str, &str)]) -> CeDocument {
        let link = |&(link_type, href, language): &(&str, &str, &str)| CeLink {
            link_type: format!("gs1:{link_type}"),
            href: href.to_owned(),
            title: "Page".to_owned(),
            media_type: None,
            hreflang: vec![language.to_owned()],
            context: Vec::new(),
            active: true,
        };
        CeDocument {
            anchor: "/01/09506000134352".to_owned(),
            item_description: String::new(),
            default_link_type: "gs1:pip".to_owned(),
            qualifiers: Vec::new(),
            links: links.iter().map(link).collect(),
            active: true,
        }
    }

    fn merged(one: &[(&str, &str, &str)], other: &[(&str, &str, &str)], wins: Wins) -> Vec<String> {
        let mut result = document(one);
        merge(&mut result, document(other), wins);
        result.links.into_iter().map(|link| link.href).collect()
    }

    /// Resolver CE stores a second linkset instead, and never serves it.
    #[test]
    fn the_same_document_twice_is_the_same_document() {
        let links =
            [("pip", "a", "en"), ("cert", "1", "en"), ("cert", "2", "en"), ("cert", "3", "en")];
        for wins in [Wins::First, Wins::Later] {
            assert_eq!(merged(&links, &links, wins), ["a", "1", "2", "3"]);
        }
    }

    #[test]
    fn links_with_the_same_identity_are_overwritten_and_others_added() {
        let one = [("pip", "a", "en"), ("pip", "b", "ja")];
        let other = [("pip", "c", "en"), ("epil", "d", "en")];
        assert_eq!(merged(&one, &other, Wins::Later), ["b", "c", "d"], "c is the default");
        assert_eq!(merged(&one, &other, Wins::First), ["a", "b", "d"]);
    }

    #[test]
    fn of_links_with_the_same_identity_those_with_the_same_target_belong_together() {
        let certificates = [("pip", "a", "en"), ("cert", "1", "en"), ("cert", "2", "en")];
        let later = [("pip", "a", "en"), ("cert", "2", "en"), ("cert", "9", "en")];
        assert_eq!(merged(&certificates, &later, Wins::Later), ["a", "9", "2"]);
    }
}
