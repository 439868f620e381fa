//! What a scan says about the item itself: its qualifiers, and the data attributes of its Digital
//! Link, such as a date or the net content (GS1 Digital Link URI Syntax 1.4.1 section 4.6).

use std::borrow::Cow;

use fingerpost_gs1::{Ai, Date, EntityKey};

use super::meaning::meaning;
use super::words::Word;
use super::{Part, parts};
use crate::texts::Texts;

/// Application Identifiers of dates and counts that readers want to know, in the order of a page.
const TOLD: [&str; 7] = ["15", "17", "16", "13", "11", "30", "422"];

/// The first three digits of Application Identifiers of the net weight in kilograms, and of the
/// net volume in litres. The fourth is the number of decimals.
const NET_CONTENT: [&str; 2] = ["310", "315"];

/// Returns the facts: the qualifiers as they are, then the attributes in the reader's words.
pub(super) fn facts<'a>(
    texts: &'a Texts,
    entity: &EntityKey,
    query: &str,
    today: Date,
) -> Vec<Part<'a>> {
    let mut facts: Vec<Part<'a>> = parts(texts, entity).into_iter().skip(1).collect();
    let pairs: Vec<(Ai, &str)> = query
        .split('&')
        .filter_map(|pair| pair.split_once('='))
        .filter_map(|(name, value)| Some((Ai::new(name)?, value)))
        .collect();
    let is_net = |ai: Ai| NET_CONTENT.iter().any(|start| ai.as_str().starts_with(start));
    let mut tell = |name: Option<&'a str>, ai: Ai, value: &str| {
        let (Some(name), Some(value)) =
            (name, ai.meaning(value, today).and_then(|it| meaning(texts, &it)))
        else {
            return;
        };
        facts.push(Part { name: Word { text: Cow::Borrowed(name), lang: None }, value });
    };
    if let Some(&(ai, value)) = pairs.iter().find(|(ai, _)| is_net(*ai)) {
        tell(Some(&texts.linkset.net_content), ai, value);
    }
    for told in TOLD {
        if let Some(&(ai, value)) = pairs.iter().find(|(ai, _)| ai.as_str() == told) {
            tell(texts.identifier(told), ai, value);
        }
    }
    facts
}

#[cfg(test)]
mod tests {
    use super::*;

    /// PE-29: the net content, and dates in words; what is invalid or unknown says nothing.
    #[test]
    fn attributes_are_facts_in_words() {
        let entity = EntityKey::parse("01/09520123456788/10/L1").expect("a key");
        let today = Date::new(2026, 11, 27).expect("a date");
        let texts = crate::texts::for_reader(b"de");
        let found =
            facts(texts, &entity, "linkType=all&17=270301&3103=001250&15=x&99=a&3103=1", today);
        let found: Vec<_> = found.iter().map(|it| (&*it.name.text, it.value.as_str())).collect();
        let expected =
            [("Charge", "L1"), ("Nettoinhalt", "1,250 kg"), ("Zu verwenden bis", "1. März 2027")];
        assert_eq!(found, expected);
    }
}
