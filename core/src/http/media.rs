//! What a client sends and takes: `Content-Type` and `Accept`.

use super::head::{Field, Head};
use super::known::Known;

pub(super) const JSON: &str = "application/json";
pub(super) const EVENTS: &str = "text/event-stream";

/// What most clients accept, word for word.
const USUAL: &str = "application/json, text/event-stream";

/// Whether the client takes the answer to a message in whatever form it comes.
pub(super) fn accepts_answers(head: &Head) -> bool {
    head.field(Known::Accept) == Field::Once(USUAL)
        || (accepts(head, JSON) && accepts(head, EVENTS))
}

/// Whether the client takes responses of this type. One that does not say takes everything.
pub(super) fn accepts(head: &Head, media_type: &str) -> bool {
    let mut ranges = head.values("accept").flat_map(|value| value.split(','));
    head.field(Known::Accept) == Field::Absent || ranges.any(|range| covers(range, media_type))
}

/// Whether the body is JSON in UTF-8.
pub(super) fn is_json(head: &Head) -> bool {
    let Field::Once(value) = head.field(Known::ContentType) else { return false };
    // As most clients write it.
    if value == JSON {
        return true;
    }
    let mut parts = value.split(';').map(str::trim);
    let is_json = parts.next().is_some_and(|it| it.eq_ignore_ascii_case(JSON));
    is_json && parts.all(is_utf8_if_charset)
}

/// Whether the body is encoded, which nobody here undoes.
pub(super) fn is_encoded(head: &Head) -> bool {
    let mut values = head.values("content-encoding");
    head.field(Known::ContentEncoding) != Field::Absent
        && values.any(|value| !value.eq_ignore_ascii_case("identity"))
}

fn is_utf8_if_charset(parameter: &str) -> bool {
    let Some((name, value)) = parameter.split_once('=') else { return true };
    let value = value.trim().trim_matches('"');
    !name.trim().eq_ignore_ascii_case("charset")
        || value.eq_ignore_ascii_case("utf-8")
        || value.eq_ignore_ascii_case("us-ascii")
}

/// Whether a media range with its weight lets a type in.
fn covers(range: &str, media_type: &str) -> bool {
    let mut parts = range.split(';').map(str::trim);
    let range = parts.next().unwrap_or_default();
    let (group, _) = media_type.split_once('/').unwrap_or((media_type, ""));
    let is_in = range == "*/*"
        || range.eq_ignore_ascii_case(media_type)
        || range.strip_suffix("/*").is_some_and(|own| own.eq_ignore_ascii_case(group));
    let is_nothing = |weight: &str| weight.parse::<f32>().is_ok_and(|weight| weight <= 0.0);
    let is_refused = |parameter: &str| {
        let weight = parameter.strip_prefix("q=").or_else(|| parameter.strip_prefix("Q="));
        weight.is_some_and(is_nothing)
    };
    is_in && !parts.any(is_refused)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::http::options::HttpOptions;

    fn head(name: &str, values: &[&str]) -> Head {
        let mut head = Head::new("POST", "/").unwrap();
        for value in values {
            head.add(name.as_bytes(), value.as_bytes(), &HttpOptions::default()).unwrap();
        }
        head
    }

    #[test]
    fn ranges_and_weights_count() {
        let accept = |values: &[&str]| {
            let head = head("accept", values);
            let each = (accepts(&head, JSON), accepts(&head, EVENTS));
            assert_eq!(accepts_answers(&head), each == (true, true));
            each
        };
        assert_eq!(accept(&[]), (true, true));
        assert_eq!(accept(&["application/json, text/event-stream"]), (true, true));
        assert_eq!(accept(&["Application/JSON", "text/*;q=0.1"]), (true, true));
        assert_eq!(accept(&["*/*"]), (true, true));
        assert_eq!(accept(&["application/json, text/event-stream;q=0"]), (true, false));
        assert_eq!(accept(&["text/html"]), (false, false));
        assert_eq!(accept(&[""]), (false, false));
    }

    #[test]
    fn only_json_in_utf8_is_json() {
        let is_json = |value: &str| is_json(&head("content-type", &[value]));
        for good in [
            "application/json",
            "Application/Json ; charset=UTF-8",
            "application/json;charset=\"utf-8\"",
        ] {
            assert!(is_json(good), "{good}");
        }
        for bad in ["text/plain", "application/json; charset=utf-16", "application/jsonx", ""] {
            assert!(!is_json(bad), "{bad}");
        }
    }
}
