//! A run: which requests were sent, and what was observed.

use std::collections::BTreeMap;
use std::rc::Rc;

use serde_json::{Map, Value};

use crate::check::{Judgement, Release};
use crate::client::Client;
use crate::linkset::Linkset;
use crate::message::{ConformOptions, Trial, WebRequest, WebResponse};
use crate::secure::TlsFault;
use crate::subject::Subject;

/// The result of all observations of a check.
pub(crate) struct Observation {
    pub(crate) judgement: Judgement,
    /// The observation that determined the result.
    pub(crate) trial: Rc<Trial>,
    /// The URI under test.
    pub(crate) subject: String,
}

/// Judges what every answer must have.
pub(crate) type EveryAnswer = fn(&mut Run, &Rc<Trial>, &WebResponse);

/// The observations of a run.
pub(crate) struct Run {
    client: Client,
    every_answer: EveryAnswer,
    observations: BTreeMap<&'static str, Observation>,
    /// The URI under test.
    pub(crate) subject: Subject,
    /// The description file, if it is a JSON object.
    pub(crate) description: Map<String, Value>,
    /// The linkset of the URI under test; empty if there is none.
    pub(crate) linkset: Linkset,
    /// Whether the URI under test is handed over to another resolver.
    pub(crate) is_handed_over: bool,
}

/// Sends a request, and evaluates to its answer; returns from the function if there is none.
macro_rules! answer {
    ($run:expr, $request:expr) => {
        match $run.send($request) {
            (trial, Some(response)) => (trial, response),
            (_, None) => return,
        }
    };
}
pub(crate) use answer;

impl Run {
    pub(crate) fn new(
        options: ConformOptions,
        every_answer: EveryAnswer,
        subject: Subject,
    ) -> Result<Self, String> {
        Ok(Self {
            client: Client::new(options)?,
            every_answer,
            observations: BTreeMap::new(),
            subject,
            description: Map::new(),
            linkset: Linkset::default(),
            is_handed_over: false,
        })
    }

    /// Continues with another URI.
    pub(crate) fn begin(&mut self, subject: Subject) {
        self.subject = subject;
        self.description = Map::new();
        self.linkset = Linkset::default();
        self.is_handed_over = false;
    }

    /// Returns the release of the standard that the resolver is checked against.
    pub(crate) fn standard(&self) -> Release {
        self.client.standard()
    }

    /// Returns the number of requests that were sent.
    pub(crate) fn requests(&self) -> usize {
        self.client.count()
    }

    /// Returns what was observed, by the id of the check.
    pub(crate) fn into_observations(self) -> BTreeMap<&'static str, Observation> {
        self.observations
    }

    /// Connects to the host of a URL; returns whether the server offers HTTP/2.
    pub(crate) fn handshake(&mut self, url: &str) -> Result<bool, TlsFault> {
        self.client.handshake(url)
    }

    /// Continues in spite of an invalid certificate.
    pub(crate) fn ignore_certificates(&mut self) {
        self.client.ignore_certificates();
    }

    /// Sends a request over HTTP/2.
    pub(crate) fn send_over_http2(&mut self, request: WebRequest) -> Rc<Trial> {
        self.client.send_over_http2(request)
    }

    /// Sends a request. A request without an answer is a finding of `transport-answers`.
    pub(crate) fn send(&mut self, request: WebRequest) -> (Rc<Trial>, Option<WebResponse>) {
        let trial = self.client.send(request);
        let result = match &trial.response {
            Ok(_) => Ok(()),
            Err(error) => Err(format!("no answer: {error}")),
        };
        self.judge("transport-answers", &trial, result);
        let response = trial.response.as_ref().ok().cloned();
        if let Some(response) = &response {
            (self.every_answer)(self, &trial, response);
        }
        (trial, response)
    }

    /// Records an observation: as expected, or what was found instead.
    pub(crate) fn judge(
        &mut self,
        id: &'static str,
        trial: &Rc<Trial>,
        result: Result<(), String>,
    ) {
        let judgement = result.map_or_else(Judgement::Fail, |()| Judgement::Pass);
        self.record(id, judgement, trial);
    }

    /// Records whether a condition holds, and what was found if it does not.
    pub(crate) fn expect(
        &mut self,
        id: &'static str,
        trial: &Rc<Trial>,
        holds: bool,
        found: impl Into<String>,
    ) {
        self.judge(id, trial, if holds { Ok(()) } else { Err(found.into()) });
    }

    /// Records that the result depends on the reading of the standard.
    pub(crate) fn depends(
        &mut self,
        id: &'static str,
        trial: &Rc<Trial>,
        found: impl Into<String>,
    ) {
        self.record(id, Judgement::Depends(found.into()), trial);
    }

    /// Whether a check failed.
    pub(crate) fn has_failed(&self, id: &str) -> bool {
        let observation = self.observations.get(id);
        observation.is_some_and(|it| matches!(it.judgement, Judgement::Fail(_)))
    }

    fn record(&mut self, id: &'static str, judgement: Judgement, trial: &Rc<Trial>) {
        let earlier = self.observations.get(id);
        if earlier.is_none_or(|earlier| earlier.judgement.rank() < judgement.rank()) {
            let (trial, subject) = (Rc::clone(trial), self.subject.url());
            self.observations.insert(id, Observation { judgement, trial, subject });
        }
    }
}
