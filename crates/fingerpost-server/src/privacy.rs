//! What is kept about scans, in the words of `data/texts/privacy`, from the configuration.

use std::sync::LazyLock;

use serde::Deserialize;

use crate::config::Config;

/// The texts in a language.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Texts {
    language: String,
    title: String,
    /// The only paragraph if scans are not counted.
    off: String,
    counted: String,
    nothing: String,
    items: String,
    periods: String,
    threshold: String,
    /// Where the country of clients is determined.
    country: String,
    /// Where scans are counted by it too.
    country_counted: String,
}

static ALL: LazyLock<Vec<Texts>> = LazyLock::new(|| {
    FILES.iter().map(|text| toml::from_str(text).expect("a test reads every file")).collect()
});

macro_rules! files {
    ($($language:literal)*) => {
        [$(include_str!(concat!("../../../data/texts/privacy/", $language, ".toml"))),*]
    };
}

const FILES: [&str; 7] = files! { "en" "ar" "de" "es" "fr" "ja" "pt" };

/// Returns the languages of the statement.
pub fn languages() -> impl Iterator<Item = &'static str> {
    ALL.iter().map(|texts| texts.language.as_str())
}

/// Returns the statement in a language: a title and paragraphs, with an empty line between them;
/// `None` in an unknown language.
pub fn statement(config: &Config, language: &str) -> Option<String> {
    let options = &config.insight;
    let texts = ALL.iter().find(|texts| texts.language.eq_ignore_ascii_case(language))?;
    let Texts { title, off, counted, nothing, items, periods, threshold, .. } = texts;
    let mut paragraphs = match options.enabled {
        false => vec![title, off],
        true => vec![title, counted, nothing, items, periods, threshold],
    };
    if config.public.country().is_some() {
        paragraphs.push(&texts.country);
    }
    if options.enabled && config.public.counts_countries() {
        paragraphs.push(&texts.country_counted);
    }
    let fill = |text: &String| {
        [
            ("{hourly}", &options.hourly_days),
            ("{daily}", &options.daily_days),
            ("{monthly}", &options.monthly_months),
            ("{threshold}", &options.threshold),
        ]
        .iter()
        .fold(text.clone(), |text, (name, count)| text.replace(name, &count.get().to_string()))
    };
    Some(paragraphs.into_iter().map(fill).collect::<Vec<_>>().join("\n\n"))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// 35.2: in seven languages, from the configuration.
    #[test]
    fn every_language_says_the_same_with_the_configured_numbers() {
        let read = |toml: &str| Config::from_toml(toml).unwrap();
        let on = "[insight]\nenabled = true\nthreshold = 7\nhourly_days = 11\ndaily_days = 222\nmonthly_months = 33";
        let country = "trusted_proxies = [\"10.0.0.1\"]\n[country]\nheader = \"CF-IPCountry\"\ncount_scans = true\n";
        let with_country = read(&[country, on].concat());
        let (on, off) = (read(on), read(""));
        assert_eq!(languages().count(), 7);
        for language in languages() {
            let text = statement(&on, language).unwrap();
            for number in ["7", "11", "222", "33"] {
                assert!(text.contains(number), "{language}: {number}");
            }
            assert!(!text.contains(['{', '}']), "{language}");
            assert_eq!(text.split("\n\n").count(), 6);
            assert_eq!(statement(&off, language).unwrap().split("\n\n").count(), 2);
            // 37.1: the statement says that the country is used, and that it is counted.
            let text = statement(&with_country, language).unwrap();
            assert_eq!(text.split("\n\n").count(), 8);
        }
        assert_eq!(statement(&on, "xx"), None);
    }
}
