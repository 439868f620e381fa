//! Resolvers with an export for the edge: those of the published cases, and those of random
//! requests.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use fingerpost_edge::EdgeSettings;
use fingerpost_options::Document;
use fingerpost_public::{Config, Router};
use fingerpost_resolver::Rules;
use fingerpost_server::{EdgeExport, edge_settings_of, now, write_edge};
use fingerpost_store::Store;
use fingerpost_testkit::requests::{CONFIGS, Draw, records, reserved};
use fingerpost_testkit::{Ask, UNHURRIED, all_cases, store_with};
use serde_json::Value;
use tempfile::TempDir;

/// Random requests of each configuration.
const RANDOM: usize = 20_000 / CONFIGS.len();

/// A resolver, and the folder of its export.
pub(crate) struct Installation {
    pub(crate) config: Config,
    pub(crate) store: Arc<Store>,
    pub(crate) settings: EdgeSettings,
    folder: TempDir,
}

impl Installation {
    /// Creates a resolver with these records, and exports it.
    pub(crate) fn new(toml: &str, records: &[Value]) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let logo = folder.path().join("logo.svg");
        std::fs::write(&logo, "<svg xmlns=\"http://www.w3.org/2000/svg\"></svg>").unwrap();
        let toml = toml.replace("{logo}", logo.to_str().unwrap());
        let toml = format!("listen = \"127.0.0.1:0\"\nthreads = 1\n{toml}");
        let sections = Config::sections().map(|(_, section)| section);
        let mut document = Document::parse("configuration", &toml, &sections).unwrap();
        let (key, value) = UNHURRIED;
        document.overlay_flag("tests", key, value, &[]).unwrap();
        let config = Config::read(&document).unwrap();
        let rules = Rules::new(config.vocabulary())
            .with_resolver_root(config.settings().root())
            .with_context_values(config.settings().context_values())
            .with_roles(config.settings().roles());
        let store = Arc::new(store_with(records, &rules));
        let settings = edge_settings_of(&config, &toml.parse().unwrap()).unwrap();
        let installation = Self { config, store, settings, folder };
        assert!(installation.export().is_complete);
        installation
    }

    pub(crate) fn export(&self) -> EdgeExport {
        write_edge(&self.settings, &self.store, &self.folder(), now()).unwrap()
    }

    pub(crate) fn folder(&self) -> PathBuf {
        self.folder.path().join("edge")
    }

    pub(crate) fn records(&self) -> PathBuf {
        self.folder().join("records")
    }

    pub(crate) fn router(&self) -> Router {
        Router::new(self.config.clone(), Arc::clone(&self.store))
    }
}

/// Calls a function with each installation of the published cases, and the requests of its cases.
pub(crate) fn each_of_the_cases(mut visit: impl FnMut(&Installation, &[Ask])) {
    let mut groups: BTreeMap<(String, String), (Vec<Value>, Vec<Ask>)> = BTreeMap::new();
    for case in all_cases() {
        if let Some(ask) = case.ask().filter(|_| !case.store_fails()) {
            let stored = serde_json::to_string(&case.stored).unwrap();
            let group = groups.entry((case.config_toml(), stored)).or_default();
            group.0.clone_from(&case.stored);
            group.1.push(ask);
        }
    }
    for ((toml, _), (stored, asks)) in groups {
        visit(&Installation::new(&toml, &stored), &asks);
    }
}

/// Calls a function with each installation of the random requests, and these requests.
pub(crate) fn each_of_the_random(mut visit: impl FnMut(&Installation, &[Ask])) {
    for (seed, toml) in (1..).zip(CONFIGS) {
        let installation = Installation::new(toml, &records());
        let stem = installation.config.settings().root().stem().to_owned();
        let mut draw = Draw::new(seed);
        let mut asks: Vec<_> = reserved().iter().map(|target| Ask::get(target)).collect();
        for number in 0..RANDOM {
            let drawn = draw.request(&stem);
            let method = ["GET", "GET", "GET", "HEAD", "GET", "OPTIONS", "GET", "POST"][number % 8];
            let (target, headers) = (drawn.target.clone(), drawn.headers());
            asks.push(Ask { method: method.to_owned(), target, headers });
        }
        visit(&installation, &asks);
    }
}

/// Returns all files below a folder, by their paths.
pub(crate) fn files(folder: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let mut found = BTreeMap::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(folder) = folders.pop() {
        for file in std::fs::read_dir(folder).unwrap() {
            let path = file.unwrap().path();
            match path.is_dir() {
                true => folders.push(path),
                false => drop(found.insert(path.clone(), std::fs::read(path).unwrap())),
            }
        }
    }
    found
}
