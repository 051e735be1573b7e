//! Standard output, kept for messages.

use napi_derive::napi;

use crate::error::{Result, misuse};

/// Points file descriptor 1 at standard error, so that what anybody prints does not get among the messages; gives
/// the descriptor that leads to the client. It is closed in programs that tools start.
#[cfg(unix)]
#[napi(catch_unwind)]
pub(crate) fn guard_output() -> Result<i32> {
    use std::io::{stderr, stdout};
    use std::os::fd::{AsFd, IntoRawFd};

    let failed = |error: std::io::Error| misuse(format!("standard output cannot be kept: {error}"));
    let output = stdout().as_fd().try_clone_to_owned().map_err(failed)?;
    if nix::unistd::dup2_stdout(stderr()).is_err() {
        // A process without standard error prints to nowhere.
        let nowhere = std::fs::File::options().write(true).open("/dev/null").map_err(failed)?;
        nix::unistd::dup2_stdout(nowhere).map_err(|error| failed(error.into()))?;
    }
    Ok(output.into_raw_fd())
}

/// Elsewhere the guard is in JavaScript only.
#[cfg(not(unix))]
#[napi(catch_unwind)]
pub(crate) fn guard_output() -> Result<i32> {
    Ok(1)
}
