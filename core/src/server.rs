//! A server: what is offered, to everybody who connects.

use std::any::Any;
use std::fmt;
use std::ops::Range;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};

use crate::alarms::{Alarmed, Alarms};
use crate::ask::{Entropy, Seal, SealKey, Sealer};
use crate::call::{Call, Pool};
use crate::error::Error;
use crate::failure::Failure;
use crate::front::Fronts;
use crate::hooks::{Clock, ErrorHook, Event, Hook, Hooks, Observer};
use crate::kind::ErrorKind;
use crate::memory::Memory;
use crate::nesting::Nesting;
use crate::options::Options;
use crate::queue::Queue;
use crate::registry::{Catalog, Entry, Item, Kind, Reference, completion_key};
use crate::session::SessionState;
use crate::subscriptions::{Change, Hub, List};
use crate::timers::Timers;
use crate::wake::Wake;

/// Tools, resources, prompts and policy, shared by every session. Cloning gives another handle.
///
/// All of it may change at any time and from any thread, also from inside handlers. Calls that are
/// under way finish on what they started with.
///
/// When the last handle is dropped, sessions go on with what the engine can answer itself and with
/// handlers that run inline; calls that wait for somebody to run or take them fail.
#[derive(Clone, Debug)]
pub struct Server {
    state: Arc<ServerState>,
    _owner: Arc<Owner>,
}

/// What the handles of a server have in common, as opposed to its sessions and calls.
#[derive(Debug)]
struct Owner(Arc<ServerState>);

impl Drop for Owner {
    fn drop(&mut self) {
        self.0.queue.abandon();
    }
}

/// What sessions and calls share.
pub(crate) struct ServerState {
    catalog: Mutex<Arc<Catalog>>,
    /// How often it has changed.
    generation: AtomicU64,
    sessions: Mutex<Vec<Weak<SessionState>>>,
    pub(crate) fronts: Fronts,
    pub(crate) memory: Arc<Memory>,
    pub(crate) pool: Pool,
    pub(crate) timers: Timers,
    pub(crate) alarms: Alarms,
    pub(crate) hub: Hub,
    pub(crate) seal: Seal,
    queue: Queue,
    tokens: AtomicU64,
    peers: AtomicU64,
    draining: AtomicBool,
    closed: AtomicBool,
}

impl Server {
    /// A server that offers nothing yet.
    pub fn new(name: &str, version: &str) -> Result<Server, Error> {
        let options = Options::new(name, version).checked()?;
        let memory = Arc::new(Memory::new(options.limits.memory_bytes));
        let state = ServerState {
            catalog: Mutex::new(Arc::new(Catalog::new(options))),
            generation: AtomicU64::new(0),
            sessions: Mutex::default(),
            fronts: Fronts::default(),
            memory,
            pool: Pool::default(),
            timers: Timers::default(),
            alarms: Alarms::default(),
            hub: Hub::default(),
            seal: Seal::default(),
            queue: Queue::default(),
            tokens: AtomicU64::new(1),
            peers: AtomicU64::new(0),
            draining: AtomicBool::new(false),
            closed: AtomicBool::new(false),
        };
        let state = Arc::new(state);
        Ok(Server { _owner: Arc::new(Owner(Arc::clone(&state))), state })
    }

    /// Changes options. Either all changes hold from now on, or none and the error says why.
    ///
    /// `change` runs again if another thread has changed options at the same time, so that neither
    /// change is lost.
    pub fn configure(&self, mut change: impl FnMut(&mut Options)) -> Result<(), Error> {
        loop {
            let old = Arc::clone(&self.state.catalog().options);
            let mut options = Options::clone(&old);
            change(&mut options);
            let new = Arc::new(options.checked()?);
            if self.state.change(|catalog| catalog.swap_options(&old, &new)) {
                self.state.memory.set_cap(new.limits.memory_bytes);
                return Ok(());
            }
        }
    }

    /// A copy of the options in force.
    pub fn options(&self) -> Options {
        Options::clone(&self.state.catalog().options)
    }

    /// Adds an item. One of the same kind and name must not exist.
    pub fn register(&self, item: Item) -> Result<(), Error> {
        self.put(item, false)
    }

    /// Adds an item in the place of one of the same kind and name, if there is one. Calls under way
    /// finish on the old one.
    pub fn replace(&self, item: Item) -> Result<(), Error> {
        self.put(item, true)
    }

    /// Removes an item, by the name of a tool or prompt, the URI of a resource, the URI template of
    /// a template, or the name of a method. Calls under way finish. For completions there is
    /// [`Server::unregister_completion`].
    pub fn unregister(&self, kind: Kind, name: &str) -> Result<(), Error> {
        let gone = self.state.change(|catalog| catalog.remove(kind, name));
        let gone = gone.ok_or(Error::NotFound)?;
        if gone.listed().is_some() {
            self.publish(kind);
        }
        Ok(())
    }

    /// Removes a completion.
    pub fn unregister_completion(&self, of: Reference<'_>, argument: &str) -> Result<(), Error> {
        self.unregister(Kind::Completion, &completion_key(of, argument))
    }

    /// Changes the policy of a registered item (deadline, cache hints, coercion, whether it is listed) with
    /// the methods of [`Item`], which also has its definition and handler. Calls under way finish on what
    /// they started with.
    ///
    /// `change` runs again if another thread has replaced the item at the same time.
    pub fn adjust(
        &self,
        kind: Kind,
        name: &str,
        change: impl Fn(Item) -> Item,
    ) -> Result<(), Error> {
        loop {
            let catalog = self.state.catalog();
            let old = Arc::clone(catalog.get(kind, name).ok_or(Error::NotFound)?);
            let item = change(Item::from_entry(kind, &old)?);
            let entry = Entry::new(item, &catalog.options.limits, &self.state.memory)?;
            drop(catalog);
            let new = Arc::new(entry);
            if new.key != old.key {
                return Err(Error::Invalid("an item keeps its name"));
            }
            let swapped = self.state.change(|catalog| catalog.swap_entry(kind, &old, &new));
            if swapped {
                if new.listed() != old.listed() {
                    self.publish(kind);
                }
                return Ok(());
            }
        }
    }

    /// Sets the host's clock. Without one, deadlines never pass.
    pub fn set_clock(&self, clock: impl Clock + 'static) {
        let old = self.state.hook(|hooks| hooks.clock.replace(Arc::new(clock)));
        drop(old);
    }

    /// Sets the host's source of random bytes. Sealing what clients carry needs one.
    pub fn set_entropy(&self, entropy: impl Entropy + 'static) {
        let old = self.state.hook(|hooks| hooks.entropy.replace(Arc::new(entropy)));
        drop(old);
    }

    /// Sets the keys that seal what clients carry between attempts (`requestState`): the first seals,
    /// all open, so that keys can be changed without losing what is under way.
    ///
    /// Without keys the server draws one for itself: what it sealed is refused by other processes and
    /// after a restart. Processes that serve the same clients must share keys.
    pub fn set_seal_keys(&self, keys: &[SealKey]) {
        let old = self.state.hook(|hooks| std::mem::replace(&mut hooks.seal_keys, keys.into()));
        drop(old);
    }

    /// Sets the host's own way to seal what clients carry, instead of the engine's.
    pub fn set_sealer(&self, sealer: impl Sealer + 'static) {
        let old = self.state.hook(|hooks| hooks.sealer.replace(Arc::new(sealer)));
        drop(old);
    }

    /// Sets who is told what happens.
    pub fn set_observer(&self, observer: impl Observer + 'static) {
        let old = self.state.hook(|hooks| hooks.observer.replace(Arc::new(observer)));
        drop(old);
    }

    /// Tells the observer of something that happened around the engine.
    pub fn observe(&self, event: &Event<'_>) {
        self.state.catalog().hooks.tell(event);
    }

    /// Sets who has a last look at errors.
    pub fn set_error_hook(&self, hook: impl ErrorHook + 'static) {
        let old = self.state.hook(|hooks| hooks.errors.replace(Arc::new(hook)));
        drop(old);
    }

    /// Takes a hook away again.
    pub fn unset(&self, hook: Hook) {
        let old = self.state.hook(|hooks| hooks.take(hook));
        drop(old);
    }

    /// Sets who is told that calls wait for [`Server::run`] or [`Server::next_call`], or that
    /// [`Server::timeout_ms`] got shorter.
    pub fn set_wake(&self, wake: Option<Wake>) {
        self.state.queue.set_wake(wake);
    }

    /// Runs up to `max` waiting handlers on this thread; 0 for all that wait now. Says how many ran.
    pub fn run(&self, max: usize) -> Result<usize, Error> {
        let _nesting = Nesting::enter()?;
        let max = if max == 0 { self.state.queue.waiting() } else { max };
        Ok(self.state.run_jobs(max))
    }

    /// How many handlers wait for [`Server::run`].
    pub fn waiting(&self) -> usize {
        self.state.queue.waiting()
    }

    /// Takes the next call whose item has no handler.
    pub fn next_call(&self) -> Option<Call> {
        self.state.queue.pop_call()
    }

    /// Whether a call waits for [`Server::next_call`].
    pub fn has_calls(&self) -> bool {
        self.state.queue.has_calls()
    }

    /// In how many milliseconds [`Server::tick`] has something to do; `None` for never.
    pub fn timeout_ms(&self) -> Option<u64> {
        let next = self.state.next_ms()?;
        Some(next.saturating_sub(self.state.catalog().hooks.now_ms()))
    }

    /// Does what time has come for: answers calls whose deadline has passed, keeps streams over HTTP alive,
    /// and ends sessions there that nobody uses.
    pub fn tick(&self) {
        let now = self.state.catalog().hooks.now_ms();
        let mut expired = 0;
        while let Some(call) = self.state.timers.take_expired(now) {
            let text = call.timeout_text();
            // A call that was answered in the meantime needs nothing.
            drop(call.fail(Failure::new(ErrorKind::Timeout, text), Some(text)));
            expired += 1;
        }
        self.state.note_cancelled(expired);
        self.state.alarms.tick(now);
    }

    /// Bytes that the engine holds for this server, as counted against the memory cap.
    pub fn memory_used(&self) -> usize {
        self.state.memory.used().saturating_sub(self.state.pool.credit())
    }

    /// Tells everybody who watches it that a resource has changed.
    pub fn notify_resource_updated(&self, uri: &str) {
        self.state.hub.publish(Change::Resource(uri));
    }

    /// Tells everybody who watches it that the list of items of this kind has changed. Registering and
    /// unregistering do so by themselves; this is for hosts that answer list requests themselves.
    pub fn notify_list_changed(&self, kind: Kind) -> Result<(), Error> {
        match List::of(kind) {
            Some(list) => {
                self.state.hub.publish(Change::List(list));
                Ok(())
            }
            None => Err(Error::Invalid("there is no list of this kind")),
        }
    }

    /// Makes several changes that are told to clients as one, when `changes` has returned.
    ///
    /// Without this, changes are told together anyway as long as the host does not take output in
    /// between.
    pub fn publish_once<T>(&self, changes: impl FnOnce() -> T) -> T {
        let _hold = self.state.hub.hold();
        changes()
    }

    /// Ends listen streams properly and starts no more calls. A session is finished as soon as its
    /// open calls are answered and its output is taken; then the host can close it.
    pub fn shutdown(&self) {
        // First, so that a session which is not among those below finds it.
        self.state.draining.store(true, Ordering::Release);
        let sessions: Vec<_> = self.state.sessions().iter().filter_map(Weak::upgrade).collect();
        for session in sessions {
            session.shutdown();
        }
        self.state.fronts.all().iter().for_each(|front| front.shutdown());
        self.state.queue.ring_attendants();
    }

    /// Whether the server shuts down.
    pub fn is_draining(&self) -> bool {
        self.state.is_draining()
    }

    /// Whether the server is closed.
    pub fn is_closed(&self) -> bool {
        self.state.is_closed()
    }

    /// Tells the client that was sent to a page, by this id, that the user is done there.
    pub fn notify_elicitation_complete(&self, elicitation_id: &str) -> Result<(), Error> {
        let limit = self.state.catalog().options.limits.output_bytes;
        let sessions: Vec<_> = self.state.sessions().iter().filter_map(Weak::upgrade).collect();
        let sessions = sessions.iter().map(|it| it.complete_elicitation(elicitation_id, limit));
        let fronts = self.state.fronts.all();
        let fronts = fronts.iter().map(|front| front.complete_elicitation(elicitation_id, limit));
        let mut tried = sessions.chain(fronts);
        tried.find(|tried| *tried != Err(Error::NotFound)).unwrap_or(Err(Error::NotFound))
    }

    /// Closes every session, refuses new ones, and lets go of what was registered and plugged in. No handler
    /// starts afterwards; those that run go on.
    pub fn close(&self) {
        self.state.closed.store(true, Ordering::Release);
        let sessions = std::mem::take(&mut *self.state.sessions());
        for session in sessions.iter().filter_map(Weak::upgrade) {
            session.close();
        }
        self.state.fronts.all().iter().for_each(|front| front.close());
        let gone = self.state.change(Catalog::clear);
        drop(gone);
        self.state.queue.ring_attendants();
    }

    pub(crate) fn state(&self) -> &Arc<ServerState> {
        &self.state
    }

    fn put(&self, item: Item, replace: bool) -> Result<(), Error> {
        let kind = item.kind();
        let limits = self.state.catalog().options.limits.clone();
        let entry = Arc::new(Entry::new(item, &limits, &self.state.memory)?);
        let new = Arc::clone(&entry);
        let put = self.state.change(|catalog| catalog.put(kind, entry, replace));
        let old = put.map_err(|_refused| Error::Exists)?;
        if new.listed() != old.as_deref().and_then(Entry::listed) {
            self.publish(kind);
        }
        Ok(())
    }

    fn publish(&self, kind: Kind) {
        if let Some(list) = List::of(kind) {
            self.state.hub.publish(Change::List(list));
        }
    }
}

impl ServerState {
    /// Sets the time at which `who` is told.
    pub(crate) fn set_alarm(&self, token: u64, at_ms: u64, who: Weak<dyn Alarmed>) {
        if self.alarms.set(token, at_ms, who) {
            self.queue.ring();
        }
    }

    /// When the next deadline passes or the next alarm rings.
    pub(crate) fn next_ms(&self) -> Option<u64> {
        [self.timers.next_ms(), self.alarms.next_ms()].into_iter().flatten().min()
    }

    /// What messages that arrive now work on.
    pub(crate) fn catalog(&self) -> Arc<Catalog> {
        Arc::clone(&self.catalog_slot())
    }

    /// Looks at that without keeping it, which takes less. `look` must not run code of the host's.
    pub(crate) fn peek<T>(&self, look: impl FnOnce(&Catalog) -> T) -> T {
        look(&self.catalog_slot())
    }

    pub(crate) fn next_token(&self) -> u64 {
        self.next_tokens(1).start
    }

    /// A number for a peer.
    pub(crate) fn next_peer(&self) -> u64 {
        self.peers.fetch_add(1, Ordering::Relaxed)
    }

    /// So many numbers that nobody else of this server has.
    pub(crate) fn next_tokens(&self, count: u64) -> Range<u64> {
        let first = self.tokens.fetch_add(count, Ordering::Relaxed);
        first..first + count
    }

    pub(crate) fn is_closed(&self) -> bool {
        self.closed.load(Ordering::Acquire)
    }

    pub(crate) fn is_draining(&self) -> bool {
        self.draining.load(Ordering::Acquire)
    }

    pub(crate) fn add_session(&self, session: &Arc<SessionState>) {
        let mut sessions = self.sessions();
        sessions.retain(|known| known.strong_count() > 0);
        sessions.push(Arc::downgrade(session));
    }

    /// So many calls were cancelled, perhaps before anybody took them.
    #[inline]
    pub(crate) fn note_cancelled(&self, count: usize) {
        if count > 0 {
            self.queue.note_cancelled(count);
        }
    }

    pub(crate) fn set_deadline(&self, call: &Call, at_ms: u64) {
        let Some(call) = call.held() else { return };
        let Some(bound) = call.bound() else { return };
        let is_next = self.timers.set(bound.token, at_ms, call);
        // It may have ended on another thread before the deadline was there to be removed.
        if !call.is_open() {
            self.timers.remove(bound.token, call);
        } else if is_next {
            self.queue.ring();
        }
    }

    pub(crate) fn queue(&self) -> &Queue {
        &self.queue
    }

    /// Changes the catalog under its lock. What `change` takes out of it must be given back, to be
    /// dropped when the lock is free: it may run the host's code.
    fn change<T>(&self, change: impl FnOnce(&mut Catalog) -> T) -> T {
        let mut slot = self.catalog_slot();
        let (catalog, recalled) = self.next_catalog(&mut slot);
        let changed = change(catalog);
        drop(slot);
        drop(recalled);
        changed
    }

    /// The catalog to be changed, of the next generation, and what must be dropped when the lock is free.
    // Not a part of each function that changes something.
    #[inline(never)]
    fn next_catalog<'c>(&self, slot: &'c mut Arc<Catalog>) -> (&'c mut Catalog, Recalled) {
        self.generation.fetch_add(1, Ordering::SeqCst);
        // Sessions hold what their next message works on. Without that, the catalog need not be copied, and
        // what is unregistered goes at once.
        let sessions: Vec<_> = self.sessions().iter().filter_map(Weak::upgrade).collect();
        let origins: Vec<_> = sessions.iter().filter_map(|session| session.take_origin()).collect();
        // The host's own goes when the lock is free.
        let contexts = origins.iter().map(|origin| origin.context.clone()).collect();
        drop(origins);
        (Arc::make_mut(slot), Recalled { _sessions: sessions, _contexts: contexts })
    }

    /// How often the catalog has changed.
    #[inline]
    pub(crate) fn generation(&self) -> u64 {
        self.generation.load(Ordering::SeqCst)
    }

    fn hook<T>(&self, set: impl FnOnce(&mut Hooks) -> T) -> T {
        self.change(|catalog| set(&mut catalog.hooks))
    }

    fn catalog_slot(&self) -> MutexGuard<'_, Arc<Catalog>> {
        self.catalog.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn sessions(&self) -> MutexGuard<'_, Vec<Weak<SessionState>>> {
        self.sessions.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// What sessions held of a catalog that is changed.
struct Recalled {
    _sessions: Vec<Arc<SessionState>>,
    _contexts: Vec<Option<Arc<dyn Any + Send + Sync>>>,
}

impl fmt::Debug for ServerState {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ServerState").field("memory", &self.memory).finish_non_exhaustive()
    }
}
