//! What is known of each wrapper, by kind.

mod files;
mod packages;
mod process;
mod remote;
mod rights;
mod shells;

use super::{Form, Wrapper};

/// All wrappers.
pub(super) fn wrappers() -> impl Iterator<Item = &'static Wrapper> {
    let kinds = [
        files::WRAPPERS,
        packages::WRAPPERS,
        process::WRAPPERS,
        remote::WRAPPERS,
        rights::WRAPPERS,
        shells::WRAPPERS,
    ];
    kinds.into_iter().flatten()
}

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

/// One whose words are joined and read by a shell.
const TEXT: Wrapper = Wrapper {
    long: "recursive",
    form: Form::Text,
    ..PLAIN
};

/// One whose command begins nobody knows where.
const LOOSE: Wrapper = Wrapper {
    form: Form::Loose,
    ..PLAIN
};

/// One whose command cannot be seen.
const HIDDEN: Wrapper = Wrapper {
    form: Form::Hidden,
    ..PLAIN
};
