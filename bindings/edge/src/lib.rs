//! The WebAssembly module of the edge worker: bytes in, bytes out.
//!
//! Nothing is decided here: [`fingerpost_edge::Edge`] answers. A call has three steps:
//! [`edge_input`] returns the address where the caller writes, a function does its work, and
//! [`edge_output`] is the address of the result. There is one input and one output, because a module
//! has one thread. `worker/fingerpost.js` is the caller.

use std::cell::RefCell;

use fingerpost_edge::{Edge, EdgeFault, Reply, read_request, write_response};
use jiff::Timestamp;

#[derive(Default)]
struct Module {
    edge: Option<Edge>,
    input: Vec<u8>,
    output: Vec<u8>,
}

thread_local! {
    static MODULE: RefCell<Module> = RefCell::default();
}

/// The request is passed on to the origin.
const PASS_ON: isize = 0;

impl Module {
    /// Sets the output, and returns its length.
    fn put(&mut self, output: Vec<u8>) -> isize {
        self.output = output;
        self.output.len() as isize
    }

    /// Returns 0, or the length of the reason in the output as a negative number.
    fn done(&mut self, done: Result<(), EdgeFault>) -> isize {
        done.map_or_else(|fault| -self.put(fault.to_string().into_bytes()), |()| 0)
    }
}

/// Makes room for `length` bytes of input, and returns its address.
#[unsafe(no_mangle)]
pub extern "C" fn edge_input(length: usize) -> *mut u8 {
    MODULE.with_borrow_mut(|module| {
        module.input.resize(length, 0);
        module.input.as_mut_ptr()
    })
}

/// Returns the address of the output.
#[unsafe(no_mangle)]
pub extern "C" fn edge_output() -> *const u8 {
    MODULE.with_borrow(|module| module.output.as_ptr())
}

/// Reads the root in the input. Returns 0; a negative number is the length of the reason in the
/// output why it is refused, and the one before stays in use.
#[unsafe(no_mangle)]
pub extern "C" fn edge_root() -> isize {
    MODULE.with_borrow_mut(|module| {
        let root = std::mem::take(&mut module.input);
        let done = match &mut module.edge {
            Some(edge) => edge.replace_root(&root),
            None => Edge::new(&root).map(|edge| module.edge = Some(edge)),
        };
        module.done(done)
    })
}

/// Keeps the object that follows its name, of `name` bytes, in the input. Returns 0; a negative
/// number is the length of the reason in the output why it is refused.
#[unsafe(no_mangle)]
pub extern "C" fn edge_object(name: usize) -> isize {
    MODULE.with_borrow_mut(|module| {
        let mut input = std::mem::take(&mut module.input);
        let object = input.split_off(name.min(input.len()));
        let name = String::from_utf8_lossy(&input);
        let kept = module.edge.as_mut().map_or(Ok(()), |edge| edge.keep(&name, object));
        module.done(kept)
    })
}

/// Answers the request in the input, for an instant in milliseconds since 1970. Returns the length of
/// the response in the output; 0 if the origin answers; a negative number is the length of the names
/// in the output, one in each line, of objects that are needed first.
#[unsafe(no_mangle)]
pub extern "C" fn edge_answer(now: f64) -> isize {
    MODULE.with_borrow_mut(|module| {
        let Module { edge: Some(edge), input, .. } = &*module else { return PASS_ON };
        let Some(request) = read_request(input) else { return PASS_ON };
        // A number of JavaScript becomes the nearest whole number.
        let now = Timestamp::from_millisecond(now as i64).unwrap_or_default();
        match edge.answer(&request, now) {
            Reply::Answer(response) => module.put(write_response(response)),
            Reply::Missing(names) => -module.put(names.join("\n").into_bytes()),
            Reply::PassOn => PASS_ON,
        }
    })
}
