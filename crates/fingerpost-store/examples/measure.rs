//! Measures the embedded store: bulk writing, reads hot and cold, and what a commit costs those who
//! read.
//!
//! `cargo run --release -p fingerpost-store --example measure -- DIR [RECORDS]` (default
//! 1,000,000). DIR must not exist; it is kept. Resident memory is told where `/proc` is.

use std::error::Error;
use std::fs;
use std::path::Path;
use std::time::{Duration, Instant};

use fingerpost_gs1::EntityKey;
use fingerpost_resolver::{Entry, Rules, Vocabulary, read_record};
use fingerpost_store::{Batch, Store, StoreOptions};

/// Changes per batch, as an import would choose.
const CHUNK: u32 = 10_000;

/// Reads per measurement.
const READS: u32 = 1_000_000;

type Result<T> = std::result::Result<T, Box<dyn Error>>;

fn main() -> Result<()> {
    let mut arguments = std::env::args().skip(1);
    let dir = arguments.next().ok_or("expected a directory to create")?;
    let records: u32 = arguments.next().map_or(Ok(1_000_000), |text| text.parse())?;
    let dir = Path::new(&dir);
    if dir.exists() {
        return Err("expected a directory that does not exist".into());
    }
    write_all(dir, records)?;
    let keys = (0..records).map(key).collect::<Result<Vec<_>>>()?;
    let cached = |bytes| StoreOptions::default().cache_bytes(bytes);

    let store = Store::open(dir, cached(0))?;
    uniform("uniform, no cache, first pass", &store, &keys)?;
    uniform("uniform, no cache", &store, &keys)?;
    drop(store);

    let store = Store::open(dir, cached(64 << 20))?;
    uniform("uniform, cache of 64 MiB", &store, &keys)?;
    let few = &keys[..keys.len().min(10_000)];
    uniform("10,000 keys, cache of 64 MiB, filling", &store, few)?;
    uniform("10,000 keys, cache of 64 MiB", &store, few)?;
    uniform("1 key, cache of 64 MiB", &store, &keys[..1])?;
    let serials = (0..100_000)
        .map(|n| Ok(EntityKey::parse(&format!("/{}/21/{n}", keys[n % few.len()].as_str()))?))
        .collect::<Result<Vec<_>>>()?;
    uniform("serial numbers of 10,000 keys, none registered", &store, &serials)?;
    threads(&store, few)?;
    after_commits(&store, few)?;
    report("resident", resident());
    let clock = Clock::start();
    let mut visited = 0_u32;
    store.for_each::<Box<dyn Error>>("", |_, _| {
        visited += 1;
        Ok(())
    })?;
    rate("walk", visited, clock.elapsed());
    Ok(())
}

fn write_all(dir: &Path, records: u32) -> Result<()> {
    let store = Store::open(dir, StoreOptions::default())?;
    let (clock, before) = (Clock::start(), resident());
    let mut entries = entries(records);
    let mut in_write = Spent::default();
    loop {
        let mut batch = Batch::new();
        for entry in entries.by_ref().take(CHUNK as usize) {
            batch.put(entry?);
        }
        if batch.is_empty() {
            break;
        }
        let clock = Clock::start();
        store.write(&batch)?;
        in_write += clock.elapsed();
    }
    rate("read records and write", records, clock.elapsed());
    rate("of which writing", records, in_write);
    report("resident before", before);
    report("resident after", resident());
    let bytes = fs::metadata(dir.join("data.mdb"))?.len();
    println!("{:>50}: {} bytes per record", "file", bytes / u64::from(records));
    Ok(())
}

/// Entries as usual records give them, from the last thousand keys to the first.
fn entries(records: u32) -> impl Iterator<Item = Result<Entry>> {
    let vocabulary = Vocabulary::builtin();
    let thousands = (0..records.div_ceil(1000)).rev();
    let numbers = thousands.flat_map(move |n| n * 1000..records.min((n + 1) * 1000));
    numbers.map(move |n| {
        let key = key(n)?;
        let record = format!(
            r#"{{"anchor": "/{key}", "itemDescription": "Product number {n}", "links": [
            {{"linkType": "gs1:defaultLink", "href": "https://brand.example.com/p/{n}", "title": "Product"}},
            {{"linkType": "gs1:pip", "href": "https://brand.example.com/p/{n}", "title": "Product",
              "type": "text/html", "hreflang": ["en"]}},
            {{"linkType": "gs1:instructions", "href": "https://brand.example.com/p/{n}/use", "title": "Use",
              "type": "text/html", "hreflang": ["en", "fr"]}}]}}"#,
            key = key.as_str()
        );
        Ok(read_record(record.as_bytes(), &Rules::new(&vocabulary))?.entry)
    })
}

fn key(n: u32) -> Result<EntityKey> {
    let digits = format!("0950{n:09}");
    let weighted = digits
        .bytes()
        .enumerate()
        .map(|(i, digit)| u32::from(digit - b'0') * if i.is_multiple_of(2) { 3 } else { 1 });
    let check = (10 - weighted.sum::<u32>() % 10) % 10;
    Ok(EntityKey::parse(&format!("/01/{digits}{check}"))?)
}

fn uniform(name: &str, store: &Store, keys: &[EntityKey]) -> Result<()> {
    let clock = Clock::start();
    let mut found = 0;
    for n in 0..READS {
        found += store.read(&keys[random(n, keys.len())])?.len();
    }
    assert_eq!(found, READS as usize);
    rate(name, READS, clock.elapsed());
    Ok(())
}

fn threads(store: &Store, keys: &[EntityKey]) -> Result<()> {
    let clock = Clock::start();
    std::thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| {
                for n in 0..READS {
                    let levels = store.read(&keys[n as usize % keys.len()]);
                    assert_eq!(levels.map_or(0, |levels| levels.len()), 1);
                }
            });
        }
    });
    rate("10,000 keys, cache, two threads together", 2 * READS, clock.elapsed());
    Ok(())
}

/// Commits that are measured.
const ROUNDS: u32 = 100;

/// After each commit, of any process, a key is searched for once.
fn after_commits(store: &Store, keys: &[EntityKey]) -> Result<()> {
    let (mut commits, mut reads) = (Spent::default(), Spent::default());
    for round in 0..ROUNDS {
        let mut batch = Batch::new();
        batch.delete(key(999_999_999 - round)?);
        let clock = Clock::start();
        store.write(&batch)?;
        commits += clock.elapsed();
        let clock = Clock::start();
        for key in keys {
            store.read(key)?;
        }
        reads += clock.elapsed();
    }
    rate("10,000 keys once after each commit", ROUNDS * u32::try_from(keys.len())?, reads);
    rate("commits of one change", ROUNDS, commits);
    Ok(())
}

/// Number `n` of a sequence below `bound` that looks random and is the same in every run
/// (SplitMix64).
fn random(n: u32, bound: usize) -> usize {
    let mut z = u64::from(n).wrapping_add(1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    usize::try_from((z ^ (z >> 31)) % bound as u64).unwrap_or_default()
}

/// Time on the wall and, where Linux tells, on a processor: on a busy machine only the latter
/// compares.
#[derive(Clone, Copy, Default)]
struct Spent {
    wall: Duration,
    cpu: Duration,
}

impl std::ops::AddAssign for Spent {
    fn add_assign(&mut self, other: Spent) {
        self.wall += other.wall;
        self.cpu += other.cpu;
    }
}

struct Clock {
    wall: Instant,
    cpu: Duration,
}

impl Clock {
    fn start() -> Self {
        Self { cpu: cpu_of_this_thread(), wall: Instant::now() }
    }

    fn elapsed(&self) -> Spent {
        Spent { wall: self.wall.elapsed(), cpu: cpu_of_this_thread().saturating_sub(self.cpu) }
    }
}

fn cpu_of_this_thread() -> Duration {
    let text = fs::read_to_string("/proc/thread-self/schedstat").unwrap_or_default();
    let first = text.split(' ').next().and_then(|nanoseconds| nanoseconds.parse().ok());
    Duration::from_nanos(first.unwrap_or_default())
}

fn rate(name: &str, count: u32, spent: Spent) {
    let each = |time: Duration| time.as_secs_f64() * 1e9 / f64::from(count);
    println!(
        "{name:>48}: {:>9.0}/s, {:>6.0} ns each, of which {:>6.0} on a processor",
        f64::from(count) / spent.wall.as_secs_f64(),
        each(spent.wall),
        each(spent.cpu),
    );
}

fn report(name: &str, megabytes: Option<u64>) {
    if let Some(megabytes) = megabytes {
        println!("{name:>48}: {megabytes} MB");
    }
}

/// Resident memory in megabytes that is our own, without pages of the map.
fn resident() -> Option<u64> {
    let status = fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("RssAnon:"))?;
    Some(line.split_whitespace().next()?.parse::<u64>().ok()? / 1024)
}
