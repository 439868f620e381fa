//! Whether the targets of links can be reached: what a check found, the state that follows from the
//! checks, and its history.
//!
//! ```text
//!            works                 fails                    fails again
//!   ok <-------------- any    ok ---------> failing ----------------------> broken
//!   any --- undecided ---> unchecked        (checked again sooner, so that one fault of a network is no alarm)
//! ```
//!
//! The state of a target is a document of its own, because many records share one; the records with
//! broken links are an index (`round.rs`), so that the list of them costs no search.

mod list;
mod round;
mod targets;

pub use list::{CheckedLink, LevelLinks, LinkQuery, Mismatch};
pub use round::{DueLinks, LinkCounts};

use data_encoding::HEXLOWER;
use jiff::{SignedDuration, Timestamp};
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use crate::documents::Document;
use crate::limits::{FIRST_LINK_RETRY, MAX_LINK_TEXT, MAX_PAST_LINK_STATES};

/// The state of a target.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub enum LinkState {
    /// The target answers.
    Ok,
    /// The last check failed; the next one decides.
    Failing,
    /// Two or more checks in a row failed.
    Broken,
    /// Checks cannot decide: the target refuses them, or they are not allowed.
    Unchecked,
}

/// Why a check did not find that the target works.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub enum LinkFault {
    /// The name of the host cannot be resolved.
    Name,
    /// The address of the host is in a network that is not allowed.
    Address,
    /// There is no connection.
    Connection,
    /// TLS fails, most often because of the certificate.
    Tls,
    /// There is no answer in time.
    Timeout,
    /// The answer is not HTTP, or its head is too large.
    Answer,
    /// The status is that of an error.
    Status,
    /// The redirects lead back to an address that was requested before.
    Loop,
    /// There are too many redirects.
    Redirects,
    /// A redirect without an address, or to one that cannot be requested.
    Redirect,
    /// The target, or a redirect, leads to this resolver.
    OwnServer,
    /// The `robots.txt` of the host does not allow the check.
    Robots,
}

/// What follows from one check.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LinkVerdict {
    /// The target works.
    Works,
    /// The target does not work.
    Fails,
    /// The check cannot decide.
    Undecided,
    /// The host asks to come back later; the state stays.
    Later,
}

/// The answer of a target to a check.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase", default)]
pub struct LinkAnswer {
    /// Why the target does not work; absent if it does.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fault: Option<LinkFault>,
    /// The fault in English, for the operator.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub detail: Option<String>,
    /// The status of the last answer.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub status: Option<u16>,
    /// The number of redirects that were followed.
    pub redirects: u8,
    /// The address after the redirects, if there were any.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub final_url: Option<String>,
    /// The media type of the answer.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub media_type: Option<String>,
    /// The languages of the answer, from `Content-Language`.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub languages: Vec<String>,
    /// When the first certificate ends of those that the hosts presented.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schema(value_type = Option<String>, format = DateTime))]
    pub certificate_ends: Option<Timestamp>,
    /// The time of all requests together, in milliseconds.
    pub milliseconds: u32,
}

/// One check of a target.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LinkCheck {
    /// The target.
    pub target: String,
    /// When it was checked.
    pub at: Timestamp,
    /// What follows.
    pub verdict: LinkVerdict,
    /// What the target answered.
    pub answer: LinkAnswer,
    /// When the host allows the next check.
    pub retry_after: Option<SignedDuration>,
}

/// The state of a target after its checks.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct TargetHealth {
    /// The target, with placeholders filled and without a fragment.
    pub target: String,
    /// The state.
    pub state: LinkState,
    /// Since when it has this state.
    #[cfg_attr(feature = "schema", schema(value_type = String, format = DateTime))]
    pub since: Timestamp,
    /// When it was last checked.
    #[cfg_attr(feature = "schema", schema(value_type = String, format = DateTime))]
    pub checked: Timestamp,
    /// When it is checked again.
    #[cfg_attr(feature = "schema", schema(value_type = String, format = DateTime))]
    pub due: Timestamp,
    /// The number of checks in a row that failed.
    pub failures: u32,
    /// The last answer.
    pub answer: LinkAnswer,
    /// Earlier states, the last one first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub history: Vec<PastLinkState>,
}

/// An earlier state of a target.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct PastLinkState {
    /// The state.
    pub state: LinkState,
    /// Since when the target had it.
    #[cfg_attr(feature = "schema", schema(value_type = String, format = DateTime))]
    pub since: Timestamp,
    /// The last status in that state.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub status: Option<u16>,
}

impl LinkState {
    /// Returns the name of the state, as in JSON.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Ok => "ok",
            Self::Failing => "failing",
            Self::Broken => "broken",
            Self::Unchecked => "unchecked",
        }
    }
}

impl LinkFault {
    /// Returns the name of the fault, as in JSON.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Name => "name",
            Self::Address => "address",
            Self::Connection => "connection",
            Self::Tls => "tls",
            Self::Timeout => "timeout",
            Self::Answer => "answer",
            Self::Status => "status",
            Self::Loop => "loop",
            Self::Redirects => "redirects",
            Self::Redirect => "redirect",
            Self::OwnServer => "ownServer",
            Self::Robots => "robots",
        }
    }
}

impl Document for TargetHealth {
    const COLLECTION: &'static str = "linkTargets";
}

impl TargetHealth {
    /// Returns the state after a check.
    fn after(before: Option<Self>, check: LinkCheck, interval: SignedDuration) -> Self {
        let failures = match (check.verdict, &before) {
            (LinkVerdict::Fails, before) => before.as_ref().map_or(0, |it| it.failures) + 1,
            (LinkVerdict::Later, Some(before)) => before.failures,
            _ => 0,
        };
        let state = match (check.verdict, &before, failures) {
            (LinkVerdict::Works, ..) => LinkState::Ok,
            (LinkVerdict::Fails, _, 1) => LinkState::Failing,
            (LinkVerdict::Fails, ..) => LinkState::Broken,
            (LinkVerdict::Later, Some(before), _) => before.state,
            (LinkVerdict::Undecided | LinkVerdict::Later, ..) => LinkState::Unchecked,
        };
        let retry = FIRST_LINK_RETRY * 2_i32.saturating_pow(failures.saturating_sub(1).min(16));
        let pause = match check.verdict {
            LinkVerdict::Fails => retry.min(interval),
            _ => interval,
        };
        let pause =
            check.retry_after.map_or(pause, |asked| asked.clamp(retry, interval.max(retry)));
        let (mut since, mut history) = (check.at, Vec::new());
        let mut answer = check.answer.shortened();
        if let Some(before) = before {
            if check.verdict == LinkVerdict::Later {
                answer = before.answer.clone(); // it is why the target has its state
            }
            history = before.history;
            if before.state == state {
                since = before.since;
            } else {
                let (state, since, status) = (before.state, before.since, before.answer.status);
                history.insert(0, PastLinkState { state, since, status });
                history.truncate(MAX_PAST_LINK_STATES);
            }
        }
        let due = check.at.checked_add(pause).unwrap_or(Timestamp::MAX);
        let (target, checked) = (check.target, check.at);
        Self { target, state, since, checked, due, failures, answer, history }
    }
}

impl LinkAnswer {
    /// Shortens the texts of the target, which is somebody else's.
    fn shortened(mut self) -> Self {
        self.languages.truncate(MAX_PAST_LINK_STATES);
        let short = |text: &mut String| {
            text.retain(|c| !c.is_control());
            text.truncate(text.floor_char_boundary(MAX_LINK_TEXT));
        };
        let texts = [&mut self.detail, &mut self.final_url, &mut self.media_type];
        texts.into_iter().flatten().chain(&mut self.languages).for_each(short);
        self
    }
}

/// Returns the id of the document of a target.
fn target_id(target: &str) -> String {
    HEXLOWER.encode(&Sha256::digest(target.as_bytes())[..16])
}

#[cfg(test)]
mod tests {
    use super::*;

    const DAY: SignedDuration = SignedDuration::from_hours(24);

    fn check(hour: i64, verdict: LinkVerdict) -> LinkCheck {
        LinkCheck {
            target: "https://example.com/".to_owned(),
            at: Timestamp::from_second(hour * 3600).unwrap(),
            verdict,
            answer: LinkAnswer::default(),
            retry_after: None,
        }
    }

    #[test]
    fn a_target_is_broken_after_two_failures_and_checked_again_sooner() {
        use LinkState::{Broken, Failing, Ok, Unchecked};
        use LinkVerdict::{Fails, Later, Undecided, Works};
        let mut health = None;
        for (hour, verdict, state, since, due) in [
            (0, Works, Ok, 0, 24),
            (24, Fails, Failing, 24, 25),
            (25, Fails, Broken, 25, 27),
            (27, Later, Broken, 25, 51),
            (51, Fails, Broken, 25, 55),
            (55, Works, Ok, 55, 79),
            (79, Undecided, Unchecked, 79, 103),
            (103, Fails, Failing, 103, 104),
            (104, Works, Ok, 104, 128),
        ] {
            let after = TargetHealth::after(health.take(), check(hour, verdict), DAY);
            let hours = |at: Timestamp| at.as_second() / 3600;
            assert_eq!((after.state, hours(after.since), hours(after.due)), (state, since, due));
            health = Some(after);
        }
        let history: Vec<_> = health.unwrap().history.iter().map(|past| past.state).collect();
        assert_eq!(history, [Failing, Unchecked, Ok, Broken, Failing, Ok]);
    }

    #[test]
    fn history_and_texts_are_bounded() {
        let mut health = None;
        for hour in 0..30 {
            let verdict = if hour % 2 == 0 { LinkVerdict::Works } else { LinkVerdict::Fails };
            let mut check = check(hour, verdict);
            check.answer.detail = Some("\u{e9}\n".repeat(2_000));
            check.answer.languages = vec!["x".repeat(2_000); 30];
            health = Some(TargetHealth::after(health.take(), check, DAY));
        }
        let health = health.unwrap();
        assert_eq!(health.history.len(), MAX_PAST_LINK_STATES);
        assert!(serde_json::to_vec(&health).unwrap().len() < 16 << 10);
    }

    #[test]
    fn a_host_delays_its_checks_within_bounds() {
        for (asked, hours) in [(0, 1), (7200, 2), (i64::MAX, 24)] {
            let retry_after = Some(SignedDuration::from_secs(asked));
            let after = TargetHealth::after(
                None,
                LinkCheck { retry_after, ..check(0, LinkVerdict::Later) },
                DAY,
            );
            assert_eq!(after.due.as_second(), hours * 3600);
        }
    }
}
