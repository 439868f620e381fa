//! Answers requests about names: the services of RFC 2169, by `/uri-res/<service>?<uri>`, and by `/urn/<urn>`, which chooses
//! the service by the directive `s=` of the name (WWW-THT-01 to -11, URN-MAP-18).
//!
//! A resolver of links holds no resources, so it returns locators (N2L, N2Ls), descriptions (N2C: the linkset) and those names
//! that it can compute (N2Ns, L2Ns). It knows a locator if that is a GS1 Digital Link of a registered entity. A name is
//! converted to its key, which then uses the same levels, selection and linkset as a GS1 Digital Link.

use fingerpost_gs1::EntityKey;
use fingerpost_uri::urn::thttp::{self, RequestError, Word, uri_list};
use fingerpost_uri::urn::{Mode, NameKey, NamespaceRegistry, Urn};

use crate::compressed::key_of_uri;
use crate::public_path::is_below;
use crate::refusal::NameFault;
use crate::request::EntityRequest;
use crate::resolve::Decision;
use crate::step::Step;
use crate::trace::Trace;
use crate::urn_key::{UrnKeyError, issn_prefix, key_urns, name_key};
use crate::{Asked, HandOver, Outcome, PublicPath, Redirect, Refusal, Settings};

/// A name or locator, and the service requested for it.
#[derive(Clone, Debug)]
pub(crate) struct Name {
    word: Word,
    /// The name or locator as given.
    pub(crate) operand: String,
    /// A common prefix of keys that are equally suitable: the variant of a serial publication is not part of its ISSN (URN-MAP-03).
    pub(crate) alternatives: Option<String>,
}

/// Returns whether the path asks about a name.
pub(crate) fn is_name_path(path: &[u8]) -> bool {
    std::str::from_utf8(path).is_ok_and(|path| is_below(path, "/uri-res") || is_below(path, "/urn"))
}

/// Reads a request about a name; returns the next step, and the name if it stands for a key.
#[cold]
pub(crate) fn read<'a>(settings: &Settings, asked: &Asked<'a>) -> (Step<'a>, Option<Name>) {
    let request = match service(asked.target) {
        Ok(request) => request,
        Err(NameFault::Service(RequestError::UnknownService)) => {
            return (Step::Public(PublicPath::Unassigned), None);
        }
        Err(fault) => return (Step::Refused(Refusal::InvalidName(fault)), None),
    };
    let (word, operand) = (request.word(), request.operand());
    let (key, alternatives) = match key_of(operand) {
        Ok(Some(found)) => found,
        Ok(None) if is_offered(word) => return (Step::Unknown, None),
        Ok(None) => return (Step::NotOffered, None),
        Err(fault) => return (Step::Refused(Refusal::InvalidName(fault)), None),
    };
    let name = Name { word, operand: operand.to_owned(), alternatives };
    let request = EntityRequest::by_name(key, asked, is_for_description(word));
    (name.step(settings, request), Some(name))
}

/// Returns the service and its operand.
fn service(target: &[u8]) -> Result<thttp::ServiceRequest<'_>, NameFault> {
    let target = std::str::from_utf8(target)
        .map_err(|_| NameFault::Service(RequestError::InvalidOperand))?;
    match target.strip_prefix("/urn/") {
        Some(name) => Urn::parse(name, Mode::Auto).map(thttp::select).map_err(NameFault::Urn),
        None => thttp::ServiceRequest::parse(target).map_err(NameFault::Service),
    }
}

/// Returns the key of a name, or of a locator that is a GS1 Digital Link, and the prefix of equally suitable keys; `None` if
/// it has no key.
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

/// Returns whether a resolver of links can offer the service: it holds no resources.
fn is_offered(word: Word) -> bool {
    !matches!(word, Word::N2R | Word::N2Rs)
}

fn is_for_description(word: Word) -> bool {
    matches!(word, Word::N2C | Word::N2Cs | Word::L2C)
}

impl Name {
    /// Returns the next step for the key of the name, which is the same as for its GS1 Digital Link. Another resolver remains
    /// responsible for its keys under any name (RES-2.8-1); everything but the default locator is in its linkset.
    pub(crate) fn step<'a>(&self, settings: &Settings, request: EntityRequest<'a>) -> Step<'a> {
        let ai = request.entity().primary_key();
        let is_served = settings.primary_keys().contains(ai);
        let query: Option<&[u8]> = (self.word != Word::N2L).then_some(b"linkType=linkset");
        let hand_over = is_served.then(|| HandOver::of(settings, &request, query)).flatten();
        match hand_over {
            Some(hand_over) => Step::HandOver(hand_over),
            None if !is_offered(self.word) => Step::NotOffered,
            None if is_served => Step::Decide(request),
            None => Step::Refused(Refusal::UnsupportedKey(ai)),
        }
    }

    /// Decides the answer about the key of the name.
    pub(crate) fn decide<'a, T: Trace>(&self, mut decision: Decision<'a, '_, T>) -> Outcome<'a> {
        let key = decision.key();
        decision.say("name", || format!("{} stands for {key}", self.operand.escape_default()));
        if decision.holds_nothing() {
            decision.say("A.1", || "no level holds anything".into());
            return Outcome::Unknown(Some(key));
        }
        match self.word {
            Word::N2L => {
                locators(decision).into_iter().next().map_or(Outcome::NoLocator, Outcome::Redirect)
            }
            Word::N2Ls | Word::L2Ls => {
                let locators = locators(decision);
                self.list(locators.iter().map(Redirect::location))
            }
            Word::N2Ns | Word::L2Ns => self.list(self.names(key).iter().map(String::as_str)),
            _ => decision.decide(),
        }
    }

    /// Returns the name that was asked about in its preferred spelling, then all names that can be computed.
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

/// Returns the default locator, then every other target of the levels, each once.
fn locators<'a, T: Trace>(decision: Decision<'a, '_, T>) -> Vec<Redirect<'a>> {
    let others = decision.targets();
    let mut locators: Vec<Redirect<'a>> = Vec::new();
    locators.extend(match decision.decide() {
        Outcome::Redirect(default) => Some(default),
        _ => None,
    });
    for other in others {
        if !locators.iter().any(|known| known.location == other.location) {
            locators.push(other);
        }
    }
    locators
}
