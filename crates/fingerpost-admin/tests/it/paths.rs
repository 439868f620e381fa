//! Paths that try to mean something else, and prefixes that look like another's.

use crate::support;

use std::io::Write;

use serde_json::json;
use support::{OWN, ask, connect, read_answer, record, start};

#[test]
fn paths_mean_one_thing_only() {
    let running = start();
    running.registered(support::FOREIGN);
    let stranger = &running.accounts.writer;
    let foreign = support::FOREIGN;
    // What names the foreign level in another spelling stays forbidden; what names nothing is a
    // fault of the path.
    for (path, status) in [
        (foreign.to_owned(), 403),
        ("01/0952012345678%38".to_owned(), 403),
        ("%30%31/09520123456788".to_owned(), 400),
        ("01/0952012345678%2538".to_owned(), 400),
        (format!("{OWN}/../../{foreign}"), 400),
        (format!("{OWN}%2F..%2F..%2F{foreign}"), 400),
        (format!("{OWN}/../09520123456788"), 400),
        (format!("{OWN}%2F10%2FA"), 400),
        (format!("./{foreign}"), 400),
        (format!("/{foreign}"), 403),
        (format!("{foreign}/"), 400),
        (format!("{foreign}%00"), 400),
        (format!("{foreign};x=1"), 400),
        ("01\\09520123456788".to_owned(), 400),
    ] {
        let answer = ask("GET", &format!("/v1/levels/{path}")).key(stranger).to(&running);
        assert!(
            answer.status == status || (status == 403 && answer.status == 400),
            "{path}: {} {}",
            answer.status,
            answer.text()
        );
        assert!(!answer.text().contains("Thing"), "{path}");
    }
    // One level, whatever the case of its hexadecimal digits; a slash in a value stays a part of
    // it.
    running.registered(OWN);
    let lot = |spelling: &str| format!("/v1/levels/{OWN}/10/{spelling}");
    let body = json!({
        "anchor": format!("/{OWN}/10/a%2Fb"),
        "links": [{ "linkType": "gs1:pip", "href": "https://a.example/", "title": "Lot" }]
    });
    let made = ask("PUT", &lot("a%2fb")).key(stranger).json(&body).to(&running);
    assert_eq!(made.status, 201, "{}", made.text());
    assert_eq!(made.field("location"), Some(lot("a%2Fb").as_str()));
    for spelling in ["a%2fb", "a%2Fb", "%61%2fb"] {
        let read = ask("GET", &lot(spelling)).key(stranger).to(&running);
        assert_eq!(read.json()["key"], format!("{OWN}/10/a%2Fb"), "{spelling}");
    }
    // As clients send it that encode the key as one segment.
    let whole =
        format!("/v1/levels/{}", format!("{OWN}/10/a%2fb").replace('%', "%25").replace('/', "%2F"));
    let read = ask("GET", &whole).key(stranger).to(&running);
    assert_eq!(read.json()["key"], format!("{OWN}/10/a%2Fb"), "{whole}");
    assert_eq!(ask("GET", &lot("a/b")).key(stranger).to(&running).status, 400);
}

#[test]
fn prefixes_are_not_confused() {
    let running = start();
    // Of the first organisation, 9506000, are: any indicator digit, any type of key. Not of it are:
    // those that begin alike, and those that hold the digits elsewhere.
    let own = ["01/09506000134352", "01/19506000134359", "01/99506000134355", "414/9506000000008"];
    let foreign =
        ["01/09506001000007", "01/95060001343528", "01/00950600013439", "414/0950600000002"];
    let writer = &running.accounts.writer;
    let status = |key: &str| {
        let asked = ask("PUT", &format!("/v1/levels/{key}?dryRun=true")).key(writer);
        asked.json(&record(key)).to(&running).status
    };
    for key in own {
        assert_eq!(status(key), 200, "{key}");
    }
    for key in foreign {
        assert_eq!(status(key), 403, "{key}");
    }
}

/// IN-17, RFC 9112 section 3.2: with and without a credential, before anything is done.
#[test]
fn a_host_that_is_not_exactly_one_is_refused() {
    let running = start();
    let sent = |target: &str, version: &str, hosts: &str| {
        let mut stream = connect(&running);
        let key = running.accounts.writer.expose();
        let head = format!(
            "GET {target} HTTP/{version}\r\n{hosts}Authorization: Bearer {key}\r\nConnection: close\r\n\r\n"
        );
        stream.write_all(head.as_bytes()).expect("sent");
        read_answer(&mut stream).expect("an answer")
    };
    for target in ["/", "/health", "/v1/levels", "/v1/docs", "/console/"] {
        assert_ne!(sent(target, "1.1", "Host: a:80\r\n").status, 400, "{target}");
        assert_ne!(sent(target, "1.0", "").status, 400, "{target}");
        for hosts in [
            "",
            "Host: a\r\nHost: a\r\n",
            "Host: a\r\nhost: b\r\n",
            "Host: a b\r\n",
            "Host: a/b\r\n",
            "Host: a:x\r\n",
            "Host: [::1\r\n",
            "Host: user@a\r\n",
        ] {
            let answer = sent(target, "1.1", hosts);
            assert_eq!((answer.status, &*answer.code()), (400, "invalid-header"), "{hosts:?}");
            assert!(answer.field("x-request-id").is_some(), "{hosts:?}");
            assert!(answer.text().contains("expected "), "{}", answer.text());
        }
    }
}
