//! Digital Link URIs at random: what the grammar of GS1 Digital Link URI Syntax 1.4.1 makes is
//! read as a slow reference reads it, whole or with one change, and survives being written.
//!
//! The same cases every time; `FINGERPOST_SEED` and `FINGERPOST_CASES` ask for others.

use crate::reference;

use fingerpost_gs1::{Ai, DigitalLink, EntityKey, Options, Plausibility};
use reference::generator::{self, Random};
use reference::{Fault, Link, Mode};

fn setting(name: &str, default: u64) -> u64 {
    std::env::var(name).ok().and_then(|text| text.parse().ok()).unwrap_or(default)
}

fn random(salt: u64) -> Random {
    Random(setting("FINGERPOST_SEED", 2026) ^ salt << 32)
}

fn cases(default: u64) -> u64 {
    setting("FINGERPOST_CASES", default)
}

const MODES: [Mode; 6] = {
    const STRICT: Mode = Mode {
        lenient: false,
        no_requisites: false,
        unknown_ais: false,
        unknown_ais_as_attributes: false,
        uri_syntax_1_4: false,
    };
    const UNKNOWN: Mode = Mode { unknown_ais: true, unknown_ais_as_attributes: true, ..STRICT };
    [
        STRICT,
        Mode { no_requisites: true, ..STRICT },
        Mode { lenient: true, no_requisites: true, ..STRICT },
        Mode { uri_syntax_1_4: true, no_requisites: true, ..STRICT },
        Mode { no_requisites: true, ..UNKNOWN },
        Mode { lenient: true, uri_syntax_1_4: true, ..STRICT },
    ]
};

fn options(mode: Mode) -> Options {
    let options = Options::new()
        .requisites(!mode.no_requisites)
        .unknown_ais(mode.unknown_ais)
        .unknown_ais_as_attributes(mode.unknown_ais_as_attributes)
        .uri_syntax_1_4(mode.uri_syntax_1_4);
    if mode.lenient { options.lenient() } else { options }
}

/// What the library says of a URI, in the reference's words.
fn parse(uri: &str, mode: Mode) -> Result<Link, Fault> {
    let pairs = |elements: &[fingerpost_gs1::Element<'_>]| -> Vec<(String, String)> {
        elements.iter().map(|e| (e.ai().to_string(), e.value().to_owned())).collect()
    };
    let options = options(mode);
    match DigitalLink::parse_with(uri, &options) {
        Ok(link) => Ok(Link {
            stem: link.stem().to_owned(),
            path: pairs(&link.elements()[..=link.qualifiers().len()]),
            query: pairs(link.attributes()),
            extensions: link.extensions().map(str::to_owned).collect(),
            fragment: link.fragment().map(str::to_owned),
            canonical: link.canonical(),
        }),
        Err(error) => {
            assert!(uri.get(error.span().start..error.span().end).is_some(), "{uri}: {error}");
            assert!(!error.to_string().is_empty());
            let code = error.code();
            let names_ai =
                !matches!(code, "QUALIFIER_SEQUENCE" | "NO_PRIMARY_KEY") && error.ai().is_some();
            Err(Fault {
                code: code.to_owned(),
                ai: error.ai().filter(|_| names_ai).map(|ai| ai.to_string()),
                at: error
                    .value_span()
                    .filter(|_| code.starts_with("L_"))
                    .map(|span| (span.start, span.len())),
            })
        }
    }
}

/// Both readers say the same; what was read survives being written.
fn agree(uri: &str, mode: Mode) -> Result<Link, Fault> {
    let found = parse(uri, mode);
    let expected = reference::parse(uri, mode);
    assert_eq!(found, expected, "\n{uri}\n{mode:?}");
    let (inspected, findings) = DigitalLink::inspect(uri, &options(mode));
    assert_eq!(inspected.is_some(), found.is_ok(), "{uri}: {findings}");
    assert_eq!(findings.is_empty(), found.is_ok(), "{uri}: {findings}");
    if found.is_ok() {
        survives(uri, mode);
    }
    found
}

// GS1-DL-16, GS1-DL-19, GS1-DL-20, GS1-DL-24
fn survives(uri: &str, mode: Mode) {
    let options = options(mode);
    fn read<'a>(text: &'a str, options: &Options) -> DigitalLink<'a> {
        DigitalLink::parse_with(text, options).unwrap_or_else(|error| panic!("{text}: {error}"))
    }
    let link = read(uri, &options);
    let elements = link.to_element_string();
    let canonical = link.canonical();
    let again = read(&canonical, &options);
    assert_eq!(again.canonical(), canonical, "{uri}");
    assert_eq!(again.to_element_string(), elements, "{uri}");
    if let Err(dots) = link.check_dot_segments() {
        // GS1-DL-28: read, but never written.
        let moved = link.with_stem("https://example.com/x/").unwrap_err();
        assert_eq!((moved.code(), moved), ("DOT_SEGMENT", dots), "{uri}");
        return;
    }
    let moved = link.with_stem("https://example.com/x/").unwrap();
    assert_eq!(read(&moved, &options).canonical(), canonical, "{uri}: {moved}");
    let below = DigitalLink::parse_below("HTTPS://EXAMPLE.COM/x", &moved, &options);
    assert_eq!(below.map(|link| link.canonical()).as_ref(), Ok(&canonical), "{moved}");
    // 01 with 10 in the query and 235 in the path cannot be rebuilt from its elements.
    let third_party = link.value_of(Ai::TPX).is_some() && link.value_of(Ai::LOT).is_some();
    match DigitalLink::build_with(DigitalLink::REFERENCE_STEM, &elements, &options) {
        Ok(built) => assert_eq!(read(&built, &options).canonical(), canonical, "{uri}: {built}"),
        Err(error) => assert!(third_party && error.code() == "NOT_AN_ATTRIBUTE", "{uri}: {error}"),
    }
    let key = link.entity_key();
    assert_eq!(EntityKey::parse(key.as_str()).as_ref(), Ok(&key), "{uri}");
    assert_eq!(EntityKey::from_canonical(key.as_str()).as_ref(), Some(&key), "{uri}");
    assert!(canonical[DigitalLink::REFERENCE_STEM.len() + 1..].starts_with(key.as_str()));
}

/// Every URI of the grammar whose values respect the linters and the associations is accepted: by
/// the reader of URI Syntax 1.4.1 without exception, by the strict one but for what the newest
/// dictionary took back.
// GS1-AI-06, GS1-ES-19
#[test]
fn uris_of_the_grammar_are_accepted() {
    let mut random = random(1);
    let (mut accepted, mut total) = (0, 0);
    for _ in 0..cases(2_500) {
        let made = generator::uri(&mut random);
        total += 1;
        for mode in MODES {
            let verdict = agree(&made.uri, mode);
            if !mode.uri_syntax_1_4 && !mode.lenient && !mode.unknown_ais {
                accepted += usize::from(verdict.is_ok() && mode.no_requisites);
            }
            let lenient_or_fine = is_sound(&made, mode);
            assert!(!lenient_or_fine || verdict.is_ok(), "{}\n{mode:?}\n{verdict:?}", made.uri);
            if let Ok(link) = verdict
                && !mode.lenient
                && !mode.uri_syntax_1_4
            {
                assert_eq!(link.path, made.path, "{}", made.uri);
                assert_eq!(link.query, made.query, "{}", made.uri);
                assert_eq!(link.extensions, made.extensions, "{}", made.uri);
                is_plausible(&made);
            }
        }
    }
    println!("{accepted} of {total} accepted without requisites");
    assert!(accepted * 2 > total, "{accepted} of {total}");
}

/// GS1-DL-22: RE1 matches every valid URI in lower case whose key is spelled plainly and has more
/// than four characters.
fn is_plausible(made: &generator::Made) {
    let (key, value) = &made.path[0];
    let plain = made.uri.contains(&format!("/{key}/{value}")) && value.len() > 4;
    if plain && made.uri.starts_with("http") {
        assert_eq!(Plausibility::of(&made.uri), Plausibility::Uncompressed, "{}", made.uri);
    }
}

/// Whether nothing but the grammar's own liberties could be held against what was made.
fn is_sound(made: &generator::Made, mode: Mode) -> bool {
    let pairs: Vec<(String, Vec<u8>)> = made
        .path
        .iter()
        .chain(&made.query)
        .map(|(ai, value)| (ai.clone(), value.clone().into_bytes()))
        .collect();
    let mut ais: Vec<&str> = pairs.iter().map(|pair| pair.0.as_str()).collect();
    ais.sort_unstable();
    let repeated = ais.windows(2).any(|pair| pair[0] == pair[1]);
    let has = |pairs: &[(String, String)], ai: &str| pairs.iter().any(|pair| pair.0 == ai);
    let key = made.path[0].0.as_str();
    let taken_back = |ai: &str| ["3944", "3945"].contains(&ai) && !mode.uri_syntax_1_4;
    if repeated
        || ais.iter().any(|ai| taken_back(ai))
        || (has(&made.query, "8020") && !(mode.uri_syntax_1_4 && key == "415"))
        || (has(&made.query, "10") && ["01", "8006"].contains(&key) && !has(&made.path, "235"))
    {
        return false;
    }
    pairs.iter().all(|(ai, value)| reference::check_components(ai, value, mode).is_ok())
        && reference::check_associations(&pairs, mode).is_ok()
}

/// One change anywhere is judged alike.
#[test]
fn single_mutations_are_judged_alike() {
    let mut random = random(2);
    let (mut refused, mut total) = (0, 0);
    for _ in 0..cases(6_000) {
        let made = generator::uri(&mut random);
        let mutant = mutate(&mut random, &made.uri);
        let mode = MODES[random.below(MODES.len())];
        for mode in [MODES[1], mode] {
            total += 1;
            refused += usize::from(agree(&mutant, mode).is_err());
        }
    }
    println!("{refused} of {total} refused");
    assert!(refused * 4 > total && refused < total, "{refused} of {total}");
}

/// Many changes, down to noise: alike too, and no panic.
#[test]
fn any_text_is_judged_alike() {
    let mut random = random(3);
    for _ in 0..cases(2_000) {
        let mut text = generator::uri(&mut random).uri;
        for _ in 0..random.range(2, 12) {
            text = mutate(&mut random, &text);
        }
        agree(&text, MODES[random.below(MODES.len())]).ok();
        let noise: String = (0..random.below(30))
            .map(|_| {
                random
                    .one_of(&["/", "01", "10", "%", "?", "=", "&", "#", "é", "\0", "http://", "1"])
            })
            .collect();
        for text in [noise.clone(), format!("https://a/01/09520123456788{noise}")] {
            agree(&text, MODES[random.below(MODES.len())]).ok();
            EntityKey::parse(&text).ok();
            // What is built is what the strict reader builds.
            if let Some(key) = EntityKey::from_canonical(&text) {
                assert_eq!(EntityKey::parse(&text).as_ref(), Ok(&key));
            }
            DigitalLink::parse_below("https://a", &text, &options(MODES[2])).ok();
        }
    }
}

/// Deletes, inserts, replaces or swaps a character, or doubles or drops a piece.
fn mutate(random: &mut Random, uri: &str) -> String {
    let mut chars: Vec<char> = uri.chars().collect();
    if chars.is_empty() {
        return "/".to_owned();
    }
    let at = random.below(chars.len());
    let new = match random.below(10) {
        0 => char::from(u8::try_from(random.below(128)).unwrap()),
        1 => 'é',
        2 => char::from(b'0' + u8::try_from(random.below(10)).unwrap()),
        _ => {
            let usual: Vec<char> = "/?&;=#%+^\" :@[]~019ABCabcg".chars().collect();
            usual[random.below(usual.len())]
        }
    };
    match random.below(7) {
        0 => drop(chars.remove(at)),
        1 => chars.insert(at, new),
        2 | 3 => chars[at] = new,
        4 => chars.swap(at, (at + 1) % uri.chars().count()),
        _ => return mutate_piece(random, uri),
    }
    chars.into_iter().collect()
}

/// Doubles, drops or moves one of the pieces between `/`, `?`, `&` and `;`.
fn mutate_piece(random: &mut Random, uri: &str) -> String {
    let start = uri.find("://").map_or(0, |at| at + 3);
    let (scheme, rest) = uri.split_at(start);
    let mut pieces: Vec<&str> = rest.split_inclusive(['/', '?', '&', ';']).collect();
    if pieces.len() < 2 {
        return format!("{uri}/");
    }
    let at = random.below(pieces.len());
    match random.below(4) {
        0 => drop(pieces.remove(at)),
        1 => pieces.insert(at, pieces[at]),
        2 => {
            let other = random.below(pieces.len());
            pieces.swap(at, other);
        }
        _ => {
            let pair: Vec<&str> = pieces[at..(at + 2).min(pieces.len())].to_vec();
            pieces.splice(at..at, pair);
        }
    }
    format!("{scheme}{}", pieces.concat())
}
