//! The comparison ladder and what keeps it safe (RFC 3986, sections 6 and 7; rows URI-NRM-*,
//! URI-SEC-*).

use std::borrow::Cow;
use std::net::{IpAddr, Ipv4Addr};

use fingerpost_uri::{
    Host, HostKind, MAX_LEN, Rung, SchemeRules, Schemes, Uri, UriBuilder, UriLint, UriRef,
};

fn reference(text: &str) -> UriRef<'_> {
    UriRef::parse(text).unwrap_or_else(|error| panic!("{text:?}: {error}"))
}

#[track_caller]
fn normal(rung: Rung, pairs: &[(&str, &str)]) {
    for (text, form) in pairs {
        let found = reference(text).normalise(rung);
        assert_eq!(found, *form, "{text}");
        assert_eq!(
            matches!(found, Cow::Borrowed(_)),
            text.starts_with(form),
            "{text}: borrowed when nothing changes"
        );
        // URI-NRM-15: the result parses as the same kind, and stays as it is.
        let again = reference(&found);
        assert_eq!(again.kind(), reference(text).kind());
        assert_eq!(again.normalise(rung), *form);
    }
}

fn equal_at(a: &str, b: &str) -> Option<Rung> {
    reference(a).equal_at(reference(b))
}

/// URI-NRM-01: fragments can be left out of a comparison.
#[test]
fn fragments_can_be_left_out() {
    let (a, b) = (reference("http://h/a#x"), reference("http://h/a#y"));
    assert_eq!(a.equal_at(b), None);
    assert_eq!(a.without_fragment().equal_at(b.without_fragment()), Some(Rung::String));
}

/// URI-NRM-02, URI-NRM-03: the lowest rung is the text, and differences that mean something stay on
/// every rung.
#[test]
fn no_false_positives() {
    assert_eq!(equal_at("http://h/a", "http://h/a"), Some(Rung::String));
    for (a, b) in [
        ("http://h/a", "http://h/A"),
        ("http://u@h/", "http://U@h/"),
        ("http://h/?a", "http://h/?A"),
        ("http://h/#a", "http://h/#A"),
        ("http://h/", "https://h/"),
        ("http://h:8080/", "http://h/"),
        ("http://h/a", "http://h/a?"),
        ("http://h/a", "http://h/a#"),
        ("http://h/a//b", "http://h/a/b"),
        ("http://@h/", "http://h/"),
        ("x://h", "x://h/"),
    ] {
        assert_eq!(equal_at(a, b), None, "{a} {b}");
    }
}

/// URI-NRM-04: scheme, host and triplets; nothing else.
#[test]
fn rung_case() {
    normal(
        Rung::Case,
        &[
            ("HTTP://User@HOST:80/Path?Q#F", "http://User@host:80/Path?Q#F"),
            ("s://U%3a@H%c3/p%3a", "s://U%3A@h%C3/p%3A"),
            ("s://h/%7e/./x", "s://h/%7E/./x"),
            ("//HOST/A", "//host/A"),
            ("urn:A:B", "urn:A:B"),
        ],
    );
}

/// URI-NRM-05: one pass.
#[test]
fn rung_percent() {
    normal(
        Rung::Percent,
        &[
            ("s:/%7e%41%2D%2f", "s:/~A-%2F"),
            ("s:/%2561", "s:/%2561"),
            ("s:/%25%36%31", "s:/%2561"),
            ("s://%41@%42/?%43#%44", "s://A@b/?C#D"),
            ("%61/../b", "a/../b"),
        ],
    );
}

/// URI-NRM-06, URI-NRM-07: dots after decoding, in URIs only, rootless paths too.
#[test]
fn rung_path() {
    normal(
        Rung::Path,
        &[
            ("eXAMPLE://a/./b/../b/%63/%7bfoo%7d", "example://a/b/c/%7Bfoo%7D"),
            ("http://a/%2e%2e/b", "http://a/b"),
            ("http://a/b/%2E", "http://a/b/"),
            ("../a/./b", "../a/./b"),
            ("/a/../b", "/a/../b"),
            ("x:a/../b", "x:/b"),
            ("x:/..//b", "x:/.//b"),
        ],
    );
}

/// URI-NRM-08, URI-NRM-09, URI-NRM-10, URI-NRM-11, URI-NRM-12: the rules of schemes, and where they
/// end.
#[test]
fn rung_scheme() {
    normal(
        Rung::Scheme,
        &[
            ("http://example.com", "http://example.com/"),
            ("http://example.com:/", "http://example.com/"),
            ("http://example.com:80/", "http://example.com/"),
            ("http://example.com:0080/", "http://example.com/"),
            ("https://h:443", "https://h/"),
            ("https://h:80", "https://h:80/"),
            ("ftp://h:21", "ftp://h/"),
            ("ws://h:80", "ws://h/"),
            ("http://h:99999999999999999999/", "http://h:99999999999999999999/"),
            ("x://h:", "x://h"),
            ("x://h:80", "x://h:80"),
            ("file://localhost/x", "file:///x"),
            ("file://LOCALHOST/x", "file:///x"),
            ("file://u@localhost/x", "file://u@localhost/x"),
            ("file://localhost:1/x", "file://localhost:1/x"),
            ("http://example.com/?", "http://example.com/?"),
            ("http://example.com/#", "http://example.com/#"),
            ("http://u:@example.com/", "http://u:@example.com/"),
            ("http://@example.com/", "http://@example.com/"),
            ("mailto:Joe@Example.COM", "mailto:Joe@example.com"),
            ("mailto:Joe", "mailto:Joe"),
        ],
    );
    let x = reference("x://h:");
    assert_eq!(x.normalise_with(Rung::Scheme, Schemes::BUILTIN.slash_for_all()), "x://h/");
    let rules = [SchemeRules::new("x").default_port(7).empty_path_is_slash()];
    assert_eq!(reference("X://h:07").normalise_with(Rung::Scheme, Schemes::new(&rules)), "x://h/");
}

/// URI-NRM-13: a final slash alone makes nothing equal.
#[test]
fn a_final_slash_counts() {
    assert_eq!(equal_at("http://h/a", "http://h/a/"), None);
}

/// URI-NRM-14, URI-SEC-05, URI-SEC-08: filters look at the normal form, and at addresses as
/// numbers.
#[test]
fn hosts_for_filters() {
    let text = "http://%31.2.3.4/";
    assert_eq!(reference(text).authority().expect("a host").host_kind(), HostKind::RegName);
    let form = reference(text).normalise(Rung::Percent);
    assert_eq!(reference(&form).host(), Some(Host::Ipv4(Ipv4Addr::new(1, 2, 3, 4))));
    for host in [
        "2130706433",
        "0x7f.1",
        "0177.0.0.1",
        "127.1",
        "%31%32%37.1",
        "127.0.0.1",
        "127.0.0.1.",
        "[::ffff:127.0.0.1]",
    ] {
        let text = format!("http://{host}/");
        let found = reference(&text).host().expect("a host");
        assert_eq!(found.to_ipv4_lenient(), Some(Ipv4Addr::LOCALHOST), "{host}");
        let is_rare = matches!(found, Host::RegName(_));
        assert_eq!(
            reference(&text).lints().any(|lint| lint == UriLint::RareIpv4),
            is_rare,
            "{host}"
        );
    }
    assert_eq!(MAX_LEN, u32::MAX as usize);
}

/// URI-NRM-16: normal forms keep the spelling of an address; the value, and the builder, show that
/// of RFC 5952.
#[test]
fn spelling_of_ipv6() {
    let uri = reference("s://[2001:0DB8:0:0::1]/");
    assert_eq!(uri.normalise(Rung::Scheme), "s://[2001:0db8:0:0::1]/");
    let Some(Host::Ipv6(address)) = uri.host() else { panic!("an address") };
    let built = UriBuilder::new().address(IpAddr::V6(address)).build();
    assert_eq!(built.as_str(), "//[2001:db8::1]");
}

/// URI-SEC-01: ports of other protocols.
#[test]
fn foreign_ports() {
    let is_foreign =
        |text| reference(text).lints().any(|lint| lint == UriLint::ForeignWellKnownPort);
    assert!(is_foreign("http://h:25/") && is_foreign("https://h:80/"));
    assert!(
        !is_foreign("http://h:80/")
            && !is_foreign("http://h:8080/")
            && !is_foreign("http://h/")
            && !is_foreign("gopher://h:70/")
    );
}

/// URI-SEC-02, URI-SEC-03: delimiters of protocols and null characters stay encoded in every text
/// that is written; only a part that is asked for decoded holds them.
#[test]
fn what_stays_encoded() {
    let uri = reference("http://h/a%0D%0AX:y%00?b%0d%0A");
    assert_eq!(uri.normalise(Rung::Scheme), "http://h/a%0D%0AX:y%00?b%0D%0A");
    let base = Uri::parse("http://h/").expect("a URI");
    assert_eq!(uri.resolve(base).as_str(), uri.as_str());
    let segment = uri.path().segments().next().expect("a segment");
    assert_eq!(&*segment.decode(), b"a\r\nX:y\0");
}

/// URI-SEC-06: passwords.
#[test]
fn passwords_are_hidden() {
    for (text, shown, lint) in [
        ("http://a:b@h/", "http://a:***@h/", true),
        ("http://a:b:c@h/?x#y", "http://a:***@h/?x#y", true),
        ("//:b@h", "//:***@h", true),
        ("http://a:@h/", "http://a:@h/", false),
        ("http://a@h/", "http://a@h/", false),
        ("http://h/a:b@c", "http://h/a:b@c", false),
        ("mailto:a:b@c", "mailto:a:b@c", false),
    ] {
        assert_eq!(reference(text).display_safe().to_string(), shown);
        assert_eq!(reference(text).lints().any(|found| found == UriLint::Password), lint, "{text}");
    }
}

/// URI-SEC-07: user information that looks like a host.
#[test]
fn misleading_user_information() {
    let misleads = |text| reference(text).lints().any(|lint| lint == UriLint::UserinfoLikeHost);
    assert!(misleads("ftp://cnn.example.com&story=breaking_news@10.0.0.1/top_story.htm"));
    assert!(misleads("http://bank.example:443@evil.example/"));
    assert!(!misleads("http://anna@example.com/") && !misleads("http://example.com/a@b"));
}
