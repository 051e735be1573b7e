//! What no server can do without, whatever it is: `limit play NAME ROUNDS DIR (copy | sonic | simd)`.
//!
//! `copy` moves the request into a buffer and the answer into another. `sonic` and `simd` parse the request,
//! by sonic-rs into its tree, by simd-json into its tape, and do nothing with it; simd-json writes into what
//! it parses, and therefore needs a copy of it.

use std::hint::black_box;
use std::process::ExitCode;

use playing::{Stop, Workload, finish, measure};
use simd_json::{Buffers, Tape};

fn main() -> ExitCode {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    finish(match words.as_slice() {
        ["play", name, rounds, folder, way] => play(name, rounds, folder, way),
        _ => Err("usage: limit play NAME ROUNDS DIR (copy | sonic | simd)".into()),
    })
}

fn play(name: &str, rounds: &str, folder: &str, way: &str) -> Result<String, Stop> {
    let workload = Workload::read(folder, name)?;
    let rounds = rounds.parse()?;
    match way {
        "copy" => copy(&workload, rounds),
        "sonic" => parse_with_sonic(&workload, rounds),
        "simd" => parse_with_simd_json(&workload, rounds),
        _ => Err(format!("there is no way {way}").into()),
    }
}

fn copy(workload: &Workload, rounds: u64) -> Result<String, Stop> {
    let mut buffers = (Vec::new(), Vec::new());
    let round = |(request, answer): &mut (Vec<u8>, Vec<u8>)| {
        request.clear();
        request.extend_from_slice(black_box(&workload.request));
        answer.clear();
        answer.extend_from_slice(black_box(&workload.answer));
        black_box((request, &*answer));
        Ok(workload.answer.len())
    };
    measure(workload, rounds, &mut buffers, round, |(_, answer)| playing::check(workload, answer))
}

fn parse_with_sonic(workload: &Workload, rounds: u64) -> Result<String, Stop> {
    let round = |_: &mut ()| {
        let tree: sonic_rs::Value = sonic_rs::from_slice(black_box(&workload.request))?;
        black_box(tree);
        Ok(0)
    };
    measure(workload, rounds, &mut (), round, |()| Ok(()))
}

fn parse_with_simd_json(workload: &Workload, rounds: u64) -> Result<String, Stop> {
    let mut buffers = (Vec::new(), Buffers::new(workload.request.len()), Some(Tape::null()));
    let round = |(request, buffers, tape): &mut (Vec<u8>, Buffers, Option<Tape<'static>>)| {
        request.clear();
        request.extend_from_slice(black_box(&workload.request));
        let mut filled = tape.take().unwrap_or_else(Tape::null).reset();
        simd_json::fill_tape(request, buffers, &mut filled)?;
        // The tape points into the request; empty, it can be used again for the next.
        *tape = Some(black_box(filled).reset());
        Ok(0)
    };
    measure(workload, rounds, &mut buffers, round, |_| Ok(()))
}
