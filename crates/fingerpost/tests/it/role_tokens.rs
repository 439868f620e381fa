//! Bearer tokens that prove roles, at a whole server: an issuer on this machine publishes its keys,
//! and its tokens, forged ones among them, are presented on the public side.

use std::io::{BufRead, BufReader, Write};
use std::net::{SocketAddr, TcpListener};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::{Duration, Instant, SystemTime};

use base64::prelude::{BASE64_URL_SAFE_NO_PAD, Engine as _};
use fingerpost_testkit::{Answer, Ask};
use hmac::{Hmac, KeyInit, Mac};
use rcgen::{KeyPair, PKCS_ED25519, PublicKeyData, SigningKey};
use serde_json::{Value, json};
use sha2::Sha256;

use crate::support::{Sandbox, Server, run_with_input};

/// An unknown key is asked for at most once a minute.
const PATIENCE: Duration = Duration::from_secs(300);

const AUDIENCE: &str = "https://id.example.org";

/// A record with a link for everyone and one for recyclers.
const BATTERY: &str = "/01/09520123456788";
const SAFETY: &str = "/01/09520123456788?linkType=gs1:safetyInfo";
/// A lot with a link for recyclers only.
const LOT: &str = "/01/09520123456788/10/LOT?linkType=gs1:pip";

/// An issuer: its description (OpenID Connect Discovery 1.0), and its keys (RFC 7517).
struct Issuer {
    address: SocketAddr,
    keys: Arc<Mutex<Value>>,
}

impl Issuer {
    fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        let keys = Arc::new(Mutex::new(json!({"keys": []})));
        let published = Arc::clone(&keys);
        thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let mut reader = BufReader::new(stream);
                let (mut request, mut field) = (String::new(), String::from("."));
                let _ = reader.read_line(&mut request); // the client may be gone
                while !field.trim().is_empty() {
                    field.clear();
                    let _ = reader.read_line(&mut field);
                }
                let body = if request.contains("/jwks") {
                    published.lock().unwrap().to_string()
                } else {
                    description(address).to_string()
                };
                let length = body.len();
                let _ = write!(
                    reader.get_mut(),
                    "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n\
                     Content-Length: {length}\r\nConnection: close\r\n\r\n{body}"
                );
            }
        });
        Self { address, keys }
    }

    fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    /// Publishes this key, and no other.
    fn publish(&self, id: &str, key: &KeyPair) {
        let public = encoded(key.der_bytes());
        let key = json!({"kty": "OKP", "crv": "Ed25519", "use": "sig", "alg": "EdDSA", "kid": id, "x": public});
        *self.keys.lock().unwrap() = json!({ "keys": [key] });
    }

    /// The claims of a recycler, changed.
    fn claims(&self, change: impl FnOnce(&mut Value)) -> Value {
        let now = SystemTime::UNIX_EPOCH.elapsed().unwrap().as_secs();
        let mut claims = json!({
            "iss": self.url(), "aud": AUDIENCE, "sub": "someone", "iat": now - 60,
            "exp": now + 24 * 60 * 60, "groups": ["certified-recyclers", "unknown"],
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

fn encoded(bytes: &[u8]) -> String {
    BASE64_URL_SAFE_NO_PAD.encode(bytes)
}

/// A JWS in compact form (RFC 7515), signed by this.
fn jws(algorithm: &str, id: &str, claims: &Value, sign: impl FnOnce(&[u8]) -> Vec<u8>) -> String {
    let header = json!({"alg": algorithm, "typ": "at+jwt", "kid": id}).to_string();
    let message =
        format!("{}.{}", encoded(header.as_bytes()), encoded(claims.to_string().as_bytes()));
    let signature = sign(message.as_bytes());
    format!("{message}.{}", encoded(&signature))
}

/// A token as issuers make it.
fn token(id: &str, key: &KeyPair, claims: &Value) -> String {
    jws("EdDSA", id, claims, |message| key.sign(message).unwrap())
}

fn key() -> KeyPair {
    KeyPair::generate_for(&PKCS_ED25519).unwrap()
}

fn hs256(secret: &[u8], message: &[u8]) -> Vec<u8> {
    let mut mac = Hmac::<Sha256>::new_from_slice(secret).unwrap();
    mac.update(message);
    mac.finalize().into_bytes().to_vec()
}

/// A server with the records and this issuer.
fn serve(sandbox: &Sandbox, issuer: &Issuer) -> Server {
    let link = |kind: &str, page: &str| {
        let target = format!("https://example.com/{page}");
        json!({"linkType": kind, "title": page, "href": target})
    };
    let restricted = |kind: &str| {
        let mut link = link(kind, "dismantling");
        link["access"] = json!(["recycler"]);
        link
    };
    let battery = [
        link("gs1:defaultLink", "battery"),
        link("gs1:pip", "battery"),
        restricted("gs1:safetyInfo"),
    ];
    let records = [
        json!({"anchor": BATTERY, "itemDescription": "Battery", "links": battery}),
        json!({"anchor": format!("{BATTERY}/10/LOT"), "links": [restricted("gs1:pip")]}),
    ];
    let config = sandbox.write(
        "fingerpost.toml",
        &format!(
            "resolver_root = {AUDIENCE:?}\n\
             [[roles]]\nname = \"recycler\"\ntitle = {{ en = \"Recyclers\" }}\n\
             [[role_issuers]]\nissuer = {:?}\naudience = {AUDIENCE:?}\nclaim = \"groups\"\n\
             roles = {{ \"certified-recyclers\" = \"recycler\" }}\n",
            issuer.url()
        ),
    );
    let data = sandbox.data();
    let words = ["import", "-", "--config", config.to_str().unwrap(), "--data"];
    let words = words.into_iter().chain([data.to_str().unwrap()]);
    let records = records.map(|record| record.to_string() + "\n").concat();
    run_with_input(words, records.as_bytes()).expect_status(0);
    Server::start(&data, Some(&config))
}

fn get(server: &Server, path: &str, token: Option<&str>) -> Answer {
    let mut ask = Ask::get(path);
    if let Some(token) = token {
        ask = ask.header("Authorization", &format!("Bearer {token}"));
    }
    server.send(&ask)
}

#[track_caller]
fn expect_target(answer: &Answer, page: &str) {
    assert_eq!(answer.status, 307, "{}", answer.text());
    let target = answer.header("location").unwrap_or_default();
    // The query of the request is passed on.
    let (target, _) = target.split_once('?').unwrap_or((&target, ""));
    assert_eq!(target, format!("https://example.com/{page}"));
}

/// Checks that a token is refused, with the reason, for what is public, too.
#[track_caller]
fn expect_refused(server: &Server, token: &str, reason: &str) {
    for path in [SAFETY, LOT, BATTERY] {
        let answer = get(server, path, Some(token));
        assert_eq!(answer.status, 401, "{reason}: {}", answer.text());
        assert_eq!(answer.header("location"), None, "{reason}");
        let challenge = answer.header("www-authenticate").unwrap_or_default();
        let begin = "Bearer error=\"invalid_token\", error_description=\"";
        assert!(challenge.starts_with(begin) && challenge.contains(reason), "{challenge}");
    }
}

/// Waits until a token gives access.
#[track_caller]
fn wait_for_access(server: &Server, token: &str) {
    let begin = Instant::now();
    while get(server, SAFETY, Some(token)).status != 307 {
        assert!(begin.elapsed() < PATIENCE, "the token is not accepted");
        thread::sleep(Duration::from_millis(100));
    }
}

/// 36.1: a restricted link exists only for who proves its role by a token of the issuer; an expired
/// or forged one is 401 with what is needed; public links are available without a token; and keys
/// are rotated without a restart.
#[test]
fn only_tokens_of_the_issuer_show_restricted_links() {
    let (sandbox, issuer, first) = (Sandbox::new(), Issuer::start(), key());
    issuer.publish("first", &first);
    let server = serve(&sandbox, &issuer);
    let expect_public = |token: Option<&str>| {
        expect_target(&get(&server, BATTERY, token), "battery");
        // As if the lot were not registered.
        expect_target(&get(&server, LOT, token), "battery");
        for path in [SAFETY, &format!("{BATTERY}?linkType=gs1:traceability")] {
            assert_eq!(get(&server, path, token).status, 404, "{path}");
        }
        for path in [SAFETY, LOT, &format!("{BATTERY}?linkType=linkset")] {
            let answer = get(&server, path, token);
            let shown = format!("{:?} {}", answer.headers, answer.text());
            assert!(!shown.contains("dismantling"), "{shown}");
        }
    };
    expect_public(None);
    let good = token("first", &first, &issuer.claims(|_| {}));
    wait_for_access(&server, &good);
    for path in [SAFETY, LOT] {
        expect_target(&get(&server, path, Some(&good)), "dismantling");
    }
    expect_target(&get(&server, BATTERY, Some(&good)), "battery");
    let private = get(&server, SAFETY, Some(&good)).header("cache-control").unwrap_or_default();
    assert!(private.starts_with("private"), "{private}");
    expect_public(None);
    // A valid token that proves nothing.
    let stranger = issuer.claims(|claims| claims["groups"] = json!(["unknown"]));
    expect_public(Some(&token("first", &first, &stranger)));

    let changed = |change: fn(&mut Value)| token("first", &first, &issuer.claims(change));
    let expired = changed(|claims| claims["exp"] = json!(1_700_000_000));
    expect_refused(&server, &expired, "the token has expired");
    let foreign = changed(|claims| claims["iss"] = json!("https://login.example.org"));
    expect_refused(&server, &foreign, "the token is from another issuer");
    let elsewhere = changed(|claims| claims["aud"] = json!("https://other.example"));
    expect_refused(&server, &elsewhere, "the token is for another audience");
    let claims = issuer.claims(|_| {});
    expect_refused(&server, &token("first", &key(), &claims), "the token is not valid");
    let (message, _) = good.rsplit_once('.').unwrap();
    expect_refused(&server, &format!("{message}.{}", encoded(&[0; 64])), "the token is not valid");
    expect_refused(&server, &jws("none", "first", &claims, |_| Vec::new()), "the token is not ");
    // The public key, as everyone has it, as a shared secret.
    for secret in [first.der_bytes(), first.public_key_pem().as_bytes()] {
        let forged = jws("HS256", "first", &claims, |message| hs256(secret, message));
        expect_refused(&server, &forged, "the token is not ");
    }
    wait_for_access(&server, &good);

    let second = key();
    let renewed = token("second", &second, &claims);
    expect_refused(&server, &renewed, "the token is signed with an unknown key");
    issuer.publish("second", &second);
    wait_for_access(&server, &renewed);
    expect_target(&get(&server, SAFETY, Some(&renewed)), "dismantling");
    expect_refused(&server, &good, "the token is signed with an unknown key");
    expect_public(None);
    server.stop();
}
