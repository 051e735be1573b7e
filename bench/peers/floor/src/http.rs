//! HTTP/1.1 as far as a well-behaved client needs it: one request at a time on connections that stay open.

use std::collections::HashMap;
use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::os::fd::{AsFd, AsRawFd};

use memchr::memmem;
use nix::sys::epoll::{Epoll, EpollCreateFlags, EpollEvent, EpollFlags, EpollTimeout};
use playing::Stop;

use crate::server::{Server, Written};

const LISTENER: u64 = u64::MAX;

struct Connection {
    stream: TcpStream,
    received: Vec<u8>,
}

/// Serves until it is ended from outside.
pub(crate) fn serve(server: Server) -> Result<(), Stop> {
    let listener = TcpListener::bind("127.0.0.1:0")?;
    println!("{}", listener.local_addr()?.port());
    let epoll = Epoll::new(EpollCreateFlags::empty())?;
    epoll.add(&listener, EpollEvent::new(EpollFlags::EPOLLIN, LISTENER))?;
    let mut connections: HashMap<u64, Connection> = HashMap::new();
    let mut events = [EpollEvent::empty(); 64];
    let (mut piece, mut body, mut response) = (vec![0; 1 << 16], Vec::new(), Vec::new());
    loop {
        let count = epoll.wait(&mut events, EpollTimeout::NONE)?;
        for event in &events[..count] {
            if event.data() == LISTENER {
                let (stream, _) = listener.accept()?;
                stream.set_nodelay(true)?;
                let number = stream.as_raw_fd() as u64;
                epoll.add(stream.as_fd(), EpollEvent::new(EpollFlags::EPOLLIN, number))?;
                connections.insert(number, Connection { stream, received: Vec::new() });
                continue;
            }
            let Some(connection) = connections.get_mut(&event.data()) else { continue };
            let count = connection.stream.read(&mut piece).unwrap_or(0);
            if count == 0 {
                connections.remove(&event.data());
                continue;
            }
            connection.received.extend_from_slice(&piece[..count]);
            if let Some(message) = message(&connection.received) {
                body.clear();
                response.clear();
                let written = server.answer(message, &mut body)?;
                respond(written, &body, &mut response)?;
                connection.received.clear();
                connection.stream.write_all(&response)?;
            }
        }
    }
}

/// The body of a request, once all of it has come.
fn message(received: &[u8]) -> Option<&[u8]> {
    let end = memmem::find(received, b"\r\n\r\n")?;
    let body = &received[end + 4..];
    let length = received[..end].split(|byte| *byte == b'\n').find_map(|line| {
        let (name, value) = line.split_at_checked(15)?;
        name.eq_ignore_ascii_case(b"content-length:")
            .then(|| std::str::from_utf8(value).ok()?.trim().parse().ok())?
    });
    (body.len() >= length.unwrap_or(0)).then_some(body)
}

fn respond(written: Written, body: &[u8], out: &mut Vec<u8>) -> Result<(), Stop> {
    if body.is_empty() {
        out.extend_from_slice(b"HTTP/1.1 202 Accepted\r\ncontent-length: 0\r\n\r\n");
    } else if written == Written::Answer {
        let length = body.len();
        write!(
            out,
            "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: {length}\r\n\r\n"
        )?;
        out.extend_from_slice(body);
    } else {
        out.extend_from_slice(
            b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n",
        );
        for line in body.split(|byte| *byte == b'\n') {
            write!(out, "{:x}\r\ndata: ", line.len() + 8)?;
            out.extend_from_slice(line);
            out.extend_from_slice(b"\n\n\r\n");
        }
        out.extend_from_slice(b"0\r\n\r\n");
    }
    Ok(())
}
