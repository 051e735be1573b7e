//! What stays allocated: for a server with its tools, and for a connection on which nothing happens.
//!
//! The counting library tells at the end of a process what is alive, so that each count is a process of its
//! own, which ends while everything still stands.

use std::process::{Command, exit};
use std::sync::Arc;

use playing::{Stop, Workload};

use crate::runtime;
use crate::stage::Stage;

const SESSIONS: i64 = 1000;

/// Prints both figures, in bytes.
pub(crate) fn measure(folder: &str) -> Result<String, Stop> {
    let nothing = live_bytes("0", 0, folder)?;
    let server = live_bytes("100", 0, folder)?;
    let sessions = live_bytes("100", SESSIONS, folder)? - server;
    let (server, session) = (server - nothing, sessions / SESSIONS);
    Ok(format!(
        r#"{{"server_100_tools_live_bytes":{server},"idle_connection_live_bytes":{session}}}"#
    ))
}

/// Sets up what is to be counted, and ends at once.
pub(crate) fn idle(tools: &str, sessions: &str, folder: &str) -> Result<(), Stop> {
    let mut listed = Workload::read(folder, "list-100")?;
    if tools == "0" {
        listed.tools = "[]".to_owned();
    }
    // The calls are to a server of their own, which is there in any case.
    let called = Workload::read(folder, "small-call")?;
    let sessions: i64 = sessions.parse()?;
    runtime(&[])?.block_on(async {
        let (server, callee) = (Stage::new(&listed)?, Stage::new(&called)?);
        let request: Arc<[u8]> = Arc::from(called.request.as_slice());
        let mut pipes = Vec::new();
        for _ in 0..sessions {
            let pipe = callee.connect(&called).await?;
            let mut answer = Vec::new();
            pipe.ask(&request, &mut answer).await?;
            playing::check(&called, &answer)?;
            pipes.push(pipe);
        }
        let _alive = (server, pipes);
        exit(0)
    })
}

fn live_bytes(tools: &str, sessions: i64, folder: &str) -> Result<i64, Stop> {
    let file = std::env::temp_dir().join(format!("rmcp-live-bytes-{}", std::process::id()));
    let status = Command::new(std::env::current_exe()?)
        .args(["idle", tools, &sessions.to_string(), folder])
        .env("MCPLITE_BENCH_ALLOCATIONS", &file)
        .status()?;
    if !status.success() {
        return Err(format!("counting ended with {status}").into());
    }
    let counts = std::fs::read(&file).map_err(|_| "count_allocations.so must be in LD_PRELOAD")?;
    std::fs::remove_file(&file)?;
    let counts: serde_json::Value = serde_json::from_slice(&counts)?;
    Ok(counts["live_bytes"].as_i64().ok_or("nothing was counted")?)
}
