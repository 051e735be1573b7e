//! The example `workbench` as a child process, with pipes.

use std::io::Read;
use std::ops::{Deref, DerefMut};
use std::path::PathBuf;
use std::process::{Child, ChildStderr, ChildStdin, ChildStdout, Command, Stdio};
use std::thread::JoinHandle;

use super::client::Client;
use super::watchdog;

/// A server in a process of its own, and its client.
pub(crate) struct Program {
    child: Child,
    client: Client<ChildStdout, ChildStdin>,
    errors: Option<JoinHandle<String>>,
}

/// How a program has ended.
pub(crate) struct Ended {
    /// What else it wrote to standard output.
    pub(crate) output: String,
    /// All that it wrote to standard error.
    pub(crate) errors: String,
    pub(crate) succeeded: bool,
}

impl Program {
    /// Starts it, and shakes hands.
    pub(crate) fn start(arguments: &[&str]) -> Program {
        watchdog::watch();
        let path = path();
        let mut command = Command::new(&path);
        command.args(arguments);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().unwrap_or_else(|error| {
            panic!("{error}: {}; `cargo build --examples` makes it", path.display())
        });
        let client = Client::new(child.stdout.take().unwrap(), child.stdin.take().unwrap());
        let errors = read_all(child.stderr.take().unwrap());
        let mut program = Program { child, client, errors: Some(errors) };
        program.initialize();
        program
    }

    /// Closes the end of the pipe from which it reads messages.
    pub(crate) fn stop_reading(mut self) -> Ended {
        let stdout = self.client.reader;
        drop(stdout);
        let status = self.child.wait().unwrap();
        let errors = self.errors.take().unwrap().join().unwrap();
        drop(self.client.writer);
        Ended { output: String::new(), errors, succeeded: status.success() }
    }

    /// Waits for its end.
    pub(crate) fn wait(mut self) -> Ended {
        let mut output = String::new();
        self.client.reader.read_to_string(&mut output).unwrap();
        let status = self.child.wait().unwrap();
        let errors = self.errors.take().unwrap().join().unwrap();
        Ended { output, errors, succeeded: status.success() }
    }
}

impl Deref for Program {
    type Target = Client<ChildStdout, ChildStdin>;

    fn deref(&self) -> &Self::Target {
        &self.client
    }
}

impl DerefMut for Program {
    fn deref_mut(&mut self) -> &mut Self::Target {
        &mut self.client
    }
}

/// Where cargo puts it.
pub(crate) fn path() -> PathBuf {
    let own = std::env::current_exe().unwrap();
    own.parent().unwrap().with_file_name("examples").join("workbench")
}

/// Reads beside the test, so that the program never waits for it.
fn read_all(mut errors: ChildStderr) -> JoinHandle<String> {
    std::thread::spawn(move || {
        let mut text = String::new();
        errors.read_to_string(&mut text).unwrap();
        text
    })
}
