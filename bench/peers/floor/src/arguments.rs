//! The arguments of the tools, each with all its properties, borrowed from the message.

use std::borrow::Cow;

use serde::Deserialize;
use serde_json::value::RawValue;

#[derive(Deserialize)]
pub(crate) struct Sum {
    pub(crate) a: i64,
    pub(crate) b: i64,
}

#[derive(Deserialize)]
#[expect(dead_code, reason = "a tool is given all of its properties, and says one of them")]
pub(crate) struct Small<'a> {
    #[serde(borrow)]
    pub(crate) text: Cow<'a, str>,
    count: Option<i64>,
}

#[derive(Deserialize)]
pub(crate) struct Long<'a> {
    #[serde(borrow)]
    pub(crate) text: Cow<'a, str>,
}

#[derive(Deserialize)]
pub(crate) struct Raw<'a> {
    #[serde(borrow)]
    pub(crate) text: &'a RawValue,
}

#[derive(Deserialize)]
#[expect(dead_code, reason = "a tool is given all of its properties, and says one of them")]
pub(crate) struct Twenty<'a> {
    #[serde(borrow)]
    title: Cow<'a, str>,
    #[serde(borrow)]
    pub(crate) slug: Cow<'a, str>,
    #[serde(borrow)]
    status: Cow<'a, str>,
    priority: i64,
    score: f64,
    #[serde(borrow)]
    author: Cow<'a, str>,
    #[serde(borrow)]
    email: Cow<'a, str>,
    #[serde(borrow)]
    language: Cow<'a, str>,
    #[serde(borrow)]
    created: Cow<'a, str>,
    #[serde(borrow)]
    updated: Cow<'a, str>,
    #[serde(borrow)]
    tags: Vec<Tag<'a>>,
    #[serde(borrow)]
    address: Address<'a>,
    visible: bool,
    pinned: bool,
    views: i64,
    ratio: f64,
    #[serde(borrow)]
    category: Cow<'a, str>,
    #[serde(borrow)]
    summary: Cow<'a, str>,
    parent: Option<i64>,
    #[serde(borrow)]
    channel: Cow<'a, str>,
}

#[derive(Deserialize)]
#[serde(transparent)]
#[expect(dead_code, reason = "a tool is given all of its properties, and says one of them")]
struct Tag<'a>(#[serde(borrow)] Cow<'a, str>);

#[derive(Deserialize)]
#[expect(dead_code, reason = "a tool is given all of its properties, and says one of them")]
struct Address<'a> {
    #[serde(borrow)]
    street: Cow<'a, str>,
    #[serde(borrow)]
    city: Cow<'a, str>,
    #[serde(borrow)]
    zip: Cow<'a, str>,
    #[serde(borrow)]
    country: Cow<'a, str>,
}
