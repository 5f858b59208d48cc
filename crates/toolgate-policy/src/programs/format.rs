//! Reads a table. The [parent module](super) describes the format.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::sync::Arc;

use toml::de::{DeTable, DeValue};

use super::kind::Kind;
use super::notation;
use super::table::{Command, Names, Operands, OptionSet, Syntax};
use super::{Program, Role, builtin};

/// What is wrong with a table.
pub(super) type Problem = String;

type Groups = BTreeMap<&'static str, Arc<OptionSet>>;

/// Reads the table of a program.
pub(super) fn program(name: &'static str, source: &'static str) -> Result<Program, Problem> {
    let table = DeTable::parse(source).map_err(|error| error.to_string())?;
    let mut table = Table::of(table.into_inner())?;
    let role = role(table.text("role")?)?;
    let groups = groups(table.table("group")?)?;
    let commands = table.table("command")?;
    let modules = table.table("module")?;
    let mut root = Node::read(name, table, &groups, Syntax::default())?;
    let syntax = root.command.syntax;
    for (path, entry) in commands.0 {
        root.insert(path, Table::value(entry)?, &groups, syntax)?;
    }
    for (module, entry) in modules.0 {
        let node = Node::read(module, Table::value(entry)?, &groups, syntax)?;
        root.command.modules.push((module, node.finish()));
    }
    Ok(Program {
        role,
        root: root.finish(),
        module: foreign(syntax, Some(Kind::Plain)),
        sub_command: foreign(syntax, None),
    })
}

/// What reads words behind a name that no table speaks of.
fn foreign(syntax: Syntax, rest: Option<Kind>) -> Command {
    Command {
        syntax: Syntax {
            posix: false,
            ..syntax
        },
        operands: Operands {
            rest,
            ..Operands::default()
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

fn groups(table: Table) -> Result<Groups, Problem> {
    let mut groups = Groups::new();
    for (name, entry) in table.0 {
        let mut entry = Table::value(entry)?;
        let set = entry.option_set()?;
        entry.finish()?;
        groups.insert(name, Arc::new(set));
    }
    Ok(groups)
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
    fn read(
        name: &'static str,
        mut table: Table,
        groups: &Groups,
        syntax: Syntax,
    ) -> Result<Self, Problem> {
        let own = table.option_set()?;
        let mut command = Command {
            name,
            syntax: table.text("syntax")?.map_or(Ok(syntax), notation::syntax)?,
            operands: notation::operands(table.text("operands")?.unwrap_or_default())?,
            instead: table.words("instead")?,
            mode: table.words("mode")?,
            wild: table.flag("wild")?,
            inner: table.text("inner")?.map(notation::shape).transpose()?,
            ..Command::default()
        };
        command.sets.push(Arc::new(own));
        for group in table.words("use")? {
            let set = groups.get(group).ok_or(format!("no group `{group}`"))?;
            command.sets.push(Arc::clone(set));
        }
        // What follows a `--` is read by another program.
        if name != "--" {
            command.sets.extend(groups.get("global").cloned());
        }
        let like = table.text("like")?.map(table_of).transpose()?;
        let aliases = table.words("alias")?;
        table.finish()?;
        Ok(Self {
            command,
            subs: BTreeMap::new(),
            aliases,
            like,
        })
    }

    fn insert(
        &mut self,
        path: &'static str,
        table: Table,
        groups: &Groups,
        syntax: Syntax,
    ) -> Result<(), Problem> {
        let Some((first, rest)) = path.split_once(' ') else {
            let node = Self::read(path, table, groups, syntax)?;
            self.subs.insert(path, node);
            return Ok(());
        };
        if !self.subs.contains_key(first) {
            let group = Self::read(first, Table::default(), groups, syntax)?;
            self.subs.insert(first, group);
        }
        match self.subs.get_mut(first) {
            Some(node) => node.insert(rest, table, groups, node.command.syntax),
            None => Ok(()),
        }
    }

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

fn table_of(program: &'static str) -> Result<Arc<Command>, Problem> {
    let program =
        builtin::get(builtin::TABLES, program).ok_or(format!("no table `{program}`"))??;
    Ok(program.root)
}

/// A TOML table whose keys are taken out one by one, so that what is left is unknown.
#[derive(Default)]
struct Table(BTreeMap<&'static str, DeValue<'static>>);

impl Table {
    fn of(table: DeTable<'static>) -> Result<Self, Problem> {
        let entry = |(key, value): (
            toml::Spanned<Cow<'static, str>>,
            toml::Spanned<DeValue<'static>>,
        )| { Ok((borrowed(key.into_inner())?, value.into_inner())) };
        table
            .into_iter()
            .map(entry)
            .collect::<Result<_, _>>()
            .map(Self)
    }

    fn value(value: DeValue<'static>) -> Result<Self, Problem> {
        match value {
            DeValue::Table(table) => Self::of(table),
            other => Err(format!("expected a table, found {}", other.type_str())),
        }
    }

    fn text(&mut self, key: &str) -> Result<Option<&'static str>, Problem> {
        match self.0.remove(key) {
            None => Ok(None),
            Some(DeValue::String(text)) => borrowed(text).map(Some),
            Some(other) => Err(format!(
                "`{key}`: expected text, found {}",
                other.type_str()
            )),
        }
    }

    fn words(&mut self, key: &str) -> Result<Vec<&'static str>, Problem> {
        let text = self.text(key)?.unwrap_or_default();
        Ok(text.split_whitespace().collect())
    }

    fn flag(&mut self, key: &str) -> Result<bool, Problem> {
        match self.0.remove(key) {
            None => Ok(false),
            Some(DeValue::Boolean(flag)) => Ok(flag),
            Some(other) => Err(format!(
                "`{key}`: expected true, found {}",
                other.type_str()
            )),
        }
    }

    fn table(&mut self, key: &str) -> Result<Self, Problem> {
        self.0.remove(key).map_or(Ok(Self::default()), Self::value)
    }

    fn option_set(&mut self) -> Result<OptionSet, Problem> {
        let mut set = OptionSet::default();
        for (key, harmless) in [("options", true), ("known", false)] {
            notation::options(&mut set, self.text(key)?.unwrap_or_default(), harmless)?;
        }
        set.names.sort_unstable();
        Ok(set)
    }

    fn finish(self) -> Result<(), Problem> {
        match self.0.keys().next() {
            None => Ok(()),
            Some(key) => Err(format!("unknown key `{key}`")),
        }
    }
}

/// Tables are part of the program, and nothing in them needs an escape.
fn borrowed(text: Cow<'static, str>) -> Result<&'static str, Problem> {
    match text {
        Cow::Borrowed(text) => Ok(text),
        Cow::Owned(text) => Err(format!("an escape in `{text}`")),
    }
}
