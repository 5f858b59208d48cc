//! Shows a policy of one's own: no more than a budget's worth of purchases, and a sanitiser that
//! rewrites arguments without allowing anything.
//!
//! `cargo run -p toolgate-examples --example own_policy`

use serde_json::json;
use toolgate::{
    Args, Authorized, Decision, GateLayer, Policy, PolicyLayer, ReviewLayer, Reviewing, Rule,
    ToolBlocked, ToolCall,
};
use toolgate_examples::BoxError;
use tower::{ServiceBuilder, ServiceExt};

/// Allows what costs little, asks about what costs more, denies what costs too much.
struct Budget {
    free_up_to: u64,
    at_most: u64,
}

impl Policy for Budget {
    fn decide(&self, call: &ToolCall<Reviewing>) -> Decision {
        if call.tool().name() != "buy" {
            return Decision::abstain();
        }
        match call.args().get("euros").and_then(serde_json::Value::as_u64) {
            Some(euros) if euros <= self.free_up_to => Decision::allow(),
            Some(euros) if euros <= self.at_most => {
                Decision::ask(format!("costs {euros} euros")).by(Rule::new("budget"))
            }
            Some(_) => Decision::deny("costs too much").by(Rule::new("budget")),
            // A policy that cannot decide refuses.
            None => Decision::deny("does not say what it costs").by(Rule::new("budget")),
        }
    }

    fn name(&self) -> &'static str {
        "budget"
    }
}

/// Takes the internal remarks out of every call. A closure is a policy, too.
fn without_remarks(call: &ToolCall<Reviewing>) -> Decision {
    match call.args().get("remark") {
        Some(_) => Decision::abstain().with_args(call.args().filtered(|key| key != "remark")),
        None => Decision::abstain(),
    }
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), BoxError> {
    for args in [
        json!({"what": "pencils", "euros": 5, "remark": "for the boss"}),
        json!({"what": "a printer", "euros": 300}),
        json!({"what": "a yacht", "euros": 300_000}),
        json!({"what": "something"}),
    ] {
        match buy(args.clone().try_into()?).await {
            Ok(bought) => println!("bought: {bought}"),
            Err(blocked) => println!("{blocked}\n  {}", blocked.trail()),
        }
    }
    Ok(())
}

async fn buy(args: Args) -> Result<String, ToolBlocked> {
    let shop = ServiceBuilder::new()
        .layer(ReviewLayer::new())
        .layer(PolicyLayer::new(Budget {
            free_up_to: 10,
            at_most: 1_000,
        }))
        .layer(PolicyLayer::new(without_remarks).named("sanitiser"))
        .layer(GateLayer::new())
        .service_fn(|call: ToolCall<Authorized>| async move {
            Ok(serde_json::to_string(call.args()).unwrap_or_default())
        });
    shop.oneshot(ToolCall::new("buy", args)).await
}

#[cfg(test)]
mod tests {
    use toolgate::BlockedKind;

    use super::*;

    async fn bought(args: serde_json::Value) -> Result<String, ToolBlocked> {
        buy(args.try_into().unwrap()).await
    }

    #[tokio::test]
    async fn what_runs_carries_no_remark() {
        let bought = bought(json!({"euros": 5, "remark": "for the boss"}))
            .await
            .unwrap();
        assert_eq!(bought, r#"{"euros":5}"#);
    }

    #[tokio::test]
    async fn the_budget_decides() {
        let asked = bought(json!({"euros": 300})).await.unwrap_err();
        assert_eq!(
            (asked.kind(), asked.reason()),
            (BlockedKind::NoHandler, Some("costs 300 euros"))
        );
        let denied = bought(json!({"euros": 300_000})).await.unwrap_err();
        assert_eq!(denied.kind(), BlockedKind::Denied);
        assert_eq!(denied.deciding_rule().map(Rule::id), Some("budget"));
        let unclear = bought(json!({"euros": "5"})).await.unwrap_err();
        assert_eq!(unclear.kind(), BlockedKind::Denied);
    }
}
