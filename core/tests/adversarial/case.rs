//! The cases as they stand in the corpus, with their repetitions written out.

use data_encoding::BASE64;
use serde_json::Value;

const CORPUS: &str = include_str!("../../../tests/adversarial/corpus.jsonl");

/// One hostile message, what comes before it, and what must come of it.
pub(crate) struct Case {
    pub(crate) id: String,
    pub(crate) class: String,
    pub(crate) level: String,
    pub(crate) is_modern: bool,
    /// Whether the input is a piece of a stream, which may hold several lines.
    pub(crate) is_stream: bool,
    pub(crate) setup: Vec<String>,
    pub(crate) input: Vec<u8>,
    pub(crate) expect: Value,
}

/// All cases, in the order of the file.
pub(crate) fn load() -> Vec<Case> {
    let cases: Vec<_> = CORPUS.lines().map(read).collect();
    assert!(cases.len() > 400, "the corpus is there");
    cases
}

fn read(line: &str) -> Case {
    let case = write_out(serde_json::from_str(line).unwrap());
    let text = |name: &str| case[name].as_str().unwrap().to_owned();
    let setup = case["setup"].as_array().unwrap().iter();
    Case {
        id: text("id"),
        class: text("class"),
        level: text("level"),
        is_modern: case["era"] == "modern",
        is_stream: case["framing"] == "stdio-raw",
        setup: setup.flat_map(|it| it.as_str().unwrap().lines()).map(str::to_owned).collect(),
        input: match case["input_b64"].as_str() {
            Some(input) => BASE64.decode(input.as_bytes()).unwrap(),
            None => text("input").into_bytes(),
        },
        expect: case["expect"].clone(),
    }
}

/// Puts strings in the place of objects whose only member is `parts`.
fn write_out(value: Value) -> Value {
    match value {
        Value::Object(object) if object.len() == 1 && object.contains_key("parts") => {
            let parts = object["parts"].as_array().unwrap();
            parts.iter().map(repeated).collect::<String>().into()
        }
        Value::Object(object) => {
            Value::Object(object.into_iter().map(|(name, it)| (name, write_out(it))).collect())
        }
        Value::Array(array) => array.into_iter().map(write_out).collect(),
        other => other,
    }
}

/// `[text, count]`, or `[text, count, mark]` where the mark stands for 0, 1, 2 and so on.
fn repeated(part: &Value) -> String {
    let (text, count) = (part[0].as_str().unwrap(), part[1].as_u64().unwrap());
    match part[2].as_str() {
        Some(mark) => (0..count).map(|index| text.replace(mark, &index.to_string())).collect(),
        None => text.repeat(usize::try_from(count).unwrap()),
    }
}
