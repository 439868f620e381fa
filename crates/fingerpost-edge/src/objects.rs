//! The objects that a worker keeps in memory.

use std::cell::Cell;
use std::collections::BTreeMap;

use crate::limits::{MAX_KEPT_BYTES, MAX_OBJECT_BYTES};
use crate::object::{Digest, EdgeFault};

/// Objects whose digests were compared with their names. Those that were not used for longest are
/// dropped.
#[derive(Debug, Default)]
pub(crate) struct Objects {
    kept: BTreeMap<Digest, Kept>,
    bytes: usize,
    time: Cell<u64>,
}

#[derive(Debug)]
struct Kept {
    object: Vec<u8>,
    used: Cell<u64>,
}

impl Objects {
    /// Keeps an object, if it is what its name says.
    pub(crate) fn keep(&mut self, name: &str, object: Vec<u8>) -> Result<(), EdgeFault> {
        if object.len() > MAX_OBJECT_BYTES {
            return Err(EdgeFault::TooLarge { limit: MAX_OBJECT_BYTES, found: object.len() });
        }
        let digest = Digest::of(&object);
        if Digest::parse(name) != Some(digest) {
            let (expected, found) = (name.to_owned(), digest.name());
            return Err(EdgeFault::Tampered { expected, found });
        }
        while self.bytes + object.len() > MAX_KEPT_BYTES {
            let oldest = self.kept.iter().min_by_key(|(_, kept)| kept.used.get());
            let Some(oldest) = oldest.map(|(digest, _)| *digest) else { break };
            self.bytes -= self.kept.remove(&oldest).map_or(0, |kept| kept.object.len());
        }
        self.bytes += object.len();
        let replaced = self.kept.insert(digest, Kept { object, used: Cell::new(self.tick()) });
        self.bytes -= replaced.map_or(0, |kept| kept.object.len());
        Ok(())
    }

    /// Returns an object.
    pub(crate) fn get(&self, digest: &Digest) -> Option<&[u8]> {
        let kept = self.kept.get(digest)?;
        kept.used.set(self.tick());
        Some(&kept.object)
    }

    fn tick(&self) -> u64 {
        self.time.set(self.time.get() + 1);
        self.time.get()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// 37.4: a tampered object is refused.
    #[test]
    fn an_object_is_what_its_name_says() {
        let mut objects = Objects::default();
        let name = Digest::of(b"one").name();
        assert_eq!(objects.keep(&name, b"one".to_vec()), Ok(()));
        assert_eq!(objects.get(&Digest::of(b"one")), Some(&b"one"[..]));
        for (name, object) in [(&*name, "two"), ("", "one"), ("zz", "one"), (&name[1..], "one")] {
            let fault = objects.keep(name, object.as_bytes().to_vec()).unwrap_err();
            assert!(matches!(fault, EdgeFault::Tampered { .. }), "{fault}");
        }
        assert_eq!(objects.get(&Digest::of(b"two")), None);
        let large = vec![0; MAX_OBJECT_BYTES + 1];
        let name = Digest::of(&large).name();
        assert!(matches!(objects.keep(&name, large), Err(EdgeFault::TooLarge { .. })));
    }

    /// 37.4: memory is bounded.
    #[test]
    fn objects_that_were_not_used_for_longest_are_dropped() {
        let mut objects = Objects::default();
        let object = |number: u8| vec![number; MAX_OBJECT_BYTES / 2];
        let digest = |number| Digest::of(&object(number));
        for number in 0..20 {
            objects.keep(&digest(number).name(), object(number)).unwrap();
            assert!(objects.bytes <= MAX_KEPT_BYTES);
            assert!(objects.get(&digest(0)).is_some(), "it is used all the time");
        }
        assert!(objects.get(&digest(1)).is_none() && objects.get(&digest(19)).is_some());
    }
}
