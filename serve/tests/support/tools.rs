//! Tools that answer, block, print and stop the server.

use std::io::{ErrorKind as IoErrorKind, Read, Write};
use std::os::unix::net::UnixStream;
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicU8, Ordering};
use std::time::{Duration, Instant};

use mcplite_core::{Call, Clock, Entropy, Error, ErrorKind, Failure, Item, Server};

/// A server that offers all of them.
pub(crate) fn server() -> Result<Server, Error> {
    let server = Server::new("workbench", "1.0")?;
    server.set_clock(SystemClock(Instant::now()));
    server.set_entropy(Counter(AtomicU8::new(0)));
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
    server.register(Item::tool("report").on_call(report))?;
    server.register(
        Item::tool("break").on_call(|_: &Call| std::panic::resume_unwind(Box::new(()))),
    )?;
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

/// Good enough for names that no test tries to guess.
struct Counter(AtomicU8);

impl Entropy for Counter {
    fn fill(&self, out: &mut [u8]) -> bool {
        out.fill_with(|| self.0.fetch_add(1, Ordering::Relaxed));
        true
    }
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

/// Tells of its progress so many times, then answers; or, without a number, tells once and waits for the
/// test to hang up.
fn report(call: &Call) -> Result<(), Failure> {
    let message =
        "x".repeat(call.arg_i64("size").map_or(0, |size| usize::try_from(size).unwrap_or(0)));
    let Some(times) = call.arg_i64("times") else {
        call.progress(1.0, None, None)?;
        return hold(call);
    };
    for number in 1..=times {
        call.progress(number as f64, None, Some(&message))?;
    }
    Ok(call.reply_text("reported")?)
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
