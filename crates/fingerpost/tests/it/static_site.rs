//! `export --static`: nginx and Caddy answer like the server, for what files can answer.

use std::fs;
use std::net::TcpStream;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use fingerpost_testkit::{PATIENCE, free_port, skipped};
use serde_json::{Value, json};

use crate::support::{Sandbox, Server, gtin, record, run, run_with_input, send};
use fingerpost_testkit::Ask;

/// A web server that ends with the test.
struct WebServer {
    child: Child,
    address: String,
}

impl Drop for WebServer {
    fn drop(&mut self) {
        let _ = self.child.kill(); // it may have ended
        let _ = self.child.wait();
    }
}

/// Returns the path of a program, unless it is absent.
fn program(name: &str, package: &str) -> Option<PathBuf> {
    let folders = ["/usr/bin", "/usr/sbin", "/usr/local/bin"].map(Path::new);
    let found = folders.iter().map(|folder| folder.join(name)).find(|path| path.exists());
    if found.is_none() {
        skipped("static_site", &format!("{name} is not installed (Debian: {package})"));
    }
    found
}

/// Starts a web server with the configuration of an export, at a free port.
fn serve(sandbox: &Sandbox, site: &Path, name: &str, package: &str) -> Option<WebServer> {
    let program = program(name, package)?;
    let port = free_port();
    let address = format!("127.0.0.1:{port}");
    let folder = sandbox.path(name);
    fs::create_dir(&folder).unwrap();
    let configure = |file: &str| {
        let text = fs::read_to_string(site.join(file)).unwrap();
        assert!(text.contains("127.0.0.1:8080"));
        text.replace("127.0.0.1:8080", &address)
    };
    let mut command = Command::new(program);
    if name == "nginx" {
        let around = format!(
            "daemon off;\npid {0}/pid;\nerror_log stderr;\nevents {{ }}\nhttp {{\naccess_log off;\n\
             client_body_temp_path {0}/1;\nproxy_temp_path {0}/2;\nfastcgi_temp_path {0}/3;\n\
             uwsgi_temp_path {0}/4;\nscgi_temp_path {0}/5;\n{1}\n}}\n",
            folder.display(),
            configure("nginx/fingerpost.conf")
        );
        fs::write(folder.join("nginx.conf"), around).unwrap();
        command.arg("-p").arg(&folder).arg("-c").arg(folder.join("nginx.conf"));
    } else {
        let text = format!("{{\n\tadmin off\n}}\n{}", configure("caddy/Caddyfile"));
        fs::write(folder.join("Caddyfile"), text).unwrap();
        command.args(["run", "--adapter", "caddyfile", "--config"]).arg(folder.join("Caddyfile"));
        command.env("HOME", &folder).env("XDG_DATA_HOME", &folder);
    }
    let log = fs::File::create(folder.join("log")).unwrap();
    let child = command.stdout(Stdio::null()).stderr(log).spawn().expect("it starts");
    let mut server = WebServer { child, address };
    let began = Instant::now();
    while TcpStream::connect(&server.address).is_err() {
        let ended = server.child.try_wait().unwrap();
        let log = || fs::read_to_string(folder.join("log")).unwrap();
        assert!(ended.is_none() && began.elapsed() < PATIENCE, "{name}: {}", log());
        thread::sleep(Duration::from_millis(50));
    }
    Some(server)
}

fn link(link_type: &str, href: &str, languages: &[&str]) -> Value {
    let mut link = json!({"linkType": link_type, "href": href, "title": "Page"});
    if !languages.is_empty() {
        link["hreflang"] = json!(languages);
    }
    link
}

const TEA: &str = "/01/09520123456788";

/// Records with languages, levels, queries, fragments, and values in all spellings.
fn records() -> Vec<String> {
    let page = "https://example.com/p";
    let tea = json!({"anchor": TEA, "itemDescription": "<script>Tea</script> \"{$HOME}\"", "links": [
        link("gs1:defaultLink", page, &[]),
        link("gs1:pip", page, &["en"]),
        link("gs1:pip", "https://example.com/fr?x=$host&y={01}", &["fr"]),
        link("gs1:pip", "https://example.com/ch#top", &["fr-CH"]),
        link("gs1:instructions", "https://example.com/i?a#b", &["en"]),
        link("gs1:certificationInfo", "https://example.com/c?", &["de"]),
        // PE-18: of lots only.
        link("gs1:traceability", "https://example.com/lots/{10}", &[])]});
    let mut records = vec![tea.to_string()];
    for (index, lot) in
        ["LOT7", "lot7", "Lot7", "lOt7", "A%2FB", "a-b_c.", "a!'()+,;=:&"].iter().enumerate()
    {
        records
            .push(record(&format!("{TEA}/10/{lot}"), &format!("https://example.com/lot/{index}")));
    }
    records.push(record(&format!("{TEA}/21/7"), "https://example.com/item"));
    records.push(record("/414/9520123456788", "https://example.com/place;return%20200?'x'&$uri"));
    for number in 0..40 {
        records.push(record(
            &format!("/01/{}", gtin(number)),
            &format!("https://example.com/{number}"),
        ));
    }
    records
}

/// Issue 33, point 4: same answers, for every identifier, link type and language.
#[test]
fn web_servers_answer_from_files_like_the_server() {
    let sandbox = Sandbox::new();
    let imported = sandbox.import(&records().join("\n"));
    let accepted = imported.events_of("summary");
    assert_eq!(accepted[0]["refused"], 0, "{imported:?}");
    let config = sandbox.write("config.toml", "resolver_root = \"https://id.example.org\"\n");
    let site = sandbox.path("site");
    let (data, site_text) = (sandbox.data(), site.to_str().unwrap().to_owned());
    let export = ["export", "--config", config.to_str().unwrap(), "--data", data.to_str().unwrap()];
    let export = [&export[..], &["--static", &site_text]].concat();
    let exported = run(&export).expect_status(0);
    assert!(exported.stdout.contains("50 levels and "), "{exported:?}");
    // A folder with files is not changed.
    assert!(run(&export).expect_status(2).stderr.contains("is not empty"));
    let server = Server::start(&data, Some(&config));
    let list = sandbox.export();
    for (name, package) in [("nginx", "nginx-light"), ("caddy", "caddy")] {
        let Some(web) = serve(&sandbox, &site, name, package) else { continue };
        let (old, new) =
            (format!("http://{}", server.address()), format!("http://{}", web.address));
        let compare = ["compare", "--rate", "0", "--format", "json", "--from", "-"];
        let compare = [&compare[..], &["--old", &old, "--new", &new]].concat();
        let found = run_with_input(compare, list.as_bytes()).expect_status(1);
        let report: Value = serde_json::from_str(&found.stdout).unwrap();
        assert_eq!(report["done"], 50, "{name}");
        // Three languages fit equally well without `Accept-Language`.
        let differences = report["differences"].as_array().unwrap();
        let shown = |it: &Value| format!("{} {} {}", it["kind"], it["detail"], it["count"]);
        let shown: Vec<_> = differences.iter().map(shown).collect();
        assert_eq!(shown, ["\"status\" \"300 → 200\" 1"], "{name}: {}", found.stdout);
        let get = |target: &str, fields: &[(&'static str, &str)]| {
            let mut ask = Ask::get(target);
            for (field, value) in fields {
                ask = ask.header(field, value);
            }
            (server.send(&ask), send(&web.address, &ask))
        };
        // Languages that no record has exactly, levels that are not registered, queries.
        for (target, fields) in [
            (format!("{TEA}/10/NONE"), &[][..]),
            (format!("{TEA}/10/LOT7/21/7"), &[]),
            (format!("{TEA}/10/LOT7/21/8"), &[]),
            (format!("{TEA}/10/NONE/21/1?linkType=gs1:pip"), &[("accept-language", "fr-CA, en")]),
            (
                format!("{TEA}?linkType=https%3A%2F%2Fgs1.org%2Fvoc%2Fpip"),
                &[("accept-language", "FR-ch")],
            ),
            (format!("{TEA}?linkType=gs1%3Ainstructions&17=301231"), &[("accept-language", "ja")]),
            (format!("{TEA}?linkType=gs1:instructions&a=%20b"), &[]),
            (format!("{TEA}?linkType=gs1:certificationInfo"), &[]),
            (format!("{TEA}?linkType=gs1:hasRetailers"), &[]),
            (format!("{TEA}/?17=301231"), &[]),
            ("/01/09506000134352".to_owned(), &[]),
        ] {
            let (here, there) = get(&target, fields);
            let of =
                |answer: &fingerpost_testkit::Answer| (answer.status, answer.header("location"));
            assert_eq!(of(&here), of(&there), "{name} {target} {fields:?}");
        }
        for (target, accept) in [
            (format!("{TEA}?linkType=linkset"), "application/linkset+json"),
            (format!("{TEA}/10/A%2FB?linkType=all"), "application/ld+json"),
            (format!("{TEA}/10/lOt7?linkType=linkset"), "text/html"),
            (TEA.to_owned(), "application/linkset+json"),
            ("/.well-known/gs1resolver".to_owned(), "*/*"),
            ("/.well-known/fingerpost/style.css".to_owned(), "*/*"),
        ] {
            let (here, there) = get(&target, &[("accept", accept)]);
            assert_eq!((here.status, there.status), (200, 200), "{name} {target}");
            assert_eq!(here.body, there.body, "{name} {target}");
            let media_type = |answer: &fingerpost_testkit::Answer| {
                let value = answer.header("content-type").unwrap_or_default();
                value.split(';').next().unwrap_or_default().to_owned()
            };
            assert_eq!(media_type(&here), media_type(&there), "{name} {target}");
        }
        for outside in [
            "/01/../../nginx/types.map",
            "/site/../README.md",
            "/_/01/09520123456788/linkset.json",
            "/%2e%2e/README.md",
        ] {
            assert!(send(&web.address, &Ask::get(outside)).status >= 400, "{name} {outside}");
        }
    }
}

/// Issue 33, point 4: the files are of one state of the store, whatever is written meanwhile.
#[test]
fn the_files_are_of_one_state() {
    const KEYS: u32 = 300; // more than are read at once
    let sandbox = Sandbox::new();
    let generation = |generation: u32| -> String {
        let target = format!("https://example.com/{generation}");
        (0..KEYS).map(|n| record(&format!("/01/{}", gtin(n)), &target) + "\n").collect()
    };
    let files = [0, 1].map(|n| sandbox.write(&format!("{n}.jsonl"), &generation(n)));
    let (data, site) = (sandbox.data(), sandbox.path("site"));
    let import = |file: &Path| {
        let words = ["import", "--format", "json", "--data"].map(str::as_ref);
        run(words.into_iter().chain([data.as_os_str(), file.as_os_str()])).expect_status(0);
    };
    import(&files[0]);
    // Each import replaces all records in one transaction.
    let exported = thread::scope(|scope| {
        let exporting = scope.spawn(|| {
            let export = ["export", "--static"].map(str::as_ref);
            let place = [site.as_os_str(), "--data".as_ref(), data.as_os_str()];
            run(export.into_iter().chain(place)).expect_status(0)
        });
        let mut imports = 0;
        while !exporting.is_finished() {
            imports += 1;
            import(&files[imports % 2]);
        }
        assert!(imports > 1, "the export has a writer beside it");
        exporting.join().unwrap()
    });
    assert!(exported.stdout.contains("300 levels and 600 redirects"), "{exported:?}");
    let mut targets: Vec<String> = Vec::new();
    for number in 0..KEYS {
        let linkset = site.join(format!("site/01/{}/linkset.json", gtin(number)));
        let linkset: Value = serde_json::from_slice(&fs::read(linkset).unwrap()).unwrap();
        let target = &linkset["linkset"][0]["https://ref.gs1.org/voc/defaultLink"][0]["href"];
        targets.push(target.as_str().unwrap_or_else(|| panic!("{linkset}")).to_owned());
    }
    targets.dedup();
    assert_eq!(targets.len(), 1, "{targets:?}");
    let scratch = fs::read_dir(&data).unwrap().filter(|it| it.as_ref().unwrap().path().is_dir());
    assert_eq!(scratch.count(), 0, "the copy is deleted");
}

/// 36.1: a static site is for everyone: it has no link that only some roles may see, and nothing
/// that shows that there is one: no file of a level, no link type, no language.
#[test]
fn a_static_site_is_what_everyone_sees() {
    let sandbox = Sandbox::new();
    let roles = "resolver_root = \"https://id.example.org\"\nroles = [{ name = \"recycler\" }]\n";
    let config = sandbox.path("fingerpost.toml");
    fs::write(&config, roles).unwrap();
    let restricted = |link_type: &str, path: &str, language: &str| {
        let mut link = link(link_type, &format!("https://example.com/{path}"), &[language]);
        link["access"] = json!(["recycler"]);
        link
    };
    let tea = json!({"anchor": TEA, "links": [
        link("gs1:defaultLink", "https://example.com/p", &[]),
        link("gs1:pip", "https://example.com/p", &[]),
        restricted("gs1:certificationInfo", "secret", "sw")]});
    let lot = json!({"anchor": format!("{TEA}/10/SECRETLOT"),
        "links": [restricted("gs1:pip", "secret-lot", "sw")]});
    let file = sandbox.path("records.jsonl");
    fs::write(&file, format!("{tea}\n{lot}\n")).unwrap();
    let (data, site) = (sandbox.path("data"), sandbox.path("site"));
    let [config, data, site, file] =
        [&config, &data, &site, &file].map(|path| path.to_str().unwrap());
    run(["import", "--config", config, "--data", data, file]).expect_status(0);
    run(["export", "--config", config, "--data", data, "--static", site]).expect_status(0);
    let mut folders = vec![sandbox.path("site")];
    let mut files = 0;
    while let Some(folder) = folders.pop() {
        for file in fs::read_dir(folder).unwrap() {
            let path = file.unwrap().path();
            let name = path.to_string_lossy().into_owned();
            assert!(!name.contains("SECRET"), "{name}");
            if path.is_dir() {
                folders.push(path);
                continue;
            }
            files += 1;
            let text = String::from_utf8_lossy(&fs::read(&path).unwrap()).to_lowercase();
            for wrong in ["secret", "certificationinfo", "~*^sw", "\"sw\"", "recycler"] {
                assert!(!text.contains(wrong), "{name} has {wrong}");
            }
        }
    }
    assert!(files > 3, "the level of the public record");
}
