//! Events in a stream of bytes.

/// Finds the data of events, however the bytes are cut.
#[derive(Debug, Default)]
pub(super) struct Events {
    line: Vec<u8>,
    data: Vec<u8>,
    has_data: bool,
}

/// More came without the end of an event than one may have.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct TooLong;

impl Events {
    /// Takes bytes, and reports the data of every event that is complete.
    pub(super) fn take(
        &mut self,
        bytes: &[u8],
        limit: usize,
        mut report: impl FnMut(Vec<u8>),
    ) -> Result<(), TooLong> {
        for part in bytes.split_inclusive(|byte| *byte == b'\n') {
            self.line.extend_from_slice(part);
            if self.line.len() + self.data.len() > limit + 64 {
                return Err(TooLong);
            }
            if part.ends_with(b"\n") {
                let line = std::mem::take(&mut self.line);
                let line = line.strip_suffix(b"\n").unwrap_or(&line);
                self.end_line(line.strip_suffix(b"\r").unwrap_or(line), &mut report);
            }
        }
        Ok(())
    }

    fn end_line(&mut self, line: &[u8], report: &mut impl FnMut(Vec<u8>)) {
        if line.is_empty() {
            if std::mem::take(&mut self.has_data) {
                report(std::mem::take(&mut self.data));
            }
        } else if let Some(data) = line.strip_prefix(b"data:") {
            if self.has_data {
                self.data.push(b'\n');
            }
            self.has_data = true;
            self.data
                .extend_from_slice(data.strip_prefix(b" ").unwrap_or(data));
        }
    }
}

/// One event.
pub(super) fn event(text: &str) -> String {
    format!("event: message\ndata: {text}\n\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn events_are_found_however_the_bytes_are_cut() {
        let text = b": hi\r\ndata: {\"a\":\r\ndata: 1}\r\n\r\nid: 7\nevent: x\n\ndata:two\n\n";
        for size in 1..text.len() {
            let (mut events, mut found) = (Events::default(), Vec::new());
            for chunk in text.chunks(size) {
                events.take(chunk, 100, |data| found.push(data)).unwrap();
            }
            assert_eq!(found, [b"{\"a\":\n1}".to_vec(), b"two".to_vec()]);
        }
    }

    #[test]
    fn an_event_that_does_not_end_is_given_up() {
        let mut events = Events::default();
        assert_eq!(events.take(&[b'x'; 200], 100, |_| {}), Err(TooLong));
    }
}
