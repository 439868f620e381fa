//! The outcome for each document of an import.

use fingerpost_exchange::RecordPosition;
use serde::{Deserialize, Serialize};

use crate::document::CeDocument;

/// The outcome for a document.
#[derive(Clone, Debug)]
pub struct DocumentOutcome {
    /// Its position: the index of its file, the line and the number in the file.
    pub position: RecordPosition,
    /// Its anchor with its qualifiers, as far as they can be read.
    pub anchor: Option<String>,
    /// Its fate.
    pub fate: Fate,
    /// Why: what was repaired, or every fault.
    pub reasons: Vec<OutcomeReason>,
    /// The document on one line, to correct and import it; only for [`Fate::Quarantined`] and, as
    /// far as it can be found, [`Fate::Refused`].
    pub document: Option<Vec<u8>>,
}

/// Receives the outcome for each document.
pub type ReportOutcome = Box<dyn FnMut(DocumentOutcome) + Send>;

/// The fate of a document.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Fate {
    /// It is a record as it is.
    Imported,
    /// It was merged with another document of the same qualifier set.
    Merged,
    /// It is a record after a repair.
    Repaired,
    /// It can be a record only after somebody has corrected it.
    Quarantined,
    /// It is not a document of Resolver CE.
    Refused,
}

impl Fate {
    /// All of them.
    pub const ALL: [Fate; 5] =
        [Fate::Imported, Fate::Merged, Fate::Repaired, Fate::Quarantined, Fate::Refused];

    /// Returns the name in reports.
    pub fn as_str(self) -> &'static str {
        match self {
            Fate::Imported => "imported",
            Fate::Merged => "merged",
            Fate::Repaired => "repaired",
            Fate::Quarantined => "quarantined",
            Fate::Refused => "refused",
        }
    }
}

/// A rule by which a document was repaired, or a fault.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct OutcomeReason {
    /// The name of the rule, the requirement, or the RFC of the notation.
    pub id: String,
    /// What happened, or what is wrong.
    pub message: String,
}

impl OutcomeReason {
    pub(crate) fn new(id: impl Into<String>, message: impl Into<String>) -> OutcomeReason {
        OutcomeReason { id: id.into(), message: message.into() }
    }
}

/// Returns the outcome of a document that somebody has to correct.
pub(crate) fn quarantined(
    position: RecordPosition,
    document: &CeDocument,
    reasons: Vec<OutcomeReason>,
) -> DocumentOutcome {
    let line = serde_json::to_vec(document).expect("texts and lists only");
    DocumentOutcome {
        position,
        anchor: Some(document.shown_anchor()),
        fate: Fate::Quarantined,
        reasons,
        document: Some(line),
    }
}

macro_rules! repairs {
    ($($name:ident = $id:literal $message:literal)*) => {
        /// A repair.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
        pub(crate) enum Repair {
            $($name),*
        }

        impl Repair {
            /// Returns the name of the rule, and what happened.
            pub(crate) fn rule(self) -> (&'static str, &'static str) {
                match self {
                    $(Repair::$name => ($id, $message)),*
                }
            }
        }
    };
}

repairs! {
    AnchorAddress = "anchor-address" "the anchor is an address: its path is used"
    AnchorQualifiers = "anchor-qualifiers" "the qualifiers of the anchor are used as qualifiers"
    ShortGtin = "short-gtin" "the GTIN is written with 14 digits"
    SerialAlone = "serial-alone" "a serial number identifies the item alone (RES-2.5.10-2): the other qualifiers are left out, and scans with and without them get the same links"
    VariableAbove = "variable-above" "no record covers every serial number of one lot or variant: the links are registered at that level, with the serial number of the scan"
    Variables = "variables" "several variables: the links are registered for any value of the first one"
    AssetPattern = "asset-pattern" "the pattern is a record of the company prefix, which covers keys of other types too"
    NoDefaultFlag = "no-default-flag" "no response is the default: the last one is used"
    Languages = "languages" "responses that differ only in their language are one link"
    StoredDefault = "stored-default" "the stored default link is added to the links of its type"
    InactiveLink = "inactive-link" "inactive links are kept with a validity that has ended"
    KeyRecord = "key-record" "the key itself has no document: its record has the default link of this one"
}

impl From<Repair> for OutcomeReason {
    fn from(repair: Repair) -> OutcomeReason {
        let (id, message) = repair.rule();
        OutcomeReason::new(id, message)
    }
}
