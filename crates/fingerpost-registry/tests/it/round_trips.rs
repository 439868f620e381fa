//! How many round trips to a database the requests of a client take. A network makes each of them
//! dear, and one that takes the turn of all nodes makes others wait.

use crate::support;

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use fingerpost_registry::{Conditions, Idempotency, RecordChange, Registry, RegistryOptions, Verb};
use fingerpost_resolver::{Anchor, read_record};
use fingerpost_testkit::{Proxy, shared_cluster, skipped, store_at};
use support::*;

/// A snapshot, with the key.
const AUTHENTICATION: u32 = 1;
/// The turn, with all reads.
const TURN: u32 = 1;
/// The changes with the commit.
const PUT: u32 = TURN + 1;

#[test]
fn a_put_of_one_client_takes_three_round_trips() {
    let cluster = match shared_cluster() {
        Ok(cluster) => cluster,
        Err(why) => return skipped("round trips", why),
    };
    let proxy = Proxy::start(cluster.port());
    let direct = cluster.fresh_schema();
    let url = direct.replace(&format!(":{}/", cluster.port()), &format!(":{}/", proxy.port()));
    let node = |url: &str| Registry::new(Arc::new(store_at(url)), RegistryOptions::new());
    let (registry, other) = (node(&url), node(&direct));
    let (_, token) =
        registry.create_key(&root(), new_key(None, &[Verb::Read, Verb::Write], None)).unwrap();
    let put = |registry: &Registry, number: u64, conditions: Conditions| {
        let record = record(&gtin(&format!("{number:013}")), "T");
        let caller = registry.authenticate_key(&token, &client()).unwrap();
        registry.put(&caller, None, record.as_bytes(), conditions).unwrap();
    };
    let trips = |number: u64| proxy.round_trips(|| put(&registry, number, Conditions::none()));
    trips(1_234_567_890_128); // prepares statements
    trips(1_234_567_890_128); // replaces the record
    assert_eq!(trips(9_506_000_134_352), AUTHENTICATION + PUT, "another company");
    assert_eq!(trips(9_506_000_134_352), AUTHENTICATION + TURN, "nothing is written");
    // What this node knew is out of date.
    put(&other, 5_000_000_000_004, Conditions::none());
    assert_eq!(trips(2_000_000_000_008), AUTHENTICATION + PUT, "after another node");
    put(&other, 2_000_000_000_008, Conditions::none());
    assert_eq!(trips(2_000_000_000_008), AUTHENTICATION + TURN, "what the other one has written");
    // The admin listener checks this before it reads a large body of a request.
    let (caller, _) = registry.admit_key(&token, &client()).unwrap();
    let level = Anchor::parse("/01/04000000000006").unwrap();
    let check = || registry.require_write(&caller, Some(&level)).unwrap();
    assert_eq!(proxy.round_trips(check), 1, "permissions and all possible owners");
    let admit = || drop(registry.admit_key(&token, &client()).unwrap());
    assert_eq!(proxy.round_trips(admit), AUTHENTICATION, "the key and its permissions");
    let change = || {
        let (caller, _) = registry.recall_key(&token, &client()).unwrap();
        let record = record(&gtin("0500000000000"), "T");
        registry.put(&caller, None, record.as_bytes(), Conditions::none()).unwrap();
    };
    assert_eq!(proxy.round_trips(change), PUT, "another change a moment later");
    let trips = |name: &str, number: u64| {
        let once = Idempotency::new(name, [b"PUT".as_slice()]);
        proxy.round_trips(|| put(&registry, number, Conditions::none().idempotency(once)))
    };
    trips("one", 3_000_000_000_007); // prepares the statement that looks for old answers
    assert_eq!(trips("two", 3_000_000_000_014), AUTHENTICATION + PUT + 1, "old answers");
}

/// Puts that wait for the same turn share the reads as well as the commit.
#[test]
fn many_puts_take_the_round_trips_of_one() {
    const PUTS: u64 = 20;
    let cluster = match shared_cluster() {
        Ok(cluster) => cluster,
        Err(why) => return skipped("round trips of a group", why),
    };
    let proxy = Proxy::start(cluster.port());
    let url = cluster.fresh_schema();
    let url = url.replace(&format!(":{}/", cluster.port()), &format!(":{}/", proxy.port()));
    let store = Arc::new(store_at(&url));
    let registry = Registry::new(Arc::clone(&store), RegistryOptions::new());
    let put = |number: u64| {
        let record = record(&gtin(&format!("{number:013}")), "T");
        registry.put(&root(), None, record.as_bytes(), Conditions::none()).unwrap();
    };
    put(1_234_567_890_128); // prepares statements
    let before = store.activity().commits;
    let has_turn = AtomicBool::new(false);
    let trips = proxy.round_trips(|| {
        std::thread::scope(|scope| {
            // Holds the turn, and writes nothing, until all others wait.
            scope.spawn(|| {
                let hold = |_: &mut fingerpost_store::Transaction<'_>| {
                    has_turn.store(true, Ordering::Release);
                    let begin = Instant::now();
                    while store.activity().waiting < PUTS {
                        assert!(begin.elapsed() < Duration::from_secs(60), "the puts wait");
                        std::thread::sleep(Duration::from_millis(1));
                    }
                    Ok::<_, fingerpost_store::StoreError>(())
                };
                store.transact_alone(hold).unwrap();
            });
            while !has_turn.load(Ordering::Acquire) {
                std::thread::sleep(Duration::from_millis(1));
            }
            (0..PUTS).for_each(|put_number| {
                scope.spawn(move || put(9_506_000_000_000 + 10 * put_number));
            });
        });
    });
    assert!(store.activity().commits - before <= 3, "the puts share commits");
    assert!(trips <= 10, "{trips}");
}

/// Two batches of so many records differ only in what each record costs: nothing, because the
/// levels of a batch are asked for together.
#[test]
fn records_of_a_batch_are_not_asked_for_one_by_one() {
    let cluster = match shared_cluster() {
        Ok(cluster) => cluster,
        Err(why) => return skipped("round trips of a batch", why),
    };
    let proxy = Proxy::start(cluster.port());
    let url = cluster.fresh_schema();
    let url = url.replace(&format!(":{}/", cluster.port()), &format!(":{}/", proxy.port()));
    let registry = Registry::new(Arc::new(store_at(&url)), RegistryOptions::new());
    let trips = |from: u64, records: u64| {
        let changes: Vec<RecordChange> = (from..from + records)
            .map(|number| {
                let record = record(&gtin(&format!("{number:013}")), "T");
                RecordChange::put(read_record(record.as_bytes(), &registry.rules()).unwrap())
            })
            .collect();
        proxy.round_trips(|| drop(registry.apply(&root(), &changes).unwrap()))
    };
    trips(1_000_000_000_000, 2); // prepares statements
    // On a busy machine, one message can arrive in pieces, which look like several round trips.
    let least = |from: u64, records: u64| {
        (0..5).map(|attempt| trips(from + 1_000 * attempt, records)).min().unwrap()
    };
    let (few, many) = (least(1_100_000_000_000, 5), least(1_200_000_000_000, 90));
    assert_eq!(few, many);
    assert!(few < 20, "{few}");
}
