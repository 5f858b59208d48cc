//! Where output may be redirected to.

use toolgate::Effect;
use toolgate_policy::{FakeFiles, Look};

use crate::{line, policy_over};

const POLICY: &str = r#"
    [shell]
    allow = ["ls *", "cat *", "cd *"]
    redirect_allow = ["build/**", "/tmp/*.log"]
"#;

#[test]
fn output_goes_where_it_is_allowed_to() {
    let policy = policy_over(POLICY, FakeFiles::new());
    for yes in [
        "ls > build/x",
        "ls >> build/a/b",
        "ls > /w/build/x",
        "ls > ./build/../build/x",
        "ls > /tmp/a.log",
        "cd build && ls > x",
        "ls 2> build/x",
    ] {
        assert_eq!(line(&policy, yes), Effect::Allow, "{yes}");
    }
    for no in [
        "ls > x",
        "ls > build/../x",
        "ls > /tmp/a/b.log",
        "ls > /tmp/a.txt",
        "ls > ../build/x",
        "cat < build/x",
        "ls <> build/x",
        "cd .. && ls > build/x",
    ] {
        assert_eq!(line(&policy, no), Effect::Ask, "{no}");
    }
}

/// A link out of the directory is followed: by its name alone the file would be covered.
#[test]
fn output_through_a_link_goes_where_it_leads() {
    let files = FakeFiles::new()
        .with("/w/build/out", Look::Link("/etc/cron.d".into()))
        .with("/w/build/in", Look::Link("a".into()));
    let policy = policy_over(POLICY, files);
    assert_eq!(line(&policy, "ls > build/out/x"), Effect::Ask);
    assert_eq!(line(&policy, "ls > build/out"), Effect::Ask);
    assert_eq!(line(&policy, "ls > build/in"), Effect::Allow);
}
