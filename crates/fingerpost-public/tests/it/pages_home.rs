//! The home page: one field that takes anything and says what it is.

use crate::page;

use fingerpost_public::{Config, Router};
use fingerpost_testkit::unavailable;
use page::{Page, page, router, router_with};
use serde_json::json;

fn ask(question: &str) -> Page {
    let encoded: String = question.bytes().map(|byte| format!("%{byte:02X}")).collect();
    page(&router(""), &format!("/?q={encoded}"), "en")
}

/// The Digital Link that a page shows.
fn canonical(page: &Page) -> Option<&str> {
    let code = page.all("code").into_iter().find(|c| c.attribute("class") == Some("canonical"));
    code.map(|code| &*code.text)
}

/// The address of the link with this class.
fn leads_to<'p>(page: &'p Page, class: &str) -> Option<&'p str> {
    let link = page.all("a").into_iter().find(|a| a.attribute("class") == Some(class));
    link.and_then(|a| a.attribute("href"))
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

/// GS1-OTH-03, GS1-OTH-05, GS1-OTH-06: what a number is stands beside it, in the reader's language.
#[test]
fn numbers_that_are_not_only_products_are_named() {
    let shown = |config: &str, question: &str, language: &str| {
        page(&router(config), &format!("/?q={question}"), language).text
    };
    let weight = "2388060112344";
    let page_of = shown("", weight, "en");
    assert!(page_of.contains("number for use within a country"), "{page_of}");
    assert!(page_of.contains("identifies no product in the world"), "{page_of}");
    assert!(shown("", weight, "de").contains("bezeichnen weltweit kein Produkt"));
    let read = shown("weight_codes = \"SE\"", weight, "de");
    assert!(read.contains("1,234 kg, 23880601"), "{read}");
    let book = shown("", "9780141036144", "fr");
    assert!(book.contains("livre (ISBN)") && !book.contains("aucun produit"), "{book}");
    assert!(shown("", "4150037528643", "en").contains("PZN 03752864"));
    let product = shown("", "9520123456788", "en");
    assert!(!product.contains("GTIN-8") && !product.contains("identifies no product"), "{product}");
    assert!(Config::from_toml("weight_codes = \"XX\"").is_err());
}

/// PE-19: a number of another length is told its own number of digits.
#[test]
fn a_number_of_another_length_is_told_how_many_digits_it_has() {
    for (number, expected) in [
        ("123456789", "The number has 9 digits; a GTIN has 8, 12, 13 or 14."),
        ("12345678901", "The number has 11 digits;"),
        ("1234567", "The number has 7 digits;"),
        ("1234567890", "The number has 10 digits;"),
    ] {
        let text = ask(number).text;
        assert!(text.contains(expected), "{number}: {text}");
    }
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
    let expected = "https://id.example.org/01/09520123456788";
    for question in [
        "<http://a.example/01/09520123456788>",
        "\"http://a.example/01/09520123456788\"",
        "\"http://a.example/01/\r\n 09520123456788\"",
        "URL:http://a.example/01/09520123456788",
        "<URL: http://a.example/\r\n01/09520123456788>",
    ] {
        let shown = ask(question);
        assert!(shown.text.contains("Valid: GS1 Digital Link"), "{question:?}: {}", shown.text);
        assert_eq!(canonical(&shown), Some(expected), "{question:?}");
        assert_eq!(shown.one("input").attribute("value"), Some(question), "the field keeps it");
    }
}

#[test]
fn every_form_is_recognised() {
    let gtin = "https://id.example.org/01/09520123456788";
    let serial = "https://id.example.org/01/09520123456788/21/1001";
    for (question, form, expected) in [
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
        assert_eq!(canonical(&shown), Some(expected), "{question:?}");
        let path = expected.strip_prefix("https://id.example.org").expect("our root");
        let is_registered = path.starts_with("/01/09520123456788");
        assert_eq!(leads_to(&shown, "go"), is_registered.then_some(path), "{question:?}");
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
    let scan = "/01/09520123456788/10/LOT7?17=261231";
    assert_eq!(leads_to(&shown, "go"), Some(scan));
    assert_eq!(leads_to(&shown, "links"), Some(&*format!("{scan}&linkType=linkset")));
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
    assert_eq!((canonical(&other), leads_to(&other, "go")), (None, None));
    let gid = ask("urn:epc:id:gid:1.2.3");
    assert!(gid.text.contains("leads nowhere"), "{}", gid.text);
    // A root with a path: links on this host begin with it.
    let below =
        page(&router("resolver_root = \"https://id.example.org/shop\""), "/?q=9520123456788", "en");
    assert_eq!(canonical(&below), Some("https://id.example.org/shop/01/09520123456788"));
    assert_eq!(leads_to(&below, "go"), Some("/shop/01/09520123456788"));
    assert_eq!(leads_to(&below, "links"), Some("/shop/01/09520123456788?linkType=linkset"));
}

/// The answer is the product: its name, and where a scan by the same reader leads on the host that
/// is looked at. Nothing in it leads to the root, which may be another host.
#[test]
fn the_answer_is_the_product() {
    let tea = |link_type: &str, language: &str, title: &str| {
        json!({"linkType": link_type, "title": title, "hreflang": [language],
            "href": format!("https://{language}.example.com/tea")})
    };
    let records = [
        json!({"anchor": "/01/09520123456788", "itemDescription": "Alpine <tea>", "links": [
            {"linkType": "gs1:defaultLink", "href": "https://www.example.com/tea", "title": "Tea"},
            {"linkType": "gs1:pip", "href": "https://www.example.com/tea", "title": "Tea"},
            tea("gs1:defaultLinkMulti", "fr", "Tisane"), tea("gs1:defaultLinkMulti", "de", "Tee"),
            tea("gs1:pip", "fr", "Tisane"), tea("gs1:pip", "de", "Tee"),
        ]}),
        json!({"anchor": "/01/09520123456795", "links": [
            {"linkType": "gs1:defaultLink", "href": "https://example.com/cup", "title": "Cup"},
            {"linkType": "gs1:pip", "href": "https://example.com/cup", "title": "Cup"},
        ]}),
    ];
    let router = router_with("", &records);
    for (language, title, host) in [
        ("en", "Tea", "example.com"),
        ("fr-CA, en;q=0.5", "Tisane", "fr.example.com"),
        ("de", "Tee", "de.example.com"),
    ] {
        let shown = page(&router, "/?q=(01)09520123456788(10)A", language);
        assert_eq!(shown.one("h1").text, "Alpine <tea>");
        assert!(shown.one("title").text.starts_with("Alpine <tea> – "));
        assert_eq!(leads_to(&shown, "go"), Some("/01/09520123456788/10/A"));
        let open = shown.all("a").into_iter().find(|a| a.attribute("class") == Some("go"));
        let text = &open.expect("a button").text;
        assert!(text.contains(title) && text.contains(host), "{language}: {text}");
        // A scan by the same reader.
        let scan =
            http::Request::get("/01/09520123456788/10/A").header("accept-language", language);
        let scan = router.handle(&scan.body(()).expect("a request"));
        let location = scan.headers()["location"].to_str().expect("ASCII");
        assert!(location.contains(host), "{language}: {location}");
        for link in shown.all("a") {
            assert!(!link.attribute("href").unwrap_or_default().contains("id.example.org"));
        }
        // The analysis comes after it, folded.
        let details = shown.one("details");
        assert!(details.attribute("open").is_none() && details.text.contains("09520123456788"));
        let at = |name: &str| shown.html.find(name).expect(name);
        assert!(at("<h1>") < at("class=\"go\"") && at("class=\"go\"") < at("<details"));
    }
    let cup = page(&router, "/?q=9520123456795", "de");
    assert_eq!(cup.one("h1").text, "Produkt (GTIN) 09520123456795", "no description: its number");
    let unknown = page(&router, "/?q=9520123456801", "en");
    assert_eq!(unknown.one("h1").text, "Not registered here");
    assert_eq!((leads_to(&unknown, "go"), leads_to(&unknown, "links")), (None, None));
    assert!(unknown.text.contains("Valid: barcode number (GTIN)"));
}

/// What another resolver, a record or the lack of a default link makes of a scan is also what the
/// answer makes of it.
#[test]
fn the_answer_follows_the_decision() {
    let toml =
        "patterns = [{ company_prefix = \"9506000\", target_root = \"https://other.example\" }]";
    let other = page(&router(toml), "/?q=9506000134352", "en");
    assert!(other.text.contains("Another resolver has the information"), "{}", other.text);
    assert_eq!(leads_to(&other, "go"), Some("/01/09506000134352"));
    let toml = "default_link_type = \"linkset\"";
    let list = page(&router(toml), "/?q=9520123456788", "en");
    assert_eq!(list.one("h1").text, "Herb tea");
    let broken = Router::new(Config::from_toml("").expect("a configuration"), unavailable());
    assert_eq!(page(&broken, "/?q=9520123456788", "en").status, 503);
    assert_eq!(page(&broken, "/?q=hello", "en").status, 200, "nothing to read");
    assert_eq!(page(&broken, "/", "en").status, 200);
}

/// One wrong check digit is corrected in a link, which nothing follows by itself.
#[test]
fn a_wrong_check_digit_is_corrected_in_a_link() {
    for (question, meant) in [
        ("9520123456780", Some("9520123456788")),
        ("952 0123 45678-0", Some("952 0123 45678-8")),
        ("(01)09520123456789(10)LOT7", Some("(01)09520123456788(10)LOT7")),
        ("https://a.example/01/09520123456789", Some("https://a.example/01/09520123456788")),
        ("/gtin/09520123456788", Some("https://id.example.org/01/09520123456788")),
        ("(01)09520123456789(10)A B", None),
        ("(01)09520123456789(17)261331", None),
        ("95201234567", None),
        ("9520123456788", None),
        ("hello", None),
    ] {
        let shown = ask(question);
        let links = shown.all("a");
        let offered = links.iter().find(|a| a.text.starts_with("Did you mean"));
        assert_eq!(
            offered.map(|a| a.text.as_str()),
            meant.map(|m| format!("Did you mean {m}?")).as_deref()
        );
        assert_eq!(shown.headers.get("location").or(shown.headers.get("refresh")), None);
        if let Some(link) = offered {
            let next = page(&router(""), link.attribute("href").expect("an address"), "en");
            assert_eq!(next.one("h1").text, "Herb tea", "{question}");
        }
    }
}

/// URN-MAP-03: the variant of a periodical is not in its ISSN; the answer is the registered one, as
/// for a request by this name.
#[test]
fn an_issn_finds_the_registered_variant() {
    let link = |link_type: &str| json!({"linkType": link_type, "href": "https://paper.example/17", "title": "Paper"});
    let record = json!({"anchor": "/01/09770317847179", "itemDescription": "Paper, issue 17",
        "links": [link("gs1:defaultLink"), link("gs1:pip")]});
    let shown = page(&router_with("", &[record]), "/?q=urn:issn:0317-8471", "en");
    assert_eq!(shown.one("h1").text, "Paper, issue 17", "{}", shown.text);
    assert_eq!(leads_to(&shown, "go"), Some("/01/09770317847179"));
}

/// IN-1, IN-2: what was probably meant is proposed in every language, beside a fault and beside a
/// valid text that hides it.
#[test]
fn lost_separators_lead_to_a_proposal() {
    for question in ["010952012345678810COV010917270901", "]C1010952012345678810COV010917270901"] {
        let shown = ask(question);
        let query =
            leads_to_proposal(&shown).unwrap_or_else(|| panic!("{question}: {}", shown.text));
        let meant = page(&router(""), query, "en");
        let expected = "https://id.example.org/01/09520123456788/10/COV0109?17=270901";
        assert_eq!(canonical(&meant), Some(expected), "{question}");
        assert!(leads_to_proposal(&meant).is_none(), "{question}");
    }
    let shown = ask("1021072911172405310109520123456788");
    assert!(shown.text.contains("Not valid"), "{}", shown.text);
    let expected = "Did you mean https://id.example.org/01/09520123456788/10/21072911?17=240531?";
    assert!(shown.text.contains(expected), "{}", shown.text);
}

fn leads_to_proposal(page: &Page) -> Option<&str> {
    page.all("a").into_iter().filter_map(|a| a.attribute("href")).find(|to| to.starts_with("/?q="))
}
