//! PNG (W3C Portable Network Graphics, third edition) with one bit per pixel, and its size in the
//! chunk pHYs.

use std::io::Write;

use flate2::Compression;
use flate2::write::ZlibEncoder;

use crate::raster::Raster;

impl Raster {
    /// Returns the picture as a PNG file.
    #[must_use]
    pub fn to_png(&self) -> Vec<u8> {
        let mut png = SIGNATURE.to_vec();
        let mut header = Vec::with_capacity(13);
        header.extend_from_slice(&self.width().to_be_bytes());
        header.extend_from_slice(&self.height().to_be_bytes());
        // One bit of grey; the only methods of compression and filtering; no interlacing.
        header.extend_from_slice(&[1, 0, 0, 0, 0]);
        chunk(b"IHDR", &header, &mut png);
        let per_metre = (f64::from(self.dpi()) / 0.0254).round() as u32;
        let size = [per_metre.to_be_bytes(), per_metre.to_be_bytes()].concat();
        chunk(b"pHYs", &[&size[..], &[UNIT_METRE]].concat(), &mut png);
        chunk(b"IDAT", &self.packed(), &mut png);
        chunk(b"IEND", &[], &mut png);
        png
    }

    fn packed(&self) -> Vec<u8> {
        let mut packed = ZlibEncoder::new(Vec::new(), Compression::default());
        let mut line = Vec::new();
        for row in self.rows() {
            line.clear();
            line.push(NO_FILTER);
            // In PNG, 1 is white.
            line.extend(row.iter().map(|byte| !byte));
            // Writing to memory does not fail.
            let _ = packed.write_all(&line);
        }
        packed.finish().unwrap_or_default()
    }
}

fn chunk(name: &[u8; 4], content: &[u8], png: &mut Vec<u8>) {
    let length = u32::try_from(content.len()).unwrap_or(u32::MAX);
    png.extend_from_slice(&length.to_be_bytes());
    let begin = png.len();
    png.extend_from_slice(name);
    png.extend_from_slice(content);
    let checksum = crc32fast::hash(&png[begin..]);
    png.extend_from_slice(&checksum.to_be_bytes());
}

const SIGNATURE: &[u8] = b"\x89PNG\r\n\x1a\n";
const NO_FILTER: u8 = 0;
const UNIT_METRE: u8 = 1;
