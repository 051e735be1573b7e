//! The official Rust SDK, in the set-ups that might be its fastest.
//!
//! | | |
//! |---|---|
//! | `play NAME ROUNDS DIR` | a workload, from bytes to bytes in this process |
//! | `stdio WORD...` | serves standard input and output |
//! | `http WORD...` | serves HTTP, and writes its port to standard output |
//! | `memory DIR` | how much stays allocated; needs the counting library in `LD_PRELOAD` |
//!
//! Words: `multi`, for a runtime with many threads in place of one; `session`, for sessions in place of
//! answering each request by itself; `blocking`, for the threads of tokio's own standard streams.

mod adding;
mod arguments;
mod http;
mod memory;
mod pipe;
mod stage;

use std::process::ExitCode;

use playing::{Stop, Workload, finish};
use rmcp::ServiceExt;
use rmcp::transport::{stdio, stdio_pipes};
use tokio::runtime::{Builder, Runtime};

use adding::Adding;

fn main() -> ExitCode {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let served = match words.as_slice() {
        ["play", name, rounds, folder] => return finish(play(name, rounds, folder)),
        ["memory", folder] => return finish(memory::measure(folder)),
        ["idle", tools, sessions, folder] => memory::idle(tools, sessions, folder),
        ["stdio", words @ ..] => serve_stdio(words),
        ["http", words @ ..] => http::serve(words),
        _ => Err("see the head of main.rs for how it is called".into()),
    };
    match served {
        Ok(()) => ExitCode::SUCCESS,
        Err(stop) => finish(Err(stop)),
    }
}

fn play(name: &str, rounds: &str, folder: &str) -> Result<String, Stop> {
    let workload = Workload::read(folder, name)?;
    let rounds = rounds.parse()?;
    runtime(&[])?.block_on(stage::play(&workload, rounds))
}

fn serve_stdio(words: &[&str]) -> Result<(), Stop> {
    runtime(words)?.block_on(async {
        let server = Adding::new();
        if words.contains(&"blocking") {
            server.serve(stdio()).await?.waiting().await?;
        } else {
            server.serve(stdio_pipes()).await?.waiting().await?;
        }
        Ok(())
    })
}

/// The runtime that the words choose.
fn runtime(words: &[&str]) -> Result<Runtime, Stop> {
    let mut builder = match words.contains(&"multi") {
        true => Builder::new_multi_thread(),
        false => Builder::new_current_thread(),
    };
    Ok(builder.enable_all().build()?)
}
