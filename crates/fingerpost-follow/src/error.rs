//! Errors of following a source. After any error, the copy is as it was before the step, and the
//! step can be repeated.

use fingerpost_store::StoreError;

/// Why a source did not answer.
#[derive(Debug, thiserror::Error)]
pub enum SourceError {
    /// The source cannot be reached, or cannot answer now.
    #[error("{0}")]
    Away(String),
    /// The source answers, but not with what a copy needs: a missing permission, an answer that is
    /// malformed.
    #[error("{0}")]
    Unusable(String),
    /// The store of the source cannot be read.
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// Why a copy could not be brought further.
#[derive(Debug, thiserror::Error)]
pub enum FollowError {
    /// The source did not answer.
    #[error("the source does not answer: {0}")]
    Source(#[from] SourceError),
    /// The source is another store than the one that was copied: its audit log begins differently,
    /// or is empty.
    #[error(
        "`{source_name}` is not the store that `{copy}` is a copy of (its audit log begins differently): check the address; to \
         follow this store instead, delete `{copy}`"
    )]
    OtherSource {
        /// The name of the source.
        source_name: String,
        /// Where the copy is.
        copy: String,
    },
    /// Another process has brought the copy further meanwhile, or the source went back during a
    /// repair: repeat the step.
    #[error("the copy or its source changed meanwhile: repeat")]
    Changed,
    /// The copy cannot be read or written.
    #[error(transparent)]
    Copy(#[from] StoreError),
}
