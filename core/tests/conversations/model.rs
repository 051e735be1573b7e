//! The server as it should be: small, slow, and without anything that could go wrong.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use mcplite_core::Error;
use serde_json::Value;

use crate::attempt::{Open, Sealed, Waiting};
use crate::operation::{Change, Filter, Item, Settings, is_of_the_template};
use crate::plan::Plan;
use crate::question::{Abilities, Revision};
use crate::streams::{Notice, Streams, acknowledgement};
use crate::words::{self, Called, Fault};

/// What the server knows, and what it has said that nobody has taken yet.
#[derive(Debug, Default)]
pub(crate) struct Model {
    pub(crate) settings: Settings,
    pub(crate) peers: Vec<Peer>,
    pub(crate) plans: Vec<Plan>,
    pub(crate) now_ms: u64,
    /// What modern clients carry, in the order in which it was made.
    pub(crate) sealed: Vec<Sealed>,
    /// Calls that can be answered, in the order of their making.
    pub(crate) calls: BTreeMap<u64, Open>,
    /// Why the others cannot be answered any more, and what the client said to the host's own question.
    pub(crate) over: BTreeMap<u64, (Error, Option<String>)>,
    pub(crate) last_call: u64,
    /// Calls that wait for `Server::run`.
    pub(crate) jobs: VecDeque<u64>,
    /// Calls that the host keeps.
    pub(crate) held: Vec<u64>,
    pub(crate) is_draining: bool,
    items: BTreeMap<(Called, &'static str), Item>,
    pub(crate) offers_prompts: bool,
}

/// One client.
#[derive(Debug)]
pub(crate) struct Peer {
    /// That of the handshake, if there was one.
    pub(crate) revision: Option<Revision>,
    pub(crate) abilities: Abilities,
    pub(crate) principal: Option<&'static str>,
    pub(crate) is_ended: bool,
    pub(crate) is_closed: bool,
    pub(crate) out: VecDeque<Expected>,
    pub(crate) streams: Streams,
    pub(crate) waiting: Vec<Waiting>,
    pub(crate) last_question: u64,
}

/// A message that must come out.
#[derive(Clone, Debug)]
pub(crate) struct Expected {
    pub(crate) message: Value,
    /// Which state it carries, of [`Model::sealed`].
    pub(crate) sealed: Option<usize>,
}

impl Peer {
    pub(crate) fn say(&mut self, message: Value) {
        self.out.push_back(Expected { message, sealed: None });
    }

    fn tell_changes(&mut self) {
        for message in self.streams.take_due() {
            self.say(message);
        }
    }
}

impl Model {
    pub(crate) fn new(settings: &Settings) -> Model {
        let offers_prompts = settings.has_prompts;
        Model { settings: settings.clone(), offers_prompts, ..Model::default() }
    }

    pub(crate) fn connect(&mut self, revision: Option<Revision>, abilities: Abilities) {
        let mut streams = Streams::default();
        if revision.is_some() {
            streams.shake_hands(self.served());
        }
        self.peers.push(Peer {
            revision,
            abilities,
            principal: None,
            is_ended: false,
            is_closed: false,
            out: VecDeque::new(),
            streams,
            waiting: Vec::new(),
            last_question: 0,
        });
    }

    /// Which lists can be watched.
    fn served(&self) -> [bool; 3] {
        [true, self.offers_prompts, true]
    }

    pub(crate) fn has_item(&self, called: Called, name: &'static str) -> bool {
        let is_fixed = match called {
            Called::Tool => name == "ask" || name == "brief",
            Called::Prompt => name == "ask" && self.settings.has_prompts,
            Called::Resource => is_of_the_template(name),
        };
        is_fixed || self.items.contains_key(&(called, name))
    }

    /// The revision in which the request is answered, or `None` if it has been refused.
    pub(crate) fn admit(&mut self, client: usize, id: &Value, modern: bool) -> Option<Revision> {
        let legacy = self.peers[client].revision;
        let revision = if modern { Revision::Modern } else { legacy.unwrap() };
        if self.is_open(client, id) {
            let text = "the id belongs to a request that is still open";
            self.refuse(client, id, revision, &Fault::InvalidRequest, text);
            return None;
        }
        Some(revision)
    }

    pub(crate) fn refuse(
        &mut self,
        client: usize,
        id: &Value,
        revision: Revision,
        fault: &Fault,
        text: &str,
    ) {
        self.peers[client].say(words::error(id, revision, None, fault, text));
    }

    pub(crate) fn initialized(&mut self, client: usize) {
        self.peers[client].streams.activate();
    }

    /// `resources/subscribe`, of a legacy client.
    pub(crate) fn subscribe(&mut self, client: usize, id: &Value, uri: &'static str) {
        let Some(revision) = self.admit(client, id, false) else { return };
        if !self.has_item(Called::Resource, uri) {
            return self.refuse(client, id, revision, &Fault::NotFound, uri);
        }
        let peer = &mut self.peers[client];
        match peer.streams.subscribe(uri, self.settings.subscriptions) {
            Ok(()) => peer.say(words::done(id, revision)),
            Err(count) => {
                let text = format!("{count} resources are subscribed");
                self.refuse(client, id, revision, &Fault::Limit, &text);
            }
        }
    }

    /// `resources/unsubscribe`, of a legacy client. To what was never subscribed the answer is the same.
    pub(crate) fn unsubscribe(&mut self, client: usize, id: &Value, uri: &'static str) {
        let Some(revision) = self.admit(client, id, false) else { return };
        let peer = &mut self.peers[client];
        peer.streams.unsubscribe(uri);
        peer.say(words::done(id, revision));
    }

    /// A resource that a legacy client watches, one that has changed if there is one.
    pub(crate) fn subscribed(&self, client: usize) -> Option<&'static str> {
        self.peers[client].streams.subscribed()
    }

    pub(crate) fn listen(&mut self, client: usize, id: &Value, filter: &Filter) {
        let Some(revision) = self.admit(client, id, true) else { return };
        let mut lists = self.served();
        for (list, asked) in lists.iter_mut().zip(filter.lists) {
            *list &= asked == Some(true);
        }
        let asked = filter.uris.clone().unwrap_or_default();
        let limit = self.settings.subscriptions;
        if asked.len() > limit {
            let text = format!("{limit} resources can be watched by one stream");
            return self.refuse(client, id, revision, &Fault::Limit, &text);
        }
        let is_known = |uri: &&'static str| self.has_item(Called::Resource, uri);
        let uris: BTreeSet<_> = asked.into_iter().filter(is_known).collect();
        if self.is_draining {
            let text = "the server takes no more requests";
            return self.refuse(client, id, revision, &Fault::Internal, text);
        }
        let streams = self.settings.listen_streams;
        if self.peers[client].streams.listens().len() >= streams {
            let text = format!("{streams} listen streams are open");
            return self.refuse(client, id, revision, &Fault::Limit, &text);
        }
        let peer = &mut self.peers[client];
        peer.say(acknowledgement(id, lists, &uris));
        peer.streams.listen(id, lists, uris);
    }

    /// The host changes what is offered, or says that something has changed.
    pub(crate) fn change(&mut self, change: &Change) -> (Result<(), Error>, Option<Notice>) {
        let listed = |item: Option<Item>| item.filter(|item| !item.is_hidden);
        let list = |called: Called| Some(Notice::List(called as usize));
        match change {
            Change::Put { called, name, item, replace } => {
                let key = (*called, *name);
                let old = self.items.get(&key).copied();
                if old.is_some() && !replace {
                    return (Err(Error::Exists), None);
                }
                self.items.insert(key, *item);
                self.offers_prompts |= *called == Called::Prompt;
                (Ok(()), list(*called).filter(|_| listed(old) != listed(Some(*item))))
            }
            Change::Remove { called, name } => match self.items.remove(&(*called, *name)) {
                Some(gone) => (Ok(()), list(*called).filter(|_| listed(Some(gone)).is_some())),
                None => (Err(Error::NotFound), None),
            },
            Change::List(called) => (Ok(()), list(*called)),
            Change::Resource(uri) => (Ok(()), Some(Notice::Resource(uri))),
        }
    }

    pub(crate) fn publish(&mut self, notice: Notice) {
        self.peers.iter_mut().for_each(|peer| peer.streams.mark(notice));
    }

    /// What the host must find when it takes output: one message, or all.
    pub(crate) fn take(&mut self, client: usize, all: bool) -> Vec<Expected> {
        let peer = &mut self.peers[client];
        peer.tell_changes();
        let count = if all { peer.out.len() } else { peer.out.len().min(1) };
        peer.out.drain(..count).collect()
    }

    pub(crate) fn shutdown(&mut self) {
        self.is_draining = true;
        for peer in &mut self.peers {
            for id in peer.streams.listens() {
                peer.tell_changes();
                peer.streams.cancel(&id);
                peer.say(words::goodbye(&id));
                peer.say(words::cancelled(&id, "the server ends the subscription"));
            }
        }
    }

    /// Whether a request of that id waits for its answer.
    pub(crate) fn is_open(&self, client: usize, id: &Value) -> bool {
        let is_call = self.calls.values().any(|call| call.client == client && call.id == *id);
        is_call || self.peers[client].streams.has(id)
    }

    /// The ids of all requests that wait for their answer.
    pub(crate) fn open_requests(&self, client: usize) -> Vec<Value> {
        let calls = self.calls.values().filter(|call| call.client == client);
        calls.map(|call| call.id.clone()).chain(self.listens(client)).collect()
    }

    pub(crate) fn listens(&self, client: usize) -> Vec<Value> {
        self.peers[client].streams.listens()
    }

    /// The ids of our requests that have no response.
    pub(crate) fn open_questions(&self, client: usize) -> Vec<u64> {
        let waiting = self.peers[client].waiting.iter();
        waiting.flat_map(|waiting| waiting.open.iter().map(|(id, _)| *id)).collect()
    }

    pub(crate) fn open_calls(&self, client: usize) -> usize {
        self.calls.values().filter(|call| call.client == client).count()
    }

    pub(crate) fn is_finished(&self, client: usize) -> bool {
        let peer = &self.peers[client];
        let is_silent = peer.out.is_empty() && !peer.streams.is_due();
        let is_last = peer.is_ended || peer.is_closed || self.is_draining;
        is_last && is_silent && self.open_calls(client) == 0
    }

    /// When `Server::tick` has something to do.
    pub(crate) fn timeout_ms(&self) -> Option<u64> {
        let next = self.calls.values().filter_map(|call| call.deadline).min()?;
        Some(next.saturating_sub(self.now_ms))
    }
}
