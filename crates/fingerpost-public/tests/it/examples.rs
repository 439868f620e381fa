//! Every case of `testdata/resolver-examples.json` through the router, in process.
//!
//! The cases name the requirements of GS1-Conformant Resolver 1.2.0 that they show; the transport
//! rows are also tested one by one in the neighbouring files.

use crate::support::mixed_store;

use fingerpost_public::{Config, Router};
use fingerpost_resolver::Rules;
use fingerpost_testkit::{Answer, Ask, Case, all_cases, faults_by, judge, store_with, unavailable};
use http_body_util::BodyExt;

#[test]
fn all_resolve_cases_pass_in_process() {
    let mut failed = Vec::new();
    let mut passed = 0;
    for case in all_cases() {
        if case.ask().is_none() {
            continue;
        }
        let faults = run(&case);
        if faults.is_empty() {
            passed += 1;
        } else {
            failed.push(format!("{} {}\n    {}", case.id, case.title, faults.join("\n    ")));
        }
    }
    assert!(
        failed.is_empty(),
        "{} of {} failed:\n{}",
        failed.len(),
        failed.len() + passed,
        failed.join("\n")
    );
    assert_eq!(passed, 349, "a case less than there was");
}

// RES-2.10-3: our schema is narrower than GS1's, so this can only fail where ours is wrong.
#[test]
#[ignore = "needs GS1's linkset schema: run .ci/compare"]
fn linksets_compared_with_the_schema_of_gs1() {
    let folder = std::env::var("FINGERPOST_REFERENCES").expect("set by .ci/compare");
    let path = std::path::Path::new(&folder).join("gs1-linkset-schema.json");
    let schema = std::fs::read(path).expect("the schema");
    let mut compared = 0;
    for case in all_cases() {
        let Some(ask) = case.ask().filter(|_| !case.store_fails()) else { continue };
        let answer = send(&router(&case), &ask);
        if answer.header("content-type").is_some_and(|found| found.contains("linkset+json")) {
            let document = answer.json().unwrap_or_default();
            if !document.is_null() {
                assert_eq!(faults_by(&schema, &document), [""; 0], "{}", case.id);
                compared += 1;
            }
        }
    }
    let config =
        Config::from_toml("resolver_root = \"https://id.example.org\"").expect("a configuration");
    let mixed = Router::new(config, mixed_store());
    for level in ["/01/09520123456788", "/01/09520123456788/10/ABC123", "/01/09520123456788/21/150"]
    {
        let ask = Ask::get(level).header("Accept", "application/linkset+json");
        let document = send(&mixed, &ask).json().expect("a linkset");
        assert_eq!(faults_by(&schema, &document), [""; 0], "{level}");
        compared += 1;
    }
    assert!(compared >= 45, "{compared} linksets");
}

fn run(case: &Case) -> Vec<String> {
    if case.store_fails() {
        return judge_with(case, &Router::new(config(case), unavailable()));
    }
    judge_with(case, &router(case))
}

fn config(case: &Case) -> Config {
    Config::from_toml(&case.config_toml()).unwrap_or_else(|error| panic!("{}: {error}", case.id))
}

fn router(case: &Case) -> Router {
    let config = config(case);
    let settings = config.settings();
    let rules = Rules::new(config.vocabulary())
        .with_resolver_root(settings.root())
        .with_context_values(settings.context_values());
    let store = store_with(&case.stored, &rules);
    Router::new(config, store)
}

fn judge_with(case: &Case, router: &Router) -> Vec<String> {
    let mut send = |ask: &Ask| send(router, ask);
    let answer = send(&case.ask().expect("a resolve case"));
    judge(case, &answer, &mut send)
}

fn send(router: &Router, ask: &Ask) -> Answer {
    let mut request = http::Request::builder().method(ask.method.as_str()).uri(&ask.target);
    for (name, value) in &ask.headers {
        request = request.header(name, value);
    }
    let request = request.body(()).unwrap_or_else(|error| panic!("{}: {error}", ask.target));
    let (parts, body) = router.handle(&request).into_parts();
    let headers = parts.headers.iter().map(|(name, value)| {
        (name.to_string(), String::from_utf8_lossy(value.as_bytes()).into_owned())
    });
    let body = in_memory(body.collect()).to_bytes().to_vec();
    Answer { status: parts.status.as_u16(), headers: headers.collect(), body }
}

/// The body is in memory, so collecting it never waits.
fn in_memory<T, E: std::fmt::Debug>(future: impl Future<Output = Result<T, E>>) -> T {
    let mut future = std::pin::pin!(future);
    let mut context = std::task::Context::from_waker(std::task::Waker::noop());
    match future.as_mut().poll(&mut context) {
        std::task::Poll::Ready(result) => result.expect("a body in memory"),
        std::task::Poll::Pending => panic!("a body in memory does not wait"),
    }
}
