//! 35.5: receivers that hang, redirect, lead into private networks or answer endlessly.

use std::io::Write;
use std::net::{IpAddr, TcpStream};
use std::sync::atomic::Ordering::SeqCst;
use std::thread;
use std::time::{Duration, Instant};

use fingerpost_http::{AddressGuard, Outgoing};
use fingerpost_registry::{Registry, Webhook};
use fingerpost_webhooks::{Courier, WebhookOptions};

use crate::support::*;

/// The error of the last attempt.
fn last_error(registry: &Registry, hook: &Webhook) -> String {
    let log = registry.webhook_log(&caller(), &hook.id).unwrap();
    let error = log.deliveries.first().and_then(|attempt| attempt.error.clone());
    error.map(|error| error.as_str().to_owned()).unwrap_or_default()
}

/// Hangs until the client gives up.
fn hang(stream: &mut TcpStream) {
    let _ = std::io::Read::read(stream, &mut [0]);
}

/// 35.5: "webhook receivers that hang": one that never answers delays only itself.
#[test]
fn a_receiver_that_hangs_delays_only_itself() {
    let (registry, courier) = (registry(), courier());
    let (hanging, friendly) = (Receiver::new(|_, stream| hang(stream)), Receiver::friendly());
    for _ in 0..3 {
        webhook(&registry, new_webhook(&hanging.url()));
    }
    webhook(&registry, new_webhook(&friendly.url()));
    let began = Instant::now();
    Outgoing::runtime().unwrap().block_on(async {
        let running = courier.run(&registry);
        let watching = async {
            for number in 0..5 {
                put(&registry, KEY, &format!("Tea {number}"));
                while friendly.received().len() <= number {
                    tokio::time::sleep(Duration::from_millis(20)).await;
                    assert!(began.elapsed() < Duration::from_secs(120), "event {number}");
                }
            }
        };
        tokio::select! {
            ended = running => panic!("ended: {ended:?}"),
            () = watching => {}
        }
    });
    assert!(hanging.received().len() >= 3, "all were tried meanwhile");
}

/// 35.5: an attempt ends at its time limit, and is logged.
#[test]
fn a_receiver_that_hangs_is_a_failure() {
    let (registry, courier) = (registry(), impatient());
    let receiver = Receiver::new(|_, stream| hang(stream));
    let (hook, _) = webhook(&registry, new_webhook(&receiver.url()));
    put(&registry, KEY, "Tea");
    deliver(&courier, &registry);
    assert_eq!(last_error(&registry, &hook), "no answer within 1 s");
    assert_eq!(courier.counts().failed.load(SeqCst), 1);
}

/// 35.5: a redirect is not followed, wherever it leads.
#[test]
fn a_redirect_is_a_failure() {
    let (registry, courier) = (registry(), courier());
    let inside = Receiver::friendly();
    let to = format!("307 Temporary Redirect\r\nLocation: {}", inside.url());
    let receiver = Receiver::new(move |_, stream| say(stream, &to));
    let (hook, _) = webhook(&registry, new_webhook(&receiver.url()));
    put(&registry, KEY, "Tea");
    deliver(&courier, &registry);
    assert_eq!((receiver.received().len(), inside.received().len()), (1, 0));
    let error = last_error(&registry, &hook);
    assert_eq!(error, "expected a status of success (2xx), found 307");
}

/// 35.5: addresses of private networks and of this server are refused, by name and by number.
#[test]
fn private_addresses_are_not_reached() {
    let (inside, options) = (Receiver::friendly(), WebhookOptions::default());
    let names = |_: &str| vec![IpAddr::from([127, 0, 0, 1])];
    let port = inside.address.port();
    let plain = AddressGuard::default().with_names(names);
    let own = guard().refusing(vec![inside.address]);
    for (guard, url) in [
        (plain.clone(), inside.url()),
        (plain.clone(), format!("http://127.0.0.1:{port}/")),
        (plain.clone(), format!("http://[::ffff:127.0.0.1]:{port}/")),
        (plain.clone(), format!("http://2130706433:{port}/")),
        (plain, format!("http://169.254.169.254:{port}/latest/meta-data")),
        (own, inside.url()),
    ] {
        let registry = registry();
        let courier = Courier::with_guard(&options, ROOT, guard).unwrap();
        let (hook, _) = webhook(&registry, new_webhook(&url));
        put(&registry, KEY, "Tea");
        deliver(&courier, &registry);
        assert_eq!(inside.received().len(), 0, "{url}");
        assert!(!last_error(&registry, &hook).is_empty(), "{url}");
    }
}

/// 35.5: an endless body is not read.
#[test]
fn an_endless_answer_acknowledges_with_its_head() {
    let (registry, courier) = (registry(), courier());
    let receiver = Receiver::new(|_, stream| {
        let _ = stream.write_all(b"HTTP/1.1 200 OK\r\nContent-Length: 1000000000000\r\n\r\n");
        while stream.write_all(&[b'x'; 65536]).is_ok() {}
    });
    webhook(&registry, new_webhook(&receiver.url()));
    put(&registry, KEY, "Tea");
    put(&registry, KEY, "Green tea");
    deliver(&courier, &registry);
    assert_eq!(courier.counts().delivered.load(SeqCst), 2);
}

/// 35.5: an endless head, and answers that are not HTTP, are failures.
#[test]
fn answers_that_cannot_be_read_are_failures() {
    for answer in [&b"SSH-2.0-OpenSSH_9.6\r\n"[..], b"HTTP/1.1 200 OK\r\nX: "] {
        let (registry, courier) = (registry(), courier());
        let receiver = Receiver::new(move |_, stream| {
            let _ = stream.write_all(answer);
            while answer.ends_with(b"X: ") && stream.write_all(&[b'x'; 65536]).is_ok() {
                thread::yield_now();
            }
        });
        let (hook, _) = webhook(&registry, new_webhook(&receiver.url()));
        put(&registry, KEY, "Tea");
        deliver(&courier, &registry);
        assert!(last_error(&registry, &hook).contains("cannot be read"));
    }
}

/// 35.3: 410 Gone pauses the webhook (Standard Webhooks, "Disabling failing endpoints").
#[test]
fn a_receiver_that_is_gone_gets_nothing_further() {
    let (registry, courier) = (registry(), courier());
    let receiver = Receiver::new(|_, stream| say(stream, "410 Gone"));
    let (hook, _) = webhook(&registry, new_webhook(&receiver.url()));
    put(&registry, KEY, "Tea");
    deliver(&courier, &registry);
    assert!(registry.webhook(&caller(), &hook.id).unwrap().paused);
}
