//! What single sections of the standards require of the commands for identifiers, URIs and URNs.

use crate::support;

use serde_json::{Value, json};
use support::{run, run_with_input};

/// RFC 3986, sections 3.2.1 and 7.5: nothing that a person reads shows a password, unless it is
/// asked for. URI-SEC-06.
#[test]
fn rfc_3986_3_2_1_passwords_are_hidden() {
    let uri = "http://me:s3cret@h.example/a";
    let link = "https://me:s3cret@h.example/01/09520123456788";
    let accept = ["--accept", "user-information"];
    let commands: [(&[&str], bool); 20] = [
        (&["uri", "parse", uri, "http://me:s3cret@h/a b"], true),
        (&["uri", "parse", "--format", "json", uri, "http://me:s3cret@h/a b"], true),
        (&["uri", "resolve", uri, "b"], true),
        (&["uri", "resolve", "--format", "json", "http://h/", uri], true),
        (&["uri", "resolve", "http://me:s3cret@h/ ", "a b"], false),
        (&["uri", "normalise", "HTTP://me:s3cret@h:80"], true),
        (&["uri", "normalise", "--format", "json", "HTTP://me:s3cret@h:80"], true),
        (&["uri", "compare", uri, "http://me:s3cret@h.example/b"], true),
        (&["uri", "compare", "--format", "json", uri, uri], true),
        (&["uri", "build", "--host", "h", "--userinfo", "me"], false),
        (&["uri", "www", "parse", "ftp://me:s3cret@h/a"], true),
        (&["uri", "www", "parse", "--format", "json", "telnet://me:s3cret@h", uri], true),
        (&["uri", "www", "resolve", uri, "b"], true),
        (&["uri", "www", "compare", uri, "http://h/"], true),
        (&["check", link], true),
        (&["check", "--format", "json", link, "http://me:s3cret@h/%"], true),
        (&["check", "--plausible", link], true),
        (&["explain", link], false),
        (&["login", "http://me:s3cret@127.0.0.1:1"], false),
        (&["convert", "9520123456788", "--to", "hri", "--stem", "https://me:s3cret@h"], false),
    ];
    for (words, can_show) in commands {
        let hidden = run(words);
        let told = format!("{}{}", hidden.stdout, hidden.stderr);
        assert!(!told.contains("s3cret"), "{words:?}: {told}");
        if can_show {
            assert!(told.contains("me:***@"), "{words:?}: {told}");
            let shown = run(words.iter().copied().chain(["--show-passwords"]));
            assert!(shown.stdout.contains("s3cret"), "{words:?}: {shown:?}");
            assert_eq!(shown.status, hidden.status, "{words:?}");
        }
    }
    for to in ["digital-link", "json"] {
        let words = ["convert", link, "--to", to, accept[0], accept[1]];
        let hidden = run(words).expect_status(0);
        assert!(
            hidden.stdout.contains("me:***@") && !hidden.stdout.contains("s3cret"),
            "{hidden:?}"
        );
        assert!(hidden.stderr.contains("USER_INFORMATION"), "{hidden:?}");
        let shown = run(words.into_iter().chain(["--show-passwords"])).expect_status(0);
        assert!(shown.stdout.contains("me:s3cret@"), "{shown:?}");
    }
    let text = format!("<{uri}> and {uri}");
    for format in ["text", "json"] {
        let words = ["uri", "extract", "--format", format];
        let found = run_with_input(words, text.as_bytes()).expect_status(0).stdout;
        assert_eq!((found.matches("me:***@").count(), found.contains("s3cret")), (2, false));
        let shown = run_with_input(words.into_iter().chain(["--show-passwords"]), text.as_bytes());
        assert_eq!(shown.stdout.matches("me:s3cret@").count(), 2);
    }
}

/// The marks stand where they belong, also behind a hidden password.
#[test]
fn marks_stand_behind_a_hidden_password() {
    for (uri, line, marks) in [
        ("http://me:s3cret@h/a b", "  http://me:***@h/a b", "                   ^"),
        ("http://me:s3cr^t@h/a", "  http://me:***@h/a", "            ^"),
    ] {
        let told = run(["uri", "parse", uri]).expect_status(1).stdout;
        let lines: Vec<&str> = told.lines().collect();
        assert_eq!(lines[1..3], [line, marks], "{told}");
    }
}

/// RFC 3986, appendix C: what delimits a URI in running text is stripped, with a note. URI-EXT-04,
/// URI-EXT-05.
#[test]
fn rfc_3986_appendix_c_delimiters_are_stripped() {
    let uri = "http://example.com/01/09520123456788";
    for (typed, note) in [
        ("<http://example.com/01/09520123456788>", "angle brackets"),
        ("\"http://example.com/01/09520123456788\"", "double quotes"),
        ("URL:http://example.com/01/09520123456788", "the prefix URL:"),
        (" http://example.com/01/09520123456788 ", "white space"),
        ("<http://example.com/01/\n  09520123456788>", "angle brackets, white space"),
    ] {
        let note = format!("read without {note}");
        for words in [&["uri", "parse"][..], &["check"], &["uri", "www", "parse"]] {
            let words = words.iter().copied();
            let told = run(words.clone().chain([typed])).expect_status(0).stdout;
            assert!(told.starts_with(&format!("note: {note}\n{uri}\nvalid")), "{told}");
            let told = run(words.chain(["--format", "json", typed])).expect_status(0).events();
            assert_eq!((&told[0]["input"], &told[0]["notes"]), (&json!(uri), &json!([note])));
        }
        for words in [["uri", "normalise", typed], ["convert", "--to=digital-link", typed]] {
            let found = run(words).expect_status(0);
            assert_eq!(found.stdout.lines().last(), Some(uri), "{words:?}");
        }
        let target = run(["uri", "resolve", typed, "<../a>"]).expect_status(0);
        assert_eq!(target.stdout, "http://example.com/a\n");
        assert!(target.stderr.contains(&note), "{}", target.stderr);
        run(["uri", "compare", typed, uri]).expect_status(0);
    }
    let urn = run(["urn", "parse", "<urn:isbn:0-451-45052-3>"]).expect_status(0).stdout;
    assert!(
        urn.starts_with("note: read without angle brackets\nurn:isbn:0-451-45052-3\n"),
        "{urn}"
    );
    run(["urn", "compare", "\"urn:example:a\"", "URN:example:a"]).expect_status(0);
    for (typed, note) in [
        ("<https://id.example.org/01/09520123456788>", "angle brackets"),
        (" \"/01/09520123456788\" ", "double quotes, white space"),
        ("\"https://id.example.org/01/\n  09520123456788\"", "double quotes, white space"),
    ] {
        let told = run(["explain", typed]).expect_status(0).stdout;
        assert!(told.starts_with(&format!("note: read without {note}\n")), "{told}");
        assert!(told.contains("Request for 01/09520123456788\n"), "{told}");
    }
}

/// RFC 3986, sections 2.4 and 3; URI-CHR-07: every argument is data.
#[test]
fn rfc_3986_2_4_uris_are_built_from_data() {
    for (words, uri) in [
        (
            &["--scheme", "https", "--host", "h", "--segment", "a/b", "--segment", "%"][..],
            "https://h/a%2Fb/%25",
        ),
        (&["--scheme", "mailto", "--rootless", "--segment", "a@b"], "mailto:a%40b"),
        (&["--host", "2001:db8::1", "--port", "8080"], "//[2001:db8::1]:8080"),
        (&["--host", "h", "--userinfo", "a:b", "--query", "x=1"], "//a%3Ab@h?x%3D1"),
        (&["--segment", "", "--segment", "a"], "/.//a"),
        (&["--pair", "a=b=c", "--pair", "d=é", "--fragment", "#"], "?a=b%3Dc&d=%C3%A9#%23"),
        (&[], ""),
    ] {
        let built = run(["uri", "build"].iter().chain(words)).expect_status(0).stdout;
        assert_eq!(built, format!("{uri}\n"), "{words:?}");
        let json = run(["uri", "build", "--format", "json"].iter().chain(words)).expect_status(0);
        assert_eq!(json.events(), [json!({"valid": true, "uri": uri})]);
        run(["uri", "parse", "--", uri]).expect_status(0);
    }
    let refused = run(["uri", "build", "--scheme", "1a"]).expect_status(1);
    assert!(refused.stderr.contains("error[UNEXPECTED_CHARACTER]: scheme:"), "{refused:?}");
    for wrong in [&["--port", "1"][..], &["--port", "70000", "--host", "h"], &["--pair", "a"]] {
        run(["uri", "build"].iter().chain(wrong)).expect_status(2);
    }
}

/// URN draft of 2012, section 2.2; URN-SYN-07, URN-SYN-12.
#[test]
fn urn_draft_2_2_names_are_built_from_data() {
    let built = run(["urn", "build", "example", "café 50%"]).expect_status(0).stdout;
    assert_eq!(built, "urn:example:caf%C3%A9%2050%25\n");
    run(["urn", "parse", built.trim_end()]).expect_status(0);
    let json = run(["urn", "build", "--format", "json", "isbn", "0-451-45052-3"]).expect_status(0);
    assert_eq!(json.events(), [json!({"valid": true, "urn": "urn:isbn:0-451-45052-3"})]);
    for (nid, name, argument) in [
        ("urn", "a", "nid"),
        ("-a", "b", "nid"),
        ("isbn", "0-451-45052-4", "name"),
        ("example", "", "name"),
    ] {
        let refused = run(["urn", "build", "--", nid, name]).expect_status(1);
        assert!(refused.stderr.contains(&format!("]: {argument}: ")), "{nid} {name}: {refused:?}");
        assert_eq!(refused.stdout, "");
    }
}

/// The first web syntax, "Partial (relative) form": its examples, both ways. WWW-PAR-02,
/// WWW-PAR-04.
#[test]
fn www_partial_forms_are_expanded_and_made() {
    let context = "magic://a/b/c//d/e/f";
    for (partial, full) in [
        ("g", "magic://a/b/c//d/e/g"),
        ("/g", "magic://a/g"),
        ("//g", "magic://g"),
        ("../g", "magic://a/b/c//d/g"),
        ("g:a", "g:a"),
    ] {
        let found = run(["uri", "www", "resolve", context, partial]).expect_status(0);
        assert_eq!((&*found.stdout, &*found.stderr), (&*format!("{full}\n"), ""));
        let found = run(["uri", "www", "partial", context, full]).expect_status(0);
        assert_eq!(found.stdout, format!("{partial}\n"));
    }
    let refused = run(["uri", "www", "resolve", context, "///g"]).expect_status(1);
    assert!(refused.stderr.contains("error[NO_SUCH_RUN]: partial: "), "{refused:?}");
    let refused = run(["uri", "www", "resolve", "--format", "json", "b", "g"]).expect_status(1);
    let fault = &refused.events()[0]["faults"][0];
    assert_eq!((&fault["code"], &fault["of"]), (&json!("NO_SCHEME"), &json!("context")));
}

/// The first web syntax: words, void fragments, levels, equivalence. WWW-SYN-05, WWW-SYN-06,
/// WWW-SYN-09, WWW-SYN-11.
#[test]
fn www_uris_are_parsed_and_compared() {
    let words =
        ["uri", "www", "parse", "--format", "json", "wais://h/db?a%2Bb+c#", "ftp://h/a/b/c"];
    let found = run(words).expect_status(0).events();
    assert_eq!(found[0]["words"], json!(["a+b", "c"]));
    assert_eq!((&found[0]["search"], &found[0]["fragment"]), (&json!("a%2Bb+c"), &Value::Null));
    let parts = json!([
        ["user", "anonymous"],
        ["host", "h"],
        ["directory", "a"],
        ["directory", "b"],
        ["file", "c"]
    ]);
    assert_eq!(found[1]["parts"], parts);
    for (level, text, status) in [
        ("bnf", "http://h/a b", 0),
        ("canonical", "http://h/a b", 1),
        ("tolerant", "http://h/a=b", 0),
        ("bnf", "http://h/a=b", 1),
        ("tolerant", "//h/a", 1),
        ("tolerant", "http://h/%zz", 1),
    ] {
        run(["uri", "www", "parse", "--level", level, text]).expect_status(status);
    }
    run(["uri", "www", "compare", "http://h/a%2Db#", "http://h/a-b"]).expect_status(0);
    run(["uri", "www", "compare", "http://h/a/b", "http://h/a%2Fb"]).expect_status(1);
    run(["uri", "www", "compare", "http://h/a", "b"]).expect_status(1);
}

/// GS1 Digital Link URI Syntax 1.4.1, section 6.1.3.
#[test]
fn uri_syntax_6_1_3_plausibility_has_three_answers() {
    for (text, answer, expression, status) in [
        ("https://a.example/01/09520123456788", "yes", json!("RE1"), 0),
        ("https://example.com/DBHKVAdpQgowOQ", "yes", json!("RE2"), 0),
        // The expressions miss it, but it is valid.
        ("https://a.example/8004/9520", "yes", json!(null), 0),
        ("https://a.example/01/09520123456789", "maybe", json!("RE1"), 0),
        ("https://a.example/about-us-page", "maybe", json!("RE2"), 0),
        ("https://a.example/news?id=5", "definitely not", json!(null), 1),
        ("(01)09520123456788", "definitely not", json!(null), 1),
    ] {
        let words = ["check", "--plausible", "--format", "json", text];
        let expected = json!({"input": text, "plausible": answer, "expression": expression});
        assert_eq!(run(words).expect_status(status).events(), [expected]);
        let told = run(["check", "--plausible", text]).expect_status(status).stdout;
        assert!(told.starts_with(&format!("{answer}: ")), "{told}");
    }
}

/// The readings that the standards leave open: each accepts what it names, in `check` and in
/// `convert`.
#[test]
fn readings_can_be_chosen() {
    let uri = "https://a.example/01/";
    for (reading, text, elements) in [
        ("parts", "(10)A".into(), "(10)A"),
        ("unknown-ais", "(89)A".into(), "(89)A"),
        ("short-gtin", format!("{uri}9520123456788"), "(01)09520123456788"),
        (
            "uri-syntax-1.4",
            "https://a.example/255/9520123456788?3944=1234".into(),
            "(255)9520123456788(3944)1234",
        ),
        ("any-character", format!("{uri}09520123456788/10/A\"B"), "(01)09520123456788(10)A\"B"),
        ("user-information", "https://me@a.example/01/09520123456788".into(), "(01)09520123456788"),
        ("trailing-slash", format!("{uri}09520123456788/"), "(01)09520123456788"),
        ("bad-percent", format!("{uri}09520123456788/10/A%4g"), "(01)09520123456788(10)A%4g"),
        ("former-names", "/gtin/09520123456788".into(), "(01)09520123456788"),
        (
            "repeated-attributes",
            format!("{uri}09520123456788?99=A&99=B"),
            "(01)09520123456788(99)B",
        ),
        ("qualifiers-in-query", format!("{uri}09520123456788?10=A"), "(01)09520123456788(10)A"),
    ] {
        run(["check", &text]).expect_status(1);
        run(["convert", "--to=element-string", &text]).expect_status(1);
        run(["check", "--accept", reading, &text]).expect_status(0);
        let found =
            run(["convert", "--to=element-string", "--accept", reading, &text]).expect_status(0);
        assert_eq!(found.stdout, format!("{elements}\n"), "{reading}");
    }
    run(["check", "--accept", "lenient", &format!("{uri}9520123456788/?10=A")]).expect_status(0);
    let both = ["check", "--accept", "unknown-ais", "--accept", "unknown-attributes"];
    run(both.into_iter().chain(["https://a.example/01/09520123456788?89=A"])).expect_status(0);
    let dots =
        run(["uri", "resolve", "--decode-dots", "http://h/a/b", "%2e%2E/c"]).expect_status(0);
    assert_eq!(dots.stdout, "http://h/c\n");
}

/// GS1 Digital Link URI Syntax 1.4.1, sections 4.12 and 5.
#[test]
fn uri_syntax_4_12_convert_writes_the_canonical_form() {
    let uri = "http://example.com/01/09520123456788/22/2A?3103=000195&linkType=gs1:pip&15=261231";
    let canonical = "https://id.gs1.org/01/09520123456788/22/2A?15=261231&3103=000195";
    let found = run(["convert", uri, "--to", "canonical"]).expect_status(0).stdout;
    assert_eq!(found, format!("{canonical}\n"));
    let all = run(["convert", uri, "--to", "json"]).expect_status(0).events();
    assert_eq!(all[0]["canonical"], canonical);
    let hri = all[0]["hri"].as_str().expect("an interpretation");
    let found = run(["convert", hri, "--to", "canonical"]).expect_status(0).stdout;
    assert_eq!(found, format!("{canonical}\n"));
}

/// GS1 Digital Link URI Syntax 1.4.1, sections 4.9 and 4.10: `check`, `convert` and `import` judge
/// alike.
#[test]
fn uri_syntax_4_9_and_4_10_findings_do_not_refuse() {
    for (uri, code, elements) in [
        (
            "https://a.example/01/09520123456788/414/9520123456788",
            "IGNORED_KEY",
            "(414)9520123456788",
        ),
        (
            "https://a.example/8006/095201234567880102/22/2A",
            "ITIP_WITH_VARIANT",
            "(8006)095201234567880102(22)2A",
        ),
    ] {
        let found = run(["check", "--format", "json", uri]).expect_status(0).events();
        assert_eq!(found[0]["warnings"][0]["code"], code);
        let found = run(["convert", uri, "--to", "element-string"]).expect_status(0);
        assert_eq!(found.stdout, format!("{elements}\n"));
        assert!(found.stderr.starts_with(&format!("warning[{code}]: ")), "{}", found.stderr);
        let found =
            run_with_input(["convert", "-", "--to", "hri"], uri.as_bytes()).expect_status(0);
        assert!(
            found.stderr.starts_with(&format!("warning[{code}]: line 1: ")),
            "{}",
            found.stderr
        );
    }
    let sandbox = support::Sandbox::new();
    let record = |anchor: &str| support::record(anchor, "https://example.com/a");
    let item = "/8006/095201234567880102";
    let lines = [record(item), record(&format!("{item}/22/2A"))].join("\n");
    let imported = sandbox.import(&lines).expect_status(0);
    assert_eq!(imported.events_of("summary")[0]["warnings"], 1, "{imported:?}");
}
