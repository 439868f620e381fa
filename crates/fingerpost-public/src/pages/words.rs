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

/// Returns the name of a link type: our words for those of GS1, the vocabulary's own for other
/// known terms, the title in the list of the operator for those that were added, else the name of
/// the type.
pub(super) fn link_type<'a>(
    texts: &'a Texts,
    added: &'a [AddedTerm],
    link_type: &'a str,
) -> Word<'a> {
    let word = match link_type.strip_prefix(GS1_NAMESPACE) {
        Some(local) => texts.link_type(local),
        None => texts.relation(link_type),
    };
    if let Some(word) = word {
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

/// Returns the name of a language, and the tag of the language that the name is in, if that is not
/// the reader's: our word, or else the name in the language itself, or the tag if unknown. A script
/// is shown as written.
pub(super) fn language<'a>(texts: &'a Texts, tag: &'a str) -> (Cow<'a, str>, Option<&'a str>) {
    let (main, rest) = tag.split_at(tag.find('-').unwrap_or(tag.len()));
    let own = || ENDONYMS.iter().find(|(known, _)| known.eq_ignore_ascii_case(main));
    let (name, lang) = match (texts.language_name(main), own()) {
        (Some(name), _) => (name, None),
        (None, Some((_, name))) => (*name, Some(tag)),
        (None, None) => return (Cow::Borrowed(tag), None),
    };
    let name = match rest.strip_prefix('-') {
        None => Cow::Borrowed(name),
        // The name of a country is in the reader's language.
        Some(rest) if lang.is_none() => {
            let region = texts.country(&rest.to_ascii_uppercase()).unwrap_or(rest);
            Cow::Owned(format!("{name} ({region})"))
        }
        Some(rest) => Cow::Owned(format!("{name} ({rest})")),
    };
    (name, lang)
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
        let german = crate::texts::for_reader(b"de");
        for (tag, name, lang) in [
            ("fr", "Französisch", None),
            ("pt-BR", "Portugiesisch (Brasilien)", None),
            ("tlh", "tlh", None),
            ("DE", "Deutsch", None),
            ("cy-GB", "Cymraeg (GB)", Some("cy-GB")),
        ] {
            assert_eq!(language(german, tag), (name.into(), lang));
        }
        let english = &all()[0];
        assert_eq!(media_type(english, "Text/HTML; charset=utf-8"), None);
        assert_eq!(media_type(english, "application/pdf").as_deref(), Some("PDF"));
        assert_eq!(media_type(english, "model/gltf+json").as_deref(), Some("model/gltf+json"));
        assert!(ENDONYMS.is_sorted_by_key(|(tag, _)| *tag));
    }
}
