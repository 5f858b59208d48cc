//! Which programs carry commands or code, and where.

use foldhash::HashMap;

/// What a value is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum How {
    /// A line for a shell, or the name of a program.
    Line,
    /// Code, of which only the plainest calls can be seen.
    Code,
    Awk,
    Sed,
    /// It runs or loads something elsewhere.
    Hides,
    /// `exec=line` of `tar`.
    Action,
    /// A line behind `!` and its like, or nothing that is run.
    Escape,
    /// A line behind `!` and its like, or code.
    Editor,
    /// `NAME=value` of git.
    Setting,
    /// `name=line`.
    Assign,
    /// `Name=value` of ssh.
    Ssh,
    /// A module that is loaded, unless `no:` keeps it out.
    Plugin,
    /// `NAME=value` of the environment.
    Variable,
}

/// A program that carries commands.
#[derive(Debug)]
pub(in crate::shell) struct Carrier {
    names: &'static [&'static str],
    pub(super) options: &'static [(&'static str, How)],
    /// Operands that begin like this.
    pub(super) operands: &'static [(&'static str, How)],
    /// The first operand, unless an option takes its place.
    pub(super) first: Option<How>,
    /// Further options with a value in the next word.
    pub(super) values: &'static str,
    /// Options with which nothing is read.
    pub(super) informs: &'static str,
    /// Whether the first operand ends the options.
    pub(super) posix: bool,
    /// With fewer operands than this it runs what it reads.
    pub(super) needs: usize,
}

const NONE: Carrier = Carrier {
    names: &[],
    options: &[],
    operands: &[],
    first: None,
    values: "",
    informs: "",
    posix: false,
    needs: 0,
};
const INTERPRETER: Carrier = Carrier {
    options: &[("-e -E --eval --print -p -r --require --import", How::Code)],
    informs: "--version -v -V --help -h",
    posix: true,
    needs: 1,
    ..NONE
};

const CARRIERS: &[Carrier] = &[
    Carrier {
        names: &["python", "pypy", "ipython"],
        options: &[("-c", How::Code)],
        values: "-m -W -X",
        informs: "--version -V -VV --help -h -m",
        ..INTERPRETER
    },
    Carrier {
        names: &[
            "node",
            "nodejs",
            "bun",
            "tsx",
            "ts-node",
            "julia",
            "guile",
            "racket",
            "elixir",
            "osascript",
        ],
        ..INTERPRETER
    },
    Carrier {
        names: &[
            "perl", "ruby", "lua", "luajit", "rscript", "tclsh", "wish", "irb", "ghci", "ocaml",
            "jshell",
        ],
        options: &[("-e -E", How::Code), ("-M -m", How::Hides)],
        ..INTERPRETER
    },
    Carrier {
        names: &["php"],
        options: &[("-r -B -R -E --run", How::Code), ("-d", How::Hides)],
        ..INTERPRETER
    },
    Carrier {
        names: &["deno"],
        operands: &[("eval", How::Hides), ("repl", How::Hides)],
        ..NONE
    },
    Carrier {
        names: &["awk", "gawk", "mawk", "nawk", "original-awk"],
        options: &[
            ("-e --source", How::Awk),
            ("-l --load -i --include -E --exec", How::Hides),
            ("-f --file", How::Action),
        ],
        first: Some(How::Awk),
        values: "-F -v",
        posix: true,
        ..NONE
    },
    Carrier {
        names: &["sed", "gsed"],
        options: &[("-e --expression", How::Sed), ("-f --file", How::Action)],
        first: Some(How::Sed),
        values: "-l",
        ..NONE
    },
    Carrier {
        names: &["emacs", "emacsclient"],
        options: &[
            ("--eval -e --execute -eval", How::Code),
            ("-l --load --script -f --funcall", How::Hides),
        ],
        ..NONE
    },
    Carrier {
        names: &["vim", "vi", "nvim", "gvim", "view", "vimdiff", "rvim"],
        options: &[
            ("-c --cmd +", How::Editor),
            ("-S -u -s -U --luamod -l", How::Hides),
        ],
        ..NONE
    },
    Carrier {
        names: &["ed", "red", "ex"],
        operands: &[("", How::Hides)],
        needs: 1,
        ..NONE
    },
    Carrier {
        names: &["less", "more", "most"],
        options: &[
            ("+", How::Escape),
            ("-k --lesskey-file --lesskey-src", How::Hides),
        ],
        ..NONE
    },
    Carrier {
        names: &["man"],
        options: &[
            ("-P --pager -H --html --browser", How::Line),
            ("-C --config-file", How::Hides),
        ],
        ..NONE
    },
    Carrier {
        names: &["gdb", "lldb"],
        options: &[
            (
                "-ex -iex --eval-command --init-eval-command -o -O",
                How::Editor,
            ),
            ("-x -ix --command --source -s", How::Hides),
        ],
        ..NONE
    },
    Carrier {
        names: &["sqlite3"],
        options: &[("-cmd", How::Escape), ("-init", How::Hides)],
        operands: &[("", How::Escape)],
        informs: "-version --version -help --help",
        needs: 2,
        ..NONE
    },
    Carrier {
        names: &["su", "runuser"],
        options: &[("-c --command --session-command", How::Line)],
        ..NONE
    },
    Carrier {
        names: &["psql", "mysql", "mariadb"],
        informs: "--version -V --help -? -l --list",
        needs: usize::MAX,
        options: &[
            ("-c --command -e --execute -cmd", How::Escape),
            ("-f --file -init", How::Hides),
        ],
        operands: &[("", How::Escape)],
        ..NONE
    },
    Carrier {
        names: &["make", "gmake", "bmake"],
        options: &[("-f --file --makefile --eval -E", How::Hides)],
        operands: &[
            ("SHELL=", How::Line),
            ("SHELL=", How::Hides),
            ("MAKEFLAGS=", How::Hides),
            (".SHELLFLAGS=", How::Hides),
        ],
        ..NONE
    },
    Carrier {
        names: &["cargo"],
        options: &[("--config", How::Hides)],
        ..NONE
    },
    Carrier {
        names: &["go"],
        options: &[
            ("-exec -toolexec -vettool", How::Line),
            ("-overlay -modfile", How::Hides),
        ],
        ..NONE
    },
    Carrier {
        names: &["pytest", "py.test"],
        options: &[
            ("-o --override-ini -c --config-file", How::Hides),
            ("-p", How::Plugin),
        ],
        ..NONE
    },
    Carrier {
        names: &["tar", "gtar", "bsdtar"],
        options: &[("--checkpoint-action", How::Action)],
        ..NONE
    },
    Carrier {
        names: &["rsync"],
        options: &[("-e --rsh --rsync-path", How::Line)],
        ..NONE
    },
    Carrier {
        names: &["scp", "sftp"],
        options: &[("-S -D", How::Line), ("-o", How::Ssh), ("-F", How::Hides)],
        ..NONE
    },
    Carrier {
        names: &["ssh", "autossh", "mosh", "slogin"],
        options: &[
            ("-o", How::Ssh),
            ("-F -I", How::Hides),
            ("--ssh", How::Line),
        ],
        values: "-B -b -c -D -E -e -i -J -L -l -m -O -p -Q -R -S -W -w",
        posix: true,
        ..NONE
    },
    Carrier {
        names: &["docker run", "podman run", "nerdctl run"],
        options: &[("--entrypoint", How::Line)],
        ..NONE
    },
    Carrier {
        names: &["npm exec", "pnpm exec", "npm x"],
        options: &[("-c --call --shell-mode", How::Line)],
        ..NONE
    },
    Carrier {
        names: &["fd", "fdfind"],
        options: &[("-x --exec -X --exec-batch", How::Line)],
        ..NONE
    },
    Carrier {
        names: &["complete", "compgen"],
        options: &[("-C -F", How::Line)],
        ..NONE
    },
    Carrier {
        names: &["mapfile", "readarray"],
        options: &[("-C", How::Line)],
        ..NONE
    },
    Carrier {
        names: &["bind"],
        options: &[("-x -f", How::Hides)],
        ..NONE
    },
    Carrier {
        names: &["alias"],
        operands: &[("", How::Assign)],
        ..NONE
    },
    Carrier {
        names: &["hash"],
        options: &[("-p", How::Line)],
        ..NONE
    },
    Carrier {
        names: &["enable"],
        options: &[("-f", How::Hides)],
        ..NONE
    },
    Carrier {
        names: &["source", "."],
        operands: &[("", How::Hides)],
        ..NONE
    },
    Carrier {
        names: &["crontab"],
        operands: &[("", How::Hides)],
        options: &[("-e", How::Hides)],
        informs: "-l",
        needs: 1,
        ..NONE
    },
    Carrier {
        names: &["git"],
        options: &[
            ("-c", How::Setting),
            ("--exec-path --config-env", How::Hides),
        ],
        values: "-C --git-dir --work-tree --namespace",
        posix: true,
        ..NONE
    },
    Carrier {
        names: &["git filter-branch", "git filter-repo"],
        options: &[(
            "--tree-filter --index-filter --msg-filter --env-filter --parent-filter --commit-filter --tag-name-filter --setup",
            How::Line,
        )],
        ..NONE
    },
    Carrier {
        names: &["git difftool", "git mergetool"],
        options: &[("-x --extcmd", How::Line)],
        ..NONE
    },
    Carrier {
        names: &["git grep"],
        options: &[("-O --open-files-in-pager", How::Line)],
        ..NONE
    },
    Carrier {
        names: &[
            "git fetch",
            "git pull",
            "git ls-remote",
            "git fetch-pack",
            "git archive",
            "git send-pack",
        ],
        options: &[("--upload-pack --exec --receive-pack", How::Line)],
        ..NONE
    },
    Carrier {
        names: &["git clone"],
        options: &[
            ("-u --upload-pack", How::Line),
            ("-c --config", How::Setting),
            ("--template", How::Hides),
        ],
        ..NONE
    },
    Carrier {
        names: &["env", "sudo", "doas"],
        operands: &[("", How::Variable)],
        ..NONE
    },
];

/// All of them, by name.
#[derive(Debug)]
pub(in crate::shell) struct Carriers(HashMap<&'static str, &'static Carrier>);

impl Carriers {
    pub(in crate::shell) fn new() -> Self {
        let named =
            |carrier: &'static Carrier| carrier.names.iter().map(move |name| (*name, carrier));
        Self(CARRIERS.iter().flat_map(named).collect())
    }

    /// Finds a program by its name, whatever its version: `python3.12` is one, too.
    pub(in crate::shell) fn get(&self, program: &str) -> Option<&'static Carrier> {
        let bare =
            || program.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.' || c == '-');
        let found = self.0.get(program).or_else(|| self.0.get(bare()));
        found.copied()
    }
}
