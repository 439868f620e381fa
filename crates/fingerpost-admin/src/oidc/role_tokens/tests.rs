//! Tokens of an issuer on this machine, forged and genuine.

use std::io::{BufRead, BufReader, Write};
use std::net::{SocketAddr, TcpListener};
use std::sync::atomic::AtomicUsize;
use std::thread;

use data_encoding::BASE64URL_NOPAD;
use fingerpost_resolver::RoleParts;
use openidconnect::core::{CoreEdDsaPrivateSigningKey, CoreJwsSigningAlgorithm};
use openidconnect::{JsonWebKeyId, PrivateSigningKey};
use serde_json::{Value, json};

use super::*;

/// Made for these tests only.
const FIRST: &str = "-----BEGIN PRIVATE KEY-----
MC4CAQAwBQYDK2VwBCIEINHARUa/kMh//lI6LWXDWdHOFwyQnej7VmNRVav0nmx3
-----END PRIVATE KEY-----\n";
const SECOND: &str = "-----BEGIN PRIVATE KEY-----
MC4CAQAwBQYDK2VwBCIEIPg3NR54y1KFPjBVJ7rcp0JkQMwYyAJ7f4FnmP5TogaP
-----END PRIVATE KEY-----\n";

const AUDIENCE: &str = "https://id.example.org";
/// 2026-01-01.
const NOW: i64 = 1_767_225_600;
/// Far in the future: the library compares with the clock of the system.
const LATER: i64 = 7_000_000_000;

fn signing_key(pem: &str, id: &str) -> CoreEdDsaPrivateSigningKey {
    CoreEdDsaPrivateSigningKey::from_ed25519_pem(pem, Some(JsonWebKeyId::new(id.to_owned())))
        .expect("a key")
}

/// An issuer with a count of the requests for its keys.
struct Publisher {
    address: SocketAddr,
    keys: Arc<Mutex<Value>>,
    asked: Arc<AtomicUsize>,
}

impl Publisher {
    fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
        let address = listener.local_addr().expect("an address");
        let (keys, asked) =
            (Arc::new(Mutex::new(json!({"keys": []}))), Arc::new(AtomicUsize::new(0)));
        let (published, count) = (Arc::clone(&keys), Arc::clone(&asked));
        thread::spawn(move || {
            for stream in listener.incoming().map_while(Result::ok) {
                let mut reader = BufReader::new(stream);
                let mut line = String::new();
                reader.read_line(&mut line).expect("a request");
                let mut field = String::from(".");
                while !field.trim().is_empty() {
                    field.clear();
                    reader.read_line(&mut field).expect("a field");
                }
                let body = if line.contains("/jwks") {
                    count.fetch_add(1, Ordering::SeqCst);
                    published.lock().expect("no panic").to_string()
                } else {
                    description(address).to_string()
                };
                let length = body.len();
                let head = format!(
                    "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: {length}\r\n\
                     Connection: close\r\n\r\n"
                );
                reader.get_mut().write_all((head + &body).as_bytes()).expect("it is read");
            }
        });
        Self { address, keys, asked }
    }

    fn publish(&self, keys: &[&CoreEdDsaPrivateSigningKey]) {
        let keys: Vec<_> = keys.iter().map(|key| key.as_verification_key()).collect();
        *self.keys.lock().expect("no panic") = json!({ "keys": keys });
    }

    fn issuer(&self) -> String {
        format!("http://{}", self.address)
    }

    fn tokens(&self) -> RoleTokens {
        let parts = RoleIssuerParts {
            issuer: self.issuer(),
            audience: AUDIENCE.to_owned(),
            claim: "/realm/groups".to_owned(),
            roles: [("certified", "recycler"), ("state", "authority")]
                .map(|(value, role)| (value.to_owned(), role.to_owned()))
                .into(),
        };
        let role = |name: &str| RoleParts { name: name.to_owned(), ..RoleParts::default() };
        let declared = Roles::new(vec![role("recycler"), role("authority")]).expect("roles");
        RoleTokens::new(&[parts], &declared).expect("issuers").expect("one")
    }

    fn claims(&self, change: impl FnOnce(&mut Value)) -> Value {
        let mut claims = json!({
            "iss": self.issuer(), "aud": [AUDIENCE, "https://other.example"], "sub": "someone",
            "iat": NOW, "exp": LATER, "client_id": "scanner", "jti": "1",
            "realm": { "groups": ["certified", "unknown", "certified"] },
        });
        change(&mut claims);
        claims
    }
}

fn description(address: SocketAddr) -> Value {
    let at = |path: &str| format!("http://{address}{path}");
    json!({
        "issuer": at(""), "authorization_endpoint": at("/authorize"), "token_endpoint": at("/token"),
        "jwks_uri": at("/jwks"), "response_types_supported": ["code"],
        "subject_types_supported": ["public"], "id_token_signing_alg_values_supported": ["EdDSA"],
    })
}

fn signed(key: &CoreEdDsaPrivateSigningKey, header: &Value, claims: &Value) -> String {
    let part = |value: &Value| BASE64URL_NOPAD.encode(value.to_string().as_bytes());
    let message = format!("{}.{}", part(header), part(claims));
    let signature =
        key.sign(&CoreJwsSigningAlgorithm::EdDsa, message.as_bytes()).expect("a signature");
    format!("{message}.{}", BASE64URL_NOPAD.encode(&signature))
}

fn header(id: &str) -> Value {
    json!({"alg": "EdDSA", "typ": "at+jwt", "kid": id})
}

fn now() -> Timestamp {
    Timestamp::from_second(NOW + 60).expect("a time")
}

/// 36.1: a token proves roles only if it is of the issuer, for us, valid now, and signed by a key
/// that only the issuer has.
#[test]
fn only_tokens_of_the_issuer_for_us_prove_roles() {
    let publisher = Publisher::start();
    let (first, second) = (signing_key(FIRST, "first"), signing_key(SECOND, "first"));
    publisher.publish(&[&first]);
    let tokens = publisher.tokens();
    let good = signed(&first, &header("first"), &publisher.claims(|_| {}));
    assert!(tokens.verify(&good, now()).is_err(), "before the keys are here");
    assert_eq!(tokens.refresh(), Vec::<String>::new());
    assert_eq!(tokens.verify(&good, now()), Ok(vec!["recycler".to_owned()]));
    let other_type =
        signed(&first, &json!({"alg": "EdDSA", "kid": "first"}), &publisher.claims(|_| {}));
    assert!(tokens.verify(&other_type, now()).is_ok());
    let no_role = publisher.claims(|claims| claims["realm"] = json!({"groups": ["unknown"]}));
    assert_eq!(tokens.verify(&signed(&first, &header("first"), &no_role), now()), Ok(Vec::new()));

    let refused = |why: &str, token: &str| {
        let error = tokens.verify(token, now()).expect_err(why);
        assert!(
            error.starts_with("the token is ") || error.starts_with("the token has "),
            "{error}"
        );
    };
    let with = |change: fn(&mut Value)| signed(&first, &header("first"), &publisher.claims(change));
    refused("expired", &with(|claims| claims["exp"] = json!(NOW - 1)));
    refused("not yet", &with(|claims| claims["nbf"] = json!(LATER)));
    refused("another audience", &with(|claims| claims["aud"] = json!("https://other.example")));
    refused("another issuer", &with(|claims| claims["iss"] = json!("https://login.example.org")));
    refused(
        "without an end",
        &with(|claims| drop(claims.as_object_mut().map(|c| c.remove("exp")))),
    );
    refused("another key", &signed(&second, &header("first"), &publisher.claims(|_| {})));
    refused("an unknown key", &signed(&second, &header("second"), &publisher.claims(|_| {})));
    let (message, signature) = good.rsplit_once('.').expect("three parts");
    let (head, _) = message.split_once('.').expect("two parts");
    let other = publisher.claims(|claims| claims["realm"]["groups"] = json!(["state"]));
    let other = BASE64URL_NOPAD.encode(other.to_string().as_bytes());
    refused("other claims", &format!("{head}.{other}.{signature}"));
    for algorithm in ["none", "HS256"] {
        let head = json!({"alg": algorithm, "kid": "first"});
        let token = signed(&first, &head, &publisher.claims(|_| {}));
        refused(algorithm, &token);
        refused(algorithm, &format!("{}.", token.rsplit_once('.').expect("three parts").0));
    }
    for odd in ["", ".", "..", "a.b.c", &"x".repeat(MAX_ROLE_TOKEN + 1), &format!("{good}.x")] {
        refused(odd, odd);
    }
}

/// 36.1: keys are rotated without a restart, and tokens with random key ids cost the issuer at most
/// one request in a minute.
#[test]
fn unknown_keys_cost_one_request_in_a_minute() {
    let publisher = Publisher::start();
    let (old, new) = (signing_key(FIRST, "old"), signing_key(SECOND, "new"));
    publisher.publish(&[&old]);
    let tokens = publisher.tokens();
    assert!(tokens.refresh().is_empty());
    let [issuer] = &tokens.0[..] else { panic!("one issuer") };
    publisher.publish(&[&new]);
    let token = signed(&new, &header("new"), &publisher.claims(|_| {}));
    for number in 0..20 {
        let id = format!("random-{number}");
        assert!(
            tokens.verify(&signed(&new, &header(&id), &publisher.claims(|_| {})), now()).is_err()
        );
        assert!(tokens.refresh().is_empty());
    }
    assert_eq!(publisher.asked.load(Ordering::SeqCst), 1);
    assert!(tokens.verify(&token, now()).is_err());
    let requested = issuer.requested.lock().expect("no panic").expect("it was");
    assert!(issuer.refresh(requested + MIN_REFRESH).is_ok());
    assert_eq!(publisher.asked.load(Ordering::SeqCst), 2);
    assert!(tokens.verify(&token, now()).is_ok());
    // With all keys known, the next request is due after an hour.
    assert!(issuer.refresh(requested + MIN_REFRESH + MIN_REFRESH).is_ok());
    assert_eq!(publisher.asked.load(Ordering::SeqCst), 2);
    assert!(issuer.refresh(requested + MIN_REFRESH + KEY_AGE).is_ok());
    assert_eq!(publisher.asked.load(Ordering::SeqCst), 3);
}

/// 36.1: what cannot work is refused at the start.
#[test]
fn issuers_are_checked_at_the_start() {
    let declared = Roles::NONE;
    let parts = |issuer: &str, audience: &str, role: &str| RoleIssuerParts {
        issuer: issuer.to_owned(),
        audience: audience.to_owned(),
        claim: "groups".to_owned(),
        roles: [("a".to_owned(), role.to_owned())].into(),
    };
    for (parts, expected) in [
        (
            parts("http://login.example.org", "a", "a"),
            "no access, because this resolver has no roles",
        ),
        (parts("https://login.example.org", "", "a"), "expected the audience"),
        (parts("no address", "a", "a"), "issuer is not an address"),
    ] {
        let error = RoleTokens::new(&[parts], &declared).expect_err("refused").to_string();
        assert!(error.starts_with("role_issuers: ") && error.contains(expected), "{error}");
    }
    let many = vec![parts("https://login.example.org", "a", "a"); MAX_ROLE_ISSUERS + 1];
    assert!(RoleTokens::new(&many, &declared).is_err());
}
