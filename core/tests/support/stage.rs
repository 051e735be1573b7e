//! The server of a transcript and what its host does, whatever the transport.

use std::sync::Arc;

use mcplite_core::{
    CacheScope, Call, Dispatch, ErrorTable, Failure, Item, Kind, Preset, Revision, Revisions,
    Server,
};
use serde_json::Value;

use super::fixture::{self, Memory};
use super::{CountingEntropy, ManualClock, asking};

/// A server made from a fixture, with a clock and random bytes that are the same in every run.
pub(crate) struct Stage {
    pub(crate) server: Server,
    pub(crate) clock: ManualClock,
    pub(crate) memory: Memory,
    entropy: CountingEntropy,
}

/// The option that puts something around the engine which passes everything on.
pub(crate) const AROUND: (&str, &str) = ("around", "pass");

/// The lines that start with `@`, each as key and value.
pub(crate) fn options_of(text: &str) -> Vec<(&str, &str)> {
    let lines = text.lines().filter_map(|line| line.strip_prefix("@ "));
    lines.map(|line| line.split_once(' ').unwrap_or((line, ""))).collect()
}

impl Stage {
    /// `fixtures` has the fixture files by their names in `@ fixture`; the one that needs no directive has
    /// an empty name.
    pub(crate) fn new(options: &[(&str, &str)], fixtures: &Value) -> Stage {
        let named = options.iter().find(|(key, _)| *key == "fixture");
        let (server, memory) = make_server(named.map_or("", |(_, name)| name), fixtures);
        let (clock, entropy) = (ManualClock::default(), CountingEntropy::default());
        server.set_clock(clock.clone());
        server.set_seal_keys(&[[1; 32]]);
        if !options.contains(&("entropy", "off")) {
            server.set_entropy(entropy.clone());
        }
        if options.contains(&AROUND) {
            let pass = |call: &Call| Ok(call.reply_result(&call.engine_answer()?)?);
            server.register(Item::around().on_call(pass)).unwrap();
        }
        for (key, value) in options {
            configure(&server, key, value);
        }
        Stage { server, clock, memory, entropy }
    }

    /// Another server with the same clock and random bytes.
    pub(crate) fn beside(&self, name: &str, fixtures: &Value) -> Server {
        let (server, _) = make_server(name, fixtures);
        server.set_clock(self.clock.clone());
        server.set_seal_keys(&[[1; 32]]);
        server.set_entropy(self.entropy.clone());
        server
    }

    /// Does one thing; one that needs more than the server is not known here.
    pub(crate) fn act(&self, action: &str) {
        let mut words = action.splitn(3, ' ');
        let verb = words.next().unwrap_or_default();
        let (one, two) = (words.next().unwrap_or_default(), words.next().unwrap_or_default());
        let taken = || self.memory.held.lock().unwrap().remove(one);
        match verb {
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
            "keys" => {
                let keys: Vec<_> =
                    words_of(action).map(|byte| [byte.parse().unwrap(); 32]).collect();
                self.server.set_seal_keys(&keys);
            }
            "shutdown" => self.server.shutdown(),
            other => panic!("unknown action {other}"),
        }
    }
}

fn make_server(name: &str, fixtures: &Value) -> (Server, Memory) {
    let fixture = fixtures.get(name);
    let questions = fixture.map(|fixture| fixture["questions"].clone()).unwrap_or_default();
    let memory = Memory { questions: Arc::new(questions), ..Memory::default() };
    let server = match fixture {
        Some(fixture) => fixture::server(fixture, &memory),
        None if name == "empty" => Server::new("empty", "1.0").unwrap(),
        None => panic!("unknown fixture {name}"),
    };
    (server, memory)
}

fn configure(server: &Server, key: &str, value: &str) {
    let number = || value.parse::<usize>().unwrap();
    server
        .configure(|options| match key {
            "fixture" | "entropy" | "around" => {}
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
