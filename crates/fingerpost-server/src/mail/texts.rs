//! The texts of mails, one file for each language in `data/texts/mail`.

use std::sync::LazyLock;

use fingerpost_registry::{Letter, LetterSubject};
use serde::Deserialize;

/// The texts of all mails in a language.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Texts {
    language: String,
    invitation: Words,
    reset: Words,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Words {
    subject: String,
    /// The text before the link.
    before: String,
    after: String,
}

static ALL: LazyLock<Vec<Texts>> = LazyLock::new(|| {
    FILES.iter().map(|text| toml::from_str(text).expect("a test reads every file")).collect()
});

macro_rules! files {
    ($($language:literal)*) => {
        [$(include_str!(concat!("../../../../data/texts/mail/", $language, ".toml"))),*]
    };
}

/// English first, which replaces unknown languages.
const FILES: [&str; 7] = files! { "en" "ar" "de" "es" "fr" "ja" "pt" };

/// Returns the subject and the text of a mail. `place` is what the installation is called.
pub(super) fn of(letter: &Letter, place: &str) -> (String, String) {
    let primary = letter.language.split('-').next().unwrap_or_default();
    let texts = ALL.iter().find(|texts| texts.language.eq_ignore_ascii_case(primary));
    let texts = texts.unwrap_or(&ALL[0]);
    let (words, place) = match &letter.about {
        LetterSubject::Invitation(organisation) => {
            (&texts.invitation, organisation.as_deref().unwrap_or(place))
        }
        LetterSubject::PasswordReset => (&texts.reset, place),
    };
    let until = letter.expires.strftime("%Y-%m-%d %H:%M UTC").to_string();
    let fill = |text: &str| text.replace("{until}", &until).replace("{place}", place);
    let Words { subject, before, after } = words;
    let text = [&fill(before), "\n\n", letter.link.expose(), "\n\n", &fill(after), "\n"].concat();
    (fill(subject), text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_language_of_the_console_has_every_mail() {
        let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../data/texts/console");
        let mut languages: Vec<_> = std::fs::read_dir(folder)
            .unwrap()
            .map(|file| file.unwrap().path().file_stem().unwrap().to_string_lossy().into_owned())
            .collect();
        let mut found: Vec<_> = ALL.iter().map(|texts| texts.language.clone()).collect();
        languages.sort_unstable();
        found.sort_unstable();
        assert_eq!(found, languages);
        for texts in &*ALL {
            for words in [&texts.invitation, &texts.reset] {
                let all =
                    [&words.subject, &words.before, &words.after].map(String::as_str).concat();
                assert_eq!(all.matches('{').count(), all.matches("{place}").count() + 1, "{all}");
                assert!(
                    words.after.contains("{until}") && words.before.contains("{place}"),
                    "{all}"
                );
            }
        }
    }
}
