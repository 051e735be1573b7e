//! Tools that answer, block, print and stop the server.

use std::io::{ErrorKind as IoErrorKind, Read, Write};
use std::os::unix::net::UnixStream;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use mcplite_core::{Call, Clock, Error, ErrorKind, Failure, Item, Server};

/// A server that offers all of them.
pub(crate) fn server() -> Result<Server, Error> {
    let server = Server::new("workbench", "1.0")?;
    server.set_clock(SystemClock(Instant::now()));
    server.register(Item::tool("echo").on_call(|call: &Call| {
        let text = call.arg_str("text").unwrap_or_default();
        Ok(call.reply_text(&text)?)
    }))?;
    server.register(Item::tool("big").on_call(|call: &Call| {
        let size = call.arg_i64("size").unwrap_or_default();
        Ok(call.reply_text(&"x".repeat(usize::try_from(size).unwrap_or_default()))?)
    }))?;
    server.register(Item::tool("hold").on_call(hold))?;
    server.register(Item::tool("notice").on_call(notice))?;
    server.register(Item::tool("print").on_call(print))?;
    let own = server.clone();
    server.register(Item::tool("shut_down").on_call(move |call: &Call| {
        own.shutdown();
        Ok(call.reply_text("bye")?)
    }))?;
    let own = server.clone();
    server.register(Item::tool("close").on_call(move |_: &Call| {
        own.close();
        Ok(())
    }))?;
    Ok(server)
}

struct SystemClock(Instant);

impl Clock for SystemClock {
    fn now_ms(&self) -> u64 {
        u64::try_from(self.0.elapsed().as_millis()).unwrap_or(u64::MAX)
    }
}

/// Connects to the test, which so knows that it runs, and blocks until the test hangs up. May set
/// itself a deadline before.
fn hold(call: &Call) -> Result<(), Failure> {
    let mut test = meet(call)?;
    if let Some(deadline) = call.arg_i64("deadline_ms") {
        call.set_deadline_ms(u64::try_from(deadline).unwrap_or_default())?;
    }
    test.read_to_end(&mut Vec::new()).map_err(failure)?;
    Ok(call.reply_text("released")?)
}

/// Connects to the test and tells it when the call is cancelled.
fn notice(call: &Call) -> Result<(), Failure> {
    let mut test = meet(call)?;
    test.set_read_timeout(Some(Duration::from_millis(5))).map_err(failure)?;
    while !call.is_cancelled() {
        match test.read(&mut [0]) {
            Err(error) if error.kind() == IoErrorKind::WouldBlock => {}
            Err(error) => return Err(failure(error)),
            Ok(_) => return Ok(call.reply_text("released")?),
        }
    }
    test.write_all(b"cancelled").map_err(failure)
}

/// Prints in three ways, one of them another program that also looks for input.
fn print(call: &Call) -> Result<(), Failure> {
    let mut stdout = std::io::stdout();
    stdout.write_all(b"printed by the handler\n").map_err(failure)?;
    let mut file = std::fs::File::options().append(true).open("/dev/stdout").map_err(failure)?;
    file.write_all(b"printed to the device\n").map_err(failure)?;
    let mut program = Command::new("sh");
    program.args(["-c", "cat; echo printed by a program"]).stdin(Stdio::inherit());
    program.status().map_err(failure)?;
    Ok(call.reply_text("printed")?)
}

fn meet(call: &Call) -> Result<UnixStream, Failure> {
    let path = call.arg_str("socket").unwrap_or_default();
    UnixStream::connect(&*path).map_err(failure)
}

fn failure(error: std::io::Error) -> Failure {
    Failure::new(ErrorKind::ToolFailed, error.to_string())
}
