//! A registry in memory, the import of documents into it, and the answers to scans.

use std::ops::ControlFlow;
use std::sync::{Arc, Mutex};

use fingerpost_ce::{CeDocuments, DocumentOutcome, Fate};
use fingerpost_exchange::{ImportEvent, ImportOptions, ImportSource, ImportTarget, Totals, import};
use fingerpost_registry::{Caller, Conditions, ExplainOptions, Registry, RegistryOptions};
use fingerpost_resolver::{Outcome, ResolutionRequest, Settings, SettingsParts};
use fingerpost_store::Store;

pub(crate) struct Fixture {
    pub(crate) registry: Registry,
    settings: Settings,
}

/// The report of an import.
#[derive(Debug)]
pub(crate) struct Imported {
    pub(crate) totals: Totals,
    /// In the order in which they were reported.
    pub(crate) outcomes: Vec<DocumentOutcome>,
}

/// The answer to a scan.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Scan {
    To(String),
    /// Several targets, sorted.
    OneOf(Vec<String>),
    NotFound,
}

impl Fixture {
    pub(crate) fn new() -> Fixture {
        let root = "https://id.example.org".to_owned();
        let parts = SettingsParts { resolver_root: root, ..SettingsParts::default() };
        let registry = Registry::new(Arc::new(Store::in_memory()), RegistryOptions::new());
        Fixture { registry, settings: Settings::new(parts).unwrap() }
    }

    /// Imports files.
    pub(crate) fn import(&self, files: &[&[u8]]) -> Imported {
        self.import_by(|documents| {
            for (number, file) in (0..).zip(files) {
                documents.read(number, *file).unwrap();
            }
        })
    }

    /// Registers records.
    pub(crate) fn register(&self, records: &[&str]) {
        for record in records {
            let caller = Caller::local("test");
            let conditions = Conditions::none();
            self.registry.put(&caller, None, record.as_bytes(), conditions).unwrap();
        }
    }

    /// Imports what `read` reads.
    pub(crate) fn import_by(&self, read: impl FnOnce(&mut CeDocuments)) -> Imported {
        let outcomes: Arc<Mutex<Vec<DocumentOutcome>>> = Arc::default();
        let sent = Arc::clone(&outcomes);
        let report = Box::new(move |outcome| sent.lock().unwrap().push(outcome));
        let mut documents = CeDocuments::new(&std::env::temp_dir(), report);
        read(&mut documents);
        let records = documents.into_records(self.registry.clone()).unwrap();
        let target = ImportTarget::registry(self.registry.clone(), Caller::local("test"));
        let sources = vec![ImportSource::converted("test", records)];
        let mut refused = Vec::new();
        let totals = import(target, sources, ImportOptions::default(), &mut |event| {
            if let ImportEvent::Refused { anchor, findings, .. } = event {
                refused.push(format!("{anchor:?} {findings:?}"));
            }
            ControlFlow::Continue(())
        });
        assert_eq!(refused, [""; 0], "what is converted can be registered");
        let outcomes = outcomes.lock().unwrap().drain(..).collect();
        Imported { totals: totals.unwrap(), outcomes }
    }

    /// Everything that is registered, as JSON Lines.
    pub(crate) fn export(&self) -> String {
        use fingerpost_exchange::{ExportFormat, ExportOptions, export};
        let mut out = Vec::new();
        let options = ExportOptions::new(ExportFormat::JsonLines);
        export(self.registry.store(), options, &mut out).unwrap();
        String::from_utf8(out).unwrap()
    }

    /// Scans a path, perhaps with a query, with `Accept-Language`.
    pub(crate) fn scan(&self, target: &str, language: Option<&str>) -> Scan {
        let asked = ResolutionRequest {
            target: target.as_bytes(),
            accept_language: language.unwrap_or_default().as_bytes(),
            ..ResolutionRequest::default()
        };
        let caller = Caller::local("test");
        let at = Some("2026-05-01T00:00:00Z".parse().unwrap());
        let options = ExplainOptions { at, ..ExplainOptions::default() };
        let answer = self.registry.explain(
            &caller,
            &self.settings,
            asked,
            &options,
            |answer, _| match answer.outcome() {
                // Without the query, which is forwarded.
                Outcome::Redirect(redirect) => {
                    let key = answer.key().expect("a scan has a key");
                    Scan::To(redirect.link().expand(key).expect("a target").into_owned())
                }
                Outcome::Choices(linkset, _) => Scan::OneOf(hrefs(&linkset.to_json())),
                _ => Scan::NotFound,
            },
        );
        answer.unwrap()
    }
}

impl Imported {
    /// The anchors, fates and reasons, sorted by anchor.
    pub(crate) fn fates(&self) -> Vec<(String, &'static str, Vec<String>)> {
        let fate = |outcome: &DocumentOutcome| outcome.anchor.clone().unwrap_or_default();
        let mut fates: Vec<_> = self
            .outcomes
            .iter()
            .map(|outcome| {
                let reasons = outcome.reasons.iter().map(|reason| reason.id.clone()).collect();
                (fate(outcome), outcome.fate.as_str(), reasons)
            })
            .collect();
        fates.sort();
        fates
    }

    pub(crate) fn count(&self, fate: Fate) -> usize {
        self.outcomes.iter().filter(|outcome| outcome.fate == fate).count()
    }
}

/// The targets in a linkset, sorted.
fn hrefs(linkset: &str) -> Vec<String> {
    let mut hrefs: Vec<String> = linkset
        .split("\"href\":\"")
        .skip(1)
        .filter_map(|rest| rest.split('"').next())
        .map(str::to_owned)
        .collect();
    hrefs.sort();
    hrefs.dedup();
    hrefs
}
