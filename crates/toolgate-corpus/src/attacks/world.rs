//! The stacks, and everything around them that can fail.

mod executor;
mod hand;
mod held;
mod occurrence;
mod scene;
mod spy;
mod stack;
mod store;

use std::{
    collections::{BTreeMap, HashMap},
    io,
    sync::Arc,
    time::Duration,
};

use tokio::{
    runtime::{Builder, Runtime},
    task::yield_now,
    time::advance,
};
use toolgate::{
    AgentPath, Annotations, Args, Broker, DefinitionDigest, Origin, ToolCall, ToolId, Turns,
};
use toolgate_policy::Servers;

use self::{executor::Executor, hand::Hand, held::Hold, spy::Spy, store::Store};
pub(super) use self::{
    occurrence::{Ended, Occurrence, Question},
    scene::{Hook, InForce, Scene},
    spy::Run,
};
use super::{
    case::{Context, Identity},
    network::Network,
    policy::Spec,
    respond::Owed,
    source::Sources,
    step::{Behaviour, Step},
};
use crate::case::Invalid;

/// How long somebody may think.
pub(super) const DEADLINE: Duration = Duration::from_secs(5 * 60);

/// On whose behalf everything happens, unless a case says otherwise.
pub(super) const USER: &str = "user";

/// The stacks, and everything around them.
pub(super) struct World {
    runtime: Option<Runtime>,
    pub(super) scene: Arc<Scene>,
    pub(super) broker: Broker,
    pub(super) turns: Turns,
    pub(super) store: Store,
    pub(super) hand: Hand,
    pub(super) spy: Spy,
    pub(super) executor: Executor,
    pub(super) servers: Servers,
    /// How often a tool of a server was defined anew.
    definitions: HashMap<Identity, u8>,
    pub(super) network: Network,
    /// The real files that policies come from, once a step is about them.
    pub(super) sources: Sources,
    agents: BTreeMap<String, Agent>,
    pub(super) calls: Vec<Occurrence>,
    pub(super) owed: Vec<Owed>,
    /// The arguments of questions that were answered with yes.
    pub(super) approved: Vec<(ToolId, Args)>,
    /// Calls whose answer is not used before a step says so.
    holds: Vec<String>,
    /// The call that is let through, and does not run before a step says so.
    pauses: Option<String>,
    /// Whether everything began anew since the calls so far.
    pub(super) restarts: usize,
    /// Whether an agent could not be started, so that there is nobody to make its calls.
    pub(super) refused_agent: bool,
    /// Where calls come from that say nothing of it.
    pub(super) context: Context,
}

/// An agent that works for another.
#[derive(Clone)]
struct Agent {
    path: AgentPath,
    policy: Option<InForce>,
    depth: usize,
}

impl World {
    /// A runtime whose time is paused.
    pub(super) fn runtime() -> io::Result<Runtime> {
        Builder::new_current_thread()
            .enable_time()
            .start_paused(true)
            .build()
    }

    /// A world in which `policy` holds and nothing has happened.
    pub(super) fn new(policy: &Spec) -> Result<Self, Invalid> {
        let scene = Arc::new(Scene::new(policy.clone()));
        let (broker, spy) = (Broker::new(), Spy::new());
        Ok(Self {
            runtime: Some(new_runtime()?),
            hand: Hand::new(&broker),
            turns: Turns::new(),
            store: Store::new(),
            executor: Executor::new(&scene, &spy),
            spy,
            servers: Servers::new(),
            definitions: HashMap::new(),
            network: Network::default(),
            sources: Sources::default(),
            pauses: None,
            agents: BTreeMap::new(),
            calls: Vec::new(),
            owed: Vec::new(),
            approved: Vec::new(),
            holds: Vec::new(),
            restarts: 0,
            refused_agent: false,
            context: Context {
                session: Some("s1".to_owned()),
                ..Context::default()
            },
            scene,
            broker,
        })
    }

    /// Holds calls back after their answer, if a later step says when they are executed; and the
    /// last one before something changes between what is decided and what runs.
    pub(super) fn hold_until_executed(&mut self, steps: &[Step]) {
        let is_change = |step: &Step| matches!(step, Step::FsBetweenDecideAndExecute { .. });
        if let Some(change) = steps.iter().position(is_change) {
            let before = steps.iter().take(change).rev();
            let mut calls = before.filter_map(|step| match step {
                Step::Call(made) => Some(made.id.clone()),
                _ => None,
            });
            self.pauses = calls.next();
        }
        for step in steps {
            if let Step::Execute { id, args: None } = step {
                self.holds.push(id.clone());
            }
        }
    }

    /// Whether the call of this label is held back after its answer.
    pub(super) fn is_held(&self, label: &str) -> bool {
        self.holds.iter().any(|held| held == label)
    }

    /// Lets everything happen that can happen without time going by.
    pub(super) fn settle(&mut self) {
        loop {
            // The runtime does some sixty things between two looks at this.
            let enough = 64 + self.calls.iter().filter(|call| call.is_pending()).count();
            self.block_on(async move {
                for _ in 0..enough {
                    yield_now().await;
                }
            });
            self.look();
            if !self.pay_owed() {
                return;
            }
        }
    }

    /// Lets time go by.
    pub(super) fn advance(&mut self, time: Duration) {
        self.settle();
        self.block_on(advance(time));
        self.settle();
    }

    fn block_on<T>(&self, future: impl Future<Output = T>) -> Option<T> {
        let runtime = self.runtime.as_ref();
        runtime.map(|runtime| runtime.block_on(future))
    }

    /// Takes down which calls have ended, and which are asked about.
    fn look(&mut self) {
        let open = self.broker.open();
        for call in self.calls.iter_mut().filter(|call| call.is_pending()) {
            let turn = call.turn();
            let asked = open.iter().find(|r| r.origin.turn() == Some(&*turn));
            if let Some(request) = asked {
                call.asked(request);
            }
            let finished = call.task.take_if(|task| task.is_finished());
            if let (Some(task), Some(runtime)) = (finished, &self.runtime) {
                call.ended = Some(Ended::of(runtime.block_on(task)));
            }
        }
    }

    /// Makes a call. `args` are none if they could not be made.
    pub(super) fn call(&mut self, new: NewCall) -> usize {
        let index = self.calls.len();
        let mut call = self.occurrence(&new);
        let unknown = call.context.agent.as_ref().filter(|name| !self.knows(name));
        if call.args.is_none() || (self.refused_agent && unknown.is_some()) {
            call.ended = Some(Ended::NeverMade);
            self.calls.push(call);
            return index;
        }
        let origin = self.origin(&call.context).with_turn(call.turn());
        let args = call.args.clone().unwrap_or_default();
        let mut proposal = ToolCall::new(call.tool.clone(), args)
            .with_origin(origin)
            .with_annotations(new.annotations);
        if self.pauses.as_ref() == Some(&call.label) {
            self.executor.hold(call.turn());
        }
        if let Some(id) = new.call_id {
            proposal = proposal.with_id(id);
        }
        let stack = self.stack_for(call.context.agent.as_deref(), call.deadline);
        if let Some(runtime) = &self.runtime {
            let calling = tower::ServiceExt::oneshot(stack, proposal);
            let (running, hold) = Hold::around(calling);
            call.hold = hold;
            call.task = Some(runtime.spawn(running));
        }
        self.calls.push(call);
        index
    }

    /// Takes down a call that was judged elsewhere.
    pub(super) fn take_down(&mut self, new: &NewCall, ended: Ended) -> usize {
        let mut call = self.occurrence(new);
        call.ended = Some(ended);
        self.calls.push(call);
        self.calls.len() - 1
    }

    fn occurrence(&self, new: &NewCall) -> Occurrence {
        let context = new.context.or(&self.context);
        let (label, tool, args) = (new.label.clone(), new.tool.clone(), new.args.clone());
        let mut call = Occurrence::new(self.calls.len(), label, tool, args, context);
        call.deadline = new.deadline.unwrap_or(DEADLINE);
        call.generation = self.restarts;
        call
    }

    /// What a tool is known by. A tool of a server is known by its definition as well.
    pub(super) fn tool(&self, name: &str, identity: Option<&Identity>) -> ToolId {
        let Some(identity) = identity else {
            return ToolId::new(name);
        };
        let definition = self.definitions.get(identity).copied().unwrap_or_default();
        ToolId::new(&*identity.tool)
            .on_server(&*identity.server)
            .defined_as(DefinitionDigest::new([definition; 32]))
    }

    /// Has a server define a tool anew.
    pub(super) fn redefine(&mut self, identity: Identity) {
        let times = self.definitions.entry(identity).or_default();
        *times = times.wrapping_add(1);
    }

    /// Whether a call came from where calls come from now.
    pub(super) fn context_is_of(&self, call: &Occurrence) -> bool {
        self.context.agent == call.context.agent
    }

    fn knows(&self, agent: &str) -> bool {
        agent == "main" || self.agents.contains_key(agent)
    }

    fn origin(&self, context: &Context) -> Origin {
        let agent = match context.agent.as_deref() {
            Some(name) => match self.agents.get(name) {
                Some(agent) => agent.path.clone(),
                None => AgentPath::from(name),
            },
            None => AgentPath::from("main"),
        };
        let user = context.user.as_deref().unwrap_or(USER);
        let mut origin = Origin::new().with_principal(user).with_agent(agent);
        if let Some(session) = &context.session {
            origin = origin.with_session(&**session);
        }
        if let Some(project) = &context.project {
            origin = origin.with_project(&**project);
        }
        origin
    }

    /// Starts an agent that works for the main one, at this depth.
    pub(super) fn spawn(&mut self, name: &str, policy: Option<&Spec>, depth: usize) {
        let root = AgentPath::from("main");
        let path = (1..depth).fold(root, |path, level| path.join(&format!("level {level}")));
        let agent = Agent {
            path: path.join(name),
            policy: policy.map(|spec| self.scene.load(spec)),
            depth,
        };
        self.agents.insert(name.to_owned(), agent);
    }

    /// The last call of this label.
    pub(super) fn last(&self, label: &str) -> Option<usize> {
        self.calls.iter().rposition(|call| call.label == label)
    }

    /// Drops calls that are still on their way.
    pub(super) fn drop_calls(&mut self, which: impl Fn(&Occurrence) -> bool) {
        for call in self.calls.iter_mut().filter(|call| call.is_pending()) {
            if which(call) {
                if let Some(task) = call.task.take() {
                    task.abort();
                }
                call.ended = Some(Ended::Dropped);
            }
        }
    }

    /// Shuts the runtime down with everything in it, and starts another.
    pub(super) fn shut_down(&mut self) -> Result<(), Invalid> {
        self.drop_calls(|_| true);
        drop(self.runtime.take());
        self.runtime = Some(new_runtime()?);
        Ok(())
    }

    /// Begins anew with what is on disk.
    pub(super) fn restart(&mut self) -> Result<(), Invalid> {
        self.settle();
        self.shut_down()?;
        self.broker = Broker::new();
        self.turns = Turns::new();
        self.hand = Hand::new(&self.broker);
        self.store.load();
        self.owed.clear();
        self.restarts += 1;
        Ok(())
    }

    /// Has whoever is asked do this from now on.
    pub(super) fn handler(&mut self, behaviour: Behaviour) {
        match behaviour {
            Behaviour::InspectorError => self.scene.set_checker(Behaviour::Error),
            other => self.hand.set(other),
        }
    }
}

/// A call that is to be made.
pub(super) struct NewCall {
    pub(super) label: String,
    pub(super) tool: ToolId,
    pub(super) args: Option<Args>,
    pub(super) annotations: Annotations,
    pub(super) context: Context,
    pub(super) call_id: Option<String>,
    pub(super) deadline: Option<Duration>,
}

impl NewCall {
    /// A call of a tool.
    pub(super) fn new(label: &str, tool: impl Into<ToolId>, args: Option<Args>) -> Self {
        Self {
            label: label.to_owned(),
            tool: tool.into(),
            args,
            annotations: Annotations::new(),
            context: Context::default(),
            call_id: None,
            deadline: None,
        }
    }
}

fn new_runtime() -> Result<Runtime, Invalid> {
    World::runtime().map_err(|error| Invalid::new(format!("no runtime: {error}")))
}
