//! The links of a page: the main one, and those of each level, each target once.

use std::borrow::Cow;
use std::collections::HashSet;

use fingerpost_resolver::{
    AddedTerm, GS1_NAMESPACE, LinkContext, LinkGroup, PublishedLink, ReaderLanguages,
};

use super::web::{host, is_web};
use super::words::{self, Word};
use super::{Part, parts};
use crate::texts::{Texts, visible};

/// The default link and its variants.
pub(super) struct MainView<'a> {
    pub(super) link: LinkView<'a>,
    pub(super) variants: Vec<LinkView<'a>>,
}

/// The links of one level.
pub(super) struct ContextView<'a> {
    /// The part that the level adds: its last qualifier, or the key.
    pub(super) name: Word<'a>,
    pub(super) value: String,
    pub(super) anchor: String,
    /// With its language, if that is stated.
    pub(super) description: Option<(&'a str, Option<&'a str>)>,
    pub(super) groups: Vec<GroupView<'a>>,
}

/// The links of one type.
pub(super) struct GroupView<'a> {
    pub(super) name: Word<'a>,
    /// Whether the title of its only link already says what the name does.
    pub(super) is_titled: bool,
    pub(super) links: Vec<LinkView<'a>>,
    /// Those for readers of other languages, if there are others.
    pub(super) foreign: Vec<LinkView<'a>>,
}

/// A link on a page.
pub(super) struct LinkView<'a> {
    pub(super) href: Cow<'a, str>,
    pub(super) is_web: bool,
    pub(super) title: &'a str,
    pub(super) lang: Option<&'a str>,
    pub(super) media_type: Option<&'a str>,
    pub(super) host: String,
    /// Names of the languages, each with its tag if it is in another language than the page.
    pub(super) languages: Vec<(Cow<'a, str>, Option<&'a str>)>,
    pub(super) form: Option<Cow<'a, str>>,
    pub(super) context: Option<String>,
}

/// The targets that a page shows already. Two links to one target are one entry.
#[derive(Default)]
pub(super) struct Targets(HashSet<String>);

impl Targets {
    /// Adds a target; returns whether it is new.
    pub(super) fn add(&mut self, href: &str) -> bool {
        !self.0.contains(href) && self.0.insert(href.to_owned())
    }
}

/// Returns whether a group is of this link type of GS1.
pub(super) fn is_gs1(group: &LinkGroup<'_>, local: &str) -> bool {
    group.link_type().strip_prefix(GS1_NAMESPACE) == Some(local)
}

/// Returns whether the links of a group only say which of the others are the default.
fn is_role(group: &LinkGroup<'_>) -> bool {
    is_gs1(group, "defaultLink") || is_gs1(group, "defaultLinkMulti")
}

/// Returns links with those of the reader's languages first.
pub(super) fn for_reader<'a>(
    languages: &ReaderLanguages<'_>,
    links: impl Iterator<Item = PublishedLink<'a>>,
) -> Vec<PublishedLink<'a>> {
    let mut links: Vec<_> = links.collect();
    links.sort_by_cached_key(|link| languages.rank(link.languages()));
    links
}

impl<'a> MainView<'a> {
    /// Creates the view of the link that a scan follows, with the other links of its level that
    /// other readers are sent to; `None` if a browser cannot follow it.
    pub(super) fn new(
        texts: &'a Texts,
        languages: &ReaderLanguages<'_>,
        main: PublishedLink<'a>,
        level: Option<&LinkContext<'a>>,
        shown: &mut Targets,
    ) -> Option<Self> {
        let link = LinkView::new(texts, main);
        if !link.is_web {
            return None;
        }
        shown.add(&link.href);
        let groups = level.into_iter().flat_map(LinkContext::groups).filter(is_role);
        let others = groups.flat_map(|group| {
            // With validity windows, there may be several default links: all but the first stay
            // in the list.
            let count = if is_gs1(&group, "defaultLink") { 1 } else { usize::MAX };
            group.links().take(count)
        });
        let variants = for_reader(languages, others).into_iter();
        let variants = variants.map(|variant| LinkView::new(texts, variant).beside(&link.host));
        let variants = variants.filter(|variant| shown.add(&variant.href)).collect();
        Some(Self { link, variants })
    }
}

/// The data that the views of all levels share.
#[derive(Clone, Copy)]
pub(super) struct Shown<'a, 's, 'r> {
    pub(super) texts: &'a Texts,
    pub(super) added: &'a [AddedTerm],
    pub(super) languages: &'s ReaderLanguages<'r>,
    pub(super) main_host: &'s str,
}

impl<'a> ContextView<'a> {
    /// Creates the view of a level with the links whose targets are not shown yet. A target of
    /// several types is below the first that describes it.
    pub(super) fn new(
        shown: Shown<'a, '_, '_>,
        context: LinkContext<'a>,
        targets: &mut Targets,
    ) -> Self {
        let languages = shown.languages;
        let last = parts(shown.texts, context.key()).pop();
        let Part { name, value } = last.unwrap_or_else(Part::empty);
        let (roles, described_ones): (Vec<_>, Vec<_>) = context.groups().partition(is_role);
        let mut of = |group: LinkGroup<'a>| GroupView::new(shown, group, targets);
        let mut groups: Vec<GroupView<'a>> = described_ones.into_iter().map(&mut of).collect();
        groups.splice(0..0, roles.into_iter().map(of).collect::<Vec<_>>());
        groups.retain(|group| !group.links.is_empty());
        Self {
            name,
            value,
            anchor: context.anchor(),
            description: context.description_for(languages),
            groups,
        }
    }
}

impl<'a> GroupView<'a> {
    fn new(shown: Shown<'a, '_, '_>, group: LinkGroup<'a>, targets: &mut Targets) -> Self {
        let Shown { texts, added, languages, main_host } = shown;
        let links = for_reader(languages, group.links()).into_iter();
        let links = links.filter(|link| targets.add(&link.address()));
        let (mut foreign, mut own): (Vec<_>, Vec<_>) =
            links.partition(|link| languages.rank(link.languages()).is_foreign());
        if own.is_empty() {
            std::mem::swap(&mut own, &mut foreign);
        }
        let views = |links: Vec<PublishedLink<'a>>| -> Vec<LinkView<'a>> {
            links.into_iter().map(|link| LinkView::new(texts, link).beside(main_host)).collect()
        };
        let name = words::link_type(texts, added, group.link_type());
        let links = views(own);
        let is_titled = matches!(&links[..], [only] if only.title == name.text);
        Self { name, is_titled, links, foreign: views(foreign) }
    }
}

impl<'a> LinkView<'a> {
    /// Hides the host if it is that of the main link.
    fn beside(mut self, main_host: &str) -> Self {
        if self.host == main_host {
            self.host.clear();
        }
        self
    }

    pub(super) fn has_notes(&self) -> bool {
        !self.languages.is_empty()
            || self.form.is_some()
            || self.context.is_some()
            || !self.host.is_empty()
    }

    fn new(texts: &'a Texts, link: PublishedLink<'a>) -> Self {
        let href = link.address();
        let mut languages = link.languages();
        // A target in one language has its title in that language (RES-2.5.3-2); one in several
        // negotiates the language itself.
        let lang = languages.next().filter(|_| languages.next().is_none());
        let contexts: Vec<&str> =
            link.contexts().map(|code| texts.country(code).unwrap_or(code)).collect();
        Self {
            is_web: is_web(&href),
            host: host(&href).to_owned(),
            href,
            title: link.title(),
            lang,
            media_type: link.media_type(),
            // A single language that is the reader's goes without saying.
            languages: link
                .languages()
                .filter(|tag| lang != Some(*tag) || !tag.eq_ignore_ascii_case(texts.language()))
                .map(|tag| words::language(texts, tag))
                .collect(),
            form: link.media_type().and_then(|form| words::media_type(texts, form)),
            context: (!contexts.is_empty()).then(|| {
                texts.fill(&texts.linkset.context, &[("value", &visible(&contexts.join(", ")))])
            }),
        }
    }
}
