//! Reading and playing HTTP transcripts; `tests/http/transcripts/README.md` has the format.

use mcplite_core::{Exchange, Http};
use serde_json::Value;

use super::http_endpoint;
use super::stage::{Stage, options_of};
use super::states::States;
use super::transcript::bytes_of;

/// A transcript in the middle of being played.
struct Player {
    stage: Stage,
    http: Http,
    feed: fn(&Exchange, &[u8]),
    exchanges: Vec<Talk>,
    /// The ids of sessions in the order in which the server gave them out.
    sessions: Vec<String>,
    states: States,
}

/// An exchange, and what was heard of its response.
struct Talk {
    name: String,
    exchange: Exchange,
    has_head: bool,
    is_stream: bool,
    event_ids: Vec<String>,
    is_gone: bool,
}

/// What follows `>`, line by line, and the body.
#[derive(Default)]
struct Request<'t> {
    line: &'t str,
    headers: Vec<&'t str>,
    body: Option<(&'t str, bool)>,
}

/// The body at once.
pub(crate) fn feed_whole(exchange: &Exchange, body: &[u8]) {
    exchange.body(body).unwrap();
}

/// The body byte by byte.
pub(crate) fn feed_bytes(exchange: &Exchange, body: &[u8]) {
    body.chunks(1).for_each(|byte| exchange.body(byte).unwrap());
}

/// The text with its server lines replaced by what the engine says; `fixtures` is as in `Stage::new`.
pub(crate) fn play(text: &str, fixtures: &Value, feed: fn(&Exchange, &[u8])) -> String {
    let (stage, http) = http_endpoint::make(&options_of(text), fixtures);
    let mut player = Player {
        stage,
        http,
        feed,
        exchanges: Vec::new(),
        sessions: Vec::new(),
        states: States::default(),
    };
    let (mut out, mut gap) = (String::new(), false);
    let mut lines = text.lines().peekable();
    while let Some(line) = lines.next() {
        let (mark, rest) = line.split_once(' ').unwrap_or((line, ""));
        if matches!(mark, "<" | "<<" | "=") {
            continue;
        }
        gap |= line.is_empty();
        if line.is_empty() {
            continue;
        }
        if std::mem::take(&mut gap) {
            out.push('\n');
        }
        say(&mut out, "", line);
        match mark {
            ">" => {
                let mut request = Request { line: rest, ..Request::default() };
                let mut in_body = false;
                while let Some(line) = lines.next_if(|line| line.starts_with('>')) {
                    say(&mut out, "", line);
                    let (mark, rest) = line.split_once(' ').unwrap_or((line, ""));
                    match (in_body, rest) {
                        (false, "") => in_body = true,
                        (false, header) => request.headers.push(header),
                        (true, body) => request.body = Some((body, mark == ">>")),
                    }
                }
                player.open(&request);
            }
            "!" => {
                if let Some(told) = player.act(rest) {
                    say(&mut out, "= ", told);
                }
            }
            "#" | "@" => continue,
            other => panic!("unknown mark {other}"),
        }
        player.hear(&mut out);
    }
    out
}

impl Player {
    fn open(&mut self, request: &Request<'_>) {
        let line = self.fill_in(request.line);
        let (line, name) = line.split_once(" as ").unwrap_or((&line, ""));
        let (method, target) = line.split_once(' ').unwrap();
        assert!(self.talk(name).is_none(), "two exchanges have the name {name:?}");
        let exchange = self.http.open(method, target).unwrap();
        let body = request.body.map(|(text, is_escaped)| match is_escaped {
            true => bytes_of(text),
            false => self.fill_in(text).into_bytes(),
        });
        let given: Vec<_> = request.headers.iter().map(|header| self.fill_in(header)).collect();
        for (name, value) in usual_headers(method, body.as_deref()) {
            let is_it = |header: &String| {
                let own = header.trim_start_matches('-').split(':').next().unwrap_or_default();
                own.eq_ignore_ascii_case(name)
            };
            if !given.iter().any(is_it) {
                exchange.header(name.as_bytes(), value.as_bytes()).unwrap();
            }
        }
        for header in given.iter().filter(|header| !header.starts_with('-')) {
            let (name, value) = header.split_once(':').unwrap();
            exchange.header(name.as_bytes(), value.as_bytes()).unwrap();
        }
        if let Some(body) = body {
            (self.feed)(&exchange, &body);
        }
        exchange.end().unwrap();
        self.exchanges.push(Talk {
            name: name.to_owned(),
            exchange,
            has_head: false,
            is_stream: false,
            event_ids: Vec::new(),
            is_gone: false,
        });
    }

    /// Does what the host or a client's connection does; gives what is learned by it.
    fn act(&mut self, action: &str) -> Option<&'static str> {
        let mut words = action.splitn(3, ' ');
        let verb = words.next().unwrap_or_default();
        let (one, two) = (words.next().unwrap_or_default(), words.next().unwrap_or_default());
        let held = || self.stage.memory.held.lock().unwrap()[one].clone();
        match verb {
            "drop" => {
                let talk = self.exchanges.iter_mut().find(|talk| talk.name == one).unwrap();
                talk.is_gone = true;
                talk.exchange.close();
                None
            }
            "progress" => {
                held().progress(two.parse().unwrap(), None, None).unwrap();
                None
            }
            "close-stream" => Some(match held().close_stream() {
                Ok(()) => "closed",
                Err(_) => "refused",
            }),
            "cancelled" => Some(if held().is_cancelled() { "yes" } else { "no" }),
            "unmount" => {
                self.http.unmount(one).unwrap();
                None
            }
            _ => {
                self.stage.act(action);
                None
            }
        }
    }

    /// Writes down what has come of every exchange since the last time.
    fn hear(&mut self, out: &mut String) {
        let mut heard = Vec::new();
        for talk in self.exchanges.iter_mut().filter(|talk| !talk.is_gone) {
            heard.extend(talk.hear(out));
            assert!(talk.is_gone || !talk.name.is_empty(), "what stays open needs a name:\n{out}");
        }
        for line in heard {
            let session = line.strip_prefix("Mcp-Session-Id: ");
            let session = session.or_else(|| line.split_once("?sessionId=").map(|(_, id)| id));
            self.sessions.extend(session.map(str::to_owned));
            let message = line.strip_prefix("data: ").unwrap_or(&line);
            if message.starts_with('{') {
                self.states.note(message);
            }
        }
        // The ids of events can be referred to when the response is over.
        self.exchanges.retain(|talk| !talk.is_gone || !talk.name.is_empty());
    }

    fn talk(&self, name: &str) -> Option<&Talk> {
        self.exchanges.iter().find(|talk| talk.name == name)
    }

    /// The client line with everything replaced that stands for what the server said.
    fn fill_in(&self, line: &str) -> String {
        let mut line = self.states.fill_in(line);
        for (index, id) in self.sessions.iter().enumerate().rev() {
            line = line.replace(&format!("$SESSION{}", index + 1), id);
        }
        let mut parts = line.split("$EVENT[");
        let mut out = parts.next().unwrap_or_default().to_owned();
        for part in parts {
            let (place, rest) = part.split_once(']').unwrap();
            let (name, number) = place.split_once(' ').unwrap();
            let ids = &self.talk(name).unwrap().event_ids;
            out.extend([&ids[number.parse::<usize>().unwrap()], rest]);
        }
        out
    }
}

impl Talk {
    /// Writes down what is new, and gives the lines of it.
    fn hear(&mut self, out: &mut String) -> Vec<String> {
        let Some(status) = self.exchange.status() else { return Vec::new() };
        let mut title: Vec<_> =
            Some(self.name.clone()).filter(|it| !it.is_empty()).into_iter().collect();
        let mut lines = Vec::new();
        if !self.has_head {
            title.push(status.to_string());
            let headers = self.exchange.response_headers();
            lines.extend(headers.iter().map(|(name, value)| format!("{name}: {value}")));
            self.is_stream = self.exchange.is_stream();
        }
        let body = self.take_body();
        let ids = body.lines().filter_map(|line| line.strip_prefix("id: ")).map(str::to_owned);
        self.event_ids.extend(ids);
        if !body.is_empty() && !self.has_head {
            lines.push(String::new());
        }
        lines.extend(body.lines().map(str::to_owned));
        self.is_gone = self.exchange.is_finished();
        if self.is_gone {
            self.exchange.close();
        }
        let is_news = !self.has_head || !body.is_empty() || self.is_gone;
        self.has_head = true;
        if is_news {
            title.extend((!self.is_gone).then(|| "open".to_owned()));
            say(out, "<< ", &title.join(" "));
            lines.iter().for_each(|line| say(out, "< ", line));
        }
        lines
    }

    fn take_body(&self) -> String {
        let (mut body, mut piece) = (Vec::new(), Vec::new());
        while self.exchange.poll_into(&mut piece) {
            body.extend_from_slice(&piece);
        }
        let body = String::from_utf8(body).unwrap();
        // So that lines say all there is to say.
        match self.is_stream {
            true => assert!(body.is_empty() || body.ends_with("\n\n"), "an event is cut: {body}"),
            false => assert!(!body.contains('\n'), "not one line: {body}"),
        }
        body
    }
}

/// The headers that a request has unless it says otherwise.
fn usual_headers(method: &str, body: Option<&[u8]>) -> Vec<(&'static str, String)> {
    let mut headers = vec![("Host", "localhost:8080".to_owned())];
    match method {
        "POST" => {
            headers.push(("Content-Type", "application/json".to_owned()));
            headers.push(("Accept", "application/json, text/event-stream".to_owned()));
        }
        "GET" => headers.push(("Accept", "text/event-stream".to_owned())),
        _ => {}
    }
    headers.extend(body.map(|body| ("Content-Length", body.len().to_string())));
    headers
}

fn say(out: &mut String, mark: &str, line: &str) {
    out.push_str(if line.is_empty() { mark.trim_end() } else { mark });
    out.push_str(line);
    out.push('\n');
}
