//! The behaviours that ask the client, for `tests/transcripts/fixture-asking.json`.
//!
//! An item's `asks` has the keys to ask under, and which of the fixture's `questions` each one is.

use mcplite_core::{Call, ErrorKind, Failure};
use serde_json::Value;

use super::fixture::Memory;

/// The page that `log-in` sends to.
const LOGIN: &str = r#"{"elicitations":[{"mode":"url","elicitationId":"login","url":"https://example.com/login","message":"Please log in."}]}"#;

pub(crate) fn behave(item: &Value, call: &Call, memory: &Memory) -> Result<(), Failure> {
    match item["does"].as_str().unwrap_or_default() {
        "ask" => match ask_all(item, call, memory)? {
            Some(answers) => call.reply_text(&answers)?,
            None => call.reply_asked()?,
        },
        "ask-and-let-go" => {
            if let Some(answers) = ask_all(item, call, memory)? {
                call.reply_text(&answers)?;
            }
        }
        "ask-if-possible" => {
            let is_possible =
                questions(item, memory).all(|(_, method, params)| call.can_ask(&method, &params));
            match ask_all(item, call, memory)? {
                Some(answers) => call.reply_text(&answers)?,
                None if is_possible => call.reply_asked()?,
                None => call.reply_text("nobody to ask")?,
            }
        }
        "ask-rounds" => {
            let wanted = call.arg_i64("rounds").unwrap_or(2);
            let mut round: i64 = call.state().map_or(0, |state| state.parse().unwrap());
            call.progress(round as f64, Some(wanted as f64), None)?;
            let (key, method, params) = questions(item, memory).next().unwrap();
            while round < wanted {
                if call.ask(&format!("{key}-{round}"), &method, &params)?.is_none() {
                    call.set_state(&round.to_string())?;
                    return Ok(call.reply_asked()?);
                }
                round += 1;
            }
            call.reply_text(&format!("{wanted} rounds"))?;
        }
        "ask-then-hold" => match ask_all(item, call, memory)? {
            Some(_) => memory.hold(call),
            None => call.reply_asked()?,
        },
        "log-in" if memory.elicited.lock().unwrap().contains("login") => {
            call.reply_text("logged in")?;
        }
        "log-in" => {
            let failure = Failure::new(ErrorKind::UrlElicitationRequired, "log in first");
            return Err(failure.with_data(LOGIN));
        }
        other => panic!("unknown behaviour {other}"),
    }
    Ok(())
}

/// Asks one question from outside a handler: the answer is the reply.
pub(crate) fn ask_held(call: &Call, question: &str, memory: &Memory) {
    let (method, params) = method_and_params(&memory.questions[question]);
    match call.ask(question, &method, &params).unwrap() {
        Some(answer) => call.reply_text(answer).unwrap(),
        None => call.reply_asked().unwrap(),
    }
}

/// The answers to everything that the item asks, with spaces between them, if all are there.
fn ask_all(item: &Value, call: &Call, memory: &Memory) -> Result<Option<String>, Failure> {
    let mut answers = Vec::new();
    let mut asked = 0;
    for (key, method, params) in questions(item, memory) {
        answers.extend(call.ask(&key, &method, &params)?.map(str::to_owned));
        asked += 1;
    }
    Ok((answers.len() == asked).then(|| answers.join(" ")))
}

/// Key, method and parameters of each question.
fn questions(item: &Value, memory: &Memory) -> impl Iterator<Item = (String, String, String)> {
    let asks = item["asks"].as_object().unwrap();
    asks.iter().map(|(key, question)| {
        let (method, params) = method_and_params(&memory.questions[question.as_str().unwrap()]);
        (key.clone(), method, params)
    })
}

fn method_and_params(question: &Value) -> (String, String) {
    let method = question["method"].as_str().unwrap().to_owned();
    (method, question.get("params").map(Value::to_string).unwrap_or_default())
}
