//! Several servers as one.
//!
//! Tools and prompts are called `SERVER__NAME`. Names of servers have no `__` in them and do not end
//! with `_`, so two pairs never share a name; and nothing is ever split out of one: what a name means
//! is looked up. Resources keep their addresses, which belong to the server that lists them first.

use std::{
    collections::HashMap,
    sync::{Arc, PoisonError},
};

use futures_util::future::join_all;
use serde_json::{Value, value::RawValue};

use super::{ClientKey, Shared, What, list::tool_id};
use crate::{
    frame::{self, INVALID_PARAMS, METHOD_NOT_FOUND, SERVER_ERROR},
    json::{Object, raw},
};

/// Which server offers what.
#[derive(Debug, Default)]
pub(super) struct Owners {
    names: HashMap<(Kind, String), (usize, String)>,
    resources: HashMap<String, usize>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Kind {
    Tool,
    Prompt,
}

/// What is known by an address: how it is listed, under which key, and where its address is.
type Addressed = (&'static str, &'static str, &'static str);

const RESOURCES: Addressed = ("resources/list", "resources", "uri");
const TEMPLATES: Addressed = (
    "resources/templates/list",
    "resourceTemplates",
    "uriTemplate",
);

/// How many names and addresses are remembered.
const MOST_OWNED: usize = 20_000;

/// What a tool of one of several servers is called.
fn exposed(server: &str, name: &str) -> String {
    format!("{server}__{name}")
}

impl Shared {
    /// Which tool of which server a name means.
    pub(super) fn meant(&self, name: &str) -> Option<(usize, String)> {
        match self.has_several() {
            true => self.owner(Kind::Tool, name),
            false => Some((0, name.to_owned())),
        }
    }

    /// Lists the tools of all servers if a call names one that is not known yet.
    pub(super) async fn learn_names(&self, params: &Object) {
        let name = params.text("name");
        if name.is_some_and(|name| self.meant(&name).is_none()) {
            // Whoever does not list its tools has none.
            let _ = self.list_tools().await;
        }
    }

    /// The same for prompts and resources.
    async fn learn_owners(&self, method: &str, params: &Object) {
        let what = match method {
            "completion/complete" => params.object("ref").unwrap_or_default(),
            "prompts/get" | "resources/read" | "resources/subscribe" => params.clone(),
            _ => return,
        };
        if let Some(uri) = what.text("uri") {
            if self.holder(&uri).is_none() {
                let _ = self.list_resources(RESOURCES).await;
                let _ = self.list_resources(TEMPLATES).await;
            }
        } else if what
            .text("name")
            .is_some_and(|name| self.owner(Kind::Prompt, &name).is_none())
        {
            let _ = self.list_prompts().await;
        }
    }

    fn owner(&self, kind: Kind, name: &str) -> Option<(usize, String)> {
        let owners = self.owners.lock().unwrap_or_else(PoisonError::into_inner);
        owners.names.get(&(kind, name.to_owned())).cloned()
    }

    fn own(&self, kind: Kind, exposed: &str, server: usize, name: &str) {
        let mut owners = self.owners.lock().unwrap_or_else(PoisonError::into_inner);
        if owners.names.len() < MOST_OWNED {
            let owned = (server, name.to_owned());
            owners.names.insert((kind, exposed.to_owned()), owned);
        }
    }

    /// Answers a request for all servers together.
    pub(super) async fn merged(
        self: Arc<Self>,
        key: ClientKey,
        method: String,
        mut request: Object,
        params: Option<Object>,
    ) {
        let to_all = match &*method {
            "initialize" => Some(self.initialize(params.as_ref()).await),
            "ping" => Some(Ok(Object::default())),
            "tools/list" => Some(self.list_tools().await),
            "prompts/list" => Some(self.list_prompts().await),
            "resources/list" => Some(self.list_resources(RESOURCES).await),
            "resources/templates/list" => Some(self.list_resources(TEMPLATES).await),
            "logging/setLevel" => {
                self.ask_all("logging/setLevel", params.as_ref()).await;
                Some(Ok(Object::default()))
            }
            _ => None,
        };
        match to_all {
            Some(Ok(result)) => {
                let text = frame::result(&key.id, &result);
                return self.reply(key, text).await;
            }
            Some(Err(why)) => return self.fail(key, SERVER_ERROR, &why).await,
            None => {}
        }
        let mut params = params.unwrap_or_default();
        self.learn_owners(&method, &params).await;
        match self.one(&method, &mut params) {
            Ok(server) => {
                request.put("params", &params);
                self.forward(server, key, What::Plain, request, Some(params))
                    .await;
            }
            Err((code, why)) => self.fail(key, code, why).await,
        }
    }

    /// Which server a request is for. Its parameters then say what that server calls the thing.
    fn one(&self, method: &str, params: &mut Object) -> Result<usize, (i64, &'static str)> {
        let unknown = || (INVALID_PARAMS, "no server is known to offer this");
        match method {
            "prompts/get" => {
                let name = params.text("name").ok_or_else(unknown)?;
                let (server, name) = self.owner(Kind::Prompt, &name).ok_or_else(unknown)?;
                params.put("name", &name);
                Ok(server)
            }
            "resources/read" | "resources/subscribe" | "resources/unsubscribe" => {
                let uri = params.text("uri").ok_or_else(unknown)?;
                self.holder(&uri).ok_or_else(unknown)
            }
            "completion/complete" => {
                let mut what = params.object("ref").ok_or_else(unknown)?;
                if let Some(uri) = what.text("uri") {
                    return self.holder(&uri).ok_or_else(unknown);
                }
                let name = what.text("name").ok_or_else(unknown)?;
                let (server, name) = self.owner(Kind::Prompt, &name).ok_or_else(unknown)?;
                what.put("name", &name);
                params.put("ref", &what);
                Ok(server)
            }
            _ => Err((METHOD_NOT_FOUND, "not offered for several servers at once")),
        }
    }

    /// Which server an address belongs to: who lists it, or lists the longest beginning of it that a
    /// template has before its first variable.
    fn holder(&self, uri: &str) -> Option<usize> {
        let owners = self.owners.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(server) = owners.resources.get(uri) {
            return Some(*server);
        }
        let fixed = |template: &str| {
            template.find('{').filter(|end| {
                template
                    .get(..*end)
                    .is_some_and(|fixed| uri.starts_with(fixed))
            })
        };
        let fitting = owners
            .resources
            .iter()
            .filter_map(|(uri, server)| Some((fixed(uri)?, *server)));
        fitting.max().map(|(_, server)| server)
    }

    async fn ask_all(&self, method: &str, params: Option<&Object>) -> Vec<Result<Object, String>> {
        let all = (0..self.links.len()).map(|server| self.request(server, method, params));
        join_all(all).await
    }

    /// Starts all servers. What they can do is what any of them can; a server that does not start is
    /// left out, unless none does.
    async fn initialize(&self, params: Option<&Object>) -> Result<Object, String> {
        let all = self.ask_all("initialize", params).await;
        let mut failed = String::new();
        let (mut capabilities, mut versions, mut instructions) =
            (Value::Null, Vec::new(), Vec::new());
        for (link, result) in self.links.iter().zip(all) {
            let result = match result {
                Ok(result) => result,
                Err(why) => {
                    failed = why;
                    continue;
                }
            };
            versions.extend(result.text("protocolVersion"));
            let said = result
                .get("capabilities")
                .map(|raw| serde_json::from_str(raw.get()));
            merge(
                &mut capabilities,
                said.and_then(Result::ok).unwrap_or_default(),
            );
            if let Some(text) = result.text("instructions") {
                instructions.push(format!("{}: {text}", link.name));
            }
        }
        let oldest = versions.into_iter().min().ok_or(failed)?;
        if let Value::Object(all) = &mut capabilities {
            // Tasks are known by ids that servers choose, and could cross.
            all.remove("tasks");
        }
        let info = serde_json::json!({"name": "toolgate", "version": env!("CARGO_PKG_VERSION")});
        let result = Object::default()
            .with("protocolVersion", &oldest)
            .with("capabilities", &capabilities)
            .with("serverInfo", &raw(&info));
        Ok(match instructions.is_empty() {
            true => result,
            false => result.with("instructions", &instructions.join("\n\n")),
        })
    }

    async fn list_tools(&self) -> Result<Object, String> {
        let all = (0..self.links.len()).map(|server| self.all_tools(server, None));
        let mut tools = Vec::new();
        for (server, (link, listed)) in self.links.iter().zip(join_all(all).await).enumerate() {
            for tool in listed.unwrap_or_default() {
                if !self.is_shown(link, &tool) {
                    continue;
                }
                let name = exposed(&link.name, &tool.name);
                self.own(
                    Kind::Tool,
                    &name,
                    server,
                    tool_id(link, &tool.name, tool.definition).name(),
                );
                tools.push(tool.object.with("name", &name));
            }
        }
        Ok(Object::default().with("tools", &tools))
    }

    async fn list_prompts(&self) -> Result<Object, String> {
        let mut prompts = Vec::new();
        for (server, raw) in self.everything("prompts/list", "prompts").await {
            let Some(prompt) = Object::parse(raw.get()).ok() else {
                continue;
            };
            let (Some(name), Some(link)) = (prompt.text("name"), self.link(server)) else {
                continue;
            };
            let shown = exposed(&link.name, &name);
            self.own(Kind::Prompt, &shown, server, &name);
            prompts.push(prompt.with("name", &shown));
        }
        Ok(Object::default().with("prompts", &prompts))
    }

    /// Resources of all servers. One whose address another server has already is left out.
    async fn list_resources(&self, (method, key, address): Addressed) -> Result<Object, String> {
        let mut shown = Vec::new();
        let all = self.everything(method, key).await;
        let mut owners = self.owners.lock().unwrap_or_else(PoisonError::into_inner);
        for (server, raw) in all {
            let uri = Object::parse(raw.get())
                .ok()
                .and_then(|resource| resource.text(address));
            let Some(uri) = uri.filter(|_| owners.resources.len() < MOST_OWNED) else {
                continue;
            };
            if *owners.resources.entry(uri).or_insert(server) == server {
                shown.push(raw);
            }
        }
        drop(owners);
        Ok(Object::default().with(key, &shown))
    }

    /// A list of all servers. One that has none, or fails, adds nothing.
    async fn everything(&self, method: &str, key: &str) -> Vec<(usize, Box<RawValue>)> {
        let all = (0..self.links.len()).map(|server| self.all_members(server, method, key, None));
        let all = join_all(all).await.into_iter().enumerate();
        let named = |(server, members): (usize, Result<Vec<_>, _>)| {
            members
                .unwrap_or_default()
                .into_iter()
                .map(move |raw| (server, raw))
        };
        all.flat_map(named).collect()
    }
}

/// Adds what one server can do to what the others can.
fn merge(all: &mut Value, one: Value) {
    match (all, one) {
        (Value::Object(all), Value::Object(one)) => {
            for (key, value) in one {
                merge(all.entry(key).or_insert(Value::Null), value);
            }
        }
        (Value::Bool(all), Value::Bool(one)) => *all |= one,
        (all @ Value::Null, one) => *all = one,
        _ => {}
    }
}
