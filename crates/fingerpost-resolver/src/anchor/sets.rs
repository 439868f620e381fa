//! How the sets that contain a level are found.

use std::borrow::Cow;

use fingerpost_gs1::percent;

use super::{ANY, RANGE, split_key};

/// The texts by which a store finds the sets that contain a level with qualifiers.
#[derive(Clone, Debug)]
pub struct Sets<'l> {
    key: &'l str,
    /// The qualifiers without the last value, each with a slash before it.
    pairs: &'l str,
    value: Cow<'l, str>,
}

impl<'l> Sets<'l> {
    /// Splits the canonical text of a level; `None` if it has no qualifiers.
    pub fn of(level: &'l str) -> Option<Self> {
        let (key, rest) = split_key(level);
        let (pairs, value) = rest.rsplit_once('/')?;
        Some(Self { key, pairs, value: percent::decode_ascii(value)? })
    }

    /// Returns the anchor of any value.
    pub fn any(&self) -> String {
        [self.key, "/", ANY, self.pairs].concat()
    }

    /// Returns the beginning of the anchors of ranges that can contain the value.
    pub fn ranges(&self) -> String {
        let length = self.value.len().to_string();
        [self.key, "/", RANGE, self.pairs, "/", &length, "/"].concat()
    }

    /// Returns a text that sorts after the anchors of all ranges that begin at the value or before
    /// it, and before all that begin after it. As ranges do not overlap, only the last one
    /// before this text can contain the value.
    pub fn last_range(&self) -> String {
        [&*self.ranges(), &*self.value, "/~"].concat()
    }

    /// Returns whether an anchor is a range that contains the value.
    pub fn are_in(&self, anchor: &str) -> bool {
        let ends = anchor.strip_prefix(&*self.ranges()).and_then(|ends| ends.split_once('/'));
        ends.is_some_and(|(first, last)| *first <= *self.value && *self.value <= *last)
    }
}
