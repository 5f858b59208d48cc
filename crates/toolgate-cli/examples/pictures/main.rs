//! Makes the pictures of the README, from what the real program shows on a real terminal.
//!
//! ```text
//! pictures DIRECTORY                    writes prompt.svg and explain.svg
//! pictures --inside DEVICE PROGRAM …    how it starts a program in a terminal of its own
//! ```
//!
//! The program is the `toolgate` that was built beside it. `docs/pictures/make` does both.

#[cfg(unix)]
mod scenes;
#[cfg(unix)]
mod svg;
#[cfg(unix)]
mod terminal;

#[cfg(unix)]
fn main() -> Result<(), Box<dyn std::error::Error>> {
    use std::path::PathBuf;

    let mut words = std::env::args_os().skip(1);
    let first = words.next().ok_or("which directory is meant?")?;
    if first == "--inside" {
        return terminal::become_program(words);
    }
    let directory = PathBuf::from(first);
    for (name, screen, from) in [
        ("prompt", scenes::prompt()?, "I make the greeting warmer"),
        ("explain", scenes::explain()?, ""),
    ] {
        let file = directory.join(name).with_extension("svg");
        std::fs::write(&file, svg::of(&screen, from))?;
        println!("wrote {}", file.display());
    }
    Ok(())
}

#[cfg(not(unix))]
fn main() {
    println!("there are no pseudo-terminals here");
}
