//! What the examples share: a few tools that do nothing dangerous.

use serde::Deserialize;
use toolgate::{CapabilityError, Tool, Toolbox};

/// What the examples return when something goes wrong.
pub type BoxError = Box<dyn std::error::Error + Send + Sync>;

#[derive(Deserialize)]
struct Path {
    path: String,
}

#[derive(Deserialize)]
struct Email {
    to: String,
}

/// Tools of a small assistant. None of them touches anything.
///
/// # Errors
///
/// If the toolbox cannot be made.
pub fn toolbox() -> Result<Toolbox, BoxError> {
    let read = Tool::new("read_file", |Path { path }| async move {
        Ok::<_, BoxError>(format!("contents of {path}"))
    });
    let write = Tool::new("write_file", |Path { path }| async move {
        Ok::<_, BoxError>(format!("wrote {path}"))
    });
    let send = Tool::new("send_email", |Email { to }| async move {
        Ok::<_, BoxError>(format!("sent to {to}"))
    });
    let drop_table = Tool::raw("drop_table", |_| async { Ok::<_, BoxError>("dropped") });
    Ok(Toolbox::new([
        read.with_description("reads a file")
            .with_capabilities(["fs.read".parse()?]),
        write
            .with_description("writes a file")
            .with_capabilities_by_args(|args| {
                let path = args.get("path").and_then(|path| path.as_str());
                let write = "fs.write".parse::<toolgate::Capability>()?;
                Ok(vec![path.map_or(write.clone(), |path| write.on(path))])
            }),
        send.with_description("sends mail")
            .with_capabilities(net_send()?),
        drop_table
            .with_description("drops a table")
            .with_capabilities(["db.write".parse()?]),
    ])?)
}

fn net_send() -> Result<[toolgate::Capability; 1], CapabilityError> {
    Ok(["net.send".parse()?])
}
