//! Who wants to know of changes, and what they have not been told yet.
//!
//! A change is not written down when it happens. It marks the subscribers that it concerns, and marks
//! become messages when the host takes output: however many changes came in between, each list and
//! each resource is named once, and a client that reads slowly costs no more than what it subscribed.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};

use crate::json::{push_checked, push_quoted};
use crate::lane::{Lane, Write};
use crate::memory::Charge;
use crate::registry::Kind;

/// What has changed.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Change<'a> {
    List(List),
    Resource(&'a str),
}

/// A list that clients may watch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum List {
    Tools,
    Prompts,
    Resources,
}

/// A set of lists.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Lists(u8);

/// One stream of change notifications: that of a legacy client, or that of one listen request.
pub(crate) struct Subscriber {
    /// The JSON text of the listen request's id, with which its messages are tagged.
    tag: Option<String>,
    lane: Weak<Lane>,
    state: Mutex<State>,
}

struct State {
    lists: Lists,
    uris: Watched,
    due: Marks,
    /// Whether the lane knows that there is, or was, something due.
    is_listed: bool,
    /// Whether messages may be sent: not before the handshake is over or the stream acknowledged.
    active: bool,
    /// For a listen request: what it holds.
    _charge: Option<Charge>,
}

/// Watched resources, each on the account if it came alone. What is due of them is kept in a map of the same
/// type, because each type is code of its own.
pub(crate) type Watched = BTreeMap<Arc<str>, Option<Charge>>;

/// What has changed and is not told yet.
#[derive(Debug, Default)]
struct Marks {
    lists: Lists,
    uris: Watched,
}

/// Every subscriber of a server.
#[derive(Debug, Default)]
pub(crate) struct Hub(Mutex<HubState>);

#[derive(Debug, Default)]
struct HubState {
    subscribers: Vec<Weak<Subscriber>>,
    /// At how many the dead ones are swept out.
    sweep_at: usize,
    /// How often publishing is being held back, and what waits for its end.
    held: usize,
    waiting: Marks,
}

impl List {
    pub(crate) const ALL: [List; 3] = [List::Tools, List::Prompts, List::Resources];

    /// The list in which items of this kind stand.
    pub(crate) fn of(kind: Kind) -> Option<List> {
        match kind {
            Kind::Tool => Some(List::Tools),
            Kind::Prompt => Some(List::Prompts),
            Kind::Resource | Kind::Template => Some(List::Resources),
            Kind::Completion | Kind::Method | Kind::Around => None,
        }
    }

    /// A kind of item that stands in this list.
    pub(crate) fn kind(self) -> Kind {
        match self {
            List::Tools => Kind::Tool,
            List::Prompts => Kind::Prompt,
            List::Resources => Kind::Resource,
        }
    }

    /// Its member of a subscription filter.
    pub(crate) const fn flag(self) -> &'static str {
        match self {
            List::Tools => "toolsListChanged",
            List::Prompts => "promptsListChanged",
            List::Resources => "resourcesListChanged",
        }
    }

    const fn method(self) -> &'static str {
        match self {
            List::Tools => "notifications/tools/list_changed",
            List::Prompts => "notifications/prompts/list_changed",
            List::Resources => "notifications/resources/list_changed",
        }
    }
}

impl Lists {
    pub(crate) fn add(&mut self, list: List) {
        self.0 |= 1 << list as u8;
    }

    pub(crate) fn contains(self, list: List) -> bool {
        self.0 & 1 << list as u8 != 0
    }
}

impl Subscriber {
    /// A legacy client, which is told of these lists without asking, and of resources that it
    /// subscribes.
    pub(crate) fn legacy(lane: &Arc<Lane>, lists: Lists) -> Subscriber {
        Subscriber::new(None, lane, lists, Watched::new(), None)
    }

    /// A listen request of that id, and what it asked for.
    pub(crate) fn listen(
        id: &str,
        lane: &Arc<Lane>,
        lists: Lists,
        uris: Watched,
        charge: Charge,
    ) -> Subscriber {
        Subscriber::new(Some(id.to_owned()), lane, lists, uris, Some(charge))
    }

    fn new(
        tag: Option<String>,
        lane: &Arc<Lane>,
        lists: Lists,
        uris: Watched,
        charge: Option<Charge>,
    ) -> Subscriber {
        let due = Marks::default();
        let state = State { lists, uris, due, is_listed: false, active: false, _charge: charge };
        Subscriber { tag, lane: Arc::downgrade(lane), state: Mutex::new(state) }
    }

    pub(crate) fn tag(&self) -> &str {
        self.tag.as_deref().unwrap_or_default()
    }

    pub(crate) fn lane(&self) -> Option<Arc<Lane>> {
        self.lane.upgrade()
    }

    /// Messages may be sent from now on.
    pub(crate) fn activate(self: &Arc<Subscriber>) {
        let is_due = {
            let mut state = self.state();
            state.active = true;
            state.must_be_listed()
        };
        if is_due {
            self.announce();
        }
    }

    /// Watches one more resource, unless it is watched already. There may be `limit` of them.
    pub(crate) fn subscribe(&self, uri: &str, charge: Charge, limit: usize) -> Result<(), usize> {
        let mut state = self.state();
        let count = state.uris.len();
        if count >= limit && !state.uris.contains_key(uri) {
            return Err(count);
        }
        state.uris.insert(Arc::from(uri), Some(charge));
        Ok(())
    }

    pub(crate) fn unsubscribe(&self, uri: &str) {
        let mut state = self.state();
        state.uris.remove(uri);
        state.due.uris.remove(uri);
    }

    /// Nothing more is sent, not even what is due.
    pub(crate) fn stop(&self) {
        let mut state = self.state();
        state.lists = Lists::default();
        state.uris = Watched::new();
        state.due = Marks::default();
    }

    /// Notes a change that concerns this subscriber.
    fn mark(self: &Arc<Subscriber>, change: Change<'_>) {
        let is_new = {
            let mut state = self.state();
            match change {
                Change::List(list) if state.lists.contains(list) => state.due.lists.add(list),
                Change::List(_) => {}
                Change::Resource(uri) => {
                    let watched = state.uris.get_key_value(uri).map(|(uri, _)| Arc::clone(uri));
                    if let Some(uri) = watched {
                        state.due.uris.insert(uri, None);
                    }
                }
            }
            state.must_be_listed()
        };
        if is_new {
            self.announce();
        }
    }

    fn announce(self: &Arc<Subscriber>) {
        if let Some(lane) = self.lane() {
            lane.add_due(Arc::clone(self));
            lane.ring();
        }
    }

    /// Gives `push` one writer for each message that is due; then nothing is due any more.
    pub(crate) fn write_due(&self, mut push: impl FnMut(Write<'_>)) {
        let due = {
            let mut state = self.state();
            state.is_listed = false;
            std::mem::take(&mut state.due)
        };
        for list in List::ALL.into_iter().filter(|list| due.lists.contains(*list)) {
            push(&mut |out| self.write(out, list.method(), None));
        }
        for uri in due.uris.keys() {
            push(&mut |out| self.write(out, "notifications/resources/updated", Some(uri)));
        }
    }

    fn write(&self, out: &mut Vec<u8>, method: &str, uri: Option<&str>) {
        out.extend_from_slice(b"{\"jsonrpc\":\"2.0\",\"method\":");
        push_quoted(out, method);
        if self.tag.is_some() || uri.is_some() {
            out.extend_from_slice(b",\"params\":{");
            if let Some(tag) = &self.tag {
                push_tag(out, tag);
            }
            if let Some(uri) = uri {
                out.extend_from_slice(if self.tag.is_some() { b",\"uri\":" } else { b"\"uri\":" });
                push_quoted(out, uri);
            }
            out.push(b'}');
        }
        out.push(b'}');
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Appends the `_meta` that says to which listen request a message belongs.
pub(crate) fn push_tag(out: &mut Vec<u8>, id: &str) {
    out.extend_from_slice(b"\"_meta\":{");
    push_tag_member(out, id);
    out.push(b'}');
}

/// The same as a member of a `_meta` that has others.
pub(crate) fn push_tag_member(out: &mut Vec<u8>, id: &str) {
    out.extend_from_slice(b"\"io.modelcontextprotocol/subscriptionId\":");
    push_checked(out, id);
}

impl State {
    /// Whether the lane has to be told that there is something due; says so once until it is written.
    fn must_be_listed(&mut self) -> bool {
        let must = self.active && !self.is_listed && !self.due.is_empty();
        self.is_listed |= must;
        must
    }
}

impl Marks {
    fn is_empty(&self) -> bool {
        self.lists == Lists::default() && self.uris.is_empty()
    }

    fn add(&mut self, change: Change<'_>) {
        match change {
            Change::List(list) => self.lists.add(list),
            Change::Resource(uri) => drop(self.uris.insert(Arc::from(uri), None)),
        }
    }
}

impl Hub {
    pub(crate) fn add(&self, subscriber: &Arc<Subscriber>) {
        let mut state = self.state();
        if state.subscribers.len() >= state.sweep_at {
            state.subscribers.retain(|known| known.strong_count() > 0);
            state.sweep_at = state.subscribers.len() * 2 + 16;
        }
        state.subscribers.push(Arc::downgrade(subscriber));
    }

    /// Tells whoever wants to know, now or when nobody holds publishing back any more.
    pub(crate) fn publish(&self, change: Change<'_>) {
        let subscribers: Vec<_> = {
            let mut state = self.state();
            if state.held > 0 {
                return state.waiting.add(change);
            }
            state.subscribers.iter().filter_map(Weak::upgrade).collect()
        };
        // Without the lock: telling may run the host's wake.
        for subscriber in subscribers {
            subscriber.mark(change);
        }
    }

    /// Holds publishing back until the hold is dropped.
    pub(crate) fn hold(&self) -> Hold<'_> {
        self.state().held += 1;
        Hold(self)
    }

    fn release(&self) {
        let waiting = {
            let mut state = self.state();
            state.held = state.held.saturating_sub(1);
            if state.held > 0 {
                return;
            }
            std::mem::take(&mut state.waiting)
        };
        for list in List::ALL.into_iter().filter(|list| waiting.lists.contains(*list)) {
            self.publish(Change::List(list));
        }
        for uri in waiting.uris.keys() {
            self.publish(Change::Resource(uri));
        }
    }

    fn state(&self) -> MutexGuard<'_, HubState> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// While it lives, changes are gathered.
#[derive(Debug)]
pub(crate) struct Hold<'a>(&'a Hub);

impl Drop for Hold<'_> {
    fn drop(&mut self) {
        self.0.release();
    }
}

impl fmt::Debug for Subscriber {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Subscriber").field("tag", &self.tag).finish_non_exhaustive()
    }
}
