//! What programs that play workloads share.
//!
//! A program is started as `PROGRAM play NAME ROUNDS DIR`, where `DIR` has what `report messages` writes.
//! It prints one object of JSON, or ends with code 1, or with 3 for what it cannot do at all.

mod answer;
mod workload;

use std::process::ExitCode;
use std::time::Instant;

use nix::time::{ClockId, clock_gettime};

pub use answer::check;
pub use workload::{Deed, Workload};

/// Why a workload was not played.
#[derive(Debug)]
pub enum Stop {
    /// What is measured has no such thing.
    Unable(String),
    /// It should have worked.
    Failed(Box<dyn std::error::Error>),
}

impl<E: Into<Box<dyn std::error::Error>>> From<E> for Stop {
    fn from(error: E) -> Stop {
        Stop::Failed(error.into())
    }
}

/// Prints what a program has to say, and tells how it ended.
pub fn finish(done: Result<String, Stop>) -> ExitCode {
    match done {
        Ok(text) => {
            println!("{text}");
            ExitCode::SUCCESS
        }
        Err(Stop::Unable(reason)) => {
            eprintln!("{reason}");
            ExitCode::from(3)
        }
        Err(Stop::Failed(error)) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}

/// Plays so many rounds with `round`, which gives the size of its answer. `check` looks at the last
/// answer, and at that of one round before the clocks run.
pub fn measure<S>(
    workload: &Workload,
    rounds: u64,
    subject: &mut S,
    mut round: impl FnMut(&mut S) -> Result<usize, Stop>,
    check: impl Fn(&S) -> Result<(), Stop>,
) -> Result<String, Stop> {
    let mut answer_bytes = round(subject)?;
    check(subject)?;
    let watch = Watch::start()?;
    for _ in 0..rounds {
        answer_bytes = round(subject)?;
    }
    let times = watch.stop()?;
    check(subject)?;
    Ok(times.figures(rounds, workload.request.len(), answer_bytes))
}

/// Two clocks that run.
#[derive(Debug)]
pub struct Watch {
    wall: Instant,
    cpu_ns: i64,
}

/// How long something took, in nanoseconds: by the clock on the wall, and of this process alone.
#[derive(Debug)]
pub struct Times {
    wall: u128,
    cpu: i64,
}

impl Watch {
    /// Starts both clocks.
    pub fn start() -> Result<Watch, Stop> {
        Ok(Watch { cpu_ns: cpu_ns()?, wall: Instant::now() })
    }

    /// Reads both clocks.
    pub fn stop(self) -> Result<Times, Stop> {
        Ok(Times { wall: self.wall.elapsed().as_nanos(), cpu: cpu_ns()? - self.cpu_ns })
    }
}

impl Times {
    /// What a program prints of the rounds that it played.
    pub fn figures(&self, rounds: u64, request_bytes: usize, answer_bytes: usize) -> String {
        let Times { wall, cpu } = self;
        format!(
            r#"{{"rounds":{rounds},"wall_ns":{wall},"cpu_ns":{cpu},"request_bytes":{request_bytes},"answer_bytes":{answer_bytes}}}"#
        )
    }
}

fn cpu_ns() -> Result<i64, Stop> {
    let time = clock_gettime(ClockId::CLOCK_PROCESS_CPUTIME_ID)?;
    Ok(time.tv_sec() * 1_000_000_000 + time.tv_nsec())
}
