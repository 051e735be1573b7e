//! Standard input and output, kept from everybody else in the process while they are served.

use std::fs::File;
use std::io::{self, stderr, stdin, stdout};
use std::os::fd::AsFd;
use std::sync::atomic::{AtomicBool, Ordering};

use nix::unistd::{dup2_stdin, dup2_stdout};

use super::ends::Ends;
use super::outlet::Outlet;
use crate::error::ServeError;

/// While one lives, file descriptor 1 leads to standard error, so that what anybody prints does not get
/// among the messages; and 0 is empty, so that no program that a tool starts reads messages away.
/// Dropping it puts everything back.
#[derive(Debug)]
pub(crate) struct Standard {
    input: File,
    output: File,
    _turn: Turn,
}

/// The process has one standard input: whoever serves it is alone.
static IS_TAKEN: AtomicBool = AtomicBool::new(false);

#[derive(Debug)]
struct Turn(());

impl Standard {
    pub(crate) fn take() -> Result<Standard, ServeError> {
        if IS_TAKEN.swap(true, Ordering::SeqCst) {
            return Err(ServeError::Busy);
        }
        let turn = Turn(());
        // Duplicates are closed in programs that tools start: those must not keep the client's pipes.
        let input = File::from(stdin().as_fd().try_clone_to_owned()?);
        let output = File::from(stdout().as_fd().try_clone_to_owned()?);
        let standard = Standard { input, output, _turn: turn };
        let nowhere = File::options().read(true).write(true).open("/dev/null");
        if let Ok(nowhere) = &nowhere {
            dup2_stdin(nowhere).map_err(io::Error::from)?;
        }
        // A process without standard error prints to nowhere.
        match (dup2_stdout(stderr()), nowhere) {
            (Ok(()), _) => {}
            (Err(_), Ok(nowhere)) => dup2_stdout(nowhere).map_err(io::Error::from)?,
            (Err(_), Err(error)) => return Err(error.into()),
        }
        Ok(standard)
    }

    /// What leads to the client.
    pub(crate) fn ends(&self) -> io::Result<Ends> {
        let output = Outlet::new(self.output.try_clone()?);
        Ok(Ends::Pair { input: self.input.try_clone()?, output })
    }
}

impl Drop for Standard {
    fn drop(&mut self) {
        // These cannot fail with descriptors that are open.
        let _restored = (dup2_stdin(&self.input), dup2_stdout(&self.output));
    }
}

impl Drop for Turn {
    fn drop(&mut self) {
        IS_TAKEN.store(false, Ordering::SeqCst);
    }
}
