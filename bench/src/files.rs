//! The workloads as files, from which programs in other languages play the same messages.

use std::fs;
use std::path::Path;

use crate::Error;
use crate::messages::HANDSHAKE;
use crate::script::{Script, Tool};
use crate::workload::ALL;

/// Writes the handshake, and of each workload its script, one part to a file.
///
/// | file | is |
/// |---|---|
/// | `handshake` | the two messages of a client before 2026-07-28, a line each |
/// | `NAME.request` | the message, without a newline |
/// | `NAME.answer` | the answer of mcplite, without a newline |
/// | `NAME.tools` | the tools as an array of JSON, each on a line of its own |
/// | `NAME.deed` | `ping`, `list`, `say` or `splice`: what is asked of the server or its tools |
/// | `NAME.argument` | the argument that the tools read; empty for `ping` and `list` |
/// | `NAME.text` | the text that must stand in `result.content[0].text`, decoded |
pub fn write_all(folder: &Path) -> Result<(), Error> {
    fs::create_dir_all(folder)?;
    fs::write(folder.join("handshake"), HANDSHAKE.map(|line| format!("{line}\n")).concat())?;
    for workload in ALL {
        if let Some(script) = workload.script() {
            write(folder, workload.name, &script)?;
        }
    }
    Ok(())
}

fn write(folder: &Path, name: &str, script: &Script) -> Result<(), Error> {
    let definitions: Vec<String> = script.tools.iter().map(Tool::definition).collect();
    let parts = [
        ("request", script.request.as_str()),
        ("answer", &script.answer),
        ("tools", &format!("[\n{}\n]\n", definitions.join(",\n"))),
        ("deed", script.deed.name()),
        ("argument", script.deed.argument()),
        ("text", &script.text),
    ];
    for (part, content) in parts {
        fs::write(folder.join(format!("{name}.{part}")), content)?;
    }
    Ok(())
}
