//! The cases of `testdata/resolver-examples.json` and the checks of answers to them, independent of
//! how an answer was obtained: by a call, over a socket, from another program. For tests, never
//! shipped.
//!
//! The cases restate the GS1-Conformant Resolver Standard 1.2.0 requirement by requirement. Their
//! expectations in words are implemented here, in a table by wording, so that a new expectation
//! cannot be skipped silently.
//!
//! ```
//! use fingerpost_testkit::{Answer, all_cases, judge};
//!
//! let cases = all_cases();
//! let case = cases.iter().find(|case| case.id == "C-2.2-options").expect("there is such a case");
//! let answer = Answer { status: 404, ..Answer::default() };
//! let faults = judge(case, &answer, &mut |_| Answer::default());
//! assert!(faults[0].contains("404"));
//! ```

#![forbid(unsafe_code)]

mod answer;
mod browser;
mod case;
mod cases;
mod cluster;
mod counting;
mod engines;
mod headers;
mod judge;
mod kept;
mod kills;
mod linkset;
mod names;
mod port;
mod predicate;
mod proxy;
pub mod requests;
mod schema;
mod servers;
mod skip;
mod smtp;
mod store;
mod totp;

use std::time::Duration;

/// How long a test waits for something that happens at once on an idle machine: tests share theirs
/// with compilers and with each other.
pub const PATIENCE: Duration = Duration::from_secs(180);

/// The option, and its value, of a server that answers late rather than with 503: tests share their
/// machine with others.
pub const UNHURRIED: (&str, &str) = ("limits.shed_after", "10m");

pub use answer::{Answer, Ask};
pub use browser::{Browser, ELEMENT};
pub use case::{Case, Checks, Expected, ExpectedLinkset, Operation, Outcome, all_cases};
pub use cases::cases;
pub use cluster::{Cluster, Patroni, Pooler, shared_cluster};
pub use counting::{RowCount, counted_store};
pub use engines::{fresh_postgres, open_store, run_all_over, store_at};
pub use judge::judge;
pub use kept::{Disk, installed};
pub use kills::{kills, report_kills};
pub use linkset::{Published, page_targets, published};
pub use names::Names;
pub use port::free_port;
pub use proxy::{Loss, Network, Proxy};
pub use schema::{description_faults, faults_by, linkset_faults};
pub use skip::{not_permitted, skipped};
pub use smtp::{MailServer, Received};
pub use store::{failing, store_with, unavailable};
pub use totp::totp;
