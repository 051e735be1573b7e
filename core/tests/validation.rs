//! Tool input and output against their schemas.

#![expect(
    clippy::unwrap_used,
    reason = "a test that finds something else than it expects has failed"
)]
#![expect(clippy::indexing_slicing, reason = "as above")]

mod support;

use std::sync::{Arc, Mutex};

use mcplite_core::{Call, Error, Item, Kind, Server, Session};
use serde_json::{Value, json};
use support::{MODERN, exchange, initialize};

const SCHEMA: &str = r#"{"type":"object","required":["name"],"additionalProperties":false,
    "properties":{"name":{"type":"string","minLength":1},"age":{"type":"integer","minimum":0},
    "tags":{"type":"array","items":{"type":"string"}}}}"#;

fn echo(call: &Call) -> Result<(), mcplite_core::Failure> {
    Ok(call.reply_text(call.arguments())?)
}

fn session(server: &Server, revision: &str) -> Session {
    let session = Session::new(server).unwrap();
    initialize(&session, revision);
    session
}

fn call_with(session: &Session, params: &str) -> Value {
    let message = format!(r#"{{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{params}}}"#);
    let answers = exchange(session, &message);
    assert_eq!(answers.len(), 1);
    serde_json::from_str(&answers[0]).unwrap()
}

fn call(session: &Session, arguments: &str) -> Value {
    call_with(session, &format!(r#"{{"name":"t","arguments":{arguments}}}"#))
}

fn text(answer: &Value) -> &str {
    answer["result"]["content"][0]["text"].as_str().unwrap()
}

fn server(item: Item) -> Server {
    let server = Server::new("validation", "1").unwrap();
    server.register(item.on_call(echo)).unwrap();
    server
}

#[test]
fn arguments_are_validated_wherever_they_stand() {
    let server = server(Item::tool("t").input_schema(SCHEMA));
    let session = session(&server, "2025-11-25");
    let arguments = r#"{"name":"Ada","age":36,"tags":["x"]}"#;
    assert_eq!(text(&call(&session, arguments)), arguments);
    let wrong = r#"{"nam":"Ada","age":"36"}"#;
    let expected = "Invalid arguments: /: has the unknown property \"nam\"; allowed are \"name\", \
                    \"age\", \"tags\"; /age: must be an integer, but is a string; /: is missing the \
                    required property \"name\"";
    let orders = [
        format!(r#"{{"name":"t","arguments":{wrong}}}"#),
        format!(r#"{{"arguments":{wrong},"name":"t"}}"#),
        format!(r#"{{"na\u006de":"t","arguments":{wrong}}}"#),
        format!(r#"{{"name":"\u0074","arguments":{wrong}}}"#),
        format!(r#"{{"_meta":{{}},"arguments" : {wrong} , "name" : "t"}}"#),
    ];
    for params in orders {
        let answer = call_with(&session, &params);
        assert_eq!(answer["result"]["isError"], true, "{params}");
        assert_eq!(text(&answer), expected, "{params}");
    }
    // The parameters may stand before the method.
    let message = format!(
        r#"{{"params":{{"name":"t","arguments":{wrong}}},"method":"tools/call","id":1,"jsonrpc":"2.0"}}"#
    );
    let answer: Value = serde_json::from_str(&exchange(&session, &message)[0]).unwrap();
    assert_eq!(text(&answer), expected);
    let absent = call_with(&session, r#"{"name":"t"}"#);
    assert_eq!(text(&absent), "Invalid arguments: /: is missing the required property \"name\"");
}

#[test]
fn each_revision_has_its_form() {
    let server = server(Item::tool("t").input_schema(SCHEMA));
    for revision in ["2024-11-05", "2025-03-26", "2025-06-18"] {
        let answer = call(&session(&server, revision), "{}");
        assert_eq!(answer["error"]["code"], -32602, "{revision}");
    }
    let modern = Session::new(&server).unwrap();
    let answer = call_with(&modern, &format!(r#"{{"name":"t","arguments":{{}},{MODERN}}}"#));
    assert_eq!(answer["result"]["isError"], true);
    assert_eq!(answer["result"]["resultType"], "complete");
}

#[test]
fn a_name_that_stands_twice_is_invalid_input() {
    let server = server(Item::tool("t").input_schema(SCHEMA));
    let session = session(&server, "2025-11-25");
    let answer = call(&session, r#"{"name":"a","n\u0061me":"b"}"#);
    assert_eq!(
        text(&answer),
        "Invalid arguments: /: has the property \"name\" twice; send it once"
    );
}

#[test]
fn strings_are_coerced_only_where_asked_for_and_only_when_needed() {
    let arguments = r#"{"name":"7","age":"36","tags":"[\"x\"]"}"#;
    let plain = server(Item::tool("t").input_schema(SCHEMA));
    assert_eq!(call(&session(&plain, "2025-11-25"), arguments)["result"]["isError"], true);
    let own = server(Item::tool("t").input_schema(SCHEMA).coerce(true));
    let coerced = call(&session(&own, "2025-11-25"), arguments);
    assert_eq!(text(&coerced), r#"{"name":"7","age":36,"tags":["x"]}"#);
    let still_wrong = call(&session(&own, "2025-11-25"), r#"{"name":"x","age":"old"}"#);
    assert_eq!(text(&still_wrong), "Invalid arguments: /age: must be an integer, but is a string");
    plain.configure(|options| options.coerce = true).unwrap();
    assert_eq!(text(&call(&session(&plain, "2025-11-25"), arguments)), text(&coerced));
    plain.replace(Item::tool("t").input_schema(SCHEMA).coerce(false).on_call(echo)).unwrap();
    assert_eq!(call(&session(&plain, "2025-11-25"), arguments)["result"]["isError"], true);
}

#[test]
fn unusable_schemas_are_refused_with_their_place() {
    let server = Server::new("validation", "1").unwrap();
    let refuse = |item: Item, place: &str| match server.register(item).unwrap_err() {
        Error::Definition(text) => assert!(text.starts_with(place), "{text}"),
        other => panic!("{other}"),
    };
    let tool = |schema: &str| Item::tool("t").input_schema(schema);
    refuse(
        tool(r#"{"type":"object","properties":{"a":{"type":"strnig"}}}"#),
        "inputSchema/properties/a/type: ",
    );
    refuse(
        tool(r#"{"type":"object","properties":{"a":{"$ref":"https://x.example/"}}}"#),
        "inputSchema/properties/a/$ref: ",
    );
    refuse(
        tool(r#"{"type":"object","properties":{"a":{"type":"string","pattern":"^(?!x)"}}}"#),
        "inputSchema/properties/a/pattern: ",
    );
    refuse(
        tool(r#"{"type":"object","$schema":"http://json-schema.org/draft-04/schema#"}"#),
        "inputSchema",
    );
    refuse(
        Item::tool("t").output_schema(r#"{"type":"object","required":1}"#),
        "outputSchema/required: ",
    );
    refuse(
        tool(r#"{"type":"object","properties":{"a":{"type":"array","x-mcp-header":"A"}}}"#),
        "inputSchema/properties/a",
    );
    assert_eq!(server.unregister(Kind::Tool, "t"), Err(Error::NotFound));
    let used = server.memory_used();
    let look_around =
        r#"{"type":"object","properties":{"a":{"type":"string","pattern":"^(?!x)"}}}"#;
    server.register(tool(look_around).host_enforces().on_call(echo)).unwrap();
    assert!(server.memory_used() > used + look_around.len(), "compiled schemas are counted");
    let session = session(&server, "2025-11-25");
    assert_eq!(text(&call(&session, r#"{"a":"xyz"}"#)), r#"{"a":"xyz"}"#);
    assert_eq!(call(&session, r#"{"a":1}"#)["result"]["isError"], true, "the rest is validated");
}

#[test]
fn output_must_be_what_was_promised() {
    let server = Server::new("validation", "1").unwrap();
    let output = r#"{"type":"object","properties":{"sum":{"type":"number"}},"required":["sum"]}"#;
    let seen = Arc::new(Mutex::new(Vec::new()));
    let errors = Arc::clone(&seen);
    let answer = move |call: &Call| {
        let tried = match call.arg_str("how").unwrap_or_default().as_ref() {
            "right" => call.reply_json(r#"{"sum":3}"#),
            "wrong" => call.reply_json(r#"{"sum":"3"}"#),
            "text" => call.reply_text("3"),
            "whole" => call.reply_result(r#"{"content":[],"structuredContent":{"sum":null}}"#),
            "failed" => call.reply_result(r#"{"content":[],"isError":true}"#),
            _ => {
                call.put_str("sum", "3")?;
                let refused = call.reply().unwrap_err();
                errors.lock().unwrap().push(refused);
                call.reply_json(r#"{"sum":4}"#)
            }
        };
        Ok(tried?)
    };
    server.register(Item::tool("t").output_schema(output).on_call(answer)).unwrap();
    let session = session(&server, "2025-11-25");
    let how = |how: &str| call(&session, &format!(r#"{{"how":"{how}"}}"#));
    assert_eq!(how("right")["result"]["structuredContent"], json!({"sum": 3}));
    let wrong = how("wrong");
    assert_eq!(wrong["error"]["code"], -32603);
    let message = wrong["error"]["message"].as_str().unwrap();
    assert_eq!(message, "Invalid tool output: /sum: must be a number, but is a string");
    assert!(
        how("text")["error"]["message"].as_str().unwrap().contains("structuredContent is missing")
    );
    assert_eq!(how("whole")["error"]["code"], -32603);
    assert_eq!(how("failed")["result"]["isError"], true);
    assert_eq!(how("again")["result"]["structuredContent"], json!({"sum": 4}));
    assert!(matches!(seen.lock().unwrap()[0], Error::Output(_)), "the call was still open");
}

#[test]
fn a_form_is_answered_by_what_it_asks_for() {
    let server = Server::new("validation", "1").unwrap();
    let form = r#"{"message":"?","requestedSchema":{"type":"object","required":["n"],
        "properties":{"n":{"type":"integer","maximum":9}}}}"#;
    let ask = |call: &Call| match call.ask("n", "elicitation/create", form)? {
        Some(answer) => Ok(call.reply_text(answer)?),
        None => Ok(call.reply_asked()?),
    };
    server.register(Item::tool("t").on_call(ask)).unwrap();
    let session = Session::new(&server).unwrap();
    exchange(
        &session,
        r#"{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{"elicitation":{}},"clientInfo":{"name":"c","version":"1"}}}"#,
    );
    let mut question = call(&session, "{}");
    for content in [r#"{"n":10}"#, r#"{"n":"1"}"#, "{}", "null"] {
        let answer = format!(
            r#"{{"jsonrpc":"2.0","id":{},"result":{{"action":"accept","content":{content}}}}}"#,
            question["id"]
        );
        question = serde_json::from_str(&exchange(&session, &answer)[0]).unwrap();
        assert_eq!(question["method"], "elicitation/create", "{content} is asked for again");
    }
    let answer = format!(
        r#"{{"jsonrpc":"2.0","id":{},"result":{{"action":"accept","content":{{"n":9}}}}}}"#,
        question["id"]
    );
    let done: Value = serde_json::from_str(&exchange(&session, &answer)[0]).unwrap();
    assert!(text(&done).contains("\"n\":9"));
}

#[test]
fn the_verdict_does_not_depend_on_the_order_of_members() {
    let server = server(Item::tool("any"));
    server.configure(|options| options.limits.depth = 200).unwrap();
    let session = session(&server, "2025-11-25");
    let deep = format!("{}1{}", "[".repeat(100), "]".repeat(100));
    let params = [
        format!(r#""name":"any","arguments":{{"a":{deep}}}"#),
        format!(r#""arguments":{{"a":{deep}}},"name":"any""#),
    ];
    let answers = params.map(|params| {
        let text =
            format!(r#"{{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{{{params}}}}}"#);
        exchange(&session, &text)
    });
    assert_eq!(answers[0], answers[1]);
}

#[test]
fn a_gateway_passes_on_what_it_cannot_judge() {
    let odd = r#"{"type":"object","$schema":"http://json-schema.org/draft-04/schema#","properties":{"a":{"type":"any"}}}"#;
    let item = || Item::tool("t").input_schema(odd).output_schema(r#"{"type":7}"#);
    let server = Server::new("validation", "1").unwrap();
    assert!(matches!(server.register(item()), Err(Error::Definition(_))));
    server.register(item().unvalidated().on_call(echo)).unwrap();
    let session = session(&server, "2025-11-25");
    assert_eq!(text(&call(&session, r#"{"a":[1]}"#)), r#"{"a":[1]}"#);
    assert_eq!(
        call(&session, "[]")["error"]["code"],
        -32602,
        "arguments are an object all the same"
    );
    let list = &exchange(&session, r#"{"jsonrpc":"2.0","id":2,"method":"tools/list"}"#)[0];
    assert!(list.contains(odd), "{list}");
}
