//! What the tests of the boundary share.

#![allow(dead_code, reason = "each test program uses its part")]
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::string_slice,
    reason = "a test that finds something else than it expects has failed"
)]

use std::fs;
use std::path::{Path, PathBuf};

/// The root of the repository.
pub(crate) fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap().to_owned()
}

/// The text of a file, by its path below the root.
pub(crate) fn read(path: &str) -> String {
    fs::read_to_string(root().join(path)).unwrap_or_else(|error| panic!("{path}: {error}"))
}

/// Every module with its text.
pub(crate) fn sources() -> Vec<(String, String)> {
    let mut found: Vec<_> = fs::read_dir(root().join("ffi/src"))
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .map(|path| {
            let module = path.file_stem().unwrap().to_str().unwrap().to_owned();
            (module, fs::read_to_string(&path).unwrap())
        })
        .collect();
    found.sort();
    found
}

/// An exported function: its name, its documentation and its source.
pub(crate) struct Export {
    pub(crate) name: String,
    pub(crate) documentation: String,
    pub(crate) body: String,
}

/// Every exported function, by name.
pub(crate) fn exports() -> Vec<Export> {
    let mut found = Vec::new();
    for (_, text) in sources() {
        for (place, _) in text.match_indices("#[unsafe(no_mangle)]\n") {
            let before: Vec<_> = text[..place].lines().rev().collect();
            let mut documentation: Vec<_> =
                before.iter().take_while(|line| line.starts_with("///")).copied().collect();
            documentation.reverse();
            let body = &text[place..];
            let body = &body[..body.find("\n}\n").unwrap()];
            let name = body.split_once(" fn ").unwrap().1.split_once('(').unwrap().0;
            found.push(Export {
                name: name.to_owned(),
                documentation: documentation.join("\n"),
                body: body.to_owned(),
            });
        }
    }
    found.sort_by(|one, other| one.name.cmp(&other.name));
    found
}

/// Fails unless the file has this text; with `UPDATE=1` gives it to the file.
pub(crate) fn update_or_compare(path: &Path, wanted: &str) {
    if std::env::var_os("UPDATE").is_some() {
        return fs::write(path, wanted).unwrap();
    }
    let have = fs::read_to_string(path).unwrap_or_default();
    let differs = have.lines().zip(wanted.lines()).position(|(have, wanted)| have != wanted);
    let line = differs.unwrap_or(have.lines().count().min(wanted.lines().count())) + 1;
    assert!(have == wanted, "{} differs from line {line} on; UPDATE=1 writes it", path.display());
}
