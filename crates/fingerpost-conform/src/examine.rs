//! Examines a resolver: runs all topics for each URI, and writes the report.

use crate::check::{Check, Judgement};
use crate::message::ConformOptions;
use crate::report::{CheckResult, ConformReport};
use crate::run::{Observation, Run};
use crate::subject::Subject;
use crate::topics::{TOPICS, checks, every_answer};

/// Examines the resolver of one or more Digital Link URIs.
///
/// Fails only if the arguments are not usable; a resolver that does not answer is a result.
pub fn examine(uris: &[String], options: ConformOptions) -> Result<ConformReport, String> {
    let subjects: Vec<Subject> =
        uris.iter().map(|uri| Subject::parse(uri)).collect::<Result<_, _>>()?;
    let first = subjects.first().ok_or("expected at least one Digital Link URI, found none")?;
    let standard = options.standard;
    let mut run = Run::new(options, every_answer, first.clone())?;
    for subject in subjects {
        run.begin(subject);
        for topic in &TOPICS {
            (topic.examine)(&mut run);
            if run.is_handed_over {
                // Other topics judge the resolver that answers.
                break;
            }
        }
    }
    let requests = run.requests();
    let mut observations = run.into_observations();
    let results = checks().map(|check| result(check, observations.remove(check.id)));
    let results: Vec<CheckResult> = results.filter(|it| it.check.applies_to(standard)).collect();
    debug_assert!(observations.is_empty(), "{:?}", observations.keys());
    Ok(ConformReport { uris: uris.to_vec(), standard, requests, results })
}

fn result(check: &'static Check, observation: Option<Observation>) -> CheckResult {
    match observation {
        None => {
            let judgement = Judgement::NotTried(format!("needs {}", check.needs));
            CheckResult { check, judgement, trial: None, subject: None }
        }
        Some(Observation { judgement, trial, subject }) => {
            let (trial, subject) = (Some((*trial).clone()), Some(subject));
            CheckResult { check, judgement, trial, subject }
        }
    }
}
