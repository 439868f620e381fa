//! The first web syntax and the services over HTTP (Internet-Draft before RFC 1630, RFC 2169; rows
//! WWW-*).

use fingerpost_uri::urn::thttp::{
    RequestError, ServiceRequest, Word, read_uri_list, select, uri_list,
};
use fingerpost_uri::urn::{Mode, Urn};
use fingerpost_uri::www::{
    Grammar, SchemeView, WwwErrorKind, WwwUri, equivalent, expand_partial, make_safer, relax,
};
use fingerpost_uri::{Rung, UriRef};

const LEVELS: [Grammar; 3] = [Grammar::Bnf, Grammar::Tolerant, Grammar::Canonical];

fn uri(text: &str) -> WwwUri<'_> {
    WwwUri::parse(text, Grammar::Canonical).unwrap_or_else(|error| panic!("{text:?}: {error}"))
}

fn kind(text: &str, level: Grammar) -> Option<WwwErrorKind> {
    WwwUri::parse(text, level).err().map(|error| error.kind())
}

/// WWW-SYN-01, WWW-SYN-02: the parts of a full form.
#[test]
fn full_forms() {
    let found = uri("http://h/a;b?x+y#f");
    assert_eq!((found.scheme(), found.path()), ("http", "//h/a;b"));
    assert_eq!((found.search(), found.fragment()), (Some("x+y"), Some("f")));
    assert_eq!(uri("news:").path(), "");
    for text in ["", "/a:b", "//h/a", "a/b:c", "a?b:c", "a#b:c", ":a"] {
        assert_eq!(kind(text, Grammar::Bnf), Some(WwwErrorKind::NoScheme), "{text:?}");
    }
}

/// WWW-SYN-03: schemes are those of RFC 3986 at every level.
#[test]
fn schemes() {
    for level in LEVELS {
        assert!(WwwUri::parse("x-y+z.1:a", level).is_ok());
        for text in ["a@b:c", "a!:c", "a b:c", "%41:c", "1a:c"] {
            assert_eq!(kind(text, level), Some(WwwErrorKind::NoScheme), "{text}");
        }
    }
}

/// WWW-SYN-04, WWW-SYN-05, WWW-SYN-06: each character at each level, in path, search and fragment.
#[test]
fn characters() {
    for level in LEVELS {
        for byte in 0..=0x7F_u8 {
            let c = char::from(byte);
            let xalpha = c.is_ascii_alphanumeric()
                || "$-_@.&!*\"'():;,".contains(c)
                || (c == ' ' && level != Grammar::Canonical)
                || (c == '=' && level == Grammar::Tolerant);
            let admits = |text: &str| WwwUri::parse(text, level).is_ok();
            assert_eq!(
                admits(&format!("x:a{c}b")),
                xalpha || "+/?#".contains(c),
                "{c:?} {level:?}"
            );
            assert_eq!(admits(&format!("x:?a{c}b")), xalpha || "+#".contains(c), "{c:?} {level:?}");
            assert_eq!(admits(&format!("x:#a{c}b")), xalpha, "{c:?} {level:?}");
        }
        for text in ["x:~", "x:{}", "x:[", "x:<", "x:\\", "x:é"] {
            assert_eq!(kind(text, level), Some(WwwErrorKind::UnexpectedCharacter), "{text}");
        }
    }
}

/// WWW-SYN-07: Example 3, and codes of ISO Latin-1.
#[test]
fn escapes() {
    for text in ["fred:%*", "fred:%as", "fred:%", "fred:%4", "fred:?%x", "fred:#%"] {
        assert_eq!(kind(text, Grammar::Bnf), Some(WwwErrorKind::InvalidEscape), "{text}");
    }
    assert_eq!(uri("x:?caf%E9").search_words(), ["café"]);
}

/// WWW-SYN-08, WWW-SYN-11: Examples 1 and 2.
#[test]
fn comparison_at_one_level() {
    assert!(equivalent(
        "http://www.w3.org/albert/bertram/marie-claude",
        "http://www.w3.org/albert/bertram/marie%2Dclaude"
    ));
    assert!(!equivalent(
        "http://www.w3.org/albert/bertram/marie-claude",
        "http://www.w3.org/albert/bertram%2Fmarie-claude"
    ));
    for (a, b) in [
        ("x:a#b", "x:a%23b"),
        ("x:a?b", "x:a%3Fb"),
        ("x:a/../b", "x:a/%2E%2E/b"),
        ("x:/./b", "x:/%2e/b"),
        ("x:?a+b", "x:?a%2Bb"),
    ] {
        assert!(!equivalent(a, b), "{a} {b}");
    }
    assert!(equivalent("x:a b", "x:a%20b"), "a raw space of the grammar, and its canonical form");
    assert!(equivalent("x:%7Ea", "x:%7ea") && equivalent("x:a%2eb", "x:a.b"));
}

/// WWW-SYN-09: words of a search; RFC 3986 has no such rule.
#[test]
fn words_of_a_search() {
    assert_eq!(uri("x:?a%2Bb+c++d").search_words(), ["a+b", "c", "", "d"]);
    assert_eq!(uri("x:").search_words(), Vec::<String>::new());
    let query = UriRef::parse("?a+b=c+d").expect("a reference").query().expect("a query");
    let (name, value) = query.pairs().next().expect("a pair");
    assert_eq!(name.decode_utf8().as_deref(), Ok("a+b"));
    assert_eq!(value.expect("a value").decode_utf8().as_deref(), Ok("c+d"));
}

/// WWW-SYN-10: a void fragment is the whole object here, and another URI in RFC 3986.
#[test]
fn void_fragments() {
    assert_eq!(uri("x:a#").fragment(), None);
    assert!(equivalent("x:a#", "x:a"));
    let (a, b) = (UriRef::parse("x:a#").expect("a URI"), UriRef::parse("x:a").expect("a URI"));
    assert_eq!(a.equal_at(b), None);
    assert_eq!(a.equal_at(a), Some(Rung::String));
}

/// WWW-SYN-12: up and down again, never across a reserved character.
#[test]
fn encoding_levels() {
    for text in [
        "http://h/a$b-c_d@e.f&g!h",
        "x:a/./b/../c",
        "x:a/.%2e/b",
        "x:a b",
        "x:a%2Fb%3Fc%23d%2Be%25",
        "x:?a+b",
        "news:a.b@c",
    ] {
        let safer = make_safer(text);
        assert_eq!(relax(&safer), relax(text), "{text}");
        assert_eq!(make_safer(&safer), safer, "{text}");
        assert_eq!(relax(&relax(text)), relax(text), "{text}");
        assert!(equivalent(&safer, text));
    }
    assert_eq!(make_safer("http://h/a$b"), "http://h/a%24b");
}

/// WWW-SYN-12, WWW-SCH-01, WWW-SCH-02, WWW-SCH-03, WWW-SCH-07 to WWW-SCH-11: the scheme reads the
/// encoded and the decoded form as the same object.
#[test]
fn section_specific_schemes_read_every_encoding_level_alike() {
    let read = |text: &str| {
        let view = WwwUri::parse(text, Grammar::Tolerant).expect(text).view();
        let debug = format!("{view:?}");
        percent_decoded(&debug)
    };
    for text in [
        "ftp://joe@host/x",
        "ftp://joe:a$b@host.example:2121/a@b:c/d",
        "http://h:80/x:y@z",
        "http://info.cern-x.ch:80?a@b:c",
        "http://h#a:b",
        "news:123@host.example",
        "news:comp.infosystems.www",
        "nntp://h.example:119/comp.x/12:3",
        "gopher://h.example:70/:x:y",
        "gopher://h.example/",
        "gopher://h.example/00/x",
        "telnet://joe@h.example:23",
        "rlogin://joe:x@h.example",
        "prospero://h.example:1525/a:b@c%00v1",
        "wais://h.example:210/db/text/a:b@c",
        "mailto:a%25b@h.example",
        "mid:a.b@c",
        "cid:a.b@c",
    ] {
        let safer = make_safer(text);
        assert_eq!(read(&safer), read(text), "{text} {safer}");
        assert_eq!(read(&relax(text)), read(text), "{text}");
        assert_eq!(relax(&safer), relax(text), "{text}");
        assert!(equivalent(&safer, text), "{text}");
    }
    assert_eq!(make_safer("ftp://joe@host/x@y"), "ftp://joe@host/x%40y");
    // An escaped divider is data, in every form.
    for text in ["ftp://a%40b@host/", "http://h%3A80/", "news:a%40b"] {
        assert_eq!((&*relax(text), &*make_safer(text)), (text, text));
        assert!(!equivalent(text, &text.replace("%40", "@").replace("%3A", ":")), "{text}");
    }
}

fn percent_decoded(text: &str) -> String {
    let mut out = String::new();
    let mut rest = text;
    while let Some((before, after)) = rest.split_once('%') {
        out.push_str(before);
        match after.get(..2).and_then(|digits| u8::from_str_radix(digits, 16).ok()) {
            Some(octet) => {
                out.push(char::from(octet));
                rest = &after[2..];
            }
            None => {
                out.push('%');
                rest = after;
            }
        }
    }
    out + rest
}

const CONTEXT: &str = "magic://a/b/c//d/e/f";

/// WWW-PAR-01, WWW-PAR-02, WWW-PAR-03, WWW-PAR-05, WWW-PAR-07: the examples, in both contexts.
#[test]
fn partial_forms() {
    for context in [CONTEXT, "magic://a/b/c//d/e/"] {
        for (partial, full) in [
            ("g:a", "g:a"),
            ("g", "magic://a/b/c//d/e/g"),
            ("/g", "magic://a/g"),
            ("//g", "magic://g"),
            ("../g", "magic://a/b/c//d/g"),
        ] {
            assert_eq!(
                expand_partial(context, partial).as_deref(),
                Ok(full),
                "{context} {partial}"
            );
        }
        assert!(expand_partial(context, "///g").is_err());
    }
    assert_eq!(
        expand_partial("x:/a//b", "//g").as_deref(),
        Ok("x:/a//g"),
        "the first run of exactly two"
    );
    assert_eq!(expand_partial("http://h//x/y", "/g").as_deref(), Ok("http://h//x/g"));
}

/// WWW-PAR-04, WWW-PAR-06: dots go where they are whole elements, the host never; search and
/// fragment do not count.
#[test]
fn dots_in_partial_forms() {
    for (partial, full) in [
        (".", "magic://a/b/c//d/e"),
        ("..", "magic://a/b/c//d/e/.."),
        ("./g", "magic://a/b/c//d/e/g"),
        ("../../g", "magic://a/b/c//g"),
        ("x/../g", "magic://a/b/c//d/e/g"),
        ("..g/.h", "magic://a/b/c//d/e/..g/.h"),
    ] {
        assert_eq!(expand_partial(CONTEXT, partial).as_deref(), Ok(full), "{partial}");
    }
    assert_eq!(expand_partial("http://h/a", "../../g").as_deref(), Ok("http://h/../../g"));
    assert_eq!(expand_partial("http://h/a/b?x/y#z/w", "g").as_deref(), Ok("http://h/a/g"));
}

fn view(text: &str) -> SchemeView<'_> {
    uri(text).view()
}

/// WWW-SCH-01, WWW-SCH-02: http and ftp.
#[test]
fn http_and_ftp() {
    assert_eq!(view("http://h:80/a/b?x#y"), SchemeView::Http { host: "h:80", path: "/a/b" });
    let ftp = |user, password, directories: &[&str], file: &str| SchemeView::Ftp {
        user,
        password,
        host: "h",
        directories: directories.iter().map(|&directory| directory.to_owned()).collect(),
        file: file.to_owned(),
    };
    assert_eq!(view("ftp://h/a%2Fb/c.txt"), ftp("anonymous", None, &["a/b"], "c.txt"));
    assert_eq!(view("ftp://u:p@h/c"), ftp("u", Some("p"), &[], "c"));
    assert_eq!(view("ftp://u@h/a/"), ftp("u", None, &["a"], ""));
}

/// WWW-SCH-03: the type is one character, which the selector may repeat.
#[test]
fn gopher() {
    for (text, item_type, selector) in [
        ("gopher://h/00/x", '0', "0/x"),
        ("gopher://h/1", '1', ""),
        ("gopher://h/", '1', ""),
        ("gopher://h", '1', ""),
        ("gopher://h/7a%20b", '7', "a b"),
    ] {
        assert_eq!(
            view(text),
            SchemeView::Gopher { host: "h", item_type, selector: selector.to_owned() },
            "{text}"
        );
    }
}

/// WWW-SCH-04, WWW-SCH-05, WWW-SCH-06, WWW-SCH-07, WWW-SCH-08: mail and news.
#[test]
fn mail_and_news() {
    assert_eq!(view("mailto:a%25b@h"), SchemeView::Mailto { address: "a%b@h".to_owned() });
    assert_eq!(view("mid:1@h"), SchemeView::MessageId { id: "1@h".to_owned() });
    assert_eq!(view("cid:1@h"), SchemeView::ContentId { id: "1@h".to_owned() });
    assert_eq!(view("news:comp.www"), SchemeView::NewsGroup { group: "comp.www" });
    assert_eq!(view("news:1@h"), SchemeView::NewsArticle { id: "1@h".to_owned() });
    assert_eq!(
        view("nntp://h/comp.www/7"),
        SchemeView::Nntp { host: "h", group: "comp.www", number: "7" }
    );
    assert_eq!(view("nntp://h/comp.www"), SchemeView::Other);
}

/// WWW-SCH-09, WWW-SCH-10, WWW-SCH-11: prospero, sessions and wais.
#[test]
fn servers_of_other_kinds() {
    assert_eq!(
        view("prospero://h:1/a/b%003"),
        SchemeView::Prospero { host: "h:1", name: "a/b", version: Some("3") }
    );
    assert_eq!(
        view("prospero://h/a"),
        SchemeView::Prospero { host: "h", name: "a", version: None }
    );
    for scheme in ["telnet", "rlogin", "tn3270"] {
        let (with_user, without) = (format!("{scheme}://u@h:23"), format!("{scheme}://h"));
        assert_eq!(view(&with_user), SchemeView::Session { user: Some("u"), host: "h:23" });
        assert_eq!(view(&without), SchemeView::Session { user: None, host: "h" });
    }
    assert_eq!(view("wais://h/db"), SchemeView::Wais { host: "h", database: "db", document: None });
    assert_eq!(
        view("wais://h/db/TEXT/a/b"),
        SchemeView::Wais { host: "h", database: "db", document: Some(("TEXT", "a/b")) }
    );
}

/// WWW-SCH-12, WWW-SCH-13, WWW-SCH-14: what has no mapping.
#[test]
fn schemes_without_a_mapping() {
    for text in ["x500:a", "x.500:a", "whois++:a"] {
        assert_eq!(view(text), SchemeView::NotDefined, "{text}");
    }
    for text in ["x-foo:a", "X-Foo:a"] {
        assert!(uri(text).is_experimental());
        assert_eq!(view(text), SchemeView::Experimental);
    }
    assert_eq!(view("urn:foo:a"), SchemeView::Name);
    assert_eq!(view("foo:a"), SchemeView::Other);
}

/// WWW-THT-01: everything behind the first question mark, as it stands.
#[test]
fn operands_as_they_stand() {
    for operand in ["urn:foo:a%2Cb", "urn:foo:a?s=I2L", "urn:foo:a?+r?=q?x", "URN:FOO:a"] {
        let target = format!("/uri-res/N2L?{operand}");
        let request = ServiceRequest::parse(&target).expect(operand);
        assert_eq!((request.word(), request.operand()), (Word::N2L, operand));
    }
    for (target, error) in [
        ("/uri-res/N2L", RequestError::MissingOperand),
        ("/uri-res/N2L?", RequestError::MissingOperand),
        ("/uri-res/N2L?a", RequestError::InvalidOperand),
        ("/uri-res/N2L?http://a/", RequestError::InvalidOperand),
        ("/uri-res/L2C?urn:foo:a", RequestError::InvalidOperand),
        ("/uri-res/L2C?a/b", RequestError::InvalidOperand),
        ("/uri-res/n2l?urn:foo:a", RequestError::UnknownService),
        ("/uri-res/?urn:foo:a", RequestError::UnknownService),
        ("/uri-res/N2L/x?urn:foo:a", RequestError::UnknownService),
        ("/N2L?urn:foo:a", RequestError::UnknownService),
    ] {
        assert_eq!(ServiceRequest::parse(target), Err(error), "{target}");
    }
}

/// WWW-THT-02: the nine words, and one of ours.
#[test]
fn words_of_services() {
    let words: Vec<_> = Word::ALL.iter().map(|word| word.as_str()).collect();
    assert_eq!(words, ["N2L", "N2Ls", "N2R", "N2Rs", "N2C", "N2Cs", "N2Ns", "L2Ns", "L2Ls", "L2C"]);
    for word in Word::ALL {
        assert_eq!(word.takes_urn(), word.as_str().starts_with('N'));
        let operand = if word.takes_urn() { "urn:foo:a" } else { "http://a/" };
        assert_eq!(
            ServiceRequest::parse(&format!("/uri-res/{}?{operand}", word.as_str()))
                .map(|r| r.word()),
            Ok(*word)
        );
    }
}

/// WWW-THT-05: the list is written with CR LF and read with any ending.
#[test]
fn lists() {
    let list = uri_list("urn:foo:1", ["http://a/", "urn:foo:2"]);
    assert_eq!(list, "# urn:foo:1\r\nhttp://a/\r\nurn:foo:2\r\n");
    for ending in ["\r\n", "\r", "\n"] {
        let text = list.replace("\r\n", ending);
        assert_eq!(read_uri_list(&text).collect::<Vec<_>>(), ["http://a/", "urn:foo:2"]);
    }
    assert_eq!(read_uri_list(&uri_list("urn:foo:1", [])).count(), 0);
}

/// WWW-THT-09: `s=` chooses where no path does.
#[test]
fn services_by_directive() {
    let word = |text| select(Urn::parse(text, Mode::Auto).expect(text)).word();
    assert_eq!(word("urn:foo:a?s=I2Ns"), Word::N2Ns);
    assert_eq!(word("urn:foo:a?s=I2Cs"), Word::N2Cs);
    for text in ["urn:foo:a", "urn:foo:a?s=I2R", "urn:foo:a?s=x", "urn:foo:a?=s"] {
        assert_eq!(word(text), Word::N2L, "{text}");
    }
}

/// WWW-PAR-01 to WWW-PAR-06 the other way round: the partial form leads back, and is never longer
/// than the full form.
#[test]
fn partial_forms_lead_back() {
    use fingerpost_uri::www::{expand_partial, partial_form};

    let contexts = ["magic://a/b/c//d/e/f", "magic://a/b/c//d/e/", "http://h", "news:g", "m:é/f"];
    let pieces = [
        "magic:", "http:", "//", "/", "a", "b/", "c//", "d/e/f", "..", ".", "g", "?q/r", "#f", "é",
    ];
    let mut shorter = 0;
    for context in contexts {
        for number in 0..pieces.len().pow(4) {
            let nth = |position: u32| pieces[number / pieces.len().pow(position) % pieces.len()];
            let uri = [nth(0), nth(1), nth(2), nth(3)].concat();
            for uri in [uri.clone(), [context, &uri].concat()] {
                let partial = partial_form(context, &uri);
                assert!(partial.len() <= uri.len(), "{context} {uri}");
                if partial != uri {
                    assert_eq!(expand_partial(context, &partial).as_ref(), Ok(&uri), "{context}");
                    shorter += 1;
                }
            }
        }
    }
    assert!(shorter > 10_000, "{shorter}");
}
