//! Appending JSON to a buffer. What is appended never contains a raw line break.

use std::fmt;

use super::fault::Fault;
use super::reader::Reader;
use super::special::{find_special, has_control};
use super::string::scan_string;

/// Appends `text` as a JSON string.
pub fn push_quoted(out: &mut Vec<u8>, text: &str) {
    out.push(b'"');
    push_escaped(out, text);
    out.push(b'"');
}

/// Appends what stands between the quotes of `text` as a JSON string.
pub(crate) fn push_escaped(out: &mut Vec<u8>, text: &str) {
    let bytes = text.as_bytes();
    let mut done = 0;
    loop {
        let special = find_special(bytes, done);
        out.extend_from_slice(bytes.get(done..special).unwrap_or_default());
        let Some(&byte) = bytes.get(special) else {
            break;
        };
        push_escape(out, byte);
        done = special + 1;
    }
}

/// Appends the name of the next member of the object that is being written, and what separates it
/// from the one before.
pub(crate) fn push_key(out: &mut Vec<u8>, name: &str) {
    separate(out);
    push_quoted(out, name);
    out.push(b':');
}

/// A comma, unless nothing has been written since the opening brace or bracket. No value ends with
/// one of those.
pub(crate) fn separate(out: &mut Vec<u8>) {
    if !matches!(out.last(), None | Some(b'{' | b'[')) {
        out.push(b',');
    }
}

/// `text` as a JSON string of its own.
pub fn quoted(text: &str) -> String {
    let mut out = Vec::with_capacity(text.len() + 2);
    push_quoted(&mut out, text);
    String::from_utf8(out).unwrap_or_default()
}

/// Appends a JSON value given by the host, after checking it strictly.
///
/// Line breaks between tokens become spaces: one message is one line.
pub fn push_json(out: &mut Vec<u8>, json: &str, max_depth: u32) -> Result<(), Fault> {
    let mut reader = Reader::new(json, max_depth);
    let value = reader.skip()?;
    reader.end()?;
    push_checked(out, value);
    Ok(())
}

/// Appends JSON that the reader has accepted.
pub(crate) fn push_checked(out: &mut Vec<u8>, json: &str) {
    let start = out.len();
    out.extend_from_slice(json.as_bytes());
    // A string has no line break in it, and most values are written without any.
    if json.starts_with('"') || !has_control(json.as_bytes()) {
        return;
    }
    for byte in out.iter_mut().skip(start) {
        if *byte == b'\n' || *byte == b'\r' {
            *byte = b' ';
        }
    }
}

/// Appends JSON that the reader has accepted, without the white space between its tokens.
pub(crate) fn push_compact(out: &mut Vec<u8>, json: &str) {
    let mut rest = json.as_bytes();
    while let Some((&byte, tail)) = rest.split_first() {
        match byte {
            b' ' | b'\n' | b'\r' | b'\t' => rest = tail,
            b'"' => {
                let end = scan_string(tail, 0).map_or(tail.len(), |(end, _)| end + 1);
                out.push(b'"');
                out.extend_from_slice(tail.get(..end).unwrap_or_default());
                rest = tail.get(end..).unwrap_or_default();
            }
            _ => {
                out.push(byte);
                rest = tail;
            }
        }
    }
}

/// The same as a text of its own.
pub(crate) fn compact(json: &str) -> String {
    let mut out = Vec::with_capacity(json.len());
    push_compact(&mut out, json);
    String::from_utf8(out).unwrap_or_default()
}

/// Appends an unsigned integer.
pub fn push_u64(out: &mut Vec<u8>, mut value: u64) {
    let mut digits = [0_u8; 20];
    let mut length = 0;
    for slot in digits.iter_mut().rev() {
        *slot = b'0' + (value % 10) as u8;
        value /= 10;
        length += 1;
        if value == 0 {
            break;
        }
    }
    out.extend_from_slice(digits.get(20 - length..).unwrap_or_default());
}

/// Appends a signed integer.
pub(crate) fn push_i64(out: &mut Vec<u8>, value: i64) {
    if value < 0 {
        out.push(b'-');
    }
    push_u64(out, value.unsigned_abs());
}

/// Appends a finite number in its shortest form; `null` for one that JSON cannot say.
pub fn push_f64(out: &mut Vec<u8>, value: f64) {
    let magnitude = value.abs();
    if !value.is_finite() {
        out.extend_from_slice(b"null");
    } else if magnitude != 0.0 && !(1e-5..1e17).contains(&magnitude) {
        push_display(out, format_args!("{value:e}"));
    } else {
        push_display(out, format_args!("{value}"));
    }
}

/// Appends formatted text as it is, without a string in between.
fn push_display(out: &mut Vec<u8>, text: fmt::Arguments<'_>) {
    struct Appender<'a>(&'a mut Vec<u8>);
    impl fmt::Write for Appender<'_> {
        fn write_str(&mut self, text: &str) -> fmt::Result {
            self.0.extend_from_slice(text.as_bytes());
            Ok(())
        }
    }
    // Appending to a Vec does not fail, and neither do the formatters of the standard library.
    let _ = fmt::Write::write_fmt(&mut Appender(out), text);
}

fn push_escape(out: &mut Vec<u8>, byte: u8) {
    const HEX: [u8; 16] = *b"0123456789abcdef";
    let short = match byte {
        b'"' => b'"',
        b'\\' => b'\\',
        b'\n' => b'n',
        b'\r' => b'r',
        b'\t' => b't',
        0x08 => b'b',
        0x0C => b'f',
        _ => {
            let high = HEX.get(usize::from(byte >> 4)).copied().unwrap_or(b'0');
            let low = HEX.get(usize::from(byte & 15)).copied().unwrap_or(b'0');
            out.extend_from_slice(&[b'\\', b'u', b'0', b'0', high, low]);
            return;
        }
    };
    out.extend_from_slice(&[b'\\', short]);
}
