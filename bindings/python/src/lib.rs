//! The functions of the toolkit for Python; the package around them gives results their types.
//!
//! Nothing is decided here: [`fingerpost_report::Toolkit`] answers, as it does for the command.

mod arrow;

use std::borrow::Cow;
use std::ops::Range;
use std::time::SystemTime;

use fingerpost_report::{Toolkit, ToolkitError};
use pyo3::create_exception;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::pybacked::PyBackedStr;
use pyo3::types::{PyBytes, PyDict, PyList, PyString, PyTuple};
use serde_json::Value;

use crate::arrow::ArrowColumn;

create_exception!(_native, Refused, PyValueError, "Carries code, message, help, span and input.");

/// The functions of the toolkit, with their options.
#[pyclass(frozen, name = "Toolkit")]
#[derive(Debug)]
struct PyToolkit(Toolkit);

#[pymethods]
impl PyToolkit {
    /// Creates the functions; `options` is a JSON object.
    #[new]
    fn new(options: &str) -> PyResult<Self> {
        Toolkit::new(options, now()).map(Self).map_err(refused)
    }

    fn check<'py>(&self, py: Python<'py>, text: &str) -> PyResult<Bound<'py, PyAny>> {
        object(py, &self.0.check(text))
    }

    fn convert(&self, text: &str) -> PyResult<String> {
        self.0.convert_text(text).map_err(refused)
    }

    /// Converts all texts without the interpreter lock, on `threads` threads; a text that is refused
    /// becomes its refusal. Returns also the positions of refusals.
    fn convert_many<'py>(
        &self,
        py: Python<'py>,
        texts: Column<'py>,
        threads: usize,
    ) -> PyResult<(Bound<'py, PyList>, Vec<usize>)> {
        let texts = texts.rows();
        let convert = |text: &str| self.0.convert_text(text);
        let found = py.detach(|| on_threads(texts, threads, convert));
        let mut positions = Vec::new();
        let items = found.into_iter().enumerate().map(|(position, found)| match found {
            None => Ok(py.None().into_bound(py)),
            Some(Ok(text)) => Ok(PyString::new(py, &text).into_any()),
            Some(Err(refusal)) => {
                positions.push(position);
                Ok(refused(refusal).into_value(py).into_bound(py).into_any())
            }
        });
        let items = PyList::new(py, items.collect::<PyResult<Vec<_>>>()?)?;
        Ok((items, positions))
    }

    /// Checks all texts without the interpreter lock, on `threads` threads.
    fn check_many<'py>(
        &self,
        py: Python<'py>,
        texts: Column<'py>,
        threads: usize,
    ) -> PyResult<Bound<'py, PyList>> {
        let texts = texts.rows();
        let found = py.detach(|| on_threads(texts, threads, |text| self.0.check(text)));
        let items = found.into_iter().map(|found| match found {
            None => Ok(py.None().into_bound(py)),
            Some(value) => object(py, &value),
        });
        PyList::new(py, items.collect::<PyResult<Vec<_>>>()?)
    }

    /// Returns the bytes of a label, what a scanner reports, and its width and height in millimetres.
    fn label<'py>(
        &self,
        py: Python<'py>,
        text: &str,
    ) -> PyResult<(Bound<'py, PyBytes>, String, f64, f64)> {
        let label = py.detach(|| self.0.label(text)).map_err(refused)?;
        Ok((PyBytes::new(py, &label.bytes), label.scan_data, label.size.0, label.size.1))
    }

    fn uri<'py>(&self, py: Python<'py>, text: &str) -> PyResult<Bound<'py, PyAny>> {
        object(py, &self.0.uri(text))
    }

    fn urn<'py>(&self, py: Python<'py>, text: &str) -> PyResult<Bound<'py, PyAny>> {
        object(py, &self.0.urn(text))
    }
}

/// Returns the names that the functions know.
#[pyfunction]
fn definition(py: Python<'_>) -> PyResult<Bound<'_, PyAny>> {
    object(py, &fingerpost_report::definition())
}

#[pymodule]
fn _native(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add("__version__", env!("CARGO_PKG_VERSION"))?;
    module.add("Refused", module.py().get_type::<Refused>())?;
    module.add_function(wrap_pyfunction!(definition, module)?)?;
    module.add_class::<ArrowColumn>()?;
    module.add_class::<PyToolkit>()
}

/// Texts of Python, or a column of Arrow.
#[derive(FromPyObject)]
enum Column<'py> {
    Arrow(PyRef<'py, ArrowColumn>),
    Texts(Vec<Option<PyBackedStr>>),
}

impl Column<'_> {
    fn rows(&self) -> Rows<'_> {
        match self {
            Self::Arrow(column) => Rows::Arrow(column),
            Self::Texts(texts) => Rows::Texts(texts),
        }
    }
}

/// A column that any thread may read.
#[derive(Clone, Copy)]
enum Rows<'c> {
    Arrow(&'c ArrowColumn),
    Texts(&'c [Option<PyBackedStr>]),
}

impl<'c> Rows<'c> {
    fn len(self) -> usize {
        match self {
            Self::Arrow(column) => column.len(),
            Self::Texts(texts) => texts.len(),
        }
    }

    fn text(self, row: usize) -> Option<Cow<'c, str>> {
        match self {
            Self::Arrow(column) => column.text(row),
            Self::Texts(texts) => texts[row].as_deref().map(Cow::Borrowed),
        }
    }
}

/// Applies a function to all texts, in parts of equal size.
fn on_threads<T: Send>(
    texts: Rows<'_>,
    threads: usize,
    function: impl Fn(&str) -> T + Sync,
) -> Vec<Option<T>> {
    let apply = &|rows: Range<usize>| -> Vec<Option<T>> {
        rows.map(|row| texts.text(row).map(|text| function(&text))).collect()
    };
    let length = texts.len();
    if threads < 2 || length < threads {
        return apply(0..length);
    }
    let size = length.div_ceil(threads);
    std::thread::scope(|scope| {
        let parts = (0..length).step_by(size).map(|from| from..length.min(from + size));
        let running: Vec<_> = parts.map(|part| scope.spawn(move || apply(part))).collect();
        let joined = running.into_iter().flat_map(|thread| {
            thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
        });
        joined.collect()
    })
}

fn refused(refusal: ToolkitError) -> PyErr {
    let finding = refusal.finding;
    let span = (finding.span.start, finding.span.end);
    Refused::new_err((finding.code, finding.message, finding.help, span, refusal.input))
}

/// Returns a JSON value as Python's; an array becomes a tuple, which does not change.
fn object<'py>(py: Python<'py>, value: &Value) -> PyResult<Bound<'py, PyAny>> {
    Ok(match value {
        Value::Null => py.None().into_bound(py),
        Value::Bool(value) => value.into_pyobject(py)?.to_owned().into_any(),
        Value::Number(number) => match (number.as_i64(), number.as_f64()) {
            (Some(number), _) => number.into_pyobject(py)?.into_any(),
            (None, number) => number.into_pyobject(py)?.into_any(),
        },
        Value::String(text) => PyString::new(py, text).into_any(),
        Value::Array(items) => {
            let items = items.iter().map(|item| object(py, item)).collect::<PyResult<Vec<_>>>()?;
            PyTuple::new(py, items)?.into_any()
        }
        Value::Object(members) => {
            let dict = PyDict::new(py);
            for (name, value) in members {
                dict.set_item(PyString::intern(py, name), object(py, value)?)?;
            }
            dict.into_any()
        }
    })
}

/// Returns the seconds since 1970.
#[expect(clippy::disallowed_methods, reason = "the clock of this package is read here alone")]
fn now() -> i64 {
    let elapsed = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
    i64::try_from(elapsed.as_secs()).unwrap_or(i64::MAX)
}
