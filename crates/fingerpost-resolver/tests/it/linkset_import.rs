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

#[test]
fn pointers_go_into_the_object() {
    for (from, to, place, id) in [
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
        (
            "\"fwqs\"",
            "\"validFrom\"",
            "/https:~1~1ref.gs1.org~1voc~1pip/0/validFrom",
            "RES-2.5.7-1",
        ),
        ("voc/defaultLink", "voc/handledBy", "/https:~1~1gs1.org~1voc~1handledBy", "RES-2.8-6"),
        (
            "https://id.example.org/shop/01/09520123456788/10/A%2fB",
            "https://id.example.org/01/09520123456789",
            "/anchor",
            "RES-2.4-1",
        ),
    ] {
        let refused = read(&CONTEXT.replacen(from, to, 1)).unwrap_err();
        let found: Vec<_> = refused.faults.iter().map(|f| (f.pointer(), f.id())).collect();
        assert_eq!(found, [(place, id)], "{to}");
    }
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
