//! A name server (RFC 1035) for tests: each name leads to this machine, except those below
//! `lost.example`, which do not exist.

use std::net::{Ipv4Addr, SocketAddr, UdpSocket};
use std::thread;

/// Offset of the question in a message.
const QUESTION: usize = 12;

const A: [u8; 4] = [0, 1, 0, 1];

/// A name server on a free port of this machine, until the process ends.
#[derive(Debug)]
pub struct Names {
    address: SocketAddr,
}

impl Names {
    /// Starts to answer.
    ///
    /// # Panics
    ///
    /// If no port is free.
    pub fn start() -> Self {
        let socket = UdpSocket::bind((Ipv4Addr::LOCALHOST, 0)).expect("a free port");
        let address = socket.local_addr().expect("an address");
        thread::spawn(move || {
            let mut message = [0; 1500];
            while let Ok((length, from)) = socket.recv_from(&mut message) {
                if let Some(answer) = answer(&message[..length]) {
                    let _ = socket.send_to(&answer, from); // clients repeat lost requests
                }
            }
        });
        Self { address }
    }

    /// Returns the address of the server.
    pub fn address(&self) -> SocketAddr {
        self.address
    }
}

/// Returns the answer to a message with one question; `None` for other messages.
fn answer(message: &[u8]) -> Option<Vec<u8>> {
    let mut name = Vec::new();
    let mut at = QUESTION;
    loop {
        let length = usize::from(*message.get(at)?);
        if length == 0 {
            break;
        }
        name.extend_from_slice(message.get(at + 1..at + 1 + length)?);
        name.push(b'.');
        at += 1 + length;
    }
    let end = at + 5;
    let asked = message.get(at + 1..end)?;
    let is_lost = name.to_ascii_lowercase().ends_with(b"lost.example.");
    let has_address = asked == A && !is_lost;
    // An answer to this id, with recursion; the code 3 says that there is no such name.
    let mut answer = message.get(..2)?.to_vec();
    answer.extend([0x81, if is_lost { 0x83 } else { 0x80 }]);
    answer.extend([0, 1, 0, u8::from(has_address), 0, 0, 0, 0]);
    answer.extend(message.get(QUESTION..end)?);
    if has_address {
        // The name of the question, an address in one minute, of four bytes.
        answer.extend([0xC0, 12]);
        answer.extend(A);
        answer.extend([0, 0, 0, 60, 0, 4, 127, 0, 0, 1]);
    }
    Some(answer)
}
