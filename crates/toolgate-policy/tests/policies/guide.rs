//! The examples of the guide and of the README load, without a warning.

use toolgate_policy::{Format, Settings, parse_policy};

const GUIDE: &str = include_str!("../../../../docs/guide/policy-file.md");
const README: &str = include_str!("../../../../README.md");

#[test]
fn every_example_loads() {
    let examples: Vec<&str> = [GUIDE, README]
        .iter()
        .flat_map(|page| page.split("```toml\n").skip(1))
        .filter_map(|rest| rest.split("```").next())
        .collect();
    assert!(examples.len() > 9, "the pages have lost their examples");
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
