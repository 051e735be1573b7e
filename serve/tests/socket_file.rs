//! The file of a Unix socket.
#![cfg(unix)]
#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use std::fs;
use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};
use std::os::unix::net::{UnixDatagram, UnixListener};
use std::path::Path;

use mcplite_core::{Call, Item};
use mcplite_serve::{ServeError, Settings, socket};
use serde_json::json;

mod support;

use support::listening::Listening;
use support::meeting::Folder;
use support::tools;

fn start(path: &str) -> Listening {
    Listening::start(path, Settings::default())
}

fn refusal(path: &str) -> ServeError {
    Listening::try_start(path, Settings::default()).err().unwrap()
}

/// The names of all files, hidden ones too.
fn names(folder: &Folder) -> Vec<String> {
    let entries = fs::read_dir(folder.path()).unwrap();
    entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect()
}

#[test]
fn only_this_user_may_connect_and_nothing_else_is_left_beside_it() {
    let folder = Folder::new();
    let listening = start(&folder.file("s"));
    assert_eq!(listening.address, folder.file("s"));
    let data = fs::symlink_metadata(folder.file("s")).unwrap();
    assert_eq!(data.permissions().mode() & 0o777, 0o600);
    assert_eq!(data.nlink(), 1);
    assert_eq!(names(&folder), ["s"]);
    listening.stop();
    assert!(names(&folder).is_empty());
}

#[test]
fn it_goes_away_at_a_shutdown_while_clients_are_connected() {
    let folder = Folder::new();
    let listening = start(&folder.file("s"));
    let mut client = listening.connect();
    client.call(1, "shut_down", &json!({}));
    client.expect_text(1, "bye");
    assert_eq!(client.try_receive(), None);
    listening.wait().unwrap();
    assert!(names(&folder).is_empty());
}

#[test]
fn one_where_nobody_listens_is_replaced() {
    let folder = Folder::new();
    drop(UnixListener::bind(folder.file("s")).unwrap());
    let before = fs::symlink_metadata(folder.file("s")).unwrap().ino();
    let listening = start(&folder.file("s"));
    assert_ne!(fs::symlink_metadata(folder.file("s")).unwrap().ino(), before);
    listening.connect();
    assert_eq!(names(&folder), ["s"]);
    listening.stop();
    assert!(names(&folder).is_empty());
}

#[test]
fn one_where_somebody_listens_is_left_alone() {
    let folder = Folder::new();
    let listening = start(&folder.file("s"));
    assert!(matches!(refusal(&folder.file("s")), ServeError::InUse));
    listening.connect();
    listening.stop();

    let other = UnixListener::bind(folder.file("s")).unwrap();
    assert!(matches!(refusal(&folder.file("s")), ServeError::InUse));
    other.set_nonblocking(true).unwrap();
    let troubled = other.accept().map(drop).unwrap_err();
    assert_eq!(troubled.kind(), std::io::ErrorKind::WouldBlock, "nobody has connected to it");
    drop(other);
    fs::remove_file(folder.file("s")).unwrap();

    let _datagrams = UnixDatagram::bind(folder.file("s")).unwrap();
    assert!(matches!(refusal(&folder.file("s")), ServeError::InUse));
    assert_eq!(names(&folder), ["s"]);
}

#[test]
fn what_is_not_a_socket_is_never_removed() {
    let folder = Folder::new();
    let is_refused = || {
        let error = refusal(&folder.file("s"));
        assert!(
            matches!(&error, ServeError::Address(why) if why.contains("not a socket")),
            "{error}"
        );
        assert!(names(&folder).contains(&"s".into()));
    };
    fs::write(folder.file("s"), "precious").unwrap();
    is_refused();
    assert_eq!(fs::read_to_string(folder.file("s")).unwrap(), "precious");
    fs::remove_file(folder.file("s")).unwrap();
    fs::create_dir(folder.file("s")).unwrap();
    is_refused();
    fs::remove_dir(folder.file("s")).unwrap();
    // Not even where it leads to a socket that could be replaced.
    drop(UnixListener::bind(folder.file("t")).unwrap());
    symlink(folder.file("t"), folder.file("s")).unwrap();
    is_refused();
}

#[test]
fn what_took_its_place_meanwhile_stays() {
    let folder = Folder::new();
    let listening = start(&folder.file("s"));
    fs::remove_file(folder.file("s")).unwrap();
    fs::write(folder.file("s"), "of somebody else").unwrap();
    listening.stop();
    assert_eq!(fs::read_to_string(folder.file("s")).unwrap(), "of somebody else");
}

#[test]
fn a_path_that_cannot_be_is_refused_with_a_reason() {
    let folder = Folder::new();
    let long = folder.file(&"x".repeat(200));
    assert!(refusal(&long).to_string().contains("too long"));
    assert!(names(&folder).is_empty());
    let nowhere = folder.file("missing/s");
    let error = refusal(&nowhere);
    assert!(matches!(&error, ServeError::Io(_)), "{error}");
    assert!(error.to_string().contains("missing"), "{error}");
    assert!(!Path::new(&nowhere).exists());
    assert!(matches!(refusal("192.0.2.1:7000"), ServeError::Address(_)));
    assert!(matches!(refusal("0.0.0.0:0"), ServeError::Address(_)));
}

#[test]
fn a_handler_cannot_serve_and_a_server_that_is_over_cannot_either() {
    let folder = Folder::new();
    let listening = start(&folder.file("s"));
    let (own, path) = (listening.server.clone(), folder.file("t"));
    let serve = move |call: &Call| {
        let result = socket(&own, &path, &Settings::default(), &mut |_| {});
        Ok(call.reply_text(&format!("{result:?}"))?)
    };
    listening.server.register(Item::tool("serve").on_call(serve)).unwrap();
    let mut client = listening.connect();
    client.call(1, "serve", &json!({}));
    client.expect_text(1, "Err(State)");
    listening.stop();

    let server = tools::server().unwrap();
    server.shutdown();
    let result = socket(&server, &folder.file("s"), &Settings::default(), &mut |_| {});
    assert!(matches!(result, Err(ServeError::Closed)));
    assert!(names(&folder).is_empty());
}
