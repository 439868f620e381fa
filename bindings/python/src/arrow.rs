//! Columns of text in Arrow's memory, read where they are: the C data and C stream interfaces, which
//! objects offer as `__arrow_c_array__` and `__arrow_c_stream__` (the PyCapsule interface).
//!
//! Layouts: `utf8` (format `u`), `large_utf8` (`U`) and `utf8_view` (`vu`). The unsafe code of the
//! package is here alone. It relies on what the interfaces promise: buffers that are as long as the
//! length, the offset and the layout say, and that do not change until they are released.

#![allow(unsafe_code, reason = "the interfaces are structs of C in memory of others")]

use std::borrow::Cow;
use std::ffi::{CStr, c_char, c_int, c_void};
use std::mem;
use std::slice;

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::{PyCapsule, PyTuple};

/// `struct ArrowSchema`.
#[repr(C)]
struct Schema {
    format: *const c_char,
    name: *const c_char,
    metadata: *const c_char,
    flags: i64,
    n_children: i64,
    children: *const c_void,
    dictionary: *const c_void,
    release: Option<unsafe extern "C" fn(*mut Schema)>,
    private_data: *mut c_void,
}

/// `struct ArrowArray`.
#[repr(C)]
struct Array {
    length: i64,
    null_count: i64,
    offset: i64,
    n_buffers: i64,
    n_children: i64,
    buffers: *const *const u8,
    children: *const c_void,
    dictionary: *const c_void,
    release: Option<unsafe extern "C" fn(*mut Array)>,
    private_data: *mut c_void,
}

/// `struct ArrowArrayStream`.
#[repr(C)]
struct Stream {
    get_schema: Option<unsafe extern "C" fn(*mut Stream, *mut Schema) -> c_int>,
    get_next: Option<unsafe extern "C" fn(*mut Stream, *mut Array) -> c_int>,
    get_last_error: Option<unsafe extern "C" fn(*mut Stream) -> *const c_char>,
    release: Option<unsafe extern "C" fn(*mut Stream)>,
    private_data: *mut c_void,
}

/// A struct that its owner releases.
trait Released {
    fn release(&mut self);
}

macro_rules! released {
    ($($name:ident),*) => {$(
        impl Released for $name {
            fn release(&mut self) {
                if let Some(release) = self.release {
                    // SAFETY: the struct is released by its own function, which clears `release`.
                    unsafe { release(self) }
                }
            }
        }
    )*};
}
released!(Schema, Array, Stream);

/// A struct that belongs to this program.
struct Owned<T: Released>(T);

impl<T: Released> Owned<T> {
    /// Returns a struct that a producer fills; one without `release` is empty.
    fn empty() -> Self {
        // SAFETY: the structs consist of numbers, pointers and optional functions, for which zero is valid.
        Self(unsafe { mem::zeroed() })
    }

    /// Moves the struct out of a capsule, whose destructor then has nothing to release.
    fn taken_from(capsule: &Bound<'_, PyAny>, name: &CStr) -> PyResult<Self> {
        let pointer = capsule.cast::<PyCapsule>()?.pointer_checked(Some(name))?.cast::<T>();
        // SAFETY: a capsule of this name holds this struct. A struct that is moved leaves zeros behind,
        // so it is without `release`, as the interface demands.
        Ok(Self(unsafe { pointer.replace(mem::zeroed()) }))
    }
}

impl<T: Released> Drop for Owned<T> {
    fn drop(&mut self) {
        self.0.release();
    }
}

#[derive(Clone, Copy)]
enum Layout {
    Utf8,
    LargeUtf8,
    View,
}

impl Layout {
    fn of(schema: &Schema) -> Option<Self> {
        if schema.format.is_null() || !schema.dictionary.is_null() {
            return None;
        }
        // SAFETY: the format of a schema is text that ends with zero.
        match unsafe { CStr::from_ptr(schema.format) }.to_bytes() {
            b"u" => Some(Self::Utf8),
            b"U" => Some(Self::LargeUtf8),
            b"vu" => Some(Self::View),
            _ => None,
        }
    }
}

/// A column of text, in one or more arrays.
#[pyclass(frozen, name = "ArrowColumn")]
pub(crate) struct ArrowColumn {
    layout: Layout,
    /// Each array with the position after its last text.
    arrays: Vec<(usize, Owned<Array>)>,
}

// SAFETY: the arrays are not changed while they are read, and `release` may be called by any thread.
unsafe impl Send for ArrowColumn {}
// SAFETY: as above.
unsafe impl Sync for ArrowColumn {}

#[pymethods]
impl ArrowColumn {
    /// Takes the column that an object offers; `None` if it offers none, or not one of text.
    #[staticmethod]
    fn of(object: &Bound<'_, PyAny>) -> PyResult<Option<Self>> {
        if object.hasattr("__arrow_c_array__")? {
            let pair = object.call_method0("__arrow_c_array__")?.cast_into::<PyTuple>()?;
            let schema = Owned::<Schema>::taken_from(&pair.get_item(0)?, c"arrow_schema")?;
            let array = Owned::taken_from(&pair.get_item(1)?, c"arrow_array")?;
            return Layout::of(&schema.0).map(|layout| Self::new(layout, vec![array])).transpose();
        }
        if !object.hasattr("__arrow_c_stream__")? {
            return Ok(None);
        }
        let capsule = object.call_method0("__arrow_c_stream__")?;
        let mut stream = Owned::<Stream>::taken_from(&capsule, c"arrow_array_stream")?;
        let mut schema = Owned::<Schema>::empty();
        let (Some(get_schema), Some(get_next)) = (stream.0.get_schema, stream.0.get_next) else {
            return Err(PyValueError::new_err("the Arrow stream was read before"));
        };
        // SAFETY: the stream is not released, and the schema is empty.
        if unsafe { get_schema(&mut stream.0, &mut schema.0) } != 0 {
            return Err(failure(&mut stream));
        }
        let Some(layout) = Layout::of(&schema.0) else { return Ok(None) };
        let mut arrays = Vec::new();
        loop {
            let mut array = Owned::<Array>::empty();
            // SAFETY: as above; an array that stays empty is the end of the stream.
            if unsafe { get_next(&mut stream.0, &mut array.0) } != 0 {
                return Err(failure(&mut stream));
            }
            if array.0.release.is_none() {
                return Self::new(layout, arrays).map(Some);
            }
            arrays.push(array);
        }
    }
}

impl ArrowColumn {
    fn new(layout: Layout, arrays: Vec<Owned<Array>>) -> PyResult<Self> {
        // The layouts have three buffers at least: validity, offsets or views, and text or lengths.
        let lacks =
            |array: &Array| array.length > 0 && (array.n_buffers < 3 || array.buffers.is_null());
        if arrays.iter().any(|array| lacks(&array.0)) {
            return Err(PyValueError::new_err("expected an Arrow array with three buffers"));
        }
        let mut end = 0;
        let arrays = arrays.into_iter().map(|array| {
            end += usize::try_from(array.0.length).unwrap_or(0);
            (end, array)
        });
        Ok(Self { layout, arrays: arrays.collect() })
    }

    pub(crate) fn len(&self) -> usize {
        self.arrays.last().map_or(0, |(end, _)| *end)
    }

    /// Returns the text at a position below [`Self::len`]; `None` is a missing value.
    pub(crate) fn text(&self, position: usize) -> Option<Cow<'_, str>> {
        let index = self.arrays.partition_point(|(end, _)| *end <= position);
        let begin = index.checked_sub(1).map_or(0, |before| self.arrays[before].0);
        let array = &self.arrays[index].1.0;
        let row = usize::try_from(array.offset).unwrap_or(0) + position - begin;
        // SAFETY: the position is below the length, so the row is in all buffers of the layout.
        let bytes = unsafe {
            let is_set = |bits: *const u8| *bits.add(row / 8) >> (row % 8) & 1 == 1;
            if !buffer(array, 0).is_null() && !is_set(buffer(array, 0)) {
                return None;
            }
            match self.layout {
                Layout::Utf8 => between::<i32>(array, row),
                Layout::LargeUtf8 => between::<i64>(array, row),
                Layout::View => viewed(array, row),
            }
        };
        // Producers promise UTF-8; one that breaks the promise gets a text that is not valid.
        Some(String::from_utf8_lossy(bytes))
    }
}

/// Returns a buffer of an array.
///
/// # Safety
///
/// The layout of the array has this buffer.
unsafe fn buffer(array: &Array, index: usize) -> *const u8 {
    // SAFETY: by the condition of this function.
    unsafe { *array.buffers.add(index) }
}

/// Returns what is between two offsets.
///
/// # Safety
///
/// The array has offsets of this type, and the row is in it.
unsafe fn between<T: Copy + TryInto<usize>>(array: &Array, row: usize) -> &[u8] {
    // SAFETY: an array has one more offset than rows, and they do not decrease.
    unsafe {
        let offsets = buffer(array, 1).cast::<T>().add(row);
        let at = |index: usize| offsets.add(index).read_unaligned().try_into().unwrap_or(0);
        match at(1).saturating_sub(at(0)) {
            // Then the buffer may be absent.
            0 => &[],
            length => slice::from_raw_parts(buffer(array, 2).add(at(0)), length),
        }
    }
}

/// Returns what a view holds or points to.
///
/// # Safety
///
/// The array has views, and the row is in it.
unsafe fn viewed(array: &Array, row: usize) -> &[u8] {
    // SAFETY: a view has 16 bytes: the length, then up to 12 bytes of text; or four of them, the number of
    // the buffer that has all of them, and their place in it.
    unsafe {
        let view = buffer(array, 1).add(row * 16);
        let number = |index: usize| view.cast::<i32>().add(index).read_unaligned();
        let number = |index| usize::try_from(number(index)).unwrap_or(0);
        match number(0) {
            length @ 0..=12 => slice::from_raw_parts(view.add(4), length),
            length => slice::from_raw_parts(buffer(array, 2 + number(2)).add(number(3)), length),
        }
    }
}

/// Returns the error of a stream as an exception.
fn failure(stream: &mut Owned<Stream>) -> PyErr {
    let message = stream.0.get_last_error.map_or(std::ptr::null(), |get_last_error| {
        // SAFETY: the stream is not released, and its last call failed.
        unsafe { get_last_error(&mut stream.0) }
    });
    let message = match message.is_null() {
        true => "the Arrow stream cannot be read".into(),
        // SAFETY: a message is text that ends with zero, and stays until the next call.
        false => unsafe { CStr::from_ptr(message) }.to_string_lossy().into_owned(),
    };
    PyValueError::new_err(message)
}
