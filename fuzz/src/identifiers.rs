//! Promises of `fingerpost-gs1`: no text makes a reader panic, errors point into the text, what is
//! read can be written and read again.

use fingerpost_gs1::{
    DigitalLink, ElementString, EntityKey, Error, Findings, Options, Order, Plausibility, Scan,
};

/// Reads the input as a Digital Link URI in every way there is.
pub fn digital_link(data: &[u8]) {
    let Ok(uri) = std::str::from_utf8(data) else { return };
    let _ = Plausibility::of(uri);
    for options in readers() {
        match DigitalLink::parse_with(uri, &options) {
            Ok(link) => check_link(&link, &options),
            Err(error) => check_error(uri, &error),
        }
        let (link, findings) = DigitalLink::inspect(uri, &options);
        assert_eq!(link.is_some(), DigitalLink::parse_with(uri, &options).is_ok(), "{findings}");
        check_findings(uri, &findings, link.is_none());
    }
    if DigitalLink::parse(uri).is_ok() {
        let lenient = DigitalLink::parse_with(uri, &Options::new().lenient());
        assert!(lenient.is_ok(), "strictly valid, leniently {lenient:?}");
    }
    let path = uri
        .split_once("://")
        .map_or(uri, |(_, rest)| &rest[rest.find('/').unwrap_or(rest.len())..]);
    if let Ok(key) = EntityKey::parse(path) {
        check_key(&key);
    }
    super::requests::path(path.as_bytes());
}

/// Reads the input as an element string in every notation.
pub fn element_string(data: &[u8]) {
    let Ok(text) = std::str::from_utf8(data) else { return };
    for options in readers() {
        let bracketed = ElementString::parse_bracketed_with(text, &options);
        let (_, findings) = ElementString::inspect_bracketed(text, &options);
        check_findings(text, &findings, bracketed.is_err());
        check_reading(text, bracketed, &options);

        let raw = ElementString::parse_raw_with(text, &options);
        let (_, findings) = ElementString::inspect_raw(text, &options);
        check_findings(text, &findings, raw.is_err());
        check_reading(text, raw, &options);

        let scan = ElementString::parse_scan_with(text, &options);
        let (_, findings) = ElementString::inspect_scan(text, &options);
        check_findings(text, &findings, scan.is_err());
        match scan {
            Ok(Scan::Elements(item)) => check_elements(&item, &options),
            Ok(Scan::DigitalLink(link)) => check_link(&link, &options),
            Ok(Scan::Plain(plain)) => assert!(text.ends_with(&*plain)),
            Ok(_) => {}
            Err(error) => check_error(text, &error),
        }
    }
    check_reading(text, ElementString::parse_gtin(text), &Options::new());
}

/// Strict, lenient, and as forgiving as options can make it.
fn readers() -> [Options; 3] {
    let forgiving = Options::new()
        .lenient()
        .requisites(false)
        .unknown_ais(true)
        .unknown_ais_as_attributes(true)
        .uri_syntax_1_4(true);
    [Options::new(), Options::new().lenient(), forgiving]
}

fn check_reading(text: &str, read: Result<ElementString<'_>, Error>, options: &Options) {
    match read {
        Ok(item) => check_elements(&item, options),
        Err(error) => check_error(text, &error),
    }
}

/// An error points at characters of the text and can be shown.
fn check_error(text: &str, error: &Error) {
    let span = error.span();
    assert!(text.get(span.start..span.end).is_some(), "{error}: {span:?} in {text:?}");
    assert!(!error.to_string().is_empty());
    assert!(!error.code().is_empty());
}

fn check_findings(text: &str, findings: &Findings, failed: bool) {
    assert_eq!(findings.is_empty(), !failed, "{findings}");
    for error in findings.errors() {
        check_error(text, error);
    }
}

/// What was read can be written in every notation, and that reads as the same elements.
fn check_elements(item: &ElementString<'_>, options: &Options) {
    let bracketed = item.to_bracketed();
    assert_eq!(&reread_bracketed(&bracketed, options), item, "{bracketed}");
    // Raw data does not say how long an AI is, so one that nobody knows can only be read between
    // brackets.
    let known = item.elements().iter().all(|element| element.ai().entry().is_some());
    for order in [Order::AsStored, Order::PredefinedFirst].into_iter().filter(|_| known) {
        for raw in [item.to_raw(order), item.to_raw_gs(order)] {
            let again = ElementString::parse_raw_with(&raw, options);
            assert_eq!(again.as_ref(), Ok(item), "{raw:?}");
        }
    }
    let _ = item.hri(true).count();
    let built = DigitalLink::build_with("https://id.example.org", item, options);
    if let Ok(uri) = built
        && let Err(error) = DigitalLink::parse_with(&uri, options)
    {
        panic!("built {uri} from {bracketed}, which reads as: {error}");
    }
}

fn reread_bracketed(text: &str, options: &Options) -> ElementString<'static> {
    match ElementString::parse_bracketed_with(text, options) {
        Ok(item) => item.into_owned(),
        Err(error) => panic!("{text:?} was written, but reads as: {error}"),
    }
}

/// The canonical form reads as the same elements, and is its own canonical form.
fn check_link(link: &DigitalLink<'_>, options: &Options) {
    let canonical = link.canonical();
    if canonical.len() <= DigitalLink::MAX_LEN {
        let again = match DigitalLink::parse_with(&canonical, options) {
            Ok(again) => again,
            Err(error) => panic!("{} became {canonical}, which reads as: {error}", link.uri()),
        };
        assert_eq!(again.canonical(), canonical);
        assert_eq!(again.to_element_string(), link.to_element_string());
        assert_eq!(again.entity_key(), link.entity_key());
    }
    check_key(&link.entity_key());
}

/// A key is its text: reading it gives it back, and its levels are keys above it.
fn check_key(key: &EntityKey) {
    assert_eq!(EntityKey::from_canonical(key.as_str()).as_ref(), Some(key));
    let levels: Vec<_> = key.levels().collect();
    assert!((1..=5).contains(&levels.len()), "{key}: {levels:?}");
    assert!(levels.iter().any(|level| *level == key.key_level()), "{key}: {levels:?}");
    for level in &levels {
        assert!(EntityKey::from_canonical(level).is_some(), "{key}: {level}");
    }
    for (ai, encoded) in key.pairs() {
        assert_eq!(key.encoded_value(ai), Some(encoded));
        assert!(key.value(ai).is_some());
    }
}
