//! Requests, settings, hand-over, description file, linksets and explanations, through the public API.

mod answers;
mod compressed;
mod operator;
mod paths;

use std::sync::Arc;

use fingerpost_resolver::{Entry, RawRequest, Rules, Settings, SettingsParts, read_record};

fn parts() -> SettingsParts {
    SettingsParts { resolver_root: "https://id.example.org".into(), ..SettingsParts::default() }
}

fn settings() -> Settings {
    Settings::new(parts()).expect("valid settings")
}

fn get(path: &str) -> RawRequest<'_> {
    let (path, query) = match path.split_once('?') {
        Some((path, query)) => (path, Some(query.as_bytes())),
        None => (path, None),
    };
    RawRequest { path: path.as_bytes(), query, ..RawRequest::default() }
}

fn entry(record: &str) -> Arc<Entry> {
    let settings = settings();
    let accepted = read_record(record.as_bytes(), &Rules::new(settings.vocabulary()));
    Arc::new(accepted.expect("a valid record").entry)
}
