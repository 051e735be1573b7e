//! Questions to a client: what handlers ask, who can be asked, and what is an answer.

use proptest::prelude::*;
use serde_json::{Value, json};

/// The revisions that clients of this test speak, the oldest first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Revision {
    June,
    November,
    Modern,
}

impl Revision {
    pub(crate) fn name(self) -> &'static str {
        match self {
            Revision::June => "2025-06-18",
            Revision::November => "2025-11-25",
            Revision::Modern => "2026-07-28",
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Topic {
    Form,
    Url,
    Sampling,
    SamplingWithTools,
    Roots,
}

/// What a client says that it can be asked.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Abilities {
    All,
    FormsAndRoots,
    Nothing,
}

impl Abilities {
    pub(crate) fn declared(self) -> Value {
        match self {
            Abilities::All => {
                json!({"elicitation": {"form": {}, "url": {}}, "sampling": {"tools": {}}, "roots": {}})
            }
            Abilities::FormsAndRoots => json!({"elicitation": {}, "roots": {}}),
            Abilities::Nothing => json!({}),
        }
    }

    pub(crate) fn include(self, topic: Topic, revision: Revision) -> bool {
        let is_new = matches!(topic, Topic::Url | Topic::SamplingWithTools);
        match self {
            Abilities::All => !is_new || revision >= Revision::November,
            Abilities::FormsAndRoots => matches!(topic, Topic::Form | Topic::Roots),
            Abilities::Nothing => false,
        }
    }
}

pub(crate) fn any_abilities() -> impl Strategy<Value = Abilities> {
    prop_oneof![
        12 => Just(Abilities::All),
        2 => Just(Abilities::FormsAndRoots),
        1 => Just(Abilities::Nothing),
    ]
}

/// A question under its key, as a handler asks it.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Question {
    pub(crate) key: &'static str,
    pub(crate) topic: Topic,
    /// `Null` for none.
    pub(crate) params: Value,
}

/// A key that plans use. The question of `drift` is another one whenever the handler's state has grown.
pub(crate) fn any_key() -> impl Strategy<Value = &'static str> {
    prop_oneof![
        4 => prop_oneof![Just("form"), Just("sample"), Just("roots")],
        2 => Just("drift"),
        1 => prop_oneof![Just("page"), Just("tools")],
    ]
}

/// Asked by the host from outside of the handler.
pub(crate) const EXTRA: &str = "extra";

/// The key that the engine gives to a page that the user must visit first.
pub(crate) const PAGE_FIRST: &str = "elicitation-0";

impl Question {
    pub(crate) fn new(key: &'static str, state: Option<&str>) -> Question {
        let form = |message: String| json!({"mode": "form", "message": message, "requestedSchema": {"type": "object"}});
        let sample = json!({"messages": [], "maxTokens": 9});
        let (topic, params) = match key {
            "form" => (Topic::Form, form("Who?".to_owned())),
            "drift" => {
                let turn = state.unwrap_or_default().len() % 2;
                (Topic::Form, form(format!("Who, {turn}?")))
            }
            "page" => (Topic::Url, page(key)),
            PAGE_FIRST => (Topic::Url, page(PAGE_FIRST)),
            "sample" => (Topic::Sampling, sample),
            "tools" => {
                let mut sample = sample;
                sample["tools"] = json!([]);
                (Topic::SamplingWithTools, sample)
            }
            _ => (Topic::Roots, Value::Null),
        };
        Question { key, topic, params }
    }

    pub(crate) fn method(&self) -> &'static str {
        match self.topic {
            Topic::Form | Topic::Url => "elicitation/create",
            Topic::Sampling | Topic::SamplingWithTools => "sampling/createMessage",
            Topic::Roots => "roots/list",
        }
    }

    /// `params` as `Call::ask` takes them.
    pub(crate) fn params_text(&self) -> String {
        if self.params.is_null() { String::new() } else { self.params.to_string() }
    }

    /// The question as that revision writes it.
    pub(crate) fn written(&self, revision: Revision) -> Value {
        if self.params.is_null() {
            return json!({"method": self.method()});
        }
        let mut params = self.params.clone();
        let members = params.as_object_mut().unwrap();
        if self.topic == Topic::Form && revision < Revision::November {
            members.remove("mode");
        }
        if revision != Revision::November {
            members.remove("elicitationId");
        }
        json!({"method": self.method(), "params": params})
    }
}

/// A page that the user is sent to.
pub(crate) fn page(id: &str) -> Value {
    json!({"mode": "url", "message": "Go", "url": "https://x.example/", "elicitationId": id})
}

/// What a client may say: for each topic something that fits, and some that fit nothing.
pub(crate) fn sayings() -> Vec<Value> {
    let sampled =
        |role: &str| json!({"role": role, "model": "m", "content": {"type": "text", "text": "ok"}});
    vec![
        json!({"action": "accept", "content": {"name": "Ada"}}),
        json!({"action": "accept"}),
        sampled("assistant"),
        json!({"roots": [{"uri": "file:///home"}]}),
        json!({"action": "decline"}),
        json!({"action": "cancel", "content": {}}),
        json!({"action": "perhaps"}),
        json!({"action": "accept", "content": 1}),
        sampled("system"),
        json!({"role": "user", "content": {"type": "text", "text": "no model"}}),
        json!({"role": "user", "model": "m", "content": [{"type": "text", "text": "a"}]}),
        json!({"role": "user", "model": "m", "content": ["a"]}),
        json!({"roots": []}),
        json!({"roots": [{"uri": "https://x.example/"}]}),
        json!("words"),
        Value::Null,
    ]
}

/// One of the sayings that fits the topic.
pub(crate) fn fitting(topic: Topic) -> Value {
    let index = match topic {
        Topic::Form => 0,
        Topic::Url => 1,
        Topic::Sampling | Topic::SamplingWithTools => 2,
        Topic::Roots => 3,
    };
    sayings().swap_remove(index)
}

/// Whether that is an answer to a question of this topic.
pub(crate) fn fits(topic: Topic, said: &Value) -> bool {
    let is_block = |block: &Value| block["type"].is_string();
    match topic {
        Topic::Form | Topic::Url => match said["action"].as_str() {
            Some("accept") => topic == Topic::Url || said["content"].is_object(),
            Some(action) => ["decline", "cancel"].contains(&action),
            None => false,
        },
        Topic::Sampling | Topic::SamplingWithTools => {
            let content = &said["content"];
            let is_content =
                content.as_array().map_or(is_block(content), |it| it.iter().all(is_block));
            let is_role =
                ["user", "assistant"].contains(&said["role"].as_str().unwrap_or_default());
            is_role && said["model"].is_string() && is_content
        }
        Topic::Roots => {
            let is_file =
                |root: &Value| root["uri"].as_str().is_some_and(|uri| uri.starts_with("file://"));
            said["roots"].as_array().is_some_and(|roots| roots.iter().all(is_file))
        }
    }
}
