//! What a host can set on an HTTP endpoint.

use crate::error::Error;
use crate::json::{Reader, compact, find_member};
use crate::model::definition::text_member;

/// The settings of an endpoint. All of them may change while exchanges are under way.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct HttpOptions {
    /// Names that requests may address the server by (`Host`): `example.org` for any port,
    /// `example.org:8443`, or `*` for all. Empty, the default: the names of this machine for itself.
    pub allowed_hosts: Vec<String>,
    /// Pages that may send requests (`Origin`): `https://example.org`, or `*` for all. Empty, the default:
    /// those of this machine. Requests that no page sends have no `Origin`, and need none.
    pub allowed_origins: Vec<String>,
    /// Pages whose scripts may read the answers too (CORS): `https://example.org`, or `*` for all. They may
    /// send requests as well. Empty, the default: none.
    pub cors_origins: Vec<String>,
    /// Bytes of a body. Default 4 MiB.
    pub body_bytes: usize,
    /// Headers of a request. Default 100, at most 16,384.
    pub header_count: usize,
    /// Bytes of them. Default 32 KiB, at most 1 MiB.
    pub header_bytes: usize,
    /// Requests of one server that wait for the rest of their answer, streams included. Default 4,096.
    pub exchanges: usize,
    /// Sessions of clients before 2026-07-28 at any one time. Default 1,024.
    pub sessions: usize,
    /// After how many milliseconds without a request or stream a session ends. Default 30 minutes; 0 for
    /// never. Needs a clock.
    pub session_idle_ms: u64,
    /// Whether clients before 2026-07-28 are served without sessions: each request for itself, with no way
    /// to ask the client or tell it of changes. Default: no.
    pub stateless: bool,
    /// After how many milliseconds of silence a stream says that it is still there. Default 15,000; 0 for
    /// never. Needs a clock.
    pub keepalive_ms: u64,
    /// Bytes of messages that are kept for each session, to be sent again to a client that lost its
    /// connection. Default 256 KiB; 0 for none.
    pub replay_bytes: usize,
    /// In how many milliseconds a client is to come back whose stream was closed. Default 1,000.
    pub retry_ms: u64,
    /// The metadata of this protected resource (RFC 9728): a JSON object with at least `resource`. Served
    /// under `/.well-known/oauth-protected-resource`, and named to clients that lack authorisation.
    pub resource_metadata: Option<String>,
    /// The path of the stream of 2024-11-05. Both paths are needed; without them there is no such transport.
    pub sse_path: Option<String>,
    /// The path that clients of 2024-11-05 post to.
    pub sse_post_path: Option<String>,
    /// For listeners: connections at any one time. Default 1,024.
    pub connections: usize,
    /// For listeners: how many milliseconds the head of a request may take. Default 10,000; 0, here and below,
    /// for as long as it likes.
    pub header_timeout_ms: u64,
    /// For listeners: how long the body of a request may take. Default 30,000.
    pub body_timeout_ms: u64,
    /// For listeners: how long a connection may be without a request. Default 60,000.
    pub idle_timeout_ms: u64,
    /// For listeners: how long a client may take no output while there is some. Default 30,000.
    pub write_timeout_ms: u64,
}

const MAX_HEADERS: usize = 16 * 1024;
const MAX_HEADER_BYTES: usize = 1 << 20;

impl Default for HttpOptions {
    fn default() -> HttpOptions {
        HttpOptions {
            allowed_hosts: Vec::new(),
            allowed_origins: Vec::new(),
            cors_origins: Vec::new(),
            body_bytes: 4 << 20,
            header_count: 100,
            header_bytes: 32 << 10,
            exchanges: 4096,
            sessions: 1024,
            session_idle_ms: 30 * 60 * 1000,
            stateless: false,
            keepalive_ms: 15_000,
            replay_bytes: 256 << 10,
            retry_ms: 1000,
            resource_metadata: None,
            sse_path: None,
            sse_post_path: None,
            connections: 1024,
            header_timeout_ms: 10_000,
            body_timeout_ms: 30_000,
            idle_timeout_ms: 60_000,
            write_timeout_ms: 30_000,
        }
    }
}

impl HttpOptions {
    /// Refuses what could not be used.
    pub(super) fn checked(mut self) -> Result<HttpOptions, Error> {
        // Absurd values are brought to what a listener can keep.
        self.header_count = self.header_count.min(MAX_HEADERS);
        self.header_bytes = self.header_bytes.min(MAX_HEADER_BYTES);
        let lists = [&self.allowed_hosts, &self.allowed_origins, &self.cors_origins];
        let is_plain =
            |text: &String| !text.is_empty() && text.bytes().all(|it| it.is_ascii_graphic());
        if !lists.into_iter().flatten().all(is_plain) {
            return Err(Error::Invalid("hosts and origins are plain ASCII without spaces"));
        }
        for path in [&self.sse_path, &self.sse_post_path].into_iter().flatten() {
            check_path(path)?;
        }
        if self.sse_path.is_some() && self.sse_path == self.sse_post_path {
            return Err(Error::Invalid("the two paths of 2024-11-05 must differ"));
        }
        if let Some(json) = &self.resource_metadata {
            let mut reader = Reader::new(json, crate::json::MAX_DEPTH);
            reader.skip().and_then(|_| reader.end()).map_err(Error::from_fault)?;
            let resource = text_member(json, "resource");
            let is_url = |url: &String| url.starts_with("http://") || url.starts_with("https://");
            let is_safe = |url: &String| url.bytes().all(|it| it.is_ascii_graphic() && it != b'"');
            if find_member(json, "resource").is_none()
                || !resource.iter().any(|it| is_url(it) && is_safe(it))
            {
                return Err(Error::Invalid("the metadata needs resource, the URL of the endpoint"));
            }
            self.resource_metadata = Some(compact(json));
        }
        Ok(self)
    }
}

/// A path that requests can be compared with.
pub(super) fn check_path(path: &str) -> Result<(), Error> {
    let is_plain = path.bytes().all(|byte| byte.is_ascii_graphic() && !b"?#\"<>\\".contains(&byte));
    if path.starts_with('/') && is_plain {
        Ok(())
    } else {
        Err(Error::Name("a path starts with / and has neither spaces nor ? nor #"))
    }
}
