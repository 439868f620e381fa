//! The WebAssembly module of the JavaScript package: text in, text or JSON out.
//!
//! Nothing is decided here: [`fingerpost_report::Toolkit`] answers, as it does for the command. A call
//! has three steps: [`fingerpost_input`] returns the address where the caller writes UTF-8,
//! [`fingerpost_call`] answers, and [`fingerpost_output`] is the address of the answer. There is one
//! input and one output, because a module has one thread. `lib/toolkit.js` is the caller.
//!
//! An interface of numbers needs no generated code on the other side: the loader is a page of
//! JavaScript, without `eval`, and the build needs no tool beside the compiler.

use std::cell::RefCell;

use fingerpost_report::{Toolkit, ToolkitError};

#[derive(Default)]
struct Module {
    input: Vec<u8>,
    output: String,
    toolkits: Vec<Toolkit>,
}

thread_local! {
    static MODULE: RefCell<Module> = RefCell::default();
}

impl Module {
    /// Sets the output, and returns its length.
    fn answer(&mut self, output: String) -> isize {
        self.output = output;
        self.output.len() as isize
    }

    /// Sets the output to a refusal, and returns its length as a negative number.
    fn refuse(&mut self, refusal: &ToolkitError) -> isize {
        -self.answer(refusal.json().to_string())
    }
}

/// A function of the toolkit.
type Function = fn(&Toolkit, &str) -> Result<String, ToolkitError>;

/// The functions of [`fingerpost_call`] in the order of their numbers.
const FUNCTIONS: &[Function] = &[
    |toolkit, text| Ok(toolkit.check(text).to_string()),
    Toolkit::convert_text,
    |toolkit, text| Ok(toolkit.uri(text).to_string()),
    |toolkit, text| Ok(toolkit.urn(text).to_string()),
    #[cfg(feature = "full")]
    |toolkit, text| Ok(toolkit.label(text)?.json().to_string()),
];

/// Makes room for `length` bytes of input, and returns its address.
#[unsafe(no_mangle)]
pub extern "C" fn fingerpost_input(length: usize) -> *mut u8 {
    MODULE.with_borrow_mut(|module| {
        let length = length.max(module.input.len());
        module.input.resize(length, 0);
        module.input.as_mut_ptr()
    })
}

/// Returns the address of the output.
#[unsafe(no_mangle)]
pub extern "C" fn fingerpost_output() -> *const u8 {
    MODULE.with_borrow(|module| module.output.as_ptr())
}

/// Creates a toolkit with the options in the first `length` bytes of the input, and returns its number.
/// `now` counts seconds since 1970. A negative number is the length of a refusal in the output, as JSON.
#[unsafe(no_mangle)]
pub extern "C" fn fingerpost_open(length: usize, now: f64) -> isize {
    MODULE.with_borrow_mut(|module| {
        // A number of JavaScript becomes the nearest whole number.
        match Toolkit::new(&String::from_utf8_lossy(&module.input[..length]), now as i64) {
            Ok(toolkit) => {
                module.toolkits.push(toolkit);
                module.toolkits.len() as isize - 1
            }
            Err(refusal) => module.refuse(&refusal),
        }
    })
}

/// Forgets all toolkits.
#[unsafe(no_mangle)]
pub extern "C" fn fingerpost_close_all() {
    MODULE.with_borrow_mut(|module| module.toolkits.clear());
}

/// Calls a function of a toolkit with the text in the first `length` bytes of the input. Returns the
/// length of the answer in the output; a negative one is that of a refusal.
#[unsafe(no_mangle)]
pub extern "C" fn fingerpost_call(toolkit: usize, function: usize, length: usize) -> isize {
    MODULE.with_borrow_mut(|module| {
        // The caller's encoder writes UTF-8 only.
        let text = String::from_utf8_lossy(&module.input[..length]);
        match FUNCTIONS[function](&module.toolkits[toolkit], &text) {
            Ok(answer) => module.answer(answer),
            Err(refusal) => module.refuse(&refusal),
        }
    })
}

/// Writes the names that the functions know to the output, as JSON, and returns its length.
#[unsafe(no_mangle)]
pub extern "C" fn fingerpost_definition() -> isize {
    MODULE.with_borrow_mut(|module| module.answer(fingerpost_report::definition().to_string()))
}
