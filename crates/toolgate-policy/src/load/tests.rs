//! Whole texts, and what becomes of them.

use super::*;

/// Everything that is said about a text.
pub(super) fn said(text: &str, format: Format) -> String {
    match parse_policy(text, format) {
        Ok(parsed) => parsed.notes().to_string(),
        Err(wrong) => wrong.to_string(),
    }
}

#[test]
fn smoke() {
    for text in [
        "default = \"allow\"\nversion = 99\n[shel]\ndeny=[\"rm *\"]\n[shell]\nDeny = [\"x\"]\nallow = \"ls\"\nask=[{pattern=\"ls *\", unless=1},{},\"\",3]\n[tools]\nallow=[{tool=\"a\",pattern=\"b\"}]\nAsk=[]\n[tools.x]\nkind=\"sell\"\n[[tools.deny]]\ntool=\"q\"\nwhen={id=3,b={},c={one_of=[]}}\nexpires=2026-13-01\n",
        "deny = [\"a\"]\n[read]\nallow=[{pattern=\"x\",environments=[]}]\n[read]\n",
        "mode = \"approve_all\"\nsecrets = [3, \"topsecret\"]\n[capabilities]\nallow = [\"*\"]\nwhen=1\n[env.ci]\nworkspace = \".\"\nmode=\"yolo\"\n",
        "",
    ] {
        println!("{}\n=======", said(text, Format::Toml));
    }
    for text in [
        "{\"default\":\"ask\",\"shell\":{\"deny\":[\"rm *\"]},\"shell\":{\"allow\":[\"*\"]}}",
        "{\"default\":null,\"shell\":{\"deny\":\"rm *\",\"ask\":[\"a\",]}}",
        "{\"default\":null,\"shell\":[\"deny\"],\"deadline\":5}",
        "\u{feff}{}",
        "null",
        "{ broken",
        "{'a':1}",
        "{\"a\":1 // x\n}",
        "{\"a\":01}",
        "{} x",
    ] {
        println!("{}\n=======", said(text, Format::Json));
    }
    for text in [
        "default: no\nshell:\n  allow: [no, yes, 1]\n  workspace_only: yes\n",
        "a: &x 1\n",
        "a: *x\n",
        "<<: {}\n",
        "a: 1\na: 2\n",
        "%YAML 1.1\n---\na: 1\n",
        "---\na: 1\n---\nb: 1\n",
        "a: !!str 1\n",
        "default: ask\nü: 1\n  x: [",
    ] {
        println!("{}\n=======", said(text, Format::Yaml));
    }
}
