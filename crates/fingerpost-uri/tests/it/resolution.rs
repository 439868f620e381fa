//! Reference resolution (RFC 3986, section 5; rows URI-RES-*).

use fingerpost_uri::{ResolveOptions, Rung, Uri, UriRef};

/// The target, and how many `..` were dropped.
fn resolve_with(base: &str, reference: &str, options: ResolveOptions) -> (String, usize) {
    let (base, reference) =
        (Uri::parse(base).expect(base), UriRef::parse(reference).expect(reference));
    let mut target = String::from("kept:");
    let underflow = reference.resolve_into(base, options, &mut target);
    let target = target.strip_prefix("kept:").expect("resolution appends").to_owned();
    Uri::parse(&target).unwrap_or_else(|error| panic!("{target}: {error}"));
    (target, underflow)
}

fn resolve(base: &str, reference: &str) -> String {
    resolve_with(base, reference, ResolveOptions::new()).0
}

#[track_caller]
fn all(base: &str, pairs: &[(&str, &str)]) {
    for (reference, target) in pairs {
        assert_eq!(resolve(base, reference), *target, "{base} + {reference}");
    }
}

const BASE: &str = "http://a/b/c/d;p?q";

/// URI-RES-20, URI-RES-01: section 5.4.1.
#[test]
fn normal_examples() {
    let pairs = [
        ("g:h", "g:h"),
        ("g", "http://a/b/c/g"),
        ("./g", "http://a/b/c/g"),
        ("g/", "http://a/b/c/g/"),
        ("/g", "http://a/g"),
        ("//g", "http://g"),
        ("?y", "http://a/b/c/d;p?y"),
        ("g?y", "http://a/b/c/g?y"),
        ("#s", "http://a/b/c/d;p?q#s"),
        ("g#s", "http://a/b/c/g#s"),
        ("g?y#s", "http://a/b/c/g?y#s"),
        (";x", "http://a/b/c/;x"),
        ("g;x", "http://a/b/c/g;x"),
        ("g;x?y#s", "http://a/b/c/g;x?y#s"),
        ("", "http://a/b/c/d;p?q"),
        (".", "http://a/b/c/"),
        ("./", "http://a/b/c/"),
        ("..", "http://a/b/"),
        ("../", "http://a/b/"),
        ("../g", "http://a/b/g"),
        ("../..", "http://a/"),
        ("../../", "http://a/"),
        ("../../g", "http://a/g"),
    ];
    assert_eq!(pairs.len(), 23);
    all(BASE, &pairs);
}

/// URI-RES-21, URI-RES-09, URI-RES-10: section 5.4.2, with the pairs that some copies of the draft
/// have lost.
#[test]
fn abnormal_examples() {
    all(
        BASE,
        &[
            ("../../../g", "http://a/g"),
            ("../../../../g", "http://a/g"),
            ("/./g", "http://a/g"),
            ("/../g", "http://a/g"),
            ("g.", "http://a/b/c/g."),
            (".g", "http://a/b/c/.g"),
            ("g..", "http://a/b/c/g.."),
            ("..g", "http://a/b/c/..g"),
            ("./../g", "http://a/b/g"),
            ("./g/.", "http://a/b/c/g/"),
            ("g/./h", "http://a/b/c/g/h"),
            ("g/../h", "http://a/b/c/h"),
            ("g;x=1/./y", "http://a/b/c/g;x=1/y"),
            ("g;x=1/../y", "http://a/b/c/y"),
            ("g?y/./x", "http://a/b/c/g?y/./x"),
            ("g?y/../x", "http://a/b/c/g?y/../x"),
            ("g#s/./x", "http://a/b/c/g#s/./x"),
            ("g#s/../x", "http://a/b/c/g#s/../x"),
            ("http:g", "http:g"),
        ],
    );
}

/// URI-RES-02, URI-RES-04: a scheme or an authority of its own: nothing of the base but, for the
/// latter, its scheme.
#[test]
fn scheme_and_authority_of_the_reference() {
    all(
        BASE,
        &[
            ("ftp://n/a/../b", "ftp://n/b"),
            ("ftp://n/../b?x", "ftp://n/b?x"),
            ("ftp:", "ftp:"),
            ("//n/../o", "http://n/o"),
            ("//n", "http://n"),
            ("//n?y", "http://n?y"),
            ("//", "http://"),
        ],
    );
}

/// URI-RES-03: the loophole for old data, off by default, without case.
#[test]
fn non_strict() {
    let lax = ResolveOptions::new().strict(false);
    for reference in ["http:g", "HTTP:g", "hTtP:./g"] {
        assert_eq!(resolve_with(BASE, reference, lax).0, "http://a/b/c/g", "{reference}");
    }
    assert_eq!(resolve(BASE, "HTTP:g"), "HTTP:g");
    assert_eq!(resolve_with(BASE, "https:g", lax).0, "https:g");
    assert_eq!(resolve_with(BASE, "http://n/x", lax).0, "http://n/x");
}

/// URI-RES-05, URI-RES-08, URI-RES-13: an empty path; the fragment; undefined and empty.
#[test]
fn empty_paths() {
    all(
        "http://a/b/../c?q#f",
        &[
            ("", "http://a/b/../c?q"),
            ("?y", "http://a/b/../c?y"),
            ("?", "http://a/b/../c?"),
            ("#s", "http://a/b/../c?q#s"),
            ("#", "http://a/b/../c?q#"),
            ("?#", "http://a/b/../c?#"),
        ],
    );
    assert_eq!(resolve("http://a?", ""), "http://a?");
    assert_eq!(resolve("x://", "?"), "x://?");
}

/// URI-RES-06, URI-RES-07: absolute paths and merging; the query of the base never takes part.
#[test]
fn merging() {
    all(
        "http://a/b?x=/../y",
        &[("g", "http://a/g"), ("/g/./h", "http://a/g/h"), ("g?", "http://a/g?")],
    );
    all("http://a", &[("g", "http://a/g"), ("../g", "http://a/g"), ("?y", "http://a?y")]);
    all("x:a", &[("g", "x:g"), ("./g", "x:g")]);
    all("urn:a:b", &[("c", "urn:c")]);
    all("x:a/b/c", &[("g", "x:a/b/g"), ("/g", "x:/g")]);
}

/// URI-RES-09, URI-RES-10, URI-RES-11: surplus dots, final dots, and rootless paths that climb out.
#[test]
fn dots() {
    all(
        "http://a/b",
        &[
            ("/../../g", "http://a/g"),
            ("/..", "http://a/"),
            ("/g/..", "http://a/"),
            ("/g/.", "http://a/g/"),
        ],
    );
    all("x:mid/content=5", &[("../6", "x:/6"), ("./6", "x:mid/6"), (".", "x:mid/"), ("..", "x:/")]);
    assert_eq!(resolve("http://a/x", "/a/b/c/./../../g"), "http://a/a/g");
    assert_eq!(resolve("x:y", "x:mid/content=5/../6"), "x:mid/6");
    assert_eq!(resolve("x:y", "x:."), "x:");
    assert_eq!(resolve("x:y", "x:.."), "x:");
    assert_eq!(resolve("x:y", "x:./g/."), "x:g/");
}

/// URI-RES-12: triplets are no dots, unless asked; afterwards the normal form has none.
#[test]
fn dots_in_triplets() {
    let decoding = ResolveOptions::new().decode_dots(true);
    for (reference, literal, decoded) in [
        ("%2e%2e/g", "http://a/b/c/%2e%2e/g", "http://a/b/g"),
        (".%2E/g", "http://a/b/c/.%2E/g", "http://a/b/g"),
        ("%2e/g", "http://a/b/c/%2e/g", "http://a/b/c/g"),
        ("%2e%2e%2e/g", "http://a/b/c/%2e%2e%2e/g", "http://a/b/c/%2e%2e%2e/g"),
    ] {
        assert_eq!(resolve(BASE, reference), literal);
        assert_eq!(resolve_with(BASE, reference, decoding).0, decoded);
    }
    let target = resolve(BASE, "%2e%2e/g");
    assert_eq!(UriRef::parse(&target).expect("a URI").normalise(Rung::Path), "http://a/b/g");
}

/// URI-RES-14, URI-SEC-08: no path becomes a host.
#[test]
fn paths_that_would_become_hosts() {
    for (base, reference, target) in [
        ("foo:/a", "..//b", "foo:/.//b"),
        ("foo:/a", ".//b", "foo:/.//b"),
        ("foo:a", "/..//b", "foo:/.//b"),
        ("foo:a/b", "../..//c", "foo:/.//c"),
    ] {
        assert_eq!(resolve(base, reference), target, "{base} + {reference}");
        assert_eq!(Uri::parse(target).expect("a URI").authority(), None);
    }
    assert_eq!(resolve("foo://h/a", ".//b"), "foo://h//b", "with a host there is nothing to guard");
}

/// URI-RES-15: neither side is normalised on the way.
#[test]
fn nothing_is_normalised() {
    assert_eq!(resolve("HTTP://A:80/%7Eb/c", "d%7e"), "HTTP://A:80/%7Eb/d%7e");
    assert_eq!(resolve("HTTP://A:80/%7Eb/c", "//B:"), "HTTP://B:");
}

/// URI-RES-16: what was dropped is counted.
#[test]
fn dropped_dots_are_counted() {
    for (reference, dropped) in [
        ("../g", 0),
        ("../../g", 0),
        ("../../../g", 1),
        ("/../../g", 2),
        ("../../../..", 2),
        ("", 0),
    ] {
        assert_eq!(resolve_with(BASE, reference, ResolveOptions::new()).1, dropped, "{reference}");
    }
}
