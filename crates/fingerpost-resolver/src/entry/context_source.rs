//! Where the context of a request comes from that names none: the country of the client, if the
//! record says so, else if the organisation of the key says so.
//!
//! What organisations say is stored as entries, as for [`Suspension`](crate::Suspension), so that
//! copies, backups and the history of a store have it without knowing it.

use super::{ContentsBuilder, ContextSource, Entry};
use crate::Anchor;

impl Entry {
    /// Creates the entry by which an organisation says where the context comes from, for a key or
    /// for all keys with a company prefix.
    pub fn country_switch(of: &Anchor, source: ContextSource) -> Self {
        let mut contents = ContentsBuilder::new();
        contents.set_context_source(source);
        Self::new(Anchor::country_switch(of), contents.finish())
    }

    /// Returns where the context of a request comes from that names none, if the record says so.
    pub fn context_source(&self) -> Option<ContextSource> {
        self.contents().context_source
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// 37.1: nobody can register a switch of an organisation, and stores read it back.
    #[test]
    fn switches_are_stored_as_entries_that_nobody_can_register() {
        for of in ["gcp/9506000", "01/09506000134352"] {
            let of = Anchor::parse(of).unwrap();
            for source in [ContextSource::Request, ContextSource::Country] {
                let entry = Entry::country_switch(&of, source);
                let anchor = Anchor::from_canonical(entry.anchor().as_str()).unwrap();
                assert_eq!(&anchor, entry.anchor());
                assert_eq!((anchor.key_level(), anchor.is_key_level()), (of.as_str(), false));
                let again = Entry::decode(anchor.clone(), &entry.encode()).unwrap();
                assert_eq!((again.context_source(), &again), (Some(source), &entry));
                assert!(again.as_suspension().is_none());
                assert!(Anchor::parse(anchor.as_str()).is_err());
            }
        }
        assert_eq!(Anchor::from_canonical("-country/-suspended/gcp/9506000"), None);
    }
}
