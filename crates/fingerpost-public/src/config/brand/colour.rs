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
    pub(crate) fn lightened_for(self, backgrounds: &[Self], contrast: u32) -> Self {
        // A little more than necessary: pale enough for a dark page.
        self.towards(Self::new(255, 255, 255), backgrounds, contrast + 100)
    }

    /// Returns the same hue with as little black as necessary for the contrast to all backgrounds.
    /// Black has that contrast to all light ones.
    pub(crate) fn darkened_for(self, backgrounds: &[Self], contrast: u32) -> Self {
        self.towards(Self::new(0, 0, 0), backgrounds, contrast)
    }

    /// Returns the first mixture with another colour that has the contrast to all backgrounds.
    fn towards(self, other: Self, backgrounds: &[Self], contrast: u32) -> Self {
        let mixed = |part: u16| {
            let mix = |own: u8, other: u8| {
                // At most 255: a mean of two channels.
                ((u16::from(own) * (STEPS - part) + u16::from(other) * part) / STEPS) as u8
            };
            Self::new(
                mix(self.red, other.red),
                mix(self.green, other.green),
                mix(self.blue, other.blue),
            )
        };
        let suits =
            |colour: &Self| backgrounds.iter().all(|ground| colour.contrast(*ground) >= contrast);
        (0..=STEPS).map(mixed).find(suits).unwrap_or(mixed(STEPS))
    }

    /// Returns the colour of text on this one: white, or black if that can be read better.
    pub(crate) fn text_on(self, contrast: u32) -> Self {
        let (white, black) = (Self::new(255, 255, 255), Self::new(0, 0, 0));
        // One of both has at least 4.58:1 to any colour.
        if self.contrast(white) >= contrast { white } else { black }
    }
}

/// Number of shades that are tried between a colour and white or black.
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

    /// PE-29: whatever colour a brand has, links and buttons can be read.
    #[test]
    fn any_colour_of_a_brand_can_be_read() {
        let grounds = [colour("#ffffff"), colour("#f4f6f9")];
        let steps = [0, 51, 102, 153, 204, 255_u8];
        let all = steps.into_iter().flat_map(|red| {
            let pairs = steps.into_iter().flat_map(move |g| steps.map(move |b| (red, g, b)));
            pairs.map(|(r, g, b)| Colour::new(r, g, b))
        });
        for accent in all {
            let link = accent.darkened_for(&grounds, 450);
            assert!(grounds.iter().all(|ground| link.contrast(*ground) >= 450), "{accent} {link}");
            assert!(accent.contrast(accent.text_on(450)) >= 450, "{accent}");
        }
        assert_eq!(colour("#ffdd00").text_on(450), colour("#000"));
        assert_eq!(colour("#0a4d8c").darkened_for(&grounds, 450), colour("#0a4d8c"));
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
