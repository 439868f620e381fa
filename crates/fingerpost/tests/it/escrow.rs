//! 36.3: a resolver that is restored from an escrow answers as the one it was made of.

use std::fs;
use std::path::{Path, PathBuf};

use age::secrecy::ExposeSecret;
use fingerpost_signature::SigningKey;
use fingerpost_testkit::Ask;

use crate::support::{Run, Sandbox, Server, run, run_with_input};

const RECORDS: [&str; 2] =
    [include_str!("../../demo/tea.json"), include_str!("../../demo/logistics.json")];

/// A record with a link that only a role may see.
const RESTRICTED: &str = r#"{"anchor": "/01/09506000134352", "links": [
    {"linkType": "gs1:defaultLink", "href": "https://brand.example/b36", "title": "Battery"},
    {"linkType": "gs1:pip", "href": "https://brand.example/b36", "title": "Battery"},
    {"linkType": "gs1:safetyInfo", "href": "https://brand.example/dismantling", "title": "Dismantling",
     "access": ["recycler"]}]}"#;

struct Operator {
    sandbox: Sandbox,
    config: PathBuf,
    identity: PathBuf,
    trustee: String,
}

impl Operator {
    fn new() -> Self {
        let sandbox = Sandbox::new();
        for records in RECORDS {
            let records = records
                .replace("CAMPAIGN_BEGINS", "2020-01-01T00:00:00Z")
                .replace("CAMPAIGN_ENDS", "2099-01-01T00:00:00Z");
            sandbox.import(&records).expect_status(0);
        }
        let (_, pem) = SigningKey::generate().unwrap();
        let key = sandbox.write("signing.pem", &pem);
        let types = sandbox.write("types.txt", "gs1:newType A new type\n");
        let config = sandbox.write(
            "operator.toml",
            &format!(
                "resolver_root = \"https://id.operator.example\"\nlink_types_file = {types:?}\nlinkset_max_age = \"5m\"\n\
                 roles = [{{ name = \"recycler\", title = {{ en = \"Recyclers\" }} }}]\nlisten = \"127.0.0.1:1\"\n[brand]\nname = \"Operator\"\n[signatures]\nkey = {key:?}\n[backup]\nto = \"/secret\"\n"
            ),
        );
        let words = ["import", "--format", "json", "--config", config.to_str().unwrap(), "--data"];
        let data = sandbox.data();
        let words = words.into_iter().chain([data.to_str().unwrap(), "-"]);
        run_with_input(words, RESTRICTED.as_bytes()).expect_status(0);
        let pair = age::x25519::Identity::generate();
        let identity = format!("{}\n", pair.to_string().expose_secret());
        let identity = sandbox.write("identity.txt", &identity);
        Self { sandbox, config, identity, trustee: pair.to_public().to_string() }
    }

    fn write(&self, name: &str) -> PathBuf {
        let (written, file) = self.try_to_write(name);
        written.expect_status(0);
        assert!(fs::read(&file).unwrap().starts_with(b"age-encryption.org/"));
        file
    }

    fn try_to_write(&self, name: &str) -> (Run, PathBuf) {
        let file = self.sandbox.path(name);
        let data = self.sandbox.data();
        let words: [&Path; 9] = [
            "escrow".as_ref(),
            "write".as_ref(),
            "--config".as_ref(),
            &self.config,
            "--data".as_ref(),
            &data,
            "--to".as_ref(),
            self.trustee.as_ref(),
            &file,
        ];
        (run(words), file)
    }

    fn restore(&self, file: &Path, to: &Path, further: &[&Path]) -> Run {
        let words: [&Path; 7] = [
            "escrow".as_ref(),
            "restore".as_ref(),
            "--identity".as_ref(),
            &self.identity,
            "--out".as_ref(),
            to,
            file,
        ];
        run(words.iter().chain(further))
    }
}

/// What a server answers, without what changes from one second to the next.
fn answers(server: &Server) -> Vec<String> {
    let mut answers = Vec::new();
    for path in [
        "/01/09520123456788",
        "/01/09520123456788/10/LOT7",
        "/01/09520123456788/10/LOT8",
        "/01/09520123456788/21/1001",
        "/01/09520123456788/10/LOT7/21/55",
        "/00/195201234567891232",
        "/414/9520123456788/254/DOCK4",
        "/8004/9520123DRYER2",
        "/01/09506000134352",
        "/01/09520123456789",
        "/.well-known/gs1resolver",
        "/",
    ] {
        for query in [
            "",
            "?linkType=linkset",
            "?linkType=gs1:pip",
            "?linkType=gs1:safetyInfo",
            "?linkType=gs1:hasRetailers&context=CH",
        ] {
            for (name, value) in [
                ("accept", "application/linkset+json"),
                ("accept", "text/html"),
                ("accept-language", "fr"),
                ("accept", "application/pdf"),
            ] {
                let answer = server.send(&Ask::get(&format!("{path}{query}")).header(name, value));
                let fields = ["location", "link", "content-type", "cache-control", "vary", "etag"];
                let fields = fields.map(|name| format!("{name}: {:?}", answer.header(name)));
                let status = answer.status;
                answers.push(format!(
                    "{path}{query} {name}: {value}\n{status} {fields:?}\n{}",
                    answer.text()
                ));
            }
        }
    }
    answers
}

#[test]
fn a_restored_resolver_answers_the_same() {
    let operator = Operator::new();
    let escrow = operator.write("escrow.age");
    let text = fs::read(&escrow).unwrap();
    assert!(text.starts_with(b"age-encryption.org/v1"), "it is encrypted");
    let folder = operator.sandbox.path("restored");
    let said = operator.restore(&escrow, &folder, &[]).expect_status(0);
    assert!(said.stdout.contains("of https://id.operator.example"), "{}", said.stdout);
    let config = fs::read_to_string(folder.join("fingerpost.toml")).unwrap();
    for absent in ["backup", "/secret", "listen", "signing.pem"] {
        assert!(!config.contains(absent), "{config}");
    }
    assert!(folder.join("site/site/01/09520123456788/linkset.json").is_file());

    // Both without their keys, because signatures name the second they were made in.
    let unsigned = fs::read_to_string(&operator.config).unwrap();
    let unsigned =
        unsigned.split("[signatures]").next().unwrap().replace("listen = \"127.0.0.1:1\"\n", "");
    let unsigned = operator.sandbox.write("unsigned.toml", &unsigned);
    let before = Server::start(&operator.sandbox.data(), Some(&unsigned));
    let after = Server::start(&folder.join("data"), Some(&folder.join("fingerpost.toml")));
    let (before_answers, after_answers) = (answers(&before), answers(&after));
    assert_eq!(before_answers.len(), after_answers.len());
    for (before, after) in before_answers.iter().zip(&after_answers) {
        assert_eq!(before, after);
    }
    assert!(before_answers.iter().filter(|answer| answer.contains("\n307 ")).count() > 40);
    assert!(!before_answers.iter().any(|answer| answer.contains("dismantling")));
    let records = fs::read_to_string(folder.join("records.jsonl")).unwrap();
    assert!(records.contains("dismantling") && records.contains("recycler"));
    before.stop();
    after.stop();
}

#[test]
fn a_changed_escrow_restores_nothing() {
    let operator = Operator::new();
    let escrow = operator.write("escrow.age");
    let folder = operator.sandbox.path("restored");
    let mut bytes = fs::read(&escrow).unwrap();
    let middle = bytes.len() / 2;
    bytes[middle] ^= 1;
    let changed = operator.sandbox.path("changed.age");
    fs::write(&changed, bytes).unwrap();
    let said = operator.restore(&changed, &folder, &[]).expect_status(2);
    assert!(said.stderr.contains("nothing was restored"), "{}", said.stderr);
    assert!(!folder.exists());

    // Complete, but by a key that nobody expects.
    let (other, _) = SigningKey::generate().unwrap();
    let other = operator.sandbox.write("other.pub", &other.public().to_pem());
    let said = operator.restore(&escrow, &folder, &["--keys".as_ref(), &other]).expect_status(2);
    assert!(said.stderr.contains("which is not among the expected keys"), "{}", said.stderr);
    assert!(!folder.exists());
}

#[test]
fn an_escrow_needs_a_key_that_signs_and_one_to_seal_to() {
    let operator = Operator::new();
    let data = operator.sandbox.data();
    let data = data.to_str().unwrap();
    let file = operator.sandbox.path("escrow.age");
    let said =
        run(["escrow", "write", "--data", data, "--to", &operator.trustee, file.to_str().unwrap()]);
    assert!(said.expect_status(2).stderr.contains("name it as signatures.key"));
    assert!(!file.exists());
    let config = operator.config.to_str().unwrap();
    let said = run([
        "escrow",
        "write",
        "--config",
        config,
        "--data",
        data,
        "--to",
        "age1wrong",
        file.to_str().unwrap(),
    ]);
    assert!(said.expect_status(2).stderr.contains("expected a public key of age"));
    assert!(!file.exists());
}
