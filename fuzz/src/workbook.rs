//! A workbook made of parts, so that fuzzing reaches what is inside: a ZIP archive of stored files
//! (APPNOTE.TXT 4.3).
//!
//! ```text
//! input = sheet [ NUL shared-strings [ NUL styles [ NUL workbook [ NUL its-relations [ NUL relations ] ] ] ] ]
//! ```

/// The names of the parts, and what they are if the input does not have them.
const PARTS: [(&str, &str); 6] = [
    ("xl/worksheets/sheet1.xml", "<worksheet/>"),
    ("xl/sharedStrings.xml", "<sst/>"),
    ("xl/styles.xml", "<styleSheet/>"),
    (
        "xl/workbook.xml",
        r#"<workbook xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main" xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships"><sheets><sheet name="Links" sheetId="1" r:id="rId1"/></sheets></workbook>"#,
    ),
    (
        "xl/_rels/workbook.xml.rels",
        r#"<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship Id="rId1" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/worksheet" Target="worksheets/sheet1.xml"/><Relationship Id="rId2" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/sharedStrings" Target="sharedStrings.xml"/><Relationship Id="rId3" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/styles" Target="styles.xml"/></Relationships>"#,
    ),
    (
        "_rels/.rels",
        r#"<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship Id="rId1" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/officeDocument" Target="xl/workbook.xml"/></Relationships>"#,
    ),
];

/// Returns the workbook of these parts.
pub(crate) fn of_parts(data: &[u8]) -> Vec<u8> {
    let mut given = data.split(|byte| *byte == 0);
    let parts = PARTS.map(|(name, usual)| (name, given.next().unwrap_or(usual.as_bytes())));
    let (mut archive, mut directory) = (Vec::new(), Vec::new());
    for (name, content) in parts {
        let offset = archive.len() as u32;
        let mut common = Vec::new();
        // Version 2.0, no flags, stored, no time.
        common.extend([20, 0, 0, 0, 0, 0, 0, 0, 0, 0]);
        common.extend(crc32(content).to_le_bytes());
        common.extend(
            [(content.len() as u32).to_le_bytes(), (content.len() as u32).to_le_bytes()].concat(),
        );
        common.extend([(name.len() as u16).to_le_bytes(), [0, 0]].concat());
        archive.extend([b"PK\x03\x04", &*common, name.as_bytes(), content].concat());
        // Made by version 2.0; no comment, first disk, no attributes.
        directory.extend(
            [b"PK\x01\x02\x14\x00", &*common, &[0; 10], &offset.to_le_bytes(), name.as_bytes()]
                .concat(),
        );
    }
    let (begin, count) = (archive.len() as u32, PARTS.len() as u16);
    archive.extend(&directory);
    archive.extend(b"PK\x05\x06\0\0\0\0");
    archive.extend([count.to_le_bytes(), count.to_le_bytes()].concat());
    archive.extend([(directory.len() as u32).to_le_bytes(), begin.to_le_bytes()].concat());
    archive.extend([0, 0]);
    archive
}

/// CRC-32 of ISO 3309, bit by bit.
fn crc32(bytes: &[u8]) -> u32 {
    let step = |crc: u32| if crc & 1 == 1 { crc >> 1 ^ 0xEDB8_8320 } else { crc >> 1 };
    let byte = |crc: u32, byte: &u8| (0..8).fold(crc ^ u32::from(*byte), |crc, _| step(crc));
    !bytes.iter().fold(u32::MAX, byte)
}
