//! Where a program that runs another one has it.

use super::kind::Kind;
use super::table::{Form, Shape};
use super::view::walk;
use super::walk::Item;
use super::{Inner, Program};

pub(super) fn inner<'a>(program: &Program, words: &[&'a str]) -> Inner<'a> {
    let mut search = Search {
        shape: program.root.inner,
        ..Search::default()
    };
    for item in walk(program, words) {
        if let Some(found) = search.item(&item, words) {
            return found;
        }
    }
    search.end()
}

#[derive(Default)]
struct Search<'a> {
    /// A line that an option brought along.
    line: Option<&'a str>,
    /// `-c` of a shell.
    shell: bool,
    /// How many operands were passed over.
    skipped: usize,
    /// An option that no table knows: what follows it may be its value.
    uncertain: bool,
    /// An option with which nothing is run.
    idle: bool,
    /// Where the command that is running has the inner one.
    shape: Option<Shape>,
}

impl<'a> Search<'a> {
    fn item(&mut self, item: &Item<'_, 'a>, words: &[&'a str]) -> Option<Inner<'a>> {
        match *item {
            Item::Option { opt: None, .. } => self.uncertain = true,
            Item::Option {
                at,
                command,
                opt: Some(opt),
                value,
                ..
            } => {
                self.idle |= opt.is_one_of(&command.mode);
                self.shell |= opt.is_one_of(&["-c"]);
                match opt.kind {
                    Kind::Inner => return Some(self.words(at + 1)),
                    Kind::Line => self.line = value.map(|value| value.text),
                    _ => {}
                }
            }
            Item::Operand {
                at, word, command, ..
            } => {
                let shape = command.inner?;
                return self.operand(shape, at, word, words);
            }
            Item::Command { command, .. } => {
                self.shape = command.inner;
                self.skipped = 0;
            }
            Item::Number { .. } | Item::End => {}
        }
        None
    }

    fn words(&self, at: usize) -> Inner<'a> {
        if self.uncertain {
            Inner::Unknown
        } else {
            Inner::Command(at)
        }
    }

    fn operand(
        &mut self,
        shape: Shape,
        at: usize,
        word: &'a str,
        words: &[&'a str],
    ) -> Option<Inner<'a>> {
        if self.idle {
            return Some(Inner::None);
        }
        if shape.assignments && is_assignment(word) {
            return None;
        }
        if self.skipped < shape.skip {
            self.skipped += 1;
            return None;
        }
        Some(match shape.form {
            _ if self.uncertain || self.line.is_some() => Inner::Unknown,
            Form::Command => Inner::Command(at),
            Form::Line => joined(at, word, words),
            Form::Shell if self.shell => Inner::Line(word),
            Form::Shell => Inner::None,
            Form::Unknown => Inner::Unknown,
        })
    }

    fn end(self) -> Inner<'a> {
        match self.line {
            _ if self.idle => Inner::None,
            Some(line) => Inner::Line(line),
            None if self.reads_input() => Inner::Unknown,
            None => Inner::None,
        }
    }

    /// A shell without operands runs what it reads.
    fn reads_input(&self) -> bool {
        self.shape
            .is_some_and(|shape| matches!(shape.form, Form::Shell | Form::Unknown))
    }
}

fn is_assignment(word: &str) -> bool {
    let name = word.split_once('=').map(|(name, _)| name);
    name.is_some_and(|name| !name.is_empty() && !name.contains('/'))
}

/// Words that are joined by spaces and given to a shell.
fn joined<'a>(at: usize, word: &'a str, words: &[&'a str]) -> Inner<'a> {
    let rest = words.get(at + 1..).unwrap_or_default();
    let plain = |word: &&str| {
        let fits = |byte: u8| byte.is_ascii_alphanumeric() || b"_-./:,=@%+".contains(&byte);
        !word.is_empty() && word.bytes().all(fits)
    };
    if rest.is_empty() {
        Inner::Line(word)
    } else if plain(&word) && rest.iter().all(plain) {
        Inner::Command(at)
    } else {
        Inner::Unknown
    }
}

#[cfg(test)]
mod tests {
    use crate::programs::{Inner, Programs};

    fn inner<'a>(words: &[&'a str]) -> Inner<'a> {
        Programs::builtin().get(words[0]).unwrap().inner(words)
    }

    fn at(line: &str) -> Inner<'_> {
        inner(&line.split(' ').collect::<Vec<_>>())
    }

    #[test]
    fn wrapped_commands_are_found() {
        for (line, index) in [
            ("env rm x", 1),
            ("env FOO=1 -u A rm x", 2),
            ("env -i -u A FOO=1 BAR=2 rm x", 6),
            ("sudo -u root rm x", 3),
            ("sudo -uroot -E rm x", 3),
            ("sudo --user=root A=b rm x", 3),
            ("timeout 5 rm x", 2),
            ("timeout -k 5 -s KILL 10 rm x", 6),
            ("nice rm x", 1),
            ("nice -n 5 rm x", 3),
            ("nice -5 rm x", 2),
            ("ionice -c3 rm x", 2),
            ("nohup rm x", 1),
            ("setsid -f rm x", 2),
            ("stdbuf -o0 rm x", 2),
            ("time -p rm x", 2),
            ("xargs rm", 1),
            ("xargs -0 -n 1 -I {} rm {}", 6),
            ("strace -f -o out rm x", 4),
            ("unshare -r rm x", 2),
            ("chroot /mnt rm x", 2),
            ("busybox rm x", 1),
            ("command rm x", 1),
            ("command -p rm x", 2),
            ("exec -a name rm x", 3),
            ("builtin cd x", 1),
            ("ssh host rm x", 2),
            ("ssh -p 22 -i key host rm x", 6),
            ("docker exec -it web rm x", 4),
            ("docker run --rm -v a:b img rm x", 6),
            ("kubectl exec -it pod -- rm x", 5),
            ("kubectl exec pod -c x -- rm x", 6),
            ("find . -exec rm {} ;", 3),
            ("fd -x rm", 2),
            ("parallel rm ::: a b", 1),
            ("npx -y rm x", 2),
            ("uv run rm x", 2),
            ("git bisect run rm x", 3),
            ("flock /tmp/l rm x", 2),
            ("watch -n 1 rm x", 3),
        ] {
            assert_eq!(at(line), Inner::Command(index), "{line}");
        }
    }

    #[test]
    fn lines_for_a_shell_are_found() {
        for words in [
            &["bash", "-c", "rm x"][..],
            &["sh", "-lc", "rm x"],
            &["bash", "-c", "-x", "rm x"],
            &["bash", "--norc", "-c", "rm x", "name"],
            &["su", "-c", "rm x", "root"],
            &["env", "-S", "rm x"],
            &["env", "--split-string=rm x"],
            &["ssh", "host", "rm x"],
            &["watch", "rm x"],
            &["eval", "rm x"],
            &["script", "-qc", "rm x", "out"],
            &["flock", "l", "-c", "rm x"],
            &["npx", "-c", "rm x"],
        ] {
            assert_eq!(inner(words), Inner::Line("rm x"), "{words:?}");
        }
    }

    #[test]
    fn what_cannot_be_said_is_not_guessed() {
        for words in [
            &["sudo", "--frob", "x", "rm"][..],
            &["env", "-S", "sh -c", "rm"],
            &["ssh", "host", "rm", "a;b"],
            &["tmux", "new", "-d", "id"],
            &["bash"],
            &["bash", "-s"],
            &["bash", "--frob", "x"],
        ] {
            assert_eq!(inner(words), Inner::Unknown, "{words:?}");
        }
        for words in [
            &["command", "-v", "rm"][..],
            &["bash", "x.sh"],
            &["env"],
            &["env", "--version"],
            &["ls", "-l"],
            &["sudo", "-l"],
            &["flock", "--version", "-c", "rm x"],
            &["docker", "ps"],
            &["find", ".", "-name", "x"],
        ] {
            assert_eq!(inner(words), Inner::None, "{words:?}");
        }
    }
}
