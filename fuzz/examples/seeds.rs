//! Writes what the fuzzer starts from: `seeds ATTACKS DIRECTORY`, a directory below for each target.

use std::{env, error::Error, fs, path::Path};

fn main() -> Result<(), Box<dyn Error>> {
    let mut args = env::args().skip(1);
    let (Some(attacks), Some(to)) = (args.next(), args.next()) else {
        return Err("usage: seeds ATTACKS DIRECTORY".into());
    };
    let seeds = toolgate_fuzz::seeds::from_attacks(&fs::read_to_string(attacks)?);
    for (target, _) in toolgate_fuzz::TARGETS {
        fs::create_dir_all(Path::new(&to).join(target))?;
    }
    for (number, (target, input)) in seeds.iter().enumerate() {
        fs::write(
            Path::new(&to).join(target).join(format!("seed-{number}")),
            input,
        )?;
    }
    Ok(())
}
