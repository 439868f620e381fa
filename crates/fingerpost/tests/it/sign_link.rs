//! `fingerpost sign-link`: links that prove roles, made against a running server and followed.

use crate::support::{Sandbox, Server, finish};

const KEY: &str = "/01/09520123456788";
const OTHER: &str = "/01/09520123456795";

/// Where only a recycler is led.
const DISMANTLING: &str = "https://example.com/dismantling";

/// A record with a link that only a role may see.
fn restricted(anchor: &str) -> String {
    serde_json::json!({"anchor": anchor, "itemDescription": "Battery", "links": [
        {"linkType": "gs1:defaultLink", "href": "https://example.com/battery", "title": "Battery"},
        {"linkType": "gs1:pip", "href": "https://example.com/battery", "title": "Battery"},
        {"linkType": "gs1:safetyInfo", "href": DISMANTLING, "title": "Dismantling", "access": ["recycler"]},
    ]})
    .to_string()
}

/// 36.1: the owner of a record makes a link with an end of life that shows the restricted target of
/// this key, and of no other one.
#[test]
fn a_signed_link_leads_to_the_restricted_target_of_its_key_only() {
    let (sandbox, key) = Sandbox::with_key();
    let secrets = sandbox.write("secrets", &format!("{}\n", "s-".repeat(20)));
    let config = format!(
        "roles = [{{ name = \"recycler\" }}, {{ name = \"authority\" }}]\n\
         [signed_links]\nsecret_file = {secrets:?}\n"
    );
    let config = sandbox.write("fingerpost.toml", &config);
    let further = ["--config", config.to_str().expect("a path of text")];
    let (server, url) = Server::start_with_admin(&sandbox.data(), &further);
    let me = |arguments: &[&str], input: &str| {
        let mut command = sandbox.client(&url, &key);
        command.args(arguments);
        finish(command, input.as_bytes())
    };
    for anchor in [KEY, OTHER] {
        me(&["put", "-"], &restricted(anchor)).expect_status(0);
    }
    #[expect(clippy::disallowed_methods, reason = "the server compares with its clock")]
    let now = jiff::Timestamp::now();
    let end = now + jiff::SignedDuration::from_hours(48);
    let until = end.to_string();
    let sign = |further: &[&str]| {
        me(&[&["sign-link", "9520123456788", "--until", &until][..], further].concat(), "")
    };

    let said = sign(&["--role", "recycler"]).expect_status(0);
    let address = said.stdout.trim_end();
    assert!(said.stderr.contains("valid until ") && !said.stderr.contains(address), "{said:?}");
    let (_, proof) = address.split_once(&format!("{KEY}?")).expect("the address of the key");
    let follow = |path: &str, proof: &str| {
        let answer = server.get(&format!("{path}?{proof}linkType=gs1:safetyInfo"));
        (answer.status, answer.header("location"))
    };
    // The proof is not passed on to the target.
    let target = format!("{DISMANTLING}?linkType=gs1:safetyInfo");
    let proof = &format!("{proof}&");
    assert_eq!(follow(KEY, proof), (307, Some(target.clone())));
    let without = follow(KEY, "");
    assert_ne!(without.1, Some(target), "{without:?}");
    assert_eq!(follow(OTHER, proof), (403, None));

    // Another role does not see it.
    let found = sign(&["--role", "authority", "--json"]).expect_status(0).events().remove(0);
    assert_eq!(found["roles"], serde_json::json!(["authority"]));
    let href = found["href"].as_str().expect("an address");
    let (_, proof) = href.split_once('?').expect("a proof");
    assert_eq!(follow(KEY, &format!("{proof}&")), without);

    // A date is an end, too; what the server refuses is said with its reason.
    let date = end.to_string()[..10].to_owned();
    let found = me(&["sign-link", KEY, "--role", "recycler", "--until", &date, "--json"], "");
    let found = found.expect_status(0).events().remove(0);
    assert_eq!(found["until"], format!("{date}T00:00:00Z"));
    let unknown = sign(&["--role", "recyclers"]).expect_status(1);
    assert!(unknown.stderr.contains("found \"recyclers\""), "{unknown:?}");
    let past = ["sign-link", KEY, "--role", "recycler", "--until", "2020-01-01"];
    let past = me(&past, "").expect_status(1);
    assert!(past.stderr.contains("/until: expected an instant within 366 days"), "{past:?}");
    server.stop();
}
