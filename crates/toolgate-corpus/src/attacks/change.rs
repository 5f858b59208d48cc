//! Changes the world around the calls.

use serde_json::Value;
use toolgate::{Args, BlockedKind};

use super::{
    case::{Context, Identity},
    perform::{Differences, plain},
    policy::Spec,
    step::{Behaviour, Returns, Step, Variables},
    world::{Ended, Hook, NewCall, World},
};
use crate::case::Invalid;

impl World {
    /// Does what changes the world around the calls.
    pub(super) fn change(&mut self, step: &Step) -> Differences {
        match step {
            Step::ReloadPolicy { policy } => self.scene.set_policy(policy.clone()),
            Step::ManagedPolicy { allow, ask, deny } => self.scene.set_managed(allow, ask, deny),
            Step::Policy { agent, policy } if agent == "main" => {
                self.scene.set_policy(policy.clone());
            }
            Step::Policy { agent, policy } => self.spawn(agent, Some(policy), 1),
            Step::Spawn {
                agent,
                policy,
                depth,
                ..
            } => self.spawn(agent, policy.as_ref(), depth.unwrap_or(1).max(1)),
            Step::SpawnNamed { agent, deny_rule } => return self.spawn_named(agent, deny_rule),
            Step::BackgroundSubagent {} => {
                self.spawn("background", None, 1);
                self.context.agent = Some("background".to_owned());
            }
            Step::WhileRunning { agent } => self.keep_running(agent),
            Step::EndSession { session } => {
                self.store.grants().end_session(Some(session));
                self.store.save();
                self.drop_calls(|call| call.context.session.as_ref() == Some(session));
            }
            Step::Handler { behaviour } => self.handler(*behaviour),
            // A checker that is not there is one that fails: it was configured.
            Step::Checker {
                behaviour: Behaviour::Absent,
            } => self.scene.set_checker(Behaviour::Missing),
            Step::Checker { behaviour } => self.scene.set_checker(*behaviour),
            Step::Hook {
                returns: Returns::Malformed(_),
            } => self.scene.set_checker(Behaviour::MalformedOutput),
            Step::Hook { returns } => self.scene.set_hook(hook(returns)?),
            Step::HookRewrite { args, .. } => self.scene.set_hook(Hook {
                decision: None,
                args: Some(plain(args)?),
            }),
            Step::SetCwd { cwd } => self.scene.set_cwd(cwd.clone()),
            Step::Source(source) => return self.perform_source(source),
            Step::Revoke { r#match, id } => self.revoke(r#match.as_deref(), id.as_deref())?,
            other => self.surround(other)?,
        }
        Ok(Vec::new())
    }

    /// Changes what surrounds the calls: files, servers, names.
    fn surround(&mut self, step: &Step) -> Result<(), Invalid> {
        match step {
            Step::SetEnv(Variables::One { name, value }) => {
                self.scene.set_variable(name.clone(), value.clone());
            }
            Step::SetEnv(Variables::Several { env } | Variables::Each(env)) => {
                let set = |(name, value): (&String, &String)| {
                    self.scene.set_variable(name.clone(), value.clone());
                };
                env.iter().for_each(set);
            }
            Step::Fs { entries } => self.scene.disk().put_all(entries),
            Step::FsBetweenDecideAndExecute { entries } => {
                self.settle();
                self.executor.change(entries);
                self.settle();
            }
            Step::HttpRedirect { to, .. } => self.network.redirect(to),
            Step::Dns(resolved) | Step::DnsRebind(resolved) => self.network.resolve(resolved),
            Step::Register { servers } => {
                for name in servers {
                    self.servers.register(&**name);
                }
            }
            Step::PinServer { server, tools } => {
                self.servers.register(&**server);
                self.servers
                    .pin(&**server, tools.iter().map(|tool| &**tool));
            }
            Step::ToolRedefine { server, tool, .. } => self.redefine(Identity {
                server: server.clone(),
                tool: tool.clone(),
            }),
            other => self.fail(other)?,
        }
        Ok(())
    }

    /// Has something fail. What is left are words that reach nobody, and a clock nobody looks at:
    /// how long a question is open is measured on one that cannot be set.
    fn fail(&mut self, step: &Step) -> Result<(), Invalid> {
        match step {
            Step::Restart {} => self.restart()?,
            Step::HandlerDisconnect {} => {
                self.settle();
                self.hand.disconnect();
                self.settle();
            }
            Step::DropService {} | Step::CrashBeforeExecute {} => self.drop_calls(|_| true),
            Step::CrashDuringExecute {} | Step::CrashAfterExecute {} => {
                self.settle();
                self.drop_calls(|_| true);
            }
            Step::CrashDuringStoreWrite {} => {
                self.settle();
                self.store.tear();
                self.drop_calls(|_| true);
            }
            Step::RuntimeShutdown {} => self.shut_down()?,
            Step::PollReadyError {} => self.spy.never_be_ready(),
            Step::CorruptStore {} => {
                self.settle();
                self.store.corrupt();
            }
            Step::StoreVersion { version } => {
                self.settle();
                self.store.rewrite_as(*version);
            }
            Step::DiskFull {} => self.store.fill(),
            _ => {}
        }
        Ok(())
    }

    /// Starting an agent is a call like any other, and a rule denies it by the name of the agent.
    fn spawn_named(&mut self, agent: &str, rule: &str) -> Differences {
        let denied = rule
            .strip_prefix("Agent(")
            .and_then(|rest| rest.strip_suffix(')'));
        let Some(denied) = denied else {
            return Err(Invalid::new(format!("unknown rule `{rule}`")));
        };
        let deny = serde_json::json!({
            "tools": {"deny": [{"tool": "Agent", "when": {"agent": {"eq": denied}}}]},
        });
        self.spawn("starter", Some(&Spec::read(&deny.to_string())?), 1);
        let args = Args::new().with("agent", agent);
        let index = self.call(NewCall {
            context: Context {
                agent: Some("starter".to_owned()),
                ..Context::default()
            },
            ..NewCall::new("spawn", "Agent", Some(args))
        });
        self.settle();
        let ended = self.calls.get(index).and_then(|call| call.ended);
        self.refused_agent = ended == Some(Ended::Blocked(BlockedKind::Denied));
        Ok(match self.refused_agent || denied != agent {
            true => Vec::new(),
            false => vec![format!("the agent was not refused: {ended:?}")],
        })
    }

    /// A call of another agent is on its way.
    fn keep_running(&mut self, agent: &str) {
        let args = Args::new().with("command", "make all");
        self.call(NewCall {
            context: Context {
                agent: Some(agent.to_owned()),
                session: Some(format!("of {agent}")),
                ..Context::default()
            },
            ..NewCall::new("running", "shell", Some(args))
        });
        self.settle();
    }

    /// Takes back what is remembered of a command or a tool, of a call, or everything.
    fn revoke(&mut self, pattern: Option<&str>, call: Option<&str>) -> Result<(), Invalid> {
        self.settle();
        let of = call.map(|label| self.known(label)).transpose()?;
        let args = of.and_then(|index| self.calls.get(index)?.args.clone());
        let grants = self.store.grants();
        for grant in grants.list() {
            let command = grant.payload.get("command").and_then(Value::as_str);
            let named = |pattern: &str| {
                let meant = |name: &str| is_meant(pattern, name);
                command.is_some_and(meant) || meant(grant.tool.name())
            };
            let payload = |args: &Args| grant.payload == *args;
            if pattern.is_none_or(named) && (of.is_none() || args.as_ref().is_some_and(payload)) {
                grants.revoke(grant.id);
            }
        }
        self.store.save();
        Ok(())
    }
}

/// Whether a name is the one that is written, or begins like it in front of a `*`.
fn is_meant(pattern: &str, name: &str) -> bool {
    match pattern.strip_suffix('*') {
        Some(prefix) => name.starts_with(prefix) || name == prefix.trim_end(),
        None => name == pattern,
    }
}

fn hook(returns: &Returns) -> Result<Hook, Invalid> {
    Ok(match returns {
        Returns::Word(word) => Hook {
            decision: Some(*word),
            args: None,
        },
        Returns::Object(hooked) => Hook {
            decision: hooked.decision,
            args: hooked.updated_input.as_ref().map(plain).transpose()?,
        },
        Returns::Malformed(_) => return Err(Invalid::new("a hook that says nothing")),
    })
}
