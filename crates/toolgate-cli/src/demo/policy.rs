//! The policy of the session.

use std::path::Path;

use toolgate_policy::{FilePolicy, Format, Settings, parse_policy};

use crate::fail::Fail;

const TEXT: &str = include_str!("../../templates/demo.toml");

/// The policy of the session, in its folder.
pub(super) fn load(folder: &Path, port: u16) -> Result<FilePolicy, Fail> {
    let text = TEXT.replace("@PORT@", &port.to_string());
    let settings = Settings::new().with_base(folder.display().to_string());
    Ok(parse_policy(&text, Format::Toml)?.compile(None, &settings)?)
}
