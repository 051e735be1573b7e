//! The jsonschema crate, validating the arguments of a call: `jsonschema_peer play NAME ROUNDS DIR`.
//!
//! It validates trees, so that a round is to build one with serde_json, of nothing but the arguments, and to
//! ask whether they are valid.

use std::hint::black_box;
use std::process::ExitCode;

use jsonschema::Validator;
use playing::{Deed, Stop, Workload, finish, measure};
use serde_json::Value;

fn main() -> ExitCode {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    finish(match words.as_slice() {
        ["play", name, rounds, folder] => play(name, rounds, folder),
        _ => Err("usage: jsonschema_peer play NAME ROUNDS DIR".into()),
    })
}

fn play(name: &str, rounds: &str, folder: &str) -> Result<String, Stop> {
    let workload = Workload::read(folder, name)?;
    if matches!(workload.deed, Deed::Ping | Deed::List) {
        return Err(Stop::Unable("nothing is to be validated".to_owned()));
    }
    let message: Value = serde_json::from_slice(&workload.request)?;
    let tools: Vec<Value> = serde_json::from_str(&workload.tools)?;
    let called = tools.iter().find(|tool| tool["name"] == message["params"]["name"]);
    let validator =
        jsonschema::validator_for(&called.ok_or("nobody offers the tool")?["inputSchema"])?;
    must_refuse_nonsense(&validator)?;
    let arguments = arguments(&workload)?;
    let round = |(): &mut ()| {
        let tree: Value = serde_json::from_slice(black_box(arguments.as_bytes()))?;
        match validator.is_valid(black_box(&tree)) {
            true => Ok(0),
            false => Err("the arguments should be valid".into()),
        }
    };
    measure(&workload, rounds.parse()?, &mut (), round, |()| Ok(()))
}

/// The arguments as the client wrote them, in their order.
fn arguments(workload: &Workload) -> Result<String, Stop> {
    #[derive(serde::Deserialize)]
    struct Message<'a> {
        #[serde(borrow)]
        params: Params<'a>,
    }
    #[derive(serde::Deserialize)]
    struct Params<'a> {
        #[serde(borrow)]
        arguments: &'a serde_json::value::RawValue,
    }
    let message: Message = serde_json::from_slice(&workload.request)?;
    Ok(message.params.arguments.get().to_owned())
}

/// A validator that accepts everything would be fast.
fn must_refuse_nonsense(validator: &Validator) -> Result<(), Stop> {
    match validator.is_valid(&serde_json::json!({ "nonsense": true })) {
        true => Err("the validator accepts nonsense".into()),
        false => Ok(()),
    }
}
