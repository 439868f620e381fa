//! A browser for one test: started, watched for errors, photographed, ended. Blocking, because a
//! test does one thing after the other.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use fingerpost_testkit::{Browser as Driver, ELEMENT, PATIENCE, skipped};
use serde_json::{Value, json};

/// What the person at the screen has.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Person {
    width: u32,
    height: u32,
    is_phone: bool,
    languages: &'static str,
    is_dark: bool,
}

impl Person {
    pub(crate) const AT_A_DESK: Self =
        Self { width: 1280, height: 900, is_phone: false, languages: "en", is_dark: false };
    pub(crate) const WITH_A_PHONE: Self =
        Self { width: 360, height: 740, is_phone: true, ..Self::AT_A_DESK };

    /// What goes into `Accept-Language`.
    pub(crate) const fn reading(self, languages: &'static str) -> Self {
        Self { languages, ..self }
    }

    pub(crate) const fn in_the_dark(self) -> Self {
        Self { is_dark: true, ..self }
    }
}

/// One browser with one window.
pub(crate) struct Browser {
    driver: Driver,
    name: &'static str,
    pictures: u32,
}

impl Browser {
    /// A browser for the test `name`, or `None`, reported on the terminal, where there is none.
    ///
    /// # Panics
    /// Where `CI` is set and there is none.
    pub(crate) fn open(name: &'static str, person: Person) -> Option<Self> {
        let arguments = [
            format!("--accept-lang={}", person.languages),
            format!("--window-size={},{}", person.width, person.height),
        ];
        let mut options = json!({});
        if person.is_phone {
            let (width, height) = (person.width, person.height);
            let metrics =
                json!({ "width": width, "height": height, "pixelRatio": 2.0, "touch": true });
            options["mobileEmulation"] = json!({ "deviceMetrics": metrics });
        }
        let driver = Driver::start(name, &arguments, &options)?;
        let browser = Self { driver, name, pictures: 0 };
        if person.is_dark {
            let features = json!([{"name": "prefers-color-scheme", "value": "dark"}]);
            let command =
                json!({"cmd": "Emulation.setEmulatedMedia", "params": {"features": features}});
            browser.post("/goog/cdp/execute", &command);
        }
        Some(browser)
    }

    /// Goes to an address.
    pub(crate) fn go(&self, url: &str) {
        self.post("/url", &json!({ "url": url }));
    }

    /// Runs a function body in the page and gives what it returns.
    pub(crate) fn script(&self, body: &str) -> Value {
        self.post("/execute/sync", &json!({ "script": body, "args": [] }))
    }

    /// The first element that a CSS selector finds and that can be seen; waits for it.
    #[track_caller]
    pub(crate) fn find(&self, selector: &str) -> Element<'_> {
        let id = wait_for(|| {
            let wanted = json!({ "using": "css selector", "value": selector });
            let found = self.driver.post("/elements", &wanted).ok()?;
            let ids = found.as_array()?.iter().filter_map(|one| one[ELEMENT].as_str());
            let is_seen =
                |id: &&str| self.driver.get(&format!("/element/{id}/displayed")) == Ok(json!(true));
            ids.map(str::to_owned).find(|id| is_seen(&id.as_str()))
        });
        let Some(id) = id else {
            panic!("nothing to be seen at `{selector}`: {}", self.page_text())
        };
        Element { browser: self, id }
    }

    /// Waits until the page shows a text; patience begins again when the page changes, such as a
    /// figure of progress.
    #[track_caller]
    pub(crate) fn wait_for_text(&self, text: &str) {
        let (start, mut shown) = (Instant::now(), self.page_text());
        while !shown.contains(text) {
            let before = shown;
            let changed = wait_for(|| Some(self.page_text()).filter(|now| *now != before));
            let changed = changed.filter(|_| start.elapsed() < 5 * PATIENCE);
            shown = changed.unwrap_or_else(|| panic!("expected to read {text:?}, found: {before}"));
        }
    }

    /// Waits until a script gives true. An element that is not drawn yet is no error.
    #[track_caller]
    pub(crate) fn wait_until(&self, what: &str, body: &str) {
        self.wait_until_after(what, || {}, body);
    }

    /// The same; each look at the page comes after a step.
    #[track_caller]
    pub(crate) fn wait_until_after(&self, what: &str, step: impl Fn(), body: &str) {
        let body = format!("try {{ {body} }} catch {{ return false; }}");
        let holds = wait_for(|| {
            step();
            (self.script(&body) == json!(true)).then_some(())
        });
        assert!(holds.is_some(), "{what}: {}", self.page_text());
    }

    /// All text that can be read.
    pub(crate) fn page_text(&self) -> String {
        self.script("return document.body ? document.body.innerText : ''")
            .as_str()
            .unwrap_or("")
            .to_owned()
    }

    /// Types into whatever has the focus, as a keyboard does.
    pub(crate) fn press(&self, keys: impl AsRef<str>) {
        let presses: Vec<_> = keys
            .as_ref()
            .chars()
            .flat_map(|key| ["keyDown", "keyUp"].map(|how| json!({ "type": how, "value": key })))
            .collect();
        let keyboard = json!({ "type": "key", "id": "keyboard", "actions": presses });
        self.post("/actions", &json!({ "actions": [keyboard] }));
    }

    /// What has the focus, as `tag#id` with its accessible name.
    pub(crate) fn focused(&self) -> String {
        let body = "const e = document.activeElement; if (!e) return ''; \
             const label = e.labels && e.labels[0] ? e.labels[0].innerText : ''; \
             return e.tagName.toLowerCase() + (e.id ? '#' + e.id : '') + ' ' \
               + (e.getAttribute('aria-label') || label || e.innerText || e.name || '').slice(0, 60)";
        self.script(body).as_str().unwrap_or("").to_owned()
    }

    /// Keeps a picture of the window under `target/screenshots` if `KEEP_SCREENSHOTS` is set: no
    /// test looks at it, and drawing it takes longer than many steps.
    pub(crate) fn picture(&mut self, what: &str) {
        self.pictures += 1;
        if std::env::var_os("KEEP_SCREENSHOTS").is_none() {
            return;
        }
        let folder = target_folder().join("screenshots");
        fs::create_dir_all(&folder).expect("a folder for pictures");
        let file = folder.join(format!("{}-{:02}-{what}.png", self.name, self.pictures));
        fs::write(&file, self.screenshot()).expect("the folder can be written");
    }

    /// What the window shows, as PNG.
    pub(crate) fn screenshot(&self) -> Vec<u8> {
        let picture = STANDARD.decode(self.get("/screenshot").as_str().expect("a picture as text"));
        picture.expect("it is base64")
    }

    /// Gives the page exactly this much room, without scroll bars, so that pictures have the same
    /// size everywhere.
    pub(crate) fn fit(&self, width: u32, height: u32, scale: u32) {
        let metrics = json!({ "width": width, "height": height, "deviceScaleFactor": scale, "mobile": false });
        for (command, parameters) in [
            ("Emulation.setDeviceMetricsOverride", metrics),
            ("Emulation.setScrollbarsHidden", json!({ "hidden": true })),
        ] {
            self.post("/goog/cdp/execute", &json!({ "cmd": command, "params": parameters }));
        }
    }

    /// Fails on anything the browser complained of: script errors, refused content, failed
    /// requests.
    #[track_caller]
    pub(crate) fn expect_no_complaints(&self) {
        self.expect_no_complaints_but(&[]);
    }

    /// As [`Browser::expect_no_complaints`], but for lines that hold one of these.
    #[track_caller]
    pub(crate) fn expect_no_complaints_but(&self, expected: &[&str]) {
        let log = self.post("/se/log", &json!({ "type": "browser" }));
        let is_bad = |entry: &&Value, message: &str| {
            entry["level"] == "SEVERE" || message.contains("Content Security Policy")
        };
        let bad: Vec<_> = log
            .as_array()
            .expect("a list of entries")
            .iter()
            .map(|entry| (entry, entry["message"].as_str().unwrap_or_default()))
            .filter(|(entry, message)| is_bad(entry, message))
            .filter(|(_, message)| !expected.iter().any(|known| message.contains(known)))
            .map(|(_, message)| message)
            .collect();
        assert!(bad.is_empty(), "{bad:#?}");
    }

    /// Fails when the page can be moved sideways.
    #[track_caller]
    pub(crate) fn expect_no_sideways_scrolling(&self) {
        let body = "const d = document.documentElement; return [d.scrollWidth, d.clientWidth]";
        let widths = self.script(body);
        assert!(widths[0].as_u64() <= widths[1].as_u64(), "wider than the window: {widths}");
    }

    /// Fails on whatever axe-core finds by the rules of WCAG 2.2 A and AA, and by its own.
    #[track_caller]
    pub(crate) fn expect_accessible(&self) {
        let Some(axe) = axe_source() else { return };
        self.wait_until(
            "the page is drawn",
            "return !!document.querySelector('h1') && !document.querySelector('main[aria-busy]')",
        );
        // It stays while the page does.
        if self.script("return !!window.axe") != true {
            self.script(&axe);
        }
        let body = "const done = arguments[arguments.length - 1]; \
             const tags = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice']; \
             axe.run(document, {runOnly: tags, resultTypes: ['violations']}).then(r => done(r.violations.map(v => \
               [v.impact, v.id, v.help, v.nodes.slice(0, 3).map(n => n.html + ' ' + n.failureSummary)])), \
               e => done([['critical', 'axe', String(e), []]]))";
        let findings = self.post("/execute/async", &json!({ "script": body, "args": [] }));
        assert_eq!(findings, json!([]), "{findings:#}");
    }

    /// Forgets all cookies, as if a session had ended.
    pub(crate) fn forget_cookies(&self) {
        if let Err(why) = self.driver.delete("/cookie") {
            panic!("{}: {why}", self.name);
        }
    }

    #[track_caller]
    fn post(&self, command: &str, body: &Value) -> Value {
        match self.driver.post(command, body) {
            Ok(value) => value,
            Err(why) => panic!("{}: {command}: {why}", self.name),
        }
    }

    #[track_caller]
    fn get(&self, command: &str) -> Value {
        match self.driver.get(command) {
            Ok(value) => value,
            Err(why) => panic!("{}: {command}: {why}", self.name),
        }
    }
}

/// An element of the page.
pub(crate) struct Element<'b> {
    browser: &'b Browser,
    id: String,
}

impl Element<'_> {
    /// Clicks it, in the middle of the window: what sticks to the edges covers nothing there.
    #[track_caller]
    pub(crate) fn click(&self) {
        let element = json!({ ELEMENT: self.id });
        let script = "arguments[0].scrollIntoView({block: 'center', behavior: 'instant'})";
        self.browser.post("/execute/sync", &json!({ "script": script, "args": [element] }));
        self.command("click", &json!({}));
    }

    /// Replaces what a field holds.
    #[track_caller]
    pub(crate) fn fill(&self, text: &str) {
        self.command("clear", &json!({}));
        self.type_in(text);
    }

    /// Adds to what a field holds; for file fields the path.
    #[track_caller]
    pub(crate) fn type_in(&self, text: &str) {
        self.command("value", &json!({ "text": text }));
    }

    /// Chooses the option of a select by its value.
    #[track_caller]
    pub(crate) fn choose(&self, value: &str) {
        let wanted =
            json!({ "using": "css selector", "value": format!("option[value='{value}']") });
        let option = self.command("element", &wanted);
        let id = option[ELEMENT].as_str().expect("an element").to_owned();
        Element { browser: self.browser, id }.command("click", &json!({}));
    }

    #[track_caller]
    fn command(&self, command: &str, body: &Value) -> Value {
        self.browser.post(&format!("/element/{}/{command}", self.id), body)
    }
}

/// Looks until there is something, or patience ends.
fn wait_for<T>(look: impl Fn() -> Option<T>) -> Option<T> {
    let start = Instant::now();
    // Each look is work for three processes: what is not there soon is looked for less often.
    let mut pause = Duration::from_millis(10);
    loop {
        let found = look();
        if found.is_some() || start.elapsed() > PATIENCE {
            return found;
        }
        std::thread::sleep(pause);
        pause = (pause * 2).min(Duration::from_millis(200));
    }
}

/// The folder of built things.
fn target_folder() -> PathBuf {
    Path::new(env!("CARGO_TARGET_TMPDIR")).parent().expect("it lies in target").to_owned()
}

/// The script of axe-core, brought by npm once; `None`, reported on the terminal, where there is no
/// npm.
fn axe_source() -> Option<String> {
    static AXE: std::sync::OnceLock<Option<String>> = std::sync::OnceLock::new();
    AXE.get_or_init(|| {
        let folder = target_folder().join("browser-tests");
        let script = folder.join("node_modules/axe-core/axe.min.js");
        if !script.exists()
            && let Err(why) = bring_axe(&folder)
        {
            skipped("the accessibility checks", &format!("axe-core cannot be installed ({why})"));
            return None;
        }
        Some(fs::read_to_string(&script).expect("npm brought it"))
    })
    .clone()
}

fn bring_axe(folder: &Path) -> Result<(), String> {
    let say = |error: std::io::Error| error.to_string();
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/it/browser");
    fs::create_dir_all(folder).map_err(say)?;
    for file in ["package.json", "package-lock.json"] {
        fs::copy(source.join(file), folder.join(file)).map_err(say)?;
    }
    let ran = Command::new("npm")
        .args(["ci", "--ignore-scripts", "--silent"])
        .current_dir(folder)
        .output();
    let output = ran.map_err(|error| format!("npm: {error}"))?;
    if output.status.success() {
        Ok(())
    } else {
        Err(String::from_utf8_lossy(&output.stderr).into_owned())
    }
}
