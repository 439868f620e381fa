//! `fingerpost verify`: answers of a running server, and what a machine in between made of them.

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::thread;

use fingerpost_signature::SigningKey;

use crate::support::{Sandbox, Server, record, run};

const PATH: &str = "/01/09520123456788";
const TARGET: &str = "https://brand.example/tea";

fn signing(sandbox: &Sandbox) -> Server {
    sandbox.import(&record(PATH, TARGET)).expect_status(0);
    let (_, pem) = SigningKey::generate().unwrap();
    let key = sandbox.write("key.pem", &pem);
    let config = sandbox.write("signing.toml", &format!("[signatures]\nkey = {key:?}\n"));
    Server::start(&sandbox.data(), Some(&config))
}

/// Passes requests on, and replaces a text in each answer.
fn between(server: &str, from: &'static str, to: &'static str) -> SocketAddr {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let (address, server) = (listener.local_addr().unwrap(), server.to_owned());
    thread::spawn(move || {
        for mut client in listener.incoming().flatten() {
            let mut head = Vec::new();
            let mut byte = [0];
            while !head.ends_with(b"\r\n\r\n") && client.read(&mut byte).unwrap_or(0) == 1 {
                head.push(byte[0]);
            }
            let head = String::from_utf8(head)
                .unwrap()
                .replace("\r\n\r\n", "\r\nconnection: close\r\n\r\n");
            let mut upstream = TcpStream::connect(&server).unwrap();
            upstream.write_all(head.as_bytes()).unwrap();
            let mut answer = String::new();
            let _ = upstream.read_to_string(&mut answer);
            let _ = client.write_all(answer.replace(from, to).as_bytes());
        }
    });
    address
}

/// 36.2: who signed is said; a changed answer is not proven.
#[test]
fn a_changed_answer_is_not_proven() {
    let sandbox = Sandbox::new();
    let server = signing(&sandbox);
    let url = format!("http://{}{PATH}", server.address());
    let said = run(["verify", &url]).expect_status(0).stdout;
    assert!(said.contains(&format!("answer     307 to {TARGET}")), "{said}");
    assert!(said.contains("signed by  127.0.0.1 ("), "{said}");
    let found = run(["verify", "--json", &url]).expect_status(0).events();
    assert_eq!((&found[0]["verified"], &found[0]["location"]), (&true.into(), &TARGET.into()));
    let linkset = format!("{url}?linkType=linkset");
    run(["verify", "--accept", "application/linkset+json", &linkset]).expect_status(0);

    let changed = between(server.address(), "brand.example", "other.example");
    let url = format!("http://{changed}{PATH}");
    let said = run(["verify", &url]).expect_status(1).stdout;
    assert!(said.contains("not proven") && said.contains("the signature does not match"), "{said}");
    let linkset = format!("{url}?linkType=linkset");
    let said = run(["verify", "--accept", "application/linkset+json", &linkset]).expect_status(1);
    assert!(said.stdout.contains("does not match its Content-Digest"), "{}", said.stdout);
    server.stop();
}

/// 36.2: a kept linkset is verified without the server, with keys that were kept, too.
#[test]
fn a_kept_linkset_is_verified_without_the_server() {
    let sandbox = Sandbox::new();
    let server = signing(&sandbox);
    let get = |target: &str, accept: &str| {
        let ask = fingerpost_testkit::Ask::get(target).header("accept", accept);
        server.send(&ask).text()
    };
    let archive = get(&format!("{PATH}?linkType=linkset"), "application/jose");
    let archive = sandbox.write("linkset.jws", &archive);
    let keys = get("/.well-known/http-message-signatures-directory", "*/*");
    let keys = sandbox.write("keys.json", &keys);
    server.stop();
    let (archive, keys) = (archive.to_str().unwrap(), keys.to_str().unwrap());
    let said = run(["verify", "--keys", keys, archive]).expect_status(0).stdout;
    assert!(said.contains("content    application/linkset+json, "), "{said}");
    let said = run(["verify", archive]).expect_status(2).stderr;
    assert!(said.contains("name the expected keys with --keys"), "{said}");
    let (other, _) = SigningKey::generate().unwrap();
    let other = sandbox.write("other.pub", &other.public().to_pem());
    let said = run(["verify", "--keys", other.to_str().unwrap(), archive]).expect_status(1).stdout;
    assert!(said.contains("which is not among the expected keys"), "{said}");
}

/// A resolver that does not sign is said to be one.
#[test]
fn a_resolver_without_keys_is_named() {
    let sandbox = Sandbox::new();
    sandbox.import(&record(PATH, TARGET)).expect_status(0);
    let server = Server::start(&sandbox.data(), None);
    let said =
        run(["verify", &format!("http://{}{PATH}", server.address())]).expect_status(2).stderr;
    assert!(said.contains("does not sign its answers"), "{said}");
    server.stop();
}
