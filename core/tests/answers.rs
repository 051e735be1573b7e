//! Building an answer piece by piece: what fits is kept, what does not is refused and changes nothing.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

mod support;

use mcplite_core::{Call, Error, Failure, Item, Reference, Role, Server, Session};
use support::host::{Host, text_answer};
use support::{MODERN, exchange};

/// An open call of every kind of item, with id 1.
fn open(kind: &str) -> (Host, Call) {
    let host = Host::new();
    let (item, method, params) = match kind {
        "prompt" => (Item::prompt("p"), "prompts/get", r#"{"name":"p"}"#),
        "resource" => (Item::resource("a:b", "b"), "resources/read", r#"{"uri":"a:b"}"#),
        "method" => (Item::method("acme/own"), "acme/own", "{}"),
        "completion" => {
            host.server.register(Item::prompt("p")).unwrap();
            let params =
                r#"{"ref":{"type":"ref/prompt","name":"p"},"argument":{"name":"x","value":""}}"#;
            (Item::completion(Reference::Prompt("p"), "x"), "completion/complete", params)
        }
        _ => (Item::tool("t"), "tools/call", r#"{"name":"t"}"#),
    };
    host.hold_calls_of(item);
    let text = format!(r#"{{"jsonrpc":"2.0","id":1,"method":"{method}","params":{params}}}"#);
    assert_eq!(exchange(host.session(), &text), [""; 0]);
    let call = host.take_held();
    (host, call)
}

fn result(members: &str) -> [String; 1] {
    [format!(r#"{{"jsonrpc":"2.0","id":1,"result":{members}}}"#)]
}

fn refuse_all(results: &[Result<(), Error>]) {
    let wrong: Vec<_> = results
        .iter()
        .enumerate()
        .filter(|(_, it)| !matches!(it, Err(Error::Invalid(_))))
        .collect();
    assert!(wrong.is_empty(), "{wrong:?}");
}

#[test]
fn a_tool_has_neither_roles_nor_contents_nor_totals() {
    let (host, call) = open("tool");
    call.add_text("kept").unwrap();
    refuse_all(&[
        call.set_role(Role::User),
        call.set_description("no"),
        call.set_total(1),
        call.set_has_more(true),
        call.add_contents(b"no"),
    ]);
    call.reply().unwrap();
    assert_eq!(host.sent(), [text_answer(1, "kept")]);
}

#[test]
fn a_prompt_has_neither_structure_nor_contents_nor_totals() {
    let (host, call) = open("prompt");
    call.add_text("kept").unwrap();
    refuse_all(&[
        call.put_str("k", "no"),
        call.put_f64("k", 1.0),
        call.put_json("k", "1"),
        call.set_structured("{}"),
        call.reply_json("{}"),
        call.set_total(1),
        call.set_has_more(true),
        call.add_contents(b"no"),
    ]);
    call.reply().unwrap();
    let message = r#"{"role":"user","content":{"type":"text","text":"kept"}}"#;
    assert_eq!(host.sent(), result(&format!(r#"{{"messages":[{message}]}}"#)));
}

#[test]
fn a_resource_has_contents_and_nothing_else() {
    let (host, call) = open("resource");
    call.add_contents(b"kept").unwrap();
    refuse_all(&[
        call.put_str("k", "no"),
        call.set_structured("{}"),
        call.set_role(Role::User),
        call.set_description("no"),
        call.set_total(1),
        call.set_has_more(true),
        call.add_link("a:c", "c", None),
    ]);
    call.reply().unwrap();
    assert_eq!(host.sent(), result(r#"{"contents":[{"uri":"a:b","text":"kept"}]}"#));
}

#[test]
fn a_completion_has_values_and_nothing_else() {
    let (host, call) = open("completion");
    call.add_text("kept").unwrap();
    refuse_all(&[
        call.put_str("k", "no"),
        call.set_structured("{}"),
        call.set_role(Role::User),
        call.set_description("no"),
        call.add_contents(b"no"),
        call.add_media("image/png", b"no"),
        call.add_resource("a:b", None, b"no"),
        call.add_link("a:b", "b", None),
        call.add_json(r#"{"type":"text","text":"no"}"#),
    ]);
    call.reply().unwrap();
    assert_eq!(host.sent(), result(r#"{"completion":{"values":["kept"]}}"#));
}

#[test]
fn a_method_of_the_hosts_own_takes_no_content_that_would_be_lost() {
    let (host, call) = open("method");
    refuse_all(&[
        call.put_str("k", "no"),
        call.set_structured("{}"),
        call.set_role(Role::User),
        call.add_contents(b"no"),
        call.add_text("no"),
        call.add_media("image/png", b"no"),
        call.add_json(r#"{"type":"text","text":"no"}"#),
        call.reply_text("no"),
    ]);
    call.reply_result(r#"{"own":true}"#).unwrap();
    assert_eq!(host.sent(), result(r#"{"own":true}"#));
}

#[test]
fn a_member_is_put_once() {
    let (host, call) = open("tool");
    call.put_str("a", "first").unwrap();
    call.put_f64("b", 2.5).unwrap();
    assert_eq!(call.put_str("a", "again"), Err(Error::Exists));
    assert_eq!(call.put_json("b", "[]"), Err(Error::Exists));
    call.put_json("\"\n", " [ 1 ] ").unwrap();
    assert_eq!(call.put_f64("\"\n", 1.0), Err(Error::Exists));
    call.add_text("text").unwrap();
    call.reply().unwrap();
    let structured = r#"{"a":"first","b":2.5,"\"\n":[ 1 ]}"#;
    let content = r#"[{"type":"text","text":"text"}]"#;
    let members = format!(r#"{{"content":{content},"structuredContent":{structured}}}"#);
    assert_eq!(host.sent(), result(&members));
}

#[test]
fn json_that_is_none_is_refused_with_its_place_and_changes_nothing() {
    let (host, call) = open("tool");
    let fault = |result: Result<(), Error>| match result {
        Err(Error::Json { offset, .. }) => Some(offset),
        _ => None,
    };
    call.add_text("kept").unwrap();
    call.put_str("k", "kept").unwrap();
    call.set_meta(r#"{"m":1}"#).unwrap();
    assert_eq!(fault(call.add_json(r#"{"type":"text","text":nul}"#)), Some(25));
    assert_eq!(fault(call.add_json(r#" ["type"]"#)), Some(1));
    assert_eq!(fault(call.put_json("j", "[1,]")), Some(3));
    assert_eq!(fault(call.put_json("j", "1 2")), Some(2));
    assert_eq!(fault(call.set_structured("{\"a\":01}")), Some(6));
    assert_eq!(fault(call.set_meta("{")), Some(1));
    assert_eq!(fault(call.set_meta("7")), Some(0));
    assert_eq!(fault(call.reply_json("\"\u{1}\"")), Some(1));
    assert_eq!(fault(call.reply_result("[]")), Some(0));
    let deep = "[".repeat(65) + &"]".repeat(65);
    assert_eq!(fault(call.put_json("j", &deep)), Some(64));
    assert_eq!(call.put_f64("j", f64::NAN), Err(Error::Invalid("JSON has no such number")));
    call.reply().unwrap();
    let members = r#"{"content":[{"type":"text","text":"kept"}],"structuredContent":{"k":"kept"},"_meta":{"m":1}}"#;
    assert_eq!(host.sent(), result(members));
}

#[test]
fn a_member_that_was_refused_leaves_no_structured_content_behind() {
    let (host, call) = open("tool");
    call.add_text("kept").unwrap();
    assert!(call.put_json("k", "nonsense").is_err());
    call.reply().unwrap();
    assert_eq!(host.sent(), [text_answer(1, "kept")]);
}

#[test]
fn a_member_that_was_refused_leaves_alone_what_was_set_whole() {
    let (host, call) = open("tool");
    call.add_text("kept").unwrap();
    call.set_structured(r#"{"whole":true}"#).unwrap();
    assert!(call.put_json("k", "nonsense").is_err());
    call.reply().unwrap();
    let content = r#"[{"type":"text","text":"kept"}]"#;
    let members = format!(r#"{{"content":{content},"structuredContent":{{"whole":true}}}}"#);
    assert_eq!(host.sent(), result(&members));
}

#[test]
fn blocks_that_are_none_are_refused_with_a_reason() {
    let (host, call) = open("tool");
    for (block, reason) in [
        ("{}", "known type"),
        (r#"{"type":"video"}"#, "known type"),
        (r#"{"type":"text"}"#, "lacks text"),
        (r#"{"type":"text","text":1}"#, "text must be a string"),
        (r#"{"type":"image","data":"AA=="}"#, "lacks mimeType"),
        (r#"{"type":"resource","resource":{"uri":1}}"#, "uri must be a string"),
    ] {
        let refused = call.add_json(block).unwrap_err().to_string();
        assert!(refused.contains(reason), "{block}: {refused}");
    }
    call.reply_text("kept").unwrap();
    assert_eq!(host.sent(), [text_answer(1, "kept")]);
}

#[test]
fn a_whole_result_must_have_the_shape_of_its_kind() {
    for (kind, wrong, right) in [
        ("tool", "{}", r#"{"content":[]}"#),
        ("tool", r#"{"content":{}}"#, r#"{"content":[{"type":"text","text":"t"}]}"#),
        ("tool", r#"{"content":[1]}"#, r#"{"content":[],"isError":true}"#),
        ("tool", r#"{"content":[{"type":"text"}]}"#, r#"{"content":[],"structuredContent":{}}"#),
        ("prompt", "{}", r#"{"messages":[]}"#),
        ("prompt", r#"{"messages":[{"role":"user"}]}"#, r#"{"messages":[],"description":"d"}"#),
        ("resource", "{}", r#"{"contents":[]}"#),
        ("resource", r#"{"contents":[{}]}"#, r#"{"contents":[{"uri":"a:b","text":"t"}]}"#),
        ("completion", "{}", r#"{"completion":{"values":[]}}"#),
        ("method", "7", r#"{"anything":["at all"]}"#),
    ] {
        let (host, call) = open(kind);
        assert!(call.reply_result(wrong).is_err(), "{kind} {wrong}");
        assert_eq!(host.sent(), [""; 0], "{kind} {wrong}");
        assert_eq!(call.reply_result(right), Ok(()), "{kind} {right}");
        assert_eq!(host.sent(), result(right));
    }
}

#[test]
fn what_the_host_gives_never_breaks_a_line() {
    let (host, call) = open("tool");
    call.add_json("{\"type\":\"text\",\r\n\"text\":\"a\"}").unwrap();
    call.put_json("k", "[\n1\r]").unwrap();
    call.set_meta("{\n\"m\"\n:\n[\n]}").unwrap();
    call.reply().unwrap();
    let (other, failed) = open("method");
    failed.fail(Failure::code(1, "a\nb").with_data("{\n\"d\":\r1}")).unwrap();
    for sent in [host.sent(), other.sent()] {
        assert_eq!(sent.len(), 1);
        assert!(!sent.concat().contains(['\n', '\r']), "{sent:?}");
    }
}

#[test]
fn a_completion_has_at_most_a_hundred_values_and_says_so() {
    let (host, call) = open("completion");
    (0..101).try_for_each(|_| call.add_text("v")).unwrap();
    call.reply().unwrap();
    let values = vec!["\"v\""; 100].join(",");
    let completion = format!(r#"{{"completion":{{"values":[{values}],"hasMore":true}}}}"#);
    assert_eq!(host.sent(), result(&completion));
}

#[test]
fn a_completion_that_was_cut_has_more_whatever_the_host_says() {
    let (host, call) = open("completion");
    (0..150).for_each(|value: u32| call.add_text(&value.to_string()).unwrap());
    call.set_total(150).unwrap();
    call.set_has_more(false).unwrap();
    call.reply().unwrap();
    assert!(host.sent().concat().contains(r#""total":150,"hasMore":true"#));
}

#[test]
fn members_can_be_added_to_what_was_set_whole_but_not_twice() {
    let (host, call) = open("tool");
    call.set_structured(r#"{ "a" : 1 }"#).unwrap();
    assert_eq!(call.put_str("a", "again"), Err(Error::Exists));
    call.put_str("b", "new").unwrap();
    assert_eq!(call.put_str("b", "again"), Err(Error::Exists));
    call.add_text("kept").unwrap();
    call.reply().unwrap();
    assert!(host.sent().concat().contains(r#""structuredContent":{ "a" : 1 ,"b":"new"}"#));
}

#[test]
fn one_cache_hint_of_the_host_brings_the_other_and_neither_stands_twice() {
    let server = Server::new("hints", "1.0").unwrap();
    let results = ["", r#","ttlMs":7"#, r#","cacheScope":"public""#, r#","resultType":"x""#];
    let hints = [
        r#""ttlMs":0,"cacheScope":"private","resultType":"complete""#,
        r#""ttlMs":7,"cacheScope":"private","resultType":"complete""#,
        r#""cacheScope":"public","ttlMs":0,"resultType":"complete""#,
        r#""resultType":"x""#,
    ];
    for (own, expected) in results.into_iter().zip(hints) {
        let item = Item::resource("a:b", "b").on_call(move |call: &Call| {
            Ok(call.reply_result(&format!(r#"{{"contents":[]{own}}}"#))?)
        });
        server.replace(item).unwrap();
        let session = Session::new(&server).unwrap();
        let read = r#"{"jsonrpc":"2.0","id":1,"method":"resources/read","params":{"uri":"a:b","#;
        let answer = exchange(&session, &format!("{read}{MODERN}}}}}")).concat();
        assert!(answer.contains(&format!(r#"{{"contents":[],{expected},"_meta""#)), "{answer}");
    }
}
