//! Records that break rules of one level: every fault at once, each with its position and
//! requirement.

use fingerpost_gs1::Ai;
use fingerpost_resolver::{
    Accepted, PrimaryKeys, Refused, ResolverRoot, Rules, Vocabulary, read_record,
};

fn read(json: &str) -> Result<Accepted, Refused> {
    let vocabulary = Vocabulary::builtin();
    let root = ResolverRoot::parse("https://id.example.org").expect("a root");
    let contexts = ["CH".to_owned(), "FR".to_owned()];
    let rules = Rules::new(&vocabulary).with_resolver_root(&root).with_context_values(&contexts);
    read_record(json.as_bytes(), &rules)
}

/// Positions and requirements.
type Pointers = Vec<(String, &'static str)>;

/// Those of the faults, and of the warnings.
fn found(json: &str) -> (Pointers, Pointers) {
    let (faults, warnings) = match read(json) {
        Ok(accepted) => (Vec::new(), accepted.warnings),
        Err(refused) => (refused.faults, refused.warnings),
    };
    let pointers = |list: Vec<fingerpost_resolver::RecordFault>| {
        list.iter().map(|fault| (fault.pointer().to_owned(), fault.id())).collect()
    };
    (pointers(faults), pointers(warnings))
}

/// A record with a default link, its descriptive twin, and these links (from `/links/2` on).
fn with_links(links: &str) -> String {
    format!(
        r#"{{"anchor": "/01/09520123456788", "itemDescription": "Tea", "links": [
            {{"linkType": "gs1:defaultLink", "href": "https://example.com/p", "title": "Tea"}},
            {{"linkType": "gs1:pip", "href": "https://example.com/p", "title": "Tea"}}{links}]}}"#
    )
}

/// A link with a good type, target and title, and these members.
fn link(members: &str) -> String {
    let comma = if members.is_empty() { "" } else { ", " };
    with_links(&format!(
        r#", {{"linkType": "gs1:faqs", "href": "https://example.com/f", "title": "F"{comma}{members}}}"#
    ))
}

#[test]
fn a_plain_record_has_no_faults() {
    // RES-2.5.4-1, RES-2.5.5-1: language and media type are optional.
    assert_eq!(found(&link("")), (vec![], vec![]));
    // RES-2.5.3-2: nobody guesses the language of a title.
    assert_eq!(found(&link(r#""hreflang": ["de"]"#)), (vec![], vec![]));
}

/// Section 2.1, RES-2.1-3: a record that is never served is accepted, because the configuration can
/// change, and warned of.
#[test]
fn section_2_1_keys_that_are_not_served_are_warned_of() {
    let vocabulary = Vocabulary::builtin();
    let served = PrimaryKeys::Only(vec![Ai::SSCC]);
    let rules = Rules::new(&vocabulary).with_primary_keys(&served);
    let warnings = |json: &str| read_record(json.as_bytes(), &rules).expect("accepted").warnings;
    let found = warnings(&link(""));
    assert_eq!((found[0].pointer(), found[0].id()), ("/anchor", "RES-2.1-3"), "{found:?}");
    assert!(found[0].to_string().contains("supported_primary_keys"), "{}", found[0]);
    assert_eq!(warnings(&link("").replace("01/09520123456788", "00/195287651234567892")), []);
}

/// Section 2.11, RES-2.11-1: a record chooses the default answer only if the operator allows it.
#[test]
fn section_2_11_the_default_answer_is_checked() {
    let vocabulary = Vocabulary::builtin();
    let with = |answer: &str| {
        link("").replacen("\"links\"", &format!("\"defaultLinkType\": {answer}, \"links\""), 1)
    };
    let rules = Rules::new(&vocabulary).with_default_by_record(true);
    for good in ["\"linkset\"", "\"gs1:defaultLink\""] {
        read_record(with(good).as_bytes(), &rules).expect(good);
        assert_eq!(found(&with(good)).0, [("/defaultLinkType".to_owned(), "RES-2.11-1")], "{good}");
    }
    for bad in ["\"all\"", "\"gs1:pip\"", "\"gs1:recallStatus\"", "true", "null"] {
        let refused = read_record(with(bad).as_bytes(), &rules).expect_err(bad);
        let fault = &refused.faults[0];
        assert_eq!((fault.pointer(), fault.id()), ("/defaultLinkType", "RES-2.11-1"), "{bad}");
    }
}

#[test]
fn section_2_11_a_successor_is_checked() {
    let record = |anchor: &str, successor: &str| {
        format!(
            r#"{{"anchor": "{anchor}", "defaultLinkType": "successor-version", "links": [
                {{"linkType": "{successor}", "href": "https://id.example.org/01/09520123456795", "title": "New"}}]}}"#
        )
    };
    assert_eq!(found(&record("/01/09520123456788", "successor-version")).0, []);
    for (anchor, successor) in [
        ("/01/09520123456788", "license"),
        ("/01/09520123456788/10/L", "successor-version"),
        ("/gcp/9520123", "successor-version"),
        ("/01/09520123456795", "successor-version"),
    ] {
        let pointer = ("/defaultLinkType".to_owned(), "RES-2.11-1");
        assert!(found(&record(anchor, successor)).0.contains(&pointer), "{anchor} {successor}");
    }
}

/// A successor on this resolver has one spelling; in others it could lead back to its record,
/// unnoticed by those who look for circles.
#[test]
fn section_2_11_a_successor_has_one_spelling() {
    let key = "01/09520123456795";
    let compressed = "eh30164596f40c0e5cbe991a83";
    for (root, href, is_fine) in [
        ("https://id.example.org", format!("https://id.example.org/{key}"), true),
        ("https://id.example.org", format!("https://id.example.org/{key}?old=1#x"), true),
        ("https://id.example.org/shop", format!("https://id.example.org/shop/{key}"), true),
        ("https://id.example.org", format!("https://other.example/x/../{key}/10/L"), true),
        ("https://id.example.org", format!("http://id.example.org/{key}"), false),
        ("https://id.example.org", format!("https://ID.example.org/{key}"), false),
        ("https://id.example.org", format!("https://id.example.org./{key}"), false),
        ("https://id.example.org", format!("https://id.example.org:443/{key}"), false),
        ("https://id.example.org", format!("https://id.example.org/x/../{key}"), false),
        ("https://id.example.org", format!("https://id.example.org/{key}/"), false),
        ("https://id.example.org", format!("https://id.example.org/{key}/10/L"), false),
        ("https://id.example.org", "https://id.example.org/gtin/09520123456795".into(), false),
        ("https://id.example.org", "https://id.example.org/01/9520123456795".into(), false),
        ("https://id.example.org", "https://id.example.org/%301/09520123456795".into(), false),
        ("https://id.example.org", "https://id.example.org/01/0952012345679%35".into(), false),
        ("https://id.example.org", "https://id.example.org/01/{01}".into(), false),
        ("https://id.example.org", format!("https://id.example.org/{compressed}"), false),
    ] {
        let root = ResolverRoot::parse(root).expect("a root");
        let vocabulary = Vocabulary::builtin();
        let rules = Rules::new(&vocabulary).with_resolver_root(&root);
        let record = format!(
            r#"{{"anchor": "/01/09520123456788", "defaultLinkType": "successor-version", "links": [
                {{"linkType": "successor-version", "href": "{href}", "title": "New"}}]}}"#
        );
        let refused = read_record(record.as_bytes(), &rules).is_err();
        assert_eq!(refused, !is_fine, "{href}");
    }
}

#[test]
fn members_of_links_are_judged() {
    for (members, pointer, id) in [
        (r#""colour": "red""#, "/colour", "RES-2.5.7-1"),
        (r#""title*": "x""#, "/title*", "RES-2.5.7-1"),
        (r#""a/b~": 1"#, "/a~1b~0", "RES-2.5.7-1"),
        (r#""fwqs": "no""#, "/fwqs", "RES-2.5.7-1"),
        (r#""hreflang": "en""#, "/hreflang", "RES-2.5.4-3"),
        (r#""hreflang": ["en", 7]"#, "/hreflang/1", "RES-2.5.4-3"),
        (r#""hreflang": ["en", "english"]"#, "/hreflang/1", "RES-2.5.4-2"),
        (r#""hreflang": null"#, "/hreflang", "RES-2.5.4-3"),
        (r#""context": "CH""#, "/context", "RES-2.5.6-2"),
        (r#""context": [{}]"#, "/context/0", "RES-2.5.6-2"),
        (r#""context": ["CH", " "]"#, "/context/1", "RES-2.5.6-1"),
        (r#""context": ["C\nH"]"#, "/context/0", "RES-2.5.6-1"),
        (r#""type": ["text/html"]"#, "/type", "RES-2.5.5-2"),
        (r#""type": "html""#, "/type", "RES-2.5.5-2"),
        (r#""type": "text/superhtml""#, "/type", "RES-2.5.5-2"),
        (r#""type": "text/html\r\nX: y""#, "/type", "RES-2.5.5-2"),
        (r#""validFrom": "1 May 2026""#, "/validFrom", "RES-2.5.7-2"),
        (r#""validFrom": 1777593600"#, "/validFrom", "RES-2.5.7-2"),
        (r#""validUntil": "2026-05-01""#, "/validUntil", "RES-2.5.7-2"),
        (
            r#""validFrom": "2026-05-01T00:00:00Z", "validUntil": "2026-05-01T02:00:00+02:00""#,
            "/validUntil",
            "RES-2.5.7-2",
        ),
    ] {
        let expected = vec![(format!("/links/2{pointer}"), id)];
        assert_eq!(found(&link(members)).0, expected, "{members}");
    }
}

#[test]
fn needed_members_are_missed_all_at_once() {
    // RES-2.5.1-1, RES-2.5.2-1, RES-2.5.3-1
    let expected = [
        ("/links/2", "RES-2.5.2-1"),
        ("/links/2", "RES-2.5.1-1"),
        ("/links/2", "RES-2.5.3-1"),
        ("/links/3/linkType", "RES-2.5.2-1"),
        ("/links/3/href", "RES-2.5.1-1"),
        ("/links/3/title", "RES-2.5.3-1"),
        ("/links/4", "RES-2.5.1-1"),
    ];
    let links = r#", {}, {"linkType": 1, "href": null, "title": ["x"]}, "https://example.com/""#;
    let expected = expected.map(|(pointer, id)| (pointer.to_owned(), id)).to_vec();
    assert_eq!(found(&with_links(links)).0, expected);
}

#[test]
fn titles_are_readable_text() {
    // RES-2.5.3-1
    let long = "x".repeat(1025);
    for title in ["", " ", "\\u00a0", "a\\u0007", "a\\u0085b", "a\\nb", &long] {
        let links = format!(
            r#", {{"linkType": "gs1:faqs", "href": "https://example.com/f", "title": "{title}"}}"#
        );
        let expected = vec![("/links/2/title".to_owned(), "RES-2.5.3-1")];
        assert_eq!(found(&with_links(&links)).0, expected, "{title}");
    }
}

#[test]
fn default_links_carry_no_attributes() {
    // RES-2.5.8-2
    let record = r#"{"anchor": "/01/09520123456788", "links": [
        {"linkType": "gs1:defaultLink", "href": "https://example.com/p", "title": "Tea",
         "context": ["CH"], "hreflang": ["en"], "type": "text/html"},
        {"linkType": "gs1:pip", "href": "https://example.com/p", "title": "Tea"}]}"#;
    let expected = ["type", "hreflang", "context"];
    let expected = expected.map(|name| (format!("/links/0/{name}"), "RES-2.5.8-2")).to_vec();
    assert_eq!(found(record).0, expected);
}

#[test]
fn rules_across_links_name_both_ends() {
    // RES-2.5.8-1
    let two = r#", {"linkType": "gs1:defaultLink", "href": "https://example.com/p", "title": "T"}"#;
    let refused = read(&with_links(two)).unwrap_err();
    assert_eq!(
        refused.to_string(),
        "/links/2: expected one default link, found another at /links/0 (RES-2.5.8-1)"
    );
    // RES-2.5.8-3
    let alone = r#", {"linkType": "gs1:defaultLinkMulti", "href": "https://example.com/fr",
        "title": "T", "hreflang": ["fr"]}"#;
    let expected = vec![("/links/2".to_owned(), "RES-2.5.8-3")];
    assert_eq!(found(&with_links(alone)).0, expected);
}

/// PE-20: one line for one page is the same entry as the line and its default link, byte for byte,
/// and its faults are reported once, where they are.
#[test]
fn one_line_is_a_default_link_and_descriptive() {
    let record = |links: &str| format!(r#"{{"anchor": "/01/09520123456788", "links": [{links}]}}"#);
    let one = record(
        r#"{"linkType": "gs1:pip", "href": "https://example.com/p", "title": "Tea", "hreflang": ["en"],
            "type": "text/html", "default": true},
        {"linkType": "gs1:pip", "href": "https://example.com/fr", "title": "Thé", "hreflang": ["fr"],
            "default": "variant"},
        {"linkType": "gs1:faqs", "href": "https://example.com/f", "title": "F", "default": false},
        {"linkType": "gs1:pip", "href": "https://example.com/c", "title": "Sale", "default": true,
            "validFrom": "2026-05-01T00:00:00Z", "validUntil": "2026-05-08T00:00:00Z"}"#,
    );
    let two = record(
        r#"{"linkType": "gs1:defaultLink", "href": "https://example.com/p", "title": "Tea"},
        {"linkType": "gs1:pip", "href": "https://example.com/p", "title": "Tea", "hreflang": ["en"],
            "type": "text/html"},
        {"linkType": "gs1:defaultLinkMulti", "href": "https://example.com/fr", "title": "Thé",
            "hreflang": ["fr"]},
        {"linkType": "gs1:pip", "href": "https://example.com/fr", "title": "Thé", "hreflang": ["fr"]},
        {"linkType": "gs1:faqs", "href": "https://example.com/f", "title": "F"},
        {"linkType": "gs1:defaultLink", "href": "https://example.com/c", "title": "Sale",
            "validFrom": "2026-05-01T00:00:00Z", "validUntil": "2026-05-08T00:00:00Z"},
        {"linkType": "gs1:pip", "href": "https://example.com/c", "title": "Sale",
            "validFrom": "2026-05-01T00:00:00Z", "validUntil": "2026-05-08T00:00:00Z"}"#,
    );
    let [one, two] = [one, two].map(|json| read(&json).unwrap());
    assert_eq!(one.entry.encode(), two.entry.encode());
    assert_eq!(one.entry.links().count(), 7);
    // It is read as it is written shorter.
    let written = fingerpost_resolver::write_record(&two.entry);
    assert_eq!(written.matches("linkType").count(), 4, "{written}");
    assert_eq!(written.matches(r#""default":"variant""#).count(), 1, "{written}");
    assert_eq!(read(&written).unwrap().entry.encode(), two.entry.encode());
    let (faults, _) = found(&record(
        r#"{"linkType": "gs1:pip", "href": "nowhere", "title": " ", "default": true},
        {"linkType": "gs1:pip", "href": "https://example.com/p", "title": "Tea", "default": "yes"},
        {"linkType": "gs1:defaultLinkMulti", "href": "https://example.com/p", "title": "Tea",
            "hreflang": ["de"], "default": true},
        {"linkType": "gs1:pip", "href": "https://example.com/q", "title": "Tea", "default": true}"#,
    ));
    let expected = [
        ("/links/0/href", "RES-2.5.1-2"),
        ("/links/0/title", "RES-2.5.3-1"),
        ("/links/1/default", "RES-2.5.8-3"),
        ("/links/2/default", "RES-2.5.8-3"),
        ("/links/3", "RES-2.5.8-1"),
    ];
    assert_eq!(faults, expected.map(|(pointer, id)| (pointer.to_owned(), id)));
}

/// PE-18, RES-2.5.1-7: a link that no request of exactly its level gets is meant for levels below;
/// its author is told.
#[test]
fn a_target_that_its_own_level_cannot_fill_is_noted() {
    let with = |href: &str| {
        found(&with_links(&format!(
            r#", {{"linkType": "gs1:traceability", "href": "{href}", "title": "T"}}"#
        )))
    };
    let noted = vec![("/links/2/href".to_owned(), "RES-2.5.1-7")];
    for href in ["https://t.example/{01}/{10}", "https://t.example/?g={01}#{21}"] {
        assert_eq!(with(href), (vec![], noted.clone()), "{href}");
    }
    for href in ["https://t.example/{01}?lot={10}", "https://t.example/#{01}"] {
        assert_eq!(with(href), (vec![], vec![]), "{href}");
    }
    for anchor in ["/01/09520123456788/10/L7", "/01/09520123456788/-any/10"] {
        let record = format!(
            r#"{{"anchor": "{anchor}", "links": [
                {{"linkType": "gs1:traceability", "href": "https://t.example/{{10}}", "title": "T"}}]}}"#
        );
        assert_eq!(found(&record), (vec![], vec![]), "{anchor}");
    }
}

#[test]
fn variants_are_told_apart_whatever_their_spelling() {
    // RES-2.5.8-5
    let variant = |members: &str| {
        format!(
            r#", {{"linkType": "gs1:defaultLinkMulti", "href": "https://example.com/p",
                "title": "T", {members}}}"#
        )
    };
    for (one, other) in [
        (r#""hreflang": ["fr", "de"]"#, r#""hreflang": ["DE", "fr", "FR"]"#),
        (r#""type": "text/html""#, r#""type": "Text/HTML; charset=utf-8""#),
        (r#""context": ["ch"]"#, r#""context": ["CH"]"#),
    ] {
        let expected = vec![("/links/3".to_owned(), "RES-2.5.8-5")];
        let links = variant(one) + &variant(other);
        assert_eq!(found(&with_links(&links)).0, expected, "{one} {other}");
    }
    let differ = variant(r#""hreflang": ["fr"]"#) + &variant(r#""hreflang": ["fr", "de"]"#);
    assert_eq!(found(&with_links(&differ)), (vec![], vec![]));
}

#[test]
fn odd_but_allowed_things_earn_a_warning() {
    let variant = r#", {"linkType": "gs1:defaultLinkMulti", "href": "https://example.com/p",
        "title": "T", "hreflang": ["fr"]}"#;
    let deprecated = r#", {"linkType": "gs1:productSustainabilityInfo",
        "href": "https://example.com/s", "title": "S"}"#;
    let bare_variant =
        r#", {"linkType": "gs1:defaultLinkMulti", "href": "https://example.com/p", "title": "T"}"#;
    for (record, expected) in [
        (with_links(variant), ("/links/2", "RES-2.5.8-5")),
        (with_links(deprecated), ("/links/2/linkType", "RES-2.5.2-2")),
        (with_links(&format!("{variant}{bare_variant}")), ("/links/3", "RES-2.5.8-4")),
        (link(r#""context": ["ch", "DE"]"#), ("/links/2/context/1", "RES-2.5.6-3")),
        (with_links("").replace("itemDescription", "description"), ("/description", "ER-4")),
        (
            with_links("").replace("/01/09520123456788", "/8006/095060001343520102/22/V"),
            ("/anchor", "ER-1"),
        ),
    ] {
        let expected = vec![(expected.0.to_owned(), expected.1)];
        assert_eq!(found(&record), (vec![], expected), "{record}");
    }
}

#[test]
fn dropped_members_leave_no_trace() {
    // RES-2.5.7-1, RES-2.12-5, ER-7
    let plain = read(&link("")).expect("accepted").entry;
    let dropped = read(&link(r#""fwqs": false, "public": true"#)).expect("accepted");
    assert_eq!(dropped.entry, plain);
    assert!(dropped.warnings.is_empty());
}

#[test]
fn anchors_are_levels() {
    for (anchor, id) in [
        ("/01/09520123456789", "RES-2.4-1"),
        ("/01/09520123456788/17/261231", "RES-2.4-1"),
        ("/01/09520123456788/", "RES-2.4-1"),
        ("/01/9520123456788", "RES-2.4-1"),
        ("/shop/01/09520123456788", "RES-2.4-1"),
        ("01/09520123456788", "RES-2.4-1"),
        ("", "RES-2.4-1"),
        ("https://id.example.org/01/09520123456788?x=1", "RES-2.4-1"),
        ("https://id.example.org/about", "RES-2.4-1"),
        ("https://other.example/01/09520123456789", "RES-2.4-1"),
        ("https://other.example/DBHKVAdpQgowOQ", "RES-2.3-4"),
        ("/01/09520123456788/235/T1/10/L1", "RES-2.5.10-1"),
        ("/01/09520123456788/10/L1/21/S1", "RES-2.5.10-2"),
        ("/8006/095060001343520102/22/V1/21/S1", "RES-2.5.10-2"),
        // IN-15: nobody could open these.
        ("/01/09520123456788/10/..", "GS1-DL-28"),
        ("/01/09520123456788/21/%2E", "GS1-DL-28"),
        ("https://id.example.org/01/09520123456788/10/%2e%2e", "GS1-DL-28"),
    ] {
        let record = with_links("").replace("/01/09520123456788", anchor);
        assert_eq!(found(&record).0, [("/anchor".to_owned(), id)], "{anchor}");
    }
    for (anchor, key) in [
        ("/01/09520123456788/22/V1/10/L1", "01/09520123456788/22/V1/10/L1"), // RES-2.5.10-3
        ("/01/09520123456788/10/%41%2fB", "01/09520123456788/10/A%2FB"),
        ("/415/9520123456788", "415/9520123456788"), // ER-10
        ("https://id.example.org/01/09520123456788/21/S", "01/09520123456788/21/S"),
        ("https://other.example/a/b/01/09520123456788", "01/09520123456788"),
    ] {
        let record = with_links("").replace("/01/09520123456788", anchor);
        let entry = read(&record).expect("accepted").entry;
        assert_eq!(entry.anchor().as_str(), key);
    }
}

#[test]
fn the_record_itself_is_judged() {
    for (record, pointer, id) in [
        ("[]", "", "RES-2.5.7-1"),
        ("{\"anchor\": \"/01/09520123456788\", \"links\": []}", "", "RES-2.5.1-1"),
        ("{\"anchor\": \"/01/09520123456788\", \"links\": {}}", "/links", "RES-2.5.1-1"),
        ("{\"anchor\": \"/01/09520123456788\"}", "", "RES-2.5.1-1"),
        ("{\"anchor\"", "", "RFC 8259"),
    ] {
        assert_eq!(found(record).0, [(pointer.to_owned(), id)], "{record}");
    }
    let record = with_links("");
    for (from, to, pointer, id) in [
        ("\"anchor\": \"/01/09520123456788\", ", "", "", "RES-2.4-1"),
        ("\"/01/09520123456788\"", "7", "/anchor", "RES-2.4-1"),
        ("\"anchor\"", "\"fwqs\": true, \"anchor\"", "/fwqs", "RES-2.5.7-1"),
        ("\"anchor\"", "\"anchor\": \"x\", \"anchor\"", "/anchor", "RFC 8259"),
        (
            "\"itemDescription\": \"Tea\"",
            "\"itemDescription\": \" \"",
            "/itemDescription",
            "RES-2.10-12",
        ),
        (
            "\"itemDescription\": \"Tea\"",
            "\"itemDescription\": null",
            "/itemDescription",
            "RES-2.10-12",
        ),
        (
            "\"itemDescription\"",
            "\"description\": \"Coffee\", \"itemDescription\"",
            "/description",
            "ER-4",
        ),
    ] {
        assert_eq!(found(&record.replacen(from, to, 1)).0, [(pointer.to_owned(), id)], "{to}");
    }
}

#[test]
fn nothing_is_unbounded() {
    let many = |count: usize| {
        let link = r#", {"linkType": "gs1:faqs", "href": "https://example.com/f", "title": "F"}"#;
        with_links(&link.repeat(count))
    };
    assert_eq!(found(&many(498)), (vec![], vec![]));
    assert_eq!(found(&many(499)).0[0], ("/links".to_owned(), "RES-2.5.7-1"));
    let list = |name: &str, item: &str, count: usize| {
        link(&format!("\"{name}\": [{}]", vec![item; count].join(",")))
    };
    assert_eq!(found(&list("hreflang", "\"en\"", 300)).0, []);
    let pointer = |name: &str| format!("/links/2/{name}");
    assert_eq!(found(&list("hreflang", "\"en\"", 301)).0, [(pointer("hreflang"), "RES-2.5.4-3")]);
    assert_eq!(found(&list("context", "\"CH\"", 301)).0, [(pointer("context"), "RES-2.5.6-2")]);
    let huge = link(&format!("\"context\": [\"{}\"]", "C".repeat(129)));
    assert_eq!(found(&huge).0, [(pointer("context/0"), "RES-2.5.6-1")]);
    assert_eq!(found(&" ".repeat((1 << 20) + 1)).0, [(String::new(), "RFC 8259")]);
}

/// A request meets up to nine records that cover many levels beside its levels, so each has an
/// eighth of the room of a level. RES-2.5.7-1.
#[test]
fn links_for_many_things_are_bounded_closer() {
    let with = |anchor: &str, count: usize, title: usize, members: &str| {
        let link = format!(
            r#", {{"linkType": "gs1:faqs", "href": "https://example.com/f", "title": "{}"{members}}}"#,
            "F".repeat(title)
        );
        found(&with_links(&link.repeat(count)).replacen("/01/09520123456788", anchor, 1)).0
    };
    let list = |name: &str, item: &str, count: usize| {
        format!(", \"{name}\": [{}]", vec![format!("\"{item}\""); count].join(","))
    };
    let refused = vec![("/links".to_owned(), "RES-2.5.7-1")];
    let key = "/01/09520123456788";
    for anchor in ["/gcp/9520123", &format!("{key}/-any/10"), &format!("{key}/-range/10/1/A/B")] {
        assert_eq!(with(anchor, 62, 1, ""), [], "{anchor}");
        assert_eq!(with(anchor, 63, 1, ""), refused, "{anchor}");
        for (name, item) in [("hreflang", "en"), ("context", "CH")] {
            assert_eq!(with(anchor, 1, 1, &list(name, item, 256)), [], "{anchor} {name}");
            assert_eq!(with(anchor, 1, 1, &list(name, item, 257)), refused, "{anchor} {name}");
        }
        assert_eq!(with(anchor, 60, 200, ""), [], "{anchor}");
        assert_eq!(with(anchor, 60, 300, ""), refused, "{anchor}");
    }
    assert_eq!(with(&format!("{key}/10/A"), 63, 300, ""), []);
}

/// What all links of a level come to together, because a request looks at all of them and a linkset
/// holds all of them.
#[test]
fn links_are_bounded_together() {
    let many = |count: usize, members: &str| {
        let link = format!(
            r#", {{"linkType": "gs1:faqs", "href": "https://example.com/f", "title": "F", {members}}}"#
        );
        found(&with_links(&link.repeat(count))).0
    };
    let list = |name: &str, item: &str, count: usize| {
        format!("\"{name}\": [{}]", vec![format!("\"{item}\""); count].join(","))
    };
    let refused = vec![("/links".to_owned(), "RES-2.5.7-1")];
    for (name, item) in [("hreflang", "en"), ("context", "CH")] {
        assert_eq!(many(8, &list(name, item, 250)), []);
        assert_eq!(many(8, &list(name, item, 251)), refused, "{name}");
    }
    let sized = |bytes: usize| {
        let link = format!(
            r#", {{"linkType": "gs1:faqs", "href": "https://example.com/f", "title": "{}"}}"#,
            "F".repeat(bytes)
        );
        found(&with_links(&link.repeat(498))).0
    };
    let others = "https://ref.gs1.org/voc/faqs".len() + "https://example.com/f".len();
    let whole = (128 << 10) / 498 - others;
    assert_eq!(sized(whole - 1), []);
    assert_eq!(sized(whole + 1), refused);
    let template = |count: usize| {
        let href = format!("https://example.com/{}", "{01}".repeat(count));
        let link = format!(r#", {{"linkType": "gs1:faqs", "href": "{href}", "title": "F"}}"#);
        found(&with_links(&link)).0
    };
    assert_eq!(template(16), []);
    assert_eq!(template(17), [("/links/2/href".to_owned(), "RES-2.5.1-3")]);
}
