//! Writes the files from which workers at the edge of the network answer (`fingerpost-edge`).
//!
//! ```text
//! DIR/worker/…        the worker: WebAssembly, JavaScript, and the configuration for workerd
//! DIR/records/…       what workers read: root.json, and objects/AB/ABCD…
//! DIR/state.json      what the next export continues from
//! ```
//!
//! A folder that has an export is brought up to date: the changes of the store since then name the
//! keys, and only their shards, the pages of these and the root are written. Objects that are no
//! longer referred to are deleted by the next export, so that a worker that has the root before can
//! still read them.

mod folder;
mod partitions;
mod rows;

use std::collections::{BTreeMap, BTreeSet, btree_map};
use std::fs;
use std::ops::{Bound, ControlFlow};
use std::path::Path;

use fingerpost_edge::{
    Digest, EdgeSettings, FORMAT, IndexPage, MAX_SHARD_BITS, PAGE_SHARDS, Root, SHARD_BYTES, Shard,
    group_of, shard_number,
};
use fingerpost_options::DeclaredOptions;
use fingerpost_public::Config as Public;
use fingerpost_resolver::{Anchor, SettingsParts};
use fingerpost_store::copy::Position;
use fingerpost_store::{Store, StoreError, View};
use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use self::folder::Folder;
use self::partitions::Partitions;
use self::rows::{PublicRows, Row, shard_of};
use crate::config::Config;
use crate::failure::Failure;
use crate::limits::MAX_EDGE_CHANGES;

/// What an export wrote.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct EdgeExport {
    /// Rows in the shards that were written: levels, sets and company prefixes.
    pub rows: u64,
    /// Files written, with the root.
    pub files: u64,
    /// Keys in these shards that are too large for the edge, so that the origin answers for them.
    pub left: u64,
    /// Whether everything was written, not only what changed.
    pub is_complete: bool,
}

/// What the next export continues from.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct State {
    /// The store, by the hash of its first audit record.
    origin: Option<String>,
    position: Position,
    /// Objects that no root after the last one refers to.
    replaced: BTreeSet<String>,
}

/// Returns the settings of a worker for a configuration.
///
/// # Errors
///
/// Fails if answers are signed, because the key does not leave the origin, and if `link_types_file`
/// cannot be read.
pub fn edge_settings(config: &Config) -> Result<EdgeSettings, Failure> {
    edge_settings_of(&config.public, config.values())
}

/// Returns the settings of a worker for a configuration of the public side, and the values it was
/// read from.
///
/// # Errors
///
/// As [`edge_settings`].
pub fn edge_settings_of(public: &Public, values: &toml::Table) -> Result<EdgeSettings, Failure> {
    if public.signer().is_some() {
        return Err(Failure::advise(
            "answers are signed ([signatures]), and a worker has no key to sign with",
            "the key stays at the origin: let the edge cache signed answers, or answer without signatures",
        ));
    }
    let option = |name: &str| {
        let value = serde_json::to_value(values.get(name)?).ok()?;
        Some((name.to_owned(), value))
    };
    let link_types = values.get("link_types_file").and_then(toml::Value::as_str);
    let read = |path: &str| {
        fs::read_to_string(path).map_err(|error| {
            Failure::advise(format!("cannot read `{path}`: {error}"), "check link_types_file")
        })
    };
    let side = public.settings().public_side();
    Ok(EdgeSettings {
        options: SettingsParts::KEYS.iter().filter_map(|key| option(key.name)).collect(),
        link_types: link_types.map(read).transpose()?,
        max_target_bytes: side.max_target_bytes,
        max_header_bytes: public.limits().max_header_bytes.get(),
        linkset_max_age: side.linkset_max_age.as_secs(),
        shared: [
            side.shared.max_age,
            side.shared.stale_while_revalidate,
            side.shared.stale_if_error,
        ]
        .map(|time| time.as_secs()),
        has_country: public.settings().country().is_some(),
        strict_transport_security: public
            .hsts()
            .and_then(|policy| policy.to_str().ok())
            .map(str::to_owned),
    })
}

/// Writes an export of one snapshot of a store to a folder, or brings the one in it up to date.
///
/// # Errors
///
/// Fails if the store cannot be read, the settings are refused, the folder cannot be written, or
/// another export is writing to it.
pub fn write_edge(
    settings: &EdgeSettings,
    store: &Store,
    folder: &Path,
    now: Timestamp,
) -> Result<EdgeExport, Failure> {
    settings.settings().map_err(Failure::new)?;
    let mut export = Export {
        folder: Folder::open(folder)?,
        counts: EdgeExport::default(),
        replaced: BTreeSet::new(),
    };
    store.view(|view| export.write(settings, view, store, now))?;
    Ok(export.counts)
}

/// Copies the worker that `bindings/edge/build` built.
///
/// # Errors
///
/// Fails if a file cannot be read or written.
pub fn copy_worker(worker: &Path, folder: &Path) -> Result<(), Failure> {
    let to = folder.join("worker");
    let copy = || {
        fs::create_dir_all(&to)?;
        for file in ["index.js", "fingerpost.js", "fingerpost.wasm", "workerd.capnp"] {
            fs::copy(worker.join(file), to.join(file))?;
        }
        Ok(())
    };
    copy().map_err(|error: std::io::Error| {
        Failure::advise(
            format!("cannot copy the worker from `{}`: {error}", worker.display()),
            "name the folder that `bindings/edge/build FOLDER` wrote",
        )
    })
}

/// An export in progress.
struct Export {
    folder: Folder,
    counts: EdgeExport,
    replaced: BTreeSet<String>,
}

impl Export {
    fn write(
        &mut self,
        settings: &EdgeSettings,
        view: &View<'_>,
        store: &Store,
        now: Timestamp,
    ) -> Result<(), Failure> {
        let rows = PublicRows::new(view)?;
        let before: Option<(State, Root)> = self.folder.state().zip(self.folder.root());
        let updated = match &before {
            Some((state, root)) => self.update(view, &rows, state, root)?,
            None => None,
        };
        let (shard_bits, pages) = match updated {
            Some(updated) => updated,
            None => self.write_all(view, &rows, store)?,
        };
        let old_version = before.as_ref().map_or(0, |(_, root)| root.version);
        let root = Root {
            format: FORMAT,
            version: now.as_millisecond().max(old_version + 1),
            revision: view.revision()?.number(),
            shard_bits,
            pages,
            has_companies: rows.has_companies()?,
            settings: settings.clone(),
        };
        let is_same =
            |(_, old): &(State, Root)| Root { version: root.version, ..old.clone() } == root;
        if before.as_ref().is_some_and(is_same) {
            return Ok(());
        }
        self.folder.write_root(&root)?;
        self.counts.files = self.folder.written;
        let last = before.map(|(state, _)| state.replaced).unwrap_or_default();
        self.folder.delete(&last, &self.replaced)?;
        let (origin, position) = (view.origin()?, view.position()?);
        self.folder.write_state(&State { origin, position, replaced: self.replaced.clone() })
    }

    /// Writes all shards and pages; returns the binary logarithm of the number of shards, and the
    /// names of the pages.
    fn write_all(
        &mut self,
        view: &View<'_>,
        rows: &PublicRows<'_, '_>,
        store: &Store,
    ) -> Result<(u32, Vec<String>), Failure> {
        self.counts = EdgeExport { is_complete: true, ..EdgeExport::default() };
        let mut bytes = 0;
        view.visit_sizes(Bound::Unbounded, "", |anchor, size| -> Result<_, StoreError> {
            bytes += anchor.len() as u64 + size;
            Ok(ControlFlow::Continue(()))
        })?;
        let bits = bytes.div_ceil(SHARD_BYTES).max(1).next_power_of_two().trailing_zeros();
        let bits = bits.min(MAX_SHARD_BITS);
        let mut parts = Partitions::new(Root::pages_of(bits), &store.scratch());
        view.visit_levels(Bound::Unbounded, "", |entry, _| -> Result<_, Failure> {
            let number = shard_number(&group_of(entry.anchor()), bits);
            if let Some(row) = rows.public(entry) {
                parts.push(number / PAGE_SHARDS, number, &row)?;
            }
            Ok(ControlFlow::Continue(()))
        })?;
        let mut pages = Vec::new();
        for number in 0..Root::pages_of(bits) {
            let mut page = IndexPage::empty((1 << bits).min(PAGE_SHARDS));
            for (shard, rows) in parts.take(number)? {
                page.set(shard % PAGE_SHARDS, self.shard(rows)?);
            }
            pages.push(self.page(&page)?);
        }
        self.replaced = self.folder.others()?;
        Ok((bits, pages))
    }

    /// Writes what changed since the last export. `None` if everything must be written: the store
    /// is another one or was restored, a suspension changed, which affects other keys, so much
    /// changed that the number of shards no longer fits, or a file is missing or damaged.
    fn update(
        &mut self,
        view: &View<'_>,
        rows: &PublicRows<'_, '_>,
        state: &State,
        root: &Root,
    ) -> Result<Option<(u32, Vec<String>)>, Failure> {
        if view.origin()? != state.origin || !view.has_position(&state.position)? {
            return Ok(None);
        }
        let Some(groups) = changed_groups(view, &state.position, root.shard_bits)? else {
            return Ok(None);
        };
        let (mut pages, mut names) = (BTreeMap::new(), root.pages.clone());
        for (number, groups) in groups {
            let (at, within) = (number / PAGE_SHARDS, number % PAGE_SHARDS);
            let page = match pages.entry(at) {
                btree_map::Entry::Occupied(page) => page.into_mut(),
                btree_map::Entry::Vacant(place) => {
                    let Some(page) = self.read_page(root, at) else { return Ok(None) };
                    place.insert(page)
                }
            };
            let old = page.shard(within);
            let mut shard = Vec::new();
            if let Some(old) = old {
                let Some(bytes) = self.folder.read(&old.name()) else { return Ok(None) };
                let Some(found) = Shard::read(&bytes) else { return Ok(None) };
                if bytes.len() as u64 > SHARD_BYTES * 8 && root.shard_bits < MAX_SHARD_BITS {
                    return Ok(None);
                }
                let is_kept = |anchor: &str| {
                    Anchor::from_canonical(anchor)
                        .is_some_and(|anchor| !groups.contains(&group_of(&anchor)))
                };
                let kept = found.rows().filter(|(anchor, _)| is_kept(anchor));
                shard.extend(kept.map(|(anchor, entry)| (anchor.to_owned(), entry.to_vec())));
            }
            for group in &groups {
                shard.extend(rows.of_group(group)?);
            }
            let new = self.shard(shard)?;
            if new != old {
                page.set(within, new);
                self.replaced.extend(old.map(|old| old.name()));
            }
        }
        for (at, page) in pages {
            let name = self.page(&page)?;
            if name != names[at] {
                let old = std::mem::replace(&mut names[at], name);
                self.replaced.extend((!old.is_empty()).then_some(old));
            }
        }
        Ok(Some((root.shard_bits, names)))
    }

    fn read_page(&self, root: &Root, at: usize) -> Option<IndexPage> {
        match root.pages.get(at)?.as_str() {
            "" => Some(IndexPage::empty((1 << root.shard_bits).min(PAGE_SHARDS))),
            name => IndexPage::read(&self.folder.read(name)?),
        }
    }

    /// Writes a shard; returns its digest, or `None` if it has no rows.
    fn shard(&mut self, rows: Vec<Row>) -> Result<Option<Digest>, Failure> {
        let Some(shard) = shard_of(rows) else { return Ok(None) };
        self.counts.rows += shard.rows;
        self.counts.left += shard.left;
        self.folder.write(&shard.bytes).map(Some)
    }

    /// Writes a page; returns its name, which is empty if all shards are.
    fn page(&mut self, page: &IndexPage) -> Result<String, Failure> {
        if page.shards().next().is_none() {
            return Ok(String::new());
        }
        Ok(self.folder.write(&page.write())?.name())
    }
}

/// Returns the groups that changed since a position, by the numbers of their shards; `None` if
/// there are too many to collect, or a suspension changed.
fn changed_groups(
    view: &View<'_>,
    since: &Position,
    bits: u32,
) -> Result<Option<BTreeMap<usize, BTreeSet<String>>>, Failure> {
    let mut groups: BTreeMap<usize, BTreeSet<String>> = BTreeMap::new();
    let (mut count, mut is_usable) = (0, true);
    let from = Bound::Included((since.revision().next(), ""));
    view.visit_changes(from, |_, anchor, _| -> Result<_, StoreError> {
        count += 1;
        let anchor = Anchor::from_canonical(anchor);
        let anchor = anchor.filter(|it| !it.as_str().starts_with(Anchor::suspensions()));
        match anchor.filter(|_| count <= MAX_EDGE_CHANGES) {
            Some(anchor) => {
                let group = group_of(&anchor);
                groups.entry(shard_number(&group, bits)).or_default().insert(group);
                Ok(ControlFlow::Continue(()))
            }
            None => {
                is_usable = false;
                Ok(ControlFlow::Break(()))
            }
        }
    })?;
    Ok(is_usable.then_some(groups))
}
