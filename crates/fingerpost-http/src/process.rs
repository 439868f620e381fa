//! Functions of the operating system: file descriptors, the priority and time of threads, free
//! space, and that a limit of file sizes is an error.

use std::io;
use std::path::Path;
use std::time::Duration;

use rustix::process::{Resource, Rlimit, Signal, getrlimit, setrlimit};
use rustix::time::{ClockId, clock_gettime};
use tokio::runtime;
use tokio::signal::unix::{SignalKind, signal};

/// Raises the number of files and connections that the process may have open as far as it may
/// (`RLIMIT_NOFILE`). Returns the number, or `None` if there is no limit.
pub fn raise_descriptors() -> Option<usize> {
    let limit = getrlimit(Resource::Nofile);
    let raised = Rlimit { current: limit.maximum, maximum: limit.maximum };
    let current = match setrlimit(Resource::Nofile, raised) {
        Ok(()) => limit.maximum,
        Err(error) => {
            tracing::warn!(%error, "the number of open files stays as it is");
            limit.current
        }
    };
    current.map(|current| usize::try_from(current).unwrap_or(usize::MAX))
}

/// Returns the number of files and connections that the process may have open now; `None` if there
/// is no limit.
pub fn descriptor_limit() -> Option<u64> {
    getrlimit(Resource::Nofile).current
}

/// Returns the time since the machine was started, by the clock of process managers.
pub fn monotonic_time() -> Duration {
    Duration::try_from(clock_gettime(ClockId::Monotonic)).unwrap_or_default()
}

/// Returns the processor time that the process has used.
pub fn process_time() -> Duration {
    Duration::try_from(clock_gettime(ClockId::ProcessCPUTime)).unwrap_or_default()
}

/// Lets others go first while cores are scarce: lowers the priority of the calling thread, and of
/// those that it starts, to a third. Redirects do not wait for writes and lists then. Without
/// effect except on Linux, where priorities belong to threads.
pub fn yield_to_others() {
    /// A step is about 20 % less processor time beside a thread of normal priority (`sched(7)`).
    const STEPS: i32 = 5;
    #[cfg(target_os = "linux")]
    if let Err(error) = rustix::process::nice(STEPS) {
        tracing::debug!(%error, "the priority of a thread stays as it is");
    }
}

/// Returns the processor time that the calling thread has used.
pub fn thread_time() -> Duration {
    // A time since the start of a thread is never negative.
    Duration::try_from(clock_gettime(ClockId::ThreadCPUTime)).unwrap_or_default()
}

/// Returns the number of bytes that the process can still write where a directory is.
pub fn free_space(dir: &Path) -> io::Result<u64> {
    let found = rustix::fs::statvfs(dir)?;
    Ok(found.f_bavail.saturating_mul(found.f_frsize))
}

/// Makes a write beyond the largest file size permitted (`RLIMIT_FSIZE`) an error like any other.
/// Without this, SIGXFSZ ends the process.
pub fn survive_file_size_limit() -> io::Result<()> {
    // A handler outlives the runtime in which it was installed. It does nothing, and is enough for
    // the write to fail with EFBIG.
    let runtime = runtime::Builder::new_current_thread().enable_io().build()?;
    let _context = runtime.enter();
    signal(SignalKind::from_raw(Signal::XFSZ.as_raw())).map(drop)
}
