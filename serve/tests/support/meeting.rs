//! Where a test meets a tool that blocks.

use std::os::unix::net::{UnixListener, UnixStream};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};

use serde_json::{Value, json};

/// A directory of its own, which goes away with it.
pub(crate) struct Folder(PathBuf);

impl Folder {
    pub(crate) fn new() -> Folder {
        static COUNT: AtomicUsize = AtomicUsize::new(0);
        let number = COUNT.fetch_add(1, Ordering::Relaxed);
        let name = format!("mcplite-{}-{number}", std::process::id());
        let path = std::env::temp_dir().join(name);
        std::fs::create_dir(&path).unwrap();
        Folder(path)
    }

    pub(crate) fn path(&self) -> &Path {
        &self.0
    }

    /// The path of a file in it, as text.
    pub(crate) fn file(&self, name: &str) -> String {
        self.0.join(name).into_os_string().into_string().unwrap()
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        drop(std::fs::remove_dir_all(&self.0));
    }
}

/// A tool that is told of this connects here when it runs, and blocks until it is let go.
pub(crate) struct Meeting {
    listener: UnixListener,
    folder: Folder,
}

impl Meeting {
    pub(crate) fn new() -> Meeting {
        let folder = Folder::new();
        let listener = UnixListener::bind(folder.path().join("meeting")).unwrap();
        Meeting { listener, folder }
    }

    /// What to call the tool with.
    pub(crate) fn arguments(&self) -> Value {
        json!({"socket": self.folder.file("meeting")})
    }

    /// Whether no tool has come so far.
    pub(crate) fn is_unvisited(&self) -> bool {
        self.listener.set_nonblocking(true).unwrap();
        self.listener.accept().is_err()
    }

    /// Waits until the tool runs. Dropping what comes back lets it go.
    pub(crate) fn wait(&self) -> UnixStream {
        self.listener.accept().unwrap().0
    }
}
