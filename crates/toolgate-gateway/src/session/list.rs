//! Which tools there are, and which of them are shown.

use tokio::time::Instant;
use toolgate::ToolId;

use super::{Link, Shared};
use crate::{
    json::Object,
    registry::{Definition, Listed, members},
};

/// How many pages a list may have.
const MOST_PAGES: usize = 100;

impl Shared {
    /// A page of a server's list as the client sees it: without what is always denied, and without
    /// what could be read in two ways.
    pub(super) fn shown_tools(&self, server: usize, mut result: Object) -> Object {
        let Some(link) = self.link(server) else {
            return result;
        };
        let all = members(&result, "tools");
        let listed: Vec<_> = all.iter().map(|raw| Listed::read(raw)).collect();
        let known: Vec<_> = listed.iter().flatten().cloned().collect();
        link.lock().registry.learn(&known);
        let shown: Vec<_> = all
            .iter()
            .zip(&listed)
            .filter(|(_, tool)| tool.as_ref().is_some_and(|tool| self.is_shown(link, tool)))
            .map(|(raw, _)| raw)
            .collect();
        if shown.len() < all.len() {
            result.put("tools", &shown);
        }
        result
    }

    pub(super) fn is_shown(&self, link: &Link, tool: &Listed) -> bool {
        let is_clear = !link.lock().registry.is_ambiguous(&tool.name);
        let id = tool_id(link, &tool.name, tool.definition);
        is_clear && !self.core.policy.always_denies(&id, &self.origin)
    }

    /// What a tool is defined as. If that is not known, the server is asked.
    pub(super) async fn definition(
        &self,
        server: usize,
        name: &str,
        envelope: Option<&Object>,
    ) -> Result<Option<Definition>, String> {
        let Some(link) = self.link(server) else {
            return Ok(None);
        };
        {
            let state = link.lock();
            let registry = &state.registry;
            if registry.is_current() {
                return Ok(registry.get(name));
            }
        }
        let _one = link.refreshing.lock().await;
        if !link.lock().registry.is_current() {
            self.all_tools(server, envelope).await?;
        }
        Ok(link.lock().registry.get(name))
    }

    /// Lists all tools of a server, and takes them down.
    pub(super) async fn all_tools(
        &self,
        server: usize,
        envelope: Option<&Object>,
    ) -> Result<Vec<Listed>, String> {
        let Some(link) = self.link(server) else {
            return Ok(Vec::new());
        };
        let changes = link.lock().registry.changes();
        let raw = self
            .all_members(server, "tools/list", "tools", envelope)
            .await?;
        let all: Vec<_> = raw.iter().filter_map(|raw| Listed::read(raw)).collect();
        link.lock().registry.replace(&all, changes);
        Ok(all)
    }

    /// All pages of a list.
    pub(super) async fn all_members(
        &self,
        server: usize,
        method: &str,
        key: &str,
        envelope: Option<&Object>,
    ) -> Result<Vec<Box<serde_json::value::RawValue>>, String> {
        let (mut all, mut cursor) = (Vec::new(), None);
        let begun = Instant::now();
        for _ in 0..MOST_PAGES {
            let mut params = Object::default();
            if let Some(envelope) = envelope {
                params.put("_meta", envelope);
            }
            if let Some(cursor) = cursor.take() {
                params.set("cursor", cursor);
            }
            let mut page = self.request(server, method, Some(&params)).await?;
            all.append(&mut members(&page, key));
            match page
                .remove("nextCursor")
                .filter(|next| next.get() != "null")
            {
                Some(_) if begun.elapsed() > self.core.patience => break,
                Some(next) => cursor = Some(next),
                None => return Ok(all),
            }
        }
        Err("the server's list does not end".to_owned())
    }
}

/// What a tool is known by: server, name and definition.
pub(super) fn tool_id(link: &Link, name: &str, definition: Definition) -> ToolId {
    let tool = ToolId::new(name).on_server(&*link.name);
    tool.defined_as(definition.digest)
}
