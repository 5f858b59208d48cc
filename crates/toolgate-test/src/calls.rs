//! Calls for property tests.

use proptest::{
    collection::btree_map,
    prelude::{Just, Strategy, any, prop_oneof},
    sample::select,
};
use serde_json::{Map, Value};
use toolgate::{Args, Origin, ToolCall};

/// Calls of these tools, with arguments of every kind.
pub fn calls<T>(tools: impl IntoIterator<Item = T>) -> impl Strategy<Value = ToolCall>
where
    T: Into<String>,
{
    calls_with(tools, any_args())
}

/// Calls of these tools, with these arguments.
pub fn calls_with<T>(
    tools: impl IntoIterator<Item = T>,
    args: impl Strategy<Value = Args>,
) -> impl Strategy<Value = ToolCall>
where
    T: Into<String>,
{
    let tools: Vec<String> = tools.into_iter().map(Into::into).collect();
    (select(tools), args, "[a-z]{0,3}").prop_map(|(tool, args, session)| {
        ToolCall::new(tool, args).with_origin(Origin::new().with_session(session))
    })
}

fn any_args() -> impl Strategy<Value = Args> {
    btree_map("[a-z]{1,4}", any_value(), 0..4)
        .prop_map(|members| members.into_iter().collect::<Map<_, _>>().into())
}

fn any_value() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<f64>().prop_map(Value::from),
        ".{0,6}".prop_map(Value::from),
    ];
    leaf.prop_recursive(3, 12, 3, |inner| {
        prop_oneof![
            proptest::collection::vec(inner.clone(), 0..3).prop_map(Value::from),
            btree_map("[a-z]{1,2}", inner, 0..3)
                .prop_map(|members| Value::Object(members.into_iter().collect())),
        ]
    })
}
