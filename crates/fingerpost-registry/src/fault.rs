//! Faults of requests: the position, the broken rule, and what is wrong. Stored, compared and sent
//! as they are.

use std::borrow::Cow;
use std::fmt;

use serde::{Deserialize, Serialize};

/// A fault or a warning, with its position in the document of the request.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct Fault {
    /// The position, as a JSON pointer (RFC 6901); empty for the whole document.
    pointer: String,
    /// The requirement of the standard that is broken, such as `RES-2.5.8-2`, or a word for a rule
    /// of the registry.
    #[cfg_attr(feature = "schema", schema(value_type = String))]
    id: Cow<'static, str>,
    /// What is wrong.
    detail: String,
}

impl Fault {
    /// Creates a fault.
    pub fn new(
        pointer: impl Into<String>,
        id: impl Into<Cow<'static, str>>,
        detail: impl Into<String>,
    ) -> Fault {
        Fault { pointer: pointer.into(), id: id.into(), detail: detail.into() }
    }

    /// Returns the same fault in a document that contains this one at `pointer`.
    pub fn within(self, pointer: &str) -> Fault {
        Fault { pointer: format!("{pointer}{}", self.pointer), ..self }
    }

    /// Returns the position, as a JSON pointer (RFC 6901); empty for the whole document.
    pub fn pointer(&self) -> &str {
        &self.pointer
    }

    /// Returns the requirement of the standard that is broken, such as `RES-2.5.8-2`, the RFC of
    /// the notation, or a word for a rule of the registry such as `anchor`.
    pub fn id(&self) -> &str {
        &self.id
    }

    /// Returns what is wrong.
    pub fn detail(&self) -> &str {
        &self.detail
    }
}

impl From<&fingerpost_resolver::RecordFault> for Fault {
    fn from(fault: &fingerpost_resolver::RecordFault) -> Fault {
        Fault::new(fault.pointer(), fault.id(), fault.message())
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {} ({})", self.pointer, self.detail, self.id)
    }
}

pub(crate) fn faults<'f>(
    faults: impl IntoIterator<Item = &'f fingerpost_resolver::RecordFault>,
) -> Vec<Fault> {
    faults.into_iter().map(Fault::from).collect()
}

/// Displays all faults, one per line.
pub(crate) struct Lines<'f>(pub(crate) &'f [Fault]);

impl fmt::Display for Lines<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, fault) in self.0.iter().enumerate() {
            if index > 0 {
                f.write_str("\n")?;
            }
            fault.fmt(f)?;
        }
        Ok(())
    }
}

/// Returns the faults with `pointer` prepended to their pointers.
pub(crate) fn within(pointer: &str, faults: Vec<Fault>) -> impl Iterator<Item = Fault> {
    faults.into_iter().map(move |fault| fault.within(pointer))
}
