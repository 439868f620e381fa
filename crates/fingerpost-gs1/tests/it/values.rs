//! Values that are kept: owned forms, traits that agree with each other, and element strings from
//! pairs.

use std::collections::HashSet;
use std::collections::hash_map::DefaultHasher;
use std::hash::{Hash, Hasher};

use fingerpost_gs1::{Ai, DigitalLink, ElementString, Options, Scan};

fn hash(value: impl Hash) -> u64 {
    let mut hasher = DefaultHasher::new();
    value.hash(&mut hasher);
    hasher.finish()
}

const URIS: [&str; 4] = [
    "https://a.example/x/01/09520123456788/10/AB%2F1?17=201225&lang=fr#top",
    "https://id.gs1.org/414/9520123456788",
    "https://a.example/01/09520123456788?17=201225&3103=000195",
    "HTTP://a.example:80/00/195201234567891232",
];

/// Keeps a link longer than its text.
fn kept(text: &str) -> DigitalLink<'static> {
    let text = text.to_owned();
    DigitalLink::parse(&text).unwrap().into_owned()
}

#[test]
fn owned_links_are_equal_to_borrowed_ones() {
    for uri in URIS {
        let (link, owned) = (DigitalLink::parse(uri).unwrap(), kept(uri));
        assert_eq!(owned, link);
        assert_eq!(hash(&owned), hash(&link));
        assert_eq!(owned.to_string(), uri);
        assert_eq!((owned.as_ref(), owned.uri(), owned.stem()), (uri, uri, link.stem()));
        assert_eq!((owned.key(), owned.attributes()), (link.key(), link.attributes()));
        assert_eq!((owned.query(), owned.fragment()), (link.query(), link.fragment()));
        assert!(owned.extensions().eq(link.extensions()));
        assert_eq!(uri.parse().as_ref(), Ok(&owned));
        assert_eq!(DigitalLink::try_from(uri), Ok(link));
        assert_eq!(owned.into_uri(), uri);
    }
    let all: HashSet<DigitalLink<'static>> = URIS.into_iter().map(kept).collect();
    assert!(URIS.iter().all(|uri| all.contains(&DigitalLink::parse(uri).unwrap())));
    assert_eq!("x".parse::<DigitalLink<'_>>().unwrap_err().code(), "URI_SCHEME");
}

#[test]
fn owned_scans_are_equal_to_borrowed_ones() {
    for text in ["]d2010952012345678810ABC", "]Q1https://a.example/01/09520123456788", "]Q1hello"] {
        let scan = ElementString::parse_scan(text).unwrap();
        let owned: Scan<'static> = ElementString::parse_scan(text).unwrap().into_owned();
        assert_eq!(owned, scan);
    }
    let plain = ElementString::parse_scan("]Q1hello").unwrap();
    assert_ne!(plain, ElementString::parse_scan("]Q1world").unwrap());
}

#[test]
fn pairs_are_checked_like_a_text() {
    let options = Options::new();
    for text in [
        "(01)09520123456788(10)A/1(17)201225",
        "(01)09520123456789",
        "(01)9520123456788",
        "(10)A B(01)09520123456788",
        "(10)A",
        "(01)09520123456788(10)A(10)B",
        "(01)09520123456788(10)A(10)A",
        "(21)A(235)B",
        "(89)A",
        "(01)09520123456788(11)271301",
    ] {
        let pairs: Vec<(Ai, &str)> = text[1..]
            .split('(')
            .map(|pair| pair.split_once(')').unwrap())
            .map(|(ai, value)| (Ai::new(ai).unwrap(), value))
            .collect();
        let built = ElementString::from_pairs(pairs.iter().copied());
        let parsed = ElementString::parse_bracketed_with(text, &options);
        assert_eq!(built.as_ref().err().map(|e| e.code()), parsed.as_ref().err().map(|e| e.code()));
        assert_eq!(built.ok(), parsed.ok(), "{text}");
        let owned =
            ElementString::from_pairs(pairs.iter().map(|(ai, value)| (*ai, (*value).to_owned())));
        assert_eq!(owned.is_ok(), ElementString::parse_bracketed(text).is_ok());
    }
    let none: [(Ai, &str); 0] = [];
    assert_eq!(ElementString::from_pairs(none).unwrap_err().code(), "NO_DATA");
    let many = (0..65).map(|_| (Ai::LOT, "A"));
    assert_eq!(ElementString::from_pairs(many).unwrap_err().code(), "TOO_MANY_AIS");
    let error =
        ElementString::from_pairs([(Ai::GTIN, "09520123456788"), (Ai::LOT, "A B")]).unwrap_err();
    assert_eq!((error.ai(), error.span().range()), (Some(Ai::LOT), 1..2));
}

/// Order and repetitions do not matter, so they do not matter to the hash.
#[test]
fn equal_element_strings_have_equal_hashes() {
    let read = |text: &str| text.parse::<ElementString<'static>>().unwrap();
    let texts = [
        "(01)09520123456788(10)A(17)201225",
        "(17)201225(10)A(01)09520123456788",
        "(10)A(01)09520123456788(10)A(17)201225",
    ];
    for text in texts {
        assert_eq!(read(text), read(texts[0]));
        assert_eq!(hash(read(text)), hash(read(texts[0])), "{text}");
        assert_eq!(read(text).to_string(), text);
    }
    for text in ["(01)09520123456788(10)A", "(01)09520123456788(10)B(17)201225"] {
        assert_ne!(read(text), read(texts[0]));
        assert_ne!(hash(read(text)), hash(read(texts[0])));
    }
    assert_eq!(ElementString::try_from(texts[0]), Ok(read(texts[0])));
}

#[cfg(feature = "serde")]
#[test]
fn values_are_serialised_as_text() {
    let json = r#""https://a.example/01/09520123456788""#;
    let link: DigitalLink<'static> = serde_json::from_str(json).unwrap();
    assert_eq!(serde_json::to_string(&link).unwrap(), json);
    let json = r#""(01)09520123456788(10)A""#;
    let item: ElementString<'static> = serde_json::from_str(json).unwrap();
    assert_eq!(serde_json::to_string(&item).unwrap(), json);
    let key = link.entity_key();
    let written = serde_json::to_string(&key).unwrap();
    assert_eq!(serde_json::from_str::<fingerpost_gs1::EntityKey>(&written).unwrap(), key);
    assert!(serde_json::from_str::<ElementString<'static>>(r#""(01)1""#).is_err());
}
