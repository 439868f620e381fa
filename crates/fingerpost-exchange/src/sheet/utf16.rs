//! Reads UTF-16 as UTF-8.

use std::io::{self, Read};

use encoding_rs::{Decoder, DecoderResult, Encoding};

/// A reader of UTF-16. Half of a surrogate pair becomes a byte that UTF-8 never has, so that its
/// row is refused.
pub(crate) struct Utf16Reader<R> {
    input: R,
    decoder: Decoder,
    raw: Vec<u8>,
    is_last: bool,
    decoded: Vec<u8>,
    at: usize,
}

impl<R: Read> Utf16Reader<R> {
    pub(crate) fn new(input: R, encoding: &'static Encoding) -> Self {
        let decoder = encoding.new_decoder_without_bom_handling();
        Utf16Reader { input, decoder, raw: Vec::new(), is_last: false, decoded: Vec::new(), at: 0 }
    }

    fn decode_more(&mut self) -> io::Result<()> {
        self.raw.clear();
        let read = self.input.by_ref().take(PART_BYTES).read_to_end(&mut self.raw)?;
        self.is_last = (read as u64) < PART_BYTES;
        self.decoded.clear();
        self.at = 0;
        let mut rest = self.raw.as_slice();
        loop {
            // A unit of two bytes becomes at most three, and one may be left from before.
            let begin = self.decoded.len();
            self.decoded.resize(begin + 3 * (rest.len() / 2 + 2), 0);
            let (result, read, wrote) = self.decoder.decode_to_utf8_without_replacement(
                rest,
                &mut self.decoded[begin..],
                self.is_last,
            );
            self.decoded.truncate(begin + wrote);
            rest = &rest[read..];
            match result {
                DecoderResult::InputEmpty => return Ok(()),
                DecoderResult::OutputFull => {}
                DecoderResult::Malformed(..) => self.decoded.push(NOT_UTF_8),
            }
        }
    }
}

impl<R: Read> Read for Utf16Reader<R> {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        while self.at == self.decoded.len() && !self.is_last {
            self.decode_more()?;
        }
        let count = out.len().min(self.decoded.len() - self.at);
        out[..count].copy_from_slice(&self.decoded[self.at..self.at + count]);
        self.at += count;
        Ok(count)
    }
}

const NOT_UTF_8: u8 = 0xFF;

const PART_BYTES: u64 = 32 * 1024;
