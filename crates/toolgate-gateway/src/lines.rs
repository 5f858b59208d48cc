//! Messages as lines, none longer than a limit.

use std::{io, pin::pin};

use futures_util::FutureExt as _;
use tokio::io::{AsyncBufRead, AsyncBufReadExt as _, AsyncWrite, AsyncWriteExt as _};

use crate::queue::{Queued, Receiver};

/// What was read.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Line {
    Text(Vec<u8>),
    /// It was longer than the limit, and was skipped.
    TooLong,
    End,
}

/// Reads one line of at most `limit` bytes. Of a longer one no more is kept.
pub(crate) async fn read<R: AsyncBufRead + Unpin>(
    reader: &mut R,
    limit: usize,
) -> io::Result<Line> {
    let (mut line, mut too_long) = (Vec::new(), false);
    loop {
        let chunk = reader.fill_buf().await?;
        if chunk.is_empty() {
            return Ok(match (too_long, line.is_empty()) {
                (true, _) => Line::TooLong,
                (false, true) => Line::End,
                (false, false) => Line::Text(line),
            });
        }
        let end = chunk.iter().position(|byte| *byte == b'\n');
        let (part, used) = match end {
            Some(end) => (chunk.get(..end), end + 1),
            None => (Some(chunk), chunk.len()),
        };
        let part = part.unwrap_or_default();
        too_long |= line.len() + part.len() > limit;
        if too_long {
            line = Vec::new();
        } else {
            line.extend_from_slice(part);
        }
        reader.consume(used);
        if end.is_some() {
            return Ok(if too_long {
                Line::TooLong
            } else {
                Line::Text(line)
            });
        }
    }
}

/// Writes what comes out of a queue, a line each, until nobody can put anything in, or until `over`
/// and what is in it by then.
pub(crate) async fn write<W: AsyncWrite + Unpin, T: Queued>(
    writer: &mut W,
    queue: &mut Receiver<T>,
    over: impl Future<Output = ()>,
) -> io::Result<()> {
    let mut over = pin!(over.fuse());
    loop {
        let line = tokio::select! {
            line = queue.recv() => line,
            () = &mut over => {
                queue.close();
                continue;
            }
        };
        let Some(message) = line else {
            return writer.flush().await;
        };
        if let Some(mut line) = message.into_text() {
            line.push('\n');
            writer.write_all(line.as_bytes()).await?;
        }
        if queue.is_empty() {
            writer.flush().await?;
        }
    }
}

#[cfg(test)]
mod tests {
    use tokio::io::BufReader;

    use super::*;

    #[tokio::test]
    async fn long_lines_are_skipped_and_the_next_is_read() {
        let text: &[u8] = b"one\n\n0123456789\nfour\nlast";
        let mut reader = BufReader::with_capacity(3, text);
        let mut lines = Vec::new();
        loop {
            match read(&mut reader, 5).await.unwrap() {
                Line::End => break,
                line => lines.push(line),
            }
        }
        let is = |text: &str| Line::Text(text.as_bytes().to_vec());
        assert_eq!(
            lines,
            [is("one"), is(""), Line::TooLong, is("four"), is("last")]
        );
    }
}
