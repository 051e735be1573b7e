use super::*;
use crate::stage::empty_server;

fn stage_of(name: &str) -> Result<Stage, Error> {
    Workload::named(name).ok_or("no such workload")?.set_up()
}

#[test]
fn every_workload_gets_the_answer_that_it_should() -> Result<(), Error> {
    for workload in ALL {
        workload.set_up()?.play(3)?;
    }
    Ok(())
}

#[test]
fn a_wrong_answer_stops_the_measurement() -> Result<(), Error> {
    let mut stage = Stage::new(empty_server()?, PING.to_owned(), messages::answer("\"a\":1"))?;
    let error = stage.play(1).err().ok_or("nobody noticed")?;
    let said = r#"the answer should be {"jsonrpc":"2.0","id":1,"result":{"a":1}}, but is {"jsonrpc":"2.0","id":1,"result":{}}"#;
    assert_eq!(error.to_string(), said);
    Ok(())
}

#[test]
fn names_are_unique() {
    for (at, workload) in ALL.iter().enumerate() {
        assert!(ALL.iter().skip(at + 1).all(|other| other.name != workload.name));
    }
}

#[test]
fn messages_are_of_the_size_that_targets_are_for() -> Result<(), Error> {
    for name in ["small-call", "tools-10", "tools-1000", "tools-10000"] {
        let bytes = stage_of(name)?.message_bytes();
        assert!((143..=150).contains(&bytes), "{name} has {bytes} bytes");
    }
    for name in ["twenty-in-order", "twenty-shuffled", "twenty-combined"] {
        let bytes = stage_of(name)?.message_bytes();
        assert!((650..=750).contains(&bytes), "{name} has {bytes} bytes");
    }
    let listed = schemas::LISTED.len();
    assert!((450..=550).contains(&listed), "the listed schema has {listed} bytes");
    for text in [messages::plain_text(), messages::escaped_text()] {
        assert_eq!(text.len(), 64 * 1024);
    }
    Ok(())
}

#[test]
fn shuffled_arguments_are_the_same_ones() {
    let sorted = |text: String| {
        let mut bytes = text.into_bytes();
        bytes.sort_unstable();
        bytes
    };
    let (shuffled, ordered) = (messages::shuffled_arguments(), messages::twenty_arguments());
    assert_ne!(shuffled, ordered);
    assert_eq!(sorted(shuffled), sorted(ordered));
}

#[test]
fn files_have_what_programs_in_other_languages_need() -> Result<(), Error> {
    let folder = std::env::temp_dir().join(format!("mcplite-bench-files-{}", std::process::id()));
    crate::files::write_all(&folder)?;
    let read = |name: &str| std::fs::read_to_string(folder.join(name));
    assert_eq!(read("handshake")?.lines().count(), 2);
    assert_eq!(read("ping.tools")?.split_whitespace().collect::<String>(), "[]");
    assert_eq!(read("small-call.deed")?, "say");
    assert_eq!(read("twenty-in-order.argument")?, "slug");
    assert_eq!(read("echo-64k-escaped.text")?.lines().count(), 1024);
    assert_eq!(read("list-100.tools")?.lines().count(), 102);
    assert!(read("modern-call.request")?.contains("2026-07-28"));
    assert!(read("list-100-copy.request").is_err());
    std::fs::remove_dir_all(&folder)?;
    Ok(())
}
