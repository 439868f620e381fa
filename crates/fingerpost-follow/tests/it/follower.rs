//! A follower on its threads: it catches up, waits for writes, says how far it is, and goes on when
//! the source answers again.

use crate::support;

use std::ops::Deref;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use fingerpost_follow::{
    Changes, Copier, FeedAnswer, Follower, Head, Source, SourceError, Step, StoreSource, Watcher,
    verify,
};
use fingerpost_store::copy::{CopyPage, LevelRange, Position, Selection, SpanDigest};
use fingerpost_store::{Revision, Store};
use fingerpost_testkit::{PATIENCE, Proxy, shared_cluster, skipped, store_at};
use support::{LEVELS, rows, write};

/// A follower on its two threads, which end with it.
struct Following(Arc<Follower>);

impl Following {
    fn start(copier: Copier) -> Self {
        let follower = Arc::new(Follower::new(copier));
        let (running, watcher) = (Arc::clone(&follower), Watcher::new(&follower));
        thread::spawn(move || running.follow());
        thread::spawn(move || {
            while let Some(pause) = watcher.wait() {
                thread::sleep(pause);
            }
        });
        Self(follower)
    }
}

impl Deref for Following {
    type Target = Follower;

    fn deref(&self) -> &Follower {
        &self.0
    }
}

impl Drop for Following {
    fn drop(&mut self) {
        self.0.stop();
    }
}

/// A source that can be away.
struct Cut {
    source: StoreSource,
    is_away: AtomicBool,
}

impl Cut {
    fn reach(&self) -> Result<&StoreSource, SourceError> {
        match self.is_away.load(Ordering::Relaxed) {
            true => Err(SourceError::Away("cut".to_owned())),
            false => Ok(&self.source),
        }
    }
}

impl Source for Cut {
    fn name(&self) -> String {
        self.source.name()
    }

    fn selection(&self) -> &Selection {
        self.source.selection()
    }

    fn head(&self) -> Result<Head, SourceError> {
        self.reach()?.head()
    }

    fn changes(
        &self,
        after: &Position,
        seen: &Position,
    ) -> Result<FeedAnswer<Changes>, SourceError> {
        self.reach()?.changes(after, seen)
    }

    fn page(
        &self,
        span: &LevelRange,
        seen: &Position,
    ) -> Result<FeedAnswer<CopyPage>, SourceError> {
        self.reach()?.page(span, seen)
    }

    fn digest(
        &self,
        span: &LevelRange,
        seen: &Position,
    ) -> Result<FeedAnswer<SpanDigest>, SourceError> {
        self.reach()?.digest(span, seen)
    }

    fn wait(&self, seen: Revision, timeout: Duration) -> Result<Revision, SourceError> {
        self.reach()?.wait(seen, timeout)
    }
}

#[track_caller]
fn wait_until(mut is_so: impl FnMut() -> bool) {
    let begin = Instant::now();
    while !is_so() {
        assert!(begin.elapsed() < PATIENCE, "it does not happen");
        thread::sleep(Duration::from_millis(5));
    }
}

#[test]
fn a_follower_catches_up_and_says_how_far_it_is() {
    let (truth, copy) = (Arc::new(Store::in_memory()), Arc::new(Store::in_memory()));
    write(&truth, &LEVELS.map(|level| (level, Some("one".to_owned()))));
    let source = StoreSource::new(Arc::clone(&truth), Selection::default());
    let source = Arc::new(Cut { source, is_away: AtomicBool::new(false) });
    let copier = Copier::new(Arc::clone(&source) as Arc<dyn Source>, Arc::clone(&copy));
    let follower = Following::start(copier);
    assert!(follower.sync(PATIENCE));
    let status = follower.status();
    assert!(status.complete && status.connected, "{status:?}");
    assert_eq!((status.lag_revisions, status.lag_seconds), (Some(0), 0));

    // Without being asked, and at once when asked.
    let revision = write(&truth, &[(LEVELS[0], Some("two".to_owned()))]);
    assert_eq!(copy.wait_for(revision, PATIENCE).unwrap(), revision);
    for number in 0..50 {
        let revision = write(&truth, &[(LEVELS[1], Some(number.to_string()))]);
        assert!(follower.sync(PATIENCE));
        assert!(copy.revision().unwrap() >= revision);
    }

    source.is_away.store(true, Ordering::Relaxed);
    write(&truth, &[(LEVELS[2], None)]);
    assert!(!follower.sync(Duration::from_millis(50)), "it cannot know");
    wait_until(|| !follower.status().connected);
    wait_until(|| follower.status().lag_seconds >= 1);
    assert!(follower.status().complete);
    source.is_away.store(false, Ordering::Relaxed);
    wait_until(|| follower.status().connected && follower.status().lag_revisions == Some(0));
    follower.stop();
    assert!(!follower.status().connected && !follower.sync(PATIENCE), "it has ended");
    let all = Selection::default();
    assert_eq!(rows(&copy, &all), rows(&truth, &all));
}

#[test]
fn a_comparison_names_what_differs() {
    let (truth, copy) = (Arc::new(Store::in_memory()), Arc::new(Store::in_memory()));
    write(&truth, &LEVELS.map(|level| (level, Some("one".to_owned()))));
    let source = Arc::new(StoreSource::new(Arc::clone(&truth), Selection::default()));
    let copier = Copier::new(Arc::clone(&source) as Arc<dyn Source>, Arc::clone(&copy));
    let follower = Following::start(copier);
    assert!(follower.sync(PATIENCE));
    drop(follower);
    assert_eq!(verify(&*source, &copy).unwrap().different, 0);
    let changes = [
        (LEVELS[0], Some("two".to_owned())),
        (LEVELS[5], None),
        ("01/09506000134376", Some("new".to_owned())),
    ];
    write(&truth, &changes);
    let report = verify(&*source, &copy).unwrap();
    let found: Vec<_> =
        report.differences.iter().map(|found| (found.level.as_str(), found.kind)).collect();
    assert_eq!(
        found,
        [
            (LEVELS[0], "different"),
            (LEVELS[5], "not in the source"),
            ("01/09506000134376", "missing in the copy")
        ]
    );
}

/// While writes go on, what is only behind is no difference.
#[test]
fn a_comparison_waits_for_the_follower() {
    let (truth, copy) = (Arc::new(Store::in_memory()), Arc::new(Store::in_memory()));
    write(&truth, &LEVELS.map(|level| (level, Some("one".to_owned()))));
    let source = Arc::new(StoreSource::new(Arc::clone(&truth), Selection::default()));
    let copier = Copier::new(Arc::clone(&source) as Arc<dyn Source>, Arc::clone(&copy));
    let follower = Following::start(copier);
    assert!(follower.sync(PATIENCE));
    for number in 0..20 {
        write(&truth, &[(LEVELS[number % 12], Some(format!("{number}")))]);
        assert_eq!(verify(&*source, &copy).unwrap().different, 0);
    }
}

/// A source that tells nobody of its changes, and goes away after one answer.
struct Once(StoreSource, AtomicBool);

impl Source for Once {
    fn name(&self) -> String {
        self.0.name()
    }

    fn selection(&self) -> &Selection {
        self.0.selection()
    }

    fn head(&self) -> Result<Head, SourceError> {
        self.0.head()
    }

    fn changes(
        &self,
        after: &Position,
        seen: &Position,
    ) -> Result<FeedAnswer<Changes>, SourceError> {
        match self.1.swap(true, Ordering::SeqCst) {
            true => Err(SourceError::Away("over".to_owned())),
            false => self.0.changes(after, seen),
        }
    }

    fn page(
        &self,
        span: &LevelRange,
        seen: &Position,
    ) -> Result<FeedAnswer<CopyPage>, SourceError> {
        self.0.page(span, seen)
    }

    fn digest(
        &self,
        span: &LevelRange,
        seen: &Position,
    ) -> Result<FeedAnswer<SpanDigest>, SourceError> {
        self.0.digest(span, seen)
    }

    fn wait(&self, _: Revision, timeout: Duration) -> Result<Revision, SourceError> {
        thread::sleep(timeout);
        Err(SourceError::Away("nothing is told".to_owned()))
    }
}

#[test]
fn a_write_is_in_the_copy_after_one_answer_of_the_source() {
    let store = Arc::new(Store::in_memory());
    write(&store, &[(LEVELS[0], Some("one".to_owned()))]);
    let copy = Arc::new(Store::in_memory());
    let source = StoreSource::new(Arc::clone(&store), Selection::default());
    let source = Arc::new(Once(source, AtomicBool::new(true)));
    let copier = Copier::new(Arc::clone(&source) as Arc<dyn Source>, copy);
    while !copier.copy().copy_state().unwrap().is_some_and(|state| state.is_complete()) {
        copier.step().unwrap();
    }
    let follower = Following::start(copier);
    assert!(!follower.sync(Duration::from_millis(300)), "the source is away");
    // A step that began before it was asked for may take the answer. Each turn has one change and
    // one answer.
    let arrives = |turn: u32| {
        write(&store, &[(LEVELS[0], Some(turn.to_string()))]);
        source.1.store(false, Ordering::SeqCst);
        follower.sync(PATIENCE / 20)
    };
    assert!((0..20).any(arrives));
    assert_eq!(follower.status().lag_revisions, Some(0));
}

/// A first copy has seen a later position than it has applied; the source has lost it since.
#[test]
fn own_changes_do_not_hide_that_the_source_went_back() {
    let (store, lost) = (Arc::new(Store::in_memory()), Arc::new(Store::in_memory()));
    let source = |store: &Arc<Store>| StoreSource::new(Arc::clone(store), Selection::default());
    write(&store, &[(LEVELS[0], Some("one".to_owned()))]);
    for number in 0..3 {
        write(&lost, &[(LEVELS[0], Some(number.to_string()))]);
    }
    let after = source(&store).head().unwrap().position;
    let seen = source(&lost).head().unwrap().position;
    write(&store, &[(LEVELS[0], Some("two".to_owned()))]);
    let changes = |seen| source(&store).changes(&after, seen).unwrap();
    assert_eq!(changes(&seen), FeedAnswer::WentBack);
    assert!(matches!(changes(&after), FeedAnswer::Found { .. }));
}

/// The begin of a snapshot, the revision, its position in the audit log, two heads of that log,
/// what has changed, and its value. A page of the first copy takes one fewer. What the process of
/// the copy has written itself is not read back.
#[test]
fn a_write_of_another_node_is_copied_in_six_round_trips_a_page_in_five_and_an_own_write_in_none() {
    let cluster = match shared_cluster() {
        Ok(cluster) => cluster,
        Err(why) => return skipped("round trips of a copy", why),
    };
    let proxy = Proxy::start(cluster.port());
    let direct = cluster.fresh_schema();
    let url = direct.replace(&format!(":{}/", cluster.port()), &format!(":{}/", proxy.port()));
    let (store, other) = (Arc::new(store_at(&url)), store_at(&direct));
    let source = Arc::new(StoreSource::new(Arc::clone(&store), Selection::default()));
    let copier =
        || Copier::new(Arc::clone(&source) as Arc<dyn Source>, Arc::new(Store::in_memory()));
    let put = |text: &str| write(&other, &[(LEVELS[0], Some(text.to_owned()))]);
    let first = copier();
    for text in ["one", "two"] {
        put(text); // the statements are prepared
        while !matches!(first.step().unwrap(), Step::UpToDate { .. }) {}
    }
    put("three");
    let trips = proxy.round_trips(|| {
        assert!(matches!(first.step().unwrap(), Step::Applied { rows: 1, .. }));
    });
    assert_eq!(trips, 6);
    write(&store, &[(LEVELS[0], Some("own".to_owned()))]);
    let trips = proxy.round_trips(|| {
        assert!(matches!(first.step().unwrap(), Step::Applied { rows: 1, .. }));
    });
    assert_eq!(trips, 0);
    assert_eq!(verify(&*source, first.copy()).unwrap().different, 0);
    // A page of the first copy.
    let second = copier();
    assert_eq!(second.step().unwrap(), Step::Begun);
    let trips = proxy.round_trips(|| {
        assert_eq!(second.step().unwrap(), Step::Filled { rows: 1 });
    });
    assert_eq!(trips, 5);
}
