//! The alert above a page about an item that a registered link reports on as recalled
//! (`gs1:recallStatus`).

use fingerpost_resolver::{Overview, ReaderLanguages};

use super::web::is_web;
use crate::limits::MAX_RECALL_NOTICES;

/// The notices about an item; at least one.
pub(super) struct Alert {
    pub(super) notices: Vec<Notice>,
}

/// A link to a notice.
pub(super) struct Notice {
    pub(super) href: String,
    pub(super) is_web: bool,
    pub(super) title: String,
    pub(super) lang: Option<String>,
}

impl Alert {
    /// Creates the alert; `None` if no level has a link about a recall. Of each level, it has the
    /// links that fit the reader best.
    pub(super) fn new(overview: &Overview<'_>, languages: &ReaderLanguages<'_>) -> Option<Self> {
        let mut notices = Vec::new();
        for links in overview.recalls() {
            let rank =
                |link: &_| languages.rank(fingerpost_resolver::PublishedLink::languages(link));
            let best = links.iter().map(rank).min();
            for link in links.iter().filter(|link| Some(rank(link)) == best) {
                let href = link.href().into_owned();
                let mut tags = link.languages();
                let lang = tags.next().filter(|_| tags.next().is_none()).map(str::to_owned);
                notices.push(Notice {
                    is_web: is_web(&href),
                    href,
                    title: link.title().to_owned(),
                    lang,
                });
            }
        }
        notices.truncate(MAX_RECALL_NOTICES);
        (!notices.is_empty()).then_some(Self { notices })
    }
}
