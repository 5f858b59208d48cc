//! Tools of servers, whose name an agent has glued to theirs.

use toolgate::{ToolCall, ToolId};

use super::{Input, tools::Calls};

/// The calls that a tool of a server may be.
///
/// If the agent says which server, there is one. If not, `mcp__a__b__c` may be `b__c` of `a` or `c`
/// of `a__b`: every reading is judged, and none of them is allowed.
pub(super) fn calls(input: &Input) -> Result<Calls, String> {
    let glued = input
        .tool
        .strip_prefix("mcp__")
        .ok_or("a tool of a server has a name that begins with `mcp__`")?;
    let readings = match &input.server {
        Some(server) => vec![of_server(glued, server)?],
        None => readings(glued),
    };
    let call = |(server, tool): &(String, String)| -> ToolCall {
        let tool = ToolId::new(tool.as_str()).on_server(server.as_str());
        input.call(tool, input.args.clone())
    };
    let list: Vec<_> = readings.iter().map(call).collect();
    if list.is_empty() {
        return Err("a tool of a server is called `mcp__SERVER__TOOL`".to_owned());
    }
    Ok(Calls {
        doubt: (list.len() > 1).then(|| {
            "the name can be read in more than one way, and the agent does not say which server \
             is meant"
                .to_owned()
        }),
        list,
        searched: None,
    })
}

/// The tool, if the name is that of a tool of this server.
fn of_server(glued: &str, server: &str) -> Result<(String, String), String> {
    // Agents put an underscore for every character that a name of a tool must not have.
    let plain = |c: char| match c.is_ascii_alphanumeric() || c == '_' || c == '-' {
        true => c,
        false => '_',
    };
    let prefix: String = server.chars().map(plain).chain("__".chars()).collect();
    match glued.strip_prefix(&prefix) {
        Some(tool) if !tool.is_empty() => Ok((server.to_owned(), tool.to_owned())),
        _ => Err("`mcp_server` is another server than that of `tool_name`".to_owned()),
    }
}

/// Every way to take a name apart.
fn readings(glued: &str) -> Vec<(String, String)> {
    let places = (1..glued.len()).filter(|at| glued.is_char_boundary(*at));
    let split = |at: usize| {
        let (server, rest) = glued.split_at(at);
        let tool = rest.strip_prefix("__").filter(|tool| !tool.is_empty())?;
        Some((server.to_owned(), tool.to_owned()))
    };
    places.filter_map(split).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn split(glued: &str) -> Vec<String> {
        let show = |(server, tool): (String, String)| format!("{server}/{tool}");
        readings(glued).into_iter().map(show).collect()
    }

    #[test]
    fn a_name_has_one_reading_or_several() {
        assert_eq!(split("a__b"), ["a/b"]);
        assert_eq!(split("a__b__c"), ["a/b__c", "a__b/c"]);
        assert_eq!(split("a___b"), ["a/_b", "a_/b"]);
        for none in ["a", "a__", "__b", "", "a_b"] {
            assert!(split(none).is_empty(), "{none}");
        }
    }

    #[test]
    fn a_server_that_is_named_has_to_fit() {
        assert_eq!(
            of_server("my_server__b__c", "my server"),
            Ok(("my server".to_owned(), "b__c".to_owned()))
        );
        assert!(of_server("a__b", "c").is_err());
        assert!(of_server("a__", "a").is_err());
        assert!(of_server("ab__c", "a").is_err());
    }
}
