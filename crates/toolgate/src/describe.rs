//! Who says what a call can do.

use std::{collections::HashMap, error::Error, fmt, sync::Arc};

use foldhash::fast::RandomState;

use crate::{Annotations, Capability, Labels, Reviewing, ToolCall, ToolEntries, ToolId};

/// Says what a call can do: facts, never decisions.
///
/// The review asks every describer at the start of each round, for the arguments as they then
/// are, and attaches what they say together. A describer sees the call with its origin, and
/// what the configuration says of the tool.
///
/// A describer that has to wait for something is a service; see
/// [`ReviewLayer::describe_async`](crate::ReviewLayer::describe_async).
///
/// # Example
///
/// ```
/// use toolgate::{Describe, DescribeError, Description, Reviewing, ToolCall, ToolEntries};
///
/// struct Shell;
///
/// impl Describe for Shell {
///     fn describe(
///         &self,
///         call: &ToolCall<Reviewing>,
///         _config: &ToolEntries<'_>,
///     ) -> Result<Description, DescribeError> {
///         match call.tool().name() {
///             "shell" => Ok(Description::new().with(["proc.exec".parse()?])),
///             _ => Ok(Description::new()),
///         }
///     }
/// }
/// ```
pub trait Describe: Send + Sync + 'static {
    /// Says what `call` can do.
    ///
    /// # Errors
    ///
    /// If it cannot tell. Then the call is blocked.
    fn describe(
        &self,
        call: &ToolCall<Reviewing>,
        config: &ToolEntries<'_>,
    ) -> Result<Description, DescribeError>;
}

impl<D: Describe + ?Sized> Describe for Arc<D> {
    fn describe(
        &self,
        call: &ToolCall<Reviewing>,
        config: &ToolEntries<'_>,
    ) -> Result<Description, DescribeError> {
        (**self).describe(call, config)
    }
}

/// What a describer says of one call.
#[derive(Clone, Debug, Default)]
#[must_use = "a description counts only where a describer returns it"]
pub struct Description {
    pub(crate) labels: Labels,
    pub(crate) requires_approval: bool,
    pub(crate) annotations: Annotations,
}

impl Description {
    /// Says nothing.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds capabilities.
    pub fn with(mut self, capabilities: impl IntoIterator<Item = Capability>) -> Self {
        self.labels.add(capabilities.into_iter().collect());
        self
    }

    /// Adds capabilities that are shared, which copies nothing.
    pub fn with_shared(mut self, capabilities: Arc<[Capability]>) -> Self {
        self.labels.add(capabilities);
        self
    }

    /// Says what the tool says of itself. It adds to what came with the call.
    pub fn with_annotations(mut self, annotations: Annotations) -> Self {
        self.annotations = annotations;
        self
    }

    /// Says that the tool itself wants somebody to be asked. The gate asks for that, unless an
    /// override of the [tool rules](crate::ToolRules::disable_for) lifts it.
    pub fn requiring_approval(mut self) -> Self {
        self.requires_approval = true;
        self
    }
}

/// A describer that could not tell.
#[derive(Debug)]
pub struct DescribeError(Box<dyn Error + Send + Sync>);

impl<E: Into<Box<dyn Error + Send + Sync>>> From<E> for DescribeError {
    fn from(error: E) -> Self {
        Self(error.into())
    }
}

impl DescribeError {
    pub(crate) fn into_source(self) -> Box<dyn Error + Send + Sync> {
        self.0
    }
}

impl fmt::Display for DescribeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "cannot tell what the call can do: {}", self.0)
    }
}

/// The capabilities of tools that do not describe themselves: a map from tool to labels.
///
/// # Example
///
/// ```
/// use toolgate::CapabilityMap;
///
/// let map = CapabilityMap::new([("shell", vec!["proc.exec".parse()?])]);
/// # let _ = map;
/// # Ok::<(), toolgate::CapabilityError>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct CapabilityMap {
    by_name: HashMap<Box<str>, Described, RandomState>,
}

/// What the tools of one name can do.
type Described = Vec<(ToolId, Arc<[Capability]>)>;

impl CapabilityMap {
    /// Makes a map. What is said of one tool in several entries adds up. What is said of a tool with
    /// a definition holds for that definition, and else for all of them.
    pub fn new<T: Into<ToolId>, C: IntoIterator<Item = Capability>>(
        entries: impl IntoIterator<Item = (T, C)>,
    ) -> Self {
        let mut map = Self::default();
        for (tool, capabilities) in entries {
            let tool = tool.into();
            let known = map.by_name.entry(tool.name().into()).or_default();
            match known.iter_mut().find(|(known, _)| *known == tool) {
                Some((_, so_far)) => {
                    *so_far = so_far.iter().cloned().chain(capabilities).collect();
                }
                None => known.push((tool, capabilities.into_iter().collect())),
            }
        }
        map
    }
}

impl Describe for CapabilityMap {
    fn describe(
        &self,
        call: &ToolCall<Reviewing>,
        _config: &ToolEntries<'_>,
    ) -> Result<Description, DescribeError> {
        let mut description = Description::new();
        let tool = call.tool();
        let known = self.by_name.get(tool.name());
        for (known, capabilities) in known.into_iter().flatten() {
            let is_it = known.definition().is_none() || known.definition() == tool.definition();
            if is_it && known.server() == tool.server() {
                description = description.with_shared(Arc::clone(capabilities));
            }
        }
        Ok(description)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Args, DefinitionDigest, round::Token};

    #[test]
    fn what_is_said_of_a_definition_holds_for_that_one() {
        let old = DefinitionDigest::new([1; 32]);
        let new = DefinitionDigest::new([2; 32]);
        let tool = || ToolId::new("t").on_server("s");
        let entry = |tool: ToolId, label: &str| (tool, [label.parse::<Capability>().unwrap()]);
        let map = CapabilityMap::new([
            entry(tool(), "fs.read"),
            entry(tool().defined_as(old), "fs.write"),
            entry(ToolId::new("t"), "net.send"),
            entry(ToolId::new("t"), "net.fetch"),
        ]);
        for (tool, expected) in [
            (tool(), "{Capability(fs.read)}"),
            (
                tool().defined_as(old),
                "{Capability(fs.read), Capability(fs.write)}",
            ),
            (tool().defined_as(new), "{Capability(fs.read)}"),
            (
                ToolId::new("t"),
                "{Capability(net.send), Capability(net.fetch)}",
            ),
        ] {
            let call = ToolCall::new(tool.clone(), Args::new()).review(Token::default(), 1);
            let said = map.describe(&call, &ToolEntries::default()).unwrap();
            assert_eq!(format!("{:?}", said.labels), expected, "{tool}");
        }
    }
}
