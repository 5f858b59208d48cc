//! Shows an agent loop through the gateway, without a network: a model that follows a script, a
//! client of rmcp whose person is asked by elicitation, the gateway with a policy file, and behind
//! it a real MCP server with real files, in a process of its own.
//!
//! `cargo run -p toolgate-rmcp --example gateway_loop`

#[cfg_attr(
    test,
    expect(dead_code, reason = "the calls are counted in another process")
)]
#[path = "../agent_loop/notes.rs"]
mod notes;

use std::{
    path::Path,
    sync::{Arc, Mutex, PoisonError},
};

use rmcp::{
    ClientHandler, ErrorData, RoleClient, ServiceExt,
    model::{
        CallToolRequestParams, ClientCapabilities, ClientConfig, ElicitRequestParams, ElicitResult,
        ElicitationAction, Implementation, JsonObject,
    },
    service::RequestContext,
};
use serde_json::{Value, json};
use toolgate_gateway::{Gateway, Server};
use toolgate_policy::{Format, Settings, parse_policy};
use tower::BoxError;

use self::notes::Notes;

/// Says in the environment of the server where its notes are.
const FOLDER: &str = "NOTES_FOLDER";

/// What the model would say: which tool it calls, with which arguments.
fn script() -> Vec<(&'static str, Value)> {
    let save = json!({"name": "shopping", "text": "milk, bread"});
    vec![
        ("read_note", json!({"name": "shopping"})),
        ("save_note", save.clone()),
        ("save_note", save),
        ("save_note", json!({"name": "diary", "text": "nothing"})),
        ("delete_note", json!({"name": "shopping"})),
        ("send_note", json!({"name": "shopping"})),
    ]
}

/// The client, and the person at it: shopping is fine for the rest of the session, the diary is not.
#[derive(Clone, Default)]
struct Host {
    asked: Arc<Mutex<Vec<String>>>,
}

impl ClientHandler for Host {
    fn get_info(&self) -> ClientConfig {
        let can = ClientCapabilities::builder().enable_elicitation().build();
        ClientConfig::new(can, Implementation::new("host", "1"))
    }

    async fn create_elicitation(
        &self,
        request: ElicitRequestParams,
        _: RequestContext<RoleClient>,
    ) -> Result<ElicitResult, ErrorData> {
        let ElicitRequestParams::FormElicitationParams { message, .. } = request else {
            return Ok(ElicitResult::new(ElicitationAction::Decline));
        };
        for line in message.lines() {
            println!("  asked: {line}");
        }
        let filled = match message.contains("shopping") {
            true => json!({"decision": "allow for this session"}),
            false => json!({"decision": "deny", "note": "leave my diary alone"}),
        };
        let mut asked = self.asked.lock().unwrap_or_else(PoisonError::into_inner);
        asked.push(message);
        Ok(ElicitResult::new(ElicitationAction::Accept).with_content(filled))
    }
}

/// The gateway, in front of this very program when it is started as the server.
fn gateway(folder: &Path, args: &[&str]) -> Result<Gateway, BoxError> {
    let policy = parse_policy(include_str!("../agent_loop/policy.toml"), Format::Toml)?;
    let policy = policy.compile(None, &Settings::new())?;
    let config = json!({"mcpServers": {"notes": {
        "command": std::env::current_exe()?,
        "args": args,
        "env": {FOLDER: folder},
    }}});
    let servers = Server::read_config(&config.to_string())?;
    Ok(Gateway::new(policy, servers)?)
}

/// Plays the script. Returns which tools are listed, and what the model is told after each call.
async fn run(gateway: Gateway, host: Host) -> Result<(Vec<String>, Vec<String>), BoxError> {
    let (ours, theirs) = tokio::io::duplex(1 << 16);
    let (reader, writer) = tokio::io::split(theirs);
    let served = tokio::spawn(gateway.serve(reader, writer));
    let client = host.serve(ours).await?;

    let listed = client.list_all_tools().await?;
    let listed: Vec<_> = listed.iter().map(|tool| tool.name.to_string()).collect();
    println!("the model is shown: {}", listed.join(", "));
    let mut told = Vec::new();
    for (tool, args) in script() {
        println!("model: {tool} {args}");
        let args: JsonObject = serde_json::from_value(args)?;
        let request = CallToolRequestParams::new(tool).with_arguments(args);
        let result = client.call_tool(request).await?;
        let texts = result.content.iter().filter_map(|block| block.as_text());
        let text: String = texts.map(|block| block.text.as_str()).collect();
        println!("  told: {text}");
        told.push(text);
    }
    client.cancel().await?;
    served.await??;
    Ok((listed, told))
}

/// The server: notes over standard input and output.
async fn serve(folder: &Path) -> Result<(), BoxError> {
    let (input, output) = (tokio::io::stdin(), tokio::io::stdout());
    let serving = Notes::new(folder).serve((input, output)).await?;
    serving.waiting().await?;
    Ok(())
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), BoxError> {
    if let Some(folder) = std::env::var_os(FOLDER) {
        return serve(Path::new(&folder)).await;
    }
    let folder = tempfile::tempdir()?;
    std::fs::write(folder.path().join("shopping"), "milk")?;
    run(gateway(folder.path(), &[])?, Host::default()).await?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The server, if this program was started as one.
    #[test]
    fn play() {
        if std::env::var_os(FOLDER).is_some() {
            main().unwrap();
        }
    }

    #[tokio::test]
    async fn allows_asks_remembers_declines_denies_and_hides() {
        let folder = tempfile::tempdir().unwrap();
        let file = |name| std::fs::read_to_string(folder.path().join(name));
        std::fs::write(folder.path().join("shopping"), "milk").unwrap();
        let host = Host::default();
        let server = ["--exact", "tests::play", "--nocapture"];
        let gateway = gateway(folder.path(), &server).unwrap();

        let (listed, told) = run(gateway, host.clone()).await.unwrap();

        assert_eq!(listed, ["read_note", "save_note"]);
        assert_eq!(told[..3], ["milk", "saved", "saved"]);
        assert!(told[3].contains("said no") && told[3].contains("leave my diary alone"));
        assert!(told[4].contains("policy does not permit") && told[4].contains("never deleted"));
        assert!(told[5].contains("did not run"));
        let asked = host.asked.lock().unwrap();
        assert_eq!(asked.len(), 2, "{asked:?}");
        assert!(asked[0].contains("saving replaces what was there"));
        assert_eq!(file("shopping").unwrap(), "milk, bread");
        assert!(file("diary").is_err());
    }
}
