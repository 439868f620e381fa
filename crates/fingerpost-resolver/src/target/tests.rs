//! Tests of targets: which can be registered, and how they are stored and sent.

use proptest::prelude::*;

use super::*;

fn own() -> Option<Origin> {
    Origin::of("https://id.example.org")
}

fn refusal(href: &str) -> Option<&'static str> {
    check(href, Some(Ai::GTIN), own().as_ref()).err().map(|wrong| wrong.id)
}

fn stored(href: &str) -> Option<String> {
    check(href, Some(Ai::GTIN), own().as_ref()).ok().map(|checked| checked.href.into_owned())
}

#[test]
fn good_targets_are_stored_byte_for_byte() {
    // RES-2.5.1-5
    for href in [
        "https://example.com",
        "http://example.com/",
        "https://EXAMPLE.com:443/a/../b?q=%7e#f",
        "https://example.com:8443?x[]=1&y='(z)'",
        "https://[2001:db8::1]/a",
        "https://192.0.2.1/a",
        "https://example.com/{01}/{21}?s={10}#{22}{235}",
        "https://id.example.org/about",
        "https://id.example.org/01",
        "https://id.example.org/about?gtin={01}",
        "https://id.example.org/files/{01}.pdf",
        "https://id.example.org.evil.example/01/09520123456788",
        "https://id.example.org:8443/01/09520123456788",
        "https://id.example.org:8443/eh30164596f40c0e5cbe991a83",
        "https://id.example.org/x/eh30164596f40c0e5cbe991a83",
        "https://id.example.org/eh30164596f40c0e5cbe99",
        "https://id.example.org/examples",
        "https://id.example.org/example.html",
        "https://id.example.org/products-of-ours",
        "https://id.example.org/about-{01}",
        "https://id.example.org/ex{01}.html",
        "https://id.example.org/{01}.html",
    ] {
        assert_eq!(stored(href).as_deref(), Some(href));
    }
}

/// RFC 3986 section 3.1: schemes ignore case, and are written in lower case.
#[test]
fn uri_3_1_schemes_are_stored_in_lower_case() {
    // RES-2.5.1-5
    for (given, kept) in [
        ("HTTPS://A.example", "https://A.example"),
        ("Http://a.example/P?Q#F", "http://a.example/P?Q#F"),
        ("hTTps://a.example/{01}", "https://a.example/{01}"),
        ("HTTPS://bücher.example", "https://xn--bcher-kva.example"),
    ] {
        assert_eq!(stored(given).as_deref(), Some(kept));
    }
    assert_eq!(refusal("HTTPS://ID.example.org/01/09520123456788"), Some("RES-2.5.1-8"));
    assert_eq!(refusal("FTP://a.example/"), Some("RES-2.5.1-2"));
}

#[test]
fn other_alphabets_are_converted_once() {
    // RES-2.5.1-5
    for (given, kept) in [
        (
            "https://bücher.example/straße?q=ü#ä",
            "https://xn--bcher-kva.example/stra%C3%9Fe?q=%C3%BC#%C3%A4",
        ),
        ("https://bücher.example:443/", "https://xn--bcher-kva.example:443/"),
        ("https://example.com/日本/{01}", "https://example.com/%E6%97%A5%E6%9C%AC/{01}"),
    ] {
        assert_eq!(stored(given).as_deref(), Some(kept));
        assert_eq!(stored(kept).as_deref(), Some(kept));
    }
}

#[test]
fn bad_targets_name_their_requirement() {
    for (href, id) in [
        ("", "RES-2.5.1-1"),
        ("mailto:help@example.com", "RES-2.5.1-2"),
        ("tel:+32", "RES-2.5.1-2"),
        ("urn:epc:id:x", "RES-2.5.1-2"),
        ("example.com/p", "RES-2.5.1-2"),
        ("/p", "RES-2.5.1-2"),
        ("//example.com/p", "RES-2.5.1-2"),
        ("https:example.com", "RES-2.5.1-2"),
        ("https://", "RES-2.5.1-2"),
        ("https:///p", "RES-2.5.1-2"),
        ("https://user:pw@example.com/", "RES-2.5.1-2"),
        ("https://%65xample.com/", "RES-2.5.1-2"),
        ("https://example.com:99999/", "RES-2.5.1-2"),
        ("https://exa<mple.com/", "RES-2.5.1-2"),
        ("https://example.com/%ZZ", "RES-2.5.1-2"),
        ("https://example.com/a|b", "RES-2.5.1-2"),
        ("javascript:alert(1)", "RES-2.5.1-6"),
        ("JavaScript:alert(1)", "RES-2.5.1-6"),
        ("data:text/html,x", "RES-2.5.1-6"),
        ("https://example.com/a b", "RES-2.5.1-6"),
        ("https://example.com/a\r\nSet-Cookie: x", "RES-2.5.1-6"),
        ("https://example.com\\@evil.example/", "RES-2.5.1-6"),
        ("https://example.com/\u{2028}", "RES-2.5.1-6"),
        ("https://example.com/{query.foo}", "RES-2.5.1-3"),
        ("https://example.com/{+01}", "RES-2.5.1-3"),
        ("https://example.com/{01,21}", "RES-2.5.1-3"),
        ("https://example.com/{01", "RES-2.5.1-3"),
        ("https://example.com/01}", "RES-2.5.1-3"),
        ("https://example.com/{}", "RES-2.5.1-3"),
        ("https://example.com/{{01}}", "RES-2.5.1-3"),
        ("https://example.com/{8011}", "RES-2.5.1-3"),
        ("https://example.com/{17}", "RES-2.5.1-3"),
        ("https://{10}/", "RES-2.5.1-7"),
        ("https://shop.example{21}", "RES-2.5.1-7"),
        ("https://shop.example{21}/x", "RES-2.5.1-7"),
        ("{10}://shop.example/", "RES-2.5.1-7"),
        ("https://id.example.org/01/09520123456788", "RES-2.5.1-8"),
        ("http://ID.example.org:80/01/09520123456788?x=1", "RES-2.5.1-8"),
        ("https://id.example.org:443/01/{01}", "RES-2.5.1-8"),
        ("https://id.example.org./01/{01}/21/{21}", "RES-2.5.1-8"),
        ("https://id.example.org/{10}/09520123456788", "RES-2.5.1-8"),
        ("https://id.example.org/0{22}/09520123456788", "RES-2.5.1-8"),
        ("https://id.example.org/x/../01/09520123456788", "RES-2.5.1-8"),
        ("https://id.example.org/x/%2E%2e/%30%31/09520123456788", "RES-2.5.1-8"),
        ("https://id.example.org/gtin/09520123456788", "RES-2.5.1-8"),
        // RES-2.3-8: compressed links get the same answer as the uncompressed ones.
        ("https://id.example.org/eh30164596f40c0e5cbe991a83", "RES-2.5.1-8"),
        ("http://ID.example.org./exMBZFlvQMDly-mRqD/?x=1", "RES-2.5.1-8"),
        ("https://id.example.org/x/../%65h30164596f40c0e5cbe991a83", "RES-2.5.1-8"),
        ("https://id.example.org/DBHKVAdpQgowOQ", "RES-2.5.1-8"),
        ("https://id.example.org/01/09780345418913/IQUYHI", "RES-2.5.1-8"),
        ("https://id.example.org/{10}", "RES-2.5.1-8"),
        ("https://id.example.org/e{10}", "RES-2.5.1-8"),
        ("https://id.example.org/eh30{21}", "RES-2.5.1-8"),
        ("https://id.example.org/DBH{21}QgowOQ", "RES-2.5.1-8"),
    ] {
        assert_eq!(refusal(href), Some(id), "{href}");
    }
    let long = format!("https://example.com/{}", "a".repeat(MAX_HREF_BYTES));
    assert_eq!(refusal(&long), Some("RES-2.5.1-2"));
}

#[test]
fn only_the_own_stem_counts() {
    // RES-2.5.1-8
    let own = Origin::of("https://id.example.org/shop");
    let refused = |href| check(href, Some(Ai::GTIN), own.as_ref()).is_err();
    assert!(refused("https://id.example.org/shop/01/09520123456788"));
    assert!(refused("https://id.example.org/shop/eh30164596f40c0e5cbe991a83"));
    assert!(!refused("https://id.example.org/eh30164596f40c0e5cbe991a83"));
    assert!(!refused("https://id.example.org/01/09520123456788"));
    assert!(!refused("https://id.example.org/shopping/01/09520123456788"));
}

#[test]
fn placeholders_are_filled_with_encoded_values() -> Result<(), fingerpost_gs1::Error> {
    // RES-2.5.1-3, RES-2.5.1-4
    let entity = EntityKey::parse("/01/09520123456788/21/A%2F1")?;
    let template = "https://e.example.com/q?g={01}&s={21}&l={10}#{21}";
    let filled = "https://e.example.com/q?g=09520123456788&s=A%2F1&l=#A%2F1";
    assert_eq!(expand(template, &entity).as_deref(), Some(filled));
    Ok(())
}

#[test]
fn a_placeholder_without_a_value_makes_a_link_unavailable() -> Result<(), fingerpost_gs1::Error> {
    // RES-2.5.1-7, PE-18: also of other keys, and of a fragment; in the query it is empty
    // (RES-2.5.1-3).
    let product = EntityKey::parse("/01/09520123456788")?;
    for template in [
        "https://a.example/{01}/{10}",
        "https://a.example/lot-{10}.html",
        "https://a.example/{414}?x={01}",
        "https://a.example/p?x={01}#{10}",
        "https://a.example#{10}?{01}",
    ] {
        assert_eq!(expand(template, &product), None, "{template}");
        assert!(!can_be_filled(template, &product), "{template}");
    }
    for (template, filled) in [
        ("https://a.example/{01}?lot={10}", "https://a.example/09520123456788?lot="),
        ("https://a.example?a=/{10}/b#{01}", "https://a.example?a=//b#09520123456788"),
    ] {
        assert_eq!(expand(template, &product).as_deref(), Some(filled));
    }
    let lot = EntityKey::parse("/01/09520123456788/10/L7")?;
    assert_eq!(expand("https://a.example/{10}#{10}", &lot).unwrap(), "https://a.example/L7#L7");
    Ok(())
}

#[test]
fn dot_segments_make_a_link_unavailable() -> Result<(), fingerpost_gs1::Error> {
    // RES-2.5.1-7
    let dot = EntityKey::parse("/01/09520123456788/10/.")?;
    let dots = EntityKey::parse("/01/09520123456788/10/..")?;
    for template in
        ["https://a.example/{10}/x", "https://a.example/{10}", "https://a.example/{10}?q"]
    {
        assert_eq!(expand(template, &dot), None, "{template}");
        assert_eq!(expand(template, &dots), None, "{template}");
    }
    assert_eq!(expand("https://a.example/%2e{10}#f", &dot), None);
    assert_eq!(expand("https://a.example/.{10}", &dot), None);
    for (template, filled) in [
        ("https://a.example/x{10}", "https://a.example/x."),
        ("https://a.example/?q=/{10}/", "https://a.example/?q=/./"),
        ("https://a.example?{10}", "https://a.example?."),
        ("https://a.example/a/../{01}", "https://a.example/a/../09520123456788"),
    ] {
        assert_eq!(expand(template, &dot).as_deref(), Some(filled));
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2000, ..ProptestConfig::default() })]

    /// The short way accepts nothing that the long one refuses or changes.
    #[test]
    fn plain_targets_pass_every_check(
        scheme in prop_oneof![Just("https://"), Just("http://"), Just("HTTPS://"), Just("")],
        host in "([a-z0-9-]{0,3}|xn--|id|0x1|[A-Z@:%é\\[])(\\.(example|org|[0-9]{1,3}|[a-z0-9-]{0,3}|xn--a)){0,3}",
        tail in "([/?#][ -~]{0,6}|/\\.\\.|/01/|/~){0,3}",
    ) {
        let href = [scheme, &host, &tail].concat();
        for own in [None, own()] {
            if is_plain(&href, own.as_ref()) {
                let checked = check_thoroughly(&href, Some(Ai::GTIN), own.as_ref());
                let checked = checked.map(|checked| (checked.href.into_owned(), checked.is_template));
                prop_assert_eq!(checked.ok(), Some((href.clone(), false)));
            }
        }
    }
}

#[test]
fn usual_targets_are_plain() {
    for href in
        ["https://www.example.com", "http://example.com/p?q=1&r=(x)#y", "https://a-1.b2.example/~"]
    {
        assert!(is_plain(href, own().as_ref()), "{href}");
    }
    for href in [
        "https://id.example.org/about",
        "https://192.0.2.1/a",
        "https://example.com/{01}",
        "https://xn--bcher-kva.example/",
        "https://example.com:8443/",
        "https://example.com/a b",
    ] {
        assert!(!is_plain(href, own().as_ref()), "{href}");
    }
}

/// An address as browsers show it, with the scheme that it lacks; nothing is suggested that would
/// be refused.
#[test]
fn an_address_without_a_scheme_is_suggested_with_one() {
    for (href, meant) in [
        ("www.example.com/tea?size=2", Some("https://www.example.com/tea?size=2")),
        ("//example.com:8443/{01}", Some("https://example.com:8443/{01}")),
        ("https:/example.com", Some("https://example.com")),
        ("HTTP:example.com", Some("https://example.com")),
        ("bücher.example/tee", Some("https://bücher.example/tee")),
        ("tea", None),
        ("/tea.html", None),
        ("mailto:tea@example.com", None),
        ("ftp://example.com/tea", None),
        ("javascript:alert.example", None),
        ("https://", None),
        ("..", None),
    ] {
        let Err(wrong) = check(href, Some(Ai::GTIN), None) else { panic!("{href}") };
        let found = wrong.message.split_once("; did you mean ").map(|(_, meant)| meant);
        assert_eq!(
            found.and_then(|meant| meant.strip_suffix('?')),
            meant,
            "{href}: {}",
            wrong.message
        );
    }
    let long = format!("www.example.com/{}", "a".repeat(MAX_MEANT_BYTES));
    let Err(wrong) = check(&long, None, None) else { panic!("it lacks a scheme") };
    assert!(!wrong.message.contains("did you mean"), "{}", wrong.message);
}
