//! The headers that the engine itself looks at.

/// One of them. Where each stands is noted when it is added, so that nobody has to look for it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Known {
    Accept,
    ContentEncoding,
    ContentLength,
    ContentType,
    Host,
    LastEventId,
    Method,
    Name,
    Origin,
    ProtocolVersion,
    SessionId,
}

impl Known {
    pub(super) const COUNT: usize = 11;

    /// The one of that name, in lower case.
    pub(super) fn of(name: &[u8]) -> Option<Known> {
        Some(match name {
            b"accept" => Known::Accept,
            b"content-encoding" => Known::ContentEncoding,
            b"content-length" => Known::ContentLength,
            b"content-type" => Known::ContentType,
            b"host" => Known::Host,
            b"last-event-id" => Known::LastEventId,
            b"mcp-method" => Known::Method,
            b"mcp-name" => Known::Name,
            b"origin" => Known::Origin,
            b"mcp-protocol-version" => Known::ProtocolVersion,
            b"mcp-session-id" => Known::SessionId,
            _ => return None,
        })
    }

    /// Its name, as people write it.
    pub(crate) fn title(self) -> &'static str {
        match self {
            Known::Accept => "Accept",
            Known::ContentEncoding => "Content-Encoding",
            Known::ContentLength => "Content-Length",
            Known::ContentType => "Content-Type",
            Known::Host => "Host",
            Known::LastEventId => "Last-Event-ID",
            Known::Method => "Mcp-Method",
            Known::Name => "Mcp-Name",
            Known::Origin => "Origin",
            Known::ProtocolVersion => "MCP-Protocol-Version",
            Known::SessionId => "Mcp-Session-Id",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_is_found_by_its_name() {
        let all = [
            Known::Accept,
            Known::ContentEncoding,
            Known::ContentLength,
            Known::ContentType,
            Known::Host,
            Known::LastEventId,
            Known::Method,
            Known::Name,
            Known::Origin,
            Known::ProtocolVersion,
            Known::SessionId,
        ];
        assert_eq!(all.len(), Known::COUNT);
        for (place, known) in all.into_iter().enumerate() {
            assert_eq!(known as usize, place);
            assert_eq!(Known::of(known.title().to_lowercase().as_bytes()), Some(known));
        }
        assert_eq!(Known::of(b"mcp-param-x"), None);
    }
}
