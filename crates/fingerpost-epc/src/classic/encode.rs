//! Encoding of components as bits: EPC Tag Data Standard 2.3, section 14.3.

use super::{FEW_BITS, FewBits, POWERS_OF_TEN, ZEROS, checked_filter, layout};
use crate::bits::Bits;
use crate::digits;
use crate::error::{Error, ErrorKind, ErrorSpan};
use crate::identity::{Components, PureIdentity};
use crate::scheme::{Field, Partition, Reference, Scheme, part};

/// Checks that the scheme can represent an identity, and returns its bits, if they are few.
pub(super) fn check(scheme: Scheme, filter: u8, identity: &PureIdentity) -> Result<FewBits, Error> {
    let mut window = Window(0);
    write(scheme, filter, identity.checked(), &mut window)
        .map_err(|kind| Error::new(kind, ErrorSpan::Nowhere))?;
    Ok(match scheme.bits() {
        Some(len @ ..=FEW_BITS) => (window.0 << (FEW_BITS - len)).to_be_bytes(),
        _ => FewBits::default(),
    })
}

/// Returns the bits of an identity that [`check`] accepts; `few` are what it returns.
pub(super) fn encode(scheme: Scheme, filter: u8, identity: &PureIdentity, few: FewBits) -> Bits {
    let mut bits = Bits::new();
    match scheme.bits() {
        // The shortest scheme has 96 bits.
        Some(len @ 64..=FEW_BITS) => {
            let window = u128::from_be_bytes(few);
            bits.push((window >> 64) as u64, 64);
            bits.push(window as u64 >> (FEW_BITS - len), len - 64);
        }
        // `check` has reported all errors.
        _ => _ = write(scheme, filter, identity.checked(), &mut bits),
    }
    bits
}

/// The output of the encoder.
trait Sink {
    fn push(&mut self, value: u64, width: usize);
    fn push_zeros(&mut self, count: usize);
}

impl Sink for Bits {
    #[inline]
    fn push(&mut self, value: u64, width: usize) {
        Bits::push(self, value, width);
    }

    #[inline]
    fn push_zeros(&mut self, count: usize) {
        Bits::push_zeros(self, count);
    }
}

/// The last 128 bits written, lowest first: a shorter scheme need not be written again.
struct Window(u128);

impl Sink for Window {
    #[inline]
    fn push(&mut self, value: u64, width: usize) {
        self.0 = self.0 << width | u128::from(value);
    }

    fn push_zeros(&mut self, count: usize) {
        self.0 = u32::try_from(count).ok().and_then(|count| self.0.checked_shl(count)).unwrap_or(0);
    }
}

fn write(
    scheme: Scheme,
    filter: u8,
    components: &Components,
    bits: &mut impl Sink,
) -> Result<(), ErrorKind> {
    let (urn, fields) = layout(scheme).ok_or(ErrorKind::NoEpc)?;
    if urn != components.scheme() {
        return Err(ErrorKind::NoEpc);
    }
    bits.push(u64::from(scheme.header()), 8);
    bits.push(u64::from(checked_filter(scheme, filter)?), scheme.filter_bits());
    let mut index = 0;
    for field in fields {
        match *field {
            Field::Partition(table, reference) => {
                write_partition(table, reference, components, bits)?;
                index += 1;
            }
            Field::Zeros => bits.push(0, ZEROS),
            field => write_field(field, components.bytes(index), bits)?,
        }
        index += 1;
    }
    Ok(())
}

#[inline]
fn write_field(field: Field, text: &[u8], bits: &mut impl Sink) -> Result<(), ErrorKind> {
    match field {
        Field::Integer(width) => bits.push(integer(text, width)?, usize::from(width)),
        Field::CpiSerial => bits.push(integer(text, 40)?, 40),
        Field::NumericString(width, max) => {
            let max = usize::from(max);
            if text.len() > max {
                return Err(ErrorKind::TooLong { max });
            }
            let number = digits::read(text).ok_or(ErrorKind::BadDigits)?;
            bits.push(POWERS_OF_TEN[text.len()] + number, usize::from(width));
        }
        Field::Text7(width) => write_text7(text, usize::from(width), bits)?,
        Field::Text6(_) => write_text6(text, bits),
        // The components were checked: two digits.
        Field::Pair => bits.push(digits::read(text).unwrap_or(0), 7),
        Field::Cage8 => {
            if text.len() < 6 {
                bits.push(u64::from(b' '), 8);
            }
            text.iter().for_each(|&byte| bits.push(u64::from(byte), 8));
        }
        Field::Cage6 => {
            if text.len() < 6 {
                bits.push(u64::from(b' '), 6);
            }
            text.iter().for_each(|&byte| bits.push(six_bits(byte), 6));
        }
        // Written where the fields are distinguished.
        Field::Partition(..) | Field::Zeros => {}
    }
    Ok(())
}

#[inline]
fn write_partition(
    table: &[Partition; 7],
    reference: Reference,
    components: &Components,
    bits: &mut impl Sink,
) -> Result<(), ErrorKind> {
    let (prefix, text) = (components.bytes(0), components.bytes(1));
    let partition = 12_usize.checked_sub(prefix.len()).ok_or(ErrorKind::BadGcpLength)?;
    let row = table.get(partition).ok_or(ErrorKind::BadGcpLength)?;
    let (width, most) = (row.ref_bits, usize::from(row.ref_digits));
    bits.push(partition as u64, 3);
    // The components are already checked: digits, as many as required.
    bits.push(digits::read(prefix).unwrap_or(0), usize::from(row.gcp_bits));
    match reference {
        Reference::Digits => bits.push(digits::read(text).unwrap_or(0), usize::from(width)),
        Reference::Number => {
            part::check_number(text)?;
            if text.len() > most {
                return Err(ErrorKind::OutOfRange { max: POWERS_OF_TEN[most] - 1 });
            }
            bits.push(integer(text, width)?, usize::from(width));
        }
        Reference::Text7 => write_text7(text, usize::from(width), bits)?,
        Reference::Text6 if text.len() > most => return Err(ErrorKind::TooLong { max: most }),
        Reference::Text6 => write_text6(text, bits),
    }
    Ok(())
}

/// Returns a number without leading zeros that fits into `width` bits.
#[inline]
fn integer(text: &[u8], width: u8) -> Result<u64, ErrorKind> {
    let has_leading_zero = text.len() > 1 && text[0] == b'0';
    match digits::read(text) {
        Some(number) if number >> width == 0 && !has_leading_zero => Ok(number),
        _ => Err(not_an_integer(text, width)),
    }
}

#[cold]
fn not_an_integer(text: &[u8], width: u8) -> ErrorKind {
    part::check_number(text).err().unwrap_or(ErrorKind::Overflow { bits: width })
}

fn write_text7(text: &[u8], width: usize, bits: &mut impl Sink) -> Result<(), ErrorKind> {
    let Some(rest) = width.checked_sub(7 * text.len()) else {
        return Err(ErrorKind::TooLong { max: width / 7 });
    };
    text.iter().for_each(|&byte| bits.push(u64::from(byte), 7));
    bits.push_zeros(rest);
    Ok(())
}

fn write_text6(text: &[u8], bits: &mut impl Sink) {
    text.iter().for_each(|&byte| bits.push(six_bits(byte), 6));
    bits.push(0, 6);
}

/// Returns the six bits of an ASCII character of CSET 39.
fn six_bits(byte: u8) -> u64 {
    u64::from(byte & 0x3F)
}
