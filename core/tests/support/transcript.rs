//! Reading and playing transcripts; `tests/transcripts/README.md` has the format.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use mcplite_core::{
    CacheScope, Dispatch, ErrorTable, Failure, Kind, Preset, Revision, Revisions, Server, Session,
};
use serde_json::Value;

use super::fixture::{self, Memory};
use super::{CountingEntropy, ManualClock, asking, drain};

/// Where the shared files of the tests are.
pub(crate) fn tests_dir() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests")
}

/// One transcript in the middle of being played.
pub(crate) struct Player {
    server: Server,
    session: Session,
    clock: ManualClock,
    memory: Memory,
    /// How a client line is handed in.
    feed: fn(&Session, &[u8]),
    /// Every `requestState` that the server sent, behind the JSON text of its message's id.
    states: Vec<(String, String)>,
}

/// A whole message at once.
pub(crate) fn feed_message(session: &Session, line: &[u8]) {
    session.handle_message(line).unwrap();
}

/// Byte by byte, through the framer.
pub(crate) fn feed_bytes(session: &Session, line: &[u8]) {
    for byte in line.iter().chain(b"\n") {
        session.receive_all(&[*byte]).unwrap();
    }
}

/// The text with its server lines replaced by what the engine says. `fixtures` has the fixture files
/// by their names in `@ fixture`; the one that needs no directive has an empty name.
pub(crate) fn play(text: &str, fixtures: &Value, feed: fn(&Session, &[u8])) -> String {
    let mut player = Player::new(text, fixtures, feed);
    let mut out = String::new();
    let mut gap = false;
    for line in text.lines() {
        let (mark, rest) = line.split_once(' ').unwrap_or((line, ""));
        if mark == "<" {
            continue;
        }
        gap |= line.is_empty();
        if !line.is_empty() {
            if std::mem::take(&mut gap) {
                out.push('\n');
            }
            out.push_str(line);
            out.push('\n');
        }
        match mark {
            ">" => (player.feed)(&player.session, player.with_states(rest).as_bytes()),
            ">>" => {
                let text: String = serde_json::from_str(rest).unwrap();
                let bytes: Vec<u8> = text.chars().map(|c| u8::try_from(c).unwrap()).collect();
                (player.feed)(&player.session, &bytes);
            }
            "!" => player.act(rest),
            _ => continue,
        }
        for answer in drain(&player.session) {
            player.note_state(&answer);
            out.push_str("< ");
            out.push_str(&answer);
            out.push('\n');
        }
    }
    out
}

impl Player {
    fn new(text: &str, fixtures: &Value, feed: fn(&Session, &[u8])) -> Player {
        let directives: Vec<_> = text.lines().filter_map(|line| line.strip_prefix("@ ")).collect();
        let name = directives.iter().find_map(|it| it.strip_prefix("fixture ")).unwrap_or_default();
        let fixture = fixtures.get(name);
        let questions = fixture.map(|fixture| fixture["questions"].clone()).unwrap_or_default();
        let memory = Memory { questions: Arc::new(questions), ..Memory::default() };
        let server = match fixture {
            Some(fixture) => fixture::server(fixture, &memory),
            None if name == "empty" => Server::new("empty", "1.0").unwrap(),
            None => panic!("unknown fixture {name}"),
        };
        let clock = ManualClock::default();
        server.set_clock(clock.clone());
        server.set_seal_keys(&[[1; 32]]);
        if !directives.contains(&"entropy off") {
            server.set_entropy(CountingEntropy::default());
        }
        for directive in directives {
            let (key, value) = directive.split_once(' ').unwrap();
            configure(&server, key, value);
        }
        let session = Session::new(&server).unwrap();
        session.set_principal(Some("somebody"));
        Player { server, session, clock, memory, feed, states: Vec::new() }
    }

    fn note_state(&mut self, line: &str) {
        let message: Value = serde_json::from_str(line).unwrap();
        if let Some(state) = message["result"]["requestState"].as_str() {
            self.states.push((message["id"].to_string(), state.to_owned()));
        }
    }

    /// The line with every `$STATE` replaced by what it stands for.
    fn with_states(&self, line: &str) -> String {
        let mut parts = line.split("$STATE");
        let mut out = parts.next().unwrap_or_default().to_owned();
        for part in parts {
            let (id, rest) = match part.strip_prefix('[') {
                Some(part) => part.split_once(']').map(|(id, rest)| (Some(id), rest)).unwrap(),
                None => (None, part),
            };
            let is_meant = |(own, _): &&(String, String)| id.is_none_or(|id| id == own);
            let (_, state) = self.states.iter().rfind(is_meant).unwrap();
            match rest.strip_prefix('!') {
                Some(rest) => out.extend([&changed(state), rest]),
                None => out.extend([state, rest]),
            }
        }
        out
    }

    fn act(&mut self, action: &str) {
        let mut words = action.splitn(3, ' ');
        let verb = words.next().unwrap_or_default();
        let (one, two) = (words.next().unwrap_or_default(), words.next().unwrap_or_default());
        let taken = || self.memory.held.lock().unwrap().remove(one);
        match verb {
            "connect" => {
                self.session = Session::new(&self.server).unwrap();
                self.session.set_principal(Some("somebody"));
            }
            "time" => {
                self.clock.set_ms(one.parse().unwrap());
                self.server.tick();
            }
            "run" => drop(self.server.run(0).unwrap()),
            // An answer that comes too late is refused; what matters is what the client sees.
            "answer" => drop(taken().unwrap().reply_text(two)),
            "fail" => drop(taken().unwrap().fail(Failure::tool(two))),
            "release" => drop(taken().unwrap()),
            "take" => self.server.next_call().unwrap().reply_text(one).unwrap(),
            "register" => {
                let item: Value =
                    serde_json::from_str(action.trim_start_matches("register ")).unwrap();
                self.server.replace(fixture::make_item(&item, &self.memory)).unwrap();
            }
            "unregister" => self.server.unregister(kind_named(one), two).unwrap(),
            "notify" => self.session.notify(one, two).unwrap(),
            "updated" => {
                words_of(action).for_each(|uri| self.server.notify_resource_updated(uri));
            }
            "list-changed" => words_of(action)
                .for_each(|kind| self.server.notify_list_changed(kind_named(kind)).unwrap()),
            "ask" => asking::ask_held(&taken().unwrap(), two, &self.memory),
            "elicited" => {
                self.memory.elicited.lock().unwrap().insert(one.to_owned());
                // Refused if no client was sent there, or is of a revision that is not told.
                drop(self.server.notify_elicitation_complete(one));
            }
            "principal" => self.session.set_principal((!one.is_empty()).then_some(one)),
            "keys" => {
                let keys: Vec<_> =
                    words_of(action).map(|byte| [byte.parse().unwrap(); 32]).collect();
                self.server.set_seal_keys(&keys);
            }
            "shutdown" => self.server.shutdown(),
            "end" => self.session.end().unwrap(),
            other => panic!("unknown action {other}"),
        }
    }
}

fn configure(server: &Server, key: &str, value: &str) {
    let number = || value.parse::<usize>().unwrap();
    server
        .configure(|options| match key {
            "fixture" | "entropy" => {}
            "preset" => {
                options.errors = ErrorTable::new(match value {
                    "classic" => Preset::Classic,
                    "gateway" => Preset::Gateway,
                    _ => Preset::Spec,
                });
            }
            "page-size" => options.page_size = number(),
            "revisions" => {
                let revisions: Vec<_> =
                    value.split(',').map(|name| Revision::parse(name).unwrap()).collect();
                options.revisions = Revisions::of(&revisions);
            }
            "dispatch" => options.dispatch = Dispatch::Queued,
            "cache" => {
                let (ttl, scope) = value.split_once(' ').unwrap();
                options.cache.ttl_ms = ttl.parse().unwrap();
                options.cache.scope =
                    if scope == "public" { CacheScope::Public } else { CacheScope::Private };
            }
            "logging" => options.logging = value == "on",
            "identify" => options.identify = value == "on",
            "stacktraces" => options.stacktraces = value == "on",
            "deadline" => options.deadline_ms = Some(number() as u64),
            "state-ttl" => options.state_ttl_ms = Some(number() as u64),
            "depth" => options.limits.depth = u32::try_from(number()).unwrap(),
            "message-bytes" => options.limits.message_bytes = number(),
            "open-calls" => options.limits.open_calls = number(),
            "batch-messages" => options.limits.batch_messages = number(),
            "subscriptions" => options.limits.subscriptions = number(),
            "listen-streams" => options.limits.listen_streams = number(),
            "ask-rounds" => options.limits.ask_rounds = u32::try_from(number()).unwrap(),
            "state-bytes" => options.limits.state_bytes = number(),
            other => panic!("unknown option {other}"),
        })
        .unwrap();
}

/// What follows the verb of an action.
fn words_of(action: &str) -> impl Iterator<Item = &str> {
    action.split(' ').skip(1)
}

/// The state with the character in its middle replaced: by `A`, or by `B` if it is that.
fn changed(state: &str) -> String {
    let middle = state.len() / 2;
    let replace = |(index, own)| match own {
        own if index != middle => own,
        'A' => 'B',
        _ => 'A',
    };
    state.chars().enumerate().map(replace).collect()
}

fn kind_named(name: &str) -> Kind {
    match name {
        "tool" => Kind::Tool,
        "resource" => Kind::Resource,
        "template" => Kind::Template,
        "prompt" => Kind::Prompt,
        "method" => Kind::Method,
        other => panic!("unknown kind {other}"),
    }
}
