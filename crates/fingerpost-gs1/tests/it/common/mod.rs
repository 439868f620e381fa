//! Makes values that every rule of a row accepts, without using the checks of the library.

use fingerpost_gs1::{AiEntry, CharacterSet, ValueComponent};

/// A small generator of numbers; the seed comes from the property test, so failures shrink.
pub(crate) struct Numbers(pub(crate) u64);

impl Numbers {
    /// A number below `limit`.
    pub(crate) fn below(&mut self, limit: usize) -> usize {
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % limit
    }

    fn pick<'a>(&mut self, choices: &[&'a str]) -> &'a str {
        choices[self.below(choices.len())]
    }

    fn text(&mut self, alphabet: &str, length: usize) -> String {
        (0..length).map(|_| char::from(alphabet.as_bytes()[self.below(alphabet.len())])).collect()
    }
}

const DIGITS: &str = "0123456789";
const CSET39: &str = "#-/0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ";
const CSET64: &str = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
const CSET82: &str =
    "!\"%&'()*+,-./0123456789:;<=>?ABCDEFGHIJKLMNOPQRSTUVWXYZ_abcdefghijklmnopqrstuvwxyz";

/// A value that the row accepts.
pub(crate) fn valid_value(entry: &AiEntry, numbers: &mut Numbers) -> String {
    let mut value = String::new();
    for component in entry.components() {
        if component.is_optional() && numbers.below(2) == 0 {
            break;
        }
        value.push_str(&valid_part(component, numbers));
    }
    value
}

fn valid_part(component: &ValueComponent, numbers: &mut Numbers) -> String {
    let (min, max) = (component.min_length(), component.max_length());
    let names: Vec<&str> = component.linters().iter().map(|linter| linter.name()).collect();
    let needed = if names.contains(&"csumalpha") {
        7
    } else if names.is_empty() {
        min
    } else {
        min.max(4.min(max))
    };
    let length = needed + numbers.below(max - needed + 1);
    let alphabet = match component.character_set() {
        CharacterSet::Digits => DIGITS,
        CharacterSet::Cset82 => CSET82,
        CharacterSet::Cset39 => CSET39,
        CharacterSet::Cset64 => CSET64,
    };
    let mut part = numbers.text(alphabet, length);
    // What fixes the whole text comes first, check characters last.
    for name in &names {
        part = whole_text(name, part, numbers);
    }
    if names.contains(&"csum") {
        set_check_digit(&mut part);
    }
    if names.contains(&"csumalpha") {
        set_check_pair(&mut part);
    }
    part
}

fn whole_text(linter: &str, part: String, numbers: &mut Numbers) -> String {
    let two = |numbers: &mut Numbers, first: usize, count: usize| {
        format!("{:02}", first + numbers.below(count))
    };
    match linter {
        "csum" | "csumalpha" => part,
        "gcppos1" => numbers.text(DIGITS, 4) + &part[4..],
        "gcppos2" => format!("{}{}{}", &part[..1], numbers.text(DIGITS, 4), &part[5..]),
        "hasnondigit" => format!("{}x{}", &part[..4], &part[5..]),
        "yymmdd" | "yymmd0" => {
            let day = usize::from(linter == "yymmdd");
            two(numbers, 0, 100) + &two(numbers, 1, 12) + &two(numbers, day, 29 - day)
        }
        "yyyymmdd" | "yyyymmd0" => {
            format!("{:04}", numbers.below(10_000)) + &two(numbers, 1, 12) + &two(numbers, 1, 28)
        }
        "hh" => two(numbers, 0, 24),
        "mi" | "ss" => two(numbers, 0, 60),
        "hhmi" => two(numbers, 0, 24) + &two(numbers, 0, 60),
        "iso3166" | "iso3166999" => numbers.pick(&["004", "276", "528", "840"]).to_owned(),
        "iso3166alpha2" => numbers.pick(&["AD", "DE", "GB", "ZW"]).to_owned(),
        "iso4217" => numbers.pick(&["978", "840", "924"]).to_owned(),
        "packagetype" => numbers.pick(&["8", "1A", "APE"]).to_owned(),
        "mediatype" => numbers.pick(&["01", "10", "80", "99"]).to_owned(),
        "iso5218" => numbers.pick(&["0", "1", "2", "9"]).to_owned(),
        "winding" => numbers.pick(&["0", "1", "9"]).to_owned(),
        "yesno" => numbers.pick(&["0", "1"]).to_owned(),
        "zero" => "0".repeat(part.len()),
        "nonzero" | "nozeroprefix" => format!("1{}", &part[1..]),
        "hyphen" => "-".repeat(part.len()),
        "importeridx" => numbers.text(CSET64, 1),
        "latitude" => format!("{:010}", numbers.below(1_800_000_001)),
        "longitude" => format!("{:010}", numbers.below(3_600_000_001)),
        "pieceoftotal" => {
            let total = 1 + numbers.below(99);
            format!("{:02}{total:02}", 1 + numbers.below(total))
        }
        "posinseqslash" => {
            let end = 1 + numbers.below(9);
            format!("{}/{end}", 1 + numbers.below(end))
        }
        "pcenc" => part.replace('%', "x"),
        "iban" => numbers
            .pick(&["FR7630006000011234567890189", "BE71096123456769", "GB82WEST12345698765432"])
            .to_owned(),
        "couponcode" => numbers
            .pick(&["012345612345611110123", "01234561234561111012321101230123456"])
            .to_owned(),
        "couponposoffer" => "001234561234560123456".to_owned(),
        other => panic!("no values for linter {other}"),
    }
}

/// The definition, slowly: weights 3 and 1 from the right.
fn set_check_digit(part: &mut String) {
    part.pop();
    let weigh = |(position, digit): (usize, u8)| {
        u32::from(digit - b'0') * if position % 2 == 0 { 3 } else { 1 }
    };
    let sum: u32 = part.bytes().rev().enumerate().map(weigh).sum();
    part.push(char::from_digit((10 - sum % 10) % 10, 10).expect("a digit"));
}

/// The definition, slowly: primes from the right, modulo 1021.
fn set_check_pair(part: &mut String) {
    part.truncate(part.len() - 2);
    let is_prime = |number: &usize| !(2..*number).any(|divisor| *number % divisor == 0);
    let primes = (2..).filter(is_prime);
    let value = |byte: char| CSET82.find(byte).expect("a character of CSET 82");
    let sum: usize = part.chars().rev().zip(primes).map(|(byte, prime)| value(byte) * prime).sum();
    let alphabet = "23456789ABCDEFGHJKLMNPQRSTUVWXYZ".as_bytes();
    part.push(char::from(alphabet[sum % 1021 / 32]));
    part.push(char::from(alphabet[sum % 1021 % 32]));
}
