//! Names of link types, identifiers, languages and media types for people.

use std::borrow::Cow;

use fingerpost_gs1::Ai;
use fingerpost_resolver::{AddedTerm, GS1_NAMESPACE, gs1_terms};

use crate::texts::Texts;

/// A word, and the language it is in if that is not the reader's.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Word<'a> {
    pub(super) text: Cow<'a, str>,
    pub(super) lang: Option<&'static str>,
}

impl<'a> Word<'a> {
    fn translated(text: &'a str) -> Self {
        Self { text: Cow::Borrowed(text), lang: None }
    }

    /// Creates English words for readers of another language.
    fn english(text: impl Into<Cow<'a, str>>, texts: &Texts) -> Self {
        Self { text: text.into(), lang: (texts.language() != "en").then_some("en") }
    }
}

/// Returns the name of a link type: our words for those of GS1, the vocabulary's own for other known terms, the title in the list of
/// the operator for those that were added, else the name of the type.
pub(super) fn link_type<'a>(
    texts: &'a Texts,
    added: &'a [AddedTerm],
    link_type: &'a str,
) -> Word<'a> {
    if let Some(word) =
        link_type.strip_prefix(GS1_NAMESPACE).and_then(|local| texts.link_type(local))
    {
        return Word::translated(word);
    }
    match gs1_terms().iter().find(|term| term.iri() == link_type) {
        // The text after a semicolon is advice to registrants.
        Some(term) => {
            Word::english(term.description().split(';').next().unwrap_or_default(), texts)
        }
        None => {
            if let Some(term) = added.iter().find(|term| term.iri() == link_type) {
                return Word::english(term.title(), texts);
            }
            let local = link_type.trim_end_matches(['/', '#']).rsplit(['/', '#', ':']).next();
            Word::english(spaced(local.unwrap_or(link_type)), texts)
        }
    }
}

/// Returns the name of an Application Identifier: our words, or the title that GS1 gave it.
pub(super) fn identifier(texts: &Texts, ai: Ai) -> Word<'_> {
    if let Some(word) = texts.identifier(ai.as_str()) {
        return Word::translated(word);
    }
    let title = ai.entry().map_or("", |entry| entry.title());
    match title {
        "" => Word::translated(""),
        title => Word::english(title, texts),
    }
}

/// Returns a language in its own words, with the tag; only the tag if unknown. A region or script is shown as written.
pub(super) fn language(tag: &str) -> Cow<'_, str> {
    let (main, rest) = tag.split_at(tag.find('-').unwrap_or(tag.len()));
    let found = ENDONYMS.iter().find(|(known, _)| known.eq_ignore_ascii_case(main));
    match found {
        None => Cow::Borrowed(tag),
        Some((_, name)) if rest.is_empty() => Cow::Borrowed(*name),
        Some((_, name)) => Cow::Owned(format!("{name} ({})", &rest[1..])),
    }
}

/// Returns the name of a media type; `None` for pages, which people expect anyway.
pub(super) fn media_type<'a>(texts: &'a Texts, media_type: &'a str) -> Option<Cow<'a, str>> {
    let essence = media_type.split(';').next().unwrap_or_default().trim().to_ascii_lowercase();
    let (main, sub) = essence.split_once('/').unwrap_or((&essence, ""));
    let words = &texts.linkset;
    Some(Cow::Borrowed(match (main, sub) {
        ("text", "html") | ("application", "xhtml+xml") => return None,
        ("application", "pdf") => "PDF",
        ("image", _) => &words.image,
        ("video", _) => &words.video,
        ("audio", _) => &words.audio,
        ("text", "plain") => &words.text,
        ("application", "json" | "ld+json" | "linkset+json" | "xml" | "jose") | ("text", "csv") => {
            &words.data
        }
        _ => media_type,
    }))
}

/// Formats `wineTasting` and `wine-tasting` as `Wine tasting`.
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

/// Names of languages in those languages, so that their readers recognise them.
const ENDONYMS: [(&str, &str); 58] = [
    ("af", "Afrikaans"),
    ("ar", "العربية"),
    ("az", "Azərbaycanca"),
    ("be", "Беларуская"),
    ("bg", "Български"),
    ("bn", "বাংলা"),
    ("bs", "Bosanski"),
    ("ca", "Català"),
    ("cs", "Čeština"),
    ("cy", "Cymraeg"),
    ("da", "Dansk"),
    ("de", "Deutsch"),
    ("el", "Ελληνικά"),
    ("en", "English"),
    ("es", "Español"),
    ("et", "Eesti"),
    ("eu", "Euskara"),
    ("fa", "فارسی"),
    ("fi", "Suomi"),
    ("fr", "Français"),
    ("ga", "Gaeilge"),
    ("gl", "Galego"),
    ("he", "עברית"),
    ("hi", "हिन्दी"),
    ("hr", "Hrvatski"),
    ("hu", "Magyar"),
    ("hy", "Հայերեն"),
    ("id", "Bahasa Indonesia"),
    ("is", "Íslenska"),
    ("it", "Italiano"),
    ("ja", "日本語"),
    ("ka", "ქართული"),
    ("kk", "Қазақша"),
    ("ko", "한국어"),
    ("lb", "Lëtzebuergesch"),
    ("lt", "Lietuvių"),
    ("lv", "Latviešu"),
    ("mk", "Македонски"),
    ("ms", "Bahasa Melayu"),
    ("mt", "Malti"),
    ("nb", "Norsk bokmål"),
    ("nl", "Nederlands"),
    ("nn", "Norsk nynorsk"),
    ("no", "Norsk"),
    ("pl", "Polski"),
    ("pt", "Português"),
    ("rm", "Rumantsch"),
    ("ro", "Română"),
    ("ru", "Русский"),
    ("sk", "Slovenčina"),
    ("sl", "Slovenščina"),
    ("sq", "Shqip"),
    ("sr", "Српски"),
    ("sv", "Svenska"),
    ("th", "ไทย"),
    ("tr", "Türkçe"),
    ("uk", "Українська"),
    ("zh", "中文"),
];

#[cfg(test)]
mod tests {
    use super::*;
    use crate::texts::all;

    #[test]
    fn names_become_words() {
        for (name, words) in [("wineTasting", "Wine tasting"), ("cite-as", "Cite as"), ("", "")] {
            assert_eq!(spaced(name), words);
        }
    }

    #[test]
    fn link_types_of_gs1_are_translated_and_others_are_not() {
        for texts in all() {
            for term in gs1_terms() {
                let word = link_type(texts, &[], term.iri());
                assert_eq!(word.lang, None, "{}: {}", texts.language(), term.iri());
            }
            let other = link_type(texts, &[], "https://example.net/voc/wineTasting");
            assert_eq!(other.text, "Wine tasting");
            assert_eq!(other.lang.is_some(), texts.language() != "en");
        }
    }

    #[test]
    fn keys_and_qualifiers_are_translated() {
        for texts in all() {
            for (ai, entry) in Ai::all() {
                let sequences = entry.qualifier_sequences().into_iter().flatten().copied();
                for named in sequences.flatten().copied().chain(ai.is_primary_key().then_some(ai)) {
                    let word = identifier(texts, named);
                    assert_eq!(word.lang, None, "{}: {named}", texts.language());
                    assert!(!word.text.is_empty(), "{}: {named}", texts.language());
                }
            }
        }
        let french = crate::texts::for_reader(b"fr");
        let title = identifier(french, Ai::new("7002").expect("an AI"));
        assert_eq!((&*title.text, title.lang), ("MEAT CUT", Some("en")));
    }

    #[test]
    fn languages_and_media_types() {
        for (tag, name) in
            [("fr", "Français"), ("pt-BR", "Português (BR)"), ("tlh", "tlh"), ("DE", "Deutsch")]
        {
            assert_eq!(language(tag), name);
        }
        let english = &all()[0];
        assert_eq!(media_type(english, "Text/HTML; charset=utf-8"), None);
        assert_eq!(media_type(english, "application/pdf").as_deref(), Some("PDF"));
        assert_eq!(media_type(english, "model/gltf+json").as_deref(), Some("model/gltf+json"));
        assert!(ENDONYMS.is_sorted_by_key(|(tag, _)| *tag));
    }
}
