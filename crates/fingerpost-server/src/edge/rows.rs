//! The rows of an export: what the public sees, and nothing of suspended organisations.

use std::collections::BTreeMap;
use std::ops::{Bound, ControlFlow};
use std::sync::Arc;

use fingerpost_edge::{MAX_KEY_BYTES, MAX_OBJECT_BYTES, group_of, write_shard};
use fingerpost_resolver::{
    Anchor, AnchorForm, CompanyPrefix, Entry, Suspension, Viewer, company_anchor,
};
use fingerpost_store::{StoreError, View};

/// The canonical text of an anchor, and its encoded entry.
pub(super) type Row = (String, Vec<u8>);

/// The rows of a snapshot, as the public sees them.
pub(super) struct PublicRows<'v, 't> {
    view: &'v View<'t>,
    /// The anchors with a suspension, and whether their keys are suspended by it.
    suspended: BTreeMap<String, bool>,
}

impl<'v, 't> PublicRows<'v, 't> {
    pub(super) fn new(view: &'v View<'t>) -> Result<Self, StoreError> {
        let mut suspended = BTreeMap::new();
        visit(view, Anchor::suspensions(), |entry| {
            let of = entry.anchor().key_level().to_owned();
            suspended.insert(of, entry.as_suspension() != Some(Suspension::None));
        })?;
        Ok(Self { view, suspended })
    }

    /// Returns whether any company prefix has a row.
    pub(super) fn has_companies(&self) -> Result<bool, StoreError> {
        let prefix = company_anchor("");
        if self.suspended.keys().any(|of| of.starts_with(&prefix)) {
            return Ok(true);
        }
        for beginning in [&*prefix, Anchor::country_switches()] {
            if !self.view.levels_from(Bound::Unbounded, beginning, 1)?.is_empty() {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Returns the row of an entry at the edge: without links for roles, and for a suspension
    /// only that the origin answers. `None` if nothing of it may be there.
    pub(super) fn public(&self, entry: Entry) -> Option<Row> {
        let anchor = entry.anchor().as_str().to_owned();
        match entry.as_suspension() {
            Some(Suspension::None) => Some((anchor, entry.encode())),
            Some(Suspension::Stop | Suspension::Notice(_)) => {
                let of = Anchor::from_canonical(entry.anchor().key_level())?;
                Some((anchor, Entry::suspension(&of, Suspension::Stop).encode()))
            }
            None if entry.anchor().form() == AnchorForm::CountrySwitch => {
                Some((anchor, entry.encode()))
            }
            // Brands and logos are for pages, which the origin answers.
            None if entry.anchor().is_of_registry() => None,
            None if self.is_suspended(entry.anchor()) => None,
            None => Some((anchor, Viewer::PUBLIC.see(&Arc::new(entry))?.encode())),
        }
    }

    /// Returns all rows of a group.
    pub(super) fn of_group(&self, group: &str) -> Result<Vec<Row>, StoreError> {
        let mut rows = Vec::new();
        let kinds = ["", Anchor::suspensions(), Anchor::country_switches()];
        for prefix in kinds.map(|kind| [kind, group].concat()) {
            if group.starts_with(&company_anchor("")) {
                visit(self.view, &prefix, |entry| rows.extend(self.public(entry)))?;
                continue;
            }
            // Not everything that begins with the text of a key belongs to it.
            let own = self.view.level(&prefix)?;
            rows.extend(own.and_then(|(entry, _)| self.public(entry)));
            visit(self.view, &format!("{prefix}/"), |entry| rows.extend(self.public(entry)))?;
        }
        Ok(rows)
    }

    /// Returns whether the keys of an anchor are suspended: by the key, else by its company prefix
    /// (`owner_row` of the resolver).
    fn is_suspended(&self, anchor: &Anchor) -> bool {
        if self.suspended.is_empty() {
            return false;
        }
        let part = anchor.company_prefix_part().unwrap_or_default();
        let digits = part.bytes().take_while(u8::is_ascii_digit).count();
        let prefixes = CompanyPrefix::LENGTHS.take_while(|length| *length <= digits);
        let of = prefixes.map(|length| company_anchor(&part[..length]));
        let of = [anchor.key_level().to_owned()].into_iter().chain(of);
        of.map(|of| self.suspended.get(&of)).find_map(|found| found.copied()).unwrap_or(false)
    }
}

fn visit(view: &View<'_>, prefix: &str, mut each: impl FnMut(Entry)) -> Result<(), StoreError> {
    view.visit_levels(Bound::Unbounded, prefix, |entry, _| {
        each(entry);
        Ok(ControlFlow::Continue(()))
    })
}

/// A shard to write.
pub(super) struct WrittenShard {
    pub(super) bytes: Vec<u8>,
    pub(super) rows: u64,
    pub(super) left: u64,
}

/// Returns the shard of some rows; `None` if there are none. Keys that are too large are replaced
/// by a row that makes a worker pass on requests for them.
pub(super) fn shard_of(mut rows: Vec<Row>) -> Option<WrittenShard> {
    let mut left = 0;
    while let Some(group) = too_large(&rows) {
        rows.retain(|(anchor, _)| group_of_row(anchor).as_ref() != Some(&group));
        let stop = Entry::suspension(&Anchor::from_canonical(&group)?, Suspension::Stop);
        rows.push((stop.anchor().as_str().to_owned(), stop.encode()));
        left += 1;
    }
    rows.sort_unstable();
    rows.dedup_by(|a, b| a.0 == b.0);
    if rows.is_empty() {
        return None;
    }
    let bytes = write_shard(&rows)?;
    Some(WrittenShard { bytes, rows: rows.len() as u64, left })
}

fn group_of_row(anchor: &str) -> Option<String> {
    Anchor::from_canonical(anchor).map(|anchor| group_of(&anchor))
}

/// Returns the largest group, if it or the shard is too large.
fn too_large(rows: &[Row]) -> Option<String> {
    let size = |(anchor, entry): &Row| anchor.len() + entry.len() + 6;
    let all: usize = rows.iter().map(size).sum();
    if all <= MAX_KEY_BYTES {
        return None;
    }
    let mut groups: BTreeMap<String, usize> = BTreeMap::new();
    for row in rows {
        *groups.entry(group_of_row(&row.0)?).or_default() += size(row);
    }
    let (group, bytes) = groups.into_iter().max_by_key(|(_, bytes)| *bytes)?;
    let is_shard_too_large = all + 64 > MAX_OBJECT_BYTES && bytes > 64;
    (bytes > MAX_KEY_BYTES || is_shard_too_large).then_some(group)
}
