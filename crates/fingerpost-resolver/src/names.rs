//! Answers requests about names: the services of RFC 2169, by `/uri-res/<service>?<uri>`, and by
//! `/urn/<urn>`, which chooses the service by the directive `s=` of the name (WWW-THT-01 to -11,
//! URN-MAP-18).
//!
//! A resolver of links holds no resources, so it returns locators (N2L, N2Ls), descriptions (N2C:
//! the linkset) and those names that it can compute (N2Ns, L2Ns). It knows a locator if that is a
//! GS1 Digital Link of a registered entity; targets of links are not searched. A name is converted
//! to its key, which then uses the same levels, parameters, selection and linkset as a GS1
//! Digital Link.

use std::collections::HashSet;

use fingerpost_gs1::EntityKey;
use fingerpost_uri::hide_password;
use fingerpost_uri::urn::thttp::{RequestError, ServiceRequest, Word, uri_list};
use fingerpost_uri::urn::{Mode, NameKey, NamespaceRegistry, Service, Urn};

use crate::compressed::key_of_uri;
use crate::public_path::is_below;
use crate::refusal::NameFault;
use crate::request::EntityRequest;
use crate::resolve::Decision;
use crate::step::NextStep;
use crate::trace::Trace;
use crate::urn_key::{UrnKeyError, issn_prefix, key_urns, name_key};
use crate::{HandOver, Outcome, PublicPath, Redirect, Refusal, ResolutionRequest, Settings};

/// A name or locator, and what is requested for it.
#[derive(Clone, Debug)]
pub(crate) struct Name {
    wanted: Wanted,
    /// The name or locator as given, without a password: it is shown, and repeated in lists.
    pub(crate) operand: String,
    /// A common prefix of keys that are equally suitable: the variant of a serial publication is
    /// not part of its ISSN (URN-MAP-03).
    pub(crate) alternatives: Option<String>,
}

/// What is requested for a name or locator.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Wanted {
    /// The answer to its GS1 Digital Link.
    Resolution,
    Locator,
    Locators,
    Description,
    Name,
    Names,
    /// The resource itself, which a resolver of links cannot return.
    Resource,
}

impl Wanted {
    fn of_word(word: Word) -> Self {
        match word {
            Word::N2L => Self::Locator,
            Word::N2Ls | Word::L2Ls => Self::Locators,
            Word::N2R | Word::N2Rs => Self::Resource,
            Word::N2C | Word::N2Cs | Word::L2C => Self::Description,
            Word::N2Ns | Word::L2Ns => Self::Names,
        }
    }

    /// Returns what the directive `s=` of a name requests. Without it, or with a service that is
    /// not offered, the default applies (URN-SVC-05).
    fn of_name(name: Urn<'_>) -> Self {
        let word = name.directives().effective("s");
        match word.and_then(Service::from_word) {
            Some(Service::I2L) => Self::Locator,
            Some(Service::I2Ls) => Self::Locators,
            Some(Service::I2C | Service::I2Cs) => Self::Description,
            Some(Service::I2N) => Self::Name,
            Some(Service::I2Ns) => Self::Names,
            Some(Service::I2R | Service::I2Rs | Service::IsI) | None => Self::Resolution,
        }
    }
}

/// Returns whether the path asks about a name.
pub(crate) fn is_name_path(path: &[u8]) -> bool {
    std::str::from_utf8(path).is_ok_and(|path| is_below(path, "/uri-res") || is_below(path, "/urn"))
}

/// Reads a request about a name; returns the next step, and the name if it has a key.
#[cold]
pub(crate) fn read<'a>(
    settings: &Settings,
    asked: &ResolutionRequest<'a>,
) -> (NextStep<'a>, Option<Name>) {
    let (wanted, operand) = match service(asked.target) {
        Ok(request) => request,
        Err(NameFault::Service(RequestError::UnknownService)) => {
            return (NextStep::Public(PublicPath::Unassigned), None);
        }
        Err(fault) => return (NextStep::Refused(Refusal::InvalidName(fault)), None),
    };
    let (key, alternatives) = match key_of(operand) {
        Ok(Some(found)) => found,
        Ok(None) if wanted == Wanted::Resource => return (NextStep::NotOffered, None),
        Ok(None) if Urn::parse(operand, Mode::Auto).is_ok() => return (NextStep::Unknown, None),
        Ok(None) => return (NextStep::Refused(Refusal::OtherLocator), None),
        Err(fault) => return (NextStep::Refused(Refusal::InvalidName(fault)), None),
    };
    let name = Name { wanted, operand: hide_password(operand).into_owned(), alternatives };
    let request = EntityRequest::by_name(key, asked, operand);
    let request = match wanted {
        Wanted::Description => request.for_linkset(),
        Wanted::Resolution => request,
        _ => request.for_locator(),
    };
    (name.step(settings, request), Some(name))
}

/// Returns what is requested, and the name or locator that it is requested for.
fn service(target: &[u8]) -> Result<(Wanted, &str), NameFault> {
    let target = std::str::from_utf8(target)
        .map_err(|_| NameFault::Service(RequestError::InvalidOperand))?;
    let Some(name) = target.strip_prefix("/urn/") else {
        let request = ServiceRequest::parse(target).map_err(NameFault::Service)?;
        return Ok((Wanted::of_word(request.word()), request.operand()));
    };
    let urn = Urn::parse(name, Mode::Auto).map_err(NameFault::Urn)?;
    if urn.fragment().is_some() {
        // URN-FRG-02
        return Err(NameFault::Service(RequestError::InvalidOperand));
    }
    Ok((Wanted::of_name(urn), name))
}

/// Returns the key of a name, or of a locator that is a GS1 Digital Link, and the prefix of equally
/// suitable keys; `None` if it has no key.
fn key_of(operand: &str) -> Result<Option<(EntityKey, Option<String>)>, NameFault> {
    let Ok(name) = Urn::parse(operand, Mode::Auto) else {
        return Ok(key_of_uri(operand).map(|key| (key, None)));
    };
    match name_key(name) {
        Ok(key) => Ok(Some((key, issn_prefix(name)))),
        Err(UrnKeyError::NoKey) => Ok(None),
        Err(error) => Err(NameFault::Key(error)),
    }
}

impl Name {
    /// Returns the next step for the key of the name, which is the same as for its GS1 Digital
    /// Link. Another resolver remains responsible for its keys under any name (RES-2.8-1);
    /// everything but a redirect is in its linkset.
    pub(crate) fn step<'a>(&self, settings: &Settings, request: EntityRequest<'a>) -> NextStep<'a> {
        let ai = request.entity().primary_key();
        let is_served = settings.primary_keys().contains(ai);
        let query = match self.wanted {
            Wanted::Resolution | Wanted::Locator => request.query(),
            _ => Some(b"linkType=linkset".as_slice()),
        };
        let hand_over = is_served.then(|| HandOver::of(settings, &request, query)).flatten();
        match hand_over {
            Some(hand_over) => NextStep::HandOver(hand_over),
            None if self.wanted == Wanted::Resource => NextStep::NotOffered,
            None if is_served => NextStep::Decide(request),
            None => NextStep::Refused(Refusal::UnsupportedKey(ai)),
        }
    }

    /// Decides the answer about the key of the name.
    pub(crate) fn decide<'a, T: Trace>(&self, mut decision: Decision<'a, '_, T>) -> Outcome<'a> {
        let key = decision.key();
        decision.trace("name", || format!("{} stands for {key}", self.operand.escape_default()));
        if decision.holds_nothing() {
            decision.trace("A.1", || "no level holds anything".into());
            return Outcome::Unknown(Some(key));
        }
        match self.wanted {
            Wanted::Resolution | Wanted::Locator => {
                let targets = decision.targets();
                match decision.decide() {
                    // RFC 2169 section 3: any locator is better than none.
                    Outcome::NoDefault(..) | Outcome::Unknown(_) => {
                        targets.into_iter().next().map_or(Outcome::NoLocator, Outcome::Redirect)
                    }
                    decided => decided,
                }
            }
            Wanted::Locators => {
                let locators = locators(decision);
                self.list(locators.iter().map(Redirect::location))
            }
            Wanted::Name => self.list(self.names(key).first().map(String::as_str)),
            Wanted::Names => self.list(self.names(key).iter().map(String::as_str)),
            Wanted::Description | Wanted::Resource => decision.decide(),
        }
    }

    /// Returns the name that was asked about in its preferred spelling, then all names that can be
    /// computed.
    fn names(&self, key: &EntityKey) -> Vec<String> {
        let asked = Urn::parse(&self.operand, Mode::Auto).ok();
        let asked = asked.map(|name| {
            NameKey::with_registry(name, &NamespaceRegistry::builtin()).as_str().to_owned()
        });
        let mut names: Vec<String> = asked.into_iter().collect();
        for name in key_urns(key) {
            if !names.contains(&name) {
                names.push(name);
            }
        }
        names
    }

    fn list<'u, 'a>(&self, uris: impl IntoIterator<Item = &'u str>) -> Outcome<'a> {
        Outcome::Uris(uri_list(&self.operand, uris))
    }
}

/// Returns the locator that a redirect would lead to, then every other target, each once; with
/// `linkType`, of this type only.
fn locators<'a, T: Trace>(decision: Decision<'a, '_, T>) -> Vec<Redirect<'a>> {
    let others = decision.targets();
    let mut locators: Vec<Redirect<'a>> = match decision.decide() {
        Outcome::Redirect(default) => vec![default],
        _ => Vec::new(),
    };
    locators.extend(others);
    let mut known = HashSet::with_capacity(locators.len());
    let is_new: Vec<bool> = locators.iter().map(|next| known.insert(&*next.location)).collect();
    let mut is_new = is_new.into_iter();
    locators.retain(|_| is_new.next() == Some(true));
    locators
}
