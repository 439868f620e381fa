//! Link types and primary keys in words people know.

use std::borrow::Cow;

use fingerpost_gs1::Ai;
use fingerpost_resolver::gs1_terms;

/// What a link type leads to.
pub(super) fn link_type(link_type: &str) -> Cow<'_, str> {
    let local = link_type.rsplit(['/', '#', ':']).next().unwrap_or(link_type);
    match local {
        "defaultLink" => return Cow::Borrowed("Main page"),
        "defaultLinkMulti" => return Cow::Borrowed("Main page, by language and form"),
        _ => {}
    }
    match gs1_terms().iter().find(|term| term.iri() == link_type) {
        // What follows a semicolon is advice to registrants.
        Some(term) => Cow::Borrowed(term.description().split(';').next().unwrap_or_default()),
        None => Cow::Owned(spaced(local)),
    }
}

/// `(01) Global Trade Item Number`.
pub(super) fn primary_key(ai: Ai) -> String {
    let title = ai.entry().map_or("", |entry| entry.title());
    format!("({}) {title}", ai.as_str())
}

/// `wineTasting` and `wine-tasting` as `Wine tasting`.
fn spaced(name: &str) -> String {
    let mut text = String::with_capacity(name.len() + 4);
    for (at, letter) in name.chars().enumerate() {
        match letter {
            '-' | '_' => text.push(' '),
            letter if at == 0 => text.extend(letter.to_uppercase()),
            letter if letter.is_uppercase() => {
                text.push(' ');
                text.extend(letter.to_lowercase());
            }
            letter => text.push(letter),
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_become_words() {
        for (name, words) in [("wineTasting", "Wine tasting"), ("cite-as", "Cite as"), ("", "")] {
            assert_eq!(spaced(name), words);
        }
    }
}
