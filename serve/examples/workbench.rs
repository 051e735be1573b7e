//! A server with tools that block, print and shut down.
//!
//! It serves standard input and output, or the address of an argument `socket=<address>` or
//! `http=<address>`, the latter if built with the feature `http` and under the path `/mcp`. Others are
//! `workers=<number>`, `grace=<milliseconds>`, `output=<limit in bytes>`, `open=<limit of calls>`, and
//! `goodbye` for a line on standard output at the end.

#![expect(clippy::print_stdout, clippy::print_stderr, reason = "it says how it ended")]

#[cfg(feature = "http")]
use mcplite_core::Http;
use mcplite_core::{Call, Item, Server};
use mcplite_serve::{ServeError, Settings, socket, stdio};
use nix::sys::signal::{SigHandler, Signal, signal};

#[path = "../tests/support/tools.rs"]
mod tools;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    // A program in another language has this default; Rust's start-up code changes it.
    // SAFETY: no handler is installed, so that no code runs in one.
    unsafe { signal(Signal::SIGPIPE, SigHandler::SigDfl) }?;

    let server = tools::server()?;
    let mut settings = Settings::default();
    let (mut address, mut speaks_http, mut says_goodbye) = (None, false, false);
    for argument in std::env::args().skip(1) {
        match argument.split_once('=') {
            Some(("workers", value)) => settings.workers = value.parse()?,
            Some(("grace", value)) => settings.grace_ms = value.parse()?,
            Some(("output", value)) => {
                let bytes = value.parse()?;
                server.configure(|options| options.limits.output_bytes = bytes)?;
            }
            Some(("open", value)) => {
                let calls = value.parse()?;
                server.configure(|options| options.limits.open_calls = calls)?;
            }
            Some((kind @ ("socket" | "http"), value)) => {
                (address, speaks_http) = (Some(value.to_owned()), kind == "http");
            }
            _ => says_goodbye = true,
        }
    }
    let own = server.clone();
    server.register(Item::tool("serve_again").on_call(move |call: &Call| {
        let own = own.clone();
        let result = std::thread::spawn(move || stdio(&own, &Settings::default())).join();
        Ok(call.reply_text(&format!("{result:?}"))?)
    }))?;
    let result = match address {
        None => stdio(&server, &settings),
        Some(address) if speaks_http => serve_http(&server, &address, &settings),
        Some(address) => socket(&server, &address, &settings, &mut |_| println!("listening")),
    };
    eprintln!("ended: {result:?}");
    if says_goodbye {
        println!("standard output is back");
    }
    Ok(result?)
}

#[cfg(feature = "http")]
fn serve_http(server: &Server, address: &str, settings: &Settings) -> Result<(), ServeError> {
    let http = Http::new(server, "/mcp").map_err(|_| ServeError::Closed)?;
    mcplite_serve::http(&http, address, settings, &mut |address| println!("listening at {address}"))
}

#[cfg(not(feature = "http"))]
fn serve_http(_: &Server, _: &str, _: &Settings) -> Result<(), ServeError> {
    Err(ServeError::Unsupported)
}
