//! Hostile and very large texts: bounded, linear, never a panic.

use std::{fmt::Write, time::Duration};

use super::*;

/// Ten thousand rules, half of them with an id and a reason.
fn many(format: Format) -> String {
    let mut text = match format {
        Format::Toml => "[shell]\nallow = [\n".to_owned(),
        Format::Json => "{\"shell\":{\"allow\":[\n".to_owned(),
        Format::Yaml => "shell:\n  allow:\n".to_owned(),
    };
    for n in 0..5000 {
        let _ = match format {
            Format::Toml => writeln!(
                text,
                "\"tool{n} run *\",\n{{ pattern = \"tool{n} x *\", id = \"r{n}\", reason = \"why not\" }},"
            ),
            Format::Json => writeln!(
                text,
                "{}\"tool{n} run *\",\n{{\"pattern\":\"tool{n} x *\",\"id\":\"r{n}\",\"reason\":\"why not\"}}",
                if n == 0 { "" } else { "," }
            ),
            Format::Yaml => writeln!(
                text,
                "    - tool{n} run *\n    - {{ pattern: tool{n} x *, id: r{n}, reason: why not }}"
            ),
        };
    }
    text + match format {
        Format::Toml => "]\n",
        Format::Json => "]}}",
        Format::Yaml => "",
    }
}

/// How long this thread worked. What other threads and programs do does not count.
#[cfg(unix)]
fn worked() -> Duration {
    use rustix::time::{ClockId, clock_gettime};
    clock_gettime(ClockId::ThreadCPUTime).try_into().unwrap()
}

#[cfg(not(unix))]
fn worked() -> Duration {
    std::time::SystemTime::UNIX_EPOCH.elapsed().unwrap()
}

/// How long reading takes; the best of a few times.
fn took(text: &str, format: Format) -> Duration {
    let once = |_| {
        let start = worked();
        let _ = load("p", text, format);
        worked().saturating_sub(start)
    };
    (0..3).map(once).min().unwrap()
}

#[test]
fn ten_thousand_rules_are_read_quickly() {
    for format in [Format::Toml, Format::Json, Format::Yaml] {
        let text = many(format);
        let rules = right(&text, format).shell.unwrap().rules.allow.len();
        assert_eq!(rules, 10_000);
        let best = took(&text, format);
        println!("{format:?}: {best:?} for {} bytes", text.len());
        assert!(
            best < Duration::from_millis(250),
            "{format:?} took {best:?}"
        );
    }
}

/// Texts that invite to recurse, to look back, or to compare everything with everything.
fn hostile(n: usize) -> Vec<String> {
    let keys = |line: &dyn Fn(usize) -> String| (0..n / 8).map(line).collect::<String>();
    let mut texts: Vec<String> = [
        "[",
        "{",
        "{\"a\":",
        "[[",
        "a.",
        "- ",
        "? ",
        "a: ",
        "\"",
        "'",
        "'''",
        "\"\"\"",
        "&a ",
        "*a ",
        "!x ",
        "{a: ",
        "[a, ",
        "\\u0000",
        "\u{1f600}",
        "\r",
        "\n",
        "#\n",
        ",",
        "=",
        "a=",
        "|\n ",
        ">\n ",
        "%\n",
        "---\n",
        "...\n",
        "\t",
        " ",
        "{? ",
        ": ",
        "-",
        "1e",
        "0x",
    ]
    .iter()
    .map(|unit| unit.repeat(n / unit.len()))
    .collect();
    texts.push(keys(&|i| format!("k{i} = 1\n")));
    texts.push(keys(&|_| "k = 1\n".to_owned()));
    texts.push(keys(&|_| "[a]\n".to_owned()));
    texts.push(keys(&|i| format!("[a.b{i}]\n")));
    texts.push(keys(&|_| "[[a]]\n".to_owned()));
    texts.push(keys(&|i| format!("k{i}: 1\n")));
    texts.push(keys(&|_| "k: 1\n".to_owned()));
    texts.push(format!("{{{}\"z\":1}}", keys(&|i| format!("\"k{i}\":1,"))));
    texts.push(format!("{{{}\"z\":1}}", keys(&|_| "\"k\":1,".to_owned())));
    texts.push(format!("shell.allow = [{}]", "\"\",".repeat(n / 3)));
    texts.push(format!("shell.allow = [{}]", "\"é\",".repeat(n / 5)));
    texts.push(format!(
        "[env.e]\ndangerous_lift = [{}]",
        keys(&|i| format!("\"x{i}\","))
    ));
    texts.push(format!(
        "[shell]\nallow = [{}]",
        keys(&|i| {
            format!(
                "{{pattern=\"a\",id=\"{}\",environments=[\"e{i}\"]}},",
                i % 9
            )
        })
    ));
    texts.push(format!("default = \"{}\"", "a".repeat(n)));
    texts.push(format!("{} = 1", "a".repeat(n)));
    texts
}

/// Four times the text may take four times as long, and some more; not sixteen times.
#[test]
fn hostile_texts_take_no_longer_than_they_are() {
    let (small, large) = (hostile(25_000), hostile(100_000));
    for (small, large) in small.iter().zip(&large) {
        for format in [Format::Toml, Format::Json, Format::Yaml] {
            let head: String = large.chars().take(20).collect();
            // A machine with other things to do may be slow once, but not always.
            let is_linear = (0..5).any(|_| {
                let small_took = took(small, format).max(Duration::from_millis(2));
                let large_took = took(large, format);
                large_took.as_secs_f64() / small_took.as_secs_f64() < 10.0
            });
            assert!(is_linear, "{format:?} {head:?}");
        }
    }
}

#[test]
fn what_is_too_deep_is_refused() {
    let json = |n: usize| format!("{{\"a\":{}1{}}}", "[".repeat(n), "]".repeat(n));
    for format in [Format::Json, Format::Yaml] {
        assert_eq!(codes(&json(63), format), ["unknown-key"], "{format:?}");
        assert_eq!(codes(&json(100), format).len(), 1, "{format:?}");
        assert_ne!(codes(&json(100), format), ["unknown-key"], "{format:?}");
    }
    let toml = format!("a = {}1{}", "[".repeat(200), "]".repeat(200));
    assert!(codes(&toml, Format::Toml).contains(&"toml-syntax"));
}

#[test]
fn what_is_too_long_is_refused() {
    let text = " ".repeat(16 << 20) + "{}";
    assert_eq!(codes(&text, Format::Json), ["too-long"]);
}

#[test]
fn problems_are_counted_when_there_are_too_many_to_show() {
    let text = format!("shell.allow = [{}]", "\"\",".repeat(5000));
    let wrong = load("p", &text, Format::Toml).unwrap_err();
    assert_eq!(wrong.len(), 1001);
    let last = wrong.iter().last().unwrap();
    assert_eq!(last.message, "4000 further problems are not shown");
}
