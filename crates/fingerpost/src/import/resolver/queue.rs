//! Several requests at a time, with the answers in the order of the list.
//!
//! The iterator reads the list as far ahead as there are slots; each identifier has a channel for
//! its answer, and the channels are taken in order. So the number of answers in memory is limited,
//! however slow one of them is.

use std::collections::VecDeque;
use std::io;
use std::sync::mpsc::{Receiver, Sender, SyncSender, channel, sync_channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;

use fingerpost_exchange::IdentifierAnswer;
use fingerpost_gs1::EntityKey;
use fingerpost_resolver::RecordFault;

use super::ask::{Asked, Asker};
use super::list::{List, Listed};
use crate::limits::MAX_UNREACHABLE;

/// Requests waiting for a thread, for each thread.
const AHEAD: usize = 2;

/// The answers for a list.
pub(super) struct Queue {
    list: List,
    jobs: Sender<Job>,
    waiting: VecDeque<Waiting>,
    slots: usize,
    is_at_end: bool,
    unreachable: u32,
}

/// An identifier to ask for, and where its answer is expected.
struct Job {
    key: EntityKey,
    answer: SyncSender<Asked>,
}

/// A line whose answer is expected.
struct Waiting {
    line: u64,
    answer: Result<(EntityKey, Receiver<Asked>), (Option<String>, RecordFault)>,
}

impl Queue {
    /// Creates the threads that ask.
    pub(super) fn new(asker: Asker, list: List, threads: u8) -> Self {
        let (jobs, receive) = channel::<Job>();
        let (receive, asker) = (Arc::new(Mutex::new(receive)), Arc::new(asker));
        for _ in 0..threads {
            let (receive, asker) = (Arc::clone(&receive), Arc::clone(&asker));
            thread::spawn(move || {
                loop {
                    let job = receive.lock().unwrap_or_else(PoisonError::into_inner).recv();
                    let Ok(Job { key, answer }) = job else { return };
                    let _ = answer.send(asker.ask(&key)); // unless nobody wants it any more
                }
            });
        }
        let slots = usize::from(threads) * AHEAD;
        Self { list, jobs, waiting: VecDeque::new(), slots, is_at_end: false, unreachable: 0 }
    }

    /// Asks for the next identifiers of the list, as far as there are slots.
    fn fill(&mut self) -> io::Result<()> {
        while !self.is_at_end && self.waiting.len() < self.slots {
            let Some(Listed { line, key }) = self.list.next()? else {
                self.is_at_end = true;
                break;
            };
            let answer = key.map(|key| {
                let (answer, receive) = sync_channel(1);
                let _ = self.jobs.send(Job { key: key.clone(), answer }); // the threads live as long as this
                (key, receive)
            });
            self.waiting.push_back(Waiting { line, answer });
        }
        Ok(())
    }

    /// Turns an answer into records to read, or a fault.
    fn answer(&mut self, line: u64, key: EntityKey, asked: Asked) -> io::Result<IdentifierAnswer> {
        let fault = |message| {
            let fault = RecordFault::new(String::new(), "RES-2.9-1", message);
            Err((Some(format!("/{key}")), fault))
        };
        let linkset = match asked {
            Asked::Unreachable(why) => {
                self.unreachable += 1;
                if self.unreachable == MAX_UNREACHABLE {
                    return Err(io::Error::other(format!(
                        "the resolver gave no answer {MAX_UNREACHABLE} times in a row: {why}"
                    )));
                }
                fault(why)
            }
            Asked::Linkset(linkset) => {
                self.unreachable = 0;
                Ok((key, linkset))
            }
            Asked::Failed(why) => {
                self.unreachable = 0;
                fault(why)
            }
        };
        Ok(IdentifierAnswer { line, linkset })
    }
}

impl Iterator for Queue {
    type Item = io::Result<IdentifierAnswer>;

    fn next(&mut self) -> Option<io::Result<IdentifierAnswer>> {
        if let Err(error) = self.fill() {
            self.is_at_end = true;
            return Some(Err(error));
        }
        let Waiting { line, answer } = self.waiting.pop_front()?;
        Some(match answer {
            Ok((key, answer)) => match answer.recv() {
                Ok(asked) => self.answer(line, key, asked),
                Err(_) => Err(io::Error::other("a thread that asks the resolver has ended")),
            },
            Err(refused) => Ok(IdentifierAnswer { line, linkset: Err(refused) }),
        })
    }
}
