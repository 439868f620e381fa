//! The description of an entry: what the item is called, perhaps in several languages.
//!
//! It is stored as one list: the description, then language tags, each with the description in that
//! language. Earlier releases wrote the description alone, which is a list of one.

use super::LIST_SEPARATOR;
use crate::{Entry, ReaderLanguages};

impl Entry {
    /// Returns the description of the entity, if one is registered.
    pub fn item_description(&self) -> Option<&str> {
        self.stored_description()?.split(LIST_SEPARATOR).next()
    }

    /// Returns the description in other languages: language tags and texts, in the order of the
    /// tags.
    pub fn item_descriptions(&self) -> impl Iterator<Item = (&str, &str)> {
        let mut texts = self.stored_description().unwrap_or_default().split(LIST_SEPARATOR).skip(1);
        std::iter::from_fn(move || Some((texts.next()?, texts.next()?)))
    }

    /// Returns the description that suits a reader best, with its language if it has one.
    pub fn description_for(&self, languages: &ReaderLanguages<'_>) -> Option<(&str, Option<&str>)> {
        let own = self.item_description().map(|text| (text, None));
        let others = self.item_descriptions().map(|(tag, text)| (text, Some(tag)));
        own.into_iter().chain(others).min_by_key(|(_, tag)| languages.rank(tag.iter().copied()))
    }

    /// Returns the stored text, which entries of the registry use for their own purposes.
    pub(crate) fn stored_description(&self) -> Option<&str> {
        let text = self.contents.text(self.contents.description);
        Some(text).filter(|text| !text.is_empty())
    }
}
