//! Programs that run another one with other rights, or in a world of its own.

use super::super::{Form, Wrapper};
use super::{LOOSE, PLAIN};

pub(super) const WRAPPERS: &[Wrapper] = &[
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
        names: &["su"],
        flags: "lmpfP",
        values: "cgGsuwT",
        long: "login preserve-environment fast pty command= session-command= group= supp-group= shell= user= \
               whitelist-environment=",
        skip: 1,
        form: Form::Option('c', "command"),
        ..PLAIN
    },
    Wrapper {
        names: &["runuser"],
        flags: "lmpfP",
        values: "cgGsuwT",
        long: "login preserve-environment fast pty command= session-command= group= supp-group= shell= user= \
               whitelist-environment=",
        skip: 1,
        form: Form::WordsOrLoose,
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
        form: Form::WordsOrLoose,
        ..PLAIN
    },
    Wrapper {
        names: &["chroot"],
        long: "userspec= groups= skip-chdir",
        skip: 1,
        ..PLAIN
    },
    Wrapper {
        names: &[
            "fakechroot",
            "xvfb-run",
            "cgexec",
            "start-stop-daemon",
            "daemonize",
            "daemon",
        ],
        ..LOOSE
    },
];
