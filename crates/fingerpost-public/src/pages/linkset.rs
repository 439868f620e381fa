//! The page of a linkset, of a choice (300), or of the links available instead of the requested one
//! (404).

use std::borrow::Cow;

use askama::Template;
use fingerpost_gs1::{Date, EntityKey};
use fingerpost_resolver::{
    LinkContext, Linkset, OrganisationBrand, Outcome, Overview, PublicPath, ReaderLanguages,
    ResolverRoot, is_recall_page,
};
use http::HeaderValue;

use super::facts::facts;
use super::link_views::{ContextView, MainView, Shown, Targets, for_reader, is_gs1};
use super::recall::{Alert, Recalled};
use super::structured::{Item, absolute, digital_link};
use super::{Frame, Pages, Part, parts, policy_with_images, render};
use crate::config::image_source;
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

impl Reason {
    /// Returns the reason of an answer.
    pub(crate) fn of(outcome: &Outcome<'_>) -> Self {
        match outcome {
            Outcome::Choices(..) => Self::Choice,
            Outcome::LinkTypeNotAvailable(..) => Self::NotAvailable,
            Outcome::NoDefault(..) => Self::NoDefault,
            Outcome::Linkset(..)
            | Outcome::Public(_)
            | Outcome::Refused(_)
            | Outcome::HandOver(_)
            | Outcome::Redirect(_)
            | Outcome::Unknown(_)
            | Outcome::Suspended(..)
            | Outcome::Uris(_)
            | Outcome::NoLocator
            | Outcome::NotOffered => Self::Asked,
        }
    }

    /// Returns what the page says about it.
    fn notice(self, texts: &Texts) -> Option<&str> {
        let words = &texts.linkset;
        match self {
            Self::Asked => None,
            Self::Choice => Some(&words.choose),
            Self::NotAvailable => Some(&words.unavailable),
            Self::NoDefault => Some(&words.no_default),
        }
    }
}

/// The content of a page.
#[derive(Clone, Debug)]
pub(crate) struct LinksetPage<'a> {
    pub(crate) reason: Reason,
    pub(crate) linkset: &'a Linkset<'a>,
    /// Everything registered for the entity.
    pub(crate) overview: Option<&'a Overview<'a>>,
    /// What is recalled of it.
    pub(crate) recalled: &'a [Recalled<'a>],
    /// The requested entity.
    pub(crate) entity: &'a EntityKey,
    /// The address of the same page without its number, as a reference from itself.
    pub(crate) address: Address<'a>,
    pub(crate) texts: &'a Texts,
    /// The languages of the reader, by which links are ordered.
    pub(crate) languages: ReaderLanguages<'a>,
    /// The query of the Digital Link, with its data attributes.
    pub(crate) attributes: &'a str,
    /// The day of the request.
    pub(crate) today: Date,
    /// How its organisation is presented.
    pub(crate) brand: Option<&'a OrganisationBrand>,
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
        let LinksetPage { reason, linkset: all, overview, entity, address, texts, .. } = page;
        let languages = &page.languages;
        let number = address.number();
        let (linkset, pages) = all.page(number);
        let number = number.clamp(1, pages);
        let parts = parts(texts, entity);
        let described = all.contexts().find_map(|context| context.description_for(languages));
        let (heading, heading_lang) = match described {
            Some((text, lang)) => (Cow::Borrowed(text), lang),
            None => {
                let key = parts.first().map(|key| [&*key.name.text, " ", &key.value].concat());
                (Cow::Owned(key.unwrap_or_default()), None)
            }
        };
        let mut targets = Targets::default();
        let alert = overview
            .and_then(|overview| Alert::new(texts, &self.root, overview, page.recalled, languages));
        for notice in alert.iter().flat_map(|alert| &alert.notices) {
            targets.add(&notice.href);
        }
        // The page is no link on itself.
        for link in overview.into_iter().flat_map(Overview::recalls).flatten() {
            let href = link.href();
            if is_recall_page(&self.root, entity, &href) {
                targets.add(&href);
            }
        }
        // The main link is shown separately, except among those of a choice. It is on the first
        // page, with the picture.
        let first = overview.filter(|_| number == 1);
        let main = first.and_then(Overview::main).filter(|_| reason != Reason::Choice);
        let main_level = linkset.contexts().find(has_default);
        let main = main.and_then(|main| {
            MainView::new(texts, languages, main, main_level.as_ref(), &mut targets)
        });
        let picture = first.and_then(|overview| self.picture(overview, languages, page.brand));
        if let Some(picture) = &picture {
            targets.add(&picture.href);
        }
        let main_host = main.as_ref().map_or("", |main| main.link.host.as_str());
        let shown = Shown { texts, added: &self.added, languages, main_host };
        let levels: Vec<ContextView<'_>> = linkset
            .contexts()
            .map(|context| ContextView::new(shown, context, &mut targets))
            .collect();
        let policy = picture.as_ref().and_then(|picture| policy_with_images(picture.origin?));
        let item = Item::new(entity);
        let is_product = item.as_ref().is_some_and(Item::is_product);
        let image = picture.as_ref().map(|picture| absolute(&self.root, &picture.src));
        let page = render(&LinksetTemplate {
            frame: self.frame_of(texts, page.brand),
            title: visible(&heading).into_owned(),
            link: digital_link(&self.root, entity),
            image,
            summary: summary(&levels),
            brand: page.brand.filter(|_| is_product).map(|brand| &*brand.name),
            item,
            json_ld: linkset.to_script_json_ld(),
            heading: &heading,
            heading_lang,
            facts: facts(texts, entity, page.attributes, page.today),
            notice: reason.notice(texts),
            parts,
            alert,
            main,
            heading_level: if levels.len() > 1 { 3 } else { 2 },
            levels,
            previous: (number > 1).then(|| address.of_page(number - 1)),
            next: (number < pages).then(|| address.of_page(number + 1)),
            picture,
        });
        (page, policy)
    }

    /// Returns the picture of the item for this reader, if its origin is configured or that of
    /// its organisation, or if it is the one of the sample data, which we serve.
    fn picture<'a>(
        &'a self,
        overview: &'a Overview<'_>,
        languages: &ReaderLanguages<'_>,
        brand: Option<&'a OrganisationBrand>,
    ) -> Option<PictureView<'a>> {
        let own_sources = brand.map_or(&[][..], |brand| &brand.image_sources);
        let origin_of = |href: &str| {
            let installation = image_source(self.brand.image_sources(), href);
            installation.or_else(|| image_source(own_sources, href))
        };
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
            let (shown, origin) = match own {
                Some(path) => (Cow::Owned(path.to_owned()), None),
                None => (src.clone(), Some(origin_of(&src)?)),
            };
            let mut tags = link.languages();
            let lang = tags.next().filter(|_| tags.next().is_none());
            let (alt, media_type) = (link.title(), link.media_type());
            Some(PictureView { origin, href: src, src: shown, alt, lang, media_type })
        })
    }
}

/// Returns the kinds of links of a page in words, for those who show a link to it.
fn summary(levels: &[ContextView<'_>]) -> String {
    let groups = levels.iter().flat_map(|level| &level.groups);
    let names: Vec<&str> = groups.map(|group| &*group.name.text).take(SUMMARISED).collect();
    visible(&names.join(" · ")).into_owned()
}

/// Kinds of links that a summary names: those on top of the page.
const SUMMARISED: usize = 4;

#[derive(Template)]
#[template(path = "linkset.html")]
struct LinksetTemplate<'a> {
    frame: Frame<'a>,
    title: String,
    /// The Digital Link of the item.
    link: String,
    /// The address of its picture, for those who show a link to the page.
    image: Option<String>,
    summary: String,
    /// The item in terms of schema.org.
    item: Option<Item>,
    /// The brand of a product: the name of the organisation, if it has set one.
    brand: Option<&'a str>,
    json_ld: String,
    heading: &'a str,
    heading_lang: Option<&'a str>,
    facts: Vec<Part<'a>>,
    notice: Option<&'a str>,
    parts: Vec<Part<'a>>,
    alert: Option<Alert<'a>>,
    main: Option<MainView<'a>>,
    /// Heading level of the link types: below the levels, if there are several.
    heading_level: u8,
    levels: Vec<ContextView<'a>>,
    /// Addresses of the pages before and after this one.
    previous: Option<String>,
    next: Option<String>,
    picture: Option<PictureView<'a>>,
}

/// The picture of an item.
struct PictureView<'a> {
    /// The configured origin that it is loaded from; `None` if that is our own.
    origin: Option<&'a str>,
    /// The registered target.
    href: Cow<'a, str>,
    /// The address that the page loads it from.
    src: Cow<'a, str>,
    alt: &'a str,
    lang: Option<&'a str>,
    media_type: Option<&'a str>,
}

/// Returns whether a level has a default link.
fn has_default(context: &LinkContext<'_>) -> bool {
    context.groups().any(|group| is_gs1(&group, "defaultLink"))
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
