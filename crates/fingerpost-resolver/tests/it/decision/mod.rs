//! Requests, settings, hand-over, description file, linksets and explanations, through the public
//! API.

mod answers;
mod compressed;
mod hints;
mod link_text;
mod operator;
mod paths;
mod recall_page;

use std::sync::Arc;

use fingerpost_resolver::{
    Entry, Linkset, Outcome, Plan, ResolutionRequest, Rules, Settings, SettingsParts, read_record,
};

fn parts() -> SettingsParts {
    SettingsParts { resolver_root: "https://id.example.org".into(), ..SettingsParts::default() }
}

fn settings() -> Settings {
    Settings::new(parts()).expect("valid settings")
}

fn get(target: &str) -> ResolutionRequest<'_> {
    ResolutionRequest { target: target.as_bytes(), ..ResolutionRequest::default() }
}

/// The same at an instant.
fn at<'a>(asked: ResolutionRequest<'a>, now: &str) -> ResolutionRequest<'a> {
    ResolutionRequest { now: now.parse().expect("an instant"), ..asked }
}

/// The linkset that a request about an entity gets.
fn linkset<'l>(plan: &'l Plan<'_>, levels: &'l [Arc<Entry>]) -> Linkset<'l> {
    match plan.answer(levels).into_outcome() {
        Outcome::Linkset(linkset, _) => linkset,
        other => panic!("expected a linkset, found {other:?}"),
    }
}

/// The entries of `held` that apply to a request, in the order of its levels.
fn applying(plan: &Plan<'_>, held: &[Arc<Entry>]) -> Vec<Arc<Entry>> {
    let of = |level: &str| held.iter().find(|entry| entry.anchor().as_str() == level).cloned();
    plan.key().expect("an entity").levels().filter_map(|level| of(&level)).collect()
}

fn entry(record: &str) -> Arc<Entry> {
    let settings = settings();
    let accepted = read_record(record.as_bytes(), &Rules::new(settings.vocabulary()));
    Arc::new(accepted.expect("a valid record").entry)
}
