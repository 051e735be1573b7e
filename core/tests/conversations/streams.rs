//! Who is told of changes, as the model knows it: the streams of one client.

use std::collections::BTreeSet;

use serde_json::{Map, Value, json};

use crate::words::notification;

/// What has changed: a list, by its place in [`LISTS`], or a resource.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Notice {
    List(usize),
    Resource(&'static str),
}

/// In the order in which they are told.
pub(crate) const LISTS: [&str; 3] = ["tools", "prompts", "resources"];

/// The streams of one client, in the order of their opening.
#[derive(Debug, Default)]
pub(crate) struct Streams {
    open: Vec<Stream>,
    /// The serial numbers of those that have something to tell, perhaps of some that have ended since.
    due: Vec<u64>,
    last_serial: u64,
}

#[derive(Debug)]
struct Stream {
    serial: u64,
    /// The id of the listen request; `None` for what a handshake opens.
    tag: Option<Value>,
    lists: [bool; 3],
    uris: BTreeSet<&'static str>,
    marks: BTreeSet<Notice>,
    is_active: bool,
}

impl Streams {
    /// What a handshake opens. It tells nothing before it is activated.
    pub(crate) fn shake_hands(&mut self, lists: [bool; 3]) {
        self.open(None, lists, BTreeSet::new(), false);
    }

    /// What a listen request opens.
    pub(crate) fn listen(&mut self, id: &Value, lists: [bool; 3], uris: BTreeSet<&'static str>) {
        self.open(Some(id.clone()), lists, uris, true);
    }

    fn open(
        &mut self,
        tag: Option<Value>,
        lists: [bool; 3],
        uris: BTreeSet<&'static str>,
        is_active: bool,
    ) {
        self.last_serial += 1;
        let (serial, marks) = (self.last_serial, BTreeSet::new());
        self.open.push(Stream { serial, tag, lists, uris, marks, is_active });
    }

    pub(crate) fn activate(&mut self) {
        let Some(stream) = self.open.iter_mut().find(|stream| stream.tag.is_none()) else { return };
        if !std::mem::replace(&mut stream.is_active, true) && !stream.marks.is_empty() {
            self.due.push(stream.serial);
        }
    }

    pub(crate) fn listens(&self) -> Vec<Value> {
        self.open.iter().filter_map(|stream| stream.tag.clone()).collect()
    }

    pub(crate) fn has(&self, id: &Value) -> bool {
        self.open.iter().any(|stream| stream.tag.as_ref() == Some(id))
    }

    /// Ends the stream of that listen request, and says nothing more of it.
    pub(crate) fn cancel(&mut self, id: &Value) {
        self.open.retain(|stream| stream.tag.as_ref() != Some(id));
    }

    /// The client is gone: nothing more is told.
    pub(crate) fn stop(&mut self) {
        self.open.clear();
    }

    /// What was told is of no interest any more, nor what was to be told.
    pub(crate) fn close(&mut self) {
        *self = Streams::default();
    }

    /// Says how many are subscribed if that is too many already.
    pub(crate) fn subscribe(&mut self, uri: &'static str, limit: usize) -> Result<(), usize> {
        let stream = self.open.iter_mut().find(|stream| stream.tag.is_none()).unwrap();
        let count = stream.uris.len();
        if count >= limit && !stream.uris.contains(uri) {
            return Err(count);
        }
        stream.uris.insert(uri);
        Ok(())
    }

    pub(crate) fn unsubscribe(&mut self, uri: &'static str) {
        let stream = self.open.iter_mut().find(|stream| stream.tag.is_none()).unwrap();
        stream.uris.remove(uri);
        stream.marks.remove(&Notice::Resource(uri));
    }

    /// A resource that is subscribed, one whose change is not told yet if there is one.
    pub(crate) fn subscribed(&self) -> Option<&'static str> {
        let stream = self.open.iter().find(|stream| stream.tag.is_none())?;
        let mut changed =
            stream.uris.iter().filter(|uri| stream.marks.contains(&Notice::Resource(uri)));
        changed.next().or_else(|| stream.uris.first()).copied()
    }

    pub(crate) fn mark(&mut self, notice: Notice) {
        for stream in &mut self.open {
            let is_watched = match notice {
                Notice::List(list) => stream.lists[list],
                Notice::Resource(uri) => stream.uris.contains(uri),
            };
            if is_watched {
                if stream.marks.is_empty() && stream.is_active {
                    self.due.push(stream.serial);
                }
                stream.marks.insert(notice);
            }
        }
    }

    /// Whether somebody has to come and take output, be it to find that there is none.
    pub(crate) fn is_due(&self) -> bool {
        !self.due.is_empty()
    }

    /// The messages that tell what has changed.
    pub(crate) fn take_due(&mut self) -> Vec<Value> {
        let mut messages = Vec::new();
        for serial in std::mem::take(&mut self.due) {
            let Some(stream) = self.open.iter_mut().find(|stream| stream.serial == serial) else {
                continue;
            };
            for notice in std::mem::take(&mut stream.marks) {
                let (method, params) = match notice {
                    Notice::List(list) => {
                        (format!("notifications/{}/list_changed", LISTS[list]), Map::new())
                    }
                    Notice::Resource(uri) => {
                        let params = Map::from_iter([("uri".to_owned(), json!(uri))]);
                        ("notifications/resources/updated".to_owned(), params)
                    }
                };
                messages.push(notification(&method, params, stream.tag.as_ref()));
            }
        }
        messages
    }
}

/// What a listen request is acknowledged with.
pub(crate) fn acknowledgement(id: &Value, lists: [bool; 3], uris: &BTreeSet<&str>) -> Value {
    let mut agreed = Map::new();
    for (list, _) in LISTS.iter().zip(lists).filter(|(_, watched)| *watched) {
        agreed.insert(format!("{list}ListChanged"), json!(true));
    }
    if !uris.is_empty() {
        agreed.insert("resourceSubscriptions".to_owned(), json!(uris));
    }
    let params = Map::from_iter([("notifications".to_owned(), Value::Object(agreed))]);
    notification("notifications/subscriptions/acknowledged", params, Some(id))
}
