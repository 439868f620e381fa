//! The home page: one field that takes anything and says what it is.

use crate::page;

use page::{Page, page, router};

fn ask(question: &str) -> Page {
    let encoded: String = question.bytes().map(|byte| format!("%{byte:02X}")).collect();
    page(&router(""), &format!("/?q={encoded}"), "en")
}

/// The addresses a page leads to: canonical, and on this host.
fn leads_to(page: &Page) -> (Option<&str>, Option<&str>) {
    let of = |class: &str| {
        page.all("a")
            .into_iter()
            .find(|a| a.attribute("class") == Some(class))
            .and_then(|a| a.attribute("href"))
    };
    (of("canonical"), of("go"))
}

#[test]
fn the_form_needs_no_script() {
    let home = page(&router(""), "/", "en");
    let form = home.one("form");
    assert_eq!((form.attribute("action"), form.attribute("method")), (Some("/"), Some("get")));
    assert_eq!(form.attribute("role"), Some("search"));
    assert_eq!(home.one("input").attribute("name"), Some("q"));
    assert!(home.all("script").is_empty());
    assert_eq!(home.header("cache-control"), "no-cache");
    assert!(!home.header("etag").is_empty());
}

/// A resolver suggests nothing that it may not know: only what the operator chose.
#[test]
fn examples_are_those_of_the_configuration() {
    let examples = |home: &Page| -> Vec<(String, String)> {
        let links = home.all("a").into_iter().filter(|a| a.attribute("class") == Some("try"));
        links.map(|a| (a.text.clone(), a.attribute("href").expect("a query").to_owned())).collect()
    };
    for target in ["/", "/?q=9520123456788"] {
        let home = page(&router(""), target, "en");
        assert_eq!(examples(&home), [], "{target}");
        assert!(!home.text.contains("Examples to try"), "{target}");
    }
    let chosen = ["9520123456788", "(01)09520123456788(10)LOT7", "a <b> & 'c' + ä"];
    let router = router(&format!("brand.examples = {chosen:?}"));
    let home = page(&router, "/", "en");
    assert!(home.text.contains("Examples to try"));
    let found = examples(&home);
    assert_eq!(found.iter().map(|(text, _)| &**text).collect::<Vec<_>>(), chosen);
    for (text, query) in found {
        let shown = page(&router, &query, "en");
        assert_eq!(shown.one("input").attribute("value"), Some(&*text));
    }
}

/// RFC 3986, appendix C: the field takes what was copied with its delimiters. URI-EXT-05.
#[test]
fn rfc_3986_appendix_c_delimiters_are_stripped() {
    let canonical = "https://id.example.org/01/09520123456788";
    for question in [
        "<http://a.example/01/09520123456788>",
        "\"http://a.example/01/09520123456788\"",
        "\"http://a.example/01/\r\n 09520123456788\"",
        "URL:http://a.example/01/09520123456788",
        "<URL: http://a.example/\r\n01/09520123456788>",
    ] {
        let shown = ask(question);
        assert!(shown.text.contains("Valid: GS1 Digital Link"), "{question:?}: {}", shown.text);
        assert_eq!(leads_to(&shown).0, Some(canonical), "{question:?}");
        assert_eq!(shown.one("input").attribute("value"), Some(question), "the field keeps it");
    }
}

#[test]
fn every_form_is_recognised() {
    let gtin = "https://id.example.org/01/09520123456788";
    let serial = "https://id.example.org/01/09520123456788/21/1001";
    for (question, form, canonical) in [
        ("9520123456788", "barcode number (GTIN)", gtin),
        (" 952 0123 45678-8 ", "barcode number (GTIN)", gtin),
        ("(01)09520123456788", "element string", gtin),
        ("^0109520123456788", "raw barcode data", gtin),
        ("]d20109520123456788", "scanned data", gtin),
        ("https://other.example/a/01/09520123456788", "GS1 Digital Link", gtin),
        ("/01/09520123456788", "end of a GS1 Digital Link", gtin),
        (
            "195201234567891232",
            "number of a logistic unit (SSCC)",
            "https://id.example.org/00/195201234567891232",
        ),
        ("urn:epc:id:sgtin:9520123.045678.1001", "EPC name (URN)", serial),
        ("urn:epc:tag:sgtin-96:3.9520123.045678.1001", "EPC Tag URI", serial),
        ("3016450fec2c9b80000003e9", "RFID data in hexadecimal", serial),
        (
            "https://other.example/eh3016450fec2c9b80000003e9",
            "GS1 Digital Link with RFID data",
            serial,
        ),
        ("urn:isbn:0-451-45052-3", "name (URN)", "https://id.example.org/01/09780451450524"),
        ("URN:issn:0317-8471", "name (URN)", "https://id.example.org/01/09770317847001"),
    ] {
        let shown = ask(question);
        assert_eq!(shown.status, 200);
        assert!(shown.text.contains(&format!("Valid: {form}")), "{question:?}: {}", shown.text);
        let path = canonical.strip_prefix("https://id.example.org").expect("our root");
        let open = format!("{path}?linkType=linkset");
        assert_eq!(leads_to(&shown), (Some(canonical), Some(open.as_str())), "{question:?}");
        assert!(shown.text.contains("What it says"), "identifiers in words");
    }
    let shown = ask("(01)09520123456788(10)LOT7(17)261231");
    let names: Vec<&str> = shown
        .all("th")
        .iter()
        .filter(|th| th.attribute("scope") == Some("row"))
        .map(|th| &*th.text)
        .collect();
    assert_eq!(names, ["Product (GTIN) (01)", "Batch or lot (10)", "Use by (17)"]);
    let open = "/01/09520123456788/10/LOT7?17=261231&linkType=linkset";
    assert_eq!(leads_to(&shown).1, Some(open));
}

#[test]
fn faults_are_underlined() {
    for (question, marked, message) in [
        ("9520123456780", "0", "the check digit is 0, but should be 8"),
        ("952 0123 45678-0", "0", "the check digit is 0"),
        ("(01)09520123456788(10)A B", " ", "a character that is not allowed"),
        ("(01)09520123456788(17)261331", "13", "this date or time does not exist"),
        ("https://a.example/01/09520123456789", "9", "the check digit is 9"),
        ("hello", "hello", "It contains no recognisable GS1 identifier."),
        ("urn:isbn:0451450524", "urn:isbn:0451450524", "The name is malformed."),
        ("urn:foo:bar", "urn:foo:bar", "contain no GS1 identifier"),
        ("ff66c4409047e14000001a85", "ff", "not a known kind of RFID data"),
    ] {
        let shown = ask(question);
        assert!(shown.text.contains("Not valid: "), "{question}: {}", shown.text);
        assert!(shown.text.contains(message), "{question}: {}", shown.text);
        let marks: Vec<&str> = shown.all("mark").iter().map(|mark| &*mark.text).collect();
        assert!(marks.contains(&marked), "{question}: {marks:?}");
        let input = shown.one("input");
        assert_eq!(input.attribute("aria-invalid"), Some("true"));
        assert_eq!(input.attribute("aria-describedby"), Some("q-help q-fault"));
    }
}

#[test]
fn what_is_valid_but_leads_nowhere_says_so() {
    let shown = ask("(10)ABC");
    assert!(
        shown.text.contains("Nothing in it names") || shown.text.contains("Not valid"),
        "{}",
        shown.text
    );
    let other = page(&router("supported_primary_keys = [\"414\"]"), "/?q=9520123456788", "en");
    assert!(other.text.contains("no information about identifiers of this kind"), "{}", other.text);
    assert_eq!(leads_to(&other), (None, None));
    let gid = ask("urn:epc:id:gid:1.2.3");
    assert!(gid.text.contains("leads nowhere"), "{}", gid.text);
    // A root with a path: links on this host begin with it.
    let below =
        page(&router("resolver_root = \"https://id.example.org/shop\""), "/?q=9520123456788", "en");
    assert_eq!(
        leads_to(&below),
        (
            Some("https://id.example.org/shop/01/09520123456788"),
            Some("/shop/01/09520123456788?linkType=linkset")
        )
    );
}
