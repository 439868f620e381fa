//! Colours of sRGB and the contrast between them (WCAG 2.2, "relative luminance" and "contrast
//! ratio").

use std::fmt;
use std::str::FromStr;

/// A colour, written `#0a4d8c` or `#04c`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Colour {
    red: u8,
    green: u8,
    blue: u8,
}

impl Colour {
    pub(crate) const fn new(red: u8, green: u8, blue: u8) -> Self {
        Self { red, green, blue }
    }

    /// Returns the contrast to another colour in hundredths, rounded down: 100 to 2100.
    pub(crate) fn contrast(self, other: Self) -> u32 {
        let (one, two) = (self.luminance(), other.luminance());
        let ratio = (one.max(two) + 0.05) / (one.min(two) + 0.05);
        // At most 21, so it fits.
        (ratio * 100.0 + 1e-9) as u32
    }

    /// Returns the luminance, from 0 for black to 1 for white.
    fn luminance(self) -> f64 {
        let linear = |channel: u8| {
            let value = f64::from(channel) / 255.0;
            if value <= 0.04045 { value / 12.92 } else { ((value + 0.055) / 1.055).powf(2.4) }
        };
        0.2126 * linear(self.red) + 0.7152 * linear(self.green) + 0.0722 * linear(self.blue)
    }

    /// Returns the same hue with as little white as necessary for the contrast to all backgrounds.
    /// White has that contrast to all dark ones.
    pub(super) fn lightened_for(self, backgrounds: &[Self], contrast: u32) -> Self {
        let mixed = |part: u16| {
            let mix = |channel: u8| {
                let channel = u16::from(channel);
                // At most 255: the second summand is a fraction of the difference to it.
                (channel + (255 - channel) * part / STEPS) as u8
            };
            Self::new(mix(self.red), mix(self.green), mix(self.blue))
        };
        // A little more than necessary: pale enough for a dark page.
        let suits = |colour: &Self| {
            backgrounds.iter().all(|ground| colour.contrast(*ground) >= contrast + 100)
        };
        (0..=STEPS).map(mixed).find(suits).unwrap_or(mixed(STEPS))
    }
}

/// Number of shades that are tried between a colour and white.
const STEPS: u16 = 50;

impl FromStr for Colour {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let digits: Option<Vec<u8>> = text.strip_prefix('#').and_then(|digits| {
            digits.chars().map(|digit| u8::try_from(digit.to_digit(16)?).ok()).collect()
        });
        match digits.as_deref() {
            Some(&[a, b, c, d, e, f]) => Ok(Self::new(a << 4 | b, c << 4 | d, e << 4 | f)),
            Some(&[red, green, blue]) => Ok(Self::new(red * 17, green * 17, blue * 17)),
            _ => Err(format!("expected a colour such as #0a4d8c, found {text:?}")),
        }
    }
}

impl fmt::Display for Colour {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "#{:02x}{:02x}{:02x}", self.red, self.green, self.blue)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn colour(text: &str) -> Colour {
        text.parse().expect("a colour")
    }

    #[test]
    fn contrast_is_that_of_wcag() {
        for (one, two, ratio) in [
            ("#000", "#fff", 2100),
            ("#fff", "#fff", 100),
            ("#777777", "#ffffff", 447),
            ("#767676", "#ffffff", 454),
            ("#ff0000", "#ffffff", 399),
        ] {
            assert_eq!(colour(one).contrast(colour(two)), ratio, "{one} {two}");
            assert_eq!(colour(two).contrast(colour(one)), ratio, "{two} {one}");
        }
    }

    #[test]
    fn dark_colours_are_lightened() {
        let grounds = [colour("#101418"), colour("#1a2027")];
        for accent in ["#000000", "#0a4d8c", "#7a0019", "#ffffff"] {
            let light = colour(accent).lightened_for(&grounds, 450);
            assert!(
                grounds.iter().all(|ground| light.contrast(*ground) >= 550),
                "{accent} {light}"
            );
        }
    }

    #[test]
    fn texts_that_are_no_colours() {
        for text in ["", "#", "#12", "0a4d8c", "#0a4d8", "#0a4d8cff", "blue", "#gggggg", "#äöü"]
        {
            assert!(text.parse::<Colour>().is_err(), "{text:?}");
        }
        assert_eq!(colour("#04C").to_string(), "#0044cc");
    }
}
