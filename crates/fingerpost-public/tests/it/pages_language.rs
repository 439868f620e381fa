//! Pages speak the reader's language (RFC 4647 lookup, RFC 9110 sections 8.5 and 12.5.4), wholly:
//! no text falls back unsaid.

use crate::body;
use crate::page;

use page::{Page, page, router, router_with};
use serde_json::{Value, json};

const LANGUAGES: [&str; 7] = ["en", "ar", "de", "es", "fr", "ja", "pt"];

/// RES-2.10-10: which language it is, and by what it was chosen.
#[test]
fn the_language_is_the_readers() {
    let router = router("");
    for (header, language) in [
        ("fr-CA, fr;q=0.9, en;q=0.8", "fr"),
        ("nl, de-CH;q=0.7", "de"),
        ("es-419", "es"),
        ("pt-BR", "pt"),
        ("ja-JP", "ja"),
        ("ar-EG", "ar"),
        ("zh-Hant, *;q=0.1", "en"),
        ("tlh", "en"),
        ("", "en"),
        ("de;q=0, *", "en"),
    ] {
        for target in [
            "/",
            "/?q=1",
            "/01/09520123456788?linkType=linkset",
            "/01/09520123456788?linkType=gs1:recipeInfo",
            "/01/09520123456789",
            "/01/09506000134369",
        ] {
            let found = page(&router, target, header);
            assert_eq!(found.header("content-language"), language, "{header} {target}");
            assert_eq!(
                found.header("vary"),
                "Accept, Accept-Language, Accept-Encoding",
                "{target}"
            );
            let html = found.one("html");
            assert_eq!(html.attribute("lang"), Some(language));
            assert_eq!(html.attribute("dir"), (language == "ar").then_some("rtl"));
        }
    }
}

/// PE-12: what may help is said in the reader's language, and not in English besides.
#[test]
fn advice_about_a_bad_address_is_in_one_language() {
    let router = router("");
    for path in ["/01/09520123456789", "/01/", "/xx/1", "/01/09520123456788/10/", "/01/%"] {
        for language in LANGUAGES {
            let found = page(&router, path, language);
            assert_eq!(found.status, 400, "{path}");
            let is_english = found.text.contains("What may help");
            assert_eq!(is_english, language == "en", "{language} {path}: {}", found.text);
            let lists = found.all("ul");
            let advice = lists.iter().find(|list| list.attribute("class") == Some("advice"));
            assert!(advice.is_some_and(|list| list.text.len() > 10), "{language} {path}: advice");
        }
    }
}

/// Texts of a page that are the same in English: marked as English, stored by the owner, or the
/// same words.
fn unsaid<'p>(mine: &'p Page, english: &Page) -> Vec<&'p str> {
    let texts = |page: &'p Page| {
        page.elements.iter().filter(|e| {
            ["h1", "h2", "h3", "p", "label", "button", "caption", "th", "summary", "dt"]
                .contains(&&*e.name)
        })
    };
    texts(mine)
        .filter(|e| e.attribute("lang").is_none() && e.text.chars().any(char::is_alphabetic))
        .filter(|e| {
            english.elements.iter().any(|other| other.name == e.name && other.text == e.text)
        })
        .map(|e| e.text.trim())
        .collect()
}

#[test]
fn nothing_falls_back_to_english() {
    let router = router("[brand]\nname = \"Resolver\"");
    // What owners wrote, names of standards, and addresses.
    let known = ["Herb tea", "Status ", "GS1 Digital Link", "https://id.example.org"];
    for language in &LANGUAGES[1..] {
        for target in [
            "/",
            "/?q=(01)09520123456788(10)LOT7",
            "/?q=(01)09520123456789",
            "/?q=hello",
            "/?q=urn:epc:tag:sgtin-96:3.9520123.045678.1001",
            "/01/09520123456788/10/LOT7?linkType=linkset",
            "/01/09520123456788?linkType=gs1:recipeInfo",
            "/01/09520123456788?linkType=gs1:nosuch",
            "/01/09520123456789",
            "/01/09520123456788/10/a%20b",
            "/01/09506000134369",
            "/x",
            "/gtin/09520123456788",
            "/01/09520123456788/extra",
            "/example.com/01/09520123456788",
            "/?q=/gtin/09520123456788",
            "/?q=/01/09520123456788/extra",
            "/eh30164596f40c0e5cbe99",
            "/urn/urn:isbn:1",
            "/.well-known/nothing",
        ] {
            let (mine, english) = (page(&router, target, language), page(&router, target, "en"));
            let unsaid = unsaid(&mine, &english);
            let unsaid: Vec<_> = unsaid
                .iter()
                .filter(|text| {
                    !text.starts_with('/') && !known.iter().any(|known| text.contains(known))
                })
                .collect();
            assert!(unsaid.is_empty(), "{language} {target}: {unsaid:?}");
            assert!(
                !mine.text.contains(['{', '}']),
                "{language} {target}: a word was not filled in"
            );
        }
    }
}

/// RES-2.4.1-4: what exactly is wrong, in the reader's words, with the position marked.
#[test]
fn faults_are_told_in_the_language() {
    let router = router("");
    for (language, message) in [
        ("en", "Product (GTIN): the check digit is 9, but should be 8."),
        ("de", "Produkt (GTIN): Die Prüfziffer ist 9, aber die übrigen Ziffern verlangen 8."),
        ("fr", "Produit (GTIN) : la clé de contrôle est 9, mais les autres chiffres donnent 8."),
        ("es", "Producto (GTIN): el dígito de control es 9, pero los demás dígitos exigen 8."),
        ("pt", "Produto (GTIN): o dígito verificador é 9, mas os outros dígitos exigem 8."),
        ("ja", "商品（GTIN）：チェックデジットは 9 ですが、他の数字からは 8 になるはずです。"),
        (
            "ar",
            "\u{2068}منتج (GTIN)\u{2069}: رقم التحقق هو \u{2068}9\u{2069}، لكن بقية الأرقام تتطلب \u{2068}8\u{2069}.",
        ),
    ] {
        for target in ["/01/09520123456789", "/?q=09520123456789", "/?q=(01)09520123456789"] {
            let found = page(&router, target, language);
            assert!(found.text.contains(message), "{language} {target}: {}", found.text);
            assert_eq!(found.one("mark").text, "9");
            // For those who repair it, in English and marked as such.
            let detail = found.all("p").into_iter().find(|p| p.text.contains(", expected 8"));
            assert_eq!(detail.expect("a detail").attribute("lang"), Some("en"));
        }
    }
}

/// RES-2.4.1-4: advice on the most likely cause, on pages and in documents: a former name (GS1
/// Digital Link URI Syntax 1.4.1, section 4.1), a surplus segment, and a link without a scheme (RFC
/// 3986, section 4.5).
#[test]
fn section_2_4_1_the_most_likely_cause_is_told() {
    let router = router("");
    for (path, part, status, hint, texts) in [
        (
            "/gtin/09520123456788",
            Some("gtin"),
            400,
            "write the digits instead of the name",
            [
                ("en", "A name is written here instead of the number"),
                ("de", "Hier steht ein Name statt der Zahl"),
                ("fr", "Un nom est écrit ici à la place du numéro"),
                ("es", "Aquí hay un nombre en lugar del número"),
                ("pt", "Aqui há um nome no lugar do número"),
                ("ja", "名前が書かれています"),
                ("ar", "كُتب هنا اسم"),
            ],
        ),
        (
            "/01/09520123456788/extra",
            Some("extra"),
            400,
            "remove what follows the last value",
            [
                ("en", "Remove what follows the last value."),
                ("de", "Entfernen Sie, was nach dem letzten Wert steht."),
                ("fr", "Supprimez ce qui suit la dernière valeur."),
                ("es", "Quite lo que sigue al último valor."),
                ("pt", "Remova o que vem depois do último valor."),
                ("ja", "最後の値より後ろを削除してください。"),
                ("ar", "احذف ما يلي القيمة الأخيرة."),
            ],
        ),
        (
            "/example.com/01/09520123456788",
            None,
            404,
            "start the link with https://",
            [
                ("en", "tell those who published it: https:// is missing"),
                ("de", "Am Anfang fehlt https://."),
                ("fr", "il manque https:// au début"),
                ("es", "falta https:// al principio"),
                ("pt", "falta https:// no início"),
                ("ja", "先頭の https:// が抜けています"),
                ("ar", "ينقصه https://"),
            ],
        ),
    ] {
        for (language, text) in texts {
            let found = page(&router, path, language);
            assert_eq!(found.status, status, "{path}");
            assert!(found.text.contains(text), "{language} {path}: {}", found.text);
            if let Some(part) = part {
                assert_eq!(found.one("mark").text, part, "{language} {path}");
                let asked = page(&router, &format!("/?q={path}"), language);
                assert!(asked.text.contains(text), "{language} {path}: {}", asked.text);
            }
        }
        let request = http::Request::get(path).body(()).expect("a request");
        let body = body::text(router.handle(&request));
        let document: Value = serde_json::from_str(&body).expect("a problem document");
        let found = document["hint"].as_str().expect("advice");
        assert!(found.starts_with(hint), "{path}: {document}");
        assert_eq!(document["part"].as_str(), part, "{path}");
    }
}

/// RES-2.4.1-1, RES-2.1-3, RES-2.4-18: each kind of wrong address has its own words and says what
/// to try.
#[test]
fn addresses_that_lead_nowhere_are_explained() {
    let toml = "resolver_root = \"https://id.example.org/shop\"\nsupported_primary_keys = [\"01\"]";
    let router = router(toml);
    for (target, status, text) in [
        ("/shop/01/09520123456788/foo/1", 400, "This is not an Application Identifier."),
        ("/shop/01/09520123456788/10/", 400, "Batch or lot: the value is missing"),
        (
            "/shop/01/0952012345678",
            400,
            "Product (GTIN): too short. It has 13 characters and needs at least 14.",
        ),
        (
            "/shop/01/09520123456788/21/A/10/B",
            400,
            "Batch or lot: it is not allowed at this place.",
        ),
        ("/shop/hello", 400, "The main identifier, such as the GTIN of a product, is missing."),
        ("/shop/01/09520123456788//21", 400, "There is nothing between two slashes."),
        ("/01/09520123456788", 404, "belongs to another resolver"),
        ("/shop/414/9520123456788", 404, "Location (GLN): this resolver has no information"),
        ("/shop/eh30164596f40c0e5cbe99", 400, "The end is missing."),
        ("/.well-known/nothing", 404, "There is nothing here"),
    ] {
        let found = page(&router, target, "en");
        assert_eq!(found.status, status, "{target}");
        assert!(found.text.contains(text), "{target}: {}", found.text);
        assert!(found.text.contains("What you can do"), "{target}");
        assert_eq!(found.all("form").len(), 1, "{target}: a field to try again");
    }
    let unknown = page(&router, "/shop/01/09506000134369/10/X%2FY", "en");
    assert!(
        unknown.text.contains("Product (GTIN)09506000134369\nBatch or lotX/Y"),
        "{}",
        unknown.text
    );
    for target in ["/urn/urn:isbn:0451450524", "/uri-res/N2L?urn:isbn:0451450524"] {
        let found = page(&router, target, "en");
        assert_eq!(found.one("mark").text, "urn:isbn:0451450524", "{target}");
        assert!(found.text.contains("The name is malformed."));
    }
}

/// RES-2.5.2-2: link types that the operator added have their titles on pages, marked as English
/// for other readers.
#[test]
fn section_2_5_2_added_link_types_have_their_titles() {
    let folder = tempfile::tempdir().expect("a folder");
    let list = folder.path().join("types.txt");
    std::fs::write(&list, "safetyDataSheet Handling & safety\nwasteInfo\n").expect("written");
    let toml = format!("link_types_file = {:?}", list.display().to_string());
    let link = |kind: &str| {
        json!({
            "linkType": kind, "href": format!("https://example.com/{}", &kind[4..]), "title": "Sheet",
        })
    };
    let links = [
        link("gs1:defaultLink"),
        json!({ "linkType": "gs1:pip", "href": "https://example.com/defaultLink", "title": "Sheet" }),
        link("gs1:safetyDataSheet"),
        link("gs1:wasteInfo"),
    ];
    let record = json!({ "anchor": "/01/09520123456788", "links": links });
    let router = router_with(&toml, &[record]);
    for language in LANGUAGES {
        let found = page(&router, "/01/09520123456788?linkType=linkset", language);
        for title in ["Handling & safety", "Waste info"] {
            let heading = found.all("h2").into_iter().find(|heading| heading.text == title);
            let heading = heading.unwrap_or_else(|| panic!("{language} {title}: {}", found.html));
            let english = (language != "en").then_some("en");
            assert_eq!(heading.attribute("lang"), english, "{language} {title}: {}", found.html);
        }
    }
}
