//! What Resolver CE answers, written from its contract (`shared/spec/resolver-ce-api.md`), with its
//! faults: of several linksets of one qualifier set only the first is served, variables are
//! replaced as text, and the default link is the last one of its type.

use fingerpost_ce::{CeDocument, CeLink, CeQualifier};

/// A key with its qualifier sets, in the order in which they were posted.
#[derive(Clone, Debug, Default)]
pub(crate) struct Oracle(Vec<CeDocument>);

/// A question: the key, qualifiers, link type and language.
#[derive(Clone, Debug)]
pub(crate) struct Question<'q> {
    pub(crate) anchor: &'q str,
    pub(crate) qualifiers: &'q [(&'q str, &'q str)],
    pub(crate) link_type: Option<&'q str>,
    pub(crate) language: Option<&'q str>,
}

impl Oracle {
    /// Posts a document. A second one of the same qualifier set is never served.
    pub(crate) fn post(&mut self, document: &CeDocument) {
        let same =
            |known: &CeDocument| known.anchor == document.anchor && set(known) == set(document);
        if !self.0.iter().any(same) {
            self.0.push(document.clone());
        }
    }

    /// The qualifier sets that a scan matches.
    pub(crate) fn matches<'o>(&'o self, question: &Question<'_>) -> Vec<&'o CeDocument> {
        self.0.iter().filter(|document| is_match(document, question)).collect()
    }

    /// Whether another qualifier set has only qualifiers of the scan.
    pub(crate) fn has_part_of(&self, question: &Question<'_>) -> bool {
        self.0.iter().any(|document| {
            document.anchor == question.anchor
                && !document.qualifiers.is_empty()
                && document.qualifiers.len() < question.qualifiers.len()
                && document.qualifiers.iter().all(|q| fits(q, question))
        })
    }

    /// The targets that suit a scan that matches a document; empty if there is none.
    pub(crate) fn answer(document: &CeDocument, question: &Question<'_>) -> Vec<String> {
        let name = |link_type: &str| link_type.rsplit(':').next().unwrap().to_owned();
        let wanted = name(question.link_type.unwrap_or(&document.default_link_type));
        let mut links = document.links.iter().filter(|link| name(&link.link_type) == wanted);
        let links: Vec<&CeLink> = match question.link_type {
            None => links.next_back().into_iter().collect(),
            Some(_) => {
                let all: Vec<_> = links.collect();
                let speaks = |link: &&CeLink| {
                    question.language.is_some_and(|tag| link.hreflang.iter().any(|t| t == tag))
                };
                let some: Vec<_> = all.iter().copied().filter(speaks).collect();
                if some.is_empty() { all } else { some }
            }
        };
        let mut targets: Vec<_> =
            links.into_iter().map(|link| fill(&link.href, document, question)).collect();
        targets.sort();
        targets.dedup();
        targets
    }
}

fn set(document: &CeDocument) -> Vec<CeQualifier> {
    let mut set = document.qualifiers.clone();
    set.sort();
    set
}

fn is_match(document: &CeDocument, question: &Question<'_>) -> bool {
    document.anchor == question.anchor
        && document.qualifiers.len() == question.qualifiers.len()
        && document.qualifiers.iter().all(|qualifier| fits(qualifier, question))
}

fn fits(qualifier: &CeQualifier, question: &Question<'_>) -> bool {
    question.qualifiers.iter().any(|(ai, value)| {
        qualifier.ai == *ai && (qualifier.value == *value || qualifier.value.starts_with('{'))
    })
}

fn fill(href: &str, document: &CeDocument, question: &Question<'_>) -> String {
    let variables = document.qualifiers.iter().filter(|q| q.value.starts_with('{'));
    variables.fold(href.to_owned(), |href, variable| {
        let value = question.qualifiers.iter().find(|(ai, _)| *ai == variable.ai);
        href.replace(&variable.value, value.unwrap().1)
    })
}
