//! A queue that holds so many messages, and so many bytes.

use std::sync::Arc;

use tokio::sync::{OwnedSemaphorePermit, Semaphore, mpsc};

use crate::session::{To, ToClient};

/// What is queued.
pub(crate) trait Queued {
    /// How many bytes it has.
    fn size(&self) -> usize;

    /// What is written of it, if anything is.
    fn into_text(self) -> Option<String>;
}

impl Queued for String {
    fn size(&self) -> usize {
        self.len()
    }

    fn into_text(self) -> Option<String> {
        Some(self)
    }
}

/// Over one pipe it makes no difference what a message is about.
impl Queued for ToClient {
    fn size(&self) -> usize {
        self.text.len()
    }

    fn into_text(self) -> Option<String> {
        (!matches!(self.to, To::Over(_))).then_some(self.text)
    }
}

/// How many bytes one unit of room has.
const UNIT: usize = 4 << 10;

/// A queue for at most so many messages, which together have about so many bytes at most. One that
/// is longer has the queue for itself.
pub(crate) fn channel<T: Queued>(messages: usize, bytes: usize) -> (Sender<T>, Receiver<T>) {
    let (queue, queued) = mpsc::unbounded_channel();
    let all = (bytes / UNIT).max(messages);
    let all = u32::try_from(all).unwrap_or(u32::MAX >> 4);
    let room = Arc::new(Semaphore::new(all as usize));
    let least = (all as usize / messages).max(1);
    let sender = Sender {
        queue,
        room: Arc::clone(&room),
        least,
        all,
    };
    (sender, Receiver { queued, room })
}

/// What was put in, and the room that it takes.
type Placed<T> = (T, OwnedSemaphorePermit);

#[derive(Debug)]
pub(crate) struct Sender<T> {
    queue: mpsc::UnboundedSender<Placed<T>>,
    room: Arc<Semaphore>,
    least: usize,
    all: u32,
}

impl<T> Clone for Sender<T> {
    fn clone(&self) -> Self {
        Self {
            queue: self.queue.clone(),
            room: Arc::clone(&self.room),
            ..*self
        }
    }
}

/// Nobody takes anything out any more, or there is no room.
#[derive(Debug)]
pub(crate) struct Refused;

impl<T: Queued> Sender<T> {
    /// Puts something in when there is room.
    pub(crate) async fn send(&self, message: T) -> Result<(), Refused> {
        let room = Arc::clone(&self.room).acquire_many_owned(self.cost(&message));
        let room = room.await.map_err(|_| Refused)?;
        self.queue.send((message, room)).map_err(|_| Refused)
    }

    /// Puts something in if there is room.
    pub(crate) fn try_send(&self, message: T) -> Result<(), Refused> {
        let room = Arc::clone(&self.room).try_acquire_many_owned(self.cost(&message));
        let room = room.map_err(|_| Refused)?;
        self.queue.send((message, room)).map_err(|_| Refused)
    }

    /// Resolves when nobody takes anything out any more.
    pub(crate) async fn closed(&self) {
        self.queue.closed().await;
    }

    pub(crate) fn is_closed(&self) -> bool {
        self.queue.is_closed()
    }

    fn cost(&self, message: &T) -> u32 {
        let units = (message.size() / UNIT).max(self.least);
        u32::try_from(units).unwrap_or(self.all).min(self.all)
    }
}

#[derive(Debug)]
pub(crate) struct Receiver<T> {
    queued: mpsc::UnboundedReceiver<Placed<T>>,
    room: Arc<Semaphore>,
}

impl<T> Receiver<T> {
    /// What was put in first. None if nobody can put anything in any more.
    pub(crate) async fn recv(&mut self) -> Option<T> {
        Some(self.queued.recv().await?.0)
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.queued.is_empty()
    }

    /// Takes nothing new. What is in the queue stays there.
    pub(crate) fn close(&mut self) {
        self.room.close();
        self.queued.close();
    }
}

/// Whoever waits for room need not wait any more.
impl<T> Drop for Receiver<T> {
    fn drop(&mut self) {
        self.close();
    }
}

#[cfg(test)]
mod tests {
    use futures_util::FutureExt as _;

    use super::*;

    fn text(length: usize) -> String {
        "x".repeat(length)
    }

    #[tokio::test]
    async fn holds_so_many_messages_and_so_many_bytes() {
        let (sender, mut receiver) = channel(4, 16 * UNIT);
        for _ in 0..4 {
            sender.try_send(text(1)).unwrap();
        }
        assert!(sender.try_send(text(1)).is_err());
        receiver.recv().await.unwrap();
        sender.try_send(text(1)).unwrap();
        for _ in 0..4 {
            receiver.recv().await.unwrap();
        }
        sender.try_send(text(10 * UNIT)).unwrap();
        assert!(sender.try_send(text(10 * UNIT)).is_err());
        receiver.recv().await.unwrap();
        // What is longer than everything together has room when nothing else is there.
        sender.try_send(text(100 * UNIT)).unwrap();
        assert!(sender.send(text(1)).now_or_never().is_none());
        assert_eq!(receiver.recv().await.unwrap().len(), 100 * UNIT);
    }

    #[tokio::test]
    async fn whoever_waits_for_room_is_told_that_nobody_is_there() {
        let (sender, receiver) = channel(1, 1);
        sender.try_send(text(1)).unwrap();
        let waiting = tokio::spawn({
            let sender = sender.clone();
            async move { sender.send(text(1)).await }
        });
        tokio::task::yield_now().await;
        drop(receiver);
        assert!(waiting.await.unwrap().is_err());
        assert!(sender.is_closed() && sender.try_send(text(1)).is_err());
    }
}
