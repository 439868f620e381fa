//! Compares the jobs of a batch on several threads.

use std::collections::{BTreeMap, HashSet};
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::sync::{Mutex, PoisonError};
use std::thread;

use super::Job;
use super::cases::cases;
use super::judge::{Judged, judge, shown};
use super::kind;
use super::links;
use super::report::{Example, Finding};
use super::side::{Outcome, Side};
use crate::limits::MAX_BELOW;
use crate::linkset::Linkset;
use crate::message::{WebRequest, WebResponse};
use crate::subject::Subject;

/// Both resolvers.
pub(super) struct Pair {
    pub(super) old: Side,
    pub(super) new: Side,
}

impl Pair {
    /// Returns the results in the order of the jobs, or why a resolver is given up.
    pub(super) fn compare_all(&self, jobs: &[Job], threads: usize) -> Result<Vec<Finding>, String> {
        let next = AtomicUsize::new(0);
        let results: Mutex<BTreeMap<usize, Finding>> = Mutex::default();
        thread::scope(|scope| {
            for _ in 0..threads.min(jobs.len()) {
                scope.spawn(|| {
                    loop {
                        let at = next.fetch_add(1, Relaxed);
                        let Some(job) = jobs.get(at).filter(|_| self.silent().is_none()) else {
                            return;
                        };
                        let finding = self.compare(job);
                        results.lock().unwrap_or_else(PoisonError::into_inner).insert(at, finding);
                    }
                });
            }
        });
        if let Some(why) = self.silent() {
            return Err(why);
        }
        let results = results.into_inner().unwrap_or_else(PoisonError::into_inner);
        let mut findings: Vec<_> = results.into_values().collect();
        if let Some(last) = findings.last_mut() {
            last.requests = self.old.take_sent() + self.new.take_sent();
        }
        Ok(findings)
    }

    /// Returns why a resolver is given up, if one is.
    fn silent(&self) -> Option<String> {
        self.old.is_silent().or_else(|| self.new.is_silent())
    }

    fn compare(&self, job: &Job) -> Finding {
        let mut finding = Finding::default();
        match job {
            Job::Skip(why) => finding.skipped = Some(why.clone()),
            Job::Request(request) => self.request(request, &mut finding),
            Job::Identifier(path) => {
                let linkset = self.identifier(path, &mut finding);
                for below in linkset.iter().flat_map(|linkset| below(path, linkset)) {
                    self.identifier(&below, &mut finding);
                }
            }
        }
        finding
    }

    /// Compares an identifier; returns its old linkset.
    fn identifier(&self, path: &str, finding: &mut Finding) -> Option<Linkset> {
        if self.silent().is_some() {
            return None;
        }
        let (old, new) = (linkset(&self.old, path), linkset(&self.new, path));
        Self::linksets(&old, &new, finding);
        let read = old.1.or(new.1);
        let (requests, is_cut) = cases(path, read.as_ref());
        finding.cut += u64::from(is_cut);
        for request in &requests {
            self.request(request, finding);
        }
        read
    }

    fn linksets(old: &Asked, new: &Asked, finding: &mut Finding) {
        finding.compared += 1;
        let mut add = |judged: Judged, texts: Option<(String, String)>| {
            finding.differences.push((judged, example(&old.0, &new.0, texts)));
        };
        match (&old.1, &new.1) {
            (Some(old_links), Some(new_links)) => {
                for (judged, texts) in links::differences(old_links, new_links) {
                    add(judged, Some(texts));
                }
                let scripts = |it: &Outcome| {
                    let header =
                        |it: &WebResponse| it.header("access-control-allow-origin").is_some();
                    if it.response.as_ref().is_ok_and(header) { "allowed" } else { "not allowed" }
                };
                let texts = (scripts(&old.0), scripts(&new.0));
                if texts.0 != texts.1 {
                    let texts = (texts.0.to_owned(), texts.1.to_owned());
                    add((&kind::CORS, String::new()), Some(texts));
                }
                judge(&old.0, &new.0).into_iter().for_each(|judged| add(judged, None));
            }
            // What the other requests show too.
            (None, None) => {}
            (Some(_), None) => add((&kind::LINKSET_MISSING, String::new()), None),
            (None, Some(_)) => add((&kind::LINKSET_ADDED, String::new()), None),
        }
    }

    fn request(&self, request: &WebRequest, finding: &mut Finding) {
        if self.silent().is_some() {
            return;
        }
        let (old, new) = (self.old.ask(request), self.new.ask(request));
        finding.compared += 1;
        for judged in judge(&old, &new) {
            finding.differences.push((judged, example(&old, &new, None)));
        }
    }
}

/// The answer to a request for a linkset, and the linkset in it.
type Asked = (Outcome, Option<Linkset>);

/// Asks a resolver for a linkset, in the way of the standard, then in that of earlier releases.
fn linkset(side: &Side, path: &str) -> Asked {
    let ask = |link_type: &str| {
        let request = WebRequest::get(format!("{path}?linkType={link_type}"));
        let outcome = side.ask(&request.header("accept", "application/linkset+json"));
        let answer = outcome.response.as_ref().ok().filter(|it| it.status == 200);
        let linkset = answer.and_then(|it| Linkset::read(&it.body));
        (outcome, linkset)
    };
    if side.has_all.load(Relaxed) {
        return ask("all");
    }
    let first = ask("linkset");
    let is_known = first.0.response.as_ref().is_ok_and(|it| it.status == 404);
    if first.1.is_some() || first.0.response.is_err() || is_known {
        return first;
    }
    let second = ask("all");
    if second.1.is_none() {
        return first;
    }
    side.has_all.store(true, Relaxed);
    second
}

/// Returns the levels below a path that a linkset has links for.
fn below(path: &str, linkset: &Linkset) -> Vec<String> {
    let paths = linkset.anchors.iter().filter_map(|anchor| {
        let subject = Subject::parse(anchor).ok()?;
        Some(format!("/{}/{}{}", subject.ai, subject.key, subject.qualifiers))
    });
    let mut seen = HashSet::new();
    let is_below = |it: &String| it.strip_prefix(path).is_some_and(|rest| rest.starts_with('/'));
    paths.filter(is_below).filter(|it| seen.insert(it.clone())).take(MAX_BELOW).collect()
}

fn example(old: &Outcome, new: &Outcome, texts: Option<(String, String)>) -> Example {
    let (old_found, new_found) = texts.unwrap_or_else(|| (shown(old), shown(new)));
    Example { old: old.request.curl(), old_found, new: new.request.curl(), new_found }
}
