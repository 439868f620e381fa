//! Labels of levels: files, advice, and levels without one.

use crate::support;

use support::{OWN, ask, start, start_with};

#[test]
fn a_level_has_a_label_in_every_format() {
    let running = start();
    running.registered(OWN);
    let get = |query: &str| {
        ask("GET", &format!("/v1/label?key={OWN}{query}"))
            .key(&running.accounts.reader)
            .to(&running)
    };
    for (query, media_type, beginning, end) in [
        ("", "image/svg+xml", &b"<svg "[..], "qr.svg\""),
        ("&symbol=datamatrix&format=png&dpi=203", "image/png", b"\x89PNG", "-datamatrix.png\""),
        (
            "&symbol=gs1-datamatrix&format=pdf&text=false",
            "application/pdf",
            b"%PDF",
            "gs1-datamatrix.pdf\"",
        ),
    ] {
        let answer = get(query);
        assert_eq!(answer.status, 200, "{query}: {}", answer.text());
        assert_eq!(answer.field("content-type"), Some(media_type));
        assert!(answer.body.starts_with(beginning), "{query}");
        let disposition = answer.field("content-disposition").unwrap();
        assert!(
            disposition.starts_with("attachment; filename=\"01-") && disposition.ends_with(end),
            "{disposition}"
        );
    }
    for query in [
        "&symbol=aztec",
        "&format=gif",
        "&dpi=10",
        "&xDimension=0",
        "&xDimension=NaN",
        "&more=1",
        "&address=x",
        "&text=2",
        "&expiry=2027-02-30",
    ] {
        assert_eq!(get(query).status, 400, "{query}");
    }
    // PE-31: an expiry date is in the address and in the numbers.
    for (symbol, expected) in [("qr", "?17=270331"), ("gs1-datamatrix", "17270331")] {
        let dated = get(&format!("&symbol={symbol}&format=json&expiry=2027-03-31"));
        let content = dated.json()["content"].as_str().expect("a text").to_owned();
        assert!(content.contains(expected), "{content}");
    }
    let large = get("&format=png&dpi=1200&xDimension=10");
    assert_eq!((large.status, large.json()["code"].as_str()), (422, Some("no-label")));
}

/// IN-11
#[test]
fn a_linear_symbol_is_alone_or_beside_another() {
    let running = start();
    running.registered(OWN);
    let get = |query: &str| {
        ask("GET", &format!("/v1/label?key={OWN}{query}"))
            .key(&running.accounts.reader)
            .to(&running)
    };
    let (digits, linear) = (OWN.trim_start_matches("01/0"), "ean-13");
    let alone = get(&format!("&format=json&symbol={linear}")).json();
    assert_eq!((&alone["content"], &alone["columns"]), (&digits.into(), &95.into()), "{alone:#}");
    assert_eq!((&alone["rows"], &alone["xDimension"]), (&1.into(), &0.33.into()));
    let both = get(&format!("&format=json&beside={linear}")).json();
    assert_eq!((&both["symbol"], &both["beside"]), (&"qr".into(), &linear.into()));
    let svg = get(&format!("&beside={linear}&barHeight=15"));
    assert_eq!(svg.status, 200, "{}", svg.text());
    assert!(svg.text().contains(&format!(">{}</text>", &digits[1..7])), "{}", svg.text());
    for (query, status) in [
        ("&beside=qr", 400),
        ("&beside=ean13", 400),
        ("&barHeight=0.5", 400),
        ("&barHeight=201", 400),
        ("&symbol=ean-8", 422),
        ("&symbol=ean-13&beside=itf-14", 422),
    ] {
        assert_eq!(get(query).status, status, "{query}");
    }
    let body = serde_json::json!({ "keys": [OWN] });
    let sheet = ask("POST", "/v1/label/sheet?symbol=gs1-datamatrix&beside=ean-13")
        .key(&running.accounts.reader)
        .json(&body)
        .to(&running);
    assert_eq!(sheet.status, 200, "{}", sheet.text());
    assert!(sheet.body.starts_with(b"%PDF"));
}

#[test]
fn advice_has_sizes_and_warns_of_the_default_root() {
    for (config, codes) in
        [("", vec!["DEFAULT_ROOT"]), ("resolver_root = \"https://brand.example\"", vec![])]
    {
        let running = start_with(config);
        running.registered(OWN);
        let target = format!("/v1/label?key={OWN}&format=json");
        let advice = ask("GET", &target).key(&running.accounts.reader).to(&running).json();
        let root =
            if codes.is_empty() { "https://brand.example" } else { "https://id.example.org" };
        assert_eq!(advice["content"], format!("{root}/{}", OWN.trim_start_matches('/')));
        let found: Vec<_> = advice["warnings"]
            .as_array()
            .unwrap()
            .iter()
            .map(|one| one["code"].as_str().unwrap())
            .collect();
        assert_eq!(found, codes);
        assert_eq!(
            (&advice["xDimension"], &advice["errorCorrection"]),
            (&0.495.into(), &"M".into())
        );
        assert_eq!(advice["shorter"][0]["address"], "upper-case", "{advice:#}");
    }
}

#[test]
fn what_has_no_key_of_its_own_has_no_label() {
    let running = start();
    running.registered(OWN);
    let many = format!("{OWN}/-any/10");
    let record = support::record(&many);
    let put = ask("PUT", &format!("/v1/levels/{many}")).key(&running.accounts.writer).json(&record);
    let put = put.to(&running);
    assert_eq!(put.status, 201, "{}", put.text());
    let get = |key: &str| {
        ask("GET", &format!("/v1/label?key={key}")).key(&running.accounts.reader).to(&running)
    };
    let answer = get(&many);
    assert_eq!(answer.status, 422, "{}", answer.text());
    assert!(answer.text().contains("applies to many keys"), "{}", answer.text());
    assert_eq!(get("01/1").status, 400);
    // IN-12
    let absent = get("01/09506000134369");
    assert_eq!((absent.status, absent.code().as_str()), (404, "not-found"), "{}", absent.text());
}
