//! Whose a level is: decided from its key alone.
//!
//! Single keys first, then the organisation whose company prefix the key begins with, where its prefix stands. No two
//! organisations have overlapping prefixes, so there is at most one.

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
