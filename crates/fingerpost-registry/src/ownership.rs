//! Whose a level is: decided from its key alone.
//!
//! Single keys first, then the organisation whose company prefix the key begins with, where its prefix stands. No two
//! organisations have overlapping prefixes, so there is at most one.

use std::collections::HashMap;

use fingerpost_gs1::EntityKey;
use fingerpost_store::View;

use crate::documents::load;
use crate::stored::Index;
use crate::{CompanyPrefix, Id, Organisation, RegistryError};

/// The organisation that owns a level, if any.
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

/// The organisation of an id that an index gave.
pub(crate) fn organisation(
    view: &View<'_>,
    id: Option<Id>,
) -> Result<Option<Organisation>, RegistryError> {
    match id {
        Some(id) => load(view, id.as_str()),
        None => Ok(None),
    }
}

/// The owners of many levels, each organisation read once.
pub(crate) struct Owners<'v, 't> {
    view: &'v View<'t>,
    /// Whether anything is owned. Otherwise nothing has to be looked up.
    is_any: bool,
    organisations: HashMap<Id, Option<Organisation>>,
}

impl<'v, 't> Owners<'v, 't> {
    pub(crate) fn of(view: &'v View<'t>) -> Result<Owners<'v, 't>, RegistryError> {
        let is_any = Index::Owned.is_any(view)? || Index::Prefix.is_any(view)?;
        Ok(Owners { view, is_any, organisations: HashMap::new() })
    }

    /// The id of the owner of a level, and the organisation itself.
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
