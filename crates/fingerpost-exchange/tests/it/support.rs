//! A registry in a temporary directory, and records for it.

use std::ops::ControlFlow;
use std::sync::Arc;

use fingerpost_exchange::{
    ExportFormat, ExportOptions, ImportEvent, ImportOptions, ImportSource, ImportTarget, Totals,
    export, import,
};
use fingerpost_registry::{Caller, Registry, RegistryOptions};
use fingerpost_resolver::Anchor;
use fingerpost_store::StoreOptions;
use fingerpost_testkit::open_store;
use tempfile::TempDir;

pub(crate) struct Fixture {
    pub(crate) registry: Registry,
    _dir: TempDir,
}

impl Fixture {
    pub(crate) fn new() -> Fixture {
        Fixture::with(RegistryOptions::new())
    }

    pub(crate) fn with(registry: RegistryOptions) -> Fixture {
        let dir = tempfile::tempdir().unwrap();
        let store = Arc::new(open_store(dir.path(), options()));
        Fixture { registry: Registry::new(store, registry), _dir: dir }
    }

    /// Imports a file, so many records at a time.
    pub(crate) fn import(&self, file: &str, batch: usize) -> Imported {
        self.import_as(caller(), file, batch)
    }

    pub(crate) fn import_as(&self, caller: Caller, file: &str, batch: usize) -> Imported {
        run(ImportTarget::registry(self.registry.clone(), caller), file, batch)
    }

    pub(crate) fn dry_run_as(&self, caller: Caller, file: &str, batch: usize) -> Imported {
        run(ImportTarget::dry_run(&self.registry, caller).unwrap(), file, batch)
    }

    /// Everything that is registered, as JSON Lines.
    pub(crate) fn export(&self) -> String {
        let mut out = Vec::new();
        let options = ExportOptions::new(ExportFormat::JsonLines);
        export(self.registry.store(), options, &mut out).unwrap();
        String::from_utf8(out).unwrap()
    }

    /// The records that a level held, oldest first.
    pub(crate) fn history(&self, level: &str) -> Vec<Option<String>> {
        let level = Anchor::parse(level).unwrap();
        let states = self.registry.history(&caller(), &level).unwrap_or_default();
        states.iter().rev().map(|state| state.record()).collect()
    }
}

/// The report of an import.
pub(crate) struct Imported {
    pub(crate) totals: Totals,
    /// The numbers of the refused records, and the requirements that they break.
    pub(crate) refused: Vec<(u64, String)>,
}

fn run(target: ImportTarget, file: &str, batch: usize) -> Imported {
    // A buffer for a few records, so that most files are sorted outside of it.
    let batch = batch.try_into().unwrap();
    let options = ImportOptions { batch, buffer: 2048, ..ImportOptions::default() };
    let mut refused = Vec::new();
    let sources = vec![ImportSource::new("test", file.as_bytes())];
    let totals = import(target, sources, options, &mut |event| {
        if let ImportEvent::Refused { position, findings, .. } = event {
            refused.push((position.record, findings[0].id.to_owned()));
        }
        ControlFlow::Continue(())
    });
    refused.sort();
    Imported { totals: totals.unwrap(), refused }
}

fn options() -> StoreOptions {
    StoreOptions::default().map_size(1 << 30).cache_bytes(0)
}

pub(crate) fn caller() -> Caller {
    Caller::local("test")
}

/// A record with a default link and the link that it needs.
pub(crate) fn record(level: &str, title: &str) -> String {
    format!(
        r#"{{"anchor":"{level}","links":[{{"linkType":"gs1:pip","href":"https://example.com/p","title":"{title}","default":true}}]}}"#
    )
}

/// A record with one link and no default.
pub(crate) fn plain(level: &str, title: &str) -> String {
    format!(
        r#"{{"anchor":"{level}","links":[{{"linkType":"gs1:pip","href":"https://example.com/q","title":"{title}"}}]}}"#
    )
}
