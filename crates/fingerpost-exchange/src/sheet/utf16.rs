//! Reads UTF-16 as UTF-8.

use std::io::{self, Read};

use encoding_rs::{Decoder, DecoderResult, UTF_16BE, UTF_16LE};

/// A reader of UTF-16 without its byte order mark. Half of a surrogate pair or of a unit becomes a
/// byte that UTF-8 never has, so that its row is refused.
pub struct Utf16Reader<R> {
    input: R,
    decoder: Decoder,
    raw: Vec<u8>,
    is_last: bool,
    decoded: Vec<u8>,
    at: usize,
}

impl<R: Read> Utf16Reader<R> {
    /// Begins to read `input`.
    pub fn new(input: R, is_big_endian: bool) -> Self {
        let encoding = if is_big_endian { UTF_16BE } else { UTF_16LE };
        let decoder = encoding.new_decoder_without_bom_handling();
        Utf16Reader { input, decoder, raw: Vec::new(), is_last: false, decoded: Vec::new(), at: 0 }
    }

    fn decode_more(&mut self) -> io::Result<()> {
        // One read: a client that writes line by line waits for each answer.
        self.raw.resize(PART_BYTES, 0);
        let read = self.input.read(&mut self.raw)?;
        self.raw.truncate(read);
        self.is_last = read == 0;
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

const PART_BYTES: usize = 32 * 1024;
