//! Lines in, lines out: whatever one read has brought is answered by one write.

use std::fs::File;
use std::io::{Read, Write, stdin, stdout};
use std::os::fd::AsFd;

use memchr::memchr;
use playing::Stop;

use crate::server::Server;

/// Serves standard input and output until the input ends.
pub(crate) fn serve(server: Server) -> Result<(), Stop> {
    let mut input = File::from(stdin().as_fd().try_clone_to_owned()?);
    let mut output = File::from(stdout().as_fd().try_clone_to_owned()?);
    let mut buffer = vec![0; 1 << 16];
    let (mut filled, mut answers) = (0, Vec::new());
    loop {
        if filled == buffer.len() {
            buffer.resize(2 * filled, 0);
        }
        let count = input.read(&mut buffer[filled..])?;
        if count == 0 {
            return Ok(());
        }
        filled += count;
        let mut begin = 0;
        while let Some(length) = memchr(b'\n', &buffer[begin..filled]) {
            let before = answers.len();
            server.answer(&buffer[begin..begin + length], &mut answers)?;
            if answers.len() > before {
                answers.push(b'\n');
            }
            begin += length + 1;
        }
        output.write_all(&answers)?;
        answers.clear();
        buffer.copy_within(begin..filled, 0);
        filled -= begin;
    }
}
