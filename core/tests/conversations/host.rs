//! The host: a real server whose handlers follow plans, and the calls that it keeps.

use std::sync::{Arc, Mutex};

use mcplite_core::{Call, Dispatch, Error, ErrorKind, Failure, Item, Kind, Server};
use serde_json::json;

use crate::calls::BRIEF_MS;
use crate::operation::{Change, Deed, Settings, fleeting};
use crate::plan::{Attempt, Ending, Plan};
use crate::question::{EXTRA, PAGE_FIRST, Question, page};
use crate::support::{CountingEntropy, ManualClock};
use crate::words::Called;

/// A server and what belongs to it.
pub(crate) struct Host {
    pub(crate) server: Server,
    pub(crate) clock: ManualClock,
    pub(crate) shared: Arc<Shared>,
}

/// What handlers have to do with.
#[derive(Default)]
pub(crate) struct Shared {
    pub(crate) plans: Mutex<Vec<Plan>>,
    pub(crate) held: Mutex<Vec<Call>>,
    /// How many handlers have run.
    pub(crate) runs: Mutex<usize>,
}

/// A call as a plan sees it.
struct Real<'a>(&'a Call);

impl Attempt for Real<'_> {
    fn state(&self) -> Option<String> {
        self.0.state().map(str::to_owned)
    }

    fn set_state(&mut self, state: &str) {
        self.0.set_state(state).unwrap();
    }

    fn ask(&mut self, question: &Question) -> Option<String> {
        ask(self.0, question).unwrap()
    }
}

fn ask(call: &Call, question: &Question) -> Result<Option<String>, Error> {
    let answer = call.ask(question.key, question.method(), &question.params_text())?;
    Ok(answer.map(str::to_owned))
}

impl Shared {
    fn handle(&self, call: &Call) -> Result<(), Failure> {
        *self.runs.lock().unwrap() += 1;
        let plan: usize = call.arg_str("plan").unwrap().parse().unwrap();
        let plan = self.plans.lock().unwrap()[plan].clone();
        let (ending, text) = plan.run(&mut Real(call));
        match ending {
            Ending::Ask => call.reply_asked()?,
            Ending::LetGo => {}
            Ending::Hold => self.held.lock().unwrap().push(call.clone()),
            Ending::Reply => call.reply_text(&text)?,
            Ending::Fail => return Err("it broke".into()),
            // Without the report that a panic of the test itself would make.
            Ending::Panic => std::panic::resume_unwind(Box::new("as planned")),
            Ending::SendToPage => {
                let data = json!({"elicitations": [page(PAGE_FIRST)]}).to_string();
                let failure = Failure::new(ErrorKind::UrlElicitationRequired, "go there first");
                return Err(failure.with_data(data));
            }
        }
        Ok(())
    }
}

impl Host {
    pub(crate) fn new(settings: &Settings) -> Host {
        let server = Server::new("conversations", "1").unwrap();
        let clock = ManualClock::default();
        server.set_clock(clock.clone());
        server.set_entropy(CountingEntropy::default());
        server
            .configure(|options| {
                options.deadline_ms = settings.deadline_ms;
                options.state_ttl_ms = settings.state_ttl_ms;
                options.limits.ask_rounds = settings.ask_rounds as u32;
                options.limits.open_calls = settings.open_calls;
                options.limits.listen_streams = settings.listen_streams;
                options.limits.subscriptions = settings.subscriptions;
                if settings.is_queued {
                    options.dispatch = Dispatch::Queued;
                }
            })
            .unwrap();
        let host = Host { server, clock, shared: Arc::default() };
        host.register(Item::tool("ask"));
        host.register(Item::tool("brief").deadline_ms(BRIEF_MS));
        host.register(Item::template("plan://{plan}/{other}", "plan"));
        if settings.has_prompts {
            host.register(Item::prompt("ask"));
        }
        host
    }

    fn register(&self, item: Item) {
        self.server.register(self.with_handler(item)).unwrap();
    }

    fn with_handler(&self, item: Item) -> Item {
        let shared = Arc::clone(&self.shared);
        item.on_call(move |call: &Call| shared.handle(call))
    }

    pub(crate) fn change(&self, change: &Change) -> Result<(), Error> {
        match change {
            Change::Put { called, name, item, replace } => {
                let made = match called {
                    Called::Tool => self.with_handler(Item::tool(name)),
                    Called::Prompt => self.with_handler(Item::prompt(name)),
                    Called::Resource => Item::resource(name, "r").contents("contents"),
                };
                let made = made.description(&item.edition.to_string());
                let made = if item.is_hidden { made.hidden() } else { made };
                if *replace { self.server.replace(made) } else { self.server.register(made) }
            }
            Change::Remove { called, name } => self.server.unregister(kind(*called), name),
            Change::List(called) => self.server.notify_list_changed(kind(*called)),
            Change::Resource(uri) => {
                self.server.notify_resource_updated(uri);
                Ok(())
            }
        }
    }

    /// Removes what comes and goes.
    pub(crate) fn remove_all(&self) {
        for called in [Called::Tool, Called::Prompt, Called::Resource] {
            for name in fleeting(called) {
                let gone = self.change(&Change::Remove { called, name });
                assert!(matches!(gone, Ok(()) | Err(Error::NotFound)));
            }
        }
    }

    /// Runs handlers until one has run that was not called off; says whether there was one.
    pub(crate) fn run_one(&self) -> bool {
        let before = *self.shared.runs.lock().unwrap();
        while self.server.run(1).unwrap() == 1 {
            if *self.shared.runs.lock().unwrap() > before {
                return true;
            }
        }
        false
    }

    /// Does something with a call that is kept; gives the answer to the host's own question.
    pub(crate) fn deed(&self, call: &Call, deed: Deed) -> Result<Option<String>, Error> {
        match deed {
            Deed::Reply => call.reply_text("at last").map(|()| None),
            Deed::Fail => call.fail("at last".into()).map(|()| None),
            Deed::AskMore => ask(call, &Question::new(EXTRA, None)),
            Deed::ReplyAsked => call.reply_asked().map(|()| None),
            Deed::LetGo => Ok(None),
        }
    }
}

fn kind(called: Called) -> Kind {
    match called {
        Called::Tool => Kind::Tool,
        Called::Prompt => Kind::Prompt,
        Called::Resource => Kind::Resource,
    }
}
