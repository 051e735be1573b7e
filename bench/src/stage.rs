//! A workload that has been set up and can be played, round by round.

use std::hint::black_box;

use mcplite_core::{Call, Handler, Item, Server, Session};

use crate::Error;
use crate::messages::{HANDSHAKE, SERVER};
use crate::script::Script;

/// One message, who answers it, and what the answer must be.
#[derive(Debug)]
pub struct Stage {
    subject: Subject,
    message: Vec<u8>,
    expected: Vec<u8>,
    out: Vec<u8>,
}

#[derive(Debug)]
enum Subject {
    /// The engine; the server lives as long as its session.
    Engine { session: Session, _server: Server },
    /// A mere copy of the expected answer, to compare with.
    Copy,
}

impl Stage {
    /// A session on the server of a script.
    pub(crate) fn of(script: Script) -> Result<Stage, Error> {
        Stage::new(script.server()?, script.request, script.answer)
    }

    /// A session on `server` that has shaken hands as 2025-11-25. The answer to `message` must be
    /// `expected`.
    pub(crate) fn new(server: Server, message: String, expected: String) -> Result<Stage, Error> {
        let session = Session::new(&server)?;
        let mut out = Vec::new();
        for message in HANDSHAKE {
            session.handle_message(message.as_bytes())?;
        }
        if session.drain_into(&mut out) != 1 || !contains(&out, "\"2025-11-25\"") {
            return Err(unlike("the handshake failed", &out));
        }
        Ok(Stage {
            subject: Subject::Engine { session, _server: server },
            message: message.into_bytes(),
            expected: format!("{expected}\n").into_bytes(),
            out: Vec::new(),
        })
    }

    /// Copies what another stage answers, and does nothing else.
    pub(crate) fn copying(other: Stage) -> Stage {
        Stage { subject: Subject::Copy, message: Vec::new(), out: Vec::new(), ..other }
    }

    /// How long the message is.
    pub fn message_bytes(&self) -> usize {
        self.message.len()
    }

    /// How long the answer is, with its newline.
    pub fn answer_bytes(&self) -> usize {
        self.expected.len()
    }

    /// Plays one round: the message in, the answer out, into a buffer that is used again.
    #[inline]
    pub fn round(&mut self) -> Result<(), Error> {
        self.out.clear();
        match &self.subject {
            Subject::Engine { session, .. } => {
                session.handle_message(black_box(&self.message))?;
                session.drain_into(&mut self.out);
            }
            Subject::Copy => self.out.extend_from_slice(black_box(&self.expected)),
        }
        black_box(&self.out);
        Ok(())
    }

    /// Plays so many rounds and checks the answer to the first and to the last.
    pub fn play(&mut self, rounds: u64) -> Result<(), Error> {
        for number in 0..rounds {
            self.round()?;
            if number == 0 {
                self.check_answer()?;
            }
        }
        self.check_answer()
    }

    /// Fails unless the last round gave the answer that it should.
    fn check_answer(&self) -> Result<(), Error> {
        if self.out == self.expected {
            return Ok(());
        }
        let expected = String::from_utf8_lossy(&self.expected);
        Err(unlike(&format!("the answer should be {}", start_of(&expected)), &self.out))
    }
}

/// A server that offers nothing yet.
pub(crate) fn empty_server() -> Result<Server, Error> {
    let (name, version) = SERVER;
    Ok(Server::new(name, version)?)
}

/// A handler that says the text of one argument.
pub(crate) fn say(argument: &'static str) -> impl Handler + 'static {
    move |call: &Call| {
        let text = call.arg_str(argument).ok_or("the text is missing")?;
        Ok(call.reply_text(&text)?)
    }
}

/// A handler that hands the JSON text of one argument on as it stands.
pub(crate) fn splice(argument: &'static str) -> impl Handler + 'static {
    move |call: &Call| {
        let json = call.arg_json(argument).ok_or("the text is missing")?;
        call.put_json(argument, json)?;
        Ok(call.reply_text("")?)
    }
}

/// Whether the engine holds the arguments of a call against the tool's input schema.
///
/// Found out by a call with wrong arguments to a tool that does not look at them.
pub fn input_is_validated() -> Result<bool, Error> {
    let server = empty_server()?;
    let tool = Item::tool("careless").input_schema(crate::schemas::SMALL);
    server.register(tool.on_call(|call: &Call| Ok(call.reply_text("careless answer")?)))?;
    let message = crate::messages::call("careless", r#"{"text":5}"#, "");
    let mut stage = Stage::new(server, message, String::new())?;
    stage.round()?;
    Ok(!contains(&stage.out, "careless answer"))
}

fn contains(bytes: &[u8], text: &str) -> bool {
    String::from_utf8_lossy(bytes).contains(text)
}

fn unlike(what: &str, answer: &[u8]) -> Error {
    format!("{what}, but is {}", start_of(&String::from_utf8_lossy(answer))).into()
}

/// Enough of a text to see what it is.
fn start_of(text: &str) -> String {
    text.trim_end().chars().take(400).collect()
}
