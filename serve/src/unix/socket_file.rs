//! The file of a Unix socket: who may take its name, who may open it, and who takes it away.

use std::fs;
use std::io::{self, ErrorKind};
use std::os::unix::fs::{FileTypeExt, MetadataExt, PermissionsExt};
use std::os::unix::net::{SocketAddr, UnixDatagram, UnixListener};
use std::path::{Path, PathBuf, absolute};

use crate::error::ServeError;

/// A name in the file system that leads to our socket. Dropping it removes the name, unless it leads
/// elsewhere by then.
#[derive(Debug)]
pub(crate) struct SocketFile {
    path: PathBuf,
    /// The same, should the process change its directory.
    absolute: PathBuf,
    identity: Identity,
}

/// What a file is, whatever it is called.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Identity {
    device: u64,
    inode: u64,
}

/// A directory that only this process uses, beside the socket's place.
#[derive(Debug)]
struct Workshop(PathBuf);

/// How often the name is fought for with others who want it.
const ATTEMPTS: usize = 8;

impl SocketFile {
    /// Listens at `path`, for this user only.
    ///
    /// The socket is made where nobody else can go, and gets its name when it has its permissions and
    /// listens: others never see it in between. A name that leads to a socket where nobody listens is
    /// taken over; nothing else is ever removed.
    pub(crate) fn bind(path: &Path) -> Result<(SocketFile, UnixListener), ServeError> {
        let workshop = Workshop::beside(path)?;
        let made = workshop.0.join("s");
        for path in [path, &made] {
            SocketAddr::from_pathname(path).map_err(|_| too_long(path))?;
        }
        let listener = UnixListener::bind(&made)?;
        fs::set_permissions(&made, fs::Permissions::from_mode(0o600))?;
        let identity = Identity::of(&made)?;
        workshop.put(&made, path)?;
        Ok((SocketFile { path: path.into(), absolute: absolute(path)?, identity }, listener))
    }

    /// The path, with a slash in it.
    pub(crate) fn address(&self) -> String {
        let path = self.path.to_string_lossy();
        if path.contains('/') { path.into() } else { format!("./{path}") }
    }
}

impl Drop for SocketFile {
    fn drop(&mut self) {
        if Identity::of(&self.absolute).is_ok_and(|found| found == self.identity) {
            // If it cannot be removed, the next server finds that nobody listens there.
            drop(fs::remove_file(&self.absolute));
        }
    }
}

impl Identity {
    fn of(path: &Path) -> io::Result<Identity> {
        let data = fs::symlink_metadata(path)?;
        Ok(Identity { device: data.dev(), inode: data.ino() })
    }
}

impl Workshop {
    fn beside(path: &Path) -> Result<Workshop, ServeError> {
        let parent = match path.parent() {
            Some(parent) if parent != Path::new("") => parent,
            _ => Path::new("."),
        };
        let template = parent.join(".mcpXXXXXX");
        match nix::unistd::mkdtemp(&template) {
            Ok(made) => Ok(Workshop(made)),
            Err(error) => {
                let why = format!("cannot write to {}: {error}", parent.display());
                Err(ServeError::Io(io::Error::new(io::Error::from(error).kind(), why)))
            }
        }
    }

    /// Gives what was made here its place, if that is free or what is there has had its day.
    fn put(&self, made: &Path, path: &Path) -> Result<(), ServeError> {
        for _ in 0..ATTEMPTS {
            // Unlike a rename, a link replaces nothing.
            match fs::hard_link(made, path) {
                Ok(()) => return Ok(()),
                Err(error) if error.kind() != ErrorKind::AlreadyExists => return Err(error.into()),
                Err(_) => self.clear(path)?,
            }
        }
        Err(ServeError::InUse)
    }

    /// Takes away a socket where nobody listens.
    fn clear(&self, path: &Path) -> Result<(), ServeError> {
        let stale = match stale_socket(path) {
            Ok(stale) => stale,
            Err(ServeError::Io(error)) if error.kind() == ErrorKind::NotFound => return Ok(()),
            Err(error) => return Err(error),
        };
        // Somebody may have put something else there meanwhile. Only what has been moved here can be
        // known for what it is before it is removed.
        let moved = self.0.join("old");
        match fs::rename(path, &moved) {
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(()),
            result => result?,
        }
        if Identity::of(&moved)? == stale {
            return Ok(fs::remove_file(&moved)?);
        }
        match fs::hard_link(&moved, path) {
            Ok(()) => fs::remove_file(&moved)?,
            Err(error) if error.kind() == ErrorKind::AlreadyExists => {}
            // A directory has no links.
            Err(_) => fs::rename(&moved, path)?,
        }
        Err(ServeError::InUse)
    }
}

impl Drop for Workshop {
    fn drop(&mut self) {
        drop(fs::remove_file(self.0.join("s")));
        drop(fs::remove_dir(&self.0));
    }
}

/// What is at `path`, if it is a socket where nobody listens.
fn stale_socket(path: &Path) -> Result<Identity, ServeError> {
    let data = fs::symlink_metadata(path)?;
    if !data.file_type().is_socket() {
        let why = format!("{path:?} exists and is not a socket");
        return Err(ServeError::Address(why));
    }
    // A datagram socket cannot connect to a stream socket, but is told whether there is one. So a
    // server that listens is found without troubling it, and one that has no time cannot hold us up.
    match UnixDatagram::unbound()?.connect(path) {
        Err(error) if error.kind() == ErrorKind::ConnectionRefused => {
            Ok(Identity { device: data.dev(), inode: data.ino() })
        }
        Err(error) if error.kind() == ErrorKind::NotFound => Err(error.into()),
        Err(error) if error.kind() == ErrorKind::PermissionDenied => Err(error.into()),
        _ => Err(ServeError::InUse),
    }
}

fn too_long(path: &Path) -> ServeError {
    let why =
        format!("{path:?} is too long for the name of a socket: the system allows about 100 bytes");
    ServeError::Address(why)
}
