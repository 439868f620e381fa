//! Grammar, usage and bases (RFC 3986, sections 3 to 5.1; rows URI-SYN-*, URI-USE-*, URI-BASE-*).

use fingerpost_uri::{
    BaseUris, ErrorKind, Host, HostKind, PathForm, ReferenceKind, Rung, Uri, UriLint, UriRef, split,
};

fn reference(text: &str) -> UriRef<'_> {
    UriRef::parse(text).unwrap_or_else(|error| panic!("{text:?}: {error}"))
}

fn uri(text: &str) -> Uri<'_> {
    Uri::parse(text).unwrap_or_else(|error| panic!("{text:?}: {error}"))
}

#[track_caller]
fn refused(texts: &[&str]) {
    for text in texts {
        assert!(UriRef::parse(text).is_err(), "{text:?}");
    }
}

fn host_kind(authority: &str) -> HostKind {
    let text = format!("//{authority}");
    reference(&text).authority().expect("an authority").host_kind()
}

fn has_lint(text: &str, lint: UriLint) -> bool {
    reference(text).lints().any(|found| found == lint)
}

/// URI-SYN-01, URI-DIFF-4: five parts, of which an undefined one is not an empty one; nothing is
/// lost in taking them apart.
#[test]
fn undefined_is_not_empty() {
    for (text, authority, query, fragment) in [
        ("x:", None, None, None),
        ("x:?", None, Some(""), None),
        ("x:#", None, None, Some("")),
        ("x://", Some(""), None, None),
        ("x://?#", Some(""), Some(""), Some("")),
    ] {
        let uri = uri(text);
        assert_eq!(uri.authority().map(|authority| authority.as_str()), authority, "{text}");
        assert_eq!(uri.path().as_str(), "", "{text}");
        assert_eq!(uri.query().map(|query| query.as_str()), query, "{text}");
        assert_eq!(uri.fragment().map(|fragment| fragment.as_str()), fragment, "{text}");
        assert_eq!(uri.to_buf().into_string(), text);
        let parts = split(text);
        assert_eq!(
            (parts.authority, parts.path, parts.query, parts.fragment),
            (authority, "", query, fragment)
        );
    }
}

/// URI-SYN-02, URI-SYN-27, URI-SYN-30: what is a scheme, and what is a relative reference for want
/// of one.
#[test]
fn schemes() {
    let long = format!("{}:", "a".repeat(10_000));
    for text in ["svn+ssh:", "a:", "A1.-+:x", "dav:", "about:", &long] {
        assert_eq!(uri(text).scheme(), text.split(':').next().unwrap_or_default());
    }
    refused(&["1x:", "+x:", "-x:", ".x:", "x_y:", "%41:", ":", ":x", "x%:"]);
    for text in ["www.w3.org/x", "", "a/b:c", "?a:b", "#a:b"] {
        assert_eq!(reference(text).scheme(), None);
        assert_eq!(Uri::parse(text).expect_err(text).kind(), ErrorKind::MissingScheme);
    }
    assert_eq!(reference("www.w3.org/x").path().as_str(), "www.w3.org/x");
}

/// URI-SYN-03, URI-SYN-16: scheme and host without case, written in lower case; triplets in upper
/// case.
#[test]
fn case_of_scheme_and_host() {
    assert_eq!(uri("HTTP://A%c3%A9/").scheme(), "HTTP", "read as it stands");
    assert_eq!(
        reference("HTTP://EXample%c3%a9/Path").normalise(Rung::Case),
        "http://example%C3%A9/Path"
    );
    assert_eq!(reference("s://[ABCD::EF]/").normalise(Rung::Case), "s://[abcd::ef]/");
    assert_eq!(reference("s://[VF.A]/").normalise(Rung::Case), "s://[vf.a]/");
}

/// URI-SYN-04: the generic syntax admits what a scheme does not; a lint says so.
#[test]
fn rules_of_schemes_are_lints() {
    for text in ["http:///x", "HTTPS:x", "ftp://:21/", "ws://u@/"] {
        assert!(has_lint(text, UriLint::MissingHost), "{text}");
    }
    for text in ["http://h", "file:///x", "urn:a:b", "/x", "//"] {
        assert!(!has_lint(text, UriLint::MissingHost), "{text}");
    }
}

/// URI-SYN-05, URI-SYN-06, URI-SYN-07, URI-SYN-10: user information, host and port.
#[test]
fn authorities() {
    for (text, userinfo, host, port, path) in [
        ("http://u/@h", None, "u", None, "/@h"),
        ("//h?@x", None, "h", None, ""),
        ("//h#@x", None, "h", None, ""),
        ("//@h", Some(""), "h", None, ""),
        ("//u:p:q!$&'()*+,;=%41@h:80/", Some("u:p:q!$&'()*+,;=%41"), "h", Some("80"), "/"),
        ("http:///x", None, "", None, "/x"),
        ("//:1", None, "", Some("1"), ""),
        ("//@:", Some(""), "", Some(""), ""),
    ] {
        let found = reference(text);
        let authority = found.authority().expect(text);
        assert_eq!(authority.userinfo().map(|userinfo| userinfo.as_str()), userinfo, "{text}");
        assert_eq!((authority.host_text(), authority.port()), (host, port), "{text}");
        assert_eq!(found.path().as_str(), path, "{text}");
    }
    refused(&["//a@b@c/", "//u[@h", "//[::1]@h", "//h:1:2", "//h:x", "//u@[::1]x", "//a:b:c"]);
}

/// URI-SYN-08, URI-SYN-09: the first rule that matches decides.
#[test]
fn kinds_of_host() {
    for host in ["1.2.3.4", "0.0.0.0", "255.255.255.255", "u@1.2.3.4:80"] {
        assert_eq!(host_kind(host), HostKind::Ipv4, "{host}");
    }
    for host in
        ["256.1.1.1", "1.2.3", "01.2.3.4", "1.2.3.04", "1.2.3.4.", "1.2.3.4.5", "", "%31.2.3.4"]
    {
        assert_eq!(host_kind(host), HostKind::RegName, "{host}");
    }
}

/// URI-SYN-11, URI-SYN-12, URI-SYN-13, URI-SYN-15, URI-DIFF-3: what brackets may hold, and that
/// they stand nowhere else.
#[test]
fn brackets() {
    for literal in
        ["[::]", "[1:2:3:4:5:6:7::]", "[::1.2.3.4]", "[FE80::0001]:80", "u@[1:2:3:4:5:6:7:8]"]
    {
        assert_eq!(host_kind(literal), HostKind::Ipv6, "{literal}");
    }
    for literal in ["[v1.a]", "[V1f.~!:]", "[vF.:]:1"] {
        assert_eq!(host_kind(literal), HostKind::IpvFuture, "{literal}");
    }
    assert_eq!(reference("//[V1f.~!]").host(), Some(Host::IpvFuture("V1f.~!")));
    refused(&[
        "//[fe80::1%25eth0]/",
        "//[fe80::1%eth0]",
        "//[1:2:3:4:5:6:7:8::]",
        "//[::256.0.0.1]",
        "//[1.2.3.4::]",
        "//[v1.]",
        "//[v.x]",
        "//[v1.%41]",
        "//[vg.a]",
        "//[v1]",
        "//[]",
        "//[",
        "//]",
        "//[1.2.3.4]",
        "//[a]",
        "//[::1",
        "//x[::1]",
        "a[0]",
        "?a[0]=1",
        "#[x]",
        "[::1]",
        "//[::1]]",
    ]);
}

/// URI-SYN-17, URI-SYN-18: names that the DNS could not hold parse, and are questioned.
#[test]
fn names_of_hosts_are_lints() {
    let label = format!("//{}.example", "a".repeat(64));
    let long = format!("//{}a", "abcdefg.".repeat(32));
    for text in [label.as_str(), &long, "//a..b", "//a!b"] {
        assert!(has_lint(text, UriLint::NotDnsName), "{text}");
    }
    for text in ["//h.", "//h", "//xn--caf-dma.example", "//1.2.3.4", "//[::1]"] {
        assert!(!has_lint(text, UriLint::NotDnsName), "{text}");
    }
    assert_eq!(
        reference("http://h./").equal_at(reference("http://h/")),
        None,
        "a final full stop means something"
    );
    assert!(has_lint("//%ff", UriLint::HostNotUtf8));
    assert!(!has_lint("//%C3%A9", UriLint::HostNotUtf8));
}

/// URI-SYN-19, URI-SYN-20: any digits are a port; its number is another question, and what need not
/// be written is dropped.
#[test]
fn ports() {
    for (text, port, number) in [
        ("//h", None, None),
        ("//h:", Some(""), None),
        ("//h:0", Some("0"), Some(0)),
        ("//h:0080", Some("0080"), Some(80)),
        ("//h:99999999999", Some("99999999999"), None),
    ] {
        let authority = reference(text).authority().expect(text);
        assert_eq!((authority.port(), authority.port_number()), (port, number), "{text}");
        assert_eq!(has_lint(text, UriLint::OddPort), port.is_some() && number.is_none(), "{text}");
    }
    for text in ["http://h:/", "http://h:80/", "http://h:0080/"] {
        assert_eq!(reference(text).normalise(Rung::Scheme), "http://h/");
    }
}

/// URI-SYN-21, URI-SYN-22, URI-SYN-23: one path rule matches; empty segments count.
#[test]
fn paths() {
    for (text, form, segments) in [
        ("", PathForm::Empty, &[][..]),
        ("x:", PathForm::Empty, &[]),
        ("//h", PathForm::Abempty, &[]),
        ("//h/", PathForm::Abempty, &[""]),
        ("//h//a", PathForm::Abempty, &["", "a"]),
        ("/", PathForm::Absolute, &[""]),
        ("x:/a//b", PathForm::Absolute, &["a", "", "b"]),
        ("x:a:b@c/", PathForm::Rootless, &["a:b@c", ""]),
        ("a/b:c", PathForm::Noscheme, &["a", "b:c"]),
        ("./this:that", PathForm::Noscheme, &[".", "this:that"]),
    ] {
        let path = reference(text).path();
        let found: Vec<_> = path.segments().map(|segment| segment.as_str()).collect();
        assert_eq!((path.form(), &found[..]), (form, segments), "{text}");
    }
    assert_eq!(
        UriRef::parse_relative("this:that").expect_err("a URI").kind(),
        ErrorKind::UnexpectedScheme
    );
    assert_eq!(UriRef::parse("1:a").expect_err("a colon").kind(), ErrorKind::ColonInFirstSegment);
    assert!(
        reference("x:////a").authority().is_some(),
        "a path without an authority never begins with two slashes"
    );
}

/// URI-SYN-24, URI-SYN-28: where query and fragment begin and end.
#[test]
fn queries_and_fragments() {
    let found = reference("a?b?c/d#e?f/g");
    assert_eq!(found.query().map(|query| query.as_str()), Some("b?c/d"));
    assert_eq!(found.fragment().map(|fragment| fragment.as_str()), Some("e?f/g"));
    assert_eq!(reference("a#b?c").query(), None);
    refused(&["a#b#c", "##"]);
    for text in ["http://a/b?c#d", "http://a/b?c#"] {
        let error = Uri::parse_absolute(text).expect_err(text);
        assert_eq!((error.kind(), error.span().start), (ErrorKind::UnexpectedFragment, 12));
    }
    assert!(Uri::parse_absolute("http://a/b?c").is_ok());
}

/// URI-SYN-25: the fragment is split off before anything is asked for.
#[test]
fn fragments_stay_with_the_client() {
    assert_eq!(reference("http://h/a?b#c").without_fragment().as_str(), "http://h/a?b");
    assert_eq!(reference("a#").without_fragment().as_str(), "a");
    assert_eq!(reference("a").without_fragment().as_str(), "a");
    let base = uri("http://h/a#secret");
    assert_eq!(reference("b").resolve(base).as_str(), "http://h/b", "no fragment is invented");
}

/// URI-SYN-26: what the standard shows of schemes, and what the table of schemes knows, fits
/// `absolute-URI`.
#[test]
fn schemes_fit_absolute_uri() {
    for text in [
        "ftp://ftp.is.co.za/rfc/rfc1808.txt",
        "http://www.ietf.org/rfc/rfc2396.txt",
        "ldap://[2001:db8::7]/c=GB?objectClass?one",
        "mailto:John.Doe@example.com",
        "news:comp.infosystems.www.servers.unix",
        "tel:+1-816-555-1212",
        "telnet://192.0.2.16:80/",
        "urn:oasis:names:specification:docbook:dtd:xml:4.1.2",
        "https://h/",
        "ws://h/",
        "wss://h/",
        "file:///x",
    ] {
        assert!(Uri::parse_absolute(text).is_ok(), "{text}");
    }
}

/// URI-USE-01: the kinds of reference.
#[test]
fn kinds_of_reference() {
    for (text, kind) in [
        ("x:", ReferenceKind::Uri),
        ("//h/a", ReferenceKind::NetworkPath),
        ("/a//b", ReferenceKind::AbsolutePath),
        ("a/b", ReferenceKind::RelativePath),
        ("?q", ReferenceKind::RelativePath),
        ("#f", ReferenceKind::RelativePath),
        ("", ReferenceKind::RelativePath),
    ] {
        assert_eq!(reference(text).kind(), kind, "{text}");
    }
}

/// URI-USE-02, URI-USE-03: the target decides, not the form of the reference; nothing is normalised
/// unasked.
#[test]
fn same_document() {
    let base = uri("http://a/b/c?q#f");
    for text in ["", "#x", "#", "c?q", "http://a/b/c?q#y", "./c?q", "?q"] {
        assert!(reference(text).is_same_document(base), "{text}");
    }
    for text in ["?", "c", "/b/c", "HTTP://a/b/c?q", "http://A/b/c?q", "d"] {
        assert!(!reference(text).is_same_document(base), "{text}");
    }
    let normal = reference("HTTP://A/b/c?q#z").normalise(Rung::Path);
    assert!(reference(&normal).is_same_document(base), "who wants it normalises first");
}

/// URI-BASE-01, URI-BASE-02: the innermost base holds, without its fragment.
#[test]
fn bases() {
    let text = |bases: BaseUris<'_>| bases.base().map(|base| base.as_str().to_owned());
    let none = BaseUris::new();
    assert_eq!(text(none), None);
    let bases = none.application_default(uri("x:default#f"));
    assert_eq!(text(bases).as_deref(), Some("x:default"));
    let bases = bases.retrieval(uri("x:first")).retrieval(uri("x:last#top"));
    assert_eq!(text(bases).as_deref(), Some("x:last"), "the last one after redirects");
    let bases = bases.enclosing(uri("x:enclosing"));
    assert_eq!(text(bases).as_deref(), Some("x:enclosing"));
    let bases = bases.embedded(uri("x:embedded#"));
    assert_eq!(text(bases).as_deref(), Some("x:embedded"));
    assert_eq!(reference("g").resolve(uri("http://a/b#top")).as_str(), "http://a/g");
}
