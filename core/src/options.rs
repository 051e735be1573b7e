//! What a host can set on a server.

use crate::error::Error;
use crate::json::{Reader, compact};
use crate::kind::ErrorTable;
use crate::limits::Limits;
use crate::revision::Revisions;

/// The settings of a server. All of them may change while connections are live.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Options {
    /// The server's name, for programs.
    pub name: String,
    /// The server's version.
    pub version: String,
    /// The server's name, for people.
    pub title: Option<String>,
    /// What the server is.
    pub description: Option<String>,
    /// Where to read more.
    pub website_url: Option<String>,
    /// Icons: a JSON array of the spec's `Icon`.
    pub icons: Option<String>,
    /// How a model should use this server.
    pub instructions: Option<String>,
    /// The revisions that are served. Default: all.
    pub revisions: Revisions,
    /// Where handlers run. Default: in the call that feeds the message.
    pub dispatch: Dispatch,
    /// Codes and forms of errors.
    pub errors: ErrorTable,
    /// Items per page of a list; 0 for everything at once, which is the default.
    pub page_size: usize,
    /// Cache hints of results that can be cached, where the item has none of its own.
    pub cache: Cache,
    /// How long a call may take before it is answered with "timed out"; `None`, the default: for
    /// ever. A tool's own deadline goes first. Needs a clock.
    pub deadline_ms: Option<u64>,
    /// Whether tool arguments that do not fit are tried again with strings turned into the JSON that
    /// stands in them (`"5"` into `5`), as models often write it. Default: no. A tool's own setting goes
    /// first.
    pub coerce: bool,
    /// How long a client may take to answer a question, in either era: how long a `requestState` holds,
    /// and how long a call waits. Default ten minutes; `None` for ever. Needs a clock.
    pub state_ttl_ms: Option<u64>,
    /// Whether clients may have log messages. Default: yes. Deprecated in 2026-07-28.
    pub logging: bool,
    /// Whether results say which server made them (2026-07-28). Default: yes.
    pub identify: bool,
    /// Whether stack traces of failed tools leave the process. Default: no.
    pub stacktraces: bool,
    /// Capabilities to announce although nothing of the kind is registered yet.
    pub declared: Declared,
    /// Bounds on everything.
    pub limits: Limits,
}

/// Where handlers run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Dispatch {
    /// In the call that feeds the message.
    #[default]
    Inline,
    /// Only in `Server::run`, on whatever thread calls it.
    Queued,
}

/// How long, and by whom, a result may be kept.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Cache {
    /// For how many milliseconds the result stays fresh. Default 0: ask again.
    pub ttl_ms: u64,
    /// Who may share it. Default: nobody.
    pub scope: CacheScope,
}

/// Who may share a cached result.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum CacheScope {
    /// Only whoever asked.
    #[default]
    Private,
    /// Everybody.
    Public,
}

/// Capabilities that a host announces itself, because it will register later or answers the methods
/// with handlers of its own.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct Declared {
    /// Announce `tools`.
    pub tools: bool,
    /// Announce `resources`.
    pub resources: bool,
    /// Announce `prompts`.
    pub prompts: bool,
    /// Announce `completions`.
    pub completions: bool,
    /// Announce these `experimental` capabilities: a JSON object.
    pub experimental: Option<String>,
    /// Announce these `extensions`: a JSON object. Only 2026-07-28 has them.
    pub extensions: Option<String>,
}

impl CacheScope {
    pub(crate) const fn name(self) -> &'static str {
        match self {
            CacheScope::Private => "private",
            CacheScope::Public => "public",
        }
    }
}

impl Options {
    pub(crate) fn new(name: &str, version: &str) -> Options {
        Options {
            name: name.to_owned(),
            version: version.to_owned(),
            title: None,
            description: None,
            website_url: None,
            icons: None,
            instructions: None,
            revisions: Revisions::ALL,
            dispatch: Dispatch::default(),
            errors: ErrorTable::default(),
            page_size: 0,
            cache: Cache::default(),
            deadline_ms: None,
            coerce: false,
            state_ttl_ms: Some(600_000),
            logging: true,
            identify: true,
            stacktraces: false,
            declared: Declared::default(),
            limits: Limits::default(),
        }
    }

    /// Refuses what could not be said on the wire.
    pub(crate) fn checked(mut self) -> Result<Options, Error> {
        if self.name.is_empty() || self.version.is_empty() {
            return Err(Error::Invalid("a server needs a name and a version"));
        }
        if self.revisions.iter().next().is_none() {
            return Err(Error::Invalid("at least one revision must be served"));
        }
        self.limits = self.limits.clamped();
        let depth = self.limits.depth;
        check_json(&mut self.icons, b'[', "icons must be a JSON array", depth)?;
        let Declared { experimental, extensions, .. } = &mut self.declared;
        check_json(experimental, b'{', "experimental must be a JSON object", depth)?;
        check_json(extensions, b'{', "extensions must be a JSON object", depth)?;
        Ok(self)
    }
}

fn check_json(
    slot: &mut Option<String>,
    first: u8,
    what: &'static str,
    depth: u32,
) -> Result<(), Error> {
    let Some(json) = slot else { return Ok(()) };
    let mut reader = Reader::new(json, depth);
    if reader.peek() != Some(first) {
        return Err(Error::Invalid(what));
    }
    reader.skip().and_then(|_| reader.end()).map_err(Error::from_fault)?;
    *slot = Some(compact(json));
    Ok(())
}
