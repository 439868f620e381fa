//! Data Matrix (ISO/IEC 16022, ECC 200), always square.
//!
//! GS1 DataMatrix begins with FNC1 and separates elements by GS (0x1D), which GS1 General
//! Specifications, section 5.6, allows instead of FNC1.

use datamatrix::{DataMatrixBuilder, SymbolList};

use crate::limits::MAX_DATA_MATRIX_BYTES;
use crate::matrix::Matrix;

/// Draws the smallest Data Matrix, with FNC1 first if it is a GS1 DataMatrix; `None` if the data do
/// not fit.
pub(crate) fn draw(data: &[u8], is_gs1: bool) -> Option<Matrix> {
    if data.len() > MAX_DATA_MATRIX_BYTES {
        return None;
    }
    let code = DataMatrixBuilder::new()
        .with_symbol_list(SymbolList::default().enforce_square())
        // Macros stand for the header of another syntax (ISO/IEC 15434).
        .with_macros(false)
        .with_fnc1_start(is_gs1)
        .encode(data)
        .ok()?;
    let bitmap = code.bitmap();
    let width = u32::try_from(bitmap.width()).ok()?;
    Some(Matrix::new(width, bitmap.bits().to_vec()))
}
