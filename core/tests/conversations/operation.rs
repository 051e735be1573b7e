//! What can be done, and how often it is.

use proptest::collection::vec;
use proptest::option;
use proptest::prelude::*;
use proptest::sample::{Index, select, subsequence};
use serde_json::{Value, json};

use self::Operation::*;
use crate::plan::{Plan, any_plan};
use crate::question::{Abilities, Revision, any_abilities};
use crate::words::Called;

/// What holds for a whole conversation.
#[derive(Clone, Debug, Default)]
pub(crate) struct Settings {
    pub(crate) clients: Vec<(Option<Revision>, Abilities)>,
    /// Whether clients of the legacy era may also make modern requests.
    pub(crate) is_mixed: bool,
    pub(crate) is_queued: bool,
    pub(crate) has_prompts: bool,
    /// Whether clients end their input before everything else comes to its end.
    pub(crate) ends_first: bool,
    /// Whether the server shuts down at the end.
    pub(crate) shuts_down: bool,
    /// Whether clients say that they are initialized before anything else.
    pub(crate) is_prompt: bool,
    pub(crate) deadline_ms: Option<u64>,
    pub(crate) state_ttl_ms: Option<u64>,
    pub(crate) ask_rounds: usize,
    pub(crate) open_calls: usize,
    pub(crate) listen_streams: usize,
    pub(crate) subscriptions: usize,
}

/// What is done; indices are of whatever there is.
#[derive(Clone, Debug)]
pub(crate) enum Operation {
    Call {
        id: Value,
        modern: bool,
        called: Called,
        name: Index,
        plan: Plan,
        other: u8,
    },
    Answer {
        reads: bool,
        which: Question,
        reply: Reply,
    },
    Retry {
        reads: bool,
        id: Value,
        which: Which,
        says: Vec<Says>,
        twist: Twist,
    },
    Cancel(Request),
    Held {
        which: Index,
        deed: Deed,
        keep: bool,
    },
    Pass {
        ms: u64,
        tick: bool,
    },
    Changes {
        changes: Vec<Change>,
        telling: Telling,
    },
    Subscribe {
        id: Value,
        uri: &'static str,
    },
    /// Without a URI, one that is subscribed.
    Unsubscribe {
        id: Value,
        uri: Option<&'static str>,
    },
    Listen {
        id: Value,
        filter: Filter,
    },
    Initialized,
    Identify(Option<&'static str>),
    Poll,
    Drain,
    Run {
        all: bool,
    },
    End,
    Close,
    Shutdown,
}

/// Which request is meant.
#[derive(Clone, Debug)]
pub(crate) enum Request {
    /// One that is open, if there is one.
    Open(Index),
    Any(Value),
}

/// Which questions of the server's are meant, of those that the client has seen.
#[derive(Clone, Debug)]
pub(crate) enum Question {
    AllOpen,
    Open(Index),
    /// Perhaps one that was answered or withdrawn.
    Any(Index),
}

/// A response of a legacy client.
#[derive(Clone, Debug)]
pub(crate) enum Reply {
    Fitting,
    /// Any of the sayings.
    Any(Index),
    Error,
    /// Both a result and an error.
    Muddle,
    /// To something that was never asked.
    UnknownId(Value),
}

/// Which state a modern client brings along.
#[derive(Clone, Debug)]
pub(crate) enum Which {
    Last,
    Any(Index),
}

/// What a modern client says to a question.
#[derive(Clone, Debug)]
pub(crate) enum Says {
    Fitting,
    Any(Index),
    Nothing,
}

/// What else is wrong with a retry.
#[derive(Clone, Debug)]
pub(crate) enum Twist {
    Nothing,
    /// Answers to questions that nobody asked come along.
    Extra,
    Tampered(Index),
    OtherArgument,
    /// The state of another request.
    OtherTarget(Index),
    NoState,
}

/// What the host does with a call that it keeps.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Deed {
    Reply,
    Fail,
    AskMore,
    ReplyAsked,
    LetGo,
}

/// How changes are told.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Telling {
    Each,
    Once,
    /// Once, and output is taken before that.
    OnceLate,
}

/// A change of what is offered.
#[derive(Clone, Debug)]
pub(crate) enum Change {
    Put { called: Called, name: &'static str, item: Item, replace: bool },
    Remove { called: Called, name: &'static str },
    List(Called),
    Resource(&'static str),
}

/// An item that comes and goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Item {
    pub(crate) is_hidden: bool,
    pub(crate) edition: u8,
}

/// What a listen stream asks for.
#[derive(Clone, Debug)]
pub(crate) struct Filter {
    pub(crate) lists: [Option<bool>; 3],
    pub(crate) uris: Option<Vec<&'static str>>,
}

/// One is there, some may be, one never is.
const URIS: [&str; 4] = ["plan://0/0", "file:///r0", "file:///r1", "none://x"];

fn any_uri() -> impl Strategy<Value = &'static str> {
    prop_oneof![6 => Just(URIS[0]), 3 => Just(URIS[1]), 1 => Just(URIS[2]), 1 => Just(URIS[3])]
}

pub(crate) fn is_of_the_template(uri: &str) -> bool {
    uri.starts_with("plan://")
}

/// The items of a kind that come and go.
pub(crate) fn fleeting(called: Called) -> [&'static str; 2] {
    match called {
        Called::Tool => ["t0", "t1"],
        Called::Prompt => ["p0", "p1"],
        Called::Resource => ["file:///r0", "file:///r1"],
    }
}

/// The items of a kind that can be called by name, the steady ones more often.
pub(crate) fn callable(called: Called) -> Vec<&'static str> {
    let [one, two] = fleeting(called);
    let steady = if called == Called::Tool { "brief" } else { "ask" };
    vec!["ask", "ask", "ask", "ask", "ask", steady, steady, one, two]
}

pub(crate) fn any_settings() -> impl Strategy<Value = Settings> {
    let legacy = || prop_oneof![Just(Some(Revision::November)), Just(Some(Revision::June))];
    let revision = prop_oneof![3 => legacy(), 3 => Just(None)];
    let clients = vec((revision, any_abilities()), 1..3);
    let often = || prop_oneof![3 => Just(true), 1 => Just(false)];
    let deadline = prop_oneof![3 => Just(None), 1 => Just(Some(500))];
    let ttl = prop_oneof![3 => Just(Some(1000)), 1 => Just(None)];
    let endings = (any::<bool>(), any::<bool>());
    let switches = (any::<bool>(), prop::bool::weighted(0.3), often(), often(), endings);
    (clients, switches, deadline, ttl, 2..6_usize, (2..8_usize, 2..5_usize)).prop_map(
        |(clients, switches, deadline_ms, state_ttl_ms, ask_rounds, limits)| Settings {
            clients,
            is_mixed: switches.0,
            is_queued: switches.1,
            has_prompts: switches.2,
            is_prompt: switches.3,
            ends_first: switches.4.0,
            shuts_down: switches.4.1,
            deadline_ms,
            state_ttl_ms,
            ask_rounds,
            open_calls: limits.0,
            listen_streams: limits.1,
            subscriptions: 2,
        },
    )
}

fn any_id() -> impl Strategy<Value = Value> {
    prop_oneof![(1..9_u8).prop_map(|id| json!(id)), (1..9_u8).prop_map(|id| json!(id.to_string()))]
}

fn any_called() -> impl Strategy<Value = Called> {
    prop_oneof![3 => Just(Called::Tool), 1 => Just(Called::Prompt), 1 => Just(Called::Resource)]
}

fn any_change() -> impl Strategy<Value = Change> {
    let named = || {
        let kinds = select(vec![Called::Tool, Called::Prompt, Called::Resource]);
        (kinds, any::<bool>())
            .prop_map(|(called, first)| (called, fleeting(called)[usize::from(first)]))
    };
    let item =
        (any::<bool>(), 0..2_u8).prop_map(|(is_hidden, edition)| Item { is_hidden, edition });
    prop_oneof![
        4 => (named(), item, any::<bool>()).prop_map(|((called, name), item, replace)| {
            Change::Put { called, name, item, replace }
        }),
        2 => named().prop_map(|(called, name)| Change::Remove { called, name }),
        1 => any_called().prop_map(Change::List),
        8 => any_uri().prop_map(Change::Resource),
    ]
}

fn any_reply() -> impl Strategy<Value = Reply> {
    prop_oneof![
        12 => Just(Reply::Fitting),
        4 => any::<Index>().prop_map(Reply::Any),
        1 => Just(Reply::Error),
        1 => Just(Reply::Muddle),
        1 => prop_oneof![Just(json!(99)), Just(json!("1")), Just(json!(-1)), Just(Value::Null)]
            .prop_map(Reply::UnknownId),
    ]
}

fn any_retry() -> impl Strategy<Value = Operation> {
    let index = any::<Index>;
    let which = prop_oneof![2 => Just(Which::Last), 1 => index().prop_map(Which::Any)];
    let says = prop_oneof![
        10 => Just(Says::Fitting),
        1 => index().prop_map(Says::Any),
        2 => Just(Says::Nothing),
    ];
    let twist = prop_oneof![
        10 => Just(Twist::Nothing),
        2 => Just(Twist::Extra),
        1 => index().prop_map(Twist::Tampered),
        1 => Just(Twist::OtherArgument),
        1 => index().prop_map(Twist::OtherTarget),
        1 => Just(Twist::NoState),
    ];
    (prop::bool::weighted(0.7), any_id(), which, vec(says, 1..4), twist)
        .prop_map(|(reads, id, which, says, twist)| Retry { reads, id, which, says, twist })
}

/// An operation, and an index of the client that does it or that it is done to.
pub(crate) fn any_operation() -> impl Strategy<Value = (Index, Operation)> {
    let index = any::<Index>;
    let call = (any_id(), any::<bool>(), any_called(), index(), any_plan(), 0..2_u8).prop_map(
        |(id, modern, called, name, plan, other)| Call { id, modern, called, name, plan, other },
    );
    let question = prop_oneof![
        3 => Just(Question::AllOpen),
        4 => index().prop_map(Question::Open),
        1 => index().prop_map(Question::Any),
    ];
    let telling = prop_oneof![
        4 => Just(Telling::Each),
        1 => Just(Telling::Once),
        1 => Just(Telling::OnceLate),
    ];
    let deed = select(vec![Deed::Reply, Deed::Fail, Deed::AskMore, Deed::ReplyAsked, Deed::LetGo]);
    let uris = option::of(subsequence(&URIS[..], 0..4));
    let filter = (prop::array::uniform3(any::<Option<bool>>()), uris)
        .prop_map(|(lists, uris)| Filter { lists, uris });
    let operation = prop_oneof![
        22 => call,
        26 => (prop::bool::weighted(0.7), question, any_reply())
            .prop_map(|(reads, which, reply)| Answer { reads, which, reply }),
        26 => any_retry(),
        6 => index().prop_map(|which| Cancel(Request::Open(which))),
        2 => any_id().prop_map(|id| Cancel(Request::Any(id))),
        10 => (index(), deed, prop::bool::weighted(0.2))
            .prop_map(|(which, deed, keep)| Held { which, deed, keep }),
        6 => (select(vec![0, 1, 100, 100, 200, 300, 500, 1000]), prop::bool::weighted(0.8))
            .prop_map(|(ms, tick)| Pass { ms, tick }),
        14 => (vec(any_change(), 1..4), telling)
            .prop_map(|(changes, telling)| Changes { changes, telling }),
        8 => (any_id(), any_uri()).prop_map(|(id, uri)| Subscribe { id, uri }),
        6 => (any_id(), option::weighted(0.2, any_uri()))
            .prop_map(|(id, uri)| Unsubscribe { id, uri }),
        7 => (any_id(), filter).prop_map(|(id, filter)| Listen { id, filter }),
        1 => Just(Initialized),
        2 => select(vec![None, Some("ada"), Some("bob")]).prop_map(Identify),
        6 => Just(Poll),
        10 => Just(Drain),
        8 => any::<bool>().prop_map(|all| Run { all }),
        1 => prop_oneof![Just(End), Just(Close), Just(Shutdown)],
    ];
    (index(), operation)
}
