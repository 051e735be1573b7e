//! Standard input and output, kept for the client.

use napi_derive::napi;

use crate::error::{Result, misuse};

/// Descriptors that lead to the client.
#[napi(object)]
pub(crate) struct Ends {
    /// Where it writes.
    pub input: i32,
    /// Where it reads.
    pub output: i32,
}

/// Points file descriptor 1 at standard error, so that what anybody prints does not get among the messages, and 0 at
/// nothing, so that no program that a tool starts reads messages away. Gives descriptors that lead to the client, which
/// such programs do not get.
#[cfg(unix)]
#[napi(catch_unwind)]
pub(crate) fn take_standard() -> Result<Ends> {
    use std::fs::File;
    use std::io::{stderr, stdin, stdout};
    use std::os::fd::{AsFd, IntoRawFd};

    use nix::unistd::{dup2_stdin, dup2_stdout};

    let failed = |error: std::io::Error| {
        misuse(format!("standard input and output cannot be kept: {error}"))
    };
    let input = stdin().as_fd().try_clone_to_owned().map_err(failed)?;
    let output = stdout().as_fd().try_clone_to_owned().map_err(failed)?;
    let nowhere = File::options().read(true).write(true).open("/dev/null").map_err(failed)?;
    dup2_stdin(&nowhere).map_err(|error| failed(error.into()))?;
    if dup2_stdout(stderr()).is_err() {
        // A process without standard error prints to nowhere.
        dup2_stdout(&nowhere).map_err(|error| failed(error.into()))?;
    }
    Ok(Ends { input: input.into_raw_fd(), output: output.into_raw_fd() })
}

/// Elsewhere JavaScript guards the output by itself.
#[cfg(not(unix))]
#[napi(catch_unwind)]
pub(crate) fn take_standard() -> Result<Ends> {
    Ok(Ends { input: 0, output: 1 })
}
