//! Two short conversations with the same server, one in each era of the protocol.
//!
//! No socket, no thread: the program is client and host at once, and hands messages over in memory.

#![expect(
    clippy::disallowed_macros,
    clippy::print_stdout,
    reason = "an example shows what it does; the engine itself prints nothing"
)]

use mcplite_core::json::find;
use mcplite_core::{Call, Entropy, Error, Item, Kind, Server, Session};

fn main() -> Result<(), Error> {
    let server = Server::new("demo", "1.0")?;
    server.configure(|options| options.instructions = Some("Ask for the weather.".to_owned()))?;
    server.set_entropy(NoSecret);
    server.register(weather())?;
    server.register(umbrella())?;
    server.register(
        Item::resource("demo://readme", "readme")
            .mime_type("text/plain")
            .contents("Static bytes need no handler."),
    )?;

    say("LEGACY: a handshake, then everything is in 2025-11-25.");
    let session = Session::new(&server)?;
    say("The client asks for a revision; the server says what it speaks and what it has.");
    talk(&session, &initialize("2025-11-25"))?;
    talk(&session, r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#)?;
    say("Progress leaves before the answer, because the client sent a token.");
    talk(
        &session,
        r#"{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"weather","arguments":{"city":"Oslo"},"_meta":{"progressToken":"p"}}}"#,
    )?;
    say("A mistake of the caller's is a result that the model can read.");
    talk(
        &session,
        r#"{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"weather","arguments":{}}}"#,
    )?;
    say("A handler asks the user: in this era the server sends a request of its own...");
    talk(
        &session,
        r#"{"jsonrpc":"2.0","id":4,"method":"tools/call","params":{"name":"umbrella","arguments":{}}}"#,
    )?;
    say("... and the handler runs again with the answer.");
    talk(
        &session,
        r#"{"jsonrpc":"2.0","id":1,"result":{"action":"accept","content":{"colour":"red"}}}"#,
    )?;
    say("A change of what is offered is told by itself.");
    server.register(Item::tool("rain_dance").description("Makes it rain."))?;
    listen(&session);

    say(
        "MODERN: no handshake; every request says that it speaks 2026-07-28. Same server, same pipe.",
    );
    talk(&session, &modern(5, "server/discover", ""))?;
    say("The same handler answers; the result says that it is complete and who made it.");
    talk(&session, &modern(6, "tools/call", r#""name":"weather","arguments":{"city":"Oslo"},"#))?;
    say("Results that can be kept say for how long.");
    talk(&session, &modern(7, "resources/read", r#""uri":"demo://readme","#))?;
    say("The same question in this era: the call ends, and the client carries its sealed state...");
    let asked = talk(&session, &modern(8, "tools/call", r#""name":"umbrella","arguments":{},"#))?;
    say("... and brings it back with the answer. The server kept nothing meanwhile.");
    let state = find(&asked, "/result/requestState").unwrap_or("null");
    let answer = r#""inputResponses":{"colour":{"action":"accept","content":{"colour":"blue"}}}"#;
    let retry = format!(r#""name":"umbrella","arguments":{{}},{answer},"requestState":{state},"#);
    talk(&session, &modern(9, "tools/call", &retry))?;
    say("Whoever wants to know of changes listens.");
    talk(
        &session,
        &modern(10, "subscriptions/listen", r#""notifications":{"toolsListChanged":true},"#),
    )?;
    server.unregister(Kind::Tool, "rain_dance")?;
    listen(&session);
    say("What cannot be read is answered too, and harms nobody.");
    talk(&session, r#"{"jsonrpc":"2.0","id":11,"method":"#)?;
    Ok(())
}

/// A demonstration has nothing to hide; a real host gives bytes of its operating system.
struct NoSecret;

impl Entropy for NoSecret {
    fn fill(&self, out: &mut [u8]) -> bool {
        out.fill(7);
        true
    }
}

fn umbrella() -> Item {
    const QUESTION: &str = r#"{"message":"Which colour?","requestedSchema":{"type":"object","properties":{"colour":{"type":"string"}},"required":["colour"]}}"#;
    Item::tool("umbrella").description("Lends an umbrella.").on_call(|call: &Call| {
        let Some(answer) = call.ask("colour", "elicitation/create", QUESTION)? else {
            return Ok(call.reply_asked()?);
        };
        let colour = find(answer, "/content/colour").unwrap_or("\"any\"");
        Ok(call.reply_text(&format!("Here is one: {colour}"))?)
    })
}

fn weather() -> Item {
    Item::tool("weather")
        .title("Weather")
        .description("Tells the weather of a city.")
        .input_schema(
            r#"{"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]}"#,
        )
        .on_call(|call: &Call| {
            let city = call.arg_str("city").ok_or("Which city? Give its name as city.")?;
            call.progress(1.0, Some(2.0), Some("looking out of the window"))?;
            call.put_str("city", &city)?;
            call.put_f64("celsius", -3.5)?;
            Ok(call.reply()?)
        })
}

/// Hands a message in, and gives the last that comes out.
fn talk(session: &Session, message: &str) -> Result<String, Error> {
    println!("  client  {message}");
    session.handle_message(message.as_bytes())?;
    Ok(listen(session))
}

fn listen(session: &Session) -> String {
    let (mut answer, mut last) = (Vec::new(), String::new());
    while session.poll_into(&mut answer) {
        last = String::from_utf8_lossy(&answer).into_owned();
        println!("  server  {last}");
    }
    last
}

fn say(text: &str) {
    println!("\n{text}");
}

fn initialize(revision: &str) -> String {
    format!(
        r#"{{"jsonrpc":"2.0","id":1,"method":"initialize","params":{{"protocolVersion":"{revision}","capabilities":{{"elicitation":{{}}}},"clientInfo":{{"name":"example","version":"1"}}}}}}"#
    )
}

fn modern(id: u32, method: &str, params: &str) -> String {
    format!(
        r#"{{"jsonrpc":"2.0","id":{id},"method":"{method}","params":{{{params}"_meta":{{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{{"elicitation":{{}}}}}}}}}}"#
    )
}
