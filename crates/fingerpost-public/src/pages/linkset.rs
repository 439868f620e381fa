//! The page of a linkset, of a choice (300), or of the links available instead of the requested one
//! (404).

use std::borrow::Cow;

use askama::Template;
use fingerpost_gs1::{Ai, EntityKey};
use fingerpost_resolver::{
    AddedTerm, GS1_NAMESPACE, LinkContext, LinkGroup, Linkset, Overview, PublicPath, PublishedLink,
    ReaderLanguages, ResolverRoot,
};
use http::HeaderValue;

use super::recall::Alert;
use super::web::{host, is_web};
use super::words::{self, Word};
use super::{Frame, Pages, Part, parts, policy_with_images, render};
use crate::texts::{Texts, visible};

/// The reason why a linkset is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Reason {
    /// It was requested.
    Asked,
    /// Several links match equally well (300).
    Choice,
    /// There is no link of the requested type (404).
    NotAvailable,
    /// There is no default link (404).
    NoDefault,
}

/// The content of a page.
#[derive(Clone, Debug)]
pub(crate) struct LinksetPage<'a> {
    pub(crate) reason: Reason,
    pub(crate) linkset: &'a Linkset<'a>,
    /// Everything registered for the entity.
    pub(crate) overview: Option<&'a Overview<'a>>,
    /// The requested entity.
    pub(crate) entity: &'a EntityKey,
    /// The address of the same page without its number, as a reference from itself.
    pub(crate) address: Address<'a>,
    pub(crate) texts: &'a Texts,
    /// The languages of the reader, by which links are ordered.
    pub(crate) languages: ReaderLanguages<'a>,
}

/// The address of a page with links: which of them it shows is its parameter `page`.
#[derive(Clone, Debug)]
pub(crate) struct Address<'a> {
    /// The path, empty for the path of the request.
    path: String,
    query: &'a str,
}

impl<'a> Address<'a> {
    /// Creates the address of a page that is at its own path.
    pub(crate) fn of_query(query: Option<&'a str>) -> Self {
        Self { path: String::new(), query: query.unwrap_or_default() }
    }

    /// Creates the address of the linkset of a key, for a page that is at another path.
    pub(crate) fn of_linkset(root: &ResolverRoot, key: &EntityKey) -> Self {
        Self { path: [root.stem(), "/", key.as_str()].concat(), query: "linkType=linkset" }
    }

    /// Returns the page requested; the first without a number.
    fn number(&self) -> usize {
        let number = self.query.split('&').rev().find_map(|pair| pair.strip_prefix(PAGE));
        number.and_then(|number| number.parse().ok()).unwrap_or(1)
    }

    /// Returns the address of another page, with everything else in the query as it is.
    fn of_page(&self, number: usize) -> String {
        let mut address = [self.path.as_str(), "?"].concat();
        for pair in self.query.split('&').filter(|pair| !pair.is_empty() && !pair.starts_with(PAGE))
        {
            address.extend([pair, "&"]);
        }
        address + PAGE + &number.to_string()
    }
}

/// The parameter that numbers the pages of a long linkset, from 1.
const PAGE: &str = "page=";

impl Pages {
    /// Returns the page, and its content security policy if that allows more than those of other
    /// pages.
    pub(crate) fn linkset(&self, page: LinksetPage<'_>) -> (String, Option<HeaderValue>) {
        let LinksetPage { reason, linkset: all, overview, entity, address, texts, languages } =
            page;
        let number = address.number();
        let (linkset, pages) = all.page(number);
        let number = number.clamp(1, pages);
        let words = &texts.linkset;
        let notice = match reason {
            Reason::Asked => None,
            Reason::Choice => Some(words.choose.as_str()),
            Reason::NotAvailable => Some(words.unavailable.as_str()),
            Reason::NoDefault => Some(words.no_default.as_str()),
        };
        let parts = parts(texts, entity);
        let description = all.contexts().find_map(|context| described(&context));
        let heading =
            description.unwrap_or_else(|| {
                Cow::Owned(parts.first().map_or(String::new(), |key| {
                    [key.name.text.as_ref(), " ", &key.value].concat()
                }))
            });
        // The main link is shown separately, except among those of a choice. It is on the first
        // page.
        let main = overview.and_then(Overview::main);
        let main = main.filter(|_| reason != Reason::Choice && number == 1);
        let mut contexts: Vec<_> = linkset.contexts().enumerate().collect();
        let main_level = contexts.iter().find(|(_, context)| has_default(context));
        let main = main.and_then(|main| MainView::new(texts, &languages, main, main_level));
        let main_level = main.as_ref().and(main_level.map(|(at, _)| *at));
        let main_host = main.as_ref().map_or("", |main| main.link.host.as_str());
        let shown = Shown { texts, added: &self.added, languages: &languages, main_host };
        let level = |(at, context)| ContextView::new(shown, context, main_level == Some(at));
        let levels: Vec<ContextView<'_>> = contexts.drain(..).map(level).collect();
        let picture = overview.filter(|_| number == 1);
        let picture = picture.and_then(|overview| self.picture(overview, &languages));
        let policy = picture.as_ref().and_then(|picture| policy_with_images(picture.origin?));
        let page = render(&LinksetTemplate {
            frame: self.frame(texts),
            thing: ThingView::new(&self.root, entity),
            title: visible(&heading).into_owned(),
            heading,
            notice,
            parts,
            alert: overview.and_then(|overview| Alert::new(overview, &languages)),
            main,
            heading_level: if levels.len() > 1 { 3 } else { 2 },
            levels,
            json_ld: linkset.to_script_json_ld(),
            previous: (number > 1).then(|| address.of_page(number - 1)),
            next: (number < pages).then(|| address.of_page(number + 1)),
            picture,
        });
        (page, policy)
    }

    /// Returns the picture of the item for this reader, if its origin is configured, or if it is
    /// the one of the sample data, which we serve.
    fn picture<'a>(
        &'a self,
        overview: &'a Overview<'_>,
        languages: &ReaderLanguages<'_>,
    ) -> Option<PictureView<'a>> {
        let contexts = overview.linkset().contexts();
        let groups = contexts.flat_map(|context| context.groups());
        let images = groups.filter(|group| is_gs1(group, "relatedImage"));
        images.flat_map(|group| for_reader(languages, group.links())).find_map(|link| {
            let media_type = link.media_type().unwrap_or("image/");
            if !media_type.get(..6).is_some_and(|main| main.eq_ignore_ascii_case("image/")) {
                return None;
            }
            let src = link.href();
            let own =
                src.strip_prefix(self.root.as_str()).filter(|path| *path == PublicPath::SAMPLE);
            let (src, origin) = match own {
                Some(path) => (Cow::Owned(path.to_owned()), None),
                None => (src.clone(), Some(self.brand.image_source(&src)?)),
            };
            let mut tags = link.languages();
            let lang = tags.next().filter(|_| tags.next().is_none());
            Some(PictureView { origin, src, alt: link.title(), lang })
        })
    }
}

/// Returns the description by the registrant; not the element string that replaces it elsewhere
/// (RES-2.10-12).
pub(super) fn described<'a>(context: &LinkContext<'a>) -> Option<Cow<'a, str>> {
    match context.description() {
        stored @ Cow::Borrowed(_) => Some(stored),
        Cow::Owned(_) => None,
    }
}

#[derive(Template)]
#[template(path = "linkset.html")]
struct LinksetTemplate<'a> {
    frame: Frame<'a>,
    thing: Option<ThingView>,
    title: String,
    heading: Cow<'a, str>,
    notice: Option<&'a str>,
    parts: Vec<Part<'a>>,
    alert: Option<Alert>,
    main: Option<MainView<'a>>,
    /// Heading level of the link types: below the levels, if there are several.
    heading_level: u8,
    levels: Vec<ContextView<'a>>,
    json_ld: String,
    /// Addresses of the pages before and after this one.
    previous: Option<String>,
    next: Option<String>,
    picture: Option<PictureView<'a>>,
}

/// What search engines learn of an item: its Digital Link, on a type of schema.org that has the
/// property `hasGS1DigitalLink`.
struct ThingView {
    kind: &'static str,
    link: String,
}

impl ThingView {
    fn new(root: &ResolverRoot, entity: &EntityKey) -> Option<Self> {
        let kind = match entity.primary_key() {
            Ai::GTIN | Ai::ITIP => "Product",
            Ai::GLN => "Place",
            Ai::PARTY => "Organization",
            _ => return None,
        };
        Some(Self { kind, link: [root.as_str(), "/", entity.as_str()].concat() })
    }
}

/// The picture of an item.
struct PictureView<'a> {
    /// The configured origin that it is loaded from; `None` if that is our own.
    origin: Option<&'a str>,
    src: Cow<'a, str>,
    alt: &'a str,
    lang: Option<&'a str>,
}

/// The default link and its variants.
struct MainView<'a> {
    link: LinkView<'a>,
    variants: Vec<LinkView<'a>>,
}

/// The links of one level.
struct ContextView<'a> {
    /// The part that the level adds: its last qualifier, or the key.
    name: Word<'a>,
    value: String,
    anchor: String,
    description: Option<Cow<'a, str>>,
    groups: Vec<GroupView<'a>>,
}

struct GroupView<'a> {
    name: Word<'a>,
    links: Vec<LinkView<'a>>,
}

struct LinkView<'a> {
    href: Cow<'a, str>,
    is_web: bool,
    title: &'a str,
    lang: Option<&'a str>,
    media_type: Option<&'a str>,
    host: String,
    /// Names of the languages, each with its tag if it is in another language than the page.
    languages: Vec<(Cow<'a, str>, Option<&'a str>)>,
    form: Option<Cow<'a, str>>,
    context: Option<String>,
}

fn is_gs1(group: &LinkGroup<'_>, local: &str) -> bool {
    group.link_type().strip_prefix(GS1_NAMESPACE) == Some(local)
}

/// Returns whether a level has a default link.
fn has_default(context: &LinkContext<'_>) -> bool {
    context.groups().any(|group| is_gs1(&group, "defaultLink"))
}

/// Returns links with those of the reader's languages first.
fn for_reader<'a>(
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
    fn new(
        texts: &'a Texts,
        languages: &ReaderLanguages<'_>,
        main: PublishedLink<'a>,
        level: Option<&(usize, LinkContext<'a>)>,
    ) -> Option<Self> {
        let link = LinkView::new(texts, main);
        let groups = level.into_iter().flat_map(|(_, context)| context.groups());
        let others = groups.flat_map(|group| {
            let count = default_links(&group);
            group.links().take(count).filter(move |other| !other.is_same_as(&main))
        });
        let variants = for_reader(languages, others).into_iter();
        let variants =
            variants.map(|variant| LinkView::new(texts, variant).beside(&link.host)).collect();
        link.is_web.then_some(Self { link, variants })
    }
}

/// Returns how many links of a group are shown beside the main link: the default link and its
/// variants. With validity windows, there may be several default links: all but the first stay in
/// the list.
fn default_links(group: &LinkGroup<'_>) -> usize {
    if is_gs1(group, "defaultLinkMulti") {
        usize::MAX
    } else {
        usize::from(is_gs1(group, "defaultLink"))
    }
}

/// The data that the views of all levels share.
#[derive(Clone, Copy)]
struct Shown<'a, 's, 'r> {
    texts: &'a Texts,
    added: &'a [AddedTerm],
    languages: &'s ReaderLanguages<'r>,
    main_host: &'s str,
}

impl<'a> ContextView<'a> {
    fn new(shown: Shown<'a, '_, '_>, context: LinkContext<'a>, main_is_shown: bool) -> Self {
        let Shown { texts, added, languages, main_host } = shown;
        let last = parts(texts, context.key()).pop();
        let (name, value) = last.map_or_else(
            || (Word { text: Cow::Borrowed(""), lang: None }, String::new()),
            |part| (part.name, part.value),
        );
        let groups = context.groups().map(|group| {
            let skipped = if main_is_shown { default_links(&group) } else { 0 };
            let links = for_reader(languages, group.links().skip(skipped)).into_iter();
            GroupView {
                name: words::link_type(texts, added, group.link_type()),
                links: links.map(|link| LinkView::new(texts, link).beside(main_host)).collect(),
            }
        });
        Self {
            name,
            value,
            anchor: context.anchor(),
            description: described(&context),
            groups: groups.filter(|group| !group.links.is_empty()).collect(),
        }
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

    fn has_notes(&self) -> bool {
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
            languages: link.languages().map(|tag| words::language(texts, tag)).collect(),
            form: link.media_type().and_then(|form| words::media_type(texts, form)),
            context: (!contexts.is_empty()).then(|| {
                texts.fill(&texts.linkset.context, &[("value", &visible(&contexts.join(", ")))])
            }),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Address;

    #[test]
    fn pages_are_numbered_in_the_query() {
        for (query, number, second) in [
            (None, 1, "?page=2"),
            (Some("linkType=linkset"), 1, "?linkType=linkset&page=2"),
            (Some("page=7&linkType=all&&a=b"), 7, "?linkType=all&a=b&page=2"),
            (Some("page=1&page=3"), 3, "?page=2"),
            (Some("page=x"), 1, "?page=2"),
            (Some("page=99999999999999999999"), 1, "?page=2"),
            (Some("xpage=3&a=\"<"), 1, "?xpage=3&a=\"<&page=2"),
        ] {
            let address = Address::of_query(query);
            assert_eq!((address.number(), address.of_page(2).as_str()), (number, second));
        }
    }
}
