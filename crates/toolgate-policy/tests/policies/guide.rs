//! The examples of the guide load, without a warning.

use toolgate_policy::{Format, Settings, parse_policy};

const GUIDE: &str = include_str!("../../../../docs/guide/policy-file.md");

#[test]
fn every_example_loads() {
    let examples: Vec<&str> = GUIDE
        .split("```toml\n")
        .skip(1)
        .filter_map(|rest| rest.split("```").next())
        .collect();
    assert!(examples.len() > 8, "the guide has lost its examples");
    for example in examples {
        let settings = Settings::new().with_base("/srv/project");
        let parsed = parse_policy(example, Format::Toml).unwrap_or_else(|e| panic!("{e}"));
        let environments: Vec<_> = parsed.environments().map(str::to_owned).collect();
        for environment in std::iter::once(None).chain(environments.iter().map(Some)) {
            let policy = parsed.compile(environment.map(String::as_str), &settings);
            let policy = policy.unwrap_or_else(|e| panic!("{e}\n{example}"));
            assert!(policy.warnings().is_empty(), "{}", policy.warnings());
        }
    }
}
