//! A linkset divided into pages for people, so that a page has a bounded size whatever is
//! registered. JSON is never divided.

use super::Linkset;
use super::merged::MergedLevel;

/// The maximum number of links on a page.
const PAGE_LINKS: usize = 100;

/// The maximum size of the links on a page, in bytes as published. A single link may be larger.
const PAGE_BYTES: usize = 32 << 10;

impl<'a> Linkset<'a> {
    /// Returns the links of a page, counted from 1, and the number of pages. Only a linkset that is
    /// too long for one page is divided; then the default links of each level and their
    /// variants come first. For a page after the last one, it returns the last one.
    pub fn page(&self, number: usize) -> (Self, usize) {
        let mut pages: Vec<Vec<MergedLevel<'a>>> = vec![Vec::new()];
        let (mut count, mut bytes) = (0, 0);
        for level in &self.contexts {
            let mut links = level.links.clone();
            links.sort_by_key(|link| (!link.is_default(), !link.is_default_variant()));
            for link in links {
                let size = link.published_bytes();
                if count > 0 && (count == PAGE_LINKS || bytes + size > PAGE_BYTES) {
                    pages.push(Vec::new());
                    (count, bytes) = (0, 0);
                }
                (count, bytes) = (count + 1, bytes + size);
                let Some(page) = pages.last_mut() else { continue };
                match page.last_mut() {
                    Some(last) if last.key == level.key => last.links.push(link),
                    _ => page.push(MergedLevel { links: vec![link], ..level.clone() }),
                }
            }
        }
        let last = pages.len();
        if last == 1 {
            return (self.clone(), 1);
        }
        let contexts = pages.swap_remove(number.clamp(1, last) - 1);
        (Self { contexts, ..self.clone() }, last)
    }
}
