//! The gateway.

use std::{fmt, future::pending, io, sync::Arc, time::Duration};

use tokio::{
    io::{AsyncRead, AsyncWrite, BufReader},
    sync::watch,
    task::JoinSet,
    time::timeout,
};
use toolgate::{Grants, Turns};
use toolgate_policy::FilePolicy;

use crate::{
    ask::Handler,
    config::{How, Server},
    core::Core,
    frame::{self, Message, Unusable},
    http::remote::Remote,
    lines::{self, Line},
    process::Process,
    queue,
    session::{Link, Shared, To, ToClient},
    state::States,
};

/// How many messages wait to be written, on any side. Beyond that nothing more is read.
pub(crate) const QUEUE: usize = 256;

/// Stands between an MCP client and its servers, and decides which tools may be called.
///
/// Everything passes but calls of tools: those are authorised by the policy first. See the
/// [crate docs](crate).
#[must_use = "a gateway does nothing until it serves"]
pub struct Gateway {
    core: Core,
    servers: Vec<Server>,
}

impl Gateway {
    /// A gateway in front of `servers`.
    ///
    /// # Errors
    ///
    /// If there is no server, two have the same name, or the system has no random numbers.
    pub fn new(policy: FilePolicy, servers: Vec<Server>) -> io::Result<Self> {
        let mut names: Vec<_> = servers
            .iter()
            .map(|server| server.name.to_ascii_lowercase())
            .collect();
        names.sort_unstable();
        names.dedup();
        if names.len() != servers.len() || servers.is_empty() {
            return Err(io::Error::other(
                "there are no servers, or two of the same name",
            ));
        }
        let core = Core {
            policy,
            grants: Grants::new(),
            turns: Turns::new(),
            aside: None,
            asks_by_hint: false,
            states: States::new(Duration::from_secs(10 * 60)).map_err(io::Error::other)?,
            most_bytes: 16 << 20,
            grace: Duration::from_secs(2),
            patience: Duration::from_secs(30),
            idle: Duration::from_secs(30 * 60),
        };
        Ok(Self { core, servers })
    }

    /// Asks `handler` where the client cannot be asked.
    pub fn with_handler(mut self, handler: Handler) -> Self {
        self.core.aside = Some(handler);
        self
    }

    /// Remembers answers in `grants`.
    pub fn with_grants(mut self, grants: Grants) -> Self {
        self.core.grants = grants;
        self
    }

    /// Asks about tools that say that they may destroy something, whatever allows them.
    pub fn ask_by_hint(mut self) -> Self {
        self.core.asks_by_hint = true;
        self
    }

    /// Sets how long a message may be. 16 MiB unless something else is said.
    pub fn with_max_message(mut self, bytes: usize) -> Self {
        self.core.most_bytes = bytes;
        self
    }

    /// Sets how long a question that was deferred can be answered. Ten minutes unless something
    /// else is said.
    ///
    /// # Errors
    ///
    /// If the system has no random numbers.
    pub fn with_deferral(mut self, life: Duration) -> io::Result<Self> {
        self.core.states = States::new(life).map_err(io::Error::other)?;
        Ok(self)
    }

    /// Sets how long a server has to end by itself after its client went away.
    pub fn with_grace(mut self, grace: Duration) -> Self {
        self.core.grace = grace;
        self
    }

    /// Sets how long is waited for what should come at once: a server that lists what it has, starts
    /// beside others or reads what it is sent, and the body of a request. Half a minute unless
    /// something else is said. How long a tool may take is not bounded.
    pub fn with_patience(mut self, patience: Duration) -> Self {
        self.core.patience = patience;
        self
    }

    /// Sets after what time a session over HTTP ends that nobody listens to and nobody uses. Half an
    /// hour unless something else is said.
    pub fn with_idle(mut self, idle: Duration) -> Self {
        self.core.idle = idle;
        self
    }

    pub(crate) fn share(self) -> (Arc<Core>, Arc<[Server]>) {
        (Arc::new(self.core), self.servers.into())
    }

    /// Serves one client, whose messages are lines, until it goes away.
    ///
    /// # Errors
    ///
    /// If a server cannot be started.
    pub async fn serve<R, W>(self, reader: R, writer: W) -> io::Result<()>
    where
        R: AsyncRead + Unpin,
        W: AsyncWrite + Unpin + Send + 'static,
    {
        self.serve_until(reader, writer, pending()).await
    }

    /// The same, until `over` resolves at the latest. Servers are ended in either case.
    ///
    /// # Errors
    ///
    /// If a server cannot be started.
    pub async fn serve_until<R, W>(
        self,
        reader: R,
        mut writer: W,
        over: impl Future<Output = ()>,
    ) -> io::Result<()>
    where
        R: AsyncRead + Unpin,
        W: AsyncWrite + Unpin + Send + 'static,
    {
        let (core, servers) = self.share();
        let (out, mut outgoing) = queue::channel(QUEUE, core.most_bytes);
        let running = Running::start(&core, &servers, out, false)?;
        let writing =
            tokio::spawn(async move { lines::write(&mut writer, &mut outgoing, pending()).await });
        tokio::select! {
            () = read(reader, &running.session) => {}
            // Nobody reads any more.
            () = running.unheard() => {}
            () = over => {}
        }
        running.end().await;
        let _ = timeout(Duration::from_secs(1), writing).await;
        Ok(())
    }
}

/// Reads what the client says, until it says no more.
async fn read<R: AsyncRead + Unpin>(reader: R, session: &Arc<Shared>) {
    let limit = session.core.most_bytes;
    let mut reader = BufReader::with_capacity(64 << 10, reader);
    loop {
        let line = match lines::read(&mut reader, limit).await {
            Ok(Line::Text(line)) if line.trim_ascii().is_empty() => continue,
            Ok(Line::Text(line)) => Message::parse(&line),
            Ok(Line::TooLong) => Err(Unusable::TooLong(limit)),
            Ok(Line::End) | Err(_) => return,
        };
        match line {
            Ok(message) => session.on_client(0, message).await,
            Err(why) => session.tell(To::Anybody, frame::unusable(why)).await,
        }
    }
}

/// A session with its servers.
pub(crate) struct Running {
    pub(crate) session: Arc<Shared>,
    closing: watch::Sender<bool>,
    servers: JoinSet<()>,
}

impl Running {
    /// Starts all servers of a session.
    pub(crate) fn start(
        core: &Arc<Core>,
        servers: &[Server],
        out: queue::Sender<ToClient>,
        is_stateless: bool,
    ) -> io::Result<Self> {
        let (closing, closed) = watch::channel(false);
        let (mut links, mut started) = (Vec::new(), Vec::new());
        for server in servers {
            let (tx, rx) = queue::channel(QUEUE, core.most_bytes);
            links.push(Link::new(&server.name, tx));
            started.push(Started::new(server, rx)?);
        }
        let session = Shared::new(core, random_id()?, links, out, is_stateless);
        let mut tasks = JoinSet::new();
        for (number, started) in started.into_iter().enumerate() {
            let (session, closed) = (Arc::clone(&session), closed.clone());
            match started {
                Started::Process(process) => tasks.spawn(process.run(session, number, closed)),
                Started::Remote(remote) => tasks.spawn(remote.run(session, number, closed)),
            };
        }
        Ok(Self {
            session,
            closing,
            servers: tasks,
        })
    }

    /// Resolves when whoever reads what goes to the client is gone.
    async fn unheard(&self) {
        self.session.unheard().await;
    }

    /// Ends the session: questions are withdrawn, and servers end.
    pub(crate) async fn end(mut self) {
        self.session.client_gone();
        let _ = self.closing.send(true);
        while self.servers.join_next().await.is_some() {}
    }
}

enum Started {
    Process(Process),
    Remote(Remote),
}

impl Started {
    fn new(server: &Server, queue: queue::Receiver<String>) -> io::Result<Self> {
        match &server.how {
            How::Command(command) => {
                let process = Process::start(command, queue).map_err(|error| {
                    let why = format!("the server `{}` cannot be started: {error}", server.name);
                    io::Error::new(error.kind(), why)
                })?;
                Ok(Self::Process(process))
            }
            How::Url(url) => Ok(Self::Remote(Remote::new(url.clone(), queue))),
        }
    }
}

/// 128 random bits.
pub(crate) fn random_id() -> io::Result<String> {
    let mut bytes = [0; 16];
    getrandom::fill(&mut bytes).map_err(io::Error::other)?;
    Ok(format!("{:032x}", u128::from_be_bytes(bytes)))
}

impl fmt::Debug for Gateway {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names: Vec<_> = self.servers.iter().map(Server::name).collect();
        f.debug_struct("Gateway")
            .field("servers", &names)
            .finish_non_exhaustive()
    }
}
