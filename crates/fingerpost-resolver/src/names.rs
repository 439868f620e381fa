//! What a resolver of links can say about names: the services of RFC 2169 over the same levels, selection and linksets as
//! a GS1 Digital Link (WWW-THT-01 to -11, URN-MAP-18).
//!
//! It holds links, not resources, so it gives locators (N2L, N2Ls), descriptions (N2C: the linkset) and those names that it
//! can compute (N2Ns, L2Ns); a locator is known when it is a GS1 Digital Link of something registered.

use std::sync::Arc;

use fingerpost_gs1::EntityKey;
use fingerpost_uri::Uri;
use fingerpost_uri::urn::thttp::Names;
use fingerpost_uri::urn::{Mode, NameKey, Registry, Urn};
use jiff::Timestamp;

use crate::compressed::key_of_uri;
use crate::urn_key::{UrnKeyError, issn_prefix, key_urns, name_key};
use crate::{Entry, RawRequest, Request, Resolution, Settings, resolve};

/// Reads what is registered.
pub trait Registered {
    /// Why it cannot be read.
    type Error;

    /// The entries of the levels of `key`, most granular first.
    ///
    /// # Errors
    ///
    /// It cannot be read now.
    fn levels(&self, key: &EntityKey) -> Result<Vec<Arc<Entry>>, Self::Error>;

    /// The first key whose canonical text begins with `prefix`.
    ///
    /// # Errors
    ///
    /// It cannot be read now.
    fn first_key(&self, prefix: &str) -> Result<Option<EntityKey>, Self::Error>;
}

/// Why a name cannot be looked up.
#[derive(Debug)]
pub enum NameError<E> {
    /// The name is not what its namespace demands.
    Invalid(UrnKeyError),
    /// What is registered cannot be read.
    Unreadable(E),
}

/// Names and locators as a client sees them at an instant.
#[derive(Debug)]
pub struct LinkNames<'a, R> {
    /// What the installation says.
    pub settings: &'a Settings,
    /// What is registered.
    pub registered: &'a R,
    /// `Accept-Language` of the client: it chooses among the variants of a default link.
    pub accept_language: &'a [u8],
    /// The instant.
    pub now: Timestamp,
}

impl<R: Registered> LinkNames<'_, R> {
    /// The key that a name, or a locator that is a GS1 Digital Link, stands for; `None` when it stands for none.
    ///
    /// # Errors
    ///
    /// The name is malformed, or what is registered cannot be read.
    pub fn key_of(&self, operand: &str) -> Result<Option<EntityKey>, NameError<R::Error>> {
        match Urn::parse(operand, Mode::Auto) {
            Ok(name) => self.key_of_name(name),
            Err(_) => Ok(key_of_uri(operand)),
        }
    }

    fn key_of_name(&self, name: Urn<'_>) -> Result<Option<EntityKey>, NameError<R::Error>> {
        let key = match name_key(name) {
            Ok(key) => key,
            Err(UrnKeyError::NoKey) => return Ok(None),
            Err(error) => return Err(NameError::Invalid(error)),
        };
        // The variant of a serial publication is no part of its ISSN: any registered one will do (URN-MAP-03).
        if let Some(prefix) = issn_prefix(name)
            && self.levels(&key)?.is_empty()
        {
            return Ok(self
                .registered
                .first_key(&prefix)
                .map_err(NameError::Unreadable)?
                .or(Some(key)));
        }
        Ok(Some(key))
    }

    fn levels(&self, key: &EntityKey) -> Result<Vec<Arc<Entry>>, NameError<R::Error>> {
        self.registered.levels(key).map_err(NameError::Unreadable)
    }

    /// The default first, then every other target of the levels, each once.
    fn locators_of_key(&self, key: &EntityKey) -> Result<Option<Vec<String>>, NameError<R::Error>> {
        let levels = self.levels(key)?;
        if levels.is_empty() {
            return Ok(None);
        }
        let path = digital_link_path(self.settings, key);
        let raw = RawRequest {
            path: path.as_bytes(),
            accept_language: self.accept_language,
            ..RawRequest::default()
        };
        let mut locators = Vec::new();
        if let Ok(request) = Request::parse(self.settings, raw)
            && let Resolution::Redirect(redirect) =
                resolve(self.settings, &request, &levels, self.now)
        {
            locators.push(redirect.into_location());
        }
        for entry in &levels {
            for link in entry.links_at(self.now) {
                if let Some(target) = link.expand(key)
                    && !locators.iter().any(|known| *known == *target)
                {
                    locators.push(target.into_owned());
                }
            }
        }
        Ok(Some(locators))
    }

    fn names_of_key(
        &self,
        key: &EntityKey,
        asked: Option<Urn<'_>>,
    ) -> Result<Option<Vec<String>>, NameError<R::Error>> {
        if self.levels(key)?.is_empty() {
            return Ok(None);
        }
        let asked = asked
            .map(|name| NameKey::with_registry(name, &Registry::builtin()).as_str().to_owned());
        let mut names: Vec<String> = asked.into_iter().collect();
        for name in key_urns(key) {
            if !names.contains(&name) {
                names.push(name);
            }
        }
        Ok(Some(names))
    }
}

impl<R: Registered> Names for LinkNames<'_, R> {
    type Error = NameError<R::Error>;

    fn locators(&self, name: Urn<'_>) -> Result<Option<Vec<String>>, Self::Error> {
        self.key_of_name(name)?.map_or(Ok(None), |key| self.locators_of_key(&key))
    }

    fn names(&self, name: Urn<'_>) -> Result<Option<Vec<String>>, Self::Error> {
        self.key_of_name(name)?.map_or(Ok(None), |key| self.names_of_key(&key, Some(name)))
    }

    fn names_of(&self, locator: Uri<'_>) -> Result<Option<Vec<String>>, Self::Error> {
        self.key_of(locator.as_str())?.map_or(Ok(None), |key| self.names_of_key(&key, None))
    }

    fn locators_of(&self, locator: Uri<'_>) -> Result<Option<Vec<String>>, Self::Error> {
        self.key_of(locator.as_str())?.map_or(Ok(None), |key| self.locators_of_key(&key))
    }
}

/// The path of the GS1 Digital Link of a key on this resolver.
#[must_use]
pub fn digital_link_path(settings: &Settings, key: &EntityKey) -> String {
    format!("{}/{key}", settings.root().stem())
}
