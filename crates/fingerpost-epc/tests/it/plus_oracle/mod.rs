//! A second writer of values, as the steps of EPC Tag Data Standard 2.3, section 14.5, say: bits as
//! characters `0` and `1`, all arithmetic on decimal digits. And values that Table F takes.

use fingerpost_epc::Bits;
use serde_json::Value;

const TABLES: &str = include_str!("../../../../../data/epc.json");

/// The characters of the 82-character set and `#`.
pub(crate) const CHARACTERS: &str =
    "!\"#%&'()*+,-./0123456789:;<=>?ABCDEFGHIJKLMNOPQRSTUVWXYZ_abcdefghijklmnopqrstuvwxyz";
const BASE64: &str = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
const UPPER_HEX: &str = "0123456789ABCDEF";
const LOWER_HEX: &str = "0123456789abcdef";
const CODE_40: &str = "?ABCDEFGHIJKLMNOPQRSTUVWXYZ-.:0123456789";
const DIGITS: &str = "0123456789";

/// The source data of the crate's tables.
pub(crate) fn tables() -> Value {
    serde_json::from_str(TABLES).unwrap()
}

/// Parts of the value of every Application Identifier that has a row.
pub(crate) fn rows() -> Vec<(String, Vec<Value>)> {
    let mut all = Vec::new();
    for row in tables()["table_f"]["rows"].as_array().unwrap() {
        let (first, last) = (row["first"].as_str().unwrap(), row["last"].as_str().unwrap());
        let number = |text: &str| text.parse::<u16>().unwrap();
        for ai in number(first)..=number(last) {
            let parts = row["parts"].as_array().unwrap().clone();
            all.push((format!("{ai:0width$}", width = first.len()), parts));
        }
    }
    all
}

/// Numbers that look random (splitmix64).
pub(crate) struct Numbers(pub(crate) u64);

impl Numbers {
    pub(crate) fn below(&mut self, limit: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        usize::try_from((mixed ^ (mixed >> 31)) % limit as u64).unwrap()
    }

    pub(crate) fn text(&mut self, alphabet: &str, len: usize) -> String {
        let alphabet = alphabet.as_bytes();
        (0..len).map(|_| char::from(alphabet[self.below(alphabet.len())])).collect()
    }

    /// A length from 1 on, often the longest or the shortest.
    pub(crate) fn length(&mut self, max: usize) -> usize {
        match self.below(4) {
            0 => max,
            1 => 1,
            _ => 1 + self.below(max),
        }
    }

    /// Text of one of the forms.
    pub(crate) fn alnum(&mut self, len: usize) -> String {
        let sets = [DIGITS, UPPER_HEX, LOWER_HEX, BASE64, CHARACTERS, &CODE_40[1..], "0", "9"];
        let set = sets[self.below(sets.len())];
        self.text(set, len)
    }

    fn date(&mut self) -> String {
        let month = self.below(12);
        let days = [31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31][month];
        format!("{:02}{:02}{:02}", self.below(100), month + 1, self.below(days + 1))
    }

    fn time(&mut self, fields: usize) -> String {
        let (hour, minute, second) = (self.below(25), self.below(60), self.below(60));
        let whole = if hour == 24 {
            "240000".to_owned()
        } else {
            format!("{hour:02}{minute:02}{second:02}")
        };
        whole[..2 * fields].to_owned()
    }

    /// A value of one part; with `empty` it may be empty where the row allows it.
    pub(crate) fn part(&mut self, part: &Value, empty: bool) -> String {
        let number = |key: &str| usize::try_from(part[key].as_u64().unwrap()).unwrap();
        let none = empty && part["may_be_empty"] == true && self.below(4) == 0;
        match part["method"].as_str().unwrap() {
            "FIXED_DIGITS" | "FIXED_BITS" => self.text(DIGITS, number("digits")),
            "VAR_NUM" | "VAR_ALNUM" if none => String::new(),
            "VAR_NUM" => {
                let len = self.length(number("max"));
                let set = ["9", "0", DIGITS][self.below(3)];
                self.text(set, len)
            }
            "VAR_ALNUM" => {
                let len = self.length(number("max"));
                self.alnum(len)
            }
            "DELIM_NUM" => {
                let len = self.length(number("max"));
                let digits = 1 + self.below(len);
                self.text(DIGITS, digits) + &self.alnum(len - digits)
            }
            "BIT1" => self.text("01", 1),
            "DATE6" => self.date(),
            "DATETIME10" => self.date() + &self.time(2),
            "DATE_OR_RANGE" => match self.below(2) {
                0 => self.date(),
                _ => self.date() + &self.date(),
            },
            "DATETIME_VAR" => {
                let fields = self.below(4);
                self.date() + &self.time(fields)
            }
            "COUNTRY2" => self.text("ABCDEFGHIJKLMNOPQRSTUVWXYZ", 2),
            "OPT_MINUS" => ["", "-"][self.below(2)].to_owned(),
            "SEQ" => self.text("123456789", 1) + "/" + &self.text("123456789", 1),
            other => panic!("{other}"),
        }
    }
}

/// A value in bits, in the canonical form.
pub(crate) fn value_bits(parts: &[Value], value: &str) -> String {
    let (mut rest, mut bits) = (value, String::new());
    for part in parts {
        let width =
            part["digits"].as_u64().map_or(rest.len(), |digits| usize::try_from(digits).unwrap());
        let (own, after) = rest.split_at(width);
        bits += &part_bits(part, own);
        rest = after;
    }
    bits
}

fn part_bits(part: &Value, text: &str) -> String {
    let number = |key: &str| usize::try_from(part[key].as_u64().unwrap()).unwrap();
    match part["method"].as_str().unwrap() {
        "FIXED_DIGITS" => nibbles(text),
        "FIXED_BITS" => decimal(text, number("bits")),
        "VAR_NUM" => integer(text.len(), number("len_bits")) + &decimal(text, width_of(text.len())),
        "VAR_ALNUM" => alnum(text, number("len_bits")),
        "DELIM_NUM" => {
            let digits = text.find(|byte: char| !byte.is_ascii_digit());
            match digits {
                None => nibbles(text) + "1111",
                Some(at) => nibbles(&text[..at]) + "1110" + &alnum(&text[at..], number("len_bits")),
            }
        }
        "BIT1" => text.to_owned(),
        "DATE6" => date(text),
        "DATETIME10" => date(&text[..6]) + &time(&text[6..]),
        "DATE_OR_RANGE" if text.len() == 6 => "0".to_owned() + &date(text),
        "DATE_OR_RANGE" => "1".to_owned() + &date(&text[..6]) + &date(&text[6..]),
        "DATETIME_VAR" => {
            ["11", "00", "01", "10"][text.len() / 2 - 3].to_owned()
                + &date(&text[..6])
                + &time(&text[6..])
        }
        "COUNTRY2" => text.bytes().map(|letter| integer(usize::from(letter - b'A'), 6)).collect(),
        "OPT_MINUS" => if text.is_empty() { "0" } else { "1" }.to_owned(),
        "SEQ" => nibbles(&text.replace('/', "")),
        other => panic!("{other}"),
    }
}

/// Indicator, length and characters, with the fewest bits; of equals the smallest indicator.
fn alnum(text: &str, len_bits: usize) -> String {
    let forms = (0..6).filter_map(|form| Some((alnum_data(text, form)?, form)));
    let (data, form) = forms.min_by_key(|(data, form)| (data.len(), *form)).unwrap();
    integer(form, 3) + &integer(text.len(), len_bits) + &data
}

/// The characters in one of the forms; `None` when it does not cover them.
pub(crate) fn alnum_data(text: &str, form: usize) -> Option<String> {
    let set = [DIGITS, UPPER_HEX, LOWER_HEX, BASE64, CHARACTERS, &CODE_40[1..]][form];
    if !text.chars().all(|character| set.contains(character)) {
        return None;
    }
    let position = |set: &str, character: char| set.find(character).unwrap();
    Some(match form {
        0 => decimal(text, width_of(text.len())),
        1 | 2 => text.chars().map(|character| integer(position(set, character), 4)).collect(),
        3 => text.chars().map(|character| integer(position(set, character), 6)).collect(),
        4 => text.bytes().map(|character| integer(usize::from(character), 7)).collect(),
        _ => code_40(text),
    })
}

/// URN Code 40.
pub(crate) fn code_40(text: &str) -> String {
    let padded = text.to_owned() + ["", "??", "?"][text.len() % 3];
    let index = |at: usize| CODE_40.find(&padded[at..=at]).unwrap();
    (0..padded.len())
        .step_by(3)
        .map(|at| integer(1600 * index(at) + 40 * index(at + 1) + index(at + 2) + 1, 16))
        .collect()
}

fn nibbles(digits: &str) -> String {
    digits.bytes().map(|digit| integer(usize::from(digit - b'0'), 4)).collect()
}

fn date(digits: &str) -> String {
    let field = |at: usize| digits[at..at + 2].parse::<usize>().unwrap();
    integer(field(0), 7) + &integer(field(2), 4) + &integer(field(4), 5)
}

fn time(digits: &str) -> String {
    let field = |at: usize| digits[at..at + 2].parse::<usize>().unwrap();
    (0..digits.len()).step_by(2).map(|at| integer(field(at), if at == 0 { 5 } else { 6 })).collect()
}

/// An integer in so many bits.
pub(crate) fn integer(number: usize, bits: usize) -> String {
    let text = format!("{number:0bits$b}");
    assert!(text.len() == bits || (bits, number) == (0, 0));
    text[..bits].to_owned()
}

/// Bits of the largest number with so many digits.
fn width_of(digits: usize) -> usize {
    binary(&"9".repeat(digits)).len()
}

/// Decimal digits as an integer in so many bits.
fn decimal(digits: &str, bits: usize) -> String {
    let binary = binary(digits);
    "0".repeat(bits - binary.len()) + &binary
}

/// Decimal to binary without leading zeros, by halving the digits again and again.
fn binary(digits: &str) -> String {
    let mut left: Vec<u8> = digits.bytes().map(|digit| digit - b'0').collect();
    let mut bits = String::new();
    while left.iter().any(|digit| *digit != 0) {
        let mut carry = 0;
        for digit in &mut left {
            let value = carry * 10 + *digit;
            (*digit, carry) = (value / 2, value % 2);
        }
        bits.insert(0, char::from(b'0' + carry));
    }
    bits
}

/// `0` and `1` as a bit string, padded to whole hexadecimal digits.
pub(crate) fn bits_of(text: &str) -> Bits {
    let padded = text.to_owned() + &"0".repeat((4 - text.len() % 4) % 4);
    let digits: String = (0..padded.len())
        .step_by(4)
        .map(|at| {
            char::from_digit(u32::from_str_radix(&padded[at..at + 4], 2).unwrap(), 16).unwrap()
        })
        .collect();
    Bits::from_hex(&digits).unwrap()
}

/// Makes the check digit right where the value has one; the first digit of AI 8003 is 0.
pub(crate) fn with_check_digit(ai: &str, value: &str) -> String {
    let position = match ai {
        "00" | "8017" | "8018" => 17,
        "01" | "8003" | "8006" => 13,
        "414" | "253" | "255" => 12,
        _ => return value.to_owned(),
    };
    let mut bytes = value.as_bytes().to_owned();
    if ai == "8003" {
        bytes[0] = b'0';
    }
    let weigh = |(at, digit): (usize, &u8)| u32::from(digit - b'0') * [3, 1][at % 2];
    let sum: u32 = bytes[..position].iter().rev().enumerate().map(weigh).sum();
    bytes[position] = b'0' + u8::try_from((10 - sum % 10) % 10).unwrap();
    String::from_utf8(bytes).unwrap()
}
