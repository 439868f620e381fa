//! `import` of the exports of other programs.

use serde_json::Value;

use crate::support::{Run, Sandbox, run};

fn import(sandbox: &Sandbox, name: &str, text: &str, further: &[&str]) -> Run {
    let (data, file) = (sandbox.data(), sandbox.write(name, text));
    let arguments = ["import", "--format", "json", "--data", data.to_str().unwrap()];
    run(arguments.iter().chain(further).chain([&file.to_str().unwrap()]))
}

/// The anchors with the targets of their default links.
fn targets(sandbox: &Sandbox) -> Vec<(String, String)> {
    let records = sandbox.export();
    let records = records.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
    let text = |value: &Value| value.as_str().unwrap().to_owned();
    records.map(|it| (text(&it["anchor"]), text(&it["links"][0]["href"]))).collect()
}

const TEA: &str = "/01/09520123456788";

/// Issue 33, point 5: the formats that the programs publish; rows without a key are refused with
/// their lines.
#[test]
fn short_links_become_records() {
    for (format, text) in [
        (
            "links of a short-link manager (CSV)",
            "createdAt,domain,shortCode,shortUrl,longUrl,title,tags,visits\n\
             2026,s.example,09520123456788,https://s.example/09520123456788,https://a.example/p,Tea,a|b,1\n\
             2026,s.example,abc,https://s.example/abc,https://a.example/q,,,1\n",
        ),
        (
            "links of a short-link manager (CSV)",
            "source,target,hits\r\n/tea-9520123456788/,https://a.example/p,1\r\n/abc/,https://a.example/q,1\r\n",
        ),
        (
            "links of a short-link manager (CSV)",
            "\"keyword\",\"url\",\"title\",\"timestamp\",\"ip\",\"clicks\"\n\
             \"tea-9520123456788\",\"https://a.example/p\",\"Tea\",\"2026-01-01\",\"127.0.0.1\",\"1\"\n\
             \"abc\",\"https://a.example/q\",\"\",\"2026-01-01\",\"127.0.0.1\",\"1\"\n",
        ),
        (
            "links of a short-link manager (CSV)",
            "address,target,description,banned,visit_count\n\
             9520123456788,https://a.example/p,Tea,false,1\nabc,https://a.example/q,,false,1\n",
        ),
        (
            "links of a short-link manager (CSV)",
            "Link,Custom Link,Date created,Title,Destination URL,Engagements,Status\n\
             https://b.example/x,https://b.example/01/09520123456788,2026,Tea,https://a.example/p,1,Active\n\
             https://bit.ly/abc,,2026,,https://a.example/q,1,Active\n",
        ),
        (
            "links of a short-link manager (CSV)",
            "created_at,title,long_url,link\n\
             2026,Tea,https://a.example/p,https://b.example/01/09520123456788\n\
             2026,,https://a.example/q,https://bit.ly/abc\n",
        ),
        (
            "links of a short-link manager (JSON)",
            r#"{"total":2,"limit":10,"skip":0,"data":[
            {"address":"9520123456788","target":"https://a.example/p","description":"Tea","visit_count":1},
            {"address":"abc","target":"https://a.example/q","description":null,"visit_count":1}]}"#,
        ),
        (
            "links of a short-link manager (JSON)",
            r#"{"links":{"link_1":{"shorturl":"https://s.example/9520123456788","url":"https://a.example/p","title":"Tea"},
            "link_2":{"shorturl":"https://s.example/abc","url":"https://a.example/q","title":"x"}},"stats":{}}"#,
        ),
        (
            "links of a short-link manager (JSON)",
            r#"[{"keyword":"9520123456788","url":"https://a.example/p","title":"Tea"},{"keyword":"abc","url":"https://a.example/q"}]"#,
        ),
        (
            "redirects of a web server",
            "Redirect permanent /01/09520123456788 https://a.example/p\nRedirect /abc https://a.example/q\n",
        ),
        (
            "redirects of a web server",
            "map $uri $to {\n  /01/09520123456788 https://a.example/p;\n  ~^/(.*) https://a.example/$1;\n}\n",
        ),
    ] {
        let sandbox = Sandbox::new();
        let run = import(&sandbox, "file", text, &[]).expect_status(1);
        assert_eq!(run.events_of("format")[0]["description"], format, "{text}");
        let summary = &run.events_of("summary")[0];
        assert_eq!((&summary["accepted"], &summary["refused"]), (&1.into(), &1.into()), "{run:?}");
        let refused = &run.events_of("refused")[0];
        assert!(
            refused["faults"][0]["message"].as_str().unwrap().starts_with("expected "),
            "{run:?}"
        );
        let line = refused["line"].as_u64().unwrap();
        assert!((2..=3).contains(&line), "{run:?}");
        assert_eq!(
            targets(&sandbox),
            [(TEA.to_owned(), "https://a.example/p".to_owned())],
            "{text}"
        );
    }
}

/// Issue 33, point 5: a column that names the key.
#[test]
fn a_column_can_name_the_key() {
    let sandbox = Sandbox::new();
    let text =
        "shortCode,longUrl,title,visits,Product\nabc,https://a.example/p,Tea,1,9520123456788\n";
    let columns = ["--column", "Product=gtin", "--column", "longUrl=href"];
    import(&sandbox, "links.csv", text, &columns).expect_status(0);
    assert_eq!(targets(&sandbox), [(TEA.to_owned(), "https://a.example/p".to_owned())]);
}

#[test]
fn link_documents_of_pyx_become_records() {
    let response = |link_type: &str,
                    target: &str,
                    language: &str,
                    is_default: bool,
                    is_active: bool| {
        format!(
            r#"{{"defaultLinkType":{is_default},"defaultMimeType":true,"defaultIanaLanguage":{is_default},"defaultContext":true,
            "fwqs":false,"active":{is_active},"linkType":"{link_type}","ianaLanguage":"{language}","context":"xx",
            "title":"Page","targetUrl":"{target}","mimeType":"text/html"}}"#
        )
    };
    let document = |key_type: &str, path: &str| {
        let responses = [
            response("gs1:instructions", "https://a.example/i", "fr", false, true),
            response("gs1:pip", "https://a.example/p", "en", true, true),
            response("gs1:faqs", "https://a.example/f", "en", false, false),
        ];
        format!(
            r#"{{"namespace":"gs1","identificationKeyType":"{key_type}","identificationKey":"09520123456788",
            "itemDescription":"Tea","qualifierPath":"{path}","active":true,"responses":[{}]}}"#,
            responses.join(",")
        )
    };
    let documents = [document("gtin", "/"), document("01", "/10/LOT7"), document("product", "/")];
    let sandbox = Sandbox::new();
    let run =
        import(&sandbox, "pyx.json", &format!("[{}]", documents.join(",")), &[]).expect_status(1);
    assert_eq!(run.events_of("format")[0]["description"], "link documents of pyx");
    let message = run.events_of("refused")[0]["faults"][0]["message"].clone();
    assert_eq!(message, "expected the key type of a GS1 key, found `product`");
    let page = "https://a.example/p".to_owned();
    assert_eq!(
        targets(&sandbox),
        [(TEA.to_owned(), page.clone()), (format!("{TEA}/10/LOT7"), page)]
    );
    let record: Value = serde_json::from_str(sandbox.export().lines().next().unwrap()).unwrap();
    assert_eq!(record["itemDescription"], "Tea");
    let links = record["links"].as_array().unwrap();
    assert_eq!(links.len(), 3, "{record}");
    assert_eq!((&links[1]["hreflang"][0], &links[1]["type"]), (&"fr".into(), &"text/html".into()));
}
