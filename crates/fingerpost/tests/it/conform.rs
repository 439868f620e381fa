//! `conform`: the demo conforms, and the exit status follows the findings.

use crate::support;

use serde_json::Value;
use support::{Sandbox, Server, fingerpost, run};

fn demo() -> Server {
    let mut command = fingerpost();
    command.args(["serve", "--demo", "--no-admin", "--listen", "127.0.0.1:0"]);
    Server::from_command(command)
}

/// Requirements of all sections: RES-2.2-1, RES-2.4.1-1, RES-2.6.1-1, RES-2.9-1, RES-2.12-1,
/// RES-3-1.
#[test]
fn the_demo_conforms() {
    let server = demo();
    let uri = |path: &str| format!("http://{}{path}", server.address());
    let (tea, lot) = (uri("/01/09520123456788"), uri("/01/09520123456788/10/LOT7"));
    let found =
        run(["conform", "--rate", "0", "--fail-on", "should", "--format", "json", &tea, &lot]);
    let report: Value = serde_json::from_str(&found.stdout).expect("JSON");
    let results = report["results"].as_array().expect("results");
    let of = |result: &str| -> Vec<String> {
        let those = results.iter().filter(|it| it["result"] == result);
        those.map(|it| format!("{} {}", it["id"], it["detail"])).collect()
    };
    assert!(of("fail").is_empty(), "{:#?}", of("fail"));
    // The lot is recalled, which the standard does not mention.
    let depends = of("depends");
    let is_recall =
        |it: &String| it.starts_with("\"redirect-to-default\"") && it.contains("recallStatus");
    assert!(depends.len() == 1 && depends.iter().all(is_recall), "{depends:#?}");
    // Whatever the demo has no data for: TLS, another resolver, link types of others, fragments,
    // and links that differ in their language or media type only.
    assert!(of("not-tried").len() <= 19, "{:#?}", of("not-tried"));
    assert!(of("pass").len() >= 105, "{:#?}", of("pass"));
    assert_eq!(found.status, Some(0));
}

/// RES-2.2-1, RES-2.2-4: the same answers over HTTP/2, with a certificate of the user's authority.
#[test]
fn the_demo_conforms_over_tls() {
    let sandbox = Sandbox::new();
    let authority = sandbox.certify();
    let tls = sandbox.write("tls.toml", "tls_cert = \"leaf.pem\"\ntls_key = \"leaf.key\"\n");
    let mut command = fingerpost();
    command.args(["serve", "--demo", "--no-admin", "--listen", "127.0.0.1:0", "--config"]).arg(tls);
    let server = Server::from_command(command);
    let tea = format!("https://{}/01/09520123456788", server.address());
    let authority = authority.to_str().expect("a path in UTF-8");
    let found = run(["conform", "--rate", "0", "--format", "json", "--cacert", authority, &tea]);
    let report: Value = serde_json::from_str(&found.stdout).expect("JSON");
    let results = report["results"].as_array().expect("results");
    let failed: Vec<_> = results.iter().filter(|it| it["result"] == "fail").collect();
    assert!(failed.is_empty(), "{failed:#?}");
    for id in ["transport-https", "certificate-authority", "certificate-host", "http2-answers"] {
        let result = results.iter().find(|it| it["id"] == id).expect("a check");
        assert_eq!(result["result"], "pass", "{result}");
    }
    assert_eq!(found.status, Some(0));
}

#[test]
fn failures_and_wrong_usage_have_their_exit_status() {
    let server = demo();
    // Nothing is registered about this key.
    let unknown = format!("http://{}/01/09506000134369", server.address());
    let found = run(["conform", "--rate", "0", &unknown]).expect_status(1).stdout;
    assert!(found.contains("FAIL    SHALL  linkset-by-type"), "{found}");
    assert!(found.contains("request   curl -i --path-as-is --globoff"), "{found}");
    let junit = run(["conform", "--rate", "0", "--format", "junit", &unknown]).expect_status(1);
    assert!(junit.stdout.contains("<failure message="), "{}", junit.stdout);
    for wrong in [
        &["conform", "https://id.example.org/about"][..],
        &["conform", "--header", "nothing", "https://id.example.org/01/09520123456788"],
        &["conform", "--cacert", "/nonexistent.pem", "https://id.example.org/01/09520123456788"],
    ] {
        let failed = run(wrong).expect_status(2);
        assert!(failed.stderr.contains("help: "), "{}", failed.stderr);
    }
}
