//! A whole MCP server on standard input and output.

#![expect(clippy::disallowed_methods, reason = "the host does the I/O")]

use std::io::{Read, Write, stdin, stdout};

use mcplite_core::{Call, Item, Server, Session};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let server = Server::new("hello", "1.0")?;
    server.register(
        Item::tool("greet")
            .description("Greets someone by name.")
            .input_schema(r#"{"type": "object", "properties": {"name": {"type": "string"}}}"#)
            .on_call(|call: &Call| {
                let name = call.arg_str("name").unwrap_or("you".into());
                Ok(call.reply_text(&format!("Hello, {name}!"))?)
            }),
    )?;

    let session = Session::new(&server)?;
    let (mut input, mut output) = (vec![0; 65536], Vec::new());
    loop {
        match stdin().read(&mut input)? {
            0 => session.end()?,
            count => session.receive_all(input.get(..count).unwrap_or_default())?,
        }
        output.clear();
        session.drain_into(&mut output);
        stdout().write_all(&output)?;
        stdout().flush()?;
        if session.is_finished() {
            return Ok(());
        }
    }
}
