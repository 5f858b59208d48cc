//! What was on the screen, of something that may be longer than that.

use std::ops::Range;

use crate::keys::Key;

/// Shows rows page by page, and knows which of them were shown.
#[derive(Clone, Debug, Default)]
pub(super) struct Pager {
    top: usize,
    height: usize,
    columns: usize,
    seen: Vec<bool>,
}

impl Pager {
    /// Makes pages of so many rows. In another width other rows are seen: nothing was, yet.
    pub(super) fn fit(&mut self, rows: usize, height: usize, columns: usize) {
        if self.seen.len() != rows || self.columns != columns {
            (self.seen, self.columns) = (vec![false; rows], columns);
        }
        self.height = height.max(1);
        self.top = self.top.min(self.last());
    }

    fn last(&self) -> usize {
        self.seen.len().saturating_sub(self.height)
    }

    /// The rows that are shown.
    pub(super) fn page(&self) -> Range<usize> {
        self.top..(self.top + self.height).min(self.seen.len())
    }

    /// Notes that they are.
    pub(super) fn see(&mut self) {
        let page = self.page();
        if let Some(seen) = self.seen.get_mut(page) {
            seen.fill(true);
        }
    }

    /// Whether anything was shown.
    pub(super) fn is_seen(&self) -> bool {
        self.seen.contains(&true)
    }

    /// Whether everything was shown.
    pub(super) fn is_complete(&self) -> bool {
        !self.seen.is_empty() && self.seen.iter().all(|seen| *seen)
    }

    /// Whether everything was shown, or is on this page.
    pub(super) fn ends_here(&self) -> bool {
        let page = self.page();
        let mut rows = self.seen.iter().enumerate();
        rows.all(|(row, seen)| *seen || page.contains(&row))
    }

    /// Shows other rows, if the key is one that does.
    pub(super) fn turn(&mut self, key: &Key) {
        let (page, last) = (self.height, self.last());
        let top = match key {
            Key::Char(' ' | 'f') | Key::PageDown => self.top + page,
            Key::Char('b') | Key::PageUp => self.top.saturating_sub(page),
            Key::Char('j') | Key::Down => self.top + 1,
            Key::Char('k') | Key::Up => self.top.saturating_sub(1),
            Key::Char('g') | Key::Home => 0,
            Key::Char('G') | Key::End => last,
            _ => self.top,
        };
        self.top = top.min(last);
    }

    /// Where one is, in words.
    pub(super) fn position(&self) -> String {
        let page = self.page();
        match page.len() == self.seen.len() {
            true => "all of it".to_owned(),
            false => format!(
                "rows {}-{} of {}",
                page.start + 1,
                page.end,
                self.seen.len()
            ),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pager() -> Pager {
        let mut pager = Pager::default();
        pager.fit(25, 10, 80);
        pager.see();
        pager
    }

    #[test]
    fn it_is_complete_when_every_row_was_shown() {
        let mut pager = pager();
        for _ in 0..2 {
            assert!(!pager.is_complete());
            pager.turn(&Key::Char(' '));
            assert!(!pager.is_complete(), "turned, and not shown yet");
            pager.see();
        }
        assert!(pager.is_complete());
        assert_eq!(pager.position(), "rows 16-25 of 25");
    }

    #[test]
    fn whoever_jumps_to_the_end_has_not_seen_the_middle() {
        let mut pager = pager();
        pager.turn(&Key::End);
        pager.see();
        assert!(!pager.is_complete());
    }

    #[test]
    fn another_width_is_another_text() {
        let mut pager = Pager::default();
        pager.fit(5, 10, 80);
        pager.see();
        pager.fit(5, 10, 70);
        assert!(!pager.is_complete());
        assert!(!Pager::default().is_complete(), "nothing is not everything");
    }
}
