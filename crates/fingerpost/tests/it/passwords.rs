//! Passwords in URIs, where a server or its operator could show or store them (RFC 3986, sections
//! 3.2.1 and 7.5; RFC 9110, section 4.2.4). What the commands for identifiers show is in `toolkit`.

use crate::support;

use fingerpost_testkit::Ask;
use support::{Sandbox, Server, fingerpost, record, run};

const SECRET: &str = "s3cret";

/// RFC 3986, section 7.5: no answer, log or explanation repeats the password of a locator.
/// URI-SEC-06.
#[test]
fn rfc_3986_7_5_the_server_repeats_no_password() {
    let sandbox = Sandbox::new();
    let config = sandbox.write("fingerpost.toml", "[log]\nlevel = \"trace\"\n");
    sandbox.import(&record("/01/09520123456788", "https://example.com/0")).expect_status(0);
    let mut command = fingerpost();
    command.args(["serve", "--no-admin", "--listen", "127.0.0.1:0", "--config"]).arg(&config);
    command.arg("--data").arg(sandbox.data());
    let log = std::fs::File::create(sandbox.path("log")).unwrap();
    let server = Server::logging(command, log.into());
    let link = "https://me:s3cret@h.example/01/09520123456788";
    let encoded: String = link.bytes().map(|byte| format!("%{byte:02X}")).collect();
    for (target, accept, status) in [
        (format!("/?q={encoded}"), "text/html", 200),
        (format!("/?q=%20%3C{encoded}%3E"), "text/html", 200),
        (format!("/uri-res/L2Ns?{link}"), "*/*", 200),
        (format!("/uri-res/L2Ls?{link}"), "*/*", 200),
        (format!("/uri-res/L2Ns?{link}#a"), "*/*", 200),
        (format!("/uri-res/L2Ns?{link}%zz"), "text/html", 400),
        (format!("/uri-res/L2Ns?{link}%zz"), "application/json", 400),
        ("/uri-res/L2Ns?https://me:s3cret@h.example/".to_owned(), "text/html", 404),
    ] {
        let answer = server.send(&Ask::get(&target).header("Accept", accept));
        assert_eq!(answer.status, status, "{target}: {}", answer.text());
        assert!(!answer.text().contains(SECRET), "{target}: {}", answer.text());
        for (name, value) in &answer.headers {
            assert!(!value.contains(SECRET), "{target}: {name}: {value}");
        }
        let data = sandbox.data();
        let words = ["explain".as_ref(), "--data".as_ref(), data.as_os_str(), target.as_ref()];
        let told = run(words);
        assert!(!told.stdout.contains(SECRET) && !told.stderr.contains(SECRET), "{told:?}");
    }
    server.stop();
    let log = std::fs::read_to_string(sandbox.path("log")).unwrap();
    assert!(log.contains("/uri-res/L2Ns"), "requests are in a log of this level: {log}");
    assert!(!log.contains(SECRET), "{log}");
}

/// RFC 9110, section 4.2.4: a target with a password is refused, and no part of it is stored.
/// URI-SEC-06, URI-SEC-07.
#[test]
fn rfc_9110_4_2_4_no_password_is_stored() {
    let sandbox = Sandbox::new();
    sandbox.import(&record("/01/09520123456788", "https://example.com/0")).expect_status(0);
    let refused = sandbox.import(&record("/01/09520123456788", "https://me:s3cret@h.example/"));
    let refused = refused.expect_status(1);
    let fault = &refused.events_of("refused")[0]["faults"][0];
    assert_eq!(fault["id"], "RES-2.5.1-2", "{refused:?}");
    assert!(refused.stdout.contains("me:***@h.example"), "{refused:?}");
    assert!(!refused.stdout.contains(SECRET) && !refused.stderr.contains(SECRET), "{refused:?}");
    for file in std::fs::read_dir(sandbox.data()).unwrap() {
        let file = file.unwrap().path();
        let bytes = std::fs::read(&file).unwrap();
        let is_there = bytes.windows(SECRET.len()).any(|part| part == SECRET.as_bytes());
        assert!(!is_there, "{}", file.display());
    }
}

/// RFC 3986, section 7.5: an address in the configuration that has a password is refused without
/// it. URI-SEC-06.
#[test]
fn rfc_3986_7_5_faults_of_the_configuration_hide_passwords() {
    let sandbox = Sandbox::new();
    for (setting, told) in [
        (
            "patterns = [{ path_prefix = \"/01/\", target_root = \"https://me:s3cret@h.example/\" }]",
            "me:***@h.example",
        ),
        (
            "patterns = [{ path_prefix = \"/01/\", target_template = \"https://me:s3cret@h.example/\" }]",
            "me:***@h.example",
        ),
        ("resolver_root = \"https://me:s3cret@h.example\"", "expected a host name"),
    ] {
        let config = sandbox.write("fingerpost.toml", setting);
        let words = ["explain".as_ref(), "--config".as_ref(), config.as_os_str(), "/".as_ref()];
        let refused = run(words).expect_status(2);
        assert!(refused.stderr.contains(told), "{refused:?}");
        assert!(!refused.stderr.contains(SECRET), "{refused:?}");
    }
}
