//! `toolgate mcp`: a gateway in front of MCP servers.

use std::{ffi::OsString, fs, net::SocketAddr, path::PathBuf, process::ExitCode};

use toolgate::Grants;
use toolgate_gateway::{Gateway, Server};
#[cfg(unix)]
use tower::ServiceExt as _;

use crate::{
    exit,
    fail::Fail,
    out,
    policy::{Found, PolicyArgs},
    signals::told_to_end,
};

/// Stands between an MCP client and its servers.
#[derive(Debug, Clone, clap::Args)]
pub(crate) struct McpArgs {
    #[command(flatten)]
    policy: PolicyArgs,

    /// What the policy calls the server: rules name its tools `mcp:NAME/TOOL`
    #[arg(
        long,
        value_name = "NAME",
        default_value = "server",
        conflicts_with = "config"
    )]
    name: String,

    /// Servers from a file in the format of MCP clients, with `mcpServers`
    #[arg(long, value_name = "FILE", conflicts_with_all = ["url", "command"])]
    config: Option<PathBuf>,

    /// A server on this machine that speaks streamable HTTP
    #[arg(long, value_name = "URL", conflicts_with = "command")]
    url: Option<String>,

    /// Serve streamable HTTP at `/mcp` of this address, which must be of this machine, rather than
    /// standard input and output
    #[arg(long, value_name = "ADDRESS")]
    listen: Option<SocketAddr>,

    /// Ask about tools that say that they may destroy something, whatever allows them
    #[arg(long)]
    ask_destructive: bool,

    /// Never ask on the terminal
    #[arg(long)]
    no_terminal: bool,

    /// Grants as they were exported, which count as answers given before
    #[arg(long, value_name = "FILE")]
    grants: Option<PathBuf>,

    /// How many bytes a message may have
    #[arg(long, value_name = "BYTES", default_value_t = 16 << 20)]
    max_message: usize,

    /// The server: a program and its arguments
    #[arg(last = true, value_name = "COMMAND")]
    command: Vec<OsString>,
}

pub(crate) const HELP: &str = "\
To the client this is a server, and to the server a client. Everything passes but calls of tools:
those are judged by the policy first. Tools that the policy denies in any case are not listed.

Who is asked: the person at the client, if it offers that; or else whoever sits at the terminal that
it was started from; or else nobody, and the call is refused.

Examples:
  toolgate mcp --policy toolgate.toml -- npx -y @modelcontextprotocol/server-filesystem .
  toolgate mcp --policy toolgate.toml --config mcp.json
  toolgate mcp --policy toolgate.toml --listen 127.0.0.1:8931 -- mcp-server-time";

pub(crate) fn run(args: &McpArgs) -> Result<ExitCode, Fail> {
    let gateway = gateway(args)?;
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .map_err(|error| Fail::new(format!("the gateway cannot be started: {error}")))?;
    let served = runtime.block_on(serve(gateway, args.listen));
    // Reading from standard input cannot be given up, and must not keep the program.
    runtime.shutdown_background();
    served.map_err(|error| Fail::new(error.to_string()))?;
    Ok(exit::FINE.into())
}

async fn serve(gateway: Gateway, listen: Option<SocketAddr>) -> std::io::Result<()> {
    match listen {
        None => {
            let (input, output) = (tokio::io::stdin(), tokio::io::stdout());
            gateway.serve_until(input, output, told_to_end()).await
        }
        Some(address) => {
            let listening = gateway.listen(address).await?;
            out::note(&format!(
                "listening at http://{}/mcp\n",
                listening.address()
            ));
            listening.serve_until(told_to_end()).await
        }
    }
}

fn gateway(args: &McpArgs) -> Result<Gateway, Fail> {
    // The client may have been started in any directory: what is found there only restricts.
    let policy = args.policy.load(Found::Restricts)?;
    let gateway =
        Gateway::new(policy, servers(args)?).map_err(|error| Fail::new(error.to_string()))?;
    let mut gateway = gateway.with_max_message(args.max_message);
    if args.ask_destructive {
        gateway = gateway.ask_by_hint();
    }
    if let Some(file) = &args.grants {
        gateway = gateway.with_grants(grants(args, file)?);
    }
    Ok(match args.no_terminal {
        true => gateway,
        false => with_terminal(gateway),
    })
}

/// Somebody at the terminal that the program was started from. If there is none, that is noticed
/// when somebody is to be asked.
#[cfg(unix)]
fn with_terminal(gateway: Gateway) -> Gateway {
    let prompt = toolgate_terminal::TerminalPrompt::new().map_err(tower::BoxError::from);
    gateway.with_handler(tower::util::BoxCloneSyncService::new(prompt))
}

/// On other systems there is nothing yet that asks.
#[cfg(not(unix))]
fn with_terminal(gateway: Gateway) -> Gateway {
    gateway
}

fn servers(args: &McpArgs) -> Result<Vec<Server>, Fail> {
    if let Some(file) = &args.config {
        let text = fs::read_to_string(file).map_err(|error| Fail::unreadable(file, &error))?;
        let servers = Server::read_config(&text);
        return servers.map_err(|error| Fail::new(format!("{}: {error}", file.display())));
    }
    let server = match (&args.url, args.command.split_first()) {
        (Some(url), _) => Server::url(&args.name, url),
        (None, Some((program, rest))) => Server::command(&args.name, program, rest.iter().cloned()),
        (None, None) => {
            return Err(Fail::new("there is no server")
                .with_help("name one after `--`, or with `--url` or `--config`"));
        }
    };
    Ok(vec![server.map_err(|error| Fail::new(error.to_string()))?])
}

/// Grants are for tools of servers by name, so the name has to be one that was chosen.
fn grants(args: &McpArgs, file: &PathBuf) -> Result<Grants, Fail> {
    if args.config.is_none() && args.name == "server" {
        return Err(
            Fail::new("grants are for servers by name, and this one has none")
                .with_help("name it with `--name`"),
        );
    }
    let text = fs::read_to_string(file).map_err(|error| Fail::unreadable(file, &error))?;
    let grants = Grants::new();
    let read = grants.import(&text);
    read.map_err(|_| Fail::new(format!("{}: this is no export of grants", file.display())))?;
    Ok(grants)
}
