//! The country of the client as context of a request that names none (GS1-Conformant Resolver
//! 1.2.0 section 2.5.6).
//!
//! It counts only where the operator has configured its origin, the request has no `context`, a
//! link that the request may get has contexts, and the most granular record that says something
//! (`contextFrom`), else the organisation, says so. Nobody is asked for the country before all of
//! that is known.

use std::sync::Arc;

use fingerpost_gs1::EntityKey;

use crate::entry::ContextSource;
use crate::request::{EntityRequest, Parameter};
use crate::step::NextStep;
use crate::{Answer, Entry, Outcome, Plan};

/// Where the country of the client comes from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CountryOrigin {
    /// From the client address: answers that depend on it are for this client only.
    Address,
    /// From this request header, in lower case, which a trusted proxy writes.
    Header(String),
}

/// The country that counts as the context of a request.
#[derive(Clone, Debug)]
pub(crate) struct CountryContext {
    /// The anchor of the record that says so; `None`: the organisation.
    record: Option<String>,
    /// The code; `None` if it is not known.
    country: Option<String>,
}

impl CountryContext {
    /// Describes it for an explanation.
    pub(crate) fn describe(&self) -> String {
        let by = match &self.record {
            Some(anchor) => format!("contextFrom at {anchor}"),
            None => "the organisation of the key".to_owned(),
        };
        match &self.country {
            Some(country) => {
                format!("no context asked; {by} takes the country of the client: {country}")
            }
            None => format!(
                "no context asked; {by} takes the country of the client, which is not known"
            ),
        }
    }
}

impl Plan<'_> {
    /// Takes the country of the client as context, if it counts for these levels.
    /// `of_organisation` reads what the organisation of a key says, and `country` returns the
    /// country as ISO 3166-1 alpha-2 code, if it is known; both are called only if needed.
    ///
    /// # Errors
    ///
    /// Those of `of_organisation`.
    #[inline]
    pub fn take_country<E>(
        &mut self,
        levels: &[Arc<Entry>],
        of_organisation: impl FnOnce(&EntityKey) -> Result<Option<ContextSource>, E>,
        country: impl FnOnce() -> Option<String>,
    ) -> Result<(), E> {
        if self.settings.country().is_none() {
            return Ok(());
        }
        let Some(request) = self.request().filter(|request| may_differ(request, levels)) else {
            return Ok(());
        };
        let stated = levels.iter().find_map(|entry| Some((entry, entry.context_source()?)));
        let source = match stated {
            Some((_, source)) => Some(source),
            None => of_organisation(request.entity())?,
        };
        if source != Some(ContextSource::Country) {
            return Ok(());
        }
        let record = stated.map(|(entry, _)| entry.anchor().as_str().to_owned());
        let country = country();
        if let NextStep::Decide(request) = &mut self.step
            && let Some(country) = &country
        {
            request.set_context(country.clone());
        }
        self.country = Some(Box::new(CountryContext { record, country }));
        Ok(())
    }
}

/// Returns whether the context can make a difference: the request names none, and a link that it
/// may get has contexts.
fn may_differ(request: &EntityRequest<'_>, levels: &[Arc<Entry>]) -> bool {
    let is_typed = match request.link_type_parameter() {
        Parameter::Absent => false,
        Parameter::Text(_) => true,
        Parameter::Unreadable => return false,
    };
    request.context_parameter().is_absent()
        && levels.iter().any(|entry| {
            entry.links().any(|link| {
                let is_candidate = is_typed || link.is_default_variant() || link.is_recall();
                is_candidate && link.has_contexts()
            })
        })
}

impl Answer<'_> {
    /// Returns whether the answer depends on the country of the client, known or not.
    pub fn is_by_country(&self) -> bool {
        self.by_country && matches!(self.outcome, Outcome::Redirect(_) | Outcome::Choices(..))
    }

    /// Returns the request header with the country of the client, if the answer depends on it.
    pub fn country_header(&self) -> Option<&str> {
        match self.settings.country() {
            Some(CountryOrigin::Header(name)) if self.is_by_country() => Some(name),
            _ => None,
        }
    }
}
