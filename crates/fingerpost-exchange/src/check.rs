//! Checks the records of a source by themselves: no store, no registry, no sorting, one thread.

use fingerpost_resolver::{Accepted, RecordFault, Refused, Rules};

use crate::reading::{Note, READ_BYTES, judge};
use crate::sheet::{self, RefusedRows};
use crate::source::Input;
use crate::split::{Piece, Splitter};
use crate::{ImportError, ImportSource, RecordPosition};

/// Reads a source and passes each record to `take`, with its position, as an import would accept or
/// refuse it regardless of what is registered. The faults of a spreadsheet have cells or rows as
/// their pointers.
///
/// ```
/// use fingerpost_exchange::{ImportSource, check};
/// use fingerpost_resolver::{Rules, Vocabulary};
///
/// let file = "GTIN,URL,Title\n09506000134352,https://example.com/p,Tea\n09506000134353,https://example.com/p,Tea\n";
/// let source = ImportSource::recognise("links.csv", file.as_bytes(), &Default::default())?;
/// let mut refused = Vec::new();
/// check(source, &Rules::new(&Vocabulary::builtin()), &mut |position, result| {
///     refused.extend(result.err().map(|refused| (position.line, refused.faults[0].pointer().to_owned())));
/// })?;
/// assert_eq!(refused, [(3, "cell A3".to_owned())]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn check(
    source: ImportSource<'_>,
    rules: &Rules<'_>,
    take: &mut dyn FnMut(RecordPosition, Result<Accepted, Refused>),
) -> Result<(), ImportError> {
    let ImportSource { name, input } = source;
    match input {
        Input::Records(input) => {
            let unreadable = |source| ImportError::Unreadable { name: name.clone(), source };
            let mut splitter = Splitter::new(input, READ_BYTES);
            while let Some(piece) = splitter.next().map_err(unreadable)? {
                let Piece { line, column, record, content } = piece;
                let position = RecordPosition { source: 0, line, record };
                take(position, judge(position, column, content, rules).map_err(refused));
            }
            Ok(())
        }
        Input::Sheet(sheet) => {
            let mut record = 0;
            let scratch = std::env::temp_dir();
            let read = sheet::read(&name, *sheet, &scratch, rules, &mut |records, _| {
                for (line, result) in records {
                    record += 1;
                    let refused =
                        |RefusedRows { faults, .. }| Refused { faults, warnings: Vec::new() };
                    take(RecordPosition { source: 0, line, record }, result.map_err(refused));
                }
                true
            });
            read.map(|_| ())
        }
        Input::Foreign(foreign) => {
            for record in foreign.records(0) {
                let unreadable = |source| ImportError::Unreadable { name: name.clone(), source };
                let (position, content) = record.map_err(unreadable)?;
                let mut json = Vec::new();
                let content = content.map(|record| json = record).map(|()| json.as_slice());
                take(position, judge(position, 1, content, rules).map_err(refused));
            }
            Ok(())
        }
        Input::Answers(_) | Input::Converted(_) => Ok(()),
    }
}

fn refused(note: Note) -> Refused {
    let faults = match note {
        Note::Refused { faults, .. } => faults,
        Note::Unreadable { problem, .. } => {
            vec![RecordFault::new(String::new(), problem.id(), problem.to_string())]
        }
        Note::Warned { .. } => Vec::new(),
    };
    Refused { faults, warnings: Vec::new() }
}
