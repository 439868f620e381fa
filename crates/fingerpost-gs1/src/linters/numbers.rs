//! Numbers: zeros, coordinates, pieces, positions (linters zero, nonzero, nozeroprefix, latitude,
//! longitude, pieceoftotal, posinseqslash).

use super::{Lint, LintFault, charset};
use crate::error::LintError;

pub(super) fn zero(text: &[u8]) -> Lint {
    if is_zero(text) && !text.is_empty() {
        Ok(())
    } else {
        Err(LintFault::whole(LintError::NotZero, text))
    }
}

pub(super) fn nonzero(text: &[u8]) -> Lint {
    charset::digits(text)?;
    if is_zero(text) { Err(LintFault::whole(LintError::IllegalZeroValue, text)) } else { Ok(()) }
}

pub(super) fn nozeroprefix(text: &[u8]) -> Lint {
    charset::digits(text)?;
    if text.starts_with(b"0") {
        Err(LintFault::new(LintError::IllegalZeroPrefix, 0, 1))
    } else {
        Ok(())
    }
}

/// Checks a latitude, encoded as (degrees + 90) × 10⁷
pub(super) fn latitude(text: &[u8]) -> Lint {
    let wrong = [LintError::LatitudeInvalidLength, LintError::InvalidLatitude];
    coordinate(text, b"1800000000", wrong)
}

/// Checks a longitude, encoded as ((degrees + 360) mod 360) × 10⁷
pub(super) fn longitude(text: &[u8]) -> Lint {
    let wrong = [LintError::LongitudeInvalidLength, LintError::InvalidLongitude];
    coordinate(text, b"3600000000", wrong)
}

fn coordinate(text: &[u8], last: &[u8; 10], [length, large]: [LintError; 2]) -> Lint {
    if text.len() != last.len() {
        return Err(LintFault::whole(length, text));
    }
    charset::digits(text)?;
    // Ten digits on both sides, so text order equals number order.
    if text > last { Err(LintFault::whole(large, text)) } else { Ok(()) }
}

pub(super) fn pieceoftotal(text: &[u8]) -> Lint {
    charset::digits(text)?;
    if text.is_empty() || text.len() % 2 != 0 {
        return Err(LintFault::whole(LintError::InvalidLengthForPieceOfTotal, text));
    }
    let half = text.len() / 2;
    let (piece, total) = text.split_at(half);
    if is_zero(piece) {
        return Err(LintFault::new(LintError::ZeroPieceNumber, 0, half));
    }
    if is_zero(total) {
        return Err(LintFault::new(LintError::ZeroTotalPieces, half, half));
    }
    if piece > total {
        return Err(LintFault::whole(LintError::PieceNumberExceedsTotal, text));
    }
    Ok(())
}

pub(super) fn posinseqslash(text: &[u8]) -> Lint {
    let malformed = LintFault::whole(LintError::PositionInSequenceMalformed, text);
    let slash = text.iter().position(|&byte| byte == b'/').ok_or(malformed)?;
    let (position, end) = (&text[..slash], &text[slash + 1..]);
    if position.is_empty() || end.is_empty() {
        return Err(malformed);
    }
    charset::digits(position).and_then(|()| charset::digits(end)).map_err(|_| malformed)?;
    for (number, start) in [(position, 0), (end, slash + 1)] {
        if number.starts_with(b"0") {
            return Err(LintFault::new(LintError::IllegalZeroPrefix, start, number.len()));
        }
    }
    // Without leading zeros, the longer number is the larger one.
    if (position.len(), position) > (end.len(), end) {
        return Err(LintFault::whole(LintError::PositionExceedsEnd, text));
    }
    Ok(())
}

fn is_zero(text: &[u8]) -> bool {
    text.iter().all(|&byte| byte == b'0')
}
