//! A browser for one test: started, watched for errors, photographed, ended. Blocking, because a test does one
//! thing after the other.

use std::fs;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use thirtyfour::common::capabilities::chromium::ChromiumLikeCapabilities;
use thirtyfour::{By, DesiredCapabilities, LoggingPrefsLogLevel, WebDriver, WebElement};
use tokio::runtime::{self, Runtime};

/// How long anything on a page may take before the test gives up.
const PATIENCE: Duration = Duration::from_secs(20);

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
    runtime: Runtime,
    driver: WebDriver,
    name: &'static str,
    pictures: u32,
    // The last to go: the driver process, then its profile.
    _process: DriverProcess,
    _profile: tempfile::TempDir,
}

impl Browser {
    /// A browser for the test `name`, or `None`, told aloud, where there is none.
    ///
    /// # Panics
    /// Where `CI` is set and there is none.
    pub(crate) fn open(name: &'static str, person: Person) -> Option<Self> {
        let missing =
            ["chromedriver", "chromium"].into_iter().find(|program| installed(program).is_none());
        if let Some(program) = missing {
            assert!(std::env::var_os("CI").is_none(), "{program} is missing: .ci/run installs it");
            eprintln!(
                "SKIPPED {name}: {program} is not installed (Debian: chromium chromium-driver)"
            );
            return None;
        }
        let profile = tempfile::tempdir().expect("a temporary directory");
        let process = DriverProcess::start();
        let runtime =
            runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
        let driver = runtime.block_on(async {
            let url = format!("http://127.0.0.1:{}", process.port);
            let driver = WebDriver::new(url, capabilities(person, profile.path())).await;
            let driver = driver.expect("chromedriver starts the browser");
            if person.is_dark {
                let dark = json!([{"name": "prefers-color-scheme", "value": "dark"}]);
                let media = json!({ "features": dark });
                driver
                    .cdp()
                    .send_raw("Emulation.setEmulatedMedia", media)
                    .await
                    .expect("dark mode");
            }
            driver
        });
        Some(Self { runtime, driver, name, pictures: 0, _process: process, _profile: profile })
    }

    /// Goes to an address.
    pub(crate) fn go(&self, url: &str) {
        self.run(self.driver.goto(url));
    }

    /// Runs a function body in the page and gives what it returns.
    pub(crate) fn script(&self, body: &str) -> Value {
        self.run(self.driver.execute(body, Vec::new())).json().clone()
    }

    /// The first element that a CSS selector finds and that can be seen; waits for it.
    #[track_caller]
    pub(crate) fn find(&self, selector: &str) -> Element<'_> {
        let element = wait_for(|| {
            let found = self.runtime.block_on(self.driver.find_all(By::Css(selector))).ok()?;
            found.into_iter().find(|one| self.runtime.block_on(one.is_displayed()).unwrap_or(false))
        });
        let Some(element) = element else {
            panic!("nothing to be seen at `{selector}`: {}", self.page_text())
        };
        Element { browser: self, element }
    }

    /// Waits until the page shows a text.
    #[track_caller]
    pub(crate) fn wait_for_text(&self, text: &str) {
        let seen = wait_for(|| self.page_text().contains(text).then_some(()));
        assert!(seen.is_some(), "expected to read {text:?}, found: {}", self.page_text());
    }

    /// Waits until a script gives true.
    #[track_caller]
    pub(crate) fn wait_until(&self, what: &str, body: &str) {
        let holds = wait_for(|| (self.script(body) == json!(true)).then_some(()));
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
        self.run(self.driver.action_chain().send_keys(keys.as_ref()).perform());
    }

    /// What has the focus, as `tag#id` with its accessible name.
    pub(crate) fn focused(&self) -> String {
        let body = "const e = document.activeElement; if (!e) return ''; \
             const label = e.labels && e.labels[0] ? e.labels[0].innerText : ''; \
             return e.tagName.toLowerCase() + (e.id ? '#' + e.id : '') + ' ' \
               + (e.getAttribute('aria-label') || label || e.innerText || e.name || '').slice(0, 60)";
        self.script(body).as_str().unwrap_or("").to_owned()
    }

    /// Keeps a picture of the window under `target/screenshots`.
    pub(crate) fn picture(&mut self, what: &str) {
        self.pictures += 1;
        let folder = target_folder().join("screenshots");
        fs::create_dir_all(&folder).expect("a folder for pictures");
        let file = folder.join(format!("{}-{:02}-{what}.png", self.name, self.pictures));
        self.run(self.driver.screenshot(&file));
    }

    /// Fails on anything the browser complained of: script errors, refused content, failed requests.
    #[track_caller]
    pub(crate) fn expect_no_complaints(&self) {
        self.expect_no_complaints_but(&[]);
    }

    /// As [`Browser::expect_no_complaints`], but for lines that hold one of these.
    #[track_caller]
    pub(crate) fn expect_no_complaints_but(&self, expected: &[&str]) {
        let log = self.run(self.driver.browser_log());
        let bad: Vec<_> = log
            .iter()
            .filter(|entry| {
                entry.level == "SEVERE" || entry.message.contains("Content Security Policy")
            })
            .filter(|entry| !expected.iter().any(|known| entry.message.contains(known)))
            .map(|entry| &entry.message)
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

    /// Fails on anything that axe-core calls serious or critical, or of WCAG 2.2 A and AA at all.
    #[track_caller]
    pub(crate) fn expect_accessible(&self) {
        let Some(axe) = axe_source() else { return };
        self.run(self.driver.execute(axe, Vec::new()));
        let body = "const done = arguments[arguments.length - 1]; \
             const tags = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice']; \
             axe.run(document, {runOnly: tags}).then(r => done(r.violations.map(v => \
               [v.impact, v.id, v.help, v.nodes.slice(0, 3).map(n => n.html + ' ' + n.failureSummary)])), \
               e => done([['critical', 'axe', String(e), []]]))";
        let findings = self.run(self.driver.execute_async(body, Vec::new())).json().clone();
        let serious = |finding: &&Value| finding[0] == "serious" || finding[0] == "critical";
        let findings: Vec<_> =
            findings.as_array().expect("findings").iter().filter(serious).collect();
        assert!(findings.is_empty(), "{findings:#?}");
    }

    /// Forgets all cookies, as if a session had ended.
    pub(crate) fn forget_cookies(&self) {
        self.run(self.driver.delete_all_cookies());
    }

    /// Ends the browser.
    pub(crate) fn close(self) {
        let _ = self.runtime.block_on(self.driver.quit()); // the process is ended after it anyway
    }

    #[track_caller]
    fn run<T>(&self, command: impl Future<Output = thirtyfour::error::WebDriverResult<T>>) -> T {
        match self.runtime.block_on(command) {
            Ok(value) => value,
            Err(error) => panic!("{}: {error}", self.name),
        }
    }
}

/// An element of the page.
pub(crate) struct Element<'b> {
    browser: &'b Browser,
    element: WebElement,
}

impl Element<'_> {
    #[track_caller]
    pub(crate) fn click(&self) {
        self.browser.run(self.element.scroll_into_view());
        self.browser.run(self.element.click());
    }

    /// Replaces what a field holds.
    #[track_caller]
    pub(crate) fn fill(&self, text: &str) {
        self.browser.run(self.element.clear());
        self.browser.run(self.element.send_keys(text));
    }

    /// Adds to what a field holds; for file fields the path.
    #[track_caller]
    pub(crate) fn type_in(&self, text: &str) {
        self.browser.run(self.element.send_keys(text));
    }

    /// Chooses the option of a select by its value.
    #[track_caller]
    pub(crate) fn choose(&self, value: &str) {
        let option = self.element.find(By::Css(format!("option[value='{value}']")));
        self.browser.run(self.browser.run(option).click());
    }
}

/// chromedriver on a port of its own.
struct DriverProcess {
    child: Child,
    port: u16,
}

impl DriverProcess {
    fn start() -> Self {
        let mut child = Command::new("chromedriver")
            .arg("--port=0")
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .expect("chromedriver starts");
        let stdout = child.stdout.take().expect("its output is a pipe");
        let port = BufReader::new(stdout).lines().map_while(Result::ok).find_map(|line| {
            let (_, port) = line.rsplit_once("started successfully on port ")?;
            port.trim_end_matches('.').parse().ok()
        });
        Self { child, port: port.expect("chromedriver names its port") }
    }
}

impl Drop for DriverProcess {
    fn drop(&mut self) {
        let _ = self.child.kill(); // it may have ended
        let _ = self.child.wait();
    }
}

/// Looks until there is something, or patience ends.
fn wait_for<T>(look: impl Fn() -> Option<T>) -> Option<T> {
    let start = Instant::now();
    loop {
        let found = look();
        if found.is_some() || start.elapsed() > PATIENCE {
            return found;
        }
        std::thread::sleep(Duration::from_millis(50));
    }
}

fn capabilities(person: Person, profile: &Path) -> thirtyfour::ChromeCapabilities {
    let mut wanted = DesiredCapabilities::chrome();
    let chromium = installed("chromium").unwrap_or_default();
    let set = |wanted: &mut thirtyfour::ChromeCapabilities| {
        wanted.set_binary(&chromium.to_string_lossy())?;
        wanted.add_arg("--headless=new")?;
        // Containers have no user namespaces for the sandbox; all pages are our own.
        wanted.add_arg("--no-sandbox")?;
        wanted.add_arg("--disable-gpu")?;
        wanted.add_arg("--disable-dev-shm-usage")?;
        wanted.add_arg(&format!("--user-data-dir={}", profile.display()))?;
        wanted.add_arg(&format!("--accept-lang={}", person.languages))?;
        wanted.add_arg(&format!("--window-size={},{}", person.width, person.height))?;
        if person.is_phone {
            let metrics = json!({"width": person.width, "height": person.height, "pixelRatio": 2.0, "touch": true});
            wanted
                .add_experimental_option("mobileEmulation", json!({ "deviceMetrics": metrics }))?;
        }
        wanted.set_browser_log_level(LoggingPrefsLogLevel::All)
    };
    set(&mut wanted).expect("capabilities are JSON");
    wanted
}

fn installed(program: &str) -> Option<PathBuf> {
    let paths = std::env::var_os("PATH").unwrap_or_default();
    std::env::split_paths(&paths).map(|folder| folder.join(program)).find(|path| path.is_file())
}

/// The folder of built things.
fn target_folder() -> PathBuf {
    Path::new(env!("CARGO_TARGET_TMPDIR")).parent().expect("it lies in target").to_owned()
}

/// The script of axe-core, brought by npm once; `None`, told aloud, where there is no npm.
fn axe_source() -> Option<String> {
    static AXE: std::sync::OnceLock<Option<String>> = std::sync::OnceLock::new();
    AXE.get_or_init(|| {
        let folder = target_folder().join("browser-tests");
        let script = folder.join("node_modules/axe-core/axe.min.js");
        if !script.exists()
            && let Err(why) = bring_axe(&folder)
        {
            assert!(std::env::var_os("CI").is_none(), "axe-core cannot be had: {why}");
            eprintln!("SKIPPED the accessibility checks: axe-core cannot be had ({why})");
            return None;
        }
        Some(fs::read_to_string(&script).expect("npm brought it"))
    })
    .clone()
}

fn bring_axe(folder: &Path) -> Result<(), String> {
    let say = |error: std::io::Error| error.to_string();
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/browser");
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
