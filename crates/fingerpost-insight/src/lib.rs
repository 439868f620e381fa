//! Counts scans: which level answered, with which link type, kind of answer and language, in which
//! hour. Nothing about the visitor is kept: no address, no cookie, no user agent, no identifier.
//!
//! # Flow
//!
//! ```text
//! Counters::count     one scan, in the memory of a thread       (the public listener, after the answer is chosen)
//! Counters::drain     all counts -> Pending                     (a service of the server, at most a minute later)
//! Insight::add        Pending -> the store, by addition         (several processes and nodes add up)
//! Insight::roll_up    hours -> days -> months -> nothing
//! Insight::report     rows for a query, without small counts
//! ```
//!
//! Only registered levels have counters, so that invented keys create none. [`counted_level`]
//! leaves out what belongs to one item or one person.

#![forbid(unsafe_code)]

mod bots;
mod counters;
mod facets;
mod keyed_hash;
mod limits;
mod options;
mod parquet;
mod periods;
mod report;
mod scan;
mod stored;
mod table;

pub use bots::is_bot;
pub use counters::{Counters, Pending};
pub use facets::{AnswerKind, CountryCode, Facets, counted_level};
pub use options::InsightOptions;
pub use parquet::FileError;
pub use periods::Grain;
pub use report::{Dimension, InsightError, InsightQuery, InsightReport, InsightRow};
pub use scan::{AnsweredScan, LinkType};
pub use stored::{Insight, RolledUp};
