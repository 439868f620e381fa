//! Objects: files that are named by their SHA-256 and never change.

use data_encoding::HEXLOWER;
use sha2::{Digest as _, Sha256};

use crate::limits::PAGE_SHARDS;

/// The SHA-256 of an object, which is its name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Digest([u8; Digest::BYTES]);

impl Digest {
    /// Bytes of a digest.
    pub const BYTES: usize = 32;

    /// What a page has in place of a shard without rows.
    const NONE: [u8; Self::BYTES] = [0; Self::BYTES];

    /// Returns the digest of an object.
    pub fn of(object: &[u8]) -> Self {
        Self(Sha256::digest(object).into())
    }

    /// Reads a name: 64 hexadecimal digits in lower case.
    pub fn parse(name: &str) -> Option<Self> {
        HEXLOWER.decode(name.as_bytes()).ok()?.try_into().ok().map(Self)
    }

    /// Returns the name.
    pub fn name(&self) -> String {
        HEXLOWER.encode(&self.0)
    }
}

/// A page of the index: the digests of shards in the order of their numbers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct IndexPage(Vec<[u8; Digest::BYTES]>);

impl IndexPage {
    /// Creates a page of empty shards.
    pub fn empty(shards: usize) -> Self {
        Self(vec![Digest::NONE; shards.min(PAGE_SHARDS)])
    }

    /// Reads a page; `None` if it is no list of digests.
    pub fn read(bytes: &[u8]) -> Option<Self> {
        let (digests, rest) = bytes.as_chunks::<{ Digest::BYTES }>();
        (rest.is_empty() && digests.len() <= PAGE_SHARDS).then(|| Self(digests.to_vec()))
    }

    /// Returns the bytes of the page.
    pub fn write(&self) -> Vec<u8> {
        self.0.concat()
    }

    /// Returns the shard at a position; `None` if it is empty.
    pub fn shard(&self, at: usize) -> Option<Digest> {
        Self::digest_in(self.0.get(at)?)
    }

    /// Returns the shards that are not empty.
    pub fn shards(&self) -> impl Iterator<Item = Digest> {
        self.0.iter().filter_map(Self::digest_in)
    }

    /// Sets the shard at a position, or empties it.
    pub fn set(&mut self, at: usize, shard: Option<Digest>) {
        if let Some(place) = self.0.get_mut(at) {
            *place = shard.map_or(Digest::NONE, |digest| digest.0);
        }
    }

    fn digest_in(digest: &[u8; Digest::BYTES]) -> Option<Digest> {
        (*digest != Digest::NONE).then_some(Digest(*digest))
    }
}

/// A file of the edge that cannot be used. The origin answers in its place.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum EdgeFault {
    /// The root is no JSON of this format, or contradicts itself.
    #[error("expected the root of an edge export in format 1, found {0}; export again")]
    Root(String),
    /// The settings of the root are refused.
    #[error("the settings in the root of the edge export are invalid: {0}; export again")]
    Settings(String),
    /// The content of an object is not what its name says.
    #[error(
        "the object {expected} has the digest {found}: it was changed or damaged; upload it again"
    )]
    Tampered {
        /// The name.
        expected: String,
        /// The digest of the content.
        found: String,
    },
    /// An object is too large.
    #[error("expected an object of at most {limit} bytes, found {found}")]
    TooLarge {
        /// Bytes permitted.
        limit: usize,
        /// Bytes found.
        found: usize,
    },
}
