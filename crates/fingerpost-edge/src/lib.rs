//! Answers requests at the edge of the network, from files instead of a store
//! (`docs/decisions/0013-edge.md`, `docs/operations/edge.md`).
//!
//! ```text
//! root.json         the settings, and the digests of the pages of the index   (replaced as a whole)
//! objects/ab/abcd…  a page: the digests of 1024 shards                        (never changed)
//! objects/12/1234…  a shard: all rows of the keys with the same hash          (never changed)
//! ```
//!
//! [`Edge`] has no I/O and no clock: it says which objects it misses, and its caller, the worker,
//! brings them. `fingerpost-server` writes the files from a store. What is answered here has the
//! status, the fields and the body of the server, because both use `fingerpost-resolver` and
//! `fingerpost-response`; everything else is passed on to the origin ([`Reply::PassOn`]).

#![forbid(unsafe_code)]

mod edge;
mod limits;
mod object;
mod objects;
mod request;
mod root;
mod shard;

pub use edge::{Edge, Reply};
pub use limits::{
    MAX_KEY_BYTES, MAX_OBJECT_BYTES, MAX_ROOT_BYTES, MAX_SHARD_BITS, PAGE_SHARDS, SHARD_BYTES,
};
pub use object::{Digest, EdgeFault, IndexPage};
pub use request::{read_request, write_response};
pub use root::{EdgeSettings, FORMAT, Root};
pub use shard::{Shard, group_of, shard_number, write_shard};
