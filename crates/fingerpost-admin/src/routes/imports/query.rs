//! The query of an import. Two of its parameters can be repeated, so it is read pair by pair.

use fingerpost_exchange::{ColumnMapping, SheetOptions};

use crate::limits::{DEFAULT_REPORTED, MAX_REPORTED};
use crate::problem::AdminProblem;

/// Options of an import.
#[derive(Clone, Debug)]
pub(super) struct ImportQuery {
    pub(super) dry_run: bool,
    pub(super) keep_rest: bool,
    /// Maximum number of refused, warned and superseded records to report, of each kind.
    pub(super) faults: u64,
    pub(super) sheet: SheetOptions,
}

impl ImportQuery {
    /// Reads the parameters.
    pub(super) fn read(pairs: Vec<(String, String)>) -> Result<Self, AdminProblem> {
        let mut query = ImportQuery {
            dry_run: false,
            keep_rest: false,
            faults: DEFAULT_REPORTED,
            sheet: SheetOptions::default(),
        };
        let mut seen = Vec::new();
        for (name, value) in pairs {
            match name.as_str() {
                "column" => query.sheet.columns.push(mapping(&name, &value)?),
                "remembered" => query.sheet.remembered.push(mapping(&name, &value)?),
                _ if seen.contains(&name) => {
                    return Err(invalid(format!("the parameter {name} is given twice")));
                }
                "dryRun" => query.dry_run = switch(&name, &value)?,
                "keepRest" => query.keep_rest = switch(&name, &value)?,
                "mergeRows" => query.sheet.merge_rows = switch(&name, &value)?,
                "faults" => {
                    let number = value.parse().ok().filter(|number| *number <= MAX_REPORTED);
                    let detail = || invalid(format!("faults must be 0 to {MAX_REPORTED}"));
                    query.faults = number.ok_or_else(detail)?;
                }
                "sheet" => query.sheet.sheet = Some(value),
                _ => {
                    let known = "dryRun, keepRest, sheet, column, remembered, mergeRows and faults";
                    return Err(invalid(format!("unknown parameter: the parameters are {known}")));
                }
            }
            seen.push(name);
        }
        Ok(query)
    }
}

/// Reads `TITLE=NAME`. No name has an equals sign, but titles may.
fn mapping(parameter: &str, value: &str) -> Result<ColumnMapping, AdminProblem> {
    let read = value.rsplit_once('=').filter(|(title, _)| !title.trim().is_empty());
    let (title, column) = read.ok_or_else(|| {
        invalid(format!("{parameter} must be TITLE=NAME, such as {parameter}=Art. no.=gtin"))
    })?;
    Ok(ColumnMapping::new(title, column))
}

fn switch(parameter: &str, value: &str) -> Result<bool, AdminProblem> {
    value.parse().map_err(|_| invalid(format!("{parameter} must be true or false")))
}

fn invalid(detail: String) -> AdminProblem {
    AdminProblem::bad_request("invalid-query", detail)
}
