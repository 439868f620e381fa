//! Keeps a copy of a store up to date, so that a node answers scans from its own disk while another
//! store holds the truth.
//!
//! A [`Source`] is the store that is followed: any `Store`, whatever its engine ([`StoreSource`]),
//! or another fingerpost over its admin API. A [`Copier`] brings a copy one step further; a
//! [`Follower`] does so again and again, and a [`Watcher`] wakes it.
//!
//! # Terminology
//!
//! - *Source*: the store that is followed.
//! - *Copy*: a store with the current records of the source, or with those of some company
//!   prefixes; see [`fingerpost_store::copy`].
//! - *Position*: a revision with the head of the audit chain that covers it. A source that lacks
//!   the position of its copy *went back*.
//! - *Lag*: how far the copy is behind its source, in revisions and in seconds.
//!
//! # Guarantees
//!
//! - A complete copy holds exactly what the source held at one revision, at every moment, also when
//!   its process is killed: each batch of changes ends at a revision, and is stored in one
//!   transaction with its position.
//! - Nothing is skipped: changes are read by revision, in order, and the source hands out revisions
//!   in the order of its commits.
//! - A source that went back is noticed by its audit chain, even if it has since made as many
//!   revisions. The copy is compared with it and repaired in one transaction; readers see the
//!   records before or after that.
//! - A source whose audit log begins differently is another store, perhaps an empty one by mistake:
//!   it is refused ([`FollowError::OtherSource`]), and the copy stays as it is.
//! - The first copy goes on where it stopped, and stops nobody at the source. Until it is complete,
//!   the copy answers no reads.
//!
//! # Example
//!
//! ```
//! use std::sync::Arc;
//!
//! use fingerpost_follow::{Copier, Step, StoreSource};
//! use fingerpost_store::{Store, copy::Selection};
//!
//! let (truth, copy) = (Arc::new(Store::in_memory()), Arc::new(Store::in_memory()));
//! let source = StoreSource::new(Arc::clone(&truth), Selection::default());
//! let copier = Copier::new(Arc::new(source), Arc::clone(&copy));
//! while !matches!(copier.step()?, Step::UpToDate { .. }) {}
//! assert_eq!(copy.revision()?, truth.revision()?);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

#![forbid(unsafe_code)]

mod copier;
mod damage;
mod error;
mod follower;
mod limits;
mod repair;
mod source;
mod status;
mod store_source;
mod verify;
pub mod wire;

pub use copier::{Copier, Step};
pub use error::{FollowError, SourceError};
pub use follower::{Follower, Watcher};
pub use source::{Changes, FeedAnswer, Head, Source, changes, digest, head, page};
pub use status::FollowerStatus;
pub use store_source::StoreSource;
pub use verify::{Comparison, CopyDifference, verify};
