//! Reads a table. The [parent module](super) describes the format.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::notation;
use super::sections::{self, Section};
use super::table::{Command, Names, OptionSet, Syntax};
use super::{Program, Role, builtin};

/// What is wrong with a table.
pub(super) type Problem = String;

/// Reads the table of a program.
pub(super) fn program(name: &'static str, source: &'static str) -> Result<Program, Problem> {
    Reader::default().program(name, source)
}

/// What a table and the tables that it refers to have in common.
#[derive(Default)]
struct Reader {
    groups: BTreeMap<&'static str, Arc<OptionSet>>,
    /// Other programs that stand in for sub-commands.
    likes: BTreeMap<&'static str, Arc<Command>>,
}

impl Reader {
    fn program(&mut self, name: &'static str, source: &'static str) -> Result<Program, Problem> {
        let mut sections = sections::read(source)?.into_iter();
        let mut top = sections.next().unwrap_or_default();
        let role = role(top.take("role"))?;
        let (groups, sections): (Vec<_>, Vec<_>) =
            sections.partition(|section| section.of == "group");
        for group in groups {
            self.group(group)?;
        }
        let mut root = self.node(name, top, Syntax::default())?;
        let syntax = root.command.syntax;
        for section in sections {
            self.section(&mut root, section)?;
        }
        Ok(Program {
            role,
            root: root.finish(),
            foreign: foreign(syntax),
        })
    }

    fn group(&mut self, mut section: Section) -> Result<(), Problem> {
        let set = option_set(&mut section);
        section.finish()?;
        match self.groups.insert(section.name, Arc::new(set)) {
            None => Ok(()),
            Some(_) => Err(format!("the group `{}` is there twice", section.name)),
        }
    }

    fn section(&mut self, root: &mut Node, section: Section) -> Result<(), Problem> {
        let (name, syntax) = (section.name, root.command.syntax);
        match section.of {
            "command" => self.insert(root, name, section),
            "module" => {
                let node = self.node(name, section, syntax)?;
                root.command.modules.push((name, node.finish()));
                Ok(())
            }
            other => Err(format!("unknown section `{other}`")),
        }
    }

    /// Puts a sub-command in its place; what is above it has to be there, or has no keys.
    fn insert(
        &mut self,
        above: &mut Node,
        path: &'static str,
        section: Section,
    ) -> Result<(), Problem> {
        let syntax = above.command.syntax;
        let Some((first, rest)) = path.split_once(' ') else {
            let node = self.node(path, section, syntax)?;
            return match above.subs.insert(path, node) {
                None => Ok(()),
                Some(_) => Err(format!("`{path}` is there twice, or too late")),
            };
        };
        if !above.subs.contains_key(first) {
            let group = self.node(first, Section::default(), syntax)?;
            above.subs.insert(first, group);
        }
        match above.subs.get_mut(first) {
            Some(node) => self.insert(node, rest, section),
            None => Ok(()),
        }
    }

    fn node(
        &mut self,
        name: &'static str,
        mut section: Section,
        syntax: Syntax,
    ) -> Result<Node, Problem> {
        let own = section.take("syntax");
        let mut command = Command {
            name,
            syntax: own.map_or(Ok(syntax), notation::syntax)?,
            operands: notation::operands(section.take("operands").unwrap_or_default())?,
            instead: section.words("instead"),
            mode: section.words("mode"),
            wild: section.take("wild").is_some(),
            ..Command::default()
        };
        command.sets.push(Arc::new(option_set(&mut section)));
        self.use_groups(&mut command, &section.words("use"))?;
        let like = section.take("like").map(|like| self.like(like));
        let aliases = section.words("alias");
        section.finish()?;
        Ok(Node {
            command,
            subs: BTreeMap::new(),
            aliases,
            like: like.transpose()?,
        })
    }

    fn use_groups(&self, command: &mut Command, groups: &[&str]) -> Result<(), Problem> {
        for group in groups {
            let set = self
                .groups
                .get(group)
                .ok_or_else(|| format!("no group `{group}`"))?;
            command.sets.push(Arc::clone(set));
        }
        // What follows a `--` is read by another program.
        if command.name != "--" {
            command.sets.extend(self.groups.get("global").cloned());
        }
        Ok(())
    }

    fn like(&mut self, name: &'static str) -> Result<Arc<Command>, Problem> {
        if let Some(known) = self.likes.get(name) {
            return Ok(Arc::clone(known));
        }
        let source = builtin::source(name).ok_or_else(|| format!("no table `{name}`"))?;
        let mut reader = Self {
            likes: std::mem::take(&mut self.likes),
            ..Self::default()
        };
        let read = reader.program(name, source);
        self.likes = reader.likes;
        let root = read?.root;
        self.likes.insert(name, Arc::clone(&root));
        Ok(root)
    }
}

/// The options of a section. They are read when somebody asks for one.
fn option_set(section: &mut Section) -> OptionSet {
    let options = section.take("options").unwrap_or_default();
    OptionSet::new(options, section.take("known").unwrap_or_default())
}

/// What reads words behind a name that no table speaks of.
fn foreign(syntax: Syntax) -> Command {
    Command {
        syntax: Syntax {
            posix: false,
            ..syntax
        },
        ..Command::default()
    }
}

fn role(role: Option<&str>) -> Result<Role, Problem> {
    Ok(match role {
        None => Role::Ordinary,
        Some("interpreter") => Role::Interpreter,
        Some("wrapper") => Role::Wrapper,
        Some("builtin") => Role::Builtin,
        Some(other) => return Err(format!("unknown role `{other}`")),
    })
}

/// A command while its sub-commands are still being gathered.
struct Node {
    command: Command,
    subs: BTreeMap<&'static str, Self>,
    aliases: Vec<&'static str>,
    /// Another program's table that stands in for this one.
    like: Option<Arc<Command>>,
}

impl Node {
    fn finish(mut self) -> Arc<Command> {
        if let Some(like) = self.like {
            return like;
        }
        let mut subs = Names::new();
        for (name, node) in self.subs {
            let aliases = node.aliases.clone();
            let command = node.finish();
            subs.extend(
                aliases
                    .into_iter()
                    .map(|alias| (alias, Arc::clone(&command))),
            );
            subs.push((name, command));
        }
        subs.sort_unstable_by_key(|(name, _)| *name);
        self.command.subs = subs;
        self.command.modules.sort_unstable_by_key(|(name, _)| *name);
        Arc::new(self.command)
    }
}
