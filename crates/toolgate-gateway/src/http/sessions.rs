//! The sessions of clients that speak streamable HTTP, and what they listen to.

use std::{
    collections::HashMap,
    io,
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicU64, Ordering},
    },
    time::Duration,
};

use tokio::time::{Instant, sleep};

use crate::{
    config::Server,
    core::Core,
    frame::Message,
    gateway::{QUEUE, Running, random_id},
    queue,
    session::{ClientKey, Shared, To, ToClient},
};

/// How many sessions there may be at a time. Beyond that none begins.
const MOST_SESSIONS: usize = 64;

/// How many messages wait for a client that reads slowly. One that has more is cut off.
const MOST_UNREAD: usize = 1_024;

pub(super) struct Sessions {
    core: Arc<Core>,
    servers: Arc<[Server]>,
    by_id: Mutex<HashMap<String, Arc<HttpSession>>>,
    /// For exchanges that stand alone.
    stateless: Mutex<Option<Arc<HttpSession>>>,
    scopes: AtomicU64,
}

/// One session and what its client listens to.
pub(super) struct HttpSession {
    session: Arc<Shared>,
    running: Mutex<Option<Running>>,
    streams: Arc<Mutex<Streams>>,
    used: Mutex<Instant>,
}

type Stream = queue::Sender<String>;

#[derive(Default)]
struct Streams {
    exchanges: HashMap<ClientKey, Stream>,
    standing: Option<Stream>,
}

impl Sessions {
    pub(super) fn new(core: Arc<Core>, servers: Arc<[Server]>) -> Self {
        Self {
            core,
            servers,
            by_id: Mutex::default(),
            stateless: Mutex::default(),
            scopes: AtomicU64::new(1),
        }
    }

    pub(super) fn core(&self) -> &Core {
        &self.core
    }

    /// The session that has this id. It is in use from now on.
    pub(super) fn get(&self, id: &str) -> Option<Arc<HttpSession>> {
        let session = lock(&self.by_id).get(id).cloned()?;
        session.touch();
        Some(session)
    }

    pub(super) fn remove(&self, id: &str) {
        lock(&self.by_id).remove(id);
    }

    /// Begins a session. None if there are too many that somebody listens to.
    pub(super) fn begin(&self) -> io::Result<Option<(String, Arc<HttpSession>)>> {
        if lock(&self.by_id).len() >= MOST_SESSIONS {
            match self.take_idle(Duration::ZERO, 1).pop() {
                Some(idle) => drop(tokio::spawn(async move { idle.end().await })),
                None => return Ok(None),
            }
        }
        let (id, session) = (random_id()?, HttpSession::start(self, false)?);
        lock(&self.by_id).insert(id.clone(), Arc::clone(&session));
        Ok(Some((id, session)))
    }

    /// The session that stands for all exchanges that stand alone, and a scope for one of them. If
    /// its servers are gone, there is another.
    pub(super) fn stateless(&self) -> io::Result<(u64, Arc<HttpSession>)> {
        let scope = self.scopes.fetch_add(1, Ordering::Relaxed);
        let mut stateless = lock(&self.stateless);
        if let Some(session) = stateless.take_if(|session| session.session.is_over()) {
            tokio::spawn(async move { session.end().await });
        }
        if let Some(session) = &*stateless {
            return Ok((scope, Arc::clone(session)));
        }
        let session = HttpSession::start(self, true)?;
        *stateless = Some(Arc::clone(&session));
        Ok((scope, session))
    }

    /// Ends sessions that nobody listens to and nobody uses, one after the other. Clients are to say
    /// when they go away, and do not if they are killed.
    pub(super) async fn end_idle(&self) {
        loop {
            sleep(self.core.idle / 4 + Duration::from_millis(10)).await;
            for session in self.take_idle(self.core.idle, MOST_SESSIONS) {
                session.end().await;
            }
        }
    }

    /// Takes out those that were idle for longest, up to `most`.
    fn take_idle(&self, limit: Duration, most: usize) -> Vec<Arc<HttpSession>> {
        let mut all = lock(&self.by_id);
        let mut idle: Vec<_> = all
            .iter()
            .filter_map(|(id, session)| Some((session.idle_for()?, id.clone())))
            .filter(|(since, _)| *since >= limit)
            .collect();
        idle.sort_unstable_by(|one, other| other.cmp(one));
        let oldest = idle.into_iter().take(most);
        oldest.filter_map(|(_, id)| all.remove(&id)).collect()
    }

    pub(super) async fn end(&self) {
        let mut all: Vec<_> = lock(&self.by_id).drain().map(|(_, it)| it).collect();
        all.extend(lock(&self.stateless).take());
        for session in all {
            session.end().await;
        }
    }
}

impl HttpSession {
    fn start(sessions: &Sessions, is_stateless: bool) -> io::Result<Arc<Self>> {
        let (out, outgoing) = queue::channel(QUEUE, sessions.core.most_bytes);
        let running = Running::start(&sessions.core, &sessions.servers, out, is_stateless)?;
        let streams = Arc::default();
        tokio::spawn(dispatch(outgoing, Arc::clone(&streams), is_stateless));
        Ok(Arc::new(Self {
            session: Arc::clone(&running.session),
            running: Mutex::new(Some(running)),
            streams,
            used: Mutex::new(Instant::now()),
        }))
    }

    /// Takes a message to its end, even if whoever sent it hangs up.
    pub(super) async fn take(&self, scope: u64, message: Message) {
        let session = Arc::clone(&self.session);
        let taking = tokio::spawn(async move { session.on_client(scope, message).await });
        let _ = taking.await;
    }

    /// Listens to what is said about a request. None if another has its id.
    pub(super) fn open(&self, key: &ClientKey) -> Option<queue::Receiver<String>> {
        let (stream, messages) = queue::channel(MOST_UNREAD, self.session.core.most_bytes);
        let mut streams = lock(&self.streams);
        if streams.exchanges.contains_key(key) {
            return None;
        }
        streams.exchanges.insert(key.clone(), stream);
        Some(messages)
    }

    /// Listens to everything else, from now on in place of whoever did before.
    pub(super) fn stand(&self) -> queue::Receiver<String> {
        let (stream, messages) = queue::channel(MOST_UNREAD, self.session.core.most_bytes);
        lock(&self.streams).standing = Some(stream);
        messages
    }

    pub(super) async fn end(&self) {
        let running = lock(&self.running).take();
        if let Some(running) = running {
            running.end().await;
        }
        *lock(&self.streams) = Streams::default();
    }

    fn touch(&self) {
        *lock(&self.used) = Instant::now();
    }

    /// For how long nobody has used it. None if somebody listens.
    fn idle_for(&self) -> Option<Duration> {
        let streams = lock(&self.streams);
        let mut all = streams.exchanges.values().chain(&streams.standing);
        all.all(queue::Sender::is_closed)
            .then(|| lock(&self.used).elapsed())
    }
}

fn lock<T>(shared: &Mutex<T>) -> MutexGuard<'_, T> {
    shared.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Puts each message where its client listens for it. Where exchanges stand alone, what belongs to
/// none of them is nobody's: it could be about somebody else's.
async fn dispatch(
    mut outgoing: queue::Receiver<ToClient>,
    streams: Arc<Mutex<Streams>>,
    is_stateless: bool,
) {
    while let Some(ToClient { to, text }) = outgoing.recv().await {
        let mut streams = lock(&streams);
        let stream = match &to {
            To::Over(key) => {
                streams.exchanges.remove(key);
                None
            }
            To::Reply(key) => streams.exchanges.remove(key),
            To::About(key) => streams.about(key),
            To::Anybody if is_stateless => None,
            To::Anybody => streams.any(),
        };
        if let Some(stream) = stream
            && stream.try_send(text).is_err()
            && let To::About(key) = &to
        {
            streams.exchanges.remove(key);
        }
    }
}

impl Streams {
    fn about(&self, key: &ClientKey) -> Option<Stream> {
        let own = self.exchanges.get(key).filter(|stream| is_heard(stream));
        own.or(self.standing()).cloned()
    }

    fn any(&self) -> Option<Stream> {
        let all = || self.exchanges.values().find(|stream| is_heard(stream));
        self.standing().or_else(all).cloned()
    }

    fn standing(&self) -> Option<&Stream> {
        self.standing.as_ref().filter(|stream| is_heard(stream))
    }
}

fn is_heard(stream: &Stream) -> bool {
    !stream.is_closed()
}

/// A request whose client may hang up before it is answered.
pub(super) struct Abandoned {
    session: Arc<HttpSession>,
    key: ClientKey,
}

impl Abandoned {
    pub(super) fn new(session: Arc<HttpSession>, key: ClientKey) -> Self {
        Self { session, key }
    }
}

impl Drop for Abandoned {
    fn drop(&mut self) {
        let is_alone = self.key.scope != 0;
        let is_answered = {
            let mut streams = lock(&self.session.streams);
            match is_alone {
                true => streams.exchanges.remove(&self.key).is_none(),
                false => !streams.exchanges.contains_key(&self.key),
            }
        };
        self.session.touch();
        let (session, key) = (Arc::clone(&self.session.session), self.key.clone());
        match (is_answered, is_alone) {
            (true, _) => {}
            // Where exchanges stand alone, hanging up is how one is cancelled.
            (false, true) => drop(tokio::spawn(async move { session.abandon(&key).await })),
            (false, false) => {
                if session.unheard_of(&key) {
                    lock(&self.session.streams).exchanges.remove(&self.key);
                }
            }
        }
    }
}
