//! The alert above a page about an item that is recalled, or that a registered link reports on as
//! recalled (`gs1:recallStatus`): what is recalled, since when, and the notices about it.

use fingerpost_resolver::{
    Anchor, AnchorForm, Overview, PublishedLink, ReaderLanguages, RecallNotice, ResolverRoot,
    day_of, is_recall_page,
};
use fingerpost_store::{Store, StoreError};
use jiff::Timestamp;

use super::meaning::date;
use super::web::is_web;
use super::words::Word;
use super::{Part, parts};
use crate::limits::MAX_RECALL_NOTICES;
use crate::texts::{Texts, visible};

/// A level that is recalled, and since when, if that is known.
#[derive(Clone, Debug)]
pub(crate) struct Recalled<'a> {
    level: &'a Anchor,
    since: Option<Timestamp>,
}

impl<'a> Recalled<'a> {
    /// Returns what is recalled of the levels of a page, most granular first.
    pub(crate) fn of(overview: &Overview<'a>, store: &Store) -> Result<Vec<Self>, StoreError> {
        let mut levels = overview.recalled().peekable();
        if levels.peek().is_none() {
            return Ok(Vec::new());
        }
        store.view(|view| {
            let found = levels.map(|level| Ok(Self { level, since: view.recalled_since(level)? }));
            found.collect()
        })
    }
}

/// What a page says about recalls.
pub(super) struct Alert<'a> {
    pub(super) levels: Vec<RecalledView<'a>>,
    pub(super) notices: Vec<Notice>,
}

/// A recalled level in words.
pub(super) struct RecalledView<'a> {
    pub(super) name: Word<'a>,
    pub(super) value: String,
    pub(super) since: Option<String>,
}

/// A notice.
pub(super) struct Notice {
    /// Its target; empty if that is the page itself.
    pub(super) href: String,
    pub(super) is_web: bool,
    pub(super) title: String,
    pub(super) lang: Option<String>,
}

impl<'a> Alert<'a> {
    /// Creates the alert; `None` if no level has a link about a recall. Of each level, it has the
    /// links that fit the reader best.
    pub(super) fn new(
        texts: &'a Texts,
        root: &ResolverRoot,
        overview: &Overview<'_>,
        recalled: &[Recalled<'_>],
        languages: &ReaderLanguages<'_>,
    ) -> Option<Self> {
        let mut notices = Vec::new();
        for links in overview.recalls() {
            let rank = |link: &PublishedLink<'_>| languages.rank(link.languages());
            let best = links.iter().map(rank).min();
            let best = links.iter().filter(|link| Some(rank(link)) == best);
            notices.extend(best.map(|link| Notice::new(root, overview, link)));
        }
        if notices.is_empty() {
            return None;
        }
        // A title that only says what the alert says already.
        notices.retain(|it| !it.href.is_empty() || it.title != RecallNotice::TITLE);
        notices.truncate(MAX_RECALL_NOTICES);
        let levels = recalled.iter().map(|it| RecalledView::new(texts, overview, it)).collect();
        Some(Self { levels, notices })
    }
}

impl Alert<'_> {
    /// Returns whether there are notices to read elsewhere.
    pub(super) fn has_targets(&self) -> bool {
        self.notices.iter().any(|notice| !notice.href.is_empty())
    }
}

impl<'a> RecalledView<'a> {
    fn new(texts: &'a Texts, overview: &Overview<'_>, recalled: &Recalled<'_>) -> Self {
        let Recalled { level, since } = recalled;
        let of = level.level_of(overview.linkset().key());
        let last = parts(texts, &of).pop();
        let Part { name, value } = last.unwrap_or_else(Part::empty);
        let value = match level.form() {
            AnchorForm::Range { first, last } => visible(&format!("{first} – {last}")).into(),
            _ => value,
        };
        let since = since.map(|since| {
            let day = date(texts, day_of(since));
            texts.fill(&texts.linkset.recall_since, &[("date", &day)])
        });
        Self { name, value, since }
    }
}

impl Notice {
    fn new(root: &ResolverRoot, overview: &Overview<'_>, link: &PublishedLink<'_>) -> Self {
        let target = link.href();
        let is_page = is_recall_page(root, overview.linkset().key(), &target);
        let href = if is_page { String::new() } else { target.into_owned() };
        let mut tags = link.languages();
        let lang = tags.next().filter(|_| tags.next().is_none()).map(str::to_owned);
        Self { is_web: is_web(&href), href, title: link.title().to_owned(), lang }
    }
}
