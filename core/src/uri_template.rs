//! URI templates (RFC 6570, levels 1 to 3), read backwards: as patterns for `resources/read`.
//!
//! RFC 6570 defines expansion only, so matching needs rules of its own. They are chosen so that a
//! URI matches in at most one way, found in one pass without backtracking:
//!
//! * A value never holds a raw `/`, `?`, `#`, `,`, space, `\` or control character, nor the
//!   separator of its own operator. Directly before another expression it also ends at `;` and `&`.
//! * A value before a literal ends at the *first* occurrence of that literal. The literal that ends
//!   the template is anchored to the end of the URI, so `{name}.json` accepts `a.json.json`.
//! * `{+x}` and `{#x}` may hold any character and end at the *last* occurrence of the next literal
//!   that leaves room for the rest. In `{+x,y}` only the last value may hold a raw comma.
//! * `{?x,y}` and `{&x,y}` take their pairs in any order, `{;x,y}` in the order of the template.
//!   Pairs may be absent but not repeated or unknown. All other values are present and not empty.
//!
//! Values are percent-decoded once, and a value that could climb out of its place (a dot segment, a
//! decoded slash or backslash, a control character) makes the URI not match.

use std::fmt;

/// A parsed template that can tell whether a URI belongs to it.
#[derive(Clone, Debug)]
pub struct UriTemplate {
    source: String,
    parts: Vec<Part>,
}

impl UriTemplate {
    /// Parses a template, refusing whatever could not be matched without guessing.
    pub fn parse(template: &str) -> Result<UriTemplate, TemplateError> {
        if template.len() > MAX_LENGTH {
            return refuse(MAX_LENGTH, "template longer than 2048 bytes");
        }
        let mut parser = Parser::default();
        let mut rest = template;
        while !rest.is_empty() {
            let offset = template.len() - rest.len();
            rest = if let Some(opened) = rest.strip_prefix('{') {
                let Some((body, after)) = opened.split_once('}') else {
                    return refuse(offset, "unclosed brace");
                };
                parser.expression(body, offset)?;
                after
            } else {
                let (literal, _) = rest.split_once('{').unwrap_or((rest, ""));
                parser.literal(literal, offset)?;
                rest.strip_prefix(literal).unwrap_or_default()
            };
        }
        Ok(UriTemplate { source: template.to_owned(), parts: parser.parts })
    }

    /// The text this template was parsed from.
    pub fn as_str(&self) -> &str {
        &self.source
    }

    /// The names of the variables, in the order of the template.
    pub fn variables(&self) -> impl Iterator<Item = &str> {
        let names = self.parts.iter().flat_map(|part| match part {
            Part::Literal(_) => [].as_slice(),
            Part::Expression(expression) => expression.names.as_slice(),
        });
        names.map(String::as_str)
    }

    /// The variables of `uri` if it matches, in the order of the template and percent-decoded once.
    ///
    /// A value of `{+x}` or `{#x}` may begin with a slash, so do not take it for a relative path.
    /// The time taken grows at most with the length of `uri` times the number of parts.
    pub fn matches<'t>(&'t self, uri: &str) -> Option<Vec<(&'t str, String)>> {
        let (parts, mut rest) = match self.parts.split_last() {
            Some((Part::Literal(suffix), parts)) => (parts, uri.strip_suffix(suffix.as_str())?),
            _ => (self.parts.as_slice(), uri),
        };
        let mut found = Vec::new();
        let mut parts = parts.iter();
        while let Some(part) = parts.next() {
            rest = match part {
                Part::Literal(literal) => rest.strip_prefix(literal.as_str())?,
                Part::Expression(expression) => {
                    let end = expression.end(rest, parts.as_slice())?;
                    let (body, after) = rest.split_at_checked(end)?;
                    let named = expression.names.iter().zip(expression.values(body)?);
                    found.extend(named.filter_map(|(name, value)| Some((name.as_str(), value?))));
                    after
                }
            };
        }
        rest.is_empty().then_some(found)
    }
}

/// Why a template was refused, and where.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TemplateError {
    /// The byte of the template at which the problem was noticed.
    pub offset: usize,
    /// What is wrong there.
    pub reason: &'static str,
}

impl fmt::Display for TemplateError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} at byte {}", self.reason, self.offset)
    }
}

impl std::error::Error for TemplateError {}

#[derive(Clone, Debug)]
enum Part {
    Literal(String),
    Expression(Expression),
}

#[derive(Clone, Debug)]
struct Expression {
    operator: Operator,
    /// Never empty.
    names: Vec<String>,
}

impl Expression {
    /// Where in `rest` this expression has to end for the parts in `tail` to match what is left.
    fn end(&self, rest: &str, tail: &[Part]) -> Option<usize> {
        // No listed value holds its separator, so only the end of the last one is in question.
        let skipped = match self.operator.style {
            Style::Reserved => return end_of_reserved(rest, tail),
            Style::Named if !rest.starts_with(self.operator.prefix) => return Some(0),
            Style::Named => 0,
            Style::Listed => self.names.len().saturating_sub(1),
        };
        let mut start = self.operator.prefix.len();
        for _ in 0..skipped {
            start += rest.get(start..)?.find(self.operator.separator)? + 1;
        }
        let open = rest.get(start..)?;
        let Some(Part::Literal(literal)) = tail.first() else {
            let end = open.find(|c| self.operator.ends_value(c, !tail.is_empty()));
            return Some(start + end.unwrap_or(open.len()));
        };
        // A listed value is not empty, but named ones may all be absent before a like literal.
        let earliest = match self.operator.style {
            Style::Named => 0,
            _ => start + open.chars().next()?.len_utf8(),
        };
        let places = rest.get(earliest..)?.match_indices(literal.as_str());
        let mut ends = places.map(|(at, _)| earliest + at);
        ends.find(|end| !splits_triplet(rest, *end))
    }

    /// One value for each name, from exactly the text of this expression.
    fn values(&self, body: &str) -> Option<Vec<Option<String>>> {
        if self.operator.style == Style::Named {
            return self.named_values(body);
        }
        let list = body.strip_prefix(self.operator.prefix)?;
        let mut values = list.splitn(self.names.len(), self.operator.separator);
        let decoded = self.names.iter().map(|_| self.operator.decode(values.next()?));
        decoded.map(|value| value.map(Some)).collect()
    }

    fn named_values(&self, body: &str) -> Option<Vec<Option<String>>> {
        let mut values = vec![None; self.names.len()];
        let is_ordered = self.operator.separator == ';';
        let pairs = body.strip_prefix(self.operator.prefix).into_iter();
        for pair in pairs.flat_map(|pairs| pairs.split(self.operator.separator)) {
            let (name, value) = match pair.split_once('=') {
                Some(named) => named,
                // RFC 6570 expands an empty value to `;x` but to `?x=`.
                None if is_ordered => (pair, ""),
                None => return None,
            };
            let index = self.names.iter().position(|known| known == name)?;
            // Path parameters keep their order: none of the later ones may have come before.
            let end = if is_ordered { values.len() } else { index + 1 };
            if values.get(index..end)?.iter().any(Option::is_some) {
                return None;
            }
            *values.get_mut(index)? = Some(self.operator.decode(value)?);
        }
        Some(values)
    }

    /// The last place where this expression could start if it has to end by `end`.
    fn latest_start(&self, rest: &str, mut end: usize) -> Option<usize> {
        if self.operator.style == Style::Named {
            return Some(end);
        }
        for index in (0..self.names.len()).rev() {
            end = rest.floor_char_boundary(end.checked_sub(1)?);
            if index > 0 {
                end = rest.get(..end)?.rfind(self.operator.separator)?;
            }
        }
        rest.get(..end)?.rfind(self.operator.prefix)
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Style {
    /// Every value, none of them empty and none holding a delimiter.
    Listed,
    /// Every value, none of them empty.
    Reserved,
    /// Pairs of name and value, each of which may be absent.
    Named,
}

/// An expression type of RFC 6570.
#[derive(Clone, Copy, Debug)]
struct Operator {
    prefix: &'static str,
    separator: char,
    style: Style,
}

impl Operator {
    /// Tells the operator of an expression from its first character.
    fn of(body: &str) -> Result<Operator, &'static str> {
        let (prefix, separator, style) = match body.chars().next() {
            None => return Err("empty expression"),
            Some('=' | ',' | '!' | '@' | '|') => return Err("operator reserved by RFC 6570"),
            Some('+') => ("", ',', Style::Reserved),
            Some('#') => ("#", ',', Style::Reserved),
            Some('.') => (".", '.', Style::Listed),
            Some('/') => ("/", '/', Style::Listed),
            Some(';') => (";", ';', Style::Named),
            Some('?') => ("?", '&', Style::Named),
            Some('&') => ("&", '&', Style::Named),
            Some(_) => ("", ',', Style::Listed),
        };
        Ok(Operator { prefix, separator, style })
    }

    /// Whether a raw `c` ends the values, given whether another expression follows at once.
    fn ends_value(self, c: char, is_touched: bool) -> bool {
        if c == self.separator {
            return self.style == Style::Listed;
        }
        // Expansion always encodes `;` and `&`, so giving them up loses no well-made URI.
        is_delimiter(c) || (is_touched && matches!(c, ';' | '&'))
    }

    /// Whether this expression might take a `c` that is meant to start what follows it.
    fn may_swallow(self, c: char) -> bool {
        let is_prefix = self.style == Style::Named && self.prefix.starts_with(c);
        self.style == Style::Reserved || is_prefix || !self.ends_value(c, true)
    }

    /// Decodes a raw value once, unless it is malformed or would be dangerous in a path.
    fn decode(self, raw: &str) -> Option<String> {
        let is_path = self.style == Style::Reserved;
        let is_missing = raw.is_empty() && self.style != Style::Named;
        if is_missing || (!is_path && raw.contains(|c| self.ends_value(c, false))) {
            return None;
        }
        let value = String::from_utf8(percent_decode(raw)?).ok()?;
        let is_unsafe = |c: char| c.is_control() || c == '\\' || (c == '/' && !is_path);
        // A reserved value may go on into a query or fragment, so a segment may end there as well.
        let mut segments = value.split(|c| is_path && matches!(c, '/' | '?' | '#'));
        let is_dotted = segments.any(|segment| matches!(segment, "." | ".."));
        (!is_dotted && !value.contains(is_unsafe)).then_some(value)
    }
}

/// What is known while the parts of a template are read from left to right.
#[derive(Default)]
struct Parser<'s> {
    parts: Vec<Part>,
    names: Vec<&'s str>,
    /// The expressions that may end where the next part starts: the one just read, and those before
    /// it as long as everything between may be absent.
    touching: Vec<Operator>,
}

impl<'s> Parser<'s> {
    fn literal(&mut self, text: &str, offset: usize) -> Result<(), TemplateError> {
        if let Some(index) = text.find('}') {
            return refuse(offset + index, "unopened brace");
        }
        if let Some(index) = text.find(|c: char| c == ' ' || c.is_control()) {
            return refuse(offset + index, "space or control character in literal");
        }
        // The expression just before ends at the whole literal, those before it at one character.
        self.touching.pop();
        if text.starts_with(|c| self.touching.iter().any(|before| before.may_swallow(c))) {
            return refuse(offset, "literal ambiguous after an optional expression");
        }
        self.touching.clear();
        self.parts.push(Part::Literal(text.to_owned()));
        Ok(())
    }

    /// Reads what stands between two braces, the first of which is at `offset`.
    fn expression(&mut self, body: &'s str, offset: usize) -> Result<(), TemplateError> {
        let operator = Operator::of(body).or_else(|reason| refuse(offset + 1, reason))?;
        let list = body.strip_prefix(['+', '#', '.', '/', ';', '?', '&']);
        let list = list.unwrap_or(body);
        let mut name_offset = offset + 1 + body.len() - list.len();
        for name in list.split(',') {
            check_name(name, name_offset)?;
            if self.names.contains(&name) {
                return refuse(name_offset, "variable used twice");
            }
            if self.names.len() == MAX_VARIABLES {
                return refuse(name_offset, "more than 32 variables");
            }
            self.names.push(name);
            name_offset += name.len() + 1;
        }
        // An expression without a prefix has nothing that could mark where it starts.
        let start = operator.prefix.chars().next();
        let is_hidden = |before: &Operator| start.is_none_or(|c| before.may_swallow(c));
        if self.touching.iter().any(is_hidden) {
            return refuse(offset, "expression ambiguous after the one before it");
        }
        if operator.style != Style::Named {
            self.touching.clear();
        }
        self.touching.push(operator);
        let names = list.split(',').map(str::to_owned).collect();
        let expression = Expression { operator, names };
        self.parts.push(Part::Expression(expression));
        Ok(())
    }
}

fn refuse<T>(offset: usize, reason: &'static str) -> Result<T, TemplateError> {
    Err(TemplateError { offset, reason })
}

fn check_name(name: &str, offset: usize) -> Result<(), TemplateError> {
    for (index, c) in name.char_indices() {
        let reason = match c {
            '_' | '.' | '%' | '0'..='9' | 'a'..='z' | 'A'..='Z' => continue,
            ':' => "prefix modifier of level 4 is not supported",
            '*' => "explode modifier of level 4 is not supported",
            '{' => "brace inside an expression",
            _ => "invalid character in variable name",
        };
        return refuse(offset + index, reason);
    }
    let reason = match name {
        "" => "empty variable name",
        _ if name.split('.').any(str::is_empty) => "misplaced dot in variable name",
        _ if percent_decode(name).is_none() => "invalid percent triplet in variable name",
        _ => return Ok(()),
    };
    refuse(offset, reason)
}

/// Places the parts of `tail` from the right, which is what leaves room for all of them: the plain
/// last occurrence of the first literal would make `{+dir}/{a}/{b}` match nothing.
fn end_of_reserved(rest: &str, tail: &[Part]) -> Option<usize> {
    let mut end = rest.len();
    for part in tail.iter().rev() {
        end = match part {
            Part::Literal(literal) => {
                let mut places = rest.get(..end)?.rmatch_indices(literal.as_str());
                places.find(|(at, _)| !splits_triplet(rest, *at))?.0
            }
            Part::Expression(expression) => expression.latest_start(rest, end)?,
        };
    }
    Some(end)
}

/// Whether `at` is inside a percent triplet, where a literal such as `2` cannot start.
fn splits_triplet(text: &str, at: usize) -> bool {
    let before = text.as_bytes().get(at.saturating_sub(2)..at);
    before.is_some_and(|bytes| bytes.contains(&b'%'))
}

fn is_delimiter(c: char) -> bool {
    matches!(c, '/' | '?' | '#' | ',' | ' ' | '\\') || c.is_control()
}

fn percent_decode(text: &str) -> Option<Vec<u8>> {
    let hex_digit = |byte: u8| char::from(byte).to_digit(16).map(|digit| digit as u8);
    let mut decoded = Vec::with_capacity(text.len());
    let mut bytes = text.bytes();
    while let Some(byte) = bytes.next() {
        decoded.push(match byte {
            b'%' => hex_digit(bytes.next()?)? << 4 | hex_digit(bytes.next()?)?,
            _ => byte,
        });
    }
    Some(decoded)
}

const MAX_LENGTH: usize = 2048;
const MAX_VARIABLES: usize = 32;

#[cfg(test)]
mod tests;
