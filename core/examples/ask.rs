//! An MCP server on standard input and output whose tools ask the client, and tell it of changes.
//!
//! The handlers do not know which revision the client speaks: each one asks, ends its attempt, and
//! runs again from the top when the answer is there.

#![expect(clippy::disallowed_methods, reason = "the host does the I/O and has random bytes")]
#![expect(clippy::disallowed_types, reason = "as above")]

use std::error::Error;
use std::hash::{BuildHasher, Hasher, RandomState};
use std::io::{Read, Write, stdin, stdout};
use std::sync::{Arc, Mutex, PoisonError};

use mcplite_core::{Call, Entropy, Failure, Item, Server, Session, json};

/// A form with one field.
const NAME: &str = r#"{
    "message": "What is your name?",
    "requestedSchema": {
        "type": "object",
        "properties": {"name": {"type": "string"}},
        "required": ["name"]
    }
}"#;

fn main() -> Result<(), Box<dyn Error>> {
    let server = Server::new("ask", "1.0")?;
    // What a modern client carries for us between two attempts is sealed with random bytes.
    server.set_entropy(HashSeeds);
    server.register(Item::tool("greet").description("Greets the user.").on_call(greet))?;
    server.register(
        Item::tool("haiku")
            .description("Has a poem made.")
            .input_schema(r#"{"type": "object", "properties": {"topic": {"type": "string"}}}"#)
            .on_call(haiku),
    )?;
    server.register(Item::tool("folders").description("Counts open folders.").on_call(folders))?;
    add_note(&server)?;
    // The server lives as long as the program, so that a handler may hold it.
    let own = server.clone();
    let learn = move |call: &Call| {
        own.replace(Item::tool("learnt").description("Is new.").on_call(learnt))?;
        Ok(call.reply_text("There is a new tool.")?)
    };
    server.register(Item::tool("learn").description("Adds a tool.").on_call(learn))?;
    serve(&server)
}

fn greet(call: &Call) -> Result<(), Failure> {
    let Some(answer) = call.ask("name", "elicitation/create", NAME)? else {
        return Ok(call.reply_asked()?);
    };
    // The user may have declined, or closed the form.
    match text_at(answer, "/content/name") {
        Some(name) => Ok(call.reply_text(&format!("Hello, {name}!"))?),
        None => Ok(call.reply_text("Hello, whoever you are!")?),
    }
}

fn haiku(call: &Call) -> Result<(), Failure> {
    let topic = call.arg_str("topic").unwrap_or("rust".into());
    let prompt = json::quoted(&format!("Write a haiku about {topic}."));
    let params = format!(
        r#"{{"messages": [{{"role": "user", "content": {{"type": "text", "text": {prompt}}}}}], "maxTokens": 100}}"#
    );
    let Some(answer) = call.ask("haiku", "sampling/createMessage", &params)? else {
        return Ok(call.reply_asked()?);
    };
    let poem = text_at(answer, "/content/text").ok_or("The model made no text.")?;
    Ok(call.reply_text(&poem)?)
}

fn folders(call: &Call) -> Result<(), Failure> {
    // What cannot be asked need not be an error.
    if !call.can_ask("roots/list", "") {
        return Ok(call.reply_text("The client does not say.")?);
    }
    let Some(answer) = call.ask("roots", "roots/list", "")? else {
        return Ok(call.reply_asked()?);
    };
    let count = json::find(answer, "/roots").map_or(0, |roots| json::elements(roots).count());
    Ok(call.reply_text(&format!("{count} open"))?)
}

fn learnt(call: &Call) -> Result<(), Failure> {
    Ok(call.reply_text("Here I am.")?)
}

/// A resource, and a tool that changes it: whoever watches the resource is told.
fn add_note(server: &Server) -> Result<(), mcplite_core::Error> {
    let note = Arc::new(Mutex::new("nothing yet".to_owned()));
    let (read, written, own) = (Arc::clone(&note), note, server.clone());
    server.register(Item::resource("note://latest", "note").on_call(move |call: &Call| {
        let text = read.lock().unwrap_or_else(PoisonError::into_inner).clone();
        Ok(call.reply_text(&text)?)
    }))?;
    let write = move |call: &Call| {
        let text = call.arg_str("text").ok_or("What is the text of the note?")?;
        *written.lock().unwrap_or_else(PoisonError::into_inner) = text.into_owned();
        own.notify_resource_updated("note://latest");
        Ok(call.reply_text("Noted.")?)
    };
    server.register(
        Item::tool("note")
            .description("Takes a note.")
            .input_schema(
                r#"{"type": "object", "properties": {"text": {"type": "string"}}, "required": ["text"]}"#,
            )
            .on_call(write),
    )
}

/// The text in a JSON value at that place.
fn text_at(value: &str, pointer: &str) -> Option<String> {
    let text = json::find(value, pointer).and_then(json::Str::from_json)?;
    Some(text.decode().into_owned())
}

/// Random bytes from the seeds of the standard library's hash maps, so that this example needs no other
/// crate. A real host takes them from the operating system: these are made to resist collisions,
/// not to keep secrets.
struct HashSeeds;

impl Entropy for HashSeeds {
    fn fill(&self, out: &mut [u8]) -> bool {
        for chunk in out.chunks_mut(8) {
            let bytes = RandomState::new().build_hasher().finish().to_le_bytes();
            chunk.iter_mut().zip(bytes).for_each(|(to, byte)| *to = byte);
        }
        true
    }
}

/// One client on standard input and output, until it goes.
fn serve(server: &Server) -> Result<(), Box<dyn Error>> {
    let session = Session::new(server)?;
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
