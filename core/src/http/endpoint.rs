//! An endpoint: servers at their paths, and what holds for all of them.

use std::fmt;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::attend::Attendant;
use crate::error::Error;
use crate::front::Front;
use crate::nesting::Nesting;
use crate::revision::Era;
use crate::server::{Server, ServerState};
use crate::wake::Wake;

use super::arrival::Arrival;
use super::authorize::{self, Authorizer};
use super::exchange::Exchange;
use super::gate;
use super::head::{Field, Head};
use super::known::Known;
use super::mount::Mount;
use super::options::{HttpOptions, check_path};
use super::response::Response;

/// Servers that are reached over HTTP, each at its path. Cloning gives another handle.
///
/// When the last handle is dropped, sessions end; exchanges under way go on.
#[derive(Clone, Debug)]
pub struct Http {
    state: Arc<HttpState>,
    _owner: Arc<Owner>,
}

/// What the handles of an endpoint have in common, as opposed to its exchanges.
#[derive(Debug)]
struct Owner(Arc<HttpState>);

impl Drop for Owner {
    fn drop(&mut self) {
        self.0.close();
    }
}

pub(crate) struct HttpState {
    server: Server,
    mounts: Mutex<Arc<Vec<Arc<Mount>>>>,
    options: Mutex<Arc<HttpOptions>>,
    authorizer: Mutex<Option<Arc<dyn Authorizer>>>,
    /// Whether there is one, so that the many endpoints without pay no lock.
    has_authorizer: AtomicBool,
    /// Whoever attends, for servers that are mounted later.
    attending: Mutex<Vec<Attending>>,
    closed: AtomicBool,
    /// How often [`Http::run`] was called.
    turns: AtomicUsize,
}

/// Whoever attends: by its token, how it is told, and what it is at each path.
struct Attending {
    token: u64,
    wake: Wake,
    attendants: Vec<(String, Attendant)>,
}

/// Where a request leads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Route {
    Post,
    Get,
    Delete,
    PairGet,
    PairPost,
}

/// While one lives, handlers of every server of an endpoint wait for [`Http::run`]; see
/// [`Server::attend`](crate::Server::attend).
pub struct HttpAttendant {
    http: Arc<HttpState>,
    token: u64,
}

impl Http {
    /// An endpoint with `server` at `path`, such as `/mcp`.
    pub fn new(server: &Server, path: &str) -> Result<Http, Error> {
        check_path(path)?;
        let state = Arc::new_cyclic(|own| HttpState {
            server: server.clone(),
            mounts: Mutex::new(Arc::new(vec![Mount::new(path, server, own)])),
            options: Mutex::default(),
            authorizer: Mutex::default(),
            has_authorizer: AtomicBool::new(false),
            attending: Mutex::default(),
            closed: AtomicBool::new(false),
            turns: AtomicUsize::new(0),
        });
        Ok(Http { _owner: Arc::new(Owner(Arc::clone(&state))), state })
    }

    /// Puts another server at another path, such as `/mcp/other`.
    pub fn mount(&self, path: &str, server: &Server) -> Result<(), Error> {
        check_path(path)?;
        let mount = Mount::new(path, server, &Arc::downgrade(&self.state));
        // All the while, so that whoever begins to attend meanwhile does so before or after this.
        let mut attending = lock(&self.state.attending);
        {
            let mut mounts = lock(&self.state.mounts);
            let posts = self.state.options().sse_post_path.as_deref() == Some(path);
            if posts || mounts.iter().any(|mount| mount.path == path) {
                return Err(Error::Exists);
            }
            Arc::make_mut(&mut mounts).push(mount);
        }
        for attending in attending.iter_mut() {
            let attendant = server.attend(Arc::clone(&attending.wake));
            attending.attendants.push((path.to_owned(), attendant));
        }
        Ok(())
    }

    /// Takes the server at a path away. Its sessions end; exchanges under way go on. The first stays.
    pub fn unmount(&self, path: &str) -> Result<(), Error> {
        let gone = {
            let mut mounts = lock(&self.state.mounts);
            let position = mounts.iter().skip(1).position(|mount| mount.path == path);
            let position = position.ok_or(Error::NotFound)?;
            Arc::make_mut(&mut mounts).remove(position + 1)
        };
        gone.close_sessions();
        let mut attendants = Vec::new();
        for attending in lock(&self.state.attending).iter_mut() {
            let of_path = attending.attendants.extract_if(.., |(own, _)| own == path);
            attendants.extend(of_path);
        }
        // Without the lock: handlers that nobody attends to any more may run here.
        drop(attendants);
        Ok(())
    }

    /// Changes options. Either all changes hold from now on, or none and the error says why.
    ///
    /// `change` runs again if another thread has changed options at the same time, so that neither change
    /// is lost.
    pub fn configure(&self, change: impl Fn(&mut HttpOptions)) -> Result<(), Error> {
        loop {
            let old = self.state.options();
            let mut options = HttpOptions::clone(&old);
            change(&mut options);
            let new = Arc::new(options.checked()?);
            let is_mount = |path: &String| self.state.mounts().iter().any(|it| it.path == *path);
            if new.sse_post_path.as_ref().is_some_and(is_mount) {
                return Err(Error::Invalid("a server is mounted where 2024-11-05 would post to"));
            }
            let mut slot = lock(&self.state.options);
            if Arc::ptr_eq(&slot, &old) {
                *slot = new;
                return Ok(());
            }
        }
    }

    /// A copy of the options in force.
    pub fn options(&self) -> HttpOptions {
        HttpOptions::clone(&self.state.options())
    }

    /// Sets or takes away who decides about requests.
    pub fn set_authorizer(&self, authorizer: Option<Arc<dyn Authorizer>>) {
        let old = {
            let mut slot = lock(&self.state.authorizer);
            self.state.has_authorizer.store(authorizer.is_some(), Ordering::SeqCst);
            std::mem::replace(&mut *slot, authorizer)
        };
        drop(old);
    }

    /// A request arrives. The error is [`Error::Closed`], or [`Error::Limit`] where there is no memory:
    /// a driver answers 503.
    pub fn open(&self, method: &str, target: &str) -> Result<Exchange, Error> {
        self.arrive(method, target).begin()
    }

    /// A request arrives whose headers are all there. Cheaper than to open the exchange first, which
    /// others may look at while each header is added.
    pub fn arrive(&self, method: &str, target: &str) -> Arrival {
        Arrival::new(&self.state, method, target)
    }

    /// Begins to attend to every server, also to those that are mounted later. What [`Server::run`] and the
    /// others do for one server, [`Http::run`], [`Http::waiting`], [`Http::timeout_ms`] and [`Http::tick`]
    /// do for all of them.
    pub fn attend(&self, wake: Wake) -> HttpAttendant {
        let token = self.state.server.state().next_token();
        let attend =
            |mount: &Arc<Mount>| (mount.path.clone(), mount.server.attend(Arc::clone(&wake)));
        let mut attending = lock(&self.state.attending);
        let attendants = self.state.mounts().iter().map(attend).collect();
        attending.push(Attending { token, wake, attendants });
        drop(attending);
        HttpAttendant { http: Arc::clone(&self.state), token }
    }

    /// Runs up to `max` waiting handlers on this thread; says how many ran. Those of servers whose host runs
    /// them itself ([`Dispatch::Queued`](crate::Dispatch)) are left alone.
    pub fn run(&self, max: usize) -> Result<usize, Error> {
        let _nesting = Nesting::enter()?;
        let mounts = self.state.mounts();
        // Another server has its turn first each time, so that a busy one does not keep the others waiting.
        let turn = match mounts.len() {
            0 | 1 => 0,
            count => self.state.turns.fetch_add(1, Ordering::Relaxed) % count,
        };
        let mut ran = 0;
        for mount in mounts.iter().cycle().skip(turn).take(mounts.len()) {
            if mount.runs_inline() {
                ran += mount.server.state().run_jobs(max.saturating_sub(ran));
            }
        }
        Ok(ran)
    }

    /// How many handlers wait for [`Http::run`].
    pub fn waiting(&self) -> usize {
        let mounts = lock(&self.state.mounts);
        let waiting = |mount: &Arc<Mount>| match mount.server.waiting() {
            0 => 0,
            waiting if mount.runs_inline() => waiting,
            _ => 0,
        };
        mounts.iter().map(waiting).sum()
    }

    /// In how many milliseconds [`Http::tick`] has something to do; `None` for never.
    pub fn timeout_ms(&self) -> Option<u64> {
        if lock(&self.state.mounts).iter().all(|mount| mount.server.state().next_ms().is_none()) {
            return None;
        }
        // Without the lock: the clocks are the host's.
        self.state.mounts().iter().filter_map(|mount| mount.server.timeout_ms()).min()
    }

    /// Does what time has come for.
    pub fn tick(&self) {
        self.state.mounts().iter().for_each(|mount| mount.server.tick());
    }

    /// Sessions of all clients before 2026-07-28.
    pub fn sessions(&self) -> usize {
        self.state.mounts().iter().map(|mount| mount.sessions.len()).sum()
    }

    /// Whether the first server shuts down.
    pub fn is_draining(&self) -> bool {
        self.state.server.is_draining()
    }

    /// Ends all sessions and takes no more requests; exchanges under way go on.
    pub fn close(&self) {
        self.state.close();
    }

    /// Whether the endpoint or its first server is closed.
    pub fn is_closed(&self) -> bool {
        self.state.is_over()
    }

    /// Ends listen streams properly and lets open calls finish, at every path; for whoever serves an endpoint
    /// whose first server shuts down.
    pub fn drain(&self) {
        self.state.mounts().iter().for_each(|mount| mount.shutdown());
    }

    /// Ends all sessions: what their clients have left behind is cancelled.
    pub fn end_sessions(&self) {
        self.state.mounts().iter().for_each(|mount| mount.close_sessions());
    }

    /// The server that was there first.
    pub fn server(&self) -> &Server {
        &self.state.server
    }
}

impl HttpState {
    /// Whether the endpoint or its first server is closed.
    pub(super) fn is_over(&self) -> bool {
        self.is_closed() || self.server.is_closed()
    }

    pub(super) fn is_closed(&self) -> bool {
        self.closed.load(Ordering::SeqCst)
    }

    fn close(&self) {
        self.closed.store(true, Ordering::SeqCst);
        self.mounts().iter().for_each(|mount| mount.close_sessions());
        // Whoever serves it need not wait for anybody any more.
        self.server.state().queue().ring_attendants();
    }

    pub(super) fn options(&self) -> Arc<HttpOptions> {
        Arc::clone(&lock(&self.options))
    }

    pub(super) fn authorizer(&self) -> Option<Arc<dyn Authorizer>> {
        if self.has_authorizer() { lock(&self.authorizer).clone() } else { None }
    }

    pub(super) fn has_authorizer(&self) -> bool {
        self.has_authorizer.load(Ordering::SeqCst)
    }

    pub(super) fn server(&self) -> &Arc<ServerState> {
        self.server.state()
    }

    /// Where a request leads, or the response of whoever is there instead.
    pub(super) fn route(
        &self,
        head: &Head,
        options: &HttpOptions,
    ) -> Result<(Arc<Mount>, Route), Response> {
        if let Some(document) = authorize::metadata(&head.path, options) {
            return Err(match &*head.method {
                "GET" => Response::json(200, document.as_bytes().to_vec()),
                _ => gate::preflight(head, options, "GET")
                    .unwrap_or_else(|| Response::not_allowed("GET")),
            });
        }
        let mounts = lock(&self.mounts);
        let first = mounts.first();
        let is_pair = options.sse_path.is_some() && options.sse_post_path.is_some();
        let is_at = |path: &Option<String>| is_pair && path.as_deref() == Some(&*head.path);
        let mount = mounts.iter().find(|mount| mount.path == head.path);
        let serves_legacy = mount.or(first).is_some_and(|mount| {
            let revisions = mount.server.state().peek(|catalog| catalog.options.revisions);
            revisions.of_era(Era::Legacy).next().is_some()
        });
        let has_sessions = serves_legacy && !options.stateless;
        // A path may serve both transports: GET is the one or the other by what the client brings along.
        let is_first = mount.is_none_or(|mount| first.is_some_and(|it| Arc::ptr_eq(it, mount)));
        let is_pair_get = is_at(&options.sse_path)
            && is_first
            && serves_legacy
            && head.field(Known::SessionId) == Field::Absent;
        let routes: &[(&str, Route)] = match mount {
            Some(_) if is_pair_get => &[("POST", Route::Post), ("GET", Route::PairGet)],
            Some(_) if has_sessions => {
                &[("POST", Route::Post), ("GET", Route::Get), ("DELETE", Route::Delete)]
            }
            Some(_) => &[("POST", Route::Post)],
            None if is_pair_get => &[("GET", Route::PairGet)],
            None if is_at(&options.sse_post_path) => &[("POST", Route::PairPost)],
            None => return Err(Response::refusal(404, None, "there is nothing at this path")),
        };
        let route = routes.iter().find(|(method, _)| *method == head.method);
        if let (Some(mount), Some((_, route))) = (mount.or(first), route) {
            return Ok((Arc::clone(mount), *route));
        }
        let methods: Vec<_> = routes.iter().map(|(method, _)| *method).collect();
        let methods = methods.join(", ");
        let preflight = gate::preflight(head, options, &methods);
        Err(preflight.unwrap_or_else(|| Response::not_allowed(&methods)))
    }

    fn mounts(&self) -> Arc<Vec<Arc<Mount>>> {
        Arc::clone(&lock(&self.mounts))
    }
}

impl Drop for HttpAttendant {
    fn drop(&mut self) {
        let gone = {
            let mut attending = lock(&self.http.attending);
            let position = attending.iter().position(|own| own.token == self.token);
            position.map(|position| attending.swap_remove(position))
        };
        // Without the lock: handlers that nobody attends to any more may run here.
        drop(gone);
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl fmt::Debug for HttpState {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("HttpState").field("mounts", &self.mounts()).finish_non_exhaustive()
    }
}

impl fmt::Debug for HttpAttendant {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("HttpAttendant").field("token", &self.token).finish_non_exhaustive()
    }
}
