//! Counting instructions with callgrind, a tool of valgrind.

use std::io;
use std::path::Path;
use std::process::{Child, Command, Stdio};

use crate::Error;
use crate::workload::Workload;

/// Callgrind counts a `rep movsb` as one instruction a byte, so glibc must copy in another way.
const TUNABLES: (&str, &str) = ("GLIBC_TUNABLES", "glibc.cpu.x86_rep_movsb_threshold=1000000000");

/// Whether valgrind is there, in words: its version, or why it cannot be used.
pub fn find() -> Result<String, String> {
    match Command::new("valgrind").arg("--version").output() {
        Ok(output) if output.status.success() => {
            Ok(String::from_utf8_lossy(&output.stdout).trim().to_owned())
        }
        Ok(output) => Err(format!("valgrind does not work ({})", output.status)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            Err("valgrind is not installed".to_owned())
        }
        Err(error) => Err(format!("valgrind does not start: {error}")),
    }
}

/// Instructions of one round of `workload` in its steady state.
///
/// `program` plays the workload when it is started with `play`, its name and a number of rounds. It
/// is run with two numbers, side by side, and what both runs have in common cancels out.
pub fn instructions(program: &Path, workload: &Workload) -> Result<u64, Error> {
    let few = start(program, workload.name, workload.rounds)?;
    let many = start(program, workload.name, workload.rounds * 2)?;
    let (few, many) = (finish(few), finish(many));
    let difference = many?.checked_sub(few?).ok_or("more rounds took fewer instructions")?;
    Ok(difference.div_ceil(workload.rounds))
}

fn start(program: &Path, name: &str, rounds: u64) -> io::Result<Child> {
    Command::new("valgrind")
        .args(["--tool=callgrind", "--callgrind-out-file=/dev/null"])
        .arg(program)
        .args(["play", name, &rounds.to_string()])
        .env(TUNABLES.0, TUNABLES.1)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
}

fn finish(child: Child) -> Result<u64, Error> {
    let output = child.wait_with_output()?;
    let log = String::from_utf8_lossy(&output.stderr);
    if !output.status.success() {
        return Err(format!("callgrind: {}\n{log}", output.status).into());
    }
    collected(&log).ok_or_else(|| format!("callgrind gave no count:\n{log}").into())
}

/// The total in what callgrind says at the end.
fn collected(log: &str) -> Option<u64> {
    let (_, count) = log.lines().find_map(|line| line.split_once("Collected :"))?;
    count.trim().parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_count_is_found_in_the_log() {
        let log = "==7== Events    : Ir\n==7== Collected : 1234567\n==7== \n";
        assert_eq!(collected(log), Some(1_234_567));
        assert_eq!(collected("==7== Events    : Ir\n"), None);
    }
}
