//! Looks for slow inputs of every reader: the first byte chooses the reader, the rest is its text. Fails when one takes more steps than it
//! promises (`fuzz/steps`).
#![no_main]

#[path = "../counter.rs"]
mod counter;

use std::sync::Once;

use fingerpost_steps::READERS;

/// For each reader, the rates of steps for each byte that were reached, in powers of the square root of two. libFuzzer keeps an input that
/// reaches a new one.
#[unsafe(link_section = "__libfuzzer_extra_counters")]
static mut REACHED: [u8; 64 * 32] = [0; 64 * 32];

libfuzzer_sys::fuzz_target!(|data: &[u8]| {
    static COUNTING: Once = Once::new();
    COUNTING.call_once(|| {
        assert!(
            counter::is_counting(),
            "this target counts nothing: .ci/fuzz-build compiles it with the calls that count"
        );
    });
    let Some((&first, text)) = data.split_first() else { return };
    let Ok(text) = std::str::from_utf8(text) else { return };
    let at = usize::from(first) % READERS.len();
    let reader = &READERS[at];
    let taken = counter::steps(|| (reader.read)(text));
    let rate = (1 + taken) as f64 / (16 + text.len()) as f64;
    let step = ((2.0 * rate.log2()).max(0.0) as usize).min(31);
    // SAFETY: there is one thread, and the place is inside: there are fewer than 64 readers.
    unsafe { REACHED[at * 32 + step] = 1 };
    let bound = reader.bound(text.len());
    assert!(
        taken <= bound,
        "{}: {taken} steps for {} bytes, at most {bound} allowed",
        reader.name,
        text.len()
    );
});
