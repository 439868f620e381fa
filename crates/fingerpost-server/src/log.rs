//! The log: lines go to standard error through a thread of their own.
//!
//! A thread that logs never waits for the reader of the log and never fails because of it: a line
//! for which the queue has no room is dropped and counted, and a reader that has ended is ignored.

use std::io::{self, IsTerminal, Write};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::thread;
use std::time::Duration;

use tracing_subscriber::filter::{LevelFilter, Targets};
use tracing_subscriber::layer::SubscriberExt;
use tracing_subscriber::util::SubscriberInitExt;

use crate::config::{LogFormat, LogOptions};
use crate::failure::Failure;
use crate::limits::MAX_LOG_QUEUE;

/// How long the end of a server waits for the reader.
const LAST_LINES: Duration = Duration::from_secs(1);

/// The log of this process. When it is dropped, the lines so far are written, unless nobody reads
/// them.
#[derive(Debug)]
pub(crate) struct Log(Queue);

impl Log {
    /// Starts the log. A second start in one process (tests) keeps the first one's lines.
    pub(crate) fn start(options: &LogOptions) -> Result<Self, Failure> {
        let filter: Targets = options.level.parse().map_err(|error| {
            Failure::advise(
                format!("log.level `{}`: {error}", options.level),
                "use error, warn, info, debug or trace",
            )
        })?;
        let queue = Queue::start(io::stderr())
            .map_err(|error| Failure::new(format!("cannot start a thread for the log: {error}")))?;
        let writer = queue.clone();
        let lines = tracing_subscriber::fmt()
            .with_max_level(LevelFilter::TRACE)
            .with_writer(move || writer.clone());
        let _ = match options.format {
            LogFormat::Text => {
                lines.with_ansi(io::stderr().is_terminal()).finish().with(filter).try_init()
            }
            LogFormat::Json => lines.json().finish().with(filter).try_init(),
        };
        Ok(Self(queue))
    }
}

impl Drop for Log {
    fn drop(&mut self) {
        self.0.flush_within(LAST_LINES);
    }
}

/// What the thread of the log receives.
enum Message {
    Line(Vec<u8>),
    /// All earlier lines are written; the sender is dropped as the answer.
    Flush(SyncSender<()>),
}

/// A bounded queue of lines.
#[derive(Clone, Debug)]
struct Queue {
    messages: SyncSender<Message>,
    dropped: Arc<AtomicU64>,
}

impl Queue {
    fn start(out: impl Write + Send + 'static) -> io::Result<Self> {
        let (messages, received) = sync_channel(MAX_LOG_QUEUE);
        let dropped = Arc::new(AtomicU64::new(0));
        let count = Arc::clone(&dropped);
        thread::Builder::new()
            .name("log".to_owned())
            .spawn(move || write_lines(&received, out, &count))?;
        Ok(Self { messages, dropped })
    }

    fn flush_within(&self, time: Duration) {
        let (answer, done) = sync_channel(0);
        // A full queue means that nobody reads.
        if self.messages.try_send(Message::Flush(answer)).is_ok() {
            let _ = done.recv_timeout(time);
        }
    }
}

impl Write for Queue {
    /// Queues one event: the formatter writes each with one call.
    fn write(&mut self, line: &[u8]) -> io::Result<usize> {
        if self.messages.try_send(Message::Line(line.to_vec())).is_err() {
            self.dropped.fetch_add(1, Relaxed);
        }
        Ok(line.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Writes lines until the last sender is gone. Errors are ignored: there is nowhere to report them.
fn write_lines(messages: &Receiver<Message>, mut out: impl Write, dropped: &AtomicU64) {
    for message in messages {
        match message {
            Message::Line(line) => {
                let _ = out.write_all(&line);
            }
            Message::Flush(answer) => drop(answer),
        }
        let lines = dropped.swap(0, Relaxed);
        if lines > 0 {
            tracing::warn!(lines, "log lines were dropped: standard error was not read in time");
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Takes nothing until it is allowed to.
    struct Blocked(Receiver<()>, Arc<AtomicU64>);

    impl Write for Blocked {
        fn write(&mut self, line: &[u8]) -> io::Result<usize> {
            let _ = self.0.recv();
            self.1.fetch_add(1, Relaxed);
            Ok(line.len())
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    #[test]
    fn lines_for_which_there_is_no_room_are_dropped_and_counted() {
        let (allow, blocked) = sync_channel(0);
        let written = Arc::new(AtomicU64::new(0));
        let mut queue = Queue::start(Blocked(blocked, Arc::clone(&written))).unwrap();
        for _ in 0..MAX_LOG_QUEUE * 2 {
            queue.write_all(b"line\n").unwrap();
        }
        // One line may already be with the thread.
        let dropped = queue.dropped.load(Relaxed);
        assert!((MAX_LOG_QUEUE as u64 - 1..=MAX_LOG_QUEUE as u64).contains(&dropped), "{dropped}");
        drop(allow);
        let (answer, done) = sync_channel(0);
        queue.messages.send(Message::Flush(answer)).unwrap();
        assert!(done.recv().is_err(), "answered by dropping");
        assert_eq!(written.load(Relaxed) + dropped, 2 * MAX_LOG_QUEUE as u64);
        assert_eq!(queue.dropped.load(Relaxed), 0, "reported");
    }

    #[test]
    fn an_output_that_fails_is_ignored() {
        struct Closed;
        impl Write for Closed {
            fn write(&mut self, _: &[u8]) -> io::Result<usize> {
                Err(io::ErrorKind::BrokenPipe.into())
            }
            fn flush(&mut self) -> io::Result<()> {
                Ok(())
            }
        }
        let mut queue = Queue::start(Closed).unwrap();
        queue.write_all(b"line\n").unwrap();
        queue.flush_within(Duration::from_secs(60));
        queue.write_all(b"line\n").unwrap();
    }
}
