//! Counts heap allocations: in the steady state the engine makes none.
//!
//! The count is the thread's own, so that no other test is counted.

#![expect(clippy::print_stdout, clippy::disallowed_macros, reason = "the counts are worth seeing")]
#![expect(clippy::unwrap_used, reason = "a test whose server does not start has failed")]

mod support;

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

use mcplite_core::schema::{CompileOptions, Schema};
use mcplite_core::{Call, Failure, Item, Server, Session};
use support::{ManualClock, initialize};

struct Counting;

#[global_allocator]
static ALLOCATOR: Counting = Counting;

thread_local! {
    static ALLOCATIONS: Cell<usize> = const { Cell::new(0) };
}

fn count() {
    // A thread that is ending has no count any more, and is not the one that is measured.
    let _ = ALLOCATIONS.try_with(|count| count.set(count.get() + 1));
}

// SAFETY: every call goes on to the system's allocator as it came.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        count();
        // SAFETY: the caller keeps the contract of `alloc`, which is the same one.
        unsafe { System.alloc(layout) }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        count();
        // SAFETY: the caller keeps the contract of `alloc_zeroed`, which is the same one.
        unsafe { System.alloc_zeroed(layout) }
    }

    unsafe fn realloc(&self, memory: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        count();
        // SAFETY: the caller keeps the contract of `realloc`, which is the same one.
        unsafe { System.realloc(memory, layout, size) }
    }

    unsafe fn dealloc(&self, memory: *mut u8, layout: Layout) {
        // SAFETY: the caller keeps the contract of `dealloc`, which is the same one.
        unsafe { System.dealloc(memory, layout) }
    }
}

const SCHEMA: &str = r#"{"type":"object","properties":{"text":{"type":"string","maxLength":99},"count":{"type":"integer","minimum":0}},"required":["text"]}"#;

/// Patterns, alternatives, references and nesting.
const WIDE: &str = r##"{"type":"object","required":["id","where"],"additionalProperties":false,"properties":{"id":{"type":"string","pattern":"^[a-z]{2}-\\d+$"},"kind":{"enum":["one","two",3]},"where":{"$ref":"#/$defs/place"},"size":{"anyOf":[{"type":"integer","multipleOf":2},{"type":"null"}]},"tags":{"type":"array","items":{"type":"string"},"uniqueItems":true}},"$defs":{"place":{"type":"object","properties":{"x":{"type":"number"},"y":{"type":"number","exclusiveMaximum":9.5}}}}}"##;

/// A hundred tools that say what they got, the first of them with a deadline.
fn server() -> Server {
    let server = Server::new("counted", "1.0").unwrap();
    server.set_clock(ManualClock::default());
    for number in 0..100 {
        let tool = Item::tool(&format!("tool-{number}"))
            .description("Says what it got.")
            .input_schema(SCHEMA)
            .on_call(|call: &Call| -> Result<(), Failure> {
                call.arg_json("text").ok_or("text is missing")?;
                Ok(call.reply_text(call.arguments())?)
            });
        server.register(if number == 0 { tool.deadline_ms(1000) } else { tool }).unwrap();
    }
    let members = Item::tool("members").hidden().on_call(|call: &Call| -> Result<(), Failure> {
        call.put_str("text", "said")?;
        call.put_f64("number", 0.5)?;
        Ok(call.reply()?)
    });
    server.register(members).unwrap();
    let output =
        r#"{"type":"object","required":["number"],"properties":{"number":{"type":"number"}}}"#;
    let whole = Item::tool("whole").hidden().output_schema(output);
    let answer = |call: &Call| Ok(call.reply_json(r#"{"number": 0.5}"#)?);
    server.register(whole.on_call(answer)).unwrap();
    let wide = Item::tool("wide").hidden().input_schema(WIDE);
    server.register(wide.on_call(|call: &Call| Ok(call.reply_text("fits")?))).unwrap();
    server
}

/// How a message goes in and its answer comes out, with buffers that are used again.
type Way = fn(&Session, &[u8], &mut Vec<u8>);

const WAYS: [(&str, Way); 4] = [
    ("handle, drain", |session, message, out| {
        session.handle_message(message).unwrap();
        assert_eq!(session.drain_into(out), 1);
    }),
    ("handle, poll", |session, message, out| {
        session.handle_message(message).unwrap();
        assert!(session.poll_into(out));
    }),
    ("receive, drain", |session, message, out| {
        session.receive_all(message).unwrap();
        assert_eq!(session.drain_into(out), 1);
    }),
    ("receive in two, poll", |session, message, out| {
        let (start, end) = message.split_at(message.len() / 2);
        session.receive_all(start).unwrap();
        session.receive_all(end).unwrap();
        assert!(session.poll_into(out));
    }),
];

const ROUNDS: usize = 100;

/// Allocations of so many rounds, after so many that do not count.
fn allocations(session: &Session, message: &str, way: Way) -> usize {
    let mut out = Vec::new();
    let mut play = || {
        for _ in 0..ROUNDS {
            out.clear();
            way(session, message.as_bytes(), &mut out);
        }
    };
    play();
    let before = ALLOCATIONS.get();
    play();
    let counted = ALLOCATIONS.get() - before;
    assert!(before > 0, "what happens before the steady state is counted");
    assert!(out.windows(9).any(|part| part == b"\"result\":"), "the answer is a result");
    assert!(!out.windows(9).any(|part| part == b"\"isError\""), "and not one of failure");
    counted
}

#[test]
fn the_steady_state_allocates_nothing() {
    let arguments = r#""arguments":{"text":"a \"quoted\" text","count":3}"#;
    let meta = r#""_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{"elicitation":{}},"io.modelcontextprotocol/clientInfo":{"name":"test","version":"1"},"io.modelcontextprotocol/logLevel":"info","progressToken":7,"traceparent":"00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"}"#;
    let call = |name, more| {
        format!(
            r#"{{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{{"name":"{name}",{arguments}{more}}}}}"#
        )
    };
    let wide = |before: &str, after: &str| {
        let arguments =
            r#"{"where":{"x":1.5,"y":-2e0},"id":"ab-17","size":4,"kind":"two","tags":["a","b"]}"#;
        format!(
            r#"{{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{{{before}{arguments}{after}}}}}"#
        )
    };
    let cases = [
        ("ping", r#"{"jsonrpc":"2.0","id":1,"method":"ping"}"#.to_owned()),
        ("tools/call", call("tool-50", String::new())),
        ("tools/call with a deadline", call("tool-0", String::new())),
        ("tools/call with structured members", call("members", String::new())),
        ("tools/call with structured content", call("whole", String::new())),
        ("tools/call with a wide schema", wide(r#""name":"wide","arguments":"#, "")),
        ("tools/call with arguments before the name", wide(r#""arguments":"#, r#","name":"wide""#)),
        ("tools/call of 2026-07-28", call("tool-50", format!(",{meta}"))),
        ("tools/list", r#"{"jsonrpc":"2.0","id":1,"method":"tools/list"}"#.to_owned()),
        (
            "tools/list of 2026-07-28",
            format!(r#"{{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{{{meta}}}}}"#),
        ),
    ];
    let server = server();
    let mut wrong = Vec::new();
    for (name, message) in &cases {
        for (way, play) in WAYS {
            let session = Session::new(&server).unwrap();
            initialize(&session, "2025-11-25");
            let counted = allocations(&session, &format!("{message}\n"), play);
            println!("{name}, {way}: {counted} allocations in {ROUNDS} rounds");
            if counted > 0 {
                wrong.push(format!("{name}, {way}: {counted}"));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn validating_what_matches_allocates_nothing() {
    let schema = r##"{
        "type": "object",
        "properties": {
            "text": {"type": "string", "minLength": 1, "maxLength": 99, "pattern": "^[a-z ]+$"},
            "escaped": {"type": "string", "maxLength": 9, "minLength": 8},
            "count": {"type": "integer", "minimum": 0, "multipleOf": 3},
            "ratio": {"type": "number", "exclusiveMaximum": 1.5},
            "huge": {"minimum": 1e400},
            "kind": {"enum": ["a", "b", 1, null, [1, {"x": 2}]]},
            "list": {"type": "array", "items": {"$ref": "#/$defs/item"}, "uniqueItems": true, "contains": {"required": ["x"]}},
            "maybe": {"anyOf": [{"$ref": "#/$defs/item"}, {"type": "null"}]},
            "one": {"oneOf": [{"required": ["x"]}, {"required": ["y"]}], "unevaluatedProperties": {"type": "integer"}}
        },
        "required": ["text", "count"],
        "additionalProperties": {"type": "string"},
        "not": {"required": ["forbidden"]},
        "if": {"required": ["kind"]}, "then": {"minProperties": 2},
        "$defs": {"item": {"type": "object", "properties": {"x": {"type": "integer"}}, "patternProperties": {"^y": true}}}
    }"##;
    let json = r#"{"text":"some text","escaped":"\u0061bcdef\ud83d\ude00\n","count":3,"ratio":0.25,"huge":2e400,
        "kind":[1.0,{"x":2}],"list":[{"x":1},{"x":2},{"y":[1,2]}],"maybe":{"x":1},"one":{"x":1,"z":2},
        "more":"","even more":"x"}"#;
    let schema = Schema::compile(schema, &CompileOptions::default()).unwrap();
    let before = ALLOCATIONS.get();
    for _ in 0..ROUNDS {
        assert!(schema.is_valid(json));
    }
    let counted = ALLOCATIONS.get() - before;
    println!("validation: {counted} allocations in {ROUNDS} rounds");
    assert_eq!(counted, 0);
}
