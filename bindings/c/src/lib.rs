//! The C interface: text and options in, JSON out (`include/fingerpost.h`).
//!
//! Nothing is decided here: [`fingerpost_report::call`] answers, as it does for the command.

use std::ffi::{CStr, CString, c_char};
use std::panic;
use std::time::SystemTime;

use serde_json::json;

/// Checks a text: what it is, its faults with their positions, what it says.
///
/// Returns the object of `fingerpost check --format json`. Parameters and ownership are the same for
/// all functions: see the head of this file.
///
/// # Safety
///
/// `text` is NULL or points to `length` bytes, `options` is NULL or ends in NUL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fingerpost_check(
    text: *const c_char,
    length: usize,
    options: *const c_char,
) -> *mut c_char {
    // SAFETY: as the caller promises.
    unsafe { answer("check", text, length, options) }
}

/// Converts an identifier to the form of the option `to`, or without it to all of them.
///
/// Returns `{"result": …, "warnings": […]}`; the result is a string, or an object with all forms.
///
/// # Safety
///
/// As for `fingerpost_check`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fingerpost_convert(
    text: *const c_char,
    length: usize,
    options: *const c_char,
) -> *mut c_char {
    // SAFETY: as the caller promises.
    unsafe { answer("convert", text, length, options) }
}

/// Draws the label of an identifier.
///
/// Returns `{"result": {"format", "text" or "base64", "scan_data", "width_mm", "height_mm"}}`: SVG as
/// text, PNG and PDF in base64.
///
/// # Safety
///
/// As for `fingerpost_check`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fingerpost_label(
    text: *const c_char,
    length: usize,
    options: *const c_char,
) -> *mut c_char {
    // SAFETY: as the caller promises.
    unsafe { answer("label", text, length, options) }
}

/// Splits a URI reference into its components (RFC 3986).
///
/// Returns the object of `fingerpost uri parse --format json`.
///
/// # Safety
///
/// As for `fingerpost_check`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fingerpost_uri(
    text: *const c_char,
    length: usize,
    options: *const c_char,
) -> *mut c_char {
    // SAFETY: as the caller promises.
    unsafe { answer("uri", text, length, options) }
}

/// Splits a URN into its parts (RFC 8141).
///
/// Returns the object of `fingerpost urn parse --format json`.
///
/// # Safety
///
/// As for `fingerpost_check`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fingerpost_urn(
    text: *const c_char,
    length: usize,
    options: *const c_char,
) -> *mut c_char {
    // SAFETY: as the caller promises.
    unsafe { answer("urn", text, length, options) }
}

/// Releases a string that a function of this library returned. NULL is ignored.
///
/// # Safety
///
/// `returned` is NULL, or was returned by a function of this library and is released for the first
/// time.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fingerpost_free(returned: *mut c_char) {
    if !returned.is_null() {
        // SAFETY: `owned` made it with `CString::into_raw`, as the caller promises.
        drop(unsafe { CString::from_raw(returned) });
    }
}

/// Returns the names that the functions know, as JSON: `functions`, `forms`, `accept`, `schemes`,
/// `symbols`, `addresses`, and the `release` of GS1's table.
#[unsafe(no_mangle)]
pub extern "C" fn fingerpost_definition() -> *mut c_char {
    owned(fingerpost_report::definition().to_string())
}

/// Returns the version of this library. It is not released.
#[unsafe(no_mangle)]
pub extern "C" fn fingerpost_version() -> *const c_char {
    const { version(concat!(env!("CARGO_PKG_VERSION"), "\0")) }.as_ptr()
}

const fn version(text: &'static str) -> &'static CStr {
    match CStr::from_bytes_with_nul(text.as_bytes()) {
        Ok(text) => text,
        Err(_) => panic!("expected a version without NUL"),
    }
}

/// Calls a function of the toolkit.
///
/// # Safety
///
/// As for `fingerpost_check`.
unsafe fn answer(
    function: &str,
    text: *const c_char,
    length: usize,
    options: *const c_char,
) -> *mut c_char {
    let bytes: &[u8] = match text.is_null() {
        true => &[],
        // SAFETY: `text` points to `length` bytes, as the caller promises.
        false => unsafe { std::slice::from_raw_parts(text.cast(), length) },
    };
    let options = match options.is_null() {
        true => c"",
        // SAFETY: `options` ends in NUL, as the caller promises.
        false => unsafe { CStr::from_ptr(options) },
    };
    let (text, options) = match (std::str::from_utf8(bytes), options.to_str()) {
        (Ok(text), Ok(options)) => (text, options),
        (Err(error), _) => return owned(not_text("the text", error.valid_up_to())),
        (_, Err(error)) => return owned(not_text("the options", error.valid_up_to())),
    };
    // A panic must not leave Rust.
    let answer = panic::catch_unwind(|| fingerpost_report::call(function, text, options, now()));
    owned(answer.unwrap_or_else(|_| {
        error("DEFECT", "the library failed", "report this text to its developers", 0)
    }))
}

fn not_text(what: &str, at: usize) -> String {
    let message = format!("expected {what} in UTF-8, found another byte at {at}");
    error("NOT_UTF8", &message, "convert it to UTF-8 first", at)
}

fn error(code: &str, message: &str, help: &str, at: usize) -> String {
    let span = json!({"start": at, "end": at});
    let error = json!({"code": code, "message": message, "help": help, "span": span, "input": ""});
    json!({"error": error}).to_string()
}

/// Returns JSON, which holds no NUL, as a string of the caller.
fn owned(json: String) -> *mut c_char {
    CString::new(json).unwrap_or_default().into_raw()
}

/// Returns the seconds since 1970.
#[expect(clippy::disallowed_methods, reason = "the clock of this library is read here alone")]
fn now() -> i64 {
    let elapsed = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
    i64::try_from(elapsed.as_secs()).unwrap_or(i64::MAX)
}
