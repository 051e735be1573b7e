//! The real server and its model side by side: what is done to one is done to the other.

use mcplite_core::{Error, Session};
use proptest::sample::Index;
use serde_json::json;

use crate::client::Client;
use crate::host::Host;
use crate::model::Model;
use crate::operation::Operation::{self, *};
use crate::operation::{Change, Deed, Settings, Telling};
use crate::streams::Notice;

pub(crate) struct World {
    pub(crate) host: Host,
    pub(crate) clients: Vec<Client>,
    pub(crate) model: Model,
    /// Before there were clients.
    memory: usize,
}

impl World {
    pub(crate) fn new(settings: &Settings) -> World {
        let host = Host::new(settings);
        let memory = host.server.memory_used();
        let mut world = World { memory, model: Model::new(settings), clients: Vec::new(), host };
        for (revision, abilities) in &settings.clients {
            world.clients.push(Client::new(&world.host.server, *revision, *abilities));
            world.model.connect(*revision, *abilities);
            if settings.is_prompt {
                world.initialized(world.clients.len() - 1);
            }
        }
        world
    }

    pub(crate) fn apply(&mut self, who: &Index, operation: &Operation) {
        let who = who.index(self.clients.len());
        let (is_ended, is_closed) = {
            let peer = &self.model.peers[who];
            (peer.is_ended, peer.is_closed)
        };
        match operation {
            Held { which, deed, keep } => {
                let count = self.host.shared.held.lock().unwrap().len();
                if count > 0 {
                    self.deal_with(which.index(count), *deed, *keep && *deed != Deed::LetGo);
                }
            }
            Pass { ms, tick } => {
                self.model.now_ms += ms;
                self.host.clock.set_ms(self.model.now_ms);
                if *tick {
                    self.host.server.tick();
                    self.model.tick();
                }
            }
            Changes { changes, telling } => self.change(who, changes, *telling),
            Poll => self.take(who, false),
            Drain => self.take(who, true),
            Run { all } => self.run(*all),
            Close => {
                self.clients[who].session.close();
                self.model.close(who);
            }
            Shutdown => self.shut_down(),
            _ if is_closed || is_ended => {
                let refused = self.clients[who].session.handle_message(b"{}");
                let ended = Error::State("the input has ended");
                assert_eq!(refused, Err(if is_closed { Error::Closed } else { ended }));
            }
            _ => self.act(who, operation),
        }
    }

    fn shut_down(&mut self) {
        self.host.server.shutdown();
        self.model.shutdown();
        assert_eq!(Session::new(&self.host.server).unwrap_err(), Error::Closed);
    }

    fn run(&mut self, all: bool) {
        while self.host.run_one() {
            assert!(self.model.run_one(), "a handler ran that should not");
            if !all {
                return;
            }
        }
        assert!(!self.model.run_one(), "a handler should have run");
    }

    pub(crate) fn initialized(&mut self, who: usize) {
        if self.clients[who].revision.is_some() {
            self.clients[who].notify("notifications/initialized", json!({}));
            self.model.initialized(who);
        }
    }

    fn change(&mut self, who: usize, changes: &[Change], telling: Telling) {
        if telling == Telling::Each {
            for change in changes {
                let notice = self.make(change);
                notice.into_iter().for_each(|notice| self.model.publish(notice));
            }
            return;
        }
        let server = self.host.server.clone();
        let mut notices: Vec<_> = server.publish_once(|| {
            let notices = changes.iter().filter_map(|change| self.make(change)).collect();
            if telling == Telling::OnceLate {
                self.take(who, true);
            }
            notices
        });
        notices.sort();
        notices.into_iter().for_each(|notice| self.model.publish(notice));
    }

    fn make(&mut self, change: &Change) -> Option<Notice> {
        let (expected, notice) = self.model.change(change);
        assert_eq!(self.host.change(change), expected);
        notice
    }

    /// The host does something with a call that it has kept, and may go on keeping it.
    fn deal_with(&mut self, at: usize, deed: Deed, keep: bool) {
        let call = self.host.shared.held.lock().unwrap()[at].clone();
        let model = self.model.held[at];
        assert_eq!(self.host.deed(&call, deed), self.model.deed(model, deed));
        if !keep {
            let kept = self.host.shared.held.lock().unwrap().remove(at);
            drop((call, kept));
            self.model.held.remove(at);
            self.model.deed(model, Deed::LetGo).unwrap();
        }
    }

    /// Takes output, which must be what the model says.
    pub(crate) fn take(&mut self, who: usize, all: bool) {
        let mut expected = self.model.take(who, all);
        let messages = self.clients[who].take(all);
        for (expected, message) in expected.iter_mut().zip(&messages) {
            if let Some(sealed) = expected.sealed {
                let state = &message["result"]["requestState"];
                expected.message["result"]["requestState"] = state.clone();
                self.model.sealed[sealed].text = state.as_str().map(str::to_owned);
            }
            assert_eq!(*message, expected.message);
        }
        let more = &messages[expected.len().min(messages.len())..];
        assert!(more.is_empty(), "nobody expected {more:#?}");
        let missing = &expected[messages.len().min(expected.len())..];
        assert!(missing.is_empty(), "expected and not there: {missing:#?}");
    }

    /// What can be seen without taking output.
    pub(crate) fn compare(&self) {
        for (who, client) in self.clients.iter().enumerate() {
            let session = &client.session;
            assert_eq!(session.open_calls(), self.model.open_calls(who));
            assert_eq!(session.is_finished(), self.model.is_finished(who), "finished");
            assert_eq!(session.is_closed(), self.model.peers[who].is_closed);
        }
        assert_eq!(self.host.server.timeout_ms(), self.model.timeout_ms());
        assert_eq!(self.host.shared.held.lock().unwrap().len(), self.model.held.len());
    }

    /// Brings everything to its end: every request is answered, and everything comes back.
    pub(crate) fn finish(mut self) {
        if self.model.settings.ends_first {
            (0..self.clients.len()).for_each(|who| self.end(who));
        }
        self.run(true);
        while !self.model.held.is_empty() {
            self.deal_with(0, Deed::LetGo, false);
        }
        if self.model.settings.shuts_down {
            self.shut_down();
        }
        for who in 0..self.clients.len() {
            if !self.model.peers[who].is_closed {
                self.finish_client(who);
            }
        }
        self.compare();
        self.clients.clear();
        self.host.remove_all();
        assert_eq!(self.host.server.memory_used(), self.memory);
        assert_eq!(self.host.server.timeout_ms(), None);
    }

    fn finish_client(&mut self, who: usize) {
        self.take(who, true);
        self.end(who);
        self.take(who, true);
        assert!(self.clients[who].session.is_finished());
        assert_eq!(self.clients[who].unanswered(), 0);
    }

    /// The client says no more; its listen streams end without an answer.
    pub(crate) fn end(&mut self, who: usize) {
        for id in self.model.listens(who) {
            self.clients[who].expect_no_answer(&id);
        }
        self.clients[who].session.end().unwrap();
        self.model.end_input(who);
    }
}
