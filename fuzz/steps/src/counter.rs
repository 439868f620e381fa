//! Counts steps, as a part of each program that does, because its own object comes first when it is linked: libFuzzer has a function of
//! the same name that ends the program.
//!
//! The compiler inserts a call at every edge between basic blocks (SanitizerCoverage, `trace-pc-guard`), and the call counts. A step is therefore a short run of instructions without a branch. Generic code of the standard library is counted where our crates use
//! it; what it has compiled itself, such as `memchr` and `memcmp`, counts as nothing, but is linear in what it is given. The numbers
//! depend only on the code, the compiler and the input.

static mut STEPS: u64 = 0;

/// Called by instrumented code at every edge.
///
/// # Safety
///
/// Only instrumented code may call it, and only in programs with one thread.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn __sanitizer_cov_trace_pc_guard(_: *mut u32) {
    // SAFETY: there is one thread. Nothing is called here, because the call would be counted by a call of this function.
    unsafe { STEPS = STEPS.wrapping_add(1) }
}

/// Called when the program starts; there is nothing to prepare.
///
/// # Safety
///
/// Only instrumented code may call it.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn __sanitizer_cov_trace_pc_guard_init(_: *mut u32, _: *mut u32) {}

/// Returns the number of steps that `work` takes.
pub fn steps(work: impl FnOnce()) -> u64 {
    // SAFETY: there is one thread.
    let before = unsafe { STEPS };
    work();
    // SAFETY: there is one thread.
    unsafe { STEPS }.wrapping_sub(before)
}

/// Returns whether the program was compiled with the calls that count.
pub fn is_counting() -> bool {
    let read = || {
        for reader in fingerpost_steps::READERS {
            (reader.read)(std::hint::black_box("urn:a:b"));
        }
    };
    steps(read) > 0
}
