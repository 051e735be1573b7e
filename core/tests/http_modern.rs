//! HTTP in 2026-07-28: every request for itself, with headers that repeat its body.

#![expect(
    clippy::unwrap_used,
    reason = "a test that finds something else than it expects has failed"
)]
#![expect(clippy::panic, reason = "a host's code may break down")]

mod support;

use std::sync::atomic::Ordering;
use std::sync::{Arc, Mutex};

use mcplite_core::{
    Authorizer, Call, ErrorKind, Event, Failure, HttpRequest, Item, Kind, Observer, Revision,
    Revisions, Server, Verdict,
};
use serde_json::{Value, json};
use support::web::{GET, POST, count_wakes, modern, open, post_modern, send, take};
use support::web_world::{World, echo};

const REGION: &str = r#"{"type":"object","properties":{
    "region":{"type":"string","x-mcp-header":"Region"},
    "place":{"type":"object","properties":{"floor":{"type":"integer","x-mcp-header":"Floor"}}},
    "dry":{"type":"boolean","x-mcp-header":"Dry"}}}"#;

/// A server with more to call and to read.
fn world() -> World {
    let world = World::new();
    let place = Item::tool("place").input_schema(REGION).on_call(echo);
    let needs = Item::tool("needs").on_call(|call: &Call| {
        let failure = Failure::new(ErrorKind::MissingCapability, "sampling");
        let data = r#"{"requiredCapabilities":{"sampling":{}}}"#;
        Ok(call.fail(failure.with_data(data))?)
    });
    for item in [place, needs, Item::resource("test://a/b", "a").contents("a")] {
        world.server.register(item).unwrap();
    }
    world
}

const VERSION: (&str, &str) = ("MCP-Protocol-Version", "2026-07-28");

#[test]
fn the_answer_is_the_body() {
    let world = world();
    let reply = take(&world.call(1, "echo"));
    assert_eq!(reply.status, 200);
    assert_eq!(reply.headers, [("Content-Type", "application/json".into())]);
    assert_eq!(reply.json()["result"]["content"][0]["text"], "x");
    assert_eq!(reply.json()["result"]["resultType"], "complete");
    assert!(reply.is_finished);
    let reply = take(&post_modern(&world.http, json!("d"), "server/discover", json!({})));
    assert_eq!(reply.json()["result"]["supportedVersions"], json!(["2026-07-28"]));
}

#[test]
fn a_head_that_is_whole_counts_like_one_that_comes_by_pieces() {
    let world = world();
    let arrive = |headers: &[(&str, &str)], body: &str| {
        let mut arrival = world.http.arrive("POST", "/mcp");
        headers.iter().for_each(|(name, value)| arrival.header(name.as_bytes(), value.as_bytes()));
        let exchange = arrival.open().unwrap();
        exchange.body(body.as_bytes()).unwrap();
        exchange.end().unwrap();
        exchange
    };
    let params = json!({"name": "echo", "arguments": {"text": "x"}});
    let body = modern(json!(1), "tools/call", params).to_string();
    let own = [VERSION, ("Mcp-Method", "tools/call"), ("Mcp-Name", "echo")];
    let headers = [&POST[..], &own].concat();
    let broken = [&headers[..], &[("x y", "z"), ("Content-Type", "text/plain")]].concat();
    for headers in [&headers[..], &broken, &own, &[]] {
        let by_pieces = take(&send(&world.http, "POST", "/mcp", headers, &body));
        let whole = arrive(headers, &body).take_whole().unwrap();
        assert_eq!((whole.status, &whole.headers), (by_pieces.status, &by_pieces.headers));
        assert_eq!(whole.body, by_pieces.body.as_bytes());
    }
}

#[test]
fn a_stream_is_not_taken_as_a_whole() {
    let world = world();
    let exchange = world.call(1, "report");
    assert!(exchange.take_whole().is_none());
    assert!(!take(&exchange).messages().is_empty());
    let exchange = world.http.open("POST", "/mcp").unwrap();
    assert!(exchange.take_whole().is_none());
}

#[test]
fn what_leaves_before_the_answer_makes_a_stream_without_ids() {
    let world = world();
    let reply = take(&world.call(1, "report"));
    let headers = [
        ("Content-Type", "text/event-stream".into()),
        ("Cache-Control", "no-cache, no-transform".into()),
        ("X-Accel-Buffering", "no".into()),
    ];
    assert_eq!((reply.status, &*reply.headers), (200, &headers[..]));
    assert!(reply.body.starts_with("event: message\ndata: {"));
    assert_eq!((reply.event_ids().len(), reply.messages().len()), (0, 2));
    assert!(reply.is_finished);
}

#[test]
fn headers_must_say_what_the_body_says() {
    let world = world();
    let list = modern(json!(1), "tools/list", json!({}));
    let method = ("Mcp-Method", "tools/list");
    let cases: [&[(&str, &str)]; 8] = [
        &[method],
        &[("MCP-Protocol-Version", "2025-11-25"), method],
        &[("MCP-Protocol-Version", "1900-01-01"), method],
        &[VERSION],
        &[VERSION, ("Mcp-Method", "tools/call")],
        &[VERSION, ("Mcp-Method", "Tools/List")],
        &[VERSION, method, method],
        &[VERSION, VERSION, method],
    ];
    for headers in cases {
        let reply = world.with(headers, &list);
        assert_eq!((reply.status, reply.code()), (400, json!(-32020)), "{headers:?}");
        assert_eq!(reply.json()["id"], 1);
    }
    assert_eq!(world.with(&[("mcp-PROTOCOL-version", " 2026-07-28 "), method], &list).status, 200);
}

#[test]
fn names_are_compared_decoded() {
    let world = world();
    let read = modern(json!(1), "resources/read", json!({"uri": "test://a/b"}));
    let read_as = |name: &str| {
        let headers = [VERSION, ("Mcp-Method", "resources/read"), ("Mcp-Name", name)];
        world.with(&headers, &read)
    };
    for good in ["test://a/b", "=?base64?dGVzdDovL2EvYg==?="] {
        assert_eq!(read_as(good).status, 200, "{good}");
    }
    for bad in ["", "test://b", "=?base64?dGVzdDovL2EvYg?=", "=?base64?/w==?=", "t\u{e9}st"] {
        let reply = read_as(bad);
        assert_eq!((reply.status, reply.code()), (400, json!(-32020)), "{bad}");
    }
    let reply = world.with(&[VERSION, ("Mcp-Method", "resources/read")], &read);
    assert_eq!(reply.code(), -32020);
}

#[test]
fn arguments_are_compared_where_the_tool_wants_it() {
    let world = world();
    let call = |arguments: Value, own: &[(&str, &str)]| {
        let params = json!({"name": "place", "arguments": arguments});
        let mut headers = vec![VERSION, ("Mcp-Method", "tools/call"), ("Mcp-Name", "place")];
        headers.extend(own);
        world.with(&headers, &modern(json!(1), "tools/call", params)).status
    };
    let region = json!({"region": "Gr\u{fc}n"});
    assert_eq!(call(region.clone(), &[("Mcp-Param-Region", "=?base64?R3LDvG4=?=")]), 200);
    assert_eq!(call(region.clone(), &[("mcp-param-region", "Gruen")]), 400);
    assert_eq!(call(region, &[]), 400);
    assert_eq!(call(json!({"region": null}), &[]), 200, "schema aside, null needs no header");
    assert_eq!(call(json!({}), &[("Mcp-Param-Region", "x")]), 400);
    assert_eq!(call(json!({}), &[("Mcp-Param-Unknown", "x")]), 200);
    let floor = json!({"place": {"floor": 42}});
    for header in ["42", "42.0", "42.000"] {
        assert_eq!(call(floor.clone(), &[("Mcp-Param-Floor", header)]), 200, "{header}");
    }
    for header in ["43", "4.2e1", "x", "042", "+42", "42.", "42.00000000000000000001", "-42"] {
        assert_eq!(call(floor.clone(), &[("Mcp-Param-Floor", header)]), 400, "{header}");
    }
    assert_eq!(call(json!({"dry": true}), &[("Mcp-Param-Dry", "true")]), 200);
    assert_eq!(call(json!({"dry": true}), &[("Mcp-Param-Dry", "True")]), 400);
}

#[test]
fn arguments_are_compared_however_they_are_spelled() {
    let world = world();
    let call = |arguments: &str, own: &[(&str, &str)]| {
        let body = modern(json!(1), "tools/call", json!({"name": "place", "arguments": "?"}));
        let body = body.to_string().replace(r#""?""#, arguments);
        let usual = [VERSION, ("Mcp-Method", "tools/call"), ("Mcp-Name", "place")];
        let headers: Vec<_> = POST.iter().chain(&usual).chain(own).copied().collect();
        take(&send(&world.http, "POST", "/mcp", &headers, &body))
    };
    let spelled = r#"{"re\u0067ion":"b"}"#;
    assert_eq!(call(spelled, &[("Mcp-Param-Region", "b")]).status, 200);
    assert_eq!(call(spelled, &[("Mcp-Param-Region", "a")]).code(), -32020);
    assert_eq!(call(spelled, &[]).code(), -32020);
    for twice in [r#"{"region":"a","region":"b"}"#, r#"{"region":"a","re\u0067ion":"b"}"#] {
        let reply = call(twice, &[("Mcp-Param-Region", "a")]);
        assert_eq!(reply.json()["result"]["isError"], true, "no tool chooses: {twice}");
    }
    for twice in [r#"{"place":{"floor":1,"floor":2}}"#, r#"{"place":{"floor":1},"place":{}}"#] {
        let reply = call(twice, &[("Mcp-Param-Floor", "1")]);
        assert_eq!(reply.json()["result"]["isError"], true, "no tool chooses: {twice}");
    }
    let region = |value: &str, header: &str| {
        let arguments = format!(r#"{{"region":{value}}}"#);
        call(&arguments, &[("Mcp-Param-Region", header)]).status
    };
    assert_eq!([region(r#""""#, ""), region("null", "")], [200, 400], "empty is something");
    assert_eq!(region(r#""=?base64?x?=""#, "=?base64?x?="), 400, "it must be encoded itself");
    let both = [("Mcp-Param-Region", "a"), ("mcp-param-region", "a")];
    assert_eq!(call(r#"{"region":"a"}"#, &both).status, 400);
    let floor = |value: &str, header: &str| {
        let arguments = format!(r#"{{"place":{{"floor":{value}}}}}"#);
        call(&arguments, &[("Mcp-Param-Floor", header)]).status
    };
    assert_eq!([floor("1e2", "100"), floor("100", "1e2")], [200, 400]);
    let (safe, unsafe_) = ("9007199254740991", "9007199254740993");
    assert_eq!([floor(safe, safe), floor(unsafe_, unsafe_)], [200, 400], "others would round it");
}

#[test]
fn statuses_follow_the_kind_of_error() {
    let world = world();
    let status = |method: &str, params: Value| {
        let reply = take(&post_modern(&world.http, json!(1), method, params));
        (reply.status, reply.code())
    };
    for removed in ["initialize", "ping", "logging/setLevel", "resources/subscribe", "no/such"] {
        assert_eq!(status(removed, json!({})), (404, json!(-32601)), "{removed}");
    }
    assert_eq!(status("tools/call", json!({"name": "nobody"})), (200, json!(-32602)));
    assert_eq!(status("tools/call", json!({"name": "needs"})), (400, json!(-32021)));
    let bare = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/list"});
    let headers = [VERSION, ("Mcp-Method", "tools/list")];
    let reply = world.with(&headers, &bare);
    assert_eq!(
        (reply.status, reply.code(), reply.json()["id"].clone()),
        (400, json!(-32602), json!(1))
    );
    let mut unknown = modern(json!(1), "tools/list", json!({}));
    unknown["params"]["_meta"]["io.modelcontextprotocol/protocolVersion"] = json!("v999.0.0");
    let headers = [("MCP-Protocol-Version", "v999.0.0"), ("Mcp-Method", "tools/list")];
    let reply = world.with(&headers, &unknown);
    assert_eq!((reply.status, reply.code()), (400, json!(-32022)));
    assert_eq!(reply.json()["error"]["data"]["supported"], json!(["2026-07-28"]));
}

#[test]
fn what_is_no_request_is_refused_or_accepted_without_a_body() {
    let world = world();
    let raw = |body: &str| {
        let headers: Vec<_> = POST.into_iter().chain([VERSION]).collect();
        take(&send(&world.http, "POST", "/mcp", &headers, body))
    };
    for (body, code) in [("{", -32700), ("", -32700), (" ", -32700), ("[]", -32600), ("7", -32600)]
    {
        let reply = raw(body);
        assert_eq!((reply.status, reply.code()), (400, json!(code)), "{body:?}");
        assert_eq!(reply.json().get("id"), None, "{body:?}");
    }
    let reply = raw(r#"{"jsonrpc":"2.0","method":"notifications/cancelled"}"#);
    assert_eq!((reply.status, &*reply.body, reply.is_finished), (202, "", true));
    assert_eq!(raw(r#"{"jsonrpc":"2.0","id":1,"result":{}}"#).status, 400);
    assert_eq!(raw(r#"{"jsonrpc":"2.0","id":1,"result":{"#).status, 400);
}

#[test]
fn a_client_that_is_gone_cancels_its_request() {
    let world = world();
    let exchange = world.call(1, "hold");
    let held = world.held();
    assert_eq!((exchange.status(), exchange.is_finished()), (None, false));
    drop(exchange);
    assert!(held.is_cancelled());
    assert!(held.reply_text("late").is_err());
}

#[test]
fn the_same_id_may_be_open_in_many_exchanges() {
    let world = world();
    let first = world.call(1, "hold");
    let second = world.call(1, "hold");
    world.held().reply_text("second").unwrap();
    world.held().reply_text("first").unwrap();
    for (exchange, text) in [(&first, "first"), (&second, "second")] {
        assert_eq!(take(exchange).json()["result"]["content"][0]["text"], text);
    }
}

#[test]
fn listen_streams_tell_what_they_promised_until_the_end() {
    let world = world();
    let params = json!({"notifications": {"toolsListChanged": true}});
    let stream =
        post_modern(&world.http, json!(1_700_000_000_000_u64), "subscriptions/listen", params);
    let reply = take(&stream);
    assert_eq!(reply.header("content-type"), Some("text/event-stream"));
    assert_eq!(reply.messages()[0]["method"], "notifications/subscriptions/acknowledged");
    assert!(!reply.is_finished);
    world.server.notify_list_changed(Kind::Prompt).unwrap();
    world.server.notify_list_changed(Kind::Tool).unwrap();
    let messages = take(&stream).messages();
    assert_eq!(messages.len(), 1);
    let tag = &messages[0]["params"]["_meta"]["io.modelcontextprotocol/subscriptionId"];
    assert_eq!(tag, &json!(1_700_000_000_000_u64));
    world.clock.set_ms(15_000);
    world.server.tick();
    assert_eq!(take(&stream).body, ":\n\n");
    world.server.shutdown();
    let reply = take(&stream);
    assert_eq!(reply.messages().len(), 1, "over HTTP the result is all there is to say");
    assert_eq!(reply.messages()[0]["result"]["resultType"], "complete");
    assert!(reply.is_finished);
}

#[test]
fn sessions_and_resumption_are_none_of_its_business() {
    let world = world();
    let list = modern(json!(1), "tools/list", json!({}));
    let headers =
        [VERSION, ("Mcp-Method", "tools/list"), ("Mcp-Session-Id", "x"), ("Last-Event-ID", "1")];
    let reply = world.with(&headers, &list);
    assert_eq!((reply.status, reply.header("Mcp-Session-Id")), (200, None));
    let only_modern = Revisions::of(&[Revision::V2026_07_28]);
    world.server.configure(|options| options.revisions = only_modern).unwrap();
    for method in ["GET", "DELETE", "PUT", "TRACE"] {
        let reply = take(&send(&world.http, method, "/mcp", &GET, ""));
        assert_eq!((reply.status, reply.header("Allow")), (405, Some("POST")), "{method}");
    }
    let ping = json!({"jsonrpc": "2.0", "id": 1, "method": "ping"});
    let reply = world.with(&[], &ping);
    assert_eq!((reply.status, reply.code()), (400, json!(-32020)));
}

#[test]
fn bodies_and_what_is_accepted_are_looked_at_early() {
    let world = world();
    let status = |headers: &[(&str, &str)]| {
        let exchange = open(&world.http, "POST", "/mcp", headers);
        exchange.body(b"").unwrap();
        exchange.status()
    };
    let [host, json, accept] = POST;
    assert_eq!(status(&[host, json, accept]), None);
    assert_eq!(status(&[host, accept]), Some(415));
    assert_eq!(status(&[host, ("Content-Type", "text/plain"), accept]), Some(415));
    assert_eq!(status(&[host, json, accept, ("Content-Encoding", "gzip")]), Some(415));
    assert_eq!(status(&[host, json, ("Accept", "application/json")]), Some(406));
    assert_eq!(status(&[host, json]), None, "who does not say takes everything");
    assert_eq!(status(&[host, json, accept, ("Content-Length", "5000000")]), Some(413));
    assert_eq!(status(&[json, accept]), Some(400));
    assert_eq!(status(&[("Host", "evil.example"), json, accept]), Some(403));
    assert_eq!(status(&[host, ("Origin", "https://evil.example"), json, accept]), Some(403));
    let exchange = open(&world.http, "POST", "/mcp", &POST);
    for _ in 0..5 {
        exchange.body(&[b' '; 1 << 20]).unwrap();
    }
    assert_eq!(take(&exchange).status, 413);
}

#[test]
fn pages_that_are_named_may_read() {
    let world = world();
    world
        .http
        .configure(|options| options.cors_origins = vec!["https://app.example".into()])
        .unwrap();
    let preflight = |origin: &str| {
        let headers = [
            ("Host", "localhost"),
            ("Origin", origin),
            ("Access-Control-Request-Method", "POST"),
            ("Access-Control-Request-Headers", "content-type,Mcp-Param-Region,x-evil"),
        ];
        take(&send(&world.http, "OPTIONS", "/mcp", &headers, ""))
    };
    let reply = preflight("https://app.example");
    assert_eq!(reply.status, 204);
    assert_eq!(reply.header("Access-Control-Allow-Origin"), Some("https://app.example"));
    let allowed = reply.header("Access-Control-Allow-Headers").unwrap();
    assert!(allowed.ends_with(", Mcp-Param-Region") && !allowed.contains("x-evil"));
    let reply = preflight("https://evil.example");
    assert_eq!((reply.status, reply.header("Access-Control-Allow-Origin")), (403, None));
    let reply = world.with(&[("Origin", "https://app.example")], &json!({}));
    assert_eq!(reply.header("Access-Control-Allow-Origin"), Some("https://app.example"));
    assert_eq!(preflight("http://localhost").status, 405, "may send, and not read");
}

struct Bearer;

impl Authorizer for Bearer {
    fn authorize(&self, request: &HttpRequest) -> Verdict {
        match request.header("authorization").as_deref() {
            Some("Bearer ann") => {
                request.set_principal(Some("ann"));
                Verdict::Granted
            }
            Some("Bearer panic") => panic!("in the middle"),
            Some(_) => {
                request.set_challenge("scope=\"files:read\"").unwrap();
                Verdict::Forbidden
            }
            None => Verdict::Unauthorized,
        }
    }
}

#[test]
fn the_host_decides_who_may_go_on() {
    let world = world();
    let who = |call: &Call| Ok(call.reply_text(call.principal().unwrap_or("nobody"))?);
    world.server.register(Item::tool("who").on_call(who)).unwrap();
    world.http.set_authorizer(Some(Arc::new(Bearer)));
    let metadata = r#"{"resource": "http://localhost:8080/mcp", "scopes_supported": []}"#;
    world.http.configure(|options| options.resource_metadata = Some(metadata.into())).unwrap();
    let call = modern(json!(1), "tools/call", json!({"name": "who"}));
    let with = |authorization: Option<&str>| {
        let mut headers = vec![VERSION, ("Mcp-Method", "tools/call"), ("Mcp-Name", "who")];
        headers.extend(authorization.map(|value| ("Authorization", value)));
        world.with(&headers, &call)
    };
    let reply = with(None);
    let known = "http://localhost:8080/.well-known/oauth-protected-resource/mcp";
    let challenge = format!("Bearer resource_metadata=\"{known}\"");
    assert_eq!((reply.status, reply.header("WWW-Authenticate")), (401, Some(&*challenge)));
    let reply = with(Some("Bearer bob"));
    assert_eq!(reply.status, 403);
    assert!(reply.header("WWW-Authenticate").unwrap().ends_with("scope=\"files:read\""));
    assert_eq!(with(Some("Bearer panic")).status, 500);
    assert_eq!(with(Some("Bearer ann")).json()["result"]["content"][0]["text"], "ann");
    let path = "/.well-known/oauth-protected-resource/mcp";
    let reply = take(&send(&world.http, "GET", path, &GET, ""));
    assert_eq!(
        (reply.status, reply.json()["resource"].as_str()),
        (200, Some("http://localhost:8080/mcp"))
    );
}

#[test]
fn several_servers_share_an_endpoint() {
    let world = world();
    let other = Server::new("other", "2").unwrap();
    other
        .register(Item::tool("only").on_call(|call: &Call| Ok(call.reply_text("other")?)))
        .unwrap();
    world.http.mount("/mcp/other", &other).unwrap();
    assert!(world.http.mount("/mcp/other", &other).is_err());
    let headers: Vec<_> = POST.into_iter().chain([VERSION, ("Mcp-Method", "tools/list")]).collect();
    let body = modern(json!(1), "tools/list", json!({})).to_string();
    let tools = |path: &str| take(&send(&world.http, "POST", path, &headers, &body));
    assert_eq!(tools("/mcp/other").json()["result"]["tools"].as_array().unwrap().len(), 1);
    assert_eq!(tools("/mcp").json()["result"]["tools"].as_array().unwrap().len(), 5);
    for nowhere in ["/", "/mcp/", "/mcp/x", "/.well-known/../mcp", "/mcp%2fother"] {
        assert_eq!(tools(nowhere).status, 404, "{nowhere}");
    }
    world.http.unmount("/mcp/other").unwrap();
    assert_eq!(tools("/mcp/other").status, 404);
    assert!(world.http.unmount("/mcp").is_err());
}

#[derive(Default)]
struct Log(Mutex<Vec<String>>);

impl Observer for Log {
    fn event(&self, event: &Event<'_>) {
        if let Event::ExchangeEnded { .. } = event {
            self.0.lock().unwrap().push(format!("{event:?}"));
        }
    }
}

#[test]
fn secrets_are_not_told_to_the_observer() {
    let world = world();
    let log = Arc::new(Log::default());
    let own = Arc::clone(&log);
    struct Shared(Arc<Log>);
    impl Observer for Shared {
        fn event(&self, event: &Event<'_>) {
            self.0.event(event);
        }
    }
    world.server.set_observer(Shared(own));
    let headers: Vec<_> = POST.into_iter().chain([("Authorization", "Bearer secret")]).collect();
    let exchange = send(&world.http, "POST", "/mcp?sessionId=secret", &headers, "{}");
    assert!(!format!("{exchange:?}").contains("secret"));
    drop(exchange);
    let told = log.0.lock().unwrap().join("\n");
    assert!(told.contains("/mcp") && told.contains("status: 400"), "{told}");
    assert!(!told.contains("secret"));
}

#[test]
fn the_wake_tells_of_the_head_the_body_and_the_end() {
    let world = world();
    let exchange = world.call(1, "hold");
    let told = count_wakes(&exchange);
    assert_eq!(told.load(Ordering::Relaxed), 0);
    let held = world.held();
    held.progress(1.0, None, None).unwrap();
    assert_eq!(told.load(Ordering::Relaxed), 1);
    assert_eq!(take(&exchange).messages().len(), 1);
    held.reply_text("done").unwrap();
    assert_eq!(told.load(Ordering::Relaxed), 2);
    assert!(take(&exchange).is_finished);
}

#[test]
fn nothing_is_held_for_exchanges_that_are_over() {
    let world = world();
    let before = world.server.memory_used();
    for id in 0..100 {
        for tool in ["echo", "report", "needs"] {
            let exchange = world.call(id, tool);
            drop(take(&exchange));
        }
        drop(world.call(id, "hold"));
        drop(world.held());
    }
    assert_eq!(world.server.memory_used(), before);
    assert_eq!(world.server.timeout_ms(), None, "no alarm is left");
}
