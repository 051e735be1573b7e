//! The endpoint that an HTTP transcript talks to, made from its options.

use std::sync::Arc;

use mcplite_core::{Authorizer, Http, HttpOptions, HttpRequest, Verdict};
use serde_json::Value;

use super::stage::Stage;

/// Options that are the endpoint's; all others are its server's.
const OWN: [&str; 17] = [
    "authorize",
    "body-bytes",
    "cors",
    "header-bytes",
    "header-count",
    "hosts",
    "keepalive",
    "mount",
    "origins",
    "replay-bytes",
    "resource-metadata",
    "retry",
    "sans-io",
    "session-idle",
    "sessions",
    "sse",
    "stateless",
];

/// A server at `/mcp`, and whatever else the options say.
pub(crate) fn make(options: &[(&str, &str)], fixtures: &Value) -> (Stage, Http) {
    let is_own = |(key, _): &(&str, &str)| OWN.contains(key);
    let (own, others): (Vec<_>, Vec<_>) = options.iter().copied().partition(is_own);
    let stage = Stage::new(&others, fixtures);
    let http = Http::new(&stage.server, "/mcp").unwrap();
    for (key, value) in own {
        match key {
            "sans-io" => {}
            "authorize" => http.set_authorizer(Some(Arc::new(ByName))),
            "mount" => {
                let (path, name) = value.split_once(' ').unwrap();
                http.mount(path, &stage.beside(name, fixtures)).unwrap();
            }
            _ => http.configure(|options| set(options, key, value)).unwrap(),
        }
    }
    (stage, http)
}

fn set(options: &mut HttpOptions, key: &str, value: &str) {
    let number = || value.parse::<usize>().unwrap();
    let list = || value.split(',').map(str::to_owned).collect();
    match key {
        "body-bytes" => options.body_bytes = number(),
        "cors" => options.cors_origins = list(),
        "header-bytes" => options.header_bytes = number(),
        "header-count" => options.header_count = number(),
        "hosts" => options.allowed_hosts = list(),
        "keepalive" => options.keepalive_ms = number() as u64,
        "origins" => options.allowed_origins = list(),
        "replay-bytes" => options.replay_bytes = number(),
        "resource-metadata" => options.resource_metadata = Some(value.to_owned()),
        "retry" => options.retry_ms = number() as u64,
        "session-idle" => options.session_idle_ms = number() as u64,
        "sessions" => options.sessions = number(),
        "sse" => {
            let (stream, post) = value.split_once(' ').unwrap();
            options.sse_path = Some(stream.to_owned());
            options.sse_post_path = Some(post.to_owned());
        }
        "stateless" => options.stateless = value == "on",
        other => panic!("unknown option {other}"),
    }
}

/// Takes the token for the name of whoever sends it, but for two that are not good enough.
struct ByName;

impl Authorizer for ByName {
    fn authorize(&self, request: &HttpRequest) -> Verdict {
        let header = request.header("authorization");
        match header.as_deref().and_then(|value| value.strip_prefix("Bearer ")) {
            None => {
                request.set_challenge("scope=\"files:read\"").unwrap();
                Verdict::Unauthorized
            }
            Some("expired") => {
                request.set_challenge("error=\"invalid_token\"").unwrap();
                Verdict::Unauthorized
            }
            Some("weak") => {
                request.set_challenge("scope=\"files:write\"").unwrap();
                Verdict::Forbidden
            }
            Some(name) => {
                request.set_principal(Some(name));
                Verdict::Granted
            }
        }
    }
}
