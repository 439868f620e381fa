//! What a list may cost, whatever others have stored: rows looked at, counted by the engine, and
//! bytes of the answer.

use crate::support;

use std::sync::Arc;

use fingerpost_registry::{
    AuditFilter, BatchMode, Caller, ChangeDetails, Conditions, Filter, Id, LevelChange, NewKey,
    OrganisationChange, Page, ProposalFilter, Registry, RegistryError, RegistryOptions, Verb,
};
use fingerpost_resolver::read_record;
use fingerpost_store::{Batch, Event, Revision, StoreError};
use fingerpost_testkit::{RowCount, counted_store};
use support::*;

/// Rows that one request looks at (`pages.rs`), and what it may read beside them: rights, owners,
/// authors.
const ROWS: u64 = 10_000;
const BESIDE: u64 = 1_500;

/// Bytes of one answer (`pages.rs`).
const BYTES: usize = 8 << 20;

struct World {
    registry: Registry,
    rows: RowCount,
    ours: Id,
    theirs: Id,
}

fn world() -> World {
    let (store, rows) = counted_store();
    let registry = Registry::new(Arc::new(store), RegistryOptions::new().clock(clock));
    let ours = organisation(&registry, "Ours", OURS, false);
    let theirs = organisation(&registry, "Theirs", THEIRS, false);
    World { registry, rows, ours, theirs }
}

impl World {
    fn key(&self, organisation: Id, verbs: &[Verb]) -> Caller {
        let new = new_key(Some(organisation), verbs, None);
        let (_, token) = self.registry.create_key(&root(), new).unwrap();
        self.registry.authenticate_key(&token, &client()).unwrap()
    }

    fn batch(&self, records: impl IntoIterator<Item = String>) -> Batch {
        let mut batch = Batch::unchecked();
        for record in records {
            batch.put(read_record(record.as_bytes(), &self.registry.rules()).unwrap().entry);
        }
        batch
    }

    /// All pages of a list; each must look at few rows.
    fn pages<T>(
        &self,
        most: u64,
        load: impl Fn(Option<&str>) -> Result<Page<T>, RegistryError>,
    ) -> Vec<Page<T>> {
        let mut pages: Vec<Page<T>> = Vec::new();
        loop {
            let after = pages.last().and_then(|page| page.next.clone());
            self.rows.take();
            let page = load(after.as_deref()).unwrap();
            let read = self.rows.take();
            assert!(read <= most, "page {} looked at {read} rows", pages.len());
            assert!(page.next.is_none() || page.next != after, "every page gets on");
            let is_last = page.next.is_none();
            pages.push(page);
            if is_last {
                return pages;
            }
        }
    }
}

fn event() -> Event {
    Event::new("links.write", "local:test", clock())
}

fn theirs(number: usize) -> String {
    gtin(&format!("09506001{number:05}"))
}

fn cursors<T>(pages: &[Page<T>]) -> Vec<&str> {
    pages.iter().filter_map(|page| page.next.as_deref()).collect()
}

#[test]
fn changes_of_others_cost_a_bounded_number_of_rows() {
    let world = world();
    let reader = world.key(world.ours, &[Verb::Read]);
    // Many revisions of others, then one with more rows than a page looks at.
    let batches: Vec<Batch> = (0..20_500).map(|n| world.batch([record(&theirs(n), "T")])).collect();
    let large = world.batch((20_500..32_500).map(|n| record(&theirs(n), "T")));
    let store = world.registry.store();
    store
        .transact_alone(|tx| -> Result<Revision, StoreError> {
            for batch in &batches {
                tx.write(batch, event())?;
            }
            tx.write(&large, event())
        })
        .unwrap();
    let own = gtin("0950600013435");
    world.registry.put(&root(), None, record(&own, "T").as_bytes(), Conditions::none()).unwrap();
    let pages = world.pages(ROWS + BESIDE, |cursor| changes(&world, &reader, cursor, 100));
    let found: Vec<_> =
        pages.iter().flat_map(|page| &page.items).map(|one| one.key.as_str()).collect();
    assert_eq!(found, [own]);
    assert_eq!(pages.len(), 3, "20,501 revisions, and the large one is skipped");
    assert!(cursors(&pages).iter().all(|cursor| !cursor.contains("01/")), "{:?}", cursors(&pages));
    // Administrators of the installation read everything, page by page.
    let pages = world.pages(ROWS + BESIDE, |cursor| changes(&world, &root(), cursor, 1_000));
    assert_eq!(pages.iter().map(|page| page.items.len()).sum::<usize>(), 32_501);
}

#[test]
fn a_filtered_audit_log_costs_a_bounded_number_of_rows() {
    let world = world();
    let admin = world.key(world.ours, &[Verb::Admin]);
    let before = clock();
    world
        .registry
        .store()
        .transact_alone(|tx| -> Result<(), StoreError> {
            for number in 0..20_500_u32 {
                let event =
                    Event::new("session.created", format!("user:{}", world.theirs), clock());
                tx.record(event.detail("number", number))?;
            }
            Ok(())
        })
        .unwrap();
    for newest_first in [false, true] {
        let own = AuditFilter { newest_first, ..AuditFilter::default() };
        let nobody = AuditFilter { actor: Some("user:nobody".into()), ..own.clone() };
        for (caller, filter) in [(&admin, &own), (&root(), &nobody)] {
            let pages = world.pages(2 * ROWS + BESIDE, |from| {
                let from = from.map_or(0, |from| from.parse().unwrap());
                world.registry.audit(caller, from, 100, filter)
            });
            assert_eq!(pages.len(), 3, "20,500 records");
        }
        // A time is found without looking at the records before it.
        let since =
            AuditFilter { since: Some(before), actor: Some("local:x".into()), ..own.clone() };
        let until = AuditFilter { until: Some(before), ..own };
        world.rows.take();
        let late = AuditFilter { since: Some(clock()), ..since };
        assert_eq!(world.registry.audit(&root(), 0, 10, &late).unwrap().next, None);
        assert!(!world.registry.audit(&root(), 0, 10, &until).unwrap().items.is_empty());
        assert!(world.rows.take() < 500);
    }
}

#[test]
fn a_filtered_list_of_levels_costs_a_bounded_number_of_rows() {
    let world = world();
    let batch = world.batch((0..20_500).map(|n| record(&theirs(n), "T")));
    world.registry.store().write(&batch).unwrap();
    let nothing = Filter { text: Some("no such text".into()), ..Filter::default() };
    let reader = world.key(world.theirs, &[Verb::Read]);
    // For each level, its row and whether another organisation owns the single key.
    let pages =
        world.pages(2 * ROWS + BESIDE, |after| world.registry.list(&reader, &nothing, after, 100));
    assert_eq!((pages.len(), pages.iter().map(|page| page.items.len()).sum()), (3, 0));
    let other = world.key(world.ours, &[Verb::Read]);
    assert_eq!(
        world.pages(1_000, |after| world.registry.list(&other, &nothing, after, 100)).len(),
        1
    );
}

#[test]
fn a_long_history_is_listed_page_by_page_and_nothing_is_decoded() {
    let world = world();
    let key = gtin("0950600013435");
    let batches: Vec<Batch> =
        (0..2_500).map(|n| world.batch([record(&key, &format!("T{n}"))])).collect();
    let store = world.registry.store();
    store
        .transact_alone(|tx| -> Result<(), StoreError> {
            batches.iter().try_for_each(|batch| tx.write(batch, event()).map(|_| ()))
        })
        .unwrap();
    let reader = world.key(world.ours, &[Verb::Read]);
    // For each state, its row, and the record of its author.
    let pages = world.pages(4 * 1_000 + BESIDE, |before| {
        let before = before.map(|before| Revision::new(before.parse().unwrap()));
        world.registry.revisions(&reader, &level(&key), before, 1_000)
    });
    assert_eq!(pages.len(), 3);
    let states: Vec<_> = pages.iter().flat_map(|page| &page.items).collect();
    let all = world.registry.history(&root(), &level(&key)).unwrap();
    let expected: Vec<_> =
        all.iter().map(|state| (state.revision, state.deleted, &state.by)).collect();
    let found: Vec<_> =
        states.iter().map(|state| (state.revision, state.deleted, &state.by)).collect();
    assert_eq!(found, expected);
    assert!(states.iter().all(|state| state.entry.is_none()));
    let stranger = world.key(world.theirs, &[Verb::Read]);
    assert_eq!(kind(&world.registry.revisions(&stranger, &level(&key), None, 10)), "forbidden");
}

/// A record with 60 links of 2,000 bytes each.
fn large(key: &str) -> String {
    let links: String = (0..60)
        .map(|n| {
            let href = format!("https://example.com/{n}/{}", "x".repeat(1_900));
            format!(r#",{{"linkType":"gs1:pip","href":"{href}","title":"T"}}"#)
        })
        .collect();
    record(key, "Tea").replace("]}", &format!("{links}]}}"))
}

#[test]
fn proposals_are_listed_without_records_and_those_of_others_are_not_looked_at() {
    let world = world();
    let change = OrganisationChange { approval_required: Some(true), ..Default::default() };
    world.registry.update_organisation(&root(), &world.theirs, change).unwrap();
    let writer = world.key(world.theirs, &[Verb::Read, Verb::Write]);
    let rows = |from: usize, to: usize| -> String {
        (from..to).map(|n| large(&theirs(n)) + "\n").collect()
    };
    let propose = |rows: &str| {
        world.registry.batch(&writer, rows.as_bytes(), BatchMode::Atomic, Conditions::none())
    };
    for n in 0..20 {
        assert_eq!(propose(&rows(n * 3, n * 3 + 3)).unwrap().proposed, 3);
    }
    // One proposal has a bound.
    assert_eq!(kind(&propose(&rows(0, 80))), "too large");
    let reader = world.key(world.ours, &[Verb::Read]);
    let pages = world.pages(150, |after| {
        world.registry.proposals(&reader, &ProposalFilter::default(), after, 1_000)
    });
    assert!(pages.len() == 1 && pages[0].items.is_empty());
    let narrow = new_key(Some(world.theirs), &[Verb::Read], Some("95060010000"));
    let (_, token) = world.registry.create_key(&root(), narrow).unwrap();
    let narrow = world.registry.authenticate_key(&token, &client()).unwrap();
    for (caller, most) in [(&writer, 20), (&root(), 20), (&narrow, 3)] {
        let pages = world.pages(200, |after| {
            world.registry.proposals(caller, &ProposalFilter::default(), after, 1_000)
        });
        let bytes = serde_json::to_vec(&pages[0].items).unwrap().len();
        assert!(pages[0].items.len() >= most && bytes < 20_000, "{bytes} bytes");
    }
    let page = world.registry.proposals(&writer, &ProposalFilter::default(), None, 1).unwrap();
    let (listed, next) = (&page.items[0], page.next.unwrap());
    assert_eq!((listed.keys.len(), listed.changes.len()), (3, 0));
    let whole = world.registry.proposal(&writer, &listed.id).unwrap();
    assert_eq!((whole.changes.len(), &whole.keys), (3, &listed.keys));
    assert_eq!(
        world
            .registry
            .proposals(&writer, &ProposalFilter::default(), Some(&next), 1_000)
            .unwrap()
            .items
            .len(),
        19
    );
}

#[test]
fn large_records_make_short_pages() {
    let world = world();
    let batch = world.batch((0..160).map(|n| large(&theirs(n))));
    world.registry.store().write(&batch).unwrap();
    let pages =
        world.pages(ROWS, |after| world.registry.list(&root(), &Filter::default(), after, 1_000));
    assert_eq!(pages.iter().map(|page| page.items.len()).sum::<usize>(), 160);
    for page in &pages {
        let bytes = serde_json::to_vec(&page.items).unwrap().len();
        assert!(bytes <= BYTES + 2 * page.items.len() + 2, "{bytes} bytes");
    }
    // A filter that refuses all of them reads few of them at once.
    let nothing = Filter { text: Some("no such text".into()), ..Filter::default() };
    assert!(world.pages(ROWS, |after| world.registry.list(&root(), &nothing, after, 10)).len() > 1);
}

#[test]
fn keys_and_people_of_others_cost_a_bounded_number_of_rows() {
    let world = world();
    let new = NewKey { label: "theirs".into(), ..new_key(Some(world.theirs), &[Verb::Read], None) };
    let (theirs, _) = world.registry.create_key(&root(), new).unwrap();
    let store = world.registry.store();
    let document = store.view(|view| view.document("keys", theirs.id.as_str())).unwrap().unwrap();
    let document = String::from_utf8(document).unwrap();
    store
        .transact_alone(|tx| -> Result<(), StoreError> {
            for _ in 0..12_000 {
                let id = Id::random();
                let copy = document.replace(theirs.id.as_str(), id.as_str());
                tx.put_document("keys", id.as_str(), copy.as_bytes())?;
            }
            Ok(())
        })
        .unwrap();
    let admin = world.key(world.ours, &[Verb::Admin]);
    let pages = world.pages(ROWS + BESIDE, |after| world.registry.keys(&admin, None, after, 100));
    let found: Vec<_> = pages.iter().flat_map(|page| &page.items).collect();
    assert!(!found.is_empty() && found.iter().all(|key| key.organisation == Some(world.ours)));
    for cursor in cursors(&pages) {
        let id = Id::parse(cursor).unwrap();
        assert_eq!(
            kind(&world.registry.key(&root(), &id)),
            "not found",
            "no key of others is named"
        );
    }
}

fn changes(
    world: &World,
    caller: &Caller,
    cursor: Option<&str>,
    limit: usize,
) -> Result<Page<LevelChange>, RegistryError> {
    let (first, details) = (Revision::default(), ChangeDetails::default());
    let page = world.registry.changes(caller, first, cursor, details, limit)?;
    Ok(Page { items: page.items, next: (!page.is_last).then_some(page.next) })
}
