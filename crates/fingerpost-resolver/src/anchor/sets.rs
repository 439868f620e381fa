//! How the sets that contain a level are found, and the path of the levels of a set.

use std::borrow::Cow;

use fingerpost_gs1::percent;

use super::{ANY, Anchor, COMPANY, RANGE, split_key, split_set};

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

impl Anchor {
    /// Returns the path of the levels that a record at this anchor applies to, with a placeholder
    /// for the value of a set: `01/09506000134352/10/{10}`. `None` for a company prefix, which
    /// covers keys of all types.
    pub(crate) fn level_template(&self) -> Option<String> {
        let text = self.as_str();
        if text.starts_with(COMPANY) {
            return None;
        }
        let Some((key, form, rest)) = split_set(text) else { return Some(text.to_owned()) };
        // After the qualifier, a range has its length and both ends.
        let count = if form == RANGE { 4 } else { 1 };
        let qualifiers = rest.rsplitn(count, '/').last()?;
        let ai = qualifiers.rsplit('/').next()?;
        Some([key, "/", qualifiers, "/{", ai, "}"].concat())
    }
}
