//! What a server offers: put in, changed and taken out at any time, from anywhere.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

mod support;

use std::sync::Arc;

use mcplite_core::{Call, Dispatch, Error, Failure, Handler, Item, Kind, Reference, Server};
use support::host::{Counter, Host, text_answer};
use support::{MODERN, exchange};

/// A handler that says its word, and does something when it goes away.
struct Says<F: Fn() + Send + Sync>(&'static str, F);

impl<F: Fn() + Send + Sync> Handler for Says<F> {
    fn handle(&self, call: &Call) -> Result<(), Failure> {
        Ok(call.reply_text(self.0)?)
    }
}

impl<F: Fn() + Send + Sync> Drop for Says<F> {
    fn drop(&mut self) {
        (self.1)();
    }
}

fn says(word: &'static str) -> impl Handler {
    Says(word, || {})
}

/// The names of the tools as a client gets them, in the era that it asks for.
fn listed(host: &Host, meta: &str) -> Vec<String> {
    let text = format!(r#"{{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{{{meta}}}}}"#);
    let answer = exchange(host.session(), &text).concat();
    let answer: serde_json::Value = serde_json::from_str(&answer).unwrap();
    let tools = answer.pointer("/result/tools").unwrap().as_array().unwrap();
    tools.iter().map(|tool| tool.get("name").unwrap().as_str().unwrap().to_owned()).collect()
}

#[test]
fn a_name_is_registered_once_and_replaced_on_purpose() {
    let host = Host::new();
    host.server.register(Item::tool("t").on_call(says("first"))).unwrap();
    let again = host.server.register(Item::tool("t").on_call(says("second")));
    assert_eq!(again, Err(Error::Exists));
    assert_eq!(host.ask(1, "t"), [text_answer(1, "first")]);
    host.server.replace(Item::tool("t").on_call(says("third"))).unwrap();
    assert_eq!(host.ask(2, "t"), [text_answer(2, "third")]);
    host.server.replace(Item::tool("new").on_call(says("fourth"))).unwrap();
    assert_eq!(host.ask(3, "new"), [text_answer(3, "fourth")]);
    host.server.register(Item::prompt("t")).unwrap();
}

#[test]
fn of_many_names_each_is_found_whatever_else_was_taken_out() {
    let host = Host::new();
    let says_its_name = |call: &Call| Ok(call.reply_text(call.name())?);
    let names: Vec<String> = (0..100)
        .flat_map(|number| {
            [format!("tool-{number:05}"), format!("{number}"), "x".repeat(number + 3)]
        })
        .collect();
    for name in &names {
        let item = Item::tool(name).any_name().on_call(says_its_name);
        host.server.register(item).unwrap();
    }
    let (gone, left): (Vec<_>, Vec<_>) =
        names.iter().enumerate().partition(|(number, _)| number % 3 == number % 7 % 3);
    for (_, name) in &gone {
        host.server.unregister(Kind::Tool, name).unwrap();
    }
    for (_, name) in &left {
        assert_eq!(host.ask(1, name), [text_answer(1, name)]);
    }
    for (_, name) in &gone {
        assert_ne!(host.ask(1, name), [text_answer(1, name)]);
        assert_eq!(host.server.unregister(Kind::Tool, name), Err(Error::NotFound));
    }
    let expected: Vec<_> = left.iter().map(|(_, name)| (*name).clone()).collect();
    // Besides what the host has anyway, in the order of registration.
    let known: Vec<_> = listed(&host, "").into_iter().filter(|it| names.contains(it)).collect();
    assert!(expected.starts_with(&known) && !known.is_empty(), "{known:?}");
}

#[test]
fn what_is_not_there_cannot_be_taken_out() {
    let host = Host::new();
    host.server.register(Item::resource("a:b", "b").contents("b")).unwrap();
    host.server.register(Item::template("a:{x}", "x")).unwrap();
    host.server.register(Item::method("acme/own")).unwrap();
    for (kind, name) in [
        (Kind::Tool, "hold"),
        (Kind::Resource, "a:b"),
        (Kind::Template, "a:{x}"),
        (Kind::Method, "acme/own"),
    ] {
        assert_eq!(host.server.unregister(kind, "other"), Err(Error::NotFound));
        assert_eq!(host.server.unregister(Kind::Prompt, name), Err(Error::NotFound));
        assert_eq!(host.server.unregister(kind, name), Ok(()));
        assert_eq!(host.server.unregister(kind, name), Err(Error::NotFound));
    }
    assert!(host.ask(1, "hold").concat().contains("Unknown tool"));
}

#[test]
fn a_handler_is_dropped_once_however_it_goes() {
    type Way = fn(&Server, Item);
    let ways: [(&str, Way); 7] = [
        ("replace", |server, item| {
            server.register(item).unwrap();
            server.replace(Item::tool("t")).unwrap();
        }),
        ("unregister", |server, item| {
            server.register(item).unwrap();
            server.unregister(Kind::Tool, "t").unwrap();
        }),
        ("server drop", |server, item| {
            let other = Server::new("other", "1.0").unwrap();
            other.register(item).unwrap();
            assert_eq!(server.unregister(Kind::Tool, "t"), Err(Error::NotFound));
        }),
        ("duplicate", |server, item| {
            server.register(Item::tool("t")).unwrap();
            assert_eq!(server.register(item), Err(Error::Exists));
        }),
        ("bad schema", |server, item| {
            assert!(server.register(item.input_schema("{}")).is_err());
        }),
        ("contents on a tool", |server, item| {
            assert!(server.register(item.contents("no")).is_err());
        }),
        ("never registered", |_, item| drop(item)),
    ];
    for (name, way) in ways {
        let (server, dropped) = (Server::new("drops", "1.0").unwrap(), Counter::default());
        way(&server, Item::tool("t").on_call(Says("", dropped.up())));
        assert_eq!(dropped.count(), 1, "{name}");
        drop(server);
        assert_eq!(dropped.count(), 1, "{name}");
    }
}

#[test]
fn handlers_are_dropped_with_the_server_even_if_calls_wait() {
    for (queued, pulled) in [(true, false), (false, true), (true, true)] {
        let (host, dropped) = (Host::new(), Counter::default());
        host.server.register(Item::tool("t").on_call(Says("", dropped.up()))).unwrap();
        host.server.register(Item::tool("pull")).unwrap();
        let dispatch = if queued { Dispatch::Queued } else { Dispatch::Inline };
        host.server.configure(|options| options.dispatch = dispatch).unwrap();
        assert_eq!(host.ask(1, if pulled { "pull" } else { "t" }), [""; 0]);
        drop(host);
        assert_eq!(dropped.count(), 1, "queued {queued}, pulled {pulled}");
    }
}

#[test]
fn a_destructor_may_use_the_server() {
    let host = Host::new();
    let server = host.server.clone();
    let item = Item::tool("t").on_call(Says("", move || {
        server.replace(Item::tool("by-destructor")).unwrap();
        server.unregister(Kind::Tool, "by-destructor").unwrap();
        server.register(Item::tool("by-destructor")).unwrap();
        server.configure(|options| options.page_size = 0).unwrap();
        server.tick();
    }));
    let take_out = || host.server.unregister(Kind::Tool, "by-destructor").unwrap();
    host.server.register(item.clone()).unwrap();
    assert_eq!(host.server.register(item.clone()), Err(Error::Exists));
    host.server.replace(Item::tool("t")).unwrap();
    drop(item);
    take_out();
    let server = host.server.clone();
    let again = Says("", move || server.register(Item::tool("by-destructor")).unwrap());
    host.server.replace(Item::tool("t").on_call(again)).unwrap();
    host.server.unregister(Kind::Tool, "t").unwrap();
    take_out();
}

#[test]
fn bad_definitions_are_refused_with_their_reason() {
    let server = Server::new("strict", "1.0").unwrap();
    server
        .configure(|options| {
            options.limits.name_bytes = 10;
            options.limits.definition_bytes = 100;
        })
        .unwrap();
    let tool = || Item::tool("t");
    for (item, reason) in [
        (tool().input_schema("{}"), "inputSchema must be a JSON Schema with \"type\": \"object\""),
        (tool().input_schema(r#"{"type":"array"}"#), "inputSchema"),
        (tool().input_schema("true"), "inputSchema"),
        (tool().input_schema("{\"type\":\"object\""), "byte 16"),
        (tool().output_schema("[]"), "outputSchema must be an object"),
        (tool().member("title", "7"), "title must be a string"),
        (tool().member("annotations", "[]"), "annotations must be an object"),
        (tool().member("icons", "{}"), "icons must be an array"),
        (tool().member("_meta", "null"), "_meta must be an object"),
        (tool().description("too long ".repeat(20).as_str()), "definition_bytes"),
        (tool().contents("x"), "only a resource has contents"),
        (Item::tool(""), "empty"),
        (Item::tool("with space"), "any_name"),
        (Item::tool("a\nb").any_name(), "control character"),
        (Item::tool("01234567890"), "name_bytes"),
        (Item::prompt("01234567890"), "name_bytes"),
        (Item::prompt("p").arguments("{}"), "arguments must be an array"),
        (Item::prompt("p").arguments("[7]"), "needs a name"),
        (Item::prompt("p").arguments(r#"[{"name":7}]"#), "name must be a string"),
        (Item::prompt("p").arguments(r#"[{"name":"n","required":1}]"#), "required must be a bool"),
        (Item::resource("no-scheme", "n"), "absolute URI"),
        (Item::resource("a: b", "n"), "absolute URI"),
        (Item::resource("a:b", ""), "name must be a string that is not empty"),
        (Item::resource("a:b", "n").member("size", "\"1\""), "size must be a number"),
        (Item::resource("a:b", "n").contents("x").on_call(says("")), "either"),
        (Item::template("a:{x", "n"), "unclosed brace"),
        (Item::template("a:{x}{y}", "n"), "ambiguous"),
        (Item::method("ping"), "the engine answers this method itself"),
        (Item::method("initialize"), "itself"),
        (Item::method("notifications/cancelled"), "itself"),
        (Item::method(""), "empty"),
    ] {
        let refused = server.register(item).map_err(|error| error.to_string());
        assert!(refused.as_ref().is_err_and(|text| text.contains(reason)), "{reason}: {refused:?}");
    }
    assert_eq!(server.memory_used(), 0, "of what was refused nothing is left");
    server.register(Item::tool("with space").any_name()).unwrap();
}

#[test]
fn what_is_listed_has_the_name_by_which_it_is_called() {
    let server = Server::new("strict", "1.0").unwrap();
    let other = "\"other:name\"";
    assert!(server.register(Item::tool("t").member("name", other)).is_err());
    assert!(server.register(Item::prompt("p").member("name", other)).is_err());
    assert!(server.register(Item::resource("a:b", "b").member("uri", other)).is_err());
    assert!(server.register(Item::template("a:{x}", "x").member("uriTemplate", other)).is_err());
}

#[test]
fn definitions_come_as_the_specification_writes_them() {
    for (kind, json, reason) in [
        (Kind::Tool, "[]", "byte 0"),
        (Kind::Tool, r#"{"name":"t"} x"#, "byte 13"),
        (Kind::Tool, r#"{"title":"t"}"#, "name must be a string"),
        (Kind::Tool, r#"{"name":"t","name":"u"}"#, "stands twice"),
        (Kind::Resource, r#"{"uri":1,"name":"t"}"#, "uri must be a string"),
        (Kind::Template, r#"{"uri":"a:b"}"#, "uriTemplate must be a string"),
        (Kind::Method, r#"{"name":"t"}"#, "no definition"),
    ] {
        let refused = Item::from_json(kind, json).unwrap_err().to_string();
        assert!(refused.contains(reason), "{json}: {refused}");
    }
    let host = Host::new();
    let item = Item::from_json(Kind::Tool, " {\"name\" : \"t\",\n \"x-own\": [ 1 ]} ").unwrap();
    host.server.register(item).unwrap();
    let list = r#"{"jsonrpc":"2.0","id":1,"method":"tools/list"}"#;
    let shown = r#"{"name":"t","x-own":[1],"inputSchema":{"type":"object"}}"#;
    assert!(exchange(host.session(), list).concat().contains(shown));
}

#[test]
fn a_handler_may_change_what_is_offered() {
    let host = Host::new();
    let server = host.server.clone();
    host.tool("change", move |call: &Call| {
        server.register(Item::tool("added").on_call(says("added")))?;
        server.replace(Item::tool("change").on_call(says("replaced")))?;
        server.unregister(Kind::Tool, "hold")?;
        Ok(call.reply_text("still the old one")?)
    });
    assert_eq!(host.ask(1, "change"), [text_answer(1, "still the old one")]);
    assert_eq!(host.ask(2, "change"), [text_answer(2, "replaced")]);
    assert_eq!(listed(&host, ""), ["change", "added"]);
}

#[test]
fn a_call_under_way_finishes_on_what_it_started_with() {
    let (host, dropped) = (Host::new(), Counter::default());
    let call = host.hold(1);
    host.server.configure(|options| options.dispatch = Dispatch::Queued).unwrap();
    host.server.register(Item::tool("t").on_call(Says("old", dropped.up()))).unwrap();
    assert_eq!(host.ask(2, "t"), [""; 0]);
    host.server.replace(Item::tool("t").on_call(says("new"))).unwrap();
    assert_eq!(host.ask(3, "t"), [""; 0]);
    host.server.unregister(Kind::Tool, "t").unwrap();
    host.server.unregister(Kind::Tool, "hold").unwrap();
    assert_eq!(dropped.count(), 0, "a call still needs it");
    assert_eq!(host.server.run(0), Ok(2));
    assert_eq!(dropped.count(), 1);
    call.reply_text("held").unwrap();
    let sent = [text_answer(2, "old"), text_answer(3, "new"), text_answer(1, "held")];
    assert_eq!(host.sent(), sent);
}

#[test]
fn lists_follow_every_change_in_every_revision_and_keep_their_order() {
    let host = Host::new();
    let both = |names: &[&str]| {
        for _ in 0..2 {
            assert_eq!(listed(&host, ""), names);
            assert_eq!(listed(&host, MODERN), names);
        }
    };
    both(&["hold"]);
    host.server.register(Item::tool("b")).unwrap();
    host.server.register(Item::tool("a")).unwrap();
    both(&["hold", "b", "a"]);
    host.server.replace(Item::tool("b").description("in its old place")).unwrap();
    both(&["hold", "b", "a"]);
    host.server.register(Item::tool("hidden").hidden()).unwrap();
    host.server.unregister(Kind::Tool, "hold").unwrap();
    host.server.register(Item::tool("hold")).unwrap();
    both(&["b", "a", "hold"]);
    for name in ["a", "b", "hold"] {
        host.server.unregister(Kind::Tool, name).unwrap();
    }
    both(&[]);
}

#[test]
fn a_completion_is_registered_once_for_each_argument() {
    let host = Host::new();
    let of = Reference::Prompt("p");
    host.server.register(Item::completion(of, "x")).unwrap();
    host.server.register(Item::completion(of, "y")).unwrap();
    host.server.register(Item::completion(Reference::Template("p"), "x")).unwrap();
    assert_eq!(host.server.register(Item::completion(of, "x")), Err(Error::Exists));
    host.server.replace(Item::completion(of, "x")).unwrap();
}

#[test]
fn hooks_are_dropped_when_others_take_their_place() {
    let host = Host::new();
    let alive = Arc::new(());
    struct Clock(#[expect(dead_code, reason = "only its lifetime matters")] Arc<()>);
    impl mcplite_core::Clock for Clock {
        fn now_ms(&self) -> u64 {
            0
        }
    }
    host.server.set_clock(Clock(Arc::clone(&alive)));
    assert_eq!(Arc::strong_count(&alive), 2);
    host.server.set_clock(host.clock.clone());
    assert_eq!(Arc::strong_count(&alive), 1);
}

#[test]
fn a_host_that_answers_a_method_itself_learns_what_it_is_about() {
    let host = Host::new();
    let item = Item::method("tools/call").on_call(|call: &Call| {
        Ok(call.reply_text(&format!(
            "{} {}",
            call.name(),
            call.arg_str("/name").unwrap_or_default()
        ))?)
    });
    host.server.register(item).unwrap();
    assert_eq!(host.ask(1, "elsewhere"), [text_answer(1, "elsewhere elsewhere")]);
}
