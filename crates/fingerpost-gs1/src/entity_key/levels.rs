//! The levels at which links can be registered for an entity: GS1-Conformant Resolver 1.2.0,
//! sections 2.5.9 and 2.5.10.

use alloc::borrow::Cow;
use core::fmt;

use super::EntityKey;
use crate::Ai;
use crate::limits::MAX_PAIRS;

impl EntityKey {
    /// Returns the registration levels whose links apply to this key, most granular first; at most
    /// five.
    ///
    /// For a GTIN these are, out of {235}, {21}, {22, 10}, {10}, {22} and {}, the sets that occur
    /// in the key; the same without 235 for an ITIP; for every other key its qualifier, then
    /// none. Matching is literal.
    ///
    /// ```
    /// # use fingerpost_gs1::EntityKey;
    /// let key = EntityKey::parse("/01/09506000134352/10/A/21/7")?;
    /// let levels: Vec<_> = key.levels().collect();
    /// assert_eq!(
    ///     levels,
    ///     ["01/09506000134352/21/7", "01/09506000134352/10/A", "01/09506000134352"],
    /// );
    /// # Ok::<(), fingerpost_gs1::Error>(())
    /// ```
    pub fn levels(&self) -> impl Iterator<Item = Cow<'_, str>> {
        let parts = Parts::of(self);
        let levels = match self.primary_key() {
            Ai::GTIN | Ai::ITIP => [
                parts.level(&[Ai::TPX]),
                parts.level(&[Ai::SERIAL]),
                parts.level(&[Ai::CPV, Ai::LOT]),
                parts.level(&[Ai::LOT]),
                parts.level(&[Ai::CPV]),
            ],
            _ => [
                (!self.is_key_level()).then_some(Cow::Borrowed(self.as_str())),
                None,
                None,
                None,
                None,
            ],
        };
        levels.into_iter().flatten().chain(core::iter::once(Cow::Borrowed(parts.key)))
    }

    /// Returns whether links can be registered at this level: a serial number must be the only
    /// qualifier of its key. An [`EntityKey`] with 235 beside another qualifier cannot be
    /// built.
    ///
    /// ```
    /// # use fingerpost_gs1::EntityKey;
    /// assert!(EntityKey::parse("/01/09506000134352/22/V/10/A")?.is_registrable().is_ok());
    /// assert!(EntityKey::parse("/01/09506000134352/10/A/21/7")?.is_registrable().is_err());
    /// # Ok::<(), fingerpost_gs1::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`NotRegistrable`] names the rule.
    pub fn is_registrable(&self) -> Result<(), NotRegistrable> {
        let has = |ai| self.encoded_value(ai).is_some();
        if matches!(self.primary_key(), Ai::GTIN | Ai::ITIP)
            && has(Ai::SERIAL)
            && (has(Ai::CPV) || has(Ai::LOT))
        {
            return Err(NotRegistrable::SerialWithVariantOrLot);
        }
        if self.pairs().any(|(_, value)| matches!(value, "." | "..")) {
            return Err(NotRegistrable::DotSegment);
        }
        Ok(())
    }
}

/// The reason why links cannot be registered at a level.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum NotRegistrable {
    /// A serial number (21) is combined with a variant (22) or a lot (10).
    SerialWithVariantOrLot,
    /// A value is `.` or `..`: no client requests such a path.
    DotSegment,
}

impl NotRegistrable {
    /// Returns the requirement that forbids the level.
    ///
    /// ```
    /// use fingerpost_gs1::NotRegistrable;
    ///
    /// assert_eq!(NotRegistrable::SerialWithVariantOrLot.requirement(), "RES-2.5.10-2");
    /// ```
    #[must_use]
    pub fn requirement(self) -> &'static str {
        match self {
            Self::SerialWithVariantOrLot => "RES-2.5.10-2",
            Self::DotSegment => "GS1-DL-28",
        }
    }
}

impl fmt::Display for NotRegistrable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::SerialWithVariantOrLot => f.write_str(
                "expected a serial number (21) alone beside its key, found it with (22) or (10)",
            ),
            Self::DotSegment => f.write_str(
                "expected values that browsers keep in a path, found . or ..; nobody could open it",
            ),
        }
    }
}

impl core::error::Error for NotRegistrable {}

/// The positions of the parts of a key in its text.
struct Parts<'k> {
    key: &'k str,
    /// AI and end offset of each qualifier in the whole text; `None` from the last one on.
    whole: &'k str,
    ends: [Option<(Ai, usize)>; MAX_PAIRS],
}

impl<'k> Parts<'k> {
    fn of(key: &'k EntityKey) -> Self {
        let mut ends = [None; MAX_PAIRS];
        let mut end = key.key_level().len();
        for (slot, (ai, value)) in ends.iter_mut().zip(key.pairs().skip(1)) {
            end += ai.as_str().len() + value.len() + 2;
            *slot = Some((ai, end));
        }
        Self { key: key.key_level(), whole: key.as_str(), ends }
    }

    /// Returns the level of exactly `wanted`, if all of them occur. Borrows if it is a prefix.
    fn level(&self, wanted: &[Ai]) -> Option<Cow<'k, str>> {
        let mut text = Cow::Borrowed(self.key);
        for &ai in wanted {
            let mut start = self.key.len();
            let (_, end) = *self.ends.iter().flatten().find(|&&(own, end)| {
                let found = own == ai;
                if !found {
                    start = end;
                }
                found
            })?;
            if start == text.len() && matches!(text, Cow::Borrowed(_)) {
                text = Cow::Borrowed(&self.whole[..end]);
            } else {
                text.to_mut().push_str(&self.whole[start..end]);
            }
        }
        Some(text)
    }
}
