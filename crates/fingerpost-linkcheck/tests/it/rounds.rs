//! What a round checks, how often, and what it leaves in the store.

use std::net::IpAddr;
use std::sync::atomic::{AtomicUsize, Ordering::SeqCst};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use fingerpost_gs1::EntityKey;
use fingerpost_http::{AddressGuard, Outgoing};
use fingerpost_linkcheck::{LinkOptions, LinkRange, Round, RoundError};
use fingerpost_registry::{Conditions, LinkFault, LinkState, Mismatch};

use crate::support::*;

/// The key of a product by its number.
fn product(number: usize) -> String {
    let digits = format!("0950600{number:06}");
    let sum: u32 = digits
        .bytes()
        .rev()
        .zip([3, 1].iter().cycle())
        .map(|(digit, weight)| u32::from(digit - b'0') * weight)
        .sum();
    format!("/01/{digits}{}", (10 - sum % 10) % 10)
}

#[test]
fn answers_are_noted_with_redirects_media_type_and_language() {
    let site = Site::fixed(&[
        ("HEAD /old", "301 Moved\r\nLocation: new?x=1#part"),
        ("HEAD /new?x=1", "405 Method Not Allowed"),
        (
            "GET /new?x=1",
            "200 OK\r\nContent-Type: text/html; charset=utf-8\r\nContent-Language: fr, de-CH",
        ),
        ("HEAD /gone", "410 Gone"),
        ("HEAD /members", "403 Forbidden"),
        ("GET /members", "403 Forbidden"),
    ]);
    let health = health(&site.url("/old"));
    assert_eq!(health.state, LinkState::Ok);
    let answer = &health.answer;
    assert_eq!((answer.status, answer.redirects), (Some(200), 1));
    assert_eq!(answer.final_url, Some(site.url("/new?x=1")));
    assert_eq!(answer.media_type.as_deref(), Some("text/html; charset=utf-8"));
    assert_eq!(answer.languages, ["fr", "de-CH"]);
    assert_eq!(site.requests(), ["HEAD /old", "HEAD /new?x=1", "GET /new?x=1"]);
    let agent = site.heads()[0].to_lowercase();
    assert!(
        agent.contains(&format!("(+{ROOT})"))
            && agent.contains("user-agent: fingerpost-linkcheck/")
    );
    let gone = crate::support::health(&site.url("/gone"));
    assert_eq!((gone.state, gone.answer.fault), (LinkState::Failing, Some(LinkFault::Status)));
    // A page that wants a login may work for those who have one.
    assert_eq!(crate::support::health(&site.url("/members")).state, LinkState::Unchecked);
}

#[test]
fn promises_of_records_are_compared_with_answers() {
    let site =
        Site::fixed(&[("HEAD /a", "200 OK\r\nContent-Type: text/html\r\nContent-Language: fr")]);
    let registry = registry();
    let link = |kind: &str, media: &str, language: &str| {
        let url = site.url("/a");
        format!(
            r#"{{"linkType":"{kind}","href":"{url}","title":"A","type":"{media}","hreflang":["{language}"]}}"#
        )
    };
    let default =
        format!(r#"{{"linkType":"gs1:defaultLink","href":"{}","title":"A"}}"#, site.url("/a"));
    let links = [
        default,
        link("gs1:pip", "text/html", "fr-CA"),
        link("gs1:instructions", "application/pdf", "fr"),
        link("gs1:faqs", "text/html", "en"),
    ];
    let record = format!(r#"{{"anchor":"/01/09506000134352","links":[{}]}}"#, links.join(","));
    registry.put(&caller(), None, record.as_bytes(), Conditions::none()).unwrap();
    check(&registry, &checker(&options(), guard()));
    let found = crate::support::links(&registry, false).remove(0).links;
    let found: Vec<_> = found.into_iter().map(|link| link.mismatches).collect();
    assert_eq!(found, [vec![], vec![], vec![Mismatch::MediaType], vec![Mismatch::Language]]);
}

#[test]
fn each_target_is_checked_once_for_many_records() {
    let site = Site::fixed(&[("HEAD /a", "200 OK"), ("HEAD /b", "200 OK")]);
    let registry = registry();
    for number in 0..300 {
        put(&registry, &product(number), &[&site.url("/a#x"), &site.url("/b")]);
    }
    let report = check(&registry, &checker(&options(), guard()));
    assert_eq!(report.works, 2);
    let mut requests = site.requests();
    requests.sort();
    assert_eq!(requests, ["HEAD /a", "HEAD /b"]);
    assert_eq!(report.counts.unwrap().ok, 2);
    // Nothing is due until the interval is over.
    let checker = checker(&options(), guard());
    let again =
        Outgoing::runtime().unwrap().block_on(checker.round(&registry, &everything(), |_| {}));
    assert_eq!(again.unwrap().works, 0);
    assert_eq!(site.requests().len(), 2);
}

#[test]
fn broken_links_are_listed_until_they_work_or_their_record_is_gone() {
    let works = Arc::new(AtomicUsize::new(0));
    let now = Arc::clone(&works);
    let site = Site::new(move |line, stream| {
        let is_well = line.ends_with("/well") || now.load(SeqCst) == 1;
        say(stream, if is_well { "200 OK" } else { "404 Not Found" });
    });
    let (registry, checker) = (registry(), checker(&options(), guard()));
    put(&registry, &product(1), &[&site.url("/ill"), &site.url("/well")]);
    put(&registry, &product(2), &[&site.url("/well")]);
    put(&registry, &product(3), &[&site.url("/ill")]);
    check(&registry, &checker);
    assert!(links(&registry, true).is_empty(), "one failure is no alarm");
    let report = check(&registry, &checker);
    assert_eq!((report.fails, report.counts.unwrap().broken), (1, 1));
    let broken = links(&registry, true);
    let keys: Vec<_> = broken.iter().map(|level| format!("/{}", level.key)).collect();
    assert_eq!(keys, [product(1), product(3)]);
    assert!(broken.iter().all(|level| level.broken_since.is_some()));
    assert!(broken[0].links.iter().all(|link| link.href == site.url("/ill")));
    let all = links(&registry, false);
    assert_eq!(all.iter().filter(|level| level.broken_since.is_some()).count(), 2);
    // A record without the link is not listed, even before the next round.
    put(&registry, &product(3), &[&site.url("/well")]);
    assert_eq!(links(&registry, true).len(), 1);
    // Checks of some records only leave the others.
    let one = |number| LinkRange { prefix: product(number)[1..].to_owned(), to: None };
    let round = |range| Round { ranges: vec![range], since: Some(registry.now()), holder: None };
    works.store(1, SeqCst);
    Outgoing::runtime()
        .unwrap()
        .block_on(checker.round(&registry, &round(one(2)), |_| {}))
        .unwrap();
    assert_eq!(links(&registry, true).len(), 1);
    Outgoing::runtime()
        .unwrap()
        .block_on(checker.round(&registry, &round(one(1)), |_| {}))
        .unwrap();
    assert!(links(&registry, true).is_empty());
    let health = links(&registry, false)[0].links[0].health.clone().unwrap();
    let history: Vec<_> = health.history.iter().map(|past| past.state).collect();
    assert_eq!(history, [LinkState::Broken, LinkState::Failing]);
}

/// PE-18: the address without a lot, which no scan is led to, is not requested.
#[test]
fn templates_are_checked_with_values_that_occur() {
    let site = Site::new(|_, stream| say(stream, "200 OK"));
    let registry = registry();
    let key = product(1);
    put(&registry, &key, &[&site.url("/{01}/{10}")]);
    put(&registry, &format!("{key}/10/A"), &[&site.url("/lot")]);
    put(&registry, &format!("{key}/-range/10/3/B10/B20"), &[&site.url("/range/{10}")]);
    put(&registry, &format!("{key}/10/B15"), &[&site.url("/lot")]);
    put(&registry, "/gcp/9506000", &[&site.url("/company/{01}")]);
    check(&registry, &checker(&options(), guard()));
    let gtin = EntityKey::parse(&key).unwrap().as_str()[3..].to_owned();
    let mut requests = site.requests();
    requests.sort();
    let expected = [
        format!("HEAD /{gtin}/A"),
        format!("HEAD /{gtin}/B15"),
        format!("HEAD /company/{gtin}"),
        "HEAD /lot".to_owned(),
        "HEAD /range/B10".to_owned(),
        "HEAD /range/B15".to_owned(),
        "HEAD /range/B20".to_owned(),
    ];
    assert_eq!(requests, expected);
}

#[test]
fn robots_txt_is_obeyed_and_read_once_for_a_host() {
    let site = Site::new(|line, stream| match line {
        "GET /robots.txt" => {
            use std::io::Write;
            let rules = "User-agent: *\nDisallow: /private";
            let _ =
                write!(stream, "HTTP/1.1 200 OK\r\nContent-Length: {}\r\n\r\n{rules}", rules.len());
        }
        "HEAD /to-private" => say(stream, "302 Found\r\nLocation: /private/x"),
        _ => say(stream, "200 OK"),
    });
    let registry = registry();
    let targets = ["/private/a", "/to-private", "/open"].map(|path| site.url(path));
    put(&registry, &product(1), &targets.each_ref().map(String::as_str));
    let report = check(&registry, &checker(&options(), guard()));
    assert_eq!((report.works, report.undecided, report.fails), (1, 2, 0));
    let mut requests = site.requests();
    requests.sort();
    assert_eq!(requests, ["HEAD /open", "HEAD /to-private"]);
    assert_eq!(site.heads().len() - requests.len(), 1, "robots.txt is read once");
}

/// RFC 9309 section 2.3.1.4: without an answer to it, everything is disallowed.
#[test]
fn without_an_answer_to_robots_txt_nothing_else_is_requested() {
    let site = Site::new(|line, stream| match line {
        "GET /robots.txt" => std::thread::sleep(Duration::from_secs(3)), // longer than the limit
        _ => say(stream, "200 OK"),
    });
    let registry = registry();
    put(&registry, &product(1), &[&site.url("/page")]);
    let report = check(&registry, &checker(&impatient(), guard()));
    assert_eq!((report.works, report.fails), (0, 1));
    assert!(site.requests().is_empty() && site.heads().len() == 1, "{:?}", site.heads());
}

#[test]
fn hosts_have_few_checks_at_a_time_with_pauses() {
    let (running, most) = (Arc::new(AtomicUsize::new(0)), Arc::new(AtomicUsize::new(0)));
    let (times, counted) = (Arc::new(Mutex::new(Vec::new())), Arc::clone(&most));
    let noted = Arc::clone(&times);
    let site = Site::new(move |_, stream| {
        noted.lock().unwrap().push(Instant::now());
        counted.fetch_max(running.fetch_add(1, SeqCst) + 1, SeqCst);
        std::thread::sleep(Duration::from_millis(60));
        running.fetch_sub(1, SeqCst);
        say(stream, "200 OK");
    });
    let registry = registry();
    let targets: Vec<_> = (0..10).map(|number| site.url(&format!("/{number}"))).collect();
    put(&registry, &product(1), &targets.iter().map(String::as_str).collect::<Vec<_>>());
    let options = LinkOptions { host_pause: "20ms".parse().unwrap(), ..options() };
    assert_eq!(check(&registry, &checker(&options, guard())).works, 10);
    assert!(most.load(SeqCst) <= 2, "{}", most.load(SeqCst));
    let times = times.lock().unwrap();
    let all = *times.last().unwrap() - times[0];
    assert!(all >= Duration::from_millis(20 * 9), "{all:?}");
}

#[test]
fn a_host_that_asks_for_time_or_does_not_answer_is_left_alone() {
    let busy = Site::new(|line, stream| match line.ends_with("/robots.txt") {
        true => say(stream, "404 Not Found"),
        false => say(stream, "429 Too Many Requests\r\nRetry-After: 7200"),
    });
    let registry = registry();
    let targets: Vec<_> = (0..20).map(|number| busy.url(&format!("/{number}"))).collect();
    put(&registry, &product(1), &targets.iter().map(String::as_str).collect::<Vec<_>>());
    let asked = Arc::new(AtomicUsize::new(0));
    let count = Arc::clone(&asked);
    // Port 1 refuses connections.
    let targets: Vec<_> = (0..20).map(|number| format!("http://dead.example:1/{number}")).collect();
    put(&registry, &product(2), &targets.iter().map(String::as_str).collect::<Vec<_>>());
    let guard = AddressGuard::new(vec!["127.0.0.1".parse().unwrap()]).with_names(move |name| {
        count.fetch_add(usize::from(name == "dead.example"), SeqCst);
        vec![IpAddr::from([127, 0, 0, 1])]
    });
    let report = check(&registry, &checker(&options(), guard));
    assert_eq!((report.later, report.fails), (20, 20));
    assert!(busy.requests().len() <= 2, "{:?}", busy.requests());
    assert!(asked.load(SeqCst) <= 5, "{}", asked.load(SeqCst));
    for level in links(&registry, false) {
        for health in level.links.iter().filter_map(|link| link.health.as_ref()) {
            let pause = health.due.duration_since(health.checked).as_hours();
            let is_dead = health.target.contains("dead");
            let expected =
                if is_dead { (LinkState::Failing, 1) } else { (LinkState::Unchecked, 2) };
            assert_eq!((health.state, pause), expected, "{}", health.target);
        }
    }
}

#[test]
fn one_process_of_a_store_makes_rounds() {
    let (registry, checker) = (registry(), checker(&options(), guard()));
    let round = |holder: &str| {
        let round = Round { holder: Some(holder.to_owned()), ..everything() };
        Outgoing::runtime().unwrap().block_on(checker.round(&registry, &round, |_| {}))
    };
    assert!(round("a").is_ok());
    assert!(matches!(round("b"), Err(RoundError::Elsewhere)));
    assert!(round("a").is_ok());
}

#[test]
fn a_round_that_is_cut_off_continues_where_it_was() {
    let site = Site::new(|line, stream| {
        if line.ends_with("/slow") {
            std::thread::sleep(Duration::from_secs(30));
        }
        say(stream, "200 OK");
    });
    let registry = registry();
    let targets: Vec<_> = (0..50).map(|number| site.url(&format!("/{number}"))).collect();
    put(&registry, &product(1), &targets.iter().map(String::as_str).collect::<Vec<_>>());
    put(&registry, &product(2), &[&site.url("/slow")]);
    let options = LinkOptions { timeout: "20s".parse().unwrap(), ..options() };
    let checker = checker(&options, guard());
    let all = everything();
    Outgoing::runtime().unwrap().block_on(async {
        let mut round = std::pin::pin!(checker.round(&registry, &all, |_| {}));
        tokio::select! {
            _ = &mut round => panic!("the round waits for a slow host"),
            () = tokio::time::sleep(Duration::from_secs(7)) => {}
        }
    });
    let checked =
        || links(&registry, false)[0].links.iter().filter(|link| link.health.is_some()).count();
    assert_eq!(checked(), 51, "what was found is saved every few seconds");
    let due = registry.due_links("", None, None, None).unwrap();
    assert_eq!(due.targets, [site.url("/slow")]);
}
