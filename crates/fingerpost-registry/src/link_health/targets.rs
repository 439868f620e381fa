//! The addresses that the links of a record lead to. A template is filled with values that occur:
//! those of the level itself, of levels that are registered below it, and the ends of a range.

use std::ops::{Bound, ControlFlow};

use fingerpost_gs1::EntityKey;
use fingerpost_resolver::{Anchor, AnchorForm, Entry};
use fingerpost_store::View;
use jiff::Timestamp;

use crate::limits::{MAX_SAMPLED_ROWS, MAX_SAMPLES};
use crate::{CompanyPrefix, RegistryError, company_prefix_ranges};

/// A target of a link.
pub(super) struct Target {
    /// The position of the link in its record.
    pub(super) link: usize,
    /// The address to request.
    pub(super) url: String,
}

/// Returns the targets of the links of a record that are valid at a time, without repetitions
/// within a link.
pub(super) fn targets(
    view: &View<'_>,
    entry: &Entry,
    now: Timestamp,
) -> Result<Vec<Target>, RegistryError> {
    let mut samples = None;
    let mut found: Vec<Target> = Vec::new();
    for link in entry.links().filter(|link| link.is_valid_at(now)) {
        let from = found.len();
        let mut add = |url: &str| {
            let url = url.split('#').next().unwrap_or_default();
            if !found[from..].iter().any(|known| known.url == url) {
                found.push(Target { link: link.index(), url: url.to_owned() });
            }
        };
        if !link.is_template() {
            add(link.href());
            continue;
        }
        let samples = match &samples {
            Some(samples) => samples,
            None => samples.insert(samples_of(view, entry.anchor())?),
        };
        samples.iter().filter_map(|entity| link.expand(entity)).for_each(|url| add(&url));
    }
    Ok(found)
}

/// Returns entities that a record at this anchor applies to, at most [`MAX_SAMPLES`].
fn samples_of(view: &View<'_>, anchor: &Anchor) -> Result<Vec<EntityKey>, RegistryError> {
    let mut samples: Vec<EntityKey> = match anchor.form() {
        AnchorForm::Key(key) => vec![key.clone()],
        AnchorForm::Range { first, last } => {
            [first, last].into_iter().filter_map(|value| in_range(anchor, value)).collect()
        }
        _ => Vec::new(),
    };
    let ranges = match anchor.form() {
        AnchorForm::CompanyPrefix(digits) => CompanyPrefix::parse(digits)
            .map(|prefix| company_prefix_ranges(&[prefix]))
            .unwrap_or_default(),
        AnchorForm::Suspension
        | AnchorForm::CountrySwitch
        | AnchorForm::Brand
        | AnchorForm::Logo => Vec::new(),
        _ => vec![format!("{}/", anchor.key_level())],
    };
    let mut rows = MAX_SAMPLED_ROWS;
    for range in ranges {
        view.visit_levels(Bound::Unbounded, &range, |entry, _| -> Result<_, RegistryError> {
            let below = entry.anchor().entity().filter(|entity| {
                anchor.covers(entity) && !samples.iter().any(|known| known == *entity)
            });
            samples.extend(below.filter(|_| samples.len() < MAX_SAMPLES).cloned());
            rows = rows.saturating_sub(1);
            let is_enough = samples.len() >= MAX_SAMPLES || rows == 0;
            Ok(if is_enough { ControlFlow::Break(()) } else { ControlFlow::Continue(()) })
        })?;
    }
    Ok(samples)
}

/// Returns the key with a value of a range, whose text is `KEY/-range PAIRS/AI/LENGTH/FIRST/LAST`.
fn in_range(range: &Anchor, value: &str) -> Option<EntityKey> {
    let rest = range.as_str().strip_prefix(range.key_level())?.strip_prefix("/-range")?;
    let mut parts = rest.rsplitn(4, '/');
    let qualifier = parts.nth(3)?;
    EntityKey::from_canonical(&format!("{}{qualifier}/{value}", range.key_level()))
}
