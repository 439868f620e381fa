//! Random histories of accounts and keys, checked against a model of which people can act with
//! which of them.
//!
//! The model has people and knows what each of them could have been told: it follows passwords and
//! secrets, not accounts. A change may be approved exactly if nobody could have both proposed and
//! approved it.

use crate::support;

use std::collections::BTreeSet;

use fingerpost_registry::{
    Actor, ApiKey, Caller, Denial, Id, KeyRotation, Membership, NewKey, NewUser,
    OrganisationChange, RegistryError, Role, Secret, UserChange, Verb,
};
use fingerpost_testkit::cases;
use proptest::prelude::*;
use support::*;

type People = BTreeSet<usize>;

/// An account. Its number is that of the person for whom it was made.
struct Account {
    caller: Caller,
    password: String,
    /// Who was told the password.
    known_to: People,
    own_password: bool,
    is_deleted: bool,
}

struct Key {
    caller: Caller,
    key: ApiKey,
    creator: usize,
    for_organisation: bool,
    known_to: People,
    is_revoked: bool,
}

struct Proposal {
    id: Id,
    account: usize,
    by_key: Option<usize>,
    known_to: People,
}

/// Who acts: an account by its session, or a key.
#[derive(Clone, Copy)]
enum By {
    Account(usize),
    Key(usize),
}

struct History {
    fixture: Fixture,
    accounts: Vec<Account>,
    keys: Vec<Key>,
    proposals: Vec<Proposal>,
    levels: usize,
    passwords: usize,
}

impl History {
    /// Two administrators whom the installation made.
    fn new() -> History {
        let fixture = Fixture::new();
        let change = OrganisationChange { approval_required: Some(true), ..Default::default() };
        fixture.registry.update_organisation(&root(), &fixture.ours, change).unwrap();
        let mut history = History {
            fixture,
            accounts: Vec::new(),
            keys: Vec::new(),
            proposals: Vec::new(),
            levels: 0,
            passwords: 0,
        };
        for _ in 0..2 {
            history.create(None);
        }
        history
    }

    /// Somebody who can act, chosen by a number.
    fn who(&self, number: usize) -> Option<By> {
        let accounts = self.accounts.iter().enumerate().filter(|(_, one)| !one.is_deleted);
        let keys = self.keys.iter().enumerate().filter(|(_, key)| self.is_valid(key));
        let all: Vec<By> = accounts
            .map(|(index, _)| By::Account(index))
            .chain(keys.map(|(index, _)| By::Key(index)))
            .collect();
        (!all.is_empty()).then(|| all[number % all.len()])
    }

    fn is_valid(&self, key: &Key) -> bool {
        !key.is_revoked && (key.for_organisation || !self.accounts[key.creator].is_deleted)
    }

    fn caller(&self, by: By) -> &Caller {
        match by {
            By::Account(index) => &self.accounts[index].caller,
            By::Key(index) => &self.keys[index].caller,
        }
    }

    /// The people who may be acting.
    fn people(&self, by: By) -> People {
        match by {
            By::Account(index) => self.accounts[index].known_to.clone(),
            By::Key(index) => self.keys[index].known_to.clone(),
        }
    }

    /// The account behind: a key acts in the name of its creator.
    fn account(&self, by: By) -> usize {
        match by {
            By::Account(index) => index,
            By::Key(index) => self.keys[index].creator,
        }
    }

    fn id(&self, account: usize) -> Id {
        let Actor::User(id) = self.accounts[account].caller.actor() else { unreachable!() };
        *id
    }

    fn sign_in(&self, account: usize, password: &str) -> Caller {
        let login = format!("login{account}");
        let session = self.fixture.registry.sign_in(&login, &Secret::new(password), &client());
        session.unwrap().caller(&client())
    }

    /// An account; without a caller the installation makes it.
    fn create(&mut self, by: Option<By>) {
        let number = self.accounts.len();
        let new = NewUser {
            login: format!("login{number}"),
            name: String::new(),
            password: Some(Secret::new(PASSWORD)),
            memberships: vec![Membership {
                organisation: Some(self.fixture.ours),
                role: Role::Admin,
            }],
        };
        let maker = by.map_or_else(root, |by| self.caller(by).clone());
        self.fixture.registry.create_user(&maker, new).unwrap();
        let mut known_to = by.map(|by| self.people(by)).unwrap_or_default();
        known_to.insert(number);
        self.accounts.push(Account {
            caller: self.sign_in(number, PASSWORD),
            password: PASSWORD.into(),
            known_to,
            own_password: false,
            is_deleted: false,
        });
    }

    /// Sets a password by the API for users; without a caller the installation does.
    fn reset(&mut self, by: Option<By>, account: usize) {
        self.passwords += 1;
        let password = format!("{PASSWORD} {}", self.passwords);
        let change =
            UserChange { password: Some(Secret::new(password.as_str())), ..Default::default() };
        let setter = by.map_or_else(root, |by| self.caller(by).clone());
        self.fixture.registry.update_user(&setter, &self.id(account), change).unwrap();
        if !matches!(by, Some(By::Account(index)) if index == account) {
            let people = by.map(|by| self.people(by)).unwrap_or_default();
            self.accounts[account].known_to = people;
            self.accounts[account].known_to.insert(account);
            self.accounts[account].own_password = false;
        }
        for key in self.keys.iter_mut().filter(|key| key.creator == account) {
            key.is_revoked |= !key.for_organisation;
        }
        self.accounts[account].caller = self.sign_in(account, &password);
        self.accounts[account].password = password;
    }

    fn change_password(&mut self, account: usize) {
        self.passwords += 1;
        let new = format!("own password {}", self.passwords);
        let one = &mut self.accounts[account];
        let (old, secret) = (Secret::new(one.password.as_str()), Secret::new(new.as_str()));
        self.fixture.registry.change_password(&one.caller, &old, &secret, false).unwrap();
        (one.password, one.own_password) = (new, true);
    }

    fn confirm(&mut self, by: Option<By>, account: usize) {
        let confirming = by.map_or_else(root, |by| self.caller(by).clone());
        let done = self.fixture.registry.confirm_user(&confirming, &self.id(account));
        let known_to = &self.accounts[account].known_to;
        let is_needed = *known_to != People::from([account]);
        let is_independent = by
            .is_none_or(|by| matches!(by, By::Account(_)) && self.people(by).is_disjoint(known_to));
        let expected = match () {
            () if !is_needed => "done",
            () if !is_independent => "forbidden",
            () if !self.accounts[account].own_password => "conflict",
            () => "done",
        };
        assert_eq!(kind(&done), expected);
        if expected == "done" {
            self.accounts[account].known_to = People::from([account]);
        }
    }

    fn delete(&mut self, by: By, account: usize) {
        let deleted = self.fixture.registry.erase_person(self.caller(by), &self.id(account));
        deleted.unwrap();
        self.accounts[account].is_deleted = true;
    }

    fn create_key(&mut self, by: By, for_organisation: bool) {
        let verbs = [Verb::Read, Verb::Write, Verb::Approve, Verb::Admin];
        let new = NewKey { for_organisation, ..new_key(Some(self.fixture.ours), &verbs, None) };
        let (key, token) = self.fixture.registry.create_key(self.caller(by), new).unwrap();
        let caller = self.fixture.registry.authenticate_key(&token, &client()).unwrap();
        self.keys.push(Key {
            caller,
            for_organisation: key.user.is_none(),
            key,
            creator: self.account(by),
            known_to: self.people(by),
            is_revoked: false,
        });
    }

    /// The key, or the user who created it, gets a new secret of it.
    fn rotate(&mut self, by: By, key: usize) {
        let id = self.keys[key].key.id;
        let rotation = KeyRotation { previous_until: None };
        match self.fixture.registry.rotate_key(self.caller(by), &id, &rotation) {
            Ok((_, token)) => {
                let caller = self.fixture.registry.authenticate_key(&token, &client()).unwrap();
                let people = self.people(by);
                self.keys[key].known_to.extend(people);
                self.keys[key].caller = caller;
            }
            Err(RegistryError::Forbidden(Denial::OtherKey)) => {
                assert_ne!(self.account(by), self.keys[key].creator);
            }
            Err(error) => panic!("{error}"),
        }
    }

    fn propose(&mut self, by: By) {
        self.levels += 1;
        let level = gtin(&format!("0950600{:06}", self.levels));
        let outcome = self.fixture.put(self.caller(by), &record(&level, "A")).unwrap();
        let by_key = match by {
            By::Key(index) => Some(index),
            By::Account(_) => None,
        };
        self.proposals.push(Proposal {
            id: outcome.proposal.unwrap(),
            account: self.account(by),
            by_key,
            known_to: self.people(by),
        });
    }

    fn approve(&mut self, by: By, index: usize) {
        let proposal = &self.proposals[index];
        let is_same = self.account(by) == proposal.account
            || matches!(by, By::Key(key) if Some(key) == proposal.by_key);
        let expected = match () {
            () if is_same => "same person",
            () if !self.people(by).is_disjoint(&proposal.known_to) => "dependent",
            () => "done",
        };
        let found = match self.fixture.registry.approve(self.caller(by), &proposal.id) {
            Ok(_) => "done",
            Err(RegistryError::Forbidden(Denial::SamePerson)) => "same person",
            Err(RegistryError::Forbidden(Denial::Dependent)) => "dependent",
            Err(error) => panic!("{error}"),
        };
        assert_eq!(found, expected);
        if found == "done" {
            self.proposals.remove(index);
        }
    }

    fn step(&mut self, what: u8, who: usize, whom: usize) {
        let Some(by) = self.who(who) else { return };
        let alive: Vec<usize> =
            (0..self.accounts.len()).filter(|one| !self.accounts[*one].is_deleted).collect();
        let account = alive.get(whom % alive.len().max(1)).copied();
        match (what, account) {
            (0..=1, _) => self.create(Some(by)),
            (2, _) => self.create(None),
            (3..=4, Some(account)) => self.reset(Some(by), account),
            (5, Some(account)) => self.reset(None, account),
            (6..=7, Some(account)) => self.change_password(account),
            (8..=9, Some(account)) => self.confirm(Some(by), account),
            (10, Some(account)) => self.confirm(None, account),
            (11..=12, Some(account)) => self.delete(by, account),
            (13..=14, _) => self.create_key(by, whom.is_multiple_of(2)),
            (15, _) => {
                let valid = |key: &usize| self.is_valid(&self.keys[*key]);
                let valid: Vec<usize> = (0..self.keys.len()).filter(valid).collect();
                if let Some(key) = valid.get(whom % valid.len().max(1)) {
                    self.rotate(by, *key);
                }
            }
            (16..=18, _) => self.propose(by),
            _ if !self.proposals.is_empty() => self.approve(by, whom % self.proposals.len()),
            _ => {}
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { max_shrink_iters: 50, ..ProptestConfig::with_cases(cases(6)) })]

    #[test]
    fn nobody_approves_what_they_may_have_proposed(
        steps in prop::collection::vec((0u8..26, any::<usize>(), any::<usize>()), 10..50),
    ) {
        let mut history = History::new();
        for (what, who, whom) in steps {
            history.step(what, who, whom);
        }
    }
}
