//! Entity keys: canonical text, the rules for building them, and the levels at which links may be
//! registered (GS1-Conformant Resolver 1.2.0, sections 2.5.9 and 2.5.10).

use std::collections::{BTreeMap, HashMap};

use fingerpost_gs1::{Ai, EntityKey, NotRegistrable};

fn key(path: &str) -> EntityKey {
    EntityKey::parse(path).unwrap_or_else(|error| panic!("{path}: {error}"))
}

fn levels(path: &str) -> Vec<String> {
    key(path).levels().map(|level| level.into_owned()).collect()
}

const GTIN: &str = "01/09506000134352";
const ITIP: &str = "8006/095060001343520102";

// RES-2.5.10-4, RES-2.5.10-6, RES-2.5.10-8
#[test]
fn levels_of_a_gtin() {
    let cases: [(&str, &[&str]); 9] = [
        ("", &[""]),
        ("/235/T1", &["/235/T1", ""]),
        ("/21/S", &["/21/S", ""]),
        ("/10/B", &["/10/B", ""]),
        ("/22/V", &["/22/V", ""]),
        ("/22/V/10/B", &["/22/V/10/B", "/10/B", "/22/V", ""]),
        ("/10/B/21/S", &["/21/S", "/10/B", ""]),
        ("/22/V/21/S", &["/21/S", "/22/V", ""]),
        ("/22/V/10/B/21/S", &["/21/S", "/22/V/10/B", "/10/B", "/22/V", ""]),
    ];
    for (qualifiers, expected) in cases {
        let expected: Vec<String> = expected.iter().map(|q| format!("{GTIN}{q}")).collect();
        assert_eq!(levels(&format!("/{GTIN}{qualifiers}")), expected, "{qualifiers}");
    }
}

// RES-2.5.10-7
#[test]
fn levels_of_an_itip() {
    let expected: Vec<String> =
        ["/21/S", "/22/V/10/B", "/10/B", "/22/V", ""].map(|q| format!("{ITIP}{q}")).into();
    assert_eq!(levels(&format!("/{ITIP}/22/V/10/B/21/S")), expected);
    assert!(EntityKey::parse(&format!("/{ITIP}/235/T")).is_err());
}

// RES-2.5.9-7
#[test]
fn levels_of_the_other_keys() {
    for (bare, qualifier) in [
        ("8010/9506000ABC-1", "8011/42"),
        ("414/9506000134352", "254/A"),
        ("414/9506000134352", "7040/1ABC"),
        ("415/9506000134352", "8020/R1"),
        ("417/9506000134352", "7040/1ABC"),
        ("8004/9506000A", "7040/1ABC"),
        ("8017/952012345678912345", "8019/7"),
        ("8018/952012345678912345", "8019/7"),
    ] {
        assert_eq!(levels(bare), [bare]);
        let full = format!("{bare}/{qualifier}");
        assert_eq!(levels(&full), [full.as_str(), bare]);
        assert_eq!(key(&full).is_registrable(), Ok(()));
    }
    for bare in
        ["00/195201234567891232", "253/9506000134352X", "401/9506000A", "8003/09506000134352"]
    {
        assert_eq!(levels(bare), [bare]);
    }
}

// RES-2.5.9-7: the bare 415 is a registration level, though an item with it needs 8020.
#[test]
fn the_bare_pay_to_number_is_a_level() {
    let bare = key("/415/9520123456788");
    assert!(bare.is_key_level() && bare.is_registrable().is_ok());
}

/// GS1-DL-28, IN-15: nobody could open such a level.
#[test]
fn dots_are_not_registrable() {
    for qualifier in ["/10/.", "/10/..", "/21/%2E%2E", "/22/%2e"] {
        let refused = key(&format!("/{GTIN}{qualifier}")).is_registrable();
        assert_eq!(refused, Err(NotRegistrable::DotSegment), "{qualifier}");
    }
    assert_eq!(NotRegistrable::DotSegment.requirement(), "GS1-DL-28");
    assert_eq!(key(&format!("/{GTIN}/10/...")).is_registrable(), Ok(()));
}

// RES-2.5.10-1, RES-2.5.10-2, RES-2.5.10-3
#[test]
fn which_levels_may_be_registered() {
    for qualifiers in ["", "/235/T", "/21/S", "/22/V", "/10/B", "/22/V/10/B"] {
        assert_eq!(key(&format!("/{GTIN}{qualifiers}")).is_registrable(), Ok(()), "{qualifiers}");
    }
    for qualifiers in ["/10/B/21/S", "/22/V/21/S", "/22/V/10/B/21/S"] {
        for bare in [GTIN, ITIP] {
            let refused = key(&format!("/{bare}{qualifiers}")).is_registrable();
            assert_eq!(refused, Err(NotRegistrable::SerialWithVariantOrLot), "{qualifiers}");
        }
    }
    assert_eq!(NotRegistrable::SerialWithVariantOrLot.requirement(), "RES-2.5.10-2");
    // RES-2.5.10-1: such a key cannot even be built.
    for qualifiers in ["/235/T1/10/L1", "/22/V/235/T1", "/10/L1/235/T1", "/235/T1/21/S"] {
        let error = EntityKey::parse(&format!("/{GTIN}{qualifiers}")).unwrap_err();
        assert_eq!(error.code(), "QUALIFIER_SEQUENCE", "{qualifiers}");
    }
}

// RES-2.5.9-7, RES-2.5.10-4: every level is the text of a key that may be registered, and the
// levels of a level are among those of the key.
#[test]
fn levels_are_keys() {
    for path in [
        format!("/{GTIN}/22/V/10/B/21/S"),
        format!("/{ITIP}/22/V/10/B/21/S"),
        format!("/{GTIN}/10/%2F/21/%2B"),
        "/8010/9506000%23A/8011/1".to_owned(),
    ] {
        let all = levels(&path);
        assert!(all.len() <= 5);
        for text in &all {
            let level = EntityKey::from_canonical(text).unwrap_or_else(|| panic!("{text}"));
            assert_eq!(level.is_registrable(), Ok(()), "{text}");
            assert_eq!(level.levels().next().as_deref(), Some(text.as_str()));
            assert!(level.levels().all(|lower| all.contains(&lower.into_owned())));
        }
        assert_eq!(all.last().map(String::as_str), Some(key(&path).key_level()));
    }
}

// RES-2.4-3
#[test]
fn spelling_does_not_matter() {
    let expected = "01/09506000134352/10/A%2FB";
    for path in [
        "/01/09506000134352/10/A%2FB",
        "01/09506000134352/10/A%2fB",
        "/01/%30%39506000134352/10/%41%2f%42",
    ] {
        assert_eq!(key(path).as_str(), expected);
        assert_eq!(key(path), key(expected));
    }
    assert_ne!(key("/01/09506000134352/10/a"), key("/01/09506000134352/10/A"));
    assert_eq!(key("/01/09506000134352/10/A+B").as_str(), "01/09506000134352/10/A%2BB");
    let built = EntityKey::new((Ai::GTIN, "09506000134352"), &[(Ai::LOT, "A/B")]);
    assert_eq!(built.map(|key| key.to_string()), Ok(expected.to_owned()));
}

// RES-2.4-2, RES-2.4-3, RES-2.4-5, RES-2.4-9, RES-2.4-12, RES-2.4-13, RES-2.4-16
#[test]
fn faults_name_their_place() {
    for (path, code, at) in [
        ("", "NO_PRIMARY_KEY", ""),
        ("/", "NO_PRIMARY_KEY", ""),
        ("//", "NO_PRIMARY_KEY", ""),
        ("/10/A", "NO_PRIMARY_KEY", "10"),
        ("/gtin/09506000134352", "NO_PRIMARY_KEY", "gtin"),
        ("/x/01/09506000134352", "NO_PRIMARY_KEY", "x"),
        ("/%30%31/09506000134352", "NO_PRIMARY_KEY", "%30%31"),
        ("/01", "VALUE_EMPTY", ""),
        ("/01/", "VALUE_EMPTY", ""),
        ("/01//10/A", "VALUE_EMPTY", ""),
        ("/01/09506000134352/", "TRAILING_SLASH", "/"),
        ("/01/09506000134352/10", "VALUE_EMPTY", ""),
        ("/01/09506000134352/10/", "VALUE_EMPTY", ""),
        ("/01/09506000134352//", "UNKNOWN_AI", ""),
        ("/01/09506000134352/26/A", "UNKNOWN_AI", "26"),
        ("/01/09506000134352/17/261231", "QUALIFIER_SEQUENCE", "17"),
        ("/01/09506000134352/21/S/10/A", "QUALIFIER_SEQUENCE", "10"),
        ("/01/09506000134352/10/A/10/A", "QUALIFIER_SEQUENCE", "10"),
        ("/01/09506000134352/22/A/10/A/21/A/235/A", "QUALIFIER_SEQUENCE", "235"),
        ("/01/09506000134352/414/9506000134352", "QUALIFIER_SEQUENCE", "414"),
        ("/01/9506000134352", "VALUE_TOO_SHORT", "9506000134352"),
        ("/01/09506000134353", "L_INCORRECT_CHECK_DIGIT", "3"),
        ("/01/0950600013435%33", "L_INCORRECT_CHECK_DIGIT", "%33"),
        ("/01/09506000134352/10/A%20B", "L_INVALID_CSET82_CHARACTER", "%20"),
        ("/01/09506000134352/10/A%00", "L_INVALID_CSET82_CHARACTER", "%00"),
        ("/01/09506000134352/10/A%C3%A9", "L_INVALID_CSET82_CHARACTER", "%C3"),
        ("/01/09506000134352/10/A%4", "PERCENT_ENCODING", "%4"),
        ("/01/09506000134352/10/A%ZZB", "PERCENT_ENCODING", "%ZZ"),
    ] {
        let error = EntityKey::parse(path).expect_err(path);
        assert_eq!(error.code(), code, "{path}");
        assert_eq!(path.get(error.span().start..error.span().end), Some(at), "{path}");
    }
}

#[test]
fn building_checks_like_parsing() {
    let gtin = (Ai::GTIN, "09506000134352");
    for (key, qualifiers, code) in [
        (gtin, &[(Ai::SERIAL, "S"), (Ai::LOT, "L")][..], "QUALIFIER_SEQUENCE"),
        (gtin, &[(Ai::LOT, "")], "VALUE_EMPTY"),
        (gtin, &[(Ai::LOT, "A B")], "L_INVALID_CSET82_CHARACTER"),
        ((Ai::LOT, "L"), &[], "NO_PRIMARY_KEY"),
        ((Ai::GTIN, "09506000134353"), &[], "L_INCORRECT_CHECK_DIGIT"),
        (gtin, &[(Ai::new("89").unwrap(), "L")], "UNKNOWN_AI"),
    ] {
        let error = EntityKey::new(key, qualifiers).unwrap_err();
        assert_eq!(error.code(), code);
    }
}

/// GS1 Digital Link URI Syntax 1.4.1 sections 4.5 to 4.9: nothing else is a key.
#[test]
fn canonical_text_is_checked() {
    for text in [
        "01/ABC",
        "01/09506000134353",
        "01/9506000134352",
        "01/09506000134352/10/a~b",
        "01/09506000134352/10/a%20b",
        "01/09506000134352/21/123456789012345678901",
        "8006/095060001343520302",
        "04/A",
        "",
        "01",
        "01/",
        "/01/09506000134352",
        "01/09506000134352/",
        "01/09506000134352/10",
        "10/A",
        "01/09506000134352/21/S/10/A",
        "01/09506000134352/10/A+B",
        "gtin/09506000134352",
        "01/09506000134352/10/%2f",
        "01/09506000134352/10/%41",
        "01/09506000134352/10/é",
        "01/1/22/1/10/1/21/1/235/1",
    ] {
        assert_eq!(EntityKey::from_canonical(text), None, "{text}");
    }
    let text = "01/09506000134352/22/V/10/%2F";
    assert_eq!(EntityKey::from_canonical(text), Some(key(text)));
}

#[test]
fn parts_of_a_key() {
    let full = key("/01/09506000134352/22/V/10/A%2FB");
    assert_eq!(full.primary_key(), Ai::GTIN);
    assert_eq!(full.key_level(), GTIN);
    assert!(!full.is_key_level() && key(GTIN).is_key_level());
    assert!(full.pairs().eq([(Ai::GTIN, "09506000134352"), (Ai::CPV, "V"), (Ai::LOT, "A%2FB")]));
    assert_eq!(full.encoded_value(Ai::LOT), Some("A%2FB"));
    assert_eq!(full.value(Ai::LOT).as_deref(), Some("A/B"));
    assert_eq!(full.value(Ai::SERIAL), None);
    assert_eq!(full.to_element_string_text(), "(01)09506000134352(22)V(10)A/B");
}

#[test]
fn keys_are_found_by_their_text() {
    let keys =
        [key("/01/09506000134352/10/B"), key("/01/09506000134352"), key("/00/195201234567891232")];
    let hashed: HashMap<EntityKey, usize> = keys.iter().cloned().zip(0..).collect();
    let ordered: BTreeMap<EntityKey, usize> = keys.iter().cloned().zip(0..).collect();
    for (at, own) in keys.iter().enumerate() {
        assert_eq!(hashed.get(own.as_str()), Some(&at));
        assert_eq!(ordered.get(own.as_str()), Some(&at));
    }
    let texts: Vec<&str> = ordered.keys().map(EntityKey::as_str).collect();
    assert!(texts.is_sorted());
}

/// A store may keep these texts as keys: LMDB takes up to 511 bytes.
#[test]
fn the_longest_key_is_known_and_fits_a_store() {
    // A character that needs no digit can need three bytes: all but digits of every value.
    let longest_value = |ai: Ai| -> usize {
        let components = ai.entry().expect("an allocated AI").components();
        let digits = fingerpost_gs1::CharacterSet::Digits;
        let width = |set| if set == digits { 1 } else { 3 };
        components.iter().map(|part| part.max_length() * width(part.character_set())).sum()
    };
    let pair = |ai: Ai| ai.as_str().len() + 1 + longest_value(ai);
    let longest = Ai::all()
        .filter_map(|(ai, entry)| Some((ai, entry.qualifier_sequences()?)))
        .map(|(ai, sequences)| {
            let sequence = |ais: &&[Ai]| ais.iter().map(|&ai| 1 + pair(ai)).sum::<usize>();
            pair(ai) + sequences.iter().map(sequence).max().unwrap_or(0)
        })
        .max();
    // Not a GTIN but an ITIP: 18 digits and the longer AI.
    assert_eq!(longest, Some(EntityKey::MAX_LEN));
    const { assert!(EntityKey::MAX_LEN < 511) };
    let full = "%2F".repeat(20);
    let path = format!("/{ITIP}/22/{full}/10/{full}/21/{full}");
    assert_eq!(key(&path).as_str().len(), EntityKey::MAX_LEN);
}
