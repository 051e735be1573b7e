//! Who may come in: the names and pages that a request may come by, and what scripts of pages may see.

use super::head::{Field, Head};
use super::known::Known;
use super::octets::is_token_byte;
use super::options::HttpOptions;
use super::response::{Headers, Response};

/// The names by which this machine knows itself.
const LOOPBACK: [&str; 3] = ["localhost", "127.0.0.1", "[::1]"];

/// Refuses requests that a web page may have made a browser send: by a name that was bound to this
/// machine behind the user's back, or from a page that has no business here.
pub(super) fn check(head: &Head, options: &HttpOptions) -> Result<(), Response> {
    match head.field(Known::Host) {
        Field::Once(host) if is_allowed_host(host, options) => {}
        Field::Once(_) => return Err(Response::refusal(403, None, "the Host is not allowed")),
        _ => return Err(Response::refusal(400, None, "there must be one Host")),
    }
    match head.field(Known::Origin) {
        Field::Absent => Ok(()),
        Field::Once(origin) if is_allowed_origin(origin, options) => Ok(()),
        _ => Err(Response::refusal(403, None, "the Origin is not allowed")),
    }
}

/// The headers by which scripts of a page may read the response, if they may.
pub(super) fn cors_headers(head: &Head, options: &HttpOptions) -> Headers {
    if options.cors_origins.is_empty() {
        return Headers::new();
    }
    let Field::Once(origin) = head.field(Known::Origin) else { return Headers::new() };
    if !has_origin(&options.cors_origins, origin) {
        return Headers::new();
    }
    let exposed = ("Access-Control-Expose-Headers", "Mcp-Session-Id, WWW-Authenticate".into());
    if options.cors_origins.iter().any(|own| own == "*") {
        return vec![("Access-Control-Allow-Origin", "*".into()), exposed];
    }
    let allowed = ("Access-Control-Allow-Origin", origin.to_owned().into());
    vec![allowed, exposed, ("Vary", "Origin".into())]
}

/// The answer to a browser that asks whether a script may send its request.
pub(super) fn preflight(head: &Head, options: &HttpOptions, methods: &str) -> Option<Response> {
    let is_preflight =
        head.method == "OPTIONS" && head.first("access-control-request-method").is_some();
    if !is_preflight || cors_headers(head, options).is_empty() {
        return None;
    }
    let mut headers = "Content-Type, Accept, Authorization, MCP-Protocol-Version, Mcp-Session-Id, \
                       Last-Event-ID, Mcp-Method, Mcp-Name"
        .to_owned();
    let asked = head.values("access-control-request-headers").flat_map(|value| value.split(','));
    for name in asked.map(str::trim) {
        // Which parameters of tools are repeated in headers is not known here, only how those are named.
        let is_param = name.to_ascii_lowercase().starts_with("mcp-param-");
        if is_param && name.bytes().all(is_token_byte) {
            headers.push_str(", ");
            headers.push_str(name);
        }
    }
    let response = Response::empty(204)
        .with("Access-Control-Allow-Methods", methods.to_owned())
        .with("Access-Control-Allow-Headers", headers)
        .with("Access-Control-Max-Age", "600");
    Some(response)
}

fn is_allowed_host(host: &str, options: &HttpOptions) -> bool {
    let Some((name, _)) = host_parts(host) else { return false };
    if options.allowed_hosts.is_empty() {
        return is_loopback(name);
    }
    let is_same = |own: &String| {
        own == "*" || own.eq_ignore_ascii_case(host) || own.eq_ignore_ascii_case(name)
    };
    options.allowed_hosts.iter().any(is_same)
}

fn is_allowed_origin(origin: &str, options: &HttpOptions) -> bool {
    if has_origin(&options.allowed_origins, origin) || has_origin(&options.cors_origins, origin) {
        return true;
    }
    options.allowed_origins.is_empty() && {
        let host = origin.strip_prefix("http://").or_else(|| origin.strip_prefix("https://"));
        host.and_then(host_parts).is_some_and(|(name, _)| is_loopback(name))
    }
}

fn has_origin(list: &[String], origin: &str) -> bool {
    list.iter().any(|own| own == "*" || own.eq_ignore_ascii_case(origin))
}

fn is_loopback(name: &str) -> bool {
    LOOPBACK.iter().any(|own| own.eq_ignore_ascii_case(name))
}

/// Name and port of a host, if it is nothing but that.
fn host_parts(host: &str) -> Option<(&str, Option<&str>)> {
    let place = |wanted: u8| host.bytes().position(|byte| byte == wanted);
    let end = if host.starts_with('[') { place(b']').map(|end| end + 1) } else { None };
    let (name, port) = match end.or_else(|| place(b':')) {
        Some(end) => host.split_at_checked(end)?,
        None => (host, ""),
    };
    let port = match port.strip_prefix(':') {
        Some(port) if !port.is_empty() && port.bytes().all(|byte| byte.is_ascii_digit()) => {
            Some(port)
        }
        None if port.is_empty() => None,
        _ => return None,
    };
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b".-_[:]".contains(&byte);
    (!name.is_empty() && name.bytes().all(is_plain)).then_some((name, port))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn status(host: &str, origin: &str, options: &HttpOptions) -> u16 {
        let mut head = Head::new("POST", "/mcp").unwrap();
        head.add(b"host", host.as_bytes(), options).unwrap();
        if !origin.is_empty() {
            head.add(b"origin", origin.as_bytes(), options).unwrap();
        }
        check(&head, options).map_or_else(|response| response.status, |()| 200)
    }

    #[test]
    fn only_this_machine_comes_in_unless_told_otherwise() {
        let options = HttpOptions::default();
        for host in ["localhost", "localhost:80", "127.0.0.1:1", "[::1]:8080", "LOCALHOST"] {
            assert_eq!(status(host, "", &options), 200, "{host}");
            assert_eq!(status(host, &format!("http://{host}"), &options), 200, "{host}");
            assert_eq!(status(host, &format!("https://{host}"), &options), 200, "{host}");
        }
        for host in
            ["evil.example", "localhost@evil.example", "127.0.0.1.evil.example", "localhost:x", ""]
        {
            assert_eq!(status(host, "", &options), 403, "{host}");
            assert_eq!(status("localhost", &format!("http://{host}"), &options), 403, "{host}");
        }
        for origin in ["null", "file://", "chrome-extension://abc", "http://localhost/x"] {
            assert_eq!(status("localhost", origin, &options), 403, "{origin}");
        }
    }

    #[test]
    fn lists_take_the_place_of_this_machine() {
        let options = HttpOptions {
            allowed_hosts: vec!["example.org".to_owned(), "other.org:81".to_owned()],
            allowed_origins: vec!["https://example.org".to_owned()],
            ..HttpOptions::default()
        };
        assert_eq!(status("Example.org:8443", "https://example.org", &options), 200);
        assert_eq!(status("other.org:81", "", &options), 200);
        assert_eq!(status("other.org:82", "", &options), 403);
        assert_eq!(status("localhost", "", &options), 403);
        assert_eq!(status("example.org", "http://example.org", &options), 403);
        assert_eq!(status("example.org", "http://localhost", &options), 403);
    }
}
