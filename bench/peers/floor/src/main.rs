//! The floor: the least that a server can do. It parses, finds out what is asked, runs the tool and writes the
//! answer; it knows no protocol, checks nothing and trusts everybody.
//!
//! `floor play NAME ROUNDS DIR`, `floor stdio` or `floor http`; the last writes its port to standard output.

mod arguments;
mod http;
mod server;
mod stdio;

use std::process::ExitCode;

use playing::{Stop, Workload, finish, measure};
use server::Server;

fn main() -> ExitCode {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let served = match words.as_slice() {
        ["play", name, rounds, folder] => return finish(play(name, rounds, folder)),
        ["stdio"] => stdio::serve(Server::adding()),
        ["http"] => http::serve(Server::adding()),
        _ => Err("usage: floor (play NAME ROUNDS DIR | stdio | http)".into()),
    };
    match served {
        Ok(()) => ExitCode::SUCCESS,
        Err(stop) => finish(Err(stop)),
    }
}

fn play(name: &str, rounds: &str, folder: &str) -> Result<String, Stop> {
    let workload = Workload::read(folder, name)?;
    let mut subject = (Server::of(&workload)?, Vec::new());
    let round = |(server, out): &mut (Server, Vec<u8>)| {
        out.clear();
        server.answer(std::hint::black_box(&workload.request), out)?;
        std::hint::black_box(&out);
        Ok(out.len())
    };
    measure(&workload, rounds.parse()?, &mut subject, round, |(_, out)| {
        playing::check(&workload, out)
    })
}
