//! What is known of each wrapper.

use super::{Form, Wrapper};

/// A wrapper whose command is the words behind its options.
const PLAIN: Wrapper = Wrapper {
    names: &[],
    flags: "",
    values: "",
    long: "help version",
    skip: 0,
    assignments: false,
    form: Form::Words,
    transparent: false,
};

const DOCKER_EXEC: Wrapper = Wrapper {
    flags: "itd",
    values: "ewu",
    long: "interactive tty detach privileged env= env-file= workdir= user= detach-keys= no-TTY index= container=",
    skip: 1,
    ..PLAIN
};
const DOCKER_RUN: Wrapper = Wrapper {
    flags: "itdPqT",
    values: "vewulhpmca",
    long: "interactive tty detach rm privileged init read-only quiet env= env-file= workdir= user= volume= \
           mount= name= network= net= entrypoint= label= hostname= publish= memory= cpus= pull= platform= \
           add-host= cap-add= cap-drop= security-opt= shm-size= gpus= restart= ipc= pid= ulimit= tmpfs= \
           device= no-deps service-ports build",
    skip: 1,
    ..PLAIN
};
const COMPOSE: Wrapper = Wrapper {
    flags: "",
    values: "fp",
    long: "file= project-name= profile= env-file= project-directory= ansi= progress= parallel= compatibility",
    form: Form::Sub(&[("exec", &DOCKER_EXEC), ("run", &DOCKER_RUN)]),
    ..PLAIN
};
const KUBECTL_EXEC: Wrapper = Wrapper {
    flags: "itq",
    values: "cnf",
    long: "stdin tty quiet container= namespace= filename= context= pod-running-timeout=",
    skip: 1,
    ..PLAIN
};
const REST: Wrapper = Wrapper { ..PLAIN };
const RUN: Wrapper = Wrapper {
    flags: "qvy",
    values: "p",
    long: "quiet verbose yes package= with= python= extra= group= no-sync frozen locked isolated dev all-extras \
           offline no-install active module env-file= no-project",
    ..PLAIN
};
const TEXT: Wrapper = Wrapper {
    long: "recursive",
    form: Form::Text,
    ..PLAIN
};
const HIDDEN: Wrapper = Wrapper {
    form: Form::Hidden,
    ..PLAIN
};
const BISECT: Wrapper = Wrapper {
    form: Form::Sub(&[("run", &REST)]),
    ..PLAIN
};
const SUBMODULE: Wrapper = Wrapper {
    flags: "q",
    long: "quiet",
    form: Form::Sub(&[("foreach", &TEXT)]),
    ..PLAIN
};
const REBASE: Wrapper = Wrapper {
    flags: "iqvnfmrk",
    values: "CXsx",
    long: "exec= interactive onto= strategy= strategy-option= root autosquash autostash keep-base no-verify",
    form: Form::Option('x', "exec"),
    ..PLAIN
};

/// All wrappers.
pub(super) const WRAPPERS: &[Wrapper] = &[
    Wrapper {
        names: &["env"],
        flags: "i0v",
        values: "uCSP",
        long: "ignore-environment null debug unset= chdir= split-string= block-signal default-signal ignore-signal",
        assignments: true,
        form: Form::Env,
        transparent: true,
        ..PLAIN
    },
    Wrapper {
        names: &["sudo", "run0", "gosu", "su-exec"],
        flags: "AbBEeHiKklNnPSsVv",
        values: "aCcDghpRrTtUu",
        long: "askpass background bell preserve-env set-home login remove-timestamp reset-timestamp list \
               non-interactive no-update preserve-groups stdin shell validate help version close-from= chdir= \
               group= host= prompt= chroot= role= command-timeout= type= other-user= user= setenv=",
        assignments: true,
        ..PLAIN
    },
    Wrapper {
        names: &["doas"],
        flags: "Lns",
        values: "Cua",
        ..PLAIN
    },
    Wrapper {
        names: &["pkexec"],
        long: "disable-internal-agent keep-cwd user=",
        ..PLAIN
    },
    Wrapper {
        names: &["su", "runuser"],
        flags: "lmpfP",
        values: "cgGsuwT",
        long: "login preserve-environment fast pty command= session-command= group= supp-group= shell= user= \
               whitelist-environment=",
        skip: 1,
        form: Form::Option('c', "command"),
        ..PLAIN
    },
    Wrapper {
        names: &["timeout", "gtimeout"],
        flags: "vfp",
        values: "ks",
        long: "foreground preserve-status verbose kill-after= signal=",
        skip: 1,
        transparent: true,
        ..PLAIN
    },
    Wrapper {
        names: &["nice", "gnice"],
        flags: "0123456789-",
        values: "n",
        long: "adjustment=",
        transparent: true,
        ..PLAIN
    },
    Wrapper {
        names: &["ionice"],
        flags: "t",
        values: "cnpPu",
        long: "class= classdata= pid= pgid= uid= ignore",
        transparent: true,
        ..PLAIN
    },
    Wrapper {
        names: &["nohup", "setsid", "builtin"],
        flags: "cfw",
        long: "ctty fork wait",
        transparent: true,
        ..PLAIN
    },
    Wrapper {
        names: &["stdbuf", "gstdbuf"],
        values: "ioe",
        long: "input= output= error=",
        transparent: true,
        ..PLAIN
    },
    Wrapper {
        names: &["time", "gtime"],
        flags: "pvaqlh",
        values: "fo",
        long: "portability verbose append quiet format= output=",
        transparent: true,
        ..PLAIN
    },
    Wrapper {
        names: &["command"],
        flags: "pvV",
        form: Form::Unless("vV"),
        transparent: true,
        ..PLAIN
    },
    Wrapper {
        names: &["exec"],
        flags: "cl",
        values: "a",
        ..PLAIN
    },
    Wrapper {
        names: &["eval", "trap"],
        form: Form::Text,
        ..PLAIN
    },
    Wrapper {
        names: &[
            "chrt", "taskset", "numactl", "prlimit", "cpulimit", "setarch", "linux32", "linux64",
        ],
        flags: "abdefimorvRGcs",
        values: "TPDplnN",
        skip: 1,
        ..PLAIN
    },
    Wrapper {
        names: &["xargs", "gxargs"],
        flags: "0rtpxoeil",
        values: "adEILnPsJRS",
        long: "null no-run-if-empty verbose interactive exit open-tty show-limits arg-file= delimiter= eof \
               replace max-lines max-args= max-procs= max-chars= process-slot-var=",
        form: Form::MoreWords,
        ..PLAIN
    },
    Wrapper {
        names: &["parallel"],
        flags: "0kqtvXm",
        values: "jaIdNnPS",
        long: "jobs= keep-order null dry-run verbose bar eta halt= arg-file= colsep= delay= timeout= will-cite \
               progress pipe no-notice retries= tag ungroup line-buffer",
        form: Form::MoreWords,
        ..PLAIN
    },
    Wrapper {
        names: &["busybox", "toybox", "sbase-box", "coreutils"],
        ..PLAIN
    },
    Wrapper {
        names: &["strace", "ltrace", "dtruss"],
        flags: "AcCdDfFhikLnNqrtTvVwxyYzZS",
        values: "aebEIlmoOpPsuUX",
        long: "follow-forks output-separately summary-only summary trace= output= string-limit= attach= env= user= \
               quiet decode-fds seccomp-bpf absolute-timestamps syscall-times failed-only successful-only",
        assignments: false,
        ..PLAIN
    },
    Wrapper {
        names: &[
            "unshare",
            "nsenter",
            "setpriv",
            "bwrap",
            "firejail",
            "fakeroot",
            "systemd-run",
            "dbus-run-session",
        ],
        flags: "acCfFhimnprTuUWZ",
        values: "GlkRSstw",
        long: "mount uts ipc net pid user cgroup time fork map-root-user map-current-user keep-caps mount-proc \
               root= wd= setuid= setgid= target= all scope pty pipe wait collect uid= gid= property= unit= \
               die-with-parent unshare-all unshare-net new-session",
        ..PLAIN
    },
    Wrapper {
        names: &["chroot"],
        long: "userspec= groups= skip-chdir",
        skip: 1,
        ..PLAIN
    },
    Wrapper {
        names: &["watch", "gwatch"],
        flags: "bcdeghprtwxC",
        values: "nq",
        long: "beep color differences errexit chgexit precise no-rerun no-title no-wrap exec interval= equexit=",
        form: Form::Text,
        ..PLAIN
    },
    Wrapper {
        names: &["ssh", "autossh", "mosh", "dbclient"],
        flags: "46AaCfGgKkMNnqsTtVvXxYy",
        values: "BbcDEeFIiJLlmOopPQRSWw",
        skip: 1,
        form: Form::Text,
        ..PLAIN
    },
    Wrapper {
        names: &[
            "docker",
            "podman",
            "nerdctl",
            "docker-compose",
            "podman-compose",
        ],
        flags: "Dv",
        values: "HclfP",
        long: "debug config= context= host= log-level= tls tlscacert= tlscert= tlskey= tlsverify file= \
               project-name= profile=",
        form: Form::Sub(&[
            ("exec", &DOCKER_EXEC),
            ("run", &DOCKER_RUN),
            ("compose", &COMPOSE),
        ]),
        ..PLAIN
    },
    Wrapper {
        names: &["kubectl", "oc", "k3s"],
        values: "nsv",
        long: "namespace= context= cluster= kubeconfig= server= user= token= request-timeout= as= as-group=",
        form: Form::Sub(&[("exec", &KUBECTL_EXEC), ("kubectl", &KUBECTL)]),
        ..PLAIN
    },
    Wrapper {
        names: &["find", "gfind", "bfs"],
        form: Form::Find,
        ..PLAIN
    },
    Wrapper {
        names: &["fd", "fdfind"],
        form: Form::Fd,
        ..PLAIN
    },
    Wrapper {
        names: &[
            "sh", "bash", "zsh", "dash", "ksh", "mksh", "ash", "rbash", "fish", "bash5", "yash",
            "posh",
        ],
        form: Form::Shell,
        ..PLAIN
    },
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
        form: Form::Sub(&[("exec", &RUN), ("x", &RUN), ("dlx", &RUN)]),
        ..PLAIN
    },
    Wrapper {
        names: &[
            "uv", "poetry", "pipenv", "rye", "pdm", "hatch", "bundle", "mise", "asdf", "direnv",
            "conda", "opam",
        ],
        flags: "qvn",
        values: "Cp",
        long: "quiet verbose offline no-cache directory= project= config-file=",
        form: Form::Sub(&[("run", &RUN), ("exec", &RUN), ("x", &RUN)]),
        ..PLAIN
    },
    Wrapper {
        names: &["git"],
        flags: "pPvh",
        values: "Cc",
        long: "version help html-path man-path info-path paginate no-pager no-replace-objects bare \
               literal-pathspecs glob-pathspecs noglob-pathspecs icase-pathspecs no-optional-locks exec-path \
               git-dir= work-tree= namespace= super-prefix= config-env= attr-source=",
        form: Form::Sub(&[
            ("bisect", &BISECT),
            ("submodule", &SUBMODULE),
            ("rebase", &REBASE),
        ]),
        ..PLAIN
    },
    Wrapper {
        names: &["flock", "script", "scriptreplay"],
        flags: "aefnoqsuxFt",
        values: "cwETIOBmo",
        long: "shared exclusive unlock nonblock close no-fork verbose command= timeout= wait= conflict-exit-code= \
               append quiet flush return",
        skip: 1,
        form: Form::Option('c', "command"),
        ..PLAIN
    },
    Wrapper {
        names: &[
            "and",
            "or",
            "not",
            "begin",
            "noglob",
            "nocorrect",
            "-",
            "catch",
            "try",
            "do",
            "then",
        ],
        ..PLAIN
    },
    Wrapper {
        names: &["repeat"],
        skip: 1,
        ..PLAIN
    },
    Wrapper {
        names: &[
            "caffeinate",
            "unbuffer",
            "rlwrap",
            "torsocks",
            "torify",
            "proxychains",
            "proxychains4",
            "tsocks",
            "catchsegv",
            "valgrind",
            "perf",
            "gdb",
            "entr",
            "chpst",
            "softlimit",
            "capsh",
            "dotenv",
            "envdir",
            "chronic",
            "ts",
            "sem",
            "sg",
            "newgrp",
            "ld-linux-x86-64.so.2",
            "ld-linux.so.2",
            "ld-linux-aarch64.so.1",
            "ld-musl-x86_64.so.1",
            "faketime",
            "arch",
            "wine",
            "wsl",
            "winpty",
            "start",
        ],
        flags: "dimsuacrnpqve",
        ..PLAIN
    },
    Wrapper {
        names: &["tmux"],
        flags: "2CDlNuvV",
        values: "cfLST",
        form: Form::Sub(&[
            ("new", &HIDDEN),
            ("new-session", &HIDDEN),
            ("neww", &HIDDEN),
            ("new-window", &HIDDEN),
            ("splitw", &HIDDEN),
            ("split-window", &HIDDEN),
            ("run", &HIDDEN),
            ("run-shell", &HIDDEN),
            ("send", &HIDDEN),
            ("send-keys", &HIDDEN),
            ("if", &HIDDEN),
            ("if-shell", &HIDDEN),
            ("respawn-pane", &HIDDEN),
            ("respawn-window", &HIDDEN),
            ("display-popup", &HIDDEN),
            ("popup", &HIDDEN),
            ("pipe-pane", &HIDDEN),
            ("source-file", &HIDDEN),
        ]),
        ..PLAIN
    },
    Wrapper {
        names: &["nix"],
        form: Form::Sub(&[("run", &HIDDEN), ("shell", &HIDDEN), ("develop", &HIDDEN)]),
        ..PLAIN
    },
    Wrapper {
        names: &[
            "screen",
            "at",
            "batch",
            "nix-shell",
            "expect",
            "socat",
            "ncat",
        ],
        ..HIDDEN
    },
    Wrapper {
        names: &[
            "iex",
            "invoke-expression",
            "cmd",
            "powershell",
            "pwsh",
            "start-process",
        ],
        ..HIDDEN
    },
];

const KUBECTL: Wrapper = Wrapper {
    values: "n",
    long: "namespace= context=",
    form: Form::Sub(&[("exec", &KUBECTL_EXEC)]),
    ..PLAIN
};
