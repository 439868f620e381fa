//! Spreadsheets as programs and people write them.

use std::ops::ControlFlow;

use fingerpost_exchange::{ImportOptions, ImportTarget, SheetOptions, Source, import};

use crate::support::{Fixture, caller};

/// ECMA-376 Part 1, 22.4.2.4 (ST_Xstring): `_x000D_` is an escaped line break. A break in a title
/// or a description is a space.
#[test]
fn ecma_376_22_4_2_4_line_breaks_in_cells_are_spaces() {
    let fixture = Fixture::new();
    let sheet = "GTIN,Description,Web address,Title\n\
                 09520123456788,\"Alpine\r\nherb tea\",https://example.com/tea,Tea_x000D_\n";
    let source = Source::recognise("sheet", sheet.as_bytes(), &SheetOptions::default()).unwrap();
    let target = ImportTarget::registry(fixture.registry.clone(), caller());
    let mut faults = Vec::new();
    let totals = import(target, vec![source], ImportOptions::default(), &mut |event| {
        faults.push(format!("{event:?}"));
        ControlFlow::Continue(())
    });
    assert_eq!(totals.unwrap().created, 1, "{faults:?}");
    let record = fixture.export();
    assert!(record.contains(r#""Alpine herb tea""#), "{record}");
    assert!(record.contains(r#""title":"Tea""#), "{record}");
}
