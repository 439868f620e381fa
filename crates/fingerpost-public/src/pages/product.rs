//! The result of a scan of an identifier on this resolver, for the answer of the home page.

use fingerpost_gs1::{DigitalLink, EntityKey};
use fingerpost_resolver::{
    Outcome, Overview, Plan, ReaderLanguages, ResolutionRequest, Settings, Viewer,
};
use fingerpost_store::{Store, StoreError};
use http::header::{self, HeaderMap};
use jiff::Timestamp;

use super::recall::{Alert, Recalled};
use super::web::host;
use crate::headers;
use crate::texts::Texts;

/// The request for the home page, and the store to look up its question.
#[derive(Clone, Copy, Debug)]
pub(crate) struct LookUp<'r> {
    pub(crate) settings: &'r Settings,
    pub(crate) store: &'r Store,
    /// The header fields of the request.
    pub(crate) asked: &'r HeaderMap,
    pub(crate) now: Timestamp,
}

/// Whether and where an identifier is registered.
pub(super) enum Registration<'a> {
    Registered(ProductView<'a>),
    /// Another resolver is responsible, to which the address on this host redirects.
    Elsewhere,
    Unknown,
}

/// The registered data of an identifier.
pub(super) struct ProductView<'a> {
    /// The entity. A name can mean one of several; this is the registered one.
    pub(super) key: EntityKey,
    pub(super) alert: Option<Alert<'a>>,
    /// The description of the registrant, if there is one.
    pub(super) name: Option<String>,
    /// Whether a scan leads to a target; otherwise only the list of links can be opened.
    pub(super) has_target: bool,
    /// The title and the host of the page that a scan leads to.
    pub(super) title: Option<String>,
    pub(super) host: String,
}

impl LookUp<'_> {
    /// Resolves a target, a Digital Link or a name, for this reader. Reads the store as a request
    /// for it does.
    pub(super) fn find<'a>(
        &self,
        texts: &'a Texts,
        target: &str,
    ) -> Result<Registration<'a>, StoreError> {
        let accept = headers::joined(self.asked, header::ACCEPT);
        let accept_language = headers::joined(self.asked, header::ACCEPT_LANGUAGE);
        let asked = ResolutionRequest {
            target: target.as_bytes(),
            accept: &accept,
            accept_language: &accept_language,
            now: self.now,
        };
        let mut plan = Plan::of(self.settings, &asked);
        let levels = plan.read(
            |key| self.store.read(key),
            |prefix| self.store.first_key(prefix, &Viewer::PUBLIC),
        )?;
        let answer = plan.answer(&levels);
        Ok(match (answer.outcome(), plan.overview(&levels)) {
            (Outcome::HandOver(_), _) => Registration::Elsewhere,
            (outcome, Some(overview)) => {
                let has_target = !matches!(outcome, Outcome::NoDefault(..));
                let languages = ReaderLanguages::read(&accept_language);
                let recalled = Recalled::of(&overview, self.store)?;
                let root = self.settings.root();
                let alert = Alert::new(texts, root, &overview, &recalled, &languages);
                Registration::Registered(ProductView::new(&overview, &languages, alert, has_target))
            }
            (_, None) => Registration::Unknown,
        })
    }
}

impl<'a> ProductView<'a> {
    fn new(
        overview: &Overview<'_>,
        languages: &ReaderLanguages<'_>,
        alert: Option<Alert<'a>>,
        has_target: bool,
    ) -> Self {
        let mut contexts = overview.linkset().contexts();
        let main = overview.main();
        Self {
            key: overview.linkset().key().clone(),
            alert,
            name: contexts
                .find_map(|context| context.description_for(languages))
                .map(|(name, _)| name.to_owned()),
            has_target,
            title: main.map(|link| link.title().to_owned()),
            host: main.map_or(String::new(), |link| host(&link.href()).to_owned()),
        }
    }
}

/// The addresses of an entity: on this host of a scan and of the list of its links, and its Digital
/// Link below the root.
pub(super) struct Addresses {
    pub(super) canonical: String,
    pub(super) scan: String,
    pub(super) links: String,
}

impl Addresses {
    /// Creates the addresses; `path` is that of the Digital Link below the root, with its query.
    pub(super) fn new(settings: &Settings, path: &str) -> Self {
        let scan = [settings.root().stem(), path].concat();
        let joint = if path.contains('?') { '&' } else { '?' };
        let canonical = [settings.root().as_str(), path].concat();
        Self { canonical, links: format!("{scan}{joint}linkType=linkset"), scan }
    }
}

/// The entity of a Digital Link below the reference stem, and its path with the query.
pub(super) fn entity_of(canonical: &str) -> Option<(EntityKey, &str)> {
    let path = canonical.strip_prefix(DigitalLink::REFERENCE_STEM)?;
    let entity = EntityKey::parse(path.split(['?', '#']).next().unwrap_or_default()).ok()?;
    Some((entity, path))
}
