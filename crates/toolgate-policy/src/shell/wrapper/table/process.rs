//! Programs that run another one as it is, a little later, slower or elsewhere in the system.

use super::super::{Form, Wrapper};
use super::{LOOSE, PLAIN};

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
        names: &[
            "chrt", "taskset", "numactl", "prlimit", "cpulimit", "setarch", "linux32", "linux64",
        ],
        flags: "abdefimorvRGcs",
        values: "TPDplnN",
        skip: 1,
        form: Form::WordsOrLoose,
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
            "ld.so",
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
        form: Form::WordsOrLoose,
        ..PLAIN
    },
    Wrapper {
        names: &[
            "hyperfine",
            "i3-msg",
            "ccache",
            "sccache",
            "distcc",
            "retry",
            "watchexec",
            "nodemon",
            "cross",
            "gnome-terminal",
            "xterm",
            "konsole",
            "alacritty",
            "wezterm",
            "kitty",
        ],
        ..LOOSE
    },
];
