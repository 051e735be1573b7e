//! Two short conversations with the same server, one in each era of the protocol.
//!
//! No socket, no thread: the program is client and host at once, and hands messages over in memory.

#![expect(
    clippy::disallowed_macros,
    clippy::print_stdout,
    reason = "an example shows what it does; the engine itself prints nothing"
)]

use mcplite_core::{Call, Error, Item, Server, Session};

fn main() -> Result<(), Error> {
    let server = Server::new("demo", "1.0")?;
    server.configure(|options| options.instructions = Some("Ask for the weather.".to_owned()))?;
    server.register(weather())?;
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

    say(
        "MODERN: no handshake; every request says that it speaks 2026-07-28. Same server, same pipe.",
    );
    talk(&session, &modern(4, "server/discover", ""))?;
    say("The same handler answers; the result says that it is complete and who made it.");
    talk(&session, &modern(5, "tools/call", r#""name":"weather","arguments":{"city":"Oslo"},"#))?;
    say("Results that can be kept say for how long.");
    talk(&session, &modern(6, "resources/read", r#""uri":"demo://readme","#))?;
    say("What cannot be read is answered too, and harms nobody.");
    talk(&session, r#"{"jsonrpc":"2.0","id":7,"method":"#)?;
    Ok(())
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

fn talk(session: &Session, message: &str) -> Result<(), Error> {
    println!("  client  {message}");
    session.handle_message(message.as_bytes())?;
    let mut answer = Vec::new();
    while session.poll_into(&mut answer) {
        println!("  server  {}", String::from_utf8_lossy(&answer));
    }
    Ok(())
}

fn say(text: &str) {
    println!("\n{text}");
}

fn initialize(revision: &str) -> String {
    format!(
        r#"{{"jsonrpc":"2.0","id":1,"method":"initialize","params":{{"protocolVersion":"{revision}","capabilities":{{}},"clientInfo":{{"name":"example","version":"1"}}}}}}"#
    )
}

fn modern(id: u32, method: &str, params: &str) -> String {
    format!(
        r#"{{"jsonrpc":"2.0","id":{id},"method":"{method}","params":{{{params}"_meta":{{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{{}}}}}}}}"#
    )
}
