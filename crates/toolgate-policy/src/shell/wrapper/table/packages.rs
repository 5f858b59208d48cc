//! Managers of packages and environments.

use super::super::{Form, Wrapper};
use super::{HIDDEN, PLAIN};

const RUN: Wrapper = Wrapper {
    flags: "qvy",
    values: "p",
    long: "quiet verbose yes package= with= python= extra= group= no-sync frozen locked isolated dev all-extras \
           offline no-install active module env-file= no-project no-dev no-cache refresh spec= from= index= index-url= \
           default-index= pip-args= with-editable= with-requirements=",
    ..PLAIN
};
const UV_TOOL: Wrapper = Wrapper {
    form: Form::Sub(&[("run", &RUN)]),
    ..PLAIN
};
const RUSTUP_RUN: Wrapper = Wrapper {
    long: "install",
    skip: 1,
    ..PLAIN
};
const AFTER_ONE: Wrapper = Wrapper { skip: 1, ..PLAIN };
const EXPLORE: Wrapper = Wrapper {
    long: "shell=",
    ..AFTER_ONE
};
const WORKSPACES: Wrapper = Wrapper {
    form: Form::Sub(&[("foreach", &HIDDEN)]),
    ..PLAIN
};
const MISE_EXEC: Wrapper = Wrapper {
    values: "cjCE",
    long: "command= cd= env= jobs= raw",
    form: Form::Dashes,
    ..PLAIN
};

pub(super) const WRAPPERS: &[Wrapper] = &[
    Wrapper {
        names: &["npx", "bunx", "pnpx"],
        flags: "yq",
        values: "pcw",
        long: "yes no quiet package= call= workspace= no-install ignore-existing prefer-offline",
        form: Form::Option('c', "call"),
        ..PLAIN
    },
    Wrapper {
        names: &["npm", "pnpm", "yarn", "bun"],
        flags: "sdrwC",
        values: "",
        long: "prefix= silent recursive filter= workspace= workspaces dir= cwd=",
        form: Form::Sub(&[
            ("exec", &RUN),
            ("x", &RUN),
            ("dlx", &RUN),
            ("explore", &EXPLORE),
            ("workspace", &HIDDEN),
            ("workspaces", &WORKSPACES),
            ("node", &HIDDEN),
        ]),
        ..PLAIN
    },
    Wrapper {
        names: &[
            "poetry", "pipenv", "rye", "pdm", "hatch", "bundle", "asdf", "conda", "opam", "tox",
        ],
        flags: "qvn",
        values: "Cp",
        long: "quiet verbose offline no-cache directory= project= config-file=",
        form: Form::Sub(&[("run", &RUN), ("exec", &RUN), ("x", &RUN), ("e", &RUN)]),
        ..PLAIN
    },
    Wrapper {
        names: &["nix"],
        form: Form::Sub(&[("run", &HIDDEN), ("shell", &HIDDEN), ("develop", &HIDDEN)]),
        ..PLAIN
    },
    Wrapper {
        names: &["uv"],
        flags: "qvn",
        values: "Cp",
        long: "quiet verbose offline no-cache directory= project= config-file=",
        form: Form::Sub(&[("run", &RUN), ("tool", &UV_TOOL), ("x", &RUN)]),
        ..PLAIN
    },
    Wrapper {
        names: &["uvx"],
        ..RUN
    },
    Wrapper {
        names: &["pipx"],
        form: Form::Sub(&[("run", &RUN)]),
        ..PLAIN
    },
    Wrapper {
        names: &["rustup"],
        flags: "vq",
        long: "verbose quiet",
        form: Form::Sub(&[("run", &RUSTUP_RUN)]),
        ..PLAIN
    },
    Wrapper {
        names: &["direnv"],
        form: Form::Sub(&[("exec", &AFTER_ONE)]),
        ..PLAIN
    },
    Wrapper {
        names: &["mise", "rtx"],
        flags: "qvy",
        values: "CE",
        long: "quiet verbose yes cd= env=",
        form: Form::Sub(&[("exec", &MISE_EXEC), ("x", &MISE_EXEC), ("run", &HIDDEN)]),
        ..PLAIN
    },
    Wrapper {
        names: &["just"],
        flags: "",
        values: "cdf",
        long: "command= justfile= working-directory=",
        skip: usize::MAX,
        form: Form::Given("c", "command"),
        ..PLAIN
    },
];
