//! Owners of levels, decided from the key alone.
//!
//! Single keys take precedence over the organisation whose company prefix the key contains at the position of its prefix. No
//! two organisations have overlapping prefixes, so there is at most one.

use std::collections::HashMap;

use fingerpost_gs1::EntityKey;
use fingerpost_store::View;

use crate::documents::load;
use crate::stored::Index;
use crate::{CompanyPrefix, Id, Organisation, RegistryError};

/// Returns the organisation that owns a level, if any.
pub(crate) fn owner(view: &View<'_>, key: &EntityKey) -> Result<Option<Id>, RegistryError> {
    if let Some(id) = Index::Owned.find(view, key.key_level())? {
        return Ok(Some(id));
    }
    let Some(part) = key.company_prefix_part() else { return Ok(None) };
    for length in CompanyPrefix::LENGTHS {
        let Some(digits) = part.get(..length) else { break };
        if !digits.bytes().all(|byte| byte.is_ascii_digit()) {
            break;
        }
        if let Some(id) = Index::Prefix.find(view, digits)? {
            return Ok(Some(id));
        }
    }
    Ok(None)
}

/// Loads the organisation with an id from an index.
pub(crate) fn organisation(
    view: &View<'_>,
    id: Option<Id>,
) -> Result<Option<Organisation>, RegistryError> {
    match id {
        Some(id) => load(view, id.as_str()),
        None => Ok(None),
    }
}

/// Looks up the owners of many levels; reads each organisation once.
pub(crate) struct Owners<'v, 't> {
    view: &'v View<'t>,
    /// Whether any organisation owns anything. If not, no lookups are needed.
    is_any: bool,
    organisations: HashMap<Id, Option<Organisation>>,
}

impl<'v, 't> Owners<'v, 't> {
    pub(crate) fn of(view: &'v View<'t>) -> Result<Owners<'v, 't>, RegistryError> {
        let is_any = Index::Owned.is_any(view)? || Index::Prefix.is_any(view)?;
        Ok(Owners { view, is_any, organisations: HashMap::new() })
    }

    /// Returns the owner of a level: its id, and the organisation itself.
    pub(crate) fn owner(
        &mut self,
        level: &EntityKey,
    ) -> Result<(Option<Id>, Option<&Organisation>), RegistryError> {
        if !self.is_any {
            return Ok((None, None));
        }
        let Some(id) = owner(self.view, level)? else { return Ok((None, None)) };
        if !self.organisations.contains_key(&id) {
            self.organisations.insert(id, organisation(self.view, Some(id))?);
        }
        Ok((Some(id), self.organisations[&id].as_ref()))
    }
}
