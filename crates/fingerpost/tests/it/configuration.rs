//! The configuration: the example file is complete and true, layers win in order, faults are
//! placed.

use std::time::Duration;

use fingerpost_http::TlsSource;
use fingerpost_options::ConfigError;
use fingerpost_server::config::{self, Config, LogFormat, Overrides};
use fingerpost_signature::SigningKey;

const EXAMPLE: &str = include_str!("../../../../docs/fingerpost.example.toml");
const REFERENCE: &str = include_str!("../../../../docs/reference/configuration.md");

/// The example with its commented keys live: `(all of them, those that show defaults)`.
fn example() -> (String, String) {
    let (mut all, mut defaults) = (String::new(), String::new());
    let mut shows_example = false;
    for line in EXAMPLE.lines() {
        let live = line.strip_prefix('#').filter(|rest| !rest.is_empty() && !rest.starts_with(' '));
        shows_example = match line {
            "# example:" => true,
            _ => shows_example && live.is_some(),
        };
        let header = line.starts_with('[');
        let text = live.unwrap_or(if header { line } else { "" });
        all.push_str(text);
        all.push('\n');
        defaults.push_str(if shows_example { "" } else { text });
        defaults.push('\n');
    }
    (all, defaults)
}

#[test]
fn the_reference_and_the_example_are_those_of_the_declarations() {
    let generated = [
        ("reference/configuration.md", REFERENCE, "\n## The resolver", config::reference()),
        ("fingerpost.example.toml", EXAMPLE, "\n# ----", config::example()),
    ];
    for (name, current, begins, generated) in generated {
        let (by_hand, _) = current.split_at(current.find(begins).expect(name) + 1);
        let expected = format!("{by_hand}{generated}");
        if std::env::var_os("GENERATE").is_some() {
            let path = format!("{}/../../docs/{name}", env!("CARGO_MANIFEST_DIR"));
            std::fs::write(path, &expected).expect("written");
        } else {
            assert!(current == expected, "docs/{name} is stale: run this test with GENERATE=1");
        }
    }
}

#[test]
fn every_key_is_a_variable_too() {
    let reference = config::reference();
    let keys = reference.lines().filter_map(|line| line.strip_prefix("| `")?.split('`').next());
    let keys: Vec<&str> = keys.collect();
    assert!(keys.len() > 50 && keys.contains(&"admin.oidc.claim"), "{keys:?}");
    for key in keys {
        let variable = format!("FINGERPOST_{}", key.to_uppercase().replace('.', "_"));
        let config =
            Config::load(None, [(variable.clone(), "[[".to_owned())], &Overrides::default());
        assert!(matches!(config, Err(ConfigError::Variable { .. })), "{variable}");
    }
}

#[test]
fn variables_are_toml_or_plain_text() {
    let with = |variable: &str, value: &str| {
        let environment = [(variable.to_owned(), value.to_owned())];
        Config::load(None, environment, &Overrides::default())
    };
    let config = with("FINGERPOST_NAME", "123").expect("text that looks like a number");
    assert_eq!(config.public.settings().name(), Some("123"));
    assert_eq!(with("FINGERPOST_THREADS", "3").expect("a number").public.threads(), 3);
    let config = with("FINGERPOST_SUPPORTED_PRIMARY_KEYS", "01, 414").expect("words");
    assert_eq!(config.public.settings().primary_keys().as_slice().len(), 2);
    let config = with("FINGERPOST_CONTEXT_VALUES", r#"["CH","FR"]"#).expect("an array");
    assert_eq!(config.public.settings().context_values(), ["CH", "FR"]);
    let config = with("FINGERPOST_LIMITS_MAX_CONNECTIONS", "7").expect("in a table");
    assert_eq!(config.public.limits().max_connections.get(), 7);
    assert_eq!(with("FINGERPOST_LOG_FORMAT", "json").expect("a word").log.format, LogFormat::Json);
    let config = with("FINGERPOST_CONTACT", r#"{ fn = "Example" }"#).expect("a table");
    let contact = config.public.settings().contact().expect("a contact");
    assert_eq!(contact.formatted_name.as_deref(), Some("Example"));
    let config = with("FINGERPOST_LIMITS", "{ idle_timeout = '9s' }").expect("a whole table");
    assert_eq!(config.public.limits().idle_timeout.get(), Duration::from_secs(9));

    let error = with("FINGERPOST_THREADS", "many").expect_err("not a number").to_string();
    assert!(error.starts_with("FINGERPOST_THREADS: threads: invalid type"), "{error}");
    let error = with("FINGERPOST_CONTACT", "{ phone = 1 }").expect_err("unknown").to_string();
    assert!(error.starts_with("FINGERPOST_CONTACT: "), "{error}");
    let error = with("FINGERPOST_LIMITS", "{ idle = '9s' }").expect_err("unknown").to_string();
    assert!(error.starts_with("FINGERPOST_LIMITS: "), "{error}");
}

#[test]
fn the_example_is_accepted_and_shows_the_defaults() {
    let (all, defaults) = example();
    let folder = tempfile::tempdir().expect("a folder");
    let types = folder.path().join("media-types.txt");
    std::fs::write(&types, "text/html\n").expect("written");
    let logo = folder.path().join("logo.svg");
    std::fs::write(&logo, "<svg xmlns=\"http://www.w3.org/2000/svg\"/>").expect("written");
    let all = all.replace("media-types.txt", &types.display().to_string());
    let types = folder.path().join("link-types.txt");
    std::fs::write(&types, "safetyDataSheet\n").expect("written");
    let all = all.replace("link-types.txt", &types.display().to_string());
    let all = all.replace("logo.svg", &logo.display().to_string());
    let terms = folder.path().join("terms.txt");
    std::fs::write(&terms, "1. Be kind.\n").expect("written");
    let all = all.replace("terms.txt", &terms.display().to_string());
    let (key, pem) = SigningKey::generate().expect("a key");
    let signing = folder.path().join("signing.pem");
    std::fs::write(&signing, pem).expect("written");
    let all = all.replace("/etc/fingerpost/signing.pem", &signing.display().to_string());
    let former = folder.path().join("former.pub");
    std::fs::write(&former, key.public().to_pem()).expect("written");
    let all = all.replace("/etc/fingerpost/signing-2026.pub", &former.display().to_string());
    let secrets = folder.path().join("secrets");
    std::fs::write(&secrets, "0123456789abcdef0123456789abcdef\n").expect("written");
    let all = all.replace("/etc/fingerpost/signed-links", &secrets.display().to_string());
    // Mails go to a server or to a folder, not to both.
    let all = all.replace("folder = \"/var/spool/fingerpost\"\n", "");
    // The country is from a database or from a header.
    let all = all.replace("header = \"CF-IPCountry\"\n", "");
    Config::from_toml(&all).expect("every line together");
    // Debug shows everything that is held, so equal texts are equal configurations.
    let stated = "resolver_root = \"https://id.example.org\"\nsupported_primary_keys = [\"all\"]";
    let plain = Config::from_toml(stated).expect("defaults");
    let shown = Config::from_toml(&defaults).expect("the defaults of the example");
    let held = |config: &Config| {
        let Config { public, admin, storage, log, audit, .. } = config;
        format!("{:#?}", (public, admin, storage, log, audit)).replace("Some(\n", "")
    };
    assert_eq!(held(&shown), held(&plain));
    // As it stands, without one line changed, it is the default too.
    let untouched = Config::from_toml(EXAMPLE).expect("the example");
    assert!(untouched.public.root_is_default());
    assert_eq!(untouched.public.limits(), plain.public.limits());
}

#[test]
fn a_table_for_certificates_needs_a_listener_that_uses_it() {
    let acme =
        "[acme]\nnames = \"id.example.org\"\nterms_agreed = true\nchallenge = \"tls-alpn-01\"\n";
    let told =
        |config: &Config| config.warnings().any(|warning| warning.contains("the table acme"));
    let unused = Config::from_toml(acme).expect("valid");
    assert!(unused.acme.is_none() && told(&unused));
    for used in [format!("tls_acme = true\n{acme}"), format!("{acme}[admin]\ntls_acme = true\n")] {
        let config = Config::from_toml(&used).expect("valid");
        assert!(config.acme.is_some() && !told(&config), "{used}");
    }
    let disabled = format!("{acme}[admin]\ntls_acme = true\nenabled = false\n");
    assert!(Config::from_toml(&disabled).expect("valid").acme.is_none());
    for (wrong, expected) in [
        ("tls_acme = true\n", "acme.names: expected 1 to 100 host names"),
        (
            "tls_acme = true\ntls_self_signed = true\n",
            "tls_acme: expected either it or tls_self_signed",
        ),
        (
            "tls_acme = true\ntls_cert = \"a\"\ntls_key = \"b\"\n",
            "tls_acme: expected either a certificate and key",
        ),
        ("[admin]\ntls_acme = true\ntls_key = \"b\"\n", "admin.tls_acme: expected either"),
    ] {
        let error = Config::from_toml(wrong).expect_err(wrong).to_string();
        assert!(error.contains(expected), "{error}");
    }
    // A flag takes the place of the file's source.
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("fingerpost.toml");
    std::fs::write(&file, format!("tls_acme = true\n{acme}")).expect("written");
    let flags = Overrides { tls_self_signed: true, ..Overrides::default() };
    let config = Config::load(Some(&file), [], &flags).expect("valid");
    assert_eq!((config.public.tls(), config.acme), (Some(&TlsSource::SelfSigned), None));
}

#[test]
fn faults_are_named_with_file_and_line() {
    for (toml, line, expected) in [
        (
            "name = \"x\"\nresolver_rot = \"y\"",
            2,
            "unknown key `resolver_rot`, did you mean `resolver_root`?",
        ),
        ("\n\nthreads = \"many\"", 3, "invalid type"),
        ("\nthreads = 0", 2, "threads: expected at least 1"),
        ("[limits]\nheader_timeout = \"soon\"", 2, "expected a length of time"),
        ("[limits]\nheader_timeout = 10", 2, "expected a length of time"),
        ("[limits]\nmax_header_bytes = \"16 KB\"", 2, "expected a number of bytes"),
        ("[limits]\nmax_header_bytes = 100", 2, "limits.max_header_bytes: expected 8 KiB to 1 MiB"),
        ("[limits]\nmax_connections = 0", 2, "limits.max_connections: expected at least 1"),
        ("listen = [\n\"127.0.0.1\"]", 2, "invalid socket address"),
        ("trusted_proxies = \"proxy\"", 1, "expected a network"),
        ("name =", 1, ""),
        ("[log]\nformat = \"xml\"", 2, "unknown variant `xml`"),
        ("name = \"x\"\nresolver_root = \"http://id.example.org\"", 2, "resolver_root: "),
        ("\nresolver_root = \"https://id.example.org/\"", 2, "resolver_root: "),
        ("supported_primary_keys = [\"10\"]", 1, "supported_primary_keys: expected"),
        ("\ndefault_link_type = \"gs1:pip\"", 2, "default_link_type: expected \"linkset\""),
        ("\n\nlegacy_decompression = \"yes\"", 3, "invalid type"),
        ("[contact]\nphone = \"1\"", 2, "unknown field `phone`"),
        ("tls_cert = \"a.pem\"", 1, "tls_cert: expected tls_key with it"),
        ("http_redirect_listen = \"127.0.0.1:80\"", 1, "http_redirect_listen: expected TLS"),
        (
            "[[patterns]]\npath_prefix = \"/01/1\"\ntarget_root = \"x\"",
            1,
            "patterns: entry 1: expected",
        ),
    ] {
        let error = Config::from_toml(toml).expect_err(toml).to_string();
        assert!(error.starts_with(&format!("configuration:{line}: ")), "{toml:?}: {error}");
        assert!(error.contains(expected), "{toml:?}: {error}");
    }
}

#[test]
fn later_layers_win() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("fingerpost.toml");
    let toml = "resolver_root = \"https://file.example\"\nname = \"file\"\nthreads = 2\ntls_cert = \"c.pem\"\n\
                tls_key = \"/k.pem\"\n[limits]\nmax_connections = 5\nidle_timeout = \"9s\"";
    std::fs::write(&file, toml).expect("written");
    let environment = [
        ("FINGERPOST_NAME", "environment"),
        ("FINGERPOST_THREADS", "3"),
        ("FINGERPOST_LIMITS_MAX_CONNECTIONS", "6"),
        ("FINGERPOST_DATA", "elsewhere"),
        ("FINGERPOST_SERVER", "https://other.example"),
        ("FINGERPOST_PORT_80_TCP", "tcp://10.0.0.1"),
        ("OTHER", "x"),
    ];
    let environment = environment.map(|(name, value)| (name.to_owned(), value.to_owned()));
    let flags = Overrides { threads: Some(4), ..Overrides::default() };
    let config = Config::load(Some(&file), environment.clone(), &flags).expect("a configuration");
    assert_eq!(config.public.settings().root().as_str(), "https://file.example");
    assert_eq!(config.public.settings().name(), Some("environment"));
    assert_eq!(config.public.threads(), 4);
    assert_eq!(config.storage.data.as_deref(), Some("elsewhere".as_ref()));
    assert_eq!(config.public.limits().max_connections.get(), 6);
    assert_eq!(
        config.public.limits().idle_timeout.get(),
        Duration::from_secs(9),
        "one key of a table leaves the others"
    );
    let expected = TlsSource::Files { cert: folder.path().join("c.pem"), key: "/k.pem".into() };
    assert_eq!(config.public.tls(), Some(&expected), "relative to the file");
    let warnings: Vec<String> = config.warnings().collect();
    assert!(warnings.len() == 1 && warnings[0].contains("FINGERPOST_PORT_80_TCP"), "{warnings:?}");

    let flags = Overrides { tls_self_signed: true, ..Overrides::default() };
    let config = Config::load(Some(&file), environment, &flags).expect("a configuration");
    assert_eq!(config.public.tls(), Some(&TlsSource::SelfSigned), "a flag replaces the files");
}

#[test]
fn an_absent_root_is_said() {
    let config = Config::from_toml("").expect("defaults");
    assert!(config.public.root_is_default());
    assert!(config.warnings().any(|warning| warning.contains("https://id.example.org")));
    assert!(Config::load(Some("nowhere.toml".as_ref()), [], &Overrides::default()).is_err());
}

#[test]
fn a_proxy_that_is_not_trusted_is_warned_of() {
    let warns = |text: &str| {
        let config = Config::from_toml(text).expect(text);
        config.warnings().any(|warning| warning.contains("trusted_proxies"))
    };
    let front = "[admin]\norigins = [\"https://admin.example.org\"]";
    assert!(warns(front) && warns("[admin]\nlisten = \"0.0.0.0:8081\"\ninsecure = true"));
    for fine in [
        "",
        &format!("trusted_proxies = [\"127.0.0.1\"]\n{front}"),
        &format!("{front}\ntls_self_signed = true"),
        &format!("{front}\nenabled = false"),
    ] {
        assert!(!warns(fine), "{fine}");
    }
}

#[test]
fn media_types_can_be_replaced() {
    // RES-2.5.5-2: the registry is data that can be updated without a rebuild
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("types.txt");
    std::fs::write(&path, "# own\ntext/superhtml\n").expect("written");
    let config = Config::from_toml(&format!("media_types_file = {:?}", path.display().to_string()));
    let types = config.expect("a configuration");
    assert!(types.public.vocabulary().media_types().contains("text/superhtml"));
    assert!(!types.public.vocabulary().media_types().contains("text/html"));
    let builtin = Config::from_toml("").expect("defaults");
    assert!(builtin.public.vocabulary().media_types().contains("text/html"));
}

/// RES-2.5.2-2: GS1 adds link types more often than there are releases of this program.
#[test]
fn section_2_5_2_link_types_can_be_added() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("types.txt");
    let read = |list: &str| {
        std::fs::write(&path, list).expect("written");
        Config::from_toml(&format!("link_types_file = {:?}", path.display().to_string()))
    };
    let config = read("# of November\nsafetyDataSheet Safety data sheet\npip\n").expect("a list");
    let iri = "https://ref.gs1.org/voc/safetyDataSheet";
    for vocabulary in [config.public.vocabulary(), config.public.settings().vocabulary()] {
        let added: Vec<_> = vocabulary.added_terms().iter().map(|term| term.iri()).collect();
        assert_eq!(added, [iri]);
        assert_eq!(vocabulary.normalise("safetyDataSheet").as_deref(), Some(iri));
    }
    let error = read("pip\nsafety-data-sheet\n").expect_err("no name").to_string();
    assert!(error.contains("link_types_file") && error.contains("line 2"), "{error}");
}
