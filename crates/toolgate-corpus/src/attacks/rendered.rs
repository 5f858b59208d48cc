//! What whoever is asked is shown.

use serde::Deserialize;

use super::case::Scenario;

/// What is asserted of a question as it is shown.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(super) struct Rendered {
    #[serde(rename = "rendered_contains")]
    contains: Vec<String>,
    #[serde(rename = "rendered_not_contains")]
    not_contains: Vec<String>,
    #[serde(rename = "rendered_order")]
    order: Option<Order>,
}

/// In which order arguments are shown.
#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Order {
    /// By name.
    Canonical,
}

impl Rendered {
    /// What does not hold of the text.
    pub(super) fn check(&self, text: &str, attack: &Scenario) -> Option<String> {
        let missing = self.contains.iter().find(|part| !text.contains(&***part));
        if let Some(part) = missing {
            return Some(format!("{part:?} is not shown"));
        }
        let shown = self
            .not_contains
            .iter()
            .find(|part| text.contains(&***part));
        if let Some(part) = shown {
            return Some(format!("{part:?} is shown"));
        }
        self.order
            .and_then(|Order::Canonical| out_of_order(text, attack))
    }
}

/// Whether an argument is shown before one whose name comes before its own.
fn out_of_order(text: &str, attack: &Scenario) -> Option<String> {
    let args = attack.call.args.as_ref()?;
    let args = toolgate::Args::parse(args.get()).ok()?;
    let mut keys: Vec<_> = args.as_map().keys().collect();
    keys.sort();
    let places = keys.iter().map(|key| text.find(&format!(" {key}: ")));
    let places: Option<Vec<_>> = places.collect();
    match places {
        Some(places) if places.is_sorted() => None,
        _ => Some("the arguments are not in order".to_owned()),
    }
}
