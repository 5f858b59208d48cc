//! Which tools nobody needs to be told of.

use toolgate::{Effect, Origin, ToolId};

use super::FilePolicy;
use crate::{compiled::Compiled, finding::RuleIndex, settle};

impl FilePolicy {
    /// Whether the policy denies every call of a tool, whatever its arguments are, as things stand.
    ///
    /// A host that lists tools for a model can leave such a tool out. If in doubt the answer is no;
    /// calls are judged in any case.
    ///
    /// # Example
    ///
    /// ```
    /// use toolgate::{Origin, ToolId};
    /// use toolgate_policy::{Format, Settings, parse_policy};
    ///
    /// let text = r#"
    ///     default = "deny"
    ///     [tools]
    ///     allow = ["mcp:files/read_*"]
    /// "#;
    /// let policy = parse_policy(text, Format::Toml)?.compile(None, &Settings::new())?;
    /// let tool = |name: &str| ToolId::new(name).on_server("files");
    /// assert!(!policy.always_denies(&tool("read_file"), &Origin::new()));
    /// assert!(policy.always_denies(&tool("delete_file"), &Origin::new()));
    /// # Ok::<(), toolgate_policy::Diagnostics>(())
    /// ```
    #[must_use]
    pub fn always_denies(&self, tool: &ToolId, origin: &Origin) -> bool {
        let denies = |layer: &Compiled| self.layer_denies(layer, tool, origin);
        if self.layers().iter().any(denies) {
            return true;
        }
        // Where the default is to deny, nothing but a rule leads around it.
        let [vouched, unvouched] = self.entries(tool);
        let has_labels =
            vouched.capabilities().next().is_some() || unvouched.capabilities().next().is_some();
        settle::default(self.layers().iter()) == Effect::Deny
            && !has_labels
            && !self.layers().iter().any(|layer| layer.speaks_of(tool))
    }

    fn layer_denies(&self, layer: &Compiled, tool: &ToolId, origin: &Origin) -> bool {
        let now = &*self.world().now;
        let scope = |rule: RuleIndex| layer.rules.holds(rule, origin.agent(), now);
        layer.tools.denies_any(tool, &scope) || !layer.lets_server(tool)
    }
}

impl Compiled {
    /// Whether the server of a tool is among those that are allowed.
    fn lets_server(&self, tool: &ToolId) -> bool {
        match (&self.allowed_servers, tool.server()) {
            (Some(allowed), Some(server)) => allowed.contains(server),
            _ => true,
        }
    }

    /// Whether a rule could allow a call of a tool, or ask about one.
    fn speaks_of(&self, tool: &ToolId) -> bool {
        let is_believed = |server: &str| self.believed_servers.contains(server);
        self.tools.speaks_of(tool)
            || self.bindings.reads(tool)
            || tool.server().is_some_and(is_believed)
    }
}

#[cfg(test)]
mod tests {
    use toolgate::{Args, ToolCall};

    use super::*;
    use crate::{Format, Settings, parse_policy};

    fn policy(text: &str) -> FilePolicy {
        let parsed = parse_policy(text, Format::Toml).unwrap();
        parsed.compile(None, &Settings::new()).unwrap()
    }

    fn hides(text: &str, tool: &ToolId) -> bool {
        let policy = policy(text);
        let hidden = policy.always_denies(tool, &Origin::new());
        let call = ToolCall::new(tool.clone(), Args::new().with("path", "a"));
        assert!(!hidden || policy.effect(&call) == Effect::Deny, "{text}");
        hidden
    }

    #[test]
    fn a_deny_without_conditions_hides() {
        let tool = ToolId::new("drop_table").on_server("db");
        assert!(hides("[tools]\ndeny = [\"mcp:db/drop_*\"]\n", &tool));
        assert!(hides("[tools]\ndeny = [\"mcp:*/DROP_*\"]\n", &tool));
        assert!(hides(
            "[tools.\"mcp:db/drop_table\"]\ndecision = \"blocked\"\n",
            &tool
        ));
        assert!(!hides("[tools]\nask = [\"mcp:db/drop_*\"]\n", &tool));
        assert!(!hides("[tools]\ndeny = [\"drop_*\"]\n", &tool));
    }

    #[test]
    fn a_deny_that_looks_at_arguments_or_has_exceptions_does_not_hide() {
        let tool = ToolId::new("drop").on_server("db");
        let when = r#"
            [[tools.deny]]
            pattern = "mcp:db/*"
            when = { table = { eq = "users" } }
        "#;
        assert!(!hides(when, &tool));
        let except = r#"
            [[tools.deny]]
            pattern = "mcp:db/*"
            except = ["mcp:db/drop"]
        "#;
        assert!(!hides(except, &tool));
        assert!(hides(except, &ToolId::new("other").on_server("db")));
    }

    #[test]
    fn a_default_that_denies_hides_what_no_rule_speaks_of() {
        let deny = "default = \"deny\"\n";
        let tool = ToolId::new("t").on_server("s");
        assert!(hides(deny, &tool));
        assert!(!hides("default = \"ask\"\n", &tool));
        assert!(!hides(
            &format!("{deny}[tools]\nallow = [\"mcp:s/*\"]\n"),
            &tool
        ));
        assert!(!hides(
            &format!("{deny}[tools]\nask = [\"mcp:s/*\"]\n"),
            &tool
        ));
        // What it writes to is judged by other rules.
        let kind = format!(
            "{deny}[write]\nallow = [\"/src/**\"]\n[tools.\"mcp:s/t\"]\nkind = \"write\"\n"
        );
        assert!(!hides(&kind, &tool));
        // What it can do is judged by other rules.
        let labels = format!(
            "{deny}[capabilities]\nallow = [\"fs.read\"]\n[tools.\"mcp:s/t\"]\ncapabilities = [\"fs.read\"]\n"
        );
        assert!(!hides(&labels, &tool));
        assert!(!hides(
            &format!("{deny}[shell]\nallow = [\"ls *\"]\n"),
            &ToolId::new("shell")
        ));
    }
}
