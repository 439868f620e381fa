//! Reads documents of the registry.

use fingerpost_registry::{Caller, Filter, Level, Registry, RegistryError};
use fingerpost_resolver::Anchor;
use http::HeaderValue;

use crate::anchor;
use crate::document::CeDocument;
use crate::export::CeExporter;
use crate::limits::PAGE_LEVELS;

/// Returns the anchors of all keys that the caller can read.
pub(super) fn keys(registry: &Registry, caller: &Caller) -> Result<Vec<String>, RegistryError> {
    let mut anchors = Vec::new();
    each_level(registry, caller, &Filter::default(), &mut |level| {
        if level.key.is_key_level() && level.key.entity().is_some() {
            anchors.push(shown(&level.key));
        }
    })?;
    Ok(anchors)
}

/// Returns the documents of a key, none if it has no record, and the validator of the key.
pub(super) fn documents(
    registry: &Registry,
    caller: &Caller,
    anchor: &str,
) -> Result<(Vec<CeDocument>, HeaderValue), RegistryError> {
    let mut exporter = CeExporter::new(registry.now());
    let levels = levels(registry, caller, anchor)?;
    let documents = levels.iter().filter_map(|level| exporter.convert(&level.entry)).collect();
    Ok((documents, etag(&levels)))
}

/// Returns the validator of the levels of a key: their last revision, which each write raises, and
/// their number, which each deletion lowers.
pub(super) fn etag(levels: &[Level]) -> HeaderValue {
    let last = levels.iter().map(|level| level.revision.number()).max().unwrap_or_default();
    let etag = format!("\"{last}-{}\"", levels.len());
    HeaderValue::from_str(&etag).expect("digits and quotation marks")
}

/// Returns every level of a key: itself, its qualifier sets, and records that this API cannot show;
/// or the record of a pattern.
pub(super) fn levels(
    registry: &Registry,
    caller: &Caller,
    anchor: &str,
) -> Result<Vec<Level>, RegistryError> {
    let mut levels = Vec::new();
    for key in anchor::keys(anchor) {
        if !levels.is_empty() {
            break;
        }
        if key.entity().is_some() {
            each_level(registry, caller, &under(key), &mut |level| levels.push(level))?;
            continue;
        }
        // Not those of longer prefixes.
        match registry.read(caller, &key) {
            Ok(level) => levels.push(level),
            Err(RegistryError::NotFound | RegistryError::Forbidden(_)) => {}
            Err(error) => return Err(error),
        }
    }
    Ok(levels)
}

fn under(key: Anchor) -> Filter {
    Filter { under: Some(key), ..Filter::default() }
}

fn each_level(
    registry: &Registry,
    caller: &Caller,
    filter: &Filter,
    visit: &mut dyn FnMut(Level),
) -> Result<(), RegistryError> {
    let mut after = None;
    loop {
        let page = registry.list(caller, filter, after.as_deref(), PAGE_LEVELS)?;
        page.items.into_iter().for_each(&mut *visit);
        match page.next {
            Some(next) => after = Some(next),
            None => return Ok(()),
        }
    }
}

/// Returns the anchor as documents have it: values without percent-encoding.
fn shown(key: &Anchor) -> String {
    let pairs = key.entity().into_iter().flat_map(|key| {
        key.pairs().map(|(ai, _)| format!("/{ai}/{}", key.value(ai).unwrap_or_default()))
    });
    pairs.collect()
}
