//! Random texts judged by this crate and by three independent implementations: fluent-uri,
//! iri-string and iref.
//!
//! Validity must agree with all three, components with fluent-uri, resolution with fluent-uri and
//! iri-string but for the differences that the crate page lists. The generator is a small one of
//! our own, so that a failure names a seed.

use fingerpost_uri::{PathForm, ResolveOptions, Rung, Uri, UriRef, split};

/// How many texts each test makes.
const ROUNDS: u64 = 60_000;

/// SplitMix64.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    fn below(&mut self, bound: usize) -> usize {
        (self.next() % bound as u64) as usize
    }

    fn pick<'t>(&mut self, texts: &[&'t str]) -> &'t str {
        texts[self.below(texts.len())]
    }
}

/// Pieces that meet where the grammar decides something.
const PIECES: &[&str] = &[
    "a",
    "B",
    "1",
    "z9",
    "-",
    ".",
    "..",
    "/",
    "//",
    "/./",
    "/../",
    ":",
    "::",
    "@",
    "?",
    "#",
    "[",
    "]",
    "[::1]",
    "[v1.a:b]",
    "1.2.3.4",
    "256.1.1.1",
    "01.2.3.4",
    "[1:2:3:4:5:6:7::]",
    "[::1.2.3.4]",
    "%41",
    "%2e",
    "%2E%2e",
    "%2F",
    "%zz",
    "%",
    "%4",
    "http:",
    "urn:a:b",
    "x-y+z.1:",
    "&",
    ";",
    "=",
    "!",
    "$",
    "'",
    "(",
    ")",
    "*",
    "+",
    ",",
    "~",
    "_",
    " ",
    "\"",
    "<",
    ">",
    "\\",
    "^",
    "`",
    "{",
    "|",
    "}",
    "\u{7f}",
    "é",
    "\0",
    "g",
    "host",
    ":80",
    ":",
];

fn text(random: &mut Random) -> String {
    (0..random.below(9)).map(|_| random.pick(PIECES)).collect()
}

/// Texts that are valid far more often: components are put together in order.
fn plausible(random: &mut Random) -> String {
    let mut out = String::new();
    let parts = random.next();
    if parts & 1 == 0 {
        out.push_str(random.pick(&["http:", "x:", "urn:", "FTP:", "a+b.c-1:"]));
    }
    if parts & 2 == 0 {
        out.push_str("//");
        out.push_str(random.pick(&[
            "",
            "h",
            "u@h",
            "u:p@h:8",
            "[::1]:1",
            "1.2.3.4",
            "h:",
            "%41.b",
            "EX.com:080",
        ]));
    }
    for _ in 0..random.below(6) {
        out.push_str(random.pick(&[
            "/", "a", "..", ".", "/..", "/.", "b;c", "%2e", "d:e", "//", "%7e", "@", "%C3%a9",
        ]));
    }
    if parts & 4 == 0 {
        out.push('?');
        out.push_str(random.pick(&["", "q", "a=b&c", "/../x?y", "%2f"]));
    }
    if parts & 8 == 0 {
        out.push('#');
        out.push_str(random.pick(&["", "f", "/?", "s/./x"]));
    }
    out
}

fn some_text(random: &mut Random) -> String {
    if random.next() & 1 == 0 { text(random) } else { plausible(random) }
}

#[test]
fn validity_agrees_with_three_implementations() {
    let mut valid = 0;
    for seed in 0..ROUNDS {
        let text = some_text(&mut Random(seed));
        let ours = UriRef::parse(&text);
        let verdicts = [
            fluent_uri::UriRef::parse(text.as_str()).is_ok(),
            iri_string::types::UriReferenceStr::new(&text).is_ok(),
            iref::UriRef::new(&text).is_ok(),
        ];
        assert_eq!(
            [ours.is_ok(); 3],
            verdicts,
            "seed {seed}: {text:?} (fluent-uri, iri-string, iref)"
        );
        assert_eq!(
            Uri::parse(&text).is_ok(),
            fluent_uri::Uri::parse(text.as_str()).is_ok(),
            "seed {seed}: {text:?}"
        );
        valid += u64::from(ours.is_ok());
    }
    assert!(
        valid > ROUNDS / 4 && valid < ROUNDS,
        "{valid} of {ROUNDS} are valid: the generator tests nothing"
    );
}

#[test]
fn components_agree_with_fluent_uri_and_the_splitter() {
    for seed in 0..ROUNDS {
        let text = some_text(&mut Random(seed));
        let Ok(ours) = UriRef::parse(&text) else { continue };
        let theirs = fluent_uri::UriRef::parse(text.as_str()).expect("validity agrees");
        let authority = ours.authority();
        let their_authority = theirs.authority();
        let context = format!("seed {seed}: {text:?}");
        assert_eq!(ours.scheme(), theirs.scheme().map(|s| s.as_str()), "{context}");
        assert_eq!(
            authority.map(|a| a.as_str()),
            their_authority.as_ref().map(|a| a.as_str()),
            "{context}"
        );
        assert_eq!(
            authority.map(|a| (a.userinfo().map(|u| u.as_str()), a.host_text(), a.port())),
            their_authority.map(|a| (
                a.userinfo().map(|u| u.as_str()),
                a.host(),
                a.port().map(|p| p.as_str())
            )),
            "{context}"
        );
        assert_eq!(ours.path().as_str(), theirs.path().as_str(), "{context}");
        assert_eq!(
            ours.query().map(|q| q.as_str()),
            theirs.query().map(|q| q.as_str()),
            "{context}"
        );
        assert_eq!(
            ours.fragment().map(|f| f.as_str()),
            theirs.fragment().map(|f| f.as_str()),
            "{context}"
        );
        // URI-SYN-29: the splitter agrees on every valid reference.
        let parts = split(&text);
        assert_eq!(parts.scheme, ours.scheme(), "{context}");
        assert_eq!(parts.authority, authority.map(|a| a.as_str()), "{context}");
        assert_eq!(parts.path, ours.path().as_str(), "{context}");
        assert_eq!(parts.query, ours.query().map(|q| q.as_str()), "{context}");
        assert_eq!(parts.fragment, ours.fragment().map(|f| f.as_str()), "{context}");
    }
}

#[test]
fn resolution_agrees_but_for_the_listed_differences() {
    let mut compared = 0;
    for seed in 0..ROUNDS {
        let mut random = Random(seed);
        let (base, reference) = (plausible(&mut random), plausible(&mut random));
        let (Ok(base), Ok(reference)) = (Uri::parse(&base), UriRef::parse(&reference)) else {
            continue;
        };
        let base = base.without_fragment();
        let mut ours = String::new();
        // Both decode dots while resolving (difference URI-RES-12).
        reference.resolve_into(base, ResolveOptions::new().decode_dots(true), &mut ours);
        let context = format!("seed {seed}: {base:?} + {reference:?}");
        let parsed = Uri::parse(&ours)
            .unwrap_or_else(|error| panic!("{context}: {ours:?} is no URI: {error}"));
        // Components survive recomposition (URI-RES-13), the fragment is the reference's
        // (URI-RES-08).
        assert_eq!(parsed.fragment(), reference.fragment(), "{context}");

        let their_base = fluent_uri::Uri::parse(base.as_str()).expect("validity agrees");
        let theirs = fluent_uri::UriRef::parse(reference.as_str()).expect("validity agrees");
        // It refuses bases without a hierarchy, leaves the dots of rootless paths alone, and
        // removes those of the base first (all listed).
        let base_has_dots =
            base.path().segments().any(|segment| matches!(&*segment.decode(), b"." | b".."));
        let is_listed = base_has_dots || reference.path().form() == PathForm::Rootless;
        if let (false, Ok(theirs)) = (is_listed, theirs.resolve_against(&their_base)) {
            assert_eq!(ours, theirs.as_str(), "{context} (fluent-uri)");
            compared += 1;
        }
        let their_base =
            iri_string::types::UriAbsoluteStr::new(base.as_str()).expect("validity agrees");
        let theirs =
            iri_string::types::UriReferenceStr::new(reference.as_str()).expect("validity agrees");
        assert_eq!(ours, theirs.resolve_against(their_base).to_string(), "{context} (iri-string)");
    }
    assert!(compared > ROUNDS / 20, "only {compared} resolutions were compared");
}

/// URI-RES-13: a target is not parsed again, so its components must be those that parsing finds.
#[test]
fn a_target_knows_its_components() {
    for seed in 0..ROUNDS {
        let mut random = Random(seed);
        let (base, reference) = (plausible(&mut random), plausible(&mut random));
        let (Ok(base), Ok(reference)) = (Uri::parse(&base), UriRef::parse(&reference)) else {
            continue;
        };
        let target = reference.resolve(base);
        let parsed = UriRef::parse(target.as_str())
            .unwrap_or_else(|error| panic!("seed {seed}: {target:?} is no URI: {error}"));
        let components = |uri: UriRef<'_>| {
            // Debug also shows the offsets within the authority.
            format!(
                "{:?}",
                (uri.scheme(), uri.authority(), uri.path(), uri.query(), uri.fragment())
            )
        };
        assert_eq!(components(target.as_uri_ref()), components(parsed), "seed {seed}");
    }
}

/// URI-NRM-02, URI-NRM-15: normal forms parse, stay as they are, and rise in one direction only.
#[test]
fn normal_forms_are_stable() {
    for seed in 0..ROUNDS {
        let text = some_text(&mut Random(seed));
        let Ok(reference) = UriRef::parse(&text) else { continue };
        for rung in Rung::ALL {
            let normal = reference.normalise(rung);
            let again = UriRef::parse(&normal)
                .unwrap_or_else(|error| panic!("seed {seed}: {text:?} → {normal:?}: {error}"));
            assert_eq!(again.normalise(rung), normal, "seed {seed}: {text:?} at {}", rung.as_str());
            assert_eq!(again.kind(), reference.kind(), "seed {seed}: {text:?} → {normal:?}");
            assert!(
                reference.equal_at(again).is_some_and(|reached| reached <= rung),
                "seed {seed}: {text:?}"
            );
        }
    }
}

/// What of `text` a normal form may not hold: triplets with lower-case digits, and from
/// [`Rung::Percent`] on unreserved octets.
fn odd_triplets(text: &str, rung: Rung) -> bool {
    text.split('%').skip(1).any(|piece| {
        let octet = u8::from_str_radix(&piece[..2], 16).expect("a triplet");
        let is_unreserved = octet.is_ascii_alphanumeric() || b"-._~".contains(&octet);
        piece[..2].contains(|digit: char| digit.is_ascii_lowercase())
            || rung >= Rung::Percent && is_unreserved
    })
}

/// URI-NRM-04, URI-NRM-05: reading notes whether triplets have to be looked at again, and so does
/// resolving; none is overlooked, wherever it stands.
#[test]
fn no_triplet_is_overlooked() {
    let digits = b"0123456789ABCDEFabcdef".map(char::from);
    for (high, low) in digits.iter().flat_map(|high| digits.iter().map(move |low| (high, low))) {
        let triplet = format!("%{high}{low}");
        for form in ["//_@h/", "//h_/", "/%C3_", "_/a", "s:_%C3", "?_", "#_%C3%A9", "//%C3_:1/"] {
            let text = form.replace('_', &triplet);
            let reference = UriRef::parse(&text).expect("a reference");
            let target = reference.resolve(Uri::parse("s://h/%e2%82%ac/?%7e").expect("a URI"));
            let base = format!("s:{text}");
            let same =
                UriRef::parse("").expect("a reference").resolve(Uri::parse(&base).expect("a URI"));
            for rung in [Rung::Case, Rung::Percent, Rung::Scheme] {
                for uri in [reference, target.as_uri_ref(), same.as_uri_ref()] {
                    let normal = uri.normalise(rung);
                    assert!(!odd_triplets(&normal, rung), "{uri} at {}: {normal}", rung.as_str());
                    let again = UriRef::parse(uri.as_str()).expect("a reference");
                    assert_eq!(normal, again.normalise(rung), "{uri} at {}", rung.as_str());
                }
            }
        }
    }
    for seed in 0..ROUNDS {
        let text = some_text(&mut Random(seed));
        let Ok(reference) = UriRef::parse(&text) else { continue };
        for rung in [Rung::Case, Rung::Percent, Rung::Scheme] {
            assert!(!odd_triplets(&reference.normalise(rung), rung), "seed {seed}: {text:?}");
        }
    }
}

/// Relativising is the inverse of resolving.
#[test]
fn relative_references_lead_back() {
    for seed in 0..ROUNDS {
        let mut random = Random(seed);
        let (base, target) = (plausible(&mut random), plausible(&mut random));
        let (Ok(base), Ok(target)) = (Uri::parse(&base), Uri::parse(&target)) else { continue };
        let base = base.without_fragment();
        let reference = target.relativise(base);
        let found = reference.as_uri_ref().resolve(base);
        // The target itself, or, if it has dot-segments, what it resolves to (no reference leads to
        // those). … unless the base has the same, which resolution leaves alone
        // (URI-RES-05).
        let without_dots = target.resolve(base);
        assert!(
            [target.as_str(), without_dots.as_str()].contains(&found.as_str()),
            "seed {seed}: {base:?} to {target:?} by {reference:?} leads to {found:?}"
        );
    }
}

/// Whatever the bytes: an answer, not a panic, and quickly.
#[test]
fn any_text_gets_an_answer() {
    for seed in 0..ROUNDS {
        let text = text(&mut Random(seed));
        let _ = fingerpost_uri::extract(&text, fingerpost_uri::ExtractOptions::new().suffix(true))
            .count();
        let _ = fingerpost_uri::www::relax(&text);
        let _ = fingerpost_uri::www::make_safer(&text);
        let _ = fingerpost_uri::www::expand_partial("magic://a/b//c/d", &text);
        for mode in [
            fingerpost_uri::urn::Mode::Draft,
            fingerpost_uri::urn::Mode::Rfc8141,
            fingerpost_uri::urn::Mode::Auto,
        ] {
            for text in [text.clone(), format!("urn:ab:{text}")] {
                if let Ok(urn) = fingerpost_uri::urn::Urn::parse(&text, mode) {
                    assert!(Uri::parse(&text).is_ok(), "URN-SYN-01: {text:?}");
                    let _ = fingerpost_uri::urn::AnswerKey::new(urn);
                }
            }
        }
        if let Ok(reference) = UriRef::parse(&text) {
            let _ = reference.display_safe().to_string();
            let _ = reference.lints().count();
        }
    }
}

/// URI-EXT-07: much of the worst that comes to mind is read in linear time; in quadratic time it
/// would take minutes.
#[test]
fn extraction_is_linear() {
    for piece in [
        "http:",
        "http://",
        "<",
        "\"",
        "http://[",
        "urn:a:",
        "<http://a\n",
        "a:",
        "www.",
        "(",
        "http://a)",
    ] {
        let text = piece.repeat(200_000 / piece.len());
        let start = std::time::Instant::now();
        let _ = fingerpost_uri::extract(&text, fingerpost_uri::ExtractOptions::new().suffix(true))
            .count();
        assert!(start.elapsed().as_secs() < 60, "{piece:?} took {:?}", start.elapsed());
    }
}
