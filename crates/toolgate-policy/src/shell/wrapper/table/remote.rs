//! Programs that run another one somewhere else: hosts, containers, terminals.

use super::super::{Form, Wrapper};
use super::{HIDDEN, PLAIN};

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
const KUBECTL: Wrapper = Wrapper {
    values: "n",
    long: "namespace= context=",
    form: Form::Sub(&[("exec", &KUBECTL_EXEC)]),
    ..PLAIN
};
const CONTAINER: Wrapper = Wrapper {
    form: Form::Sub(&[("exec", &DOCKER_EXEC), ("run", &DOCKER_RUN)]),
    ..PLAIN
};
const KUBECTL_RUN: Wrapper = Wrapper {
    values: "cnfl",
    long: "stdin tty quiet rm command container= namespace= filename= context= image= restart= env= labels= \
           overrides= target= copy-to= profile= pod-running-timeout= attach",
    ..KUBECTL_EXEC
};
const GH_EXTENSION: Wrapper = Wrapper {
    form: Form::Sub(&[("exec", &HIDDEN)]),
    ..PLAIN
};

pub(super) const WRAPPERS: &[Wrapper] = &[
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
            ("container", &CONTAINER),
        ]),
        ..PLAIN
    },
    Wrapper {
        names: &["kubectl", "oc", "k3s"],
        values: "nsv",
        long: "namespace= context= cluster= kubeconfig= server= user= token= request-timeout= as= as-group=",
        form: Form::Sub(&[
            ("exec", &KUBECTL_EXEC),
            ("run", &KUBECTL_RUN),
            ("debug", &KUBECTL_RUN),
            ("kubectl", &KUBECTL),
        ]),
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
        names: &[
            "screen",
            "at",
            "batch",
            "nix-shell",
            "expect",
            "proot",
            "socat",
        ],
        ..HIDDEN
    },
    Wrapper {
        names: &["gh"],
        form: Form::Sub(&[("extension", &GH_EXTENSION), ("ext", &GH_EXTENSION)]),
        ..PLAIN
    },
    Wrapper {
        names: &["nc", "ncat", "netcat"],
        values: "cegipqswxXGIKmMOPTVWZ",
        long: "exec= sh-exec= lua-exec=",
        skip: usize::MAX,
        form: Form::Given("ce", "exec sh-exec lua-exec"),
        ..PLAIN
    },
];
