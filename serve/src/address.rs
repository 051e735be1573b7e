//! Where a socket listens.

use std::io::{self, ErrorKind};
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr, TcpListener};
use std::path::PathBuf;

use crate::error::ServeError;

/// An address that may be listened at.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Address {
    /// The file of a Unix socket.
    Unix(PathBuf),
    /// Addresses of which the first that exists on this machine is meant.
    Tcp(Vec<SocketAddr>),
}

impl Address {
    /// An address that only this machine can reach: `unix:<path>`, a path with a slash in it,
    /// `<loopback IP>:<port>` or `localhost:<port>`.
    #[cfg(any(unix, test))]
    pub(crate) fn local(text: &str) -> Result<Address, ServeError> {
        let address = Address::parse(text)?;
        // Whoever can connect can use the tools: nobody is asked who they are.
        let is_local = |address: &SocketAddr| address.ip().to_canonical().is_loopback();
        match &address {
            Address::Tcp(addresses) if !addresses.iter().all(is_local) => Err(refused(
                text,
                "only loopback addresses are served, since clients are not asked who they are",
            )),
            _ => Ok(address),
        }
    }

    /// The same, or any other IP address with a port.
    pub(crate) fn parse(text: &str) -> Result<Address, ServeError> {
        if let Some(path) = text.strip_prefix("unix:") {
            return unix(path);
        }
        if text.contains('/') {
            return unix(text);
        }
        if let Some(("localhost", port)) = text.rsplit_once(':') {
            let port = port.parse().map_err(|_| refused(text, "a port is 0 to 65535"))?;
            let ips = [IpAddr::from(Ipv4Addr::LOCALHOST), IpAddr::from(Ipv6Addr::LOCALHOST)];
            return Ok(Address::Tcp(ips.map(|ip| SocketAddr::new(ip, port)).into()));
        }
        let address = text.parse().map_err(|_| {
            refused(text, "neither a path with a slash nor an IP address with a port")
        })?;
        Ok(Address::Tcp(vec![address]))
    }
}

/// Listens at the first address that this machine has.
pub(crate) fn bind(addresses: &[SocketAddr]) -> io::Result<TcpListener> {
    let mut result = Err(ErrorKind::AddrNotAvailable.into());
    for address in addresses {
        result = TcpListener::bind(address);
        let is_missing = |error: &io::Error| error.kind() == ErrorKind::AddrNotAvailable;
        if !result.as_ref().is_err_and(is_missing) {
            break;
        }
    }
    result
}

fn unix(path: &str) -> Result<Address, ServeError> {
    if path.is_empty() || path.ends_with('/') || path.contains('\0') {
        return Err(refused(path, "not the path of a file"));
    }
    Ok(Address::Unix(PathBuf::from(path)))
}

fn refused(address: &str, why: &str) -> ServeError {
    ServeError::Address(format!("{address:?}: {why}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn is_refused(text: &str) -> bool {
        matches!(Address::local(text), Err(ServeError::Address(_)))
    }

    #[test]
    fn paths_are_unix_sockets() {
        for (text, path) in [
            ("/run/x.sock", "/run/x.sock"),
            ("./x.sock", "./x.sock"),
            ("run/x:1", "run/x:1"),
            ("unix:x.sock", "x.sock"),
            ("unix:/x", "/x"),
        ] {
            assert_eq!(Address::local(text).unwrap(), Address::Unix(path.into()), "{text}");
        }
        for text in ["unix:", "/", "/run/", "/a\0b"] {
            assert!(is_refused(text), "{text}");
        }
    }

    #[test]
    fn only_loopback_is_local() {
        for text in ["127.0.0.1:7000", "127.8.8.8:1", "[::1]:0", "[::ffff:127.0.0.1]:0"] {
            let expected = Address::Tcp(vec![text.parse().unwrap()]);
            assert_eq!(Address::local(text).unwrap(), expected, "{text}");
        }
        let both = ["127.0.0.1:80", "[::1]:80"].map(|text| text.parse().unwrap());
        assert_eq!(Address::local("localhost:80").unwrap(), Address::Tcp(both.into()));
        for text in
            ["0.0.0.0:7000", "[::]:7000", "192.168.0.1:1", "[::ffff:10.0.0.1]:1", "[fe80::1]:1"]
        {
            assert!(is_refused(text), "{text}");
            assert!(Address::parse(text).is_ok(), "{text}");
        }
    }

    #[test]
    fn what_is_no_address_is_refused_with_a_reason() {
        for text in ["", "7000", "127.0.0.1", "localhost", "localhost:x", "example.com:80", ":80"] {
            let error = Address::parse(text).unwrap_err().to_string();
            assert!(error.starts_with("unusable address: "), "{error}");
        }
    }
}
