//! The arguments of the tools. Deserialising them is all that rmcp checks: it holds nothing against a schema.

use serde::Deserialize;

#[derive(Deserialize)]
#[expect(dead_code, reason = "a tool is given all of its properties, and says one of them")]
pub(crate) struct Small {
    pub(crate) text: String,
    count: Option<i64>,
}

#[derive(Deserialize)]
pub(crate) struct Long {
    pub(crate) text: String,
}

#[derive(Deserialize)]
#[expect(dead_code, reason = "a tool is given all of its properties, and says one of them")]
pub(crate) struct Twenty {
    title: String,
    pub(crate) slug: String,
    status: String,
    priority: i64,
    score: f64,
    author: String,
    email: String,
    language: String,
    created: String,
    updated: String,
    tags: Vec<String>,
    address: Address,
    visible: bool,
    pinned: bool,
    views: i64,
    ratio: f64,
    category: String,
    summary: String,
    parent: Option<i64>,
    channel: String,
}

#[derive(Deserialize)]
#[expect(dead_code, reason = "a tool is given all of its properties, and says one of them")]
struct Address {
    street: String,
    city: String,
    zip: String,
    country: String,
}
