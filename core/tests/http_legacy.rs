//! HTTP before 2026-07-28: sessions, their streams, and how those are followed.

#![expect(
    clippy::unwrap_used,
    reason = "a test that finds something else than it expects has failed"
)]
#![expect(clippy::indexing_slicing, reason = "as above")]

mod support;

use mcplite_core::{Call, Clock, Item};
use serde_json::{Value, json};
use support::web::{GET, POST, Reply, finish, initialize, open, post, send, take};
use support::web_world::World;

/// A server that also asks.
fn world() -> World {
    let world = World::new();
    let ask = |call: &Call| {
        let params = r#"{"message":"Who?","requestedSchema":{"type":"object","properties":{"name":{"type":"string"}}}}"#;
        match call.ask("who", "elicitation/create", params)? {
            Some(answer) => Ok(call.reply_text(answer)?),
            None => Ok(call.reply_asked()?),
        }
    };
    world.server.register(Item::tool("ask").on_call(ask)).unwrap();
    world
}

fn text(message: &Value) -> &str {
    message["result"]["content"][0]["text"].as_str().unwrap()
}

#[test]
fn a_session_begins_with_initialize_and_ends_with_delete() {
    let world = world();
    let client = world.client("2025-11-25");
    assert!(client.id.len() == 32 && client.id.bytes().all(|it| it.is_ascii_graphic()));
    assert_eq!(world.http.sessions(), 1);
    let reply = take(&client.call(1, "echo"));
    assert_eq!((reply.status, reply.header("content-type")), (200, Some("application/json")));
    assert_eq!(reply.header("mcp-session-id"), None);
    assert_eq!(text(&reply.json()), "x");
    assert!(reply.is_finished);
    assert_eq!(take(&client.delete()).status, 204);
    assert_eq!(world.http.sessions(), 0);
    for reply in [take(&client.call(2, "echo")), take(&client.get(None)), take(&client.delete())] {
        assert_eq!(reply.status, 404, "{reply:?}");
    }
}

#[test]
fn without_a_session_there_is_only_initialize() {
    let world = world();
    let ping = json!({"jsonrpc": "2.0", "id": 7, "method": "ping"});
    let reply = take(&post(&world.http, &[], &ping));
    assert_eq!((reply.status, &reply.json()["id"]), (400, &json!(7)));
    let reply = take(&post(&world.http, &[("Mcp-Session-Id", "guess")], &ping));
    assert_eq!((reply.status, &reply.json()["id"]), (404, &json!(7)));
    let reply = take(&send(&world.http, "GET", "/mcp", &GET, ""));
    assert_eq!(reply.status, 400);
    let twice = [("Mcp-Session-Id", "a"), ("Mcp-Session-Id", "b")];
    assert_eq!(take(&post(&world.http, &twice, &ping)).status, 400);
    let bad = json!({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {}});
    let reply = take(&post(&world.http, &[], &bad));
    assert_eq!((reply.status, reply.code()), (200, json!(-32602)));
    assert_eq!(reply.header("mcp-session-id"), None);
    assert_eq!(world.http.sessions(), 0, "nothing is left of a failed one");
}

#[test]
fn only_versions_that_are_served_are_accepted() {
    let world = world();
    let client = world.client("2025-06-18");
    let ping = json!({"jsonrpc": "2.0", "id": 1, "method": "ping"});
    let with = |version: &str| {
        let own = [("Mcp-Session-Id", &*client.id), ("MCP-Protocol-Version", version)];
        take(&post(&world.http, &own, &ping)).status
    };
    assert_eq!([with("2025-06-18"), with("2025-03-26"), with("banana")], [200, 200, 400]);
    assert_eq!(take(&post(&world.http, &[("Mcp-Session-Id", &client.id)], &ping)).status, 200);
}

#[test]
fn what_leaves_before_the_answer_makes_a_stream() {
    let world = world();
    let client = world.client("2025-11-25");
    let reply = take(&client.call(1, "report"));
    assert_eq!(reply.header("content-type"), Some("text/event-stream"));
    assert_eq!(reply.header("x-accel-buffering"), Some("no"));
    assert_eq!(reply.event_ids(), ["1-0", "1-1", "1-2"]);
    assert!(reply.body.starts_with("id: 1-0\nretry: 1000\ndata: \n\nid: 1-1\nevent: message\n"));
    assert_eq!(reply.messages()[0]["method"], "notifications/progress");
    assert_eq!(text(&reply.messages()[1]), "reported");
    assert!(reply.is_finished);
    let older = world.client("2025-06-18");
    let reply = take(&older.call(1, "report"));
    assert_eq!(
        reply.event_ids(),
        ["1-1", "1-2"],
        "an older client gets no event without a message"
    );
}

#[test]
fn questions_travel_with_the_request_and_answers_by_post() {
    let world = world();
    let client = world.client("2025-11-25");
    let asking = client.call(5, "ask");
    let reply = take(&asking);
    assert!(!reply.is_finished);
    let question = &reply.messages()[0];
    assert_eq!(question["method"], "elicitation/create");
    let answer = json!({"jsonrpc": "2.0", "id": question["id"],
        "result": {"action": "accept", "content": {"name": "Ann"}}});
    assert_eq!(take(&client.post(&answer)).status, 202);
    let reply = take(&asking);
    assert!(text(&reply.messages()[0]).contains("Ann"));
    assert!(reply.is_finished);
}

#[test]
fn a_lost_stream_is_followed_from_where_it_was_lost() {
    let world = world();
    let client = world.client("2025-11-25");
    let exchange = client.call(1, "hold");
    let held = world.held();
    held.progress(1.0, None, None).unwrap();
    let reply = take(&exchange);
    assert_eq!(reply.event_ids(), ["1-0", "1-1"]);
    drop(exchange);
    assert!(!held.is_cancelled(), "a lost connection is not a cancellation");
    held.progress(2.0, None, None).unwrap();
    held.reply_text("done").unwrap();
    let reply = take(&client.get(Some("1-0")));
    assert_eq!(reply.event_ids(), ["1-1", "1-2", "1-3"]);
    assert!(reply.is_finished);
    assert_eq!(text(&reply.messages()[2]), "done");
    let reply = take(&client.get(Some("1-2")));
    assert_eq!(reply.event_ids(), ["1-3"], "as often as the client likes");
    let reply = take(&client.get(Some("1-3")));
    assert!(reply.is_finished && reply.messages().is_empty());
    for unknown in ["9-1", "1-4", "../../x", "1"] {
        assert_eq!(take(&client.get(Some(unknown))).status, 400, "{unknown}");
    }
    let other = world.client("2025-11-25");
    assert_eq!(take(&other.get(Some("1-1"))).status, 400, "streams belong to their session");
}

#[test]
fn coming_back_takes_over_from_a_connection_that_nobody_knows_is_dead() {
    let world = world();
    let client = world.client("2025-11-25");
    let first = client.call(1, "hold");
    let held = world.held();
    held.progress(1.0, None, None).unwrap();
    assert_eq!(take(&first).event_ids(), ["1-0", "1-1"]);
    let second = client.get(Some("1-1"));
    assert!(first.is_finished());
    held.reply_text("done").unwrap();
    assert_eq!(take(&first).body, "");
    assert_eq!(take(&second).event_ids(), ["1-2"]);
    drop(first);
    drop(second);
    assert_eq!(take(&client.get(Some("1-1"))).event_ids(), ["1-2"]);
}

#[test]
fn a_handler_may_send_its_client_away_for_a_while() {
    let world = world();
    world.http.configure(|options| options.retry_ms = 500).unwrap();
    let client = world.client("2025-11-25");
    let exchange = client.call(1, "hold");
    let held = world.held();
    assert_eq!(exchange.status(), None);
    held.close_stream().unwrap();
    let reply = take(&exchange);
    assert_eq!(reply.body, "id: 1-0\nretry: 500\ndata: \n\n");
    assert!(reply.is_finished);
    drop(exchange);
    let back = client.get(Some("1-0"));
    assert!(!take(&back).is_finished);
    held.reply_text("done").unwrap();
    let reply = take(&back);
    assert_eq!((text(&reply.messages()[0]), reply.is_finished), ("done", true));
    let older = world.client("2025-06-18");
    let _waiting = older.call(1, "hold");
    assert!(world.held().close_stream().is_err(), "an older client would not come back");
}

#[test]
fn messages_that_belong_to_no_request_have_one_stream() {
    let world = world();
    let client = world.client("2025-11-25");
    world.server.register(Item::tool("new")).unwrap();
    let stream = client.get(None);
    let reply = take(&stream);
    assert_eq!(reply.messages()[0]["method"], "notifications/tools/list_changed");
    assert_eq!(reply.event_ids(), ["0-1"]);
    assert!(!reply.is_finished);
    assert_eq!(take(&client.get(None)).status, 409);
    drop(stream);
    world.server.notify_list_changed(mcplite_core::Kind::Tool).unwrap();
    assert_eq!(take(&client.get(Some("0-0"))).event_ids(), ["0-1", "0-2"]);
    let stream = client.get(None);
    assert_eq!(take(&client.delete()).status, 204);
    assert!(take(&stream).is_finished);
}

#[test]
fn cancelling_ends_the_response() {
    let world = world();
    let client = world.client("2025-11-25");
    let exchange = client.call(1, "hold");
    let held = world.held();
    let cancel = json!({"jsonrpc": "2.0", "method": "notifications/cancelled",
        "params": {"requestId": 1, "reason": "enough"}});
    assert_eq!(take(&client.post(&cancel)).status, 202);
    assert!(held.is_cancelled());
    let reply = take(&exchange);
    assert_eq!((reply.status, reply.messages().len(), reply.is_finished), (200, 0, true));
}

#[test]
fn batches_are_answered_where_they_belong() {
    let world = world();
    let client = world.client("2025-03-26");
    let ping = |id: i64| json!({"jsonrpc": "2.0", "id": id, "method": "ping"});
    let reply = take(&client.post(&json!([ping(1), ping(2)])));
    assert_eq!((reply.status, reply.json().as_array().unwrap().len()), (200, 2));
    let note = json!({"jsonrpc": "2.0", "method": "notifications/initialized"});
    let reply = take(&client.post(&json!([note])));
    assert_eq!((reply.status, &*reply.body, reply.is_finished), (202, "", true));
    let newer = world.client("2025-11-25");
    let reply = take(&newer.post(&json!([ping(1)])));
    assert_eq!((reply.status, reply.code()), (400, json!(-32600)));
}

#[test]
fn sessions_belong_to_their_principal() {
    let world = world();
    let exchange = open(&world.http, "POST", "/mcp", &POST);
    exchange.set_principal(Some("ann"));
    let params = json!({"protocolVersion": "2025-11-25", "capabilities": {},
        "clientInfo": {"name": "c", "version": "1"}});
    let body = json!({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": params});
    finish(&exchange, &body.to_string());
    let id = take(&exchange).header("Mcp-Session-Id").unwrap().to_owned();
    let ping = json!({"jsonrpc": "2.0", "id": 1, "method": "ping"}).to_string();
    let as_principal = |principal: Option<&str>| {
        let headers: Vec<_> = POST.into_iter().chain([("Mcp-Session-Id", &*id)]).collect();
        let exchange = open(&world.http, "POST", "/mcp", &headers);
        exchange.set_principal(principal);
        finish(&exchange, &ping);
        take(&exchange).status
    };
    assert_eq!(
        [as_principal(Some("ann")), as_principal(Some("bob")), as_principal(None)],
        [200, 404, 404]
    );
}

#[test]
fn sessions_that_nobody_uses_end() {
    let world = world();
    world.http.configure(|options| options.session_idle_ms = 1000).unwrap();
    let idle = world.client("2025-11-25");
    let used = world.client("2025-11-25");
    let stream = used.get(None);
    assert_eq!(world.server.timeout_ms(), Some(1000));
    world.clock.set_ms(600);
    drop(take(&idle.call(1, "echo")));
    world.clock.set_ms(1000);
    world.server.tick();
    assert_eq!(world.http.sessions(), 2);
    world.clock.set_ms(1600);
    world.server.tick();
    assert_eq!(world.http.sessions(), 1, "the one without a stream");
    assert_eq!(take(&idle.call(2, "echo")).status, 404);
    drop(stream);
    world.clock.set_ms(5000);
    world.server.tick();
    assert_eq!(world.http.sessions(), 0);
}

#[test]
fn the_table_of_sessions_is_bounded() {
    let world = world();
    world.http.configure(|options| options.sessions = 2).unwrap();
    let _first = world.client("2025-11-25");
    let second = world.client("2025-11-25");
    let reply = take(&initialize(&world.http, "2025-11-25", json!({})));
    assert_eq!((reply.status, reply.header("Retry-After")), (503, Some("1")));
    assert_eq!(take(&second.delete()).status, 204);
    assert_eq!(take(&initialize(&world.http, "2025-11-25", json!({}))).status, 200);
}

#[test]
fn quiet_streams_say_that_they_are_there() {
    let world = world();
    let client = world.client("2025-11-25");
    let stream = client.get(None);
    assert_eq!(take(&stream).body, ":\n\n");
    world.clock.set_ms(10_000);
    world.server.notify_list_changed(mcplite_core::Kind::Tool).unwrap();
    assert_eq!(take(&stream).messages().len(), 1);
    world.clock.set_ms(15_000);
    world.server.tick();
    assert_eq!(take(&stream).body, "", "it has just spoken");
    for time in [25_000, 40_000, 55_000] {
        assert_eq!(world.server.timeout_ms(), Some(time - world.clock.now_ms()));
        world.clock.set_ms(time);
        world.server.tick();
        assert_eq!(take(&stream).body, ":\n\n", "after each period of silence");
        assert_eq!(take(&stream).body, "");
    }
}

#[test]
fn without_sessions_each_request_is_for_itself() {
    let world = world();
    world.http.configure(|options| options.stateless = true).unwrap();
    let reply = take(&initialize(&world.http, "2025-11-25", json!({})));
    assert_eq!((reply.status, reply.header("Mcp-Session-Id")), (200, None));
    let version = [("MCP-Protocol-Version", "2025-11-25")];
    let say = |body: Value| take(&post(&world.http, &version, &body));
    assert_eq!(say(json!({"jsonrpc": "2.0", "method": "notifications/initialized"})).status, 202);
    let list = say(json!({"jsonrpc": "2.0", "id": 1, "method": "tools/list"}));
    assert_eq!(list.json()["result"]["tools"].as_array().unwrap().len(), 4);
    let ask = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "ask"}});
    assert_eq!(say(ask).json()["result"]["isError"], true, "nobody can be asked");
    let without: Reply = take(&post(
        &world.http,
        &[],
        &json!([
        {"jsonrpc": "2.0", "id": 1, "method": "ping"}]),
    ));
    assert_eq!((without.status, without.json()[0]["id"].clone()), (200, json!(1)));
    for method in ["GET", "DELETE"] {
        let reply = take(&send(&world.http, method, "/mcp", &GET, ""));
        assert_eq!((reply.status, reply.header("allow")), (405, Some("POST")));
    }
    assert_eq!(world.http.sessions(), 0);
}

#[test]
fn the_transport_of_2024_has_a_stream_and_a_place_to_post_to() {
    let world = world();
    world
        .http
        .configure(|options| {
            options.sse_path = Some("/sse".to_owned());
            options.sse_post_path = Some("/messages".to_owned());
        })
        .unwrap();
    let stream = send(&world.http, "GET", "/sse", &GET, "");
    let reply = take(&stream);
    let endpoint = reply.body.strip_prefix("event: endpoint\ndata: ").unwrap().trim_end();
    assert!(endpoint.starts_with("/messages?sessionId="));
    let say = |target: &str, body: Value| {
        take(&send(&world.http, "POST", target, &POST[..2], &body.to_string())).status
    };
    let params = json!({"protocolVersion": "2024-11-05", "capabilities": {},
        "clientInfo": {"name": "c", "version": "1"}});
    let hello = json!({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": params});
    assert_eq!(say(endpoint, hello), 202);
    assert_eq!(take(&stream).messages()[0]["result"]["protocolVersion"], "2024-11-05");
    let params = json!({"name": "echo", "arguments": {"text": "hi"}});
    let echo = json!({"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": params});
    assert_eq!(say(endpoint, echo.clone()), 202);
    let reply = take(&stream);
    assert!(reply.body.starts_with("event: message\ndata: {"));
    assert_eq!(text(&reply.messages()[0]), "hi");
    assert_eq!(say("/messages?sessionId=guess", echo.clone()), 404);
    assert_eq!(say("/messages", echo.clone()), 404);
    drop(stream);
    assert_eq!(say(endpoint, echo), 404, "the session ends with its stream");
    assert_eq!(world.http.sessions(), 0);
}

#[test]
fn closing_ends_sessions_and_shutting_down_ends_streams() {
    let world = world();
    let client = world.client("2025-11-25");
    let stream = client.get(None);
    let waiting = client.call(1, "hold");
    assert!(!take(&stream).is_finished);
    world.server.shutdown();
    assert!(take(&stream).is_finished);
    assert_eq!(take(&client.get(None)).status, 503);
    world.held().reply_text("done").unwrap();
    assert_eq!(text(&take(&waiting).json()), "done");
    world.server.close();
    assert!(world.http.open("POST", "/mcp").is_err());
}
