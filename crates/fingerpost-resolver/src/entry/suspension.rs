//! Entries that say how the keys of a suspended organisation answer. They are entries so that
//! copies, backups and the history of a store have them without knowing them.

use super::{ContentsBuilder, DefaultAnswer, Entry};
use crate::Anchor;

/// How keys answer while their organisation is suspended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Suspension<'t> {
    /// As registered: within a suspended company prefix, a single key of another organisation.
    None,
    /// As if nothing were registered: 404.
    Stop,
    /// With this sentence of the operator, in place of everything registered: 410.
    Notice(&'t str),
}

impl Entry {
    /// Creates the entry by which a key, or all keys with a company prefix, answer in this way. A
    /// notice must be one line, and an empty one counts as none.
    pub fn suspension(of: &Anchor, suspension: Suspension<'_>) -> Self {
        let mut contents = ContentsBuilder::new();
        match suspension {
            Suspension::None => contents.set_default_answer(DefaultAnswer::Link),
            Suspension::Stop => {}
            Suspension::Notice(text) => contents.set_description([text]),
        }
        Self::new(Anchor::suspension(of), contents.finish())
    }

    /// Returns how the keys of the anchor answer; `None` if this is no suspension.
    pub fn as_suspension(&self) -> Option<Suspension<'_>> {
        if !self.anchor().as_str().starts_with(Anchor::suspensions()) {
            return None;
        }
        Some(match (self.default_answer(), self.stored_description()) {
            (Some(_), _) => Suspension::None,
            (None, Some(text)) => Suspension::Notice(text),
            (None, None) => Suspension::Stop,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn suspensions_are_stored_as_entries_that_nobody_can_register() {
        for of in ["gcp/9506000", "01/09506000134352"] {
            let of = Anchor::parse(of).unwrap();
            for is in [Suspension::None, Suspension::Stop, Suspension::Notice("Closed.")] {
                let entry = Entry::suspension(&of, is);
                let anchor = Anchor::from_canonical(entry.anchor().as_str()).unwrap();
                assert_eq!(&anchor, entry.anchor());
                assert_eq!((anchor.key_level(), anchor.is_key_level()), (of.as_str(), false));
                assert_eq!(anchor.company_prefix_part(), of.company_prefix_part());
                let again = Entry::decode(anchor.clone(), &entry.encode()).unwrap();
                assert_eq!((again.as_suspension(), &again), (Some(is), &entry));
                assert!(Anchor::parse(anchor.as_str()).is_err());
            }
        }
        for wrong in [
            "-suspended/",
            "-suspended/01/09506000134352/10/A",
            "-suspended/-suspended/gcp/9506000",
        ] {
            assert_eq!(Anchor::from_canonical(wrong), None, "{wrong}");
        }
    }
}
