//! Decoding of bits to components: EPC Tag Data Standard 2.3, section 14.4.

use super::{ClassicEpc, FEW_BITS, FewBits, POWERS_OF_TEN, ZEROS, layout};
use crate::bits::{BitReader, Bits};
use crate::charset::{self, CAGE, CSET39, CSET82};
use crate::digits;
use crate::error::{Error, ErrorKind, ErrorSpan};
use crate::identity::{Components, PureIdentity};
use crate::limits::MAX_CPI_SERIAL;
use crate::scheme::{Field, Partition, Reference, Scheme};

impl ClassicEpc {
    /// Reads the bits of a scheme without `+`. Zero bits may follow.
    ///
    /// # Errors
    ///
    /// `RESERVED_HEADER` for other headers, or the first error from the left.
    pub fn from_bits(bits: &Bits) -> Result<ClassicEpc, Error> {
        // The header has eight bits.
        let header = bits.reader().read(8)? as u8;
        let scheme = Scheme::from_header(header).filter(|scheme| layout(*scheme).is_some());
        let reserved = Error::new(ErrorKind::ReservedHeader { header }, ErrorSpan::bits(0, 8));
        decode(scheme.ok_or(reserved)?, bits)
    }
}

/// Reads the bits of the scheme given by the header.
pub(crate) fn decode(scheme: Scheme, bits: &Bits) -> Result<ClassicEpc, Error> {
    let Some((urn, fields)) = layout(scheme) else {
        let kind = ErrorKind::ReservedHeader { header: scheme.header() };
        return Err(Error::new(kind, ErrorSpan::bits(0, 8)));
    };
    let mut reader = bits.reader();
    if let Some(length) = scheme.bits() {
        reader = reader.first(length)?;
        padding_is_zero(bits.reader(), length)?;
    }
    reader.read(8)?;
    // Filters have at most six bits.
    let filter = reader.read(scheme.filter_bits())? as u8;
    // Filled in place, because copying recently written data stalls.
    let identity = PureIdentity::from_checked(Components::new(urn));
    let few_bits = match scheme.bits() {
        Some(..=FEW_BITS) => bits.first_bytes(),
        _ => FewBits::default(),
    };
    let mut epc = ClassicEpc { scheme, filter, identity, few_bits };
    for field in fields {
        let start = reader.position();
        read_field(*field, &mut reader, epc.identity.components_mut(), start)?;
    }
    if scheme.bits().is_none() {
        padding_is_zero(bits.reader(), reader.position())?;
    }
    Ok(epc)
}

/// Checks that all bits from `end` on are zero.
fn padding_is_zero(mut reader: BitReader<'_>, end: usize) -> Result<(), Error> {
    reader.skip(end);
    if reader.rest_is_zero() {
        return Ok(());
    }
    let span = ErrorSpan::bits(end, end + reader.remaining());
    Err(Error::new(ErrorKind::NonZeroPadding, span))
}

#[inline]
fn read_field(
    field: Field,
    reader: &mut BitReader<'_>,
    components: &mut Components,
    start: usize,
) -> Result<(), Error> {
    match field {
        Field::Partition(table, reference) => {
            return read_partition(table, reference, reader, components);
        }
        Field::Integer(bits) => {
            let number = reader.read(usize::from(bits))?;
            push_number(components, number);
            Ok(())
        }
        Field::CpiSerial => {
            let number = reader.read(40)?;
            if number > MAX_CPI_SERIAL {
                Err(ErrorKind::SerialOverflow { max: MAX_CPI_SERIAL })
            } else {
                push_number(components, number);
                Ok(())
            }
        }
        Field::NumericString(bits, max) => {
            let number = reader.read(usize::from(bits))?;
            push_numeric_string(components, number, usize::from(max))
        }
        Field::Text7(bits) => return read_text7(reader, usize::from(bits), components),
        Field::Text6(max) => return read_text6(reader, usize::from(max), components),
        Field::Pair => match reader.read(7)? {
            number @ 0..=99 => {
                components.push_digits(number, 2);
                Ok(())
            }
            _ => Err(ErrorKind::OutOfRange { max: 99 }),
        },
        Field::Cage8 => {
            let code = reader.read(48)?.to_be_bytes();
            let code = &code[2..];
            push_cage(components, if code[0] == b' ' { &code[1..] } else { code })
        }
        Field::Cage6 => read_cage6(reader.read(36)?, components),
        Field::Zeros => match reader.read(ZEROS)? {
            0 => Ok(()),
            _ => Err(ErrorKind::ReservedBitsNotZero),
        },
    }
    .map_err(|kind| Error::new(kind, ErrorSpan::bits(start, reader.position())))
}

/// Parses company prefix and reference.
#[inline]
fn read_partition(
    table: &[Partition; 7],
    reference: Reference,
    reader: &mut BitReader<'_>,
    components: &mut Components,
) -> Result<(), Error> {
    let start = reader.position();
    let at = |kind, reader: &BitReader<'_>| {
        Err(Error::new(kind, ErrorSpan::bits(start, reader.position())))
    };
    // Three bits index eight rows, of which the last is missing.
    let Some(row) = table.get(reader.read(3)? as usize) else {
        return at(ErrorKind::BadPartition, reader);
    };
    let prefix = reader.read(usize::from(row.gcp_bits))?;
    if prefix >= POWERS_OF_TEN[usize::from(row.gcp_digits)] {
        return at(ErrorKind::GcpOverflow { digits: row.gcp_digits }, reader);
    }
    components.push_digits(prefix, usize::from(row.gcp_digits));
    let (bits, digits) = (usize::from(row.ref_bits), usize::from(row.ref_digits));
    match reference {
        Reference::Text7 => return read_text7(reader, bits, components),
        Reference::Text6 => return read_text6(reader, digits, components),
        Reference::Digits | Reference::Number => {}
    }
    let number = reader.read(bits)?;
    if number >= POWERS_OF_TEN[digits] {
        return at(ErrorKind::ReferenceOverflow { digits: row.ref_digits }, reader);
    }
    match reference {
        Reference::Number => push_number(components, number),
        _ => components.push_digits(number, digits),
    }
    Ok(())
}

/// Reads characters of seven bits: the text ends at the first zero character, and all characters
/// after it are zero.
fn read_text7(
    reader: &mut BitReader<'_>,
    bits: usize,
    components: &mut Components,
) -> Result<(), Error> {
    // No field has more than 168 bits.
    let mut text = [0; 24];
    let (mut count, start) = (0, reader.position());
    let mut field = reader.first(start + bits)?;
    reader.skip(bits);
    let at = |kind, end| Error::new(kind, ErrorSpan::bits(start, end));
    while field.remaining() >= 7 {
        // Seven bits are a byte.
        let code = field.read(7)? as u8;
        if code == 0 {
            break;
        }
        if !charset::is(code, CSET82) {
            return Err(at(ErrorKind::BadCharacter, field.position()));
        }
        text[count] = code;
        count += 1;
    }
    if !field.rest_is_zero() {
        return Err(at(ErrorKind::DataAfterTerminator, start + bits));
    }
    components.push_plain(&text[..count]).map_err(|kind| at(kind, start + bits))
}

/// Reads characters of six bits up to a zero character.
fn read_text6(
    reader: &mut BitReader<'_>,
    max: usize,
    components: &mut Components,
) -> Result<(), Error> {
    let mut text = [0; 32];
    let (mut count, start) = (0, reader.position());
    let at = |kind, end| Error::new(kind, ErrorSpan::bits(start, end));
    loop {
        let code = reader.read(6)?;
        if code == 0 {
            break;
        }
        let character = six_bit_character(code);
        if !charset::is(character, CSET39) {
            return Err(at(ErrorKind::BadCharacter, reader.position()));
        }
        if count == max {
            return Err(at(ErrorKind::TooLong { max }, reader.position()));
        }
        text[count] = character;
        count += 1;
    }
    components.push_plain(&text[..count]).map_err(|kind| at(kind, reader.position()))
}

/// Parses six groups; a marker in the first one means a code of five characters.
fn read_cage6(groups: u64, components: &mut Components) -> Result<(), ErrorKind> {
    let mut code = [0; 6];
    for (index, character) in code.iter_mut().enumerate() {
        *character = six_bit_character(groups >> (30 - 6 * index) & 63);
    }
    // The marker is the code of a space.
    push_cage(components, if code[0] == b' ' { &code[1..] } else { &code })
}

fn push_cage(components: &mut Components, code: &[u8]) -> Result<(), ErrorKind> {
    if code.iter().all(|&byte| charset::is(byte, CAGE)) {
        components.push_plain(code)
    } else {
        Err(ErrorKind::BadCage)
    }
}

/// Returns the ASCII character of six bits: those below 32 are the letters.
fn six_bit_character(code: u64) -> u8 {
    // Six bits are a byte.
    let code = (code & 63) as u8;
    if code < 0x20 { 0x40 + code } else { code }
}

#[inline]
fn push_number(components: &mut Components, number: u64) {
    components.push_digits(number, digits::count(number));
}

/// Returns the digits after a digit 1, which preserves leading zeros.
fn push_numeric_string(
    components: &mut Components,
    number: u64,
    max: usize,
) -> Result<(), ErrorKind> {
    let count = digits::count(number) - 1;
    match number.checked_sub(POWERS_OF_TEN[count]) {
        Some(rest) if rest < POWERS_OF_TEN[count] && (1..=max).contains(&count) => {
            components.push_digits(rest, count);
            Ok(())
        }
        _ => Err(ErrorKind::BadNumericString),
    }
}
