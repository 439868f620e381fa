//! Context objects of GS1 linksets as records.

use fingerpost_resolver::{
    Accepted, Link, Refused, ResolverRoot, Rules, Vocabulary, read_linkset_context, read_record,
};

fn read(json: &str) -> Result<Accepted, Refused> {
    let vocabulary = Vocabulary::builtin();
    let root = ResolverRoot::parse("https://id.example.org/shop").expect("a root");
    read_linkset_context(json.as_bytes(), &Rules::new(&vocabulary).with_resolver_root(&root))
}

const CONTEXT: &str = r#"{
    "anchor": "https://id.example.org/shop/01/09520123456788/10/A%2fB",
    "itemDescription": "Tea",
    "https://gs1.org/voc/defaultLink": [{"href": "https://example.com/p", "title": "Tea"}],
    "https://ref.gs1.org/voc/pip": [
        {"href": "https://example.com/p", "title": "Tea", "type": "text/html", "hreflang": ["en"],
         "context": ["CH"], "fwqs": true, "public": true},
        {"href": "https://example.com/fr", "title": "Thé"}],
    "license": [{"href": "https://example.com/licence", "title": "Licence"}]}"#;

#[test]
fn a_context_object_is_a_level() {
    // RES-2.14-2, ER-7, ER-20
    let accepted = read(CONTEXT).expect("accepted");
    assert!(accepted.warnings.is_empty());
    let entry = accepted.entry;
    assert_eq!(entry.anchor().as_str(), "01/09520123456788/10/A%2FB");
    assert_eq!(entry.item_description(), Some("Tea"));
    let types: Vec<&str> = entry.links().map(Link::link_type).collect();
    let voc = "https://ref.gs1.org/voc/";
    assert_eq!(
        types,
        [&format!("{voc}defaultLink"), &format!("{voc}pip"), &format!("{voc}pip"), "license"]
    );

    let record = r#"{"anchor": "/01/09520123456788/10/A%2FB", "itemDescription": "Tea", "links": [
        {"linkType": "gs1:defaultLink", "href": "https://example.com/p", "title": "Tea"},
        {"linkType": "gs1:pip", "href": "https://example.com/p", "title": "Tea",
         "type": "text/html", "hreflang": ["en"], "context": ["CH"]},
        {"linkType": "gs1:pip", "href": "https://example.com/fr", "title": "Thé"},
        {"linkType": "license", "href": "https://example.com/licence", "title": "Licence"}]}"#;
    let vocabulary = Vocabulary::builtin();
    let same = read_record(record.as_bytes(), &Rules::new(&vocabulary)).expect("accepted");
    assert_eq!(entry, same.entry);
}

#[test]
fn anchors_may_be_paths_or_digital_links() {
    for (anchor, key) in [
        ("/01/09520123456788", "01/09520123456788"),
        ("http://other.example/x/01/09520123456788/21/7", "01/09520123456788/21/7"),
        // Without (8020), which the dictionary wants beside (415): ER-10.
        ("https://other.example/415/9520123456788", "415/9520123456788"),
    ] {
        let context =
            CONTEXT.replacen("https://id.example.org/shop/01/09520123456788/10/A%2fB", anchor, 1);
        assert_eq!(read(&context).expect("accepted").entry.anchor().as_str(), key);
    }
}

/// RES-2.9-9: a link with a fault is left out with a warning, which has its position; the anchor
/// cannot be left out.
#[test]
fn section_2_9_one_odd_link_does_not_refuse_a_linkset() {
    for (from, to, pointer, id) in [
        (
            "\"href\": \"https://example.com/fr\", ",
            "",
            "/https:~1~1ref.gs1.org~1voc~1pip/1",
            "RES-2.5.1-1",
        ),
        ("[\"en\"]", "\"en\"", "/https:~1~1ref.gs1.org~1voc~1pip/0/hreflang", "RES-2.5.4-3"),
        ("\"license\"", "\"nosuch\"", "/nosuch", "RES-2.5.2-2"),
        ("\"license\"", "\"linkset\"", "/linkset", "RES-2.5.2-4"),
        ("\"license\"", "\"links\"", "/links", "RES-2.5.2-2"),
        (
            "[{\"href\": \"https://example.com/licence\", \"title\": \"Licence\"}]",
            "{}",
            "/license",
            "RES-2.5.1-1",
        ),
        ("\"fwqs\"", "\"linkType\"", "/https:~1~1ref.gs1.org~1voc~1pip/0/linkType", "RES-2.5.7-1"),
        ("voc/defaultLink", "voc/handledBy", "/https:~1~1gs1.org~1voc~1handledBy", "RES-2.8-6"),
        (
            "https://id.example.org/shop/01/09520123456788/10/A%2fB",
            "https://id.example.org/01/09520123456789",
            "/anchor",
            "RES-2.4-1",
        ),
    ] {
        match read(&CONTEXT.replacen(from, to, 1)) {
            Err(refused) => {
                let found: Vec<_> = refused.faults.iter().map(|f| (f.pointer(), f.id())).collect();
                assert_eq!((found, pointer), (vec![(pointer, id)], "/anchor"), "{to}");
            }
            Ok(accepted) => {
                let found: Vec<_> =
                    accepted.warnings.iter().map(|f| (f.pointer(), f.id())).collect();
                assert_eq!(found, [(pointer, id)], "{to}");
                let is_left_out = accepted.warnings[0].to_string().starts_with("left out");
                let is_kept = matches!(to, "\"en\"" | "\"linkType\"");
                assert_eq!(is_left_out, !is_kept, "{to}");
                // Nothing of the link is stored.
                let links = accepted.entry.link_count();
                assert_eq!(links, if is_kept { 4 } else { 3 }, "{to}");
            }
        }
    }
}

/// IN-22 (`title*`), RES-2.9-9, RES-2.5.3-1, RES-2.5.8-2, RES-2.5.4-2: linksets as id.gs1.de and
/// others write them.
#[test]
fn section_2_10_linksets_of_others_are_read() {
    let context = r#"{
        "anchor": "https://id.gs1.de/01/09520123456788",
        "https://gs1.org/voc/defaultLink": [
            {"href": "https://example.com/p", "title": "Tee", "type": "text/html", "hreflang": ["de"]}],
        "https://gs1.org/voc/pip": [
            {"href": "https://example.com/p", "title*": [{"value": "Tee", "language": "de"}], "media": "screen"},
            {"href": "https://example.com/q", "title": " ", "hreflang": ["und", "fr"]}],
        "canonical": [{"href": "https://example.com/c"}]}"#;
    let accepted = read(context).expect("accepted");
    let found: Vec<_> = accepted
        .entry
        .links()
        .map(|link| (link.title().to_owned(), link.languages().collect::<Vec<_>>().join(" ")))
        .collect();
    let pair = |title: &str, tags: &str| (title.to_owned(), tags.to_owned());
    assert_eq!(
        found,
        [
            pair("Tee", ""),
            pair("Tee", ""),
            pair("Product information", "fr"),
            pair("canonical", "")
        ]
    );
    let ids: Vec<_> = accepted.warnings.iter().map(|warning| warning.id()).collect();
    let expected =
        ["RES-2.5.8-2", "RES-2.5.8-2", "RES-2.5.7-1", "RES-2.5.4-2", "RES-2.5.3-1", "RES-2.5.3-1"];
    assert_eq!(ids, expected);
    // A default link on which other rules depend is never left out.
    let refused = read(&context.replacen("https://example.com/p", "nowhere", 1)).unwrap_err();
    assert_eq!(refused.faults[0].id(), "RES-2.5.1-2");
    // A link that would be published at any time is left out, here with what the default link
    // depends on.
    let refused = read(&CONTEXT.replacen("fwqs", "validFrom", 1)).unwrap_err();
    assert_eq!(refused.faults[0].id(), "RES-2.5.8-3");
    // Nor is a record left without links.
    let only = r#"{"anchor": "/01/09520123456788", "license": [{"href": "nowhere"}]}"#;
    assert_eq!(read(only).unwrap_err().faults[0].id(), "RES-2.5.1-1");
}

#[test]
fn rules_across_links_hold_as_for_records() {
    // RES-2.5.8-1, RES-2.5.8-3
    let context = CONTEXT
        .replacen("\"license\"", "\"https://ref.gs1.org/voc/defaultLink\"", 1)
        .replacen("https://example.com/licence", "https://example.com/fr", 1);
    let refused = read(&context).unwrap_err();
    let found: Vec<_> = refused.faults.iter().map(|f| (f.pointer(), f.id())).collect();
    assert_eq!(found, [("/https:~1~1ref.gs1.org~1voc~1defaultLink/0", "RES-2.5.8-1")]);
    let context = CONTEXT.replacen("https://example.com/p", "https://example.com/q", 1);
    let refused = read(&context).unwrap_err();
    assert_eq!(refused.faults[0].id(), "RES-2.5.8-3");
    assert_eq!(refused.faults[0].pointer(), "/https:~1~1gs1.org~1voc~1defaultLink/0");
}
