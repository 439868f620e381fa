//! Random histories of a source that is written, pruned, restored from older backups and
//! unreachable while it is followed: at every moment the copy holds a state that the source had,
//! and in the end the same as the source.

use crate::support;

use std::collections::{BTreeMap, VecDeque};
use std::path::PathBuf;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use fingerpost_engine::Memory;
use fingerpost_follow::{
    Changes, Copier, FeedAnswer, FollowError, Head, Source, SourceError, Step, StoreSource, verify,
};
use fingerpost_gs1::EntityKey;
use fingerpost_store::copy::{
    CopyLimit, CopyPage, CopyRow, LevelRange, Position, Selection, SpanDigest,
};
use fingerpost_store::{Event, Revision, Store, StoreError, StoreOptions};
use jiff::Timestamp;
use proptest::prelude::*;
use support::{LEVELS, backup, restored, rows, write};

/// What happens at the source between two of its answers.
#[derive(Clone, Debug)]
enum Happening {
    /// A revision changes these levels: a number tells what is written, none that the level is
    /// deleted.
    Write(Vec<(usize, Option<u8>)>),
    /// Something that changes no level is recorded.
    Record,
    /// Replaced states are deleted.
    Prune,
    /// A backup is made.
    Backup,
    /// The source is replaced by its last backup.
    Restore,
    /// The next answer is lost.
    Lose,
    /// The process of the copy ends and starts again.
    Kill,
    Nothing,
}

fn happening() -> impl Strategy<Value = Happening> {
    let change = (0..LEVELS.len(), prop::option::weighted(0.7, any::<u8>()));
    prop_oneof![
        8 => prop::collection::vec(change, 1..5).prop_map(Happening::Write),
        1 => Just(Happening::Record),
        1 => Just(Happening::Prune),
        2 => Just(Happening::Backup),
        2 => Just(Happening::Restore),
        1 => Just(Happening::Lose),
        1 => Just(Happening::Kill),
        6 => Just(Happening::Nothing),
    ]
}

/// A source to which something happens before each answer.
struct Busy {
    selection: Selection,
    limits: (CopyLimit, CopyLimit),
    inner: Mutex<Inner>,
}

struct Inner {
    store: Arc<Store>,
    coming: VecDeque<Happening>,
    backup: Option<Vec<u8>>,
    /// What the source held at each position.
    held: BTreeMap<String, Vec<CopyRow>>,
    is_killed: bool,
}

impl Inner {
    fn happen(&mut self, happening: Happening) -> Result<(), SourceError> {
        match happening {
            Happening::Write(changes) => {
                let changes: BTreeMap<usize, Option<u8>> = changes.into_iter().collect();
                let changes: Vec<_> = changes
                    .into_iter()
                    .map(|(level, what)| (LEVELS[level], what.map(|what| format!("text {what}"))))
                    .collect();
                write(&self.store, &changes);
            }
            Happening::Record => {
                let event = Event::new("noted", "test", Timestamp::UNIX_EPOCH);
                let noted = move |tx: &mut fingerpost_store::Transaction<'_>| {
                    tx.record(event.clone()).map(|_| ())
                };
                self.store.transact::<_, StoreError>(noted).unwrap();
            }
            Happening::Prune => {
                let event = Event::new("pruned", "test", Timestamp::UNIX_EPOCH);
                let prune = move |tx: &mut fingerpost_store::Transaction<'_>| {
                    tx.prune_history(tx.revision()?, 1000, event.clone()).map(|_| ())
                };
                self.store.transact::<_, StoreError>(prune).unwrap();
            }
            Happening::Backup => self.backup = Some(backup(&self.store)),
            Happening::Restore => {
                if let Some(backup) = &self.backup {
                    self.store = restored(backup);
                }
            }
            Happening::Lose => return Err(SourceError::Away("lost".to_owned())),
            Happening::Kill => self.is_killed = true,
            Happening::Nothing => {}
        }
        Ok(())
    }
}

impl Busy {
    fn new(selection: Selection, batch: usize, coming: Vec<Happening>) -> Self {
        let store = Arc::new(Store::in_memory());
        let limit = |rows| CopyLimit { rows, bytes: 1 << 20 };
        let (held, coming) = (BTreeMap::new(), VecDeque::from(coming));
        let mut inner = Inner { store, coming, backup: None, held, is_killed: false };
        // A source without any record cannot be told from others, so it has one before it is backed
        // up.
        inner.happen(Happening::Record).unwrap();
        let limits = (limit(batch), limit(batch + 1));
        let busy = Self { selection, limits, inner: Mutex::new(inner) };
        busy.note();
        busy
    }

    fn note(&self) {
        let mut inner = self.inner.lock().unwrap();
        let position = inner.store.view(|view| view.position()).unwrap();
        let held = rows(&inner.store, &self.selection);
        inner.held.insert(position.to_string(), held);
    }

    /// Lets something happen; returns the source as it is then.
    fn next(&self) -> Result<StoreSource, SourceError> {
        let happened = {
            let mut inner = self.inner.lock().unwrap();
            let happening = inner.coming.pop_front().unwrap_or(Happening::Nothing);
            inner.happen(happening)
        };
        self.note();
        happened?;
        let store = Arc::clone(&self.inner.lock().unwrap().store);
        let (batch, digest) = self.limits;
        Ok(StoreSource::new(store, self.selection.clone()).limits(batch, digest))
    }
}

impl Source for Busy {
    fn name(&self) -> String {
        "busy".to_owned()
    }

    fn selection(&self) -> &Selection {
        &self.selection
    }

    fn head(&self) -> Result<Head, SourceError> {
        self.next()?.head()
    }

    fn changes(
        &self,
        after: &Position,
        seen: &Position,
    ) -> Result<FeedAnswer<Changes>, SourceError> {
        self.next()?.changes(after, seen)
    }

    fn page(
        &self,
        span: &LevelRange,
        seen: &Position,
    ) -> Result<FeedAnswer<CopyPage>, SourceError> {
        self.next()?.page(span, seen)
    }

    fn digest(
        &self,
        span: &LevelRange,
        seen: &Position,
    ) -> Result<FeedAnswer<SpanDigest>, SourceError> {
        self.next()?.digest(span, seen)
    }

    fn wait(&self, seen: Revision, timeout: Duration) -> Result<Revision, SourceError> {
        self.next()?.wait(seen, timeout)
    }
}

/// Where the copy is.
#[derive(Clone, Debug)]
enum Copy {
    Memory(Arc<Memory>),
    Directory(PathBuf),
}

impl Copy {
    fn open(&self) -> Arc<Store> {
        let options = StoreOptions::default();
        Arc::new(match self {
            Self::Memory(memory) => Store::over(Arc::clone(memory)).unwrap(),
            Self::Directory(dir) => Store::open(dir, options.map_size(1 << 26)).unwrap(),
        })
    }
}

/// Checks that a complete copy holds what the source held at its position, and that its cache does
/// too.
fn check(busy: &Busy, copy: &Store) {
    let Some(state) = copy.copy_state().unwrap() else { return };
    let key = EntityKey::parse("01/09506000134352/10/A").unwrap();
    if !state.is_complete() {
        assert!(copy.read(&key).is_err(), "an incomplete copy answers nothing");
        return;
    }
    let held = busy.inner.lock().unwrap().held.get(&state.position.to_string()).cloned();
    let held = held.unwrap_or_else(|| panic!("never at {}", state.position));
    assert_eq!(rows(copy, &Selection::default()), held, "{}", state.position);
    for level in LEVELS {
        let Ok(key) = EntityKey::parse(level) else { continue };
        for _ in 0..3 {
            // The third read comes from the cache.
            let cached = copy.read(&key).unwrap();
            let stored = copy.view(|view| view.applying(&key)).unwrap();
            assert_eq!(cached.to_vec(), stored, "{level}");
        }
    }
}

fn follow(copy: &Copy, selection: Selection, batch: usize, happenings: Vec<Happening>) {
    let busy = Arc::new(Busy::new(selection, batch, happenings));
    let open = || Copier::new(Arc::clone(&busy) as Arc<dyn Source>, copy.open());
    let mut copier = Some(open());
    let mut steps = 0;
    loop {
        let step = copier.as_ref().unwrap().step();
        check(&busy, copier.as_ref().unwrap().copy());
        let mut inner = busy.inner.lock().unwrap();
        if std::mem::take(&mut inner.is_killed) {
            copier = None; // an environment is open once in a process
            copier = copier.or_else(|| Some(open()));
        }
        match step {
            Ok(Step::UpToDate { .. }) if inner.coming.is_empty() => break,
            Ok(_) | Err(FollowError::Source(_) | FollowError::Changed) => {}
            Err(error) => panic!("{error}"),
        }
        steps += 1;
        assert!(steps < 2000, "no end");
    }
    let copier = copier.unwrap();
    let source = Arc::clone(&busy.inner.lock().unwrap().store);
    assert_eq!(rows(copier.copy(), &Selection::default()), rows(&source, &busy.selection));
    let report = verify(&*busy, copier.copy()).unwrap();
    assert_eq!(report.different, 0);
    assert!(
        copier
            .copy()
            .fsck()
            .unwrap()
            .faults()
            .all(|fault| fault.contains("no default link without a validity window"))
    );
}

fn selection() -> impl Strategy<Value = Selection> {
    prop_oneof![
        3 => Just(Selection::default()),
        1 => Just(Selection::of(["01/09506000", "414/9506000", "gcp/9506000"])),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(40))]

    #[test]
    fn a_copy_in_memory_holds_what_the_source_held(
        happenings in prop::collection::vec(happening(), 0..60),
        selection in selection(),
        batch in 1usize..6,
        repeats in any::<bool>(),
    ) {
        let memory = if repeats { Memory::new().repeating() } else { Memory::new() };
        follow(&Copy::Memory(Arc::new(memory)), selection, batch, happenings);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(12))]

    #[test]
    fn a_copy_on_disk_holds_what_the_source_held(
        happenings in prop::collection::vec(happening(), 0..60),
        selection in selection(),
        batch in 1usize..6,
    ) {
        let dir = tempfile::tempdir().unwrap();
        let copy = Copy::Directory(dir.path().to_owned());
        follow(&copy, selection, batch, happenings);
    }
}

#[test]
fn another_selection_repairs_the_copy() {
    let truth = Arc::new(Store::in_memory());
    write(&truth, &LEVELS.map(|level| (level, Some("one".to_owned()))));
    let copy = Arc::new(Store::in_memory());
    for selection in [Selection::default(), Selection::of(["01/0952"]), Selection::of(["01/"])] {
        let source = StoreSource::new(Arc::clone(&truth), selection.clone());
        let copier = Copier::new(Arc::new(source), Arc::clone(&copy));
        while !matches!(copier.step().unwrap(), Step::UpToDate { .. }) {}
        assert_eq!(rows(&copy, &Selection::default()), rows(&truth, &selection));
    }
}

/// An empty database, or another installation, by a mistake in the address.
#[test]
fn another_store_does_not_replace_the_copy() {
    let truth = Arc::new(Store::in_memory());
    write(&truth, &[(LEVELS[0], Some("one".to_owned()))]);
    let copy = Arc::new(Store::in_memory());
    let step_all = |store: &Arc<Store>| {
        let source = StoreSource::new(Arc::clone(store), Selection::default());
        let copier = Copier::new(Arc::new(source), Arc::clone(&copy));
        loop {
            match copier.step() {
                Ok(Step::UpToDate { .. }) => return Ok(()),
                Ok(_) => {}
                Err(error) => return Err(error),
            }
        }
    };
    step_all(&truth).unwrap();
    let before = rows(&copy, &Selection::default());
    let other = Arc::new(Store::in_memory());
    write(&other, &[(LEVELS[1], Some("other".to_owned())), (LEVELS[2], None)]);
    for store in [Arc::new(Store::in_memory()), other] {
        let refused = step_all(&store);
        assert!(matches!(refused, Err(FollowError::OtherSource { .. })), "{refused:?}");
        assert_eq!(rows(&copy, &Selection::default()), before);
    }
    step_all(&truth).unwrap();
}

/// What happens before each answer of the source, in turn; the copy is checked after each step.
fn script(happenings: Vec<Happening>) {
    follow(&Copy::Memory(Arc::new(Memory::new())), Selection::default(), 1, happenings);
}

fn put(level: usize, what: u8) -> Happening {
    Happening::Write(vec![(level, Some(what))])
}

/// The pages of the first copy come from revisions that are lost before it settles.
#[test]
fn pages_of_a_lost_revision_are_copied_again() {
    use Happening::{Backup, Nothing, Restore};
    let begin = vec![put(0, 1), put(3, 1), Backup, put(6, 2)];
    for lost in 3..8 {
        // One answer is the head, the others are pages.
        let mut happenings = begin.clone();
        happenings.resize(lost, Nothing);
        happenings.extend([Restore, put(7, 3), put(7, 4)]);
        script(happenings);
    }
}

/// The source has as many revisions after it went back as before, with other entries.
#[test]
fn lost_revisions_are_forgotten() {
    use Happening::{Backup, Nothing, Restore};
    let mut happenings = vec![put(0, 1), Backup];
    happenings.extend(vec![Nothing; 20]);
    happenings.push(Happening::Write(vec![
        (0, Some(2)),
        (1, Some(2)),
        (3, Some(2)),
        (10, Some(2)),
    ]));
    happenings.extend(vec![Nothing; 20]);
    happenings.push(Restore);
    happenings.push(Happening::Write(vec![
        (0, Some(9)),
        (1, Some(9)),
        (3, Some(9)),
        (10, Some(9)),
    ]));
    script(happenings);
}

/// The source is written while its copy is repaired: pages and digests of different revisions.
#[test]
fn a_repair_of_a_busy_source_ends_at_one_revision() {
    use Happening::{Backup, Nothing, Restore};
    for quiet in 0..12 {
        let mut happenings = vec![put(0, 1), put(3, 1), put(5, 1), Backup];
        happenings.extend(vec![Nothing; 20]);
        happenings.extend([put(0, 2), put(8, 2)]);
        happenings.extend(vec![Nothing; 10]);
        happenings.push(Restore);
        happenings.extend(vec![Nothing; quiet]);
        happenings.extend((0..10).map(|number| put(usize::from(number), 10 + number)));
        script(happenings);
    }
}

/// The follower was away for longer than the source keeps history.
#[test]
fn a_copy_catches_up_without_the_history_between() {
    use Happening::{Nothing, Prune};
    let mut happenings = vec![put(0, 1)];
    happenings.extend(vec![Nothing; 10]);
    happenings.extend([put(0, 2), put(0, 3), Happening::Write(vec![(0, None)]), put(0, 4), Prune]);
    script(happenings);
    // All of it at once.
    let truth = Arc::new(Store::in_memory());
    let copy = Arc::new(Store::in_memory());
    write(&truth, &[(LEVELS[0], Some("one".to_owned()))]);
    let limit = CopyLimit { rows: 1, bytes: 1 << 20 };
    let source = StoreSource::new(Arc::clone(&truth), Selection::default()).limits(limit, limit);
    let copier = Copier::new(Arc::new(source), Arc::clone(&copy));
    while !matches!(copier.step().unwrap(), Step::UpToDate { .. }) {}
    for number in 0..4 {
        write(&truth, &[(LEVELS[0], Some(number.to_string()))]);
        write(&truth, &[(LEVELS[1], Some(number.to_string()))]);
    }
    let event = Event::new("pruned", "test", Timestamp::UNIX_EPOCH);
    let prune = move |tx: &mut fingerpost_store::Transaction<'_>| {
        tx.prune_history(tx.revision()?, 1000, event.clone())
    };
    assert!(truth.transact::<_, StoreError>(prune).unwrap() > 0);
    assert!(matches!(copier.step().unwrap(), Step::Repaired { rows: 2 }));
    assert!(matches!(copier.step().unwrap(), Step::UpToDate { .. }));
    assert_eq!(rows(&copy, &Selection::default()), rows(&truth, &Selection::default()));
}
