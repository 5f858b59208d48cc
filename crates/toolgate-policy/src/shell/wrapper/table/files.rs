//! Programs that run another one for each of many files, or for what they find.

use super::super::{Form, Wrapper};
use super::{PLAIN, TEXT};

const BISECT: Wrapper = Wrapper {
    form: Form::Sub(&[("run", &PLAIN)]),
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

pub(super) const WRAPPERS: &[Wrapper] = &[
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
        names: &["tar", "gtar", "bsdtar"],
        values: "bCfFgHIKLNTVX",
        long: "to-command= use-compress-program= info-script= new-volume-script= rsh-command= file= directory=",
        skip: usize::MAX,
        form: Form::Lines(
            "I F to-command use-compress-program info-script new-volume-script rsh-command",
        ),
        ..PLAIN
    },
    Wrapper {
        names: &["split", "gsplit", "sort", "gsort"],
        values: "abClnktSTo",
        long: "filter= compress-program= temporary-directory=",
        skip: usize::MAX,
        form: Form::Lines("filter compress-program"),
        ..PLAIN
    },
];
