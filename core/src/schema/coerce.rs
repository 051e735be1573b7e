//! Turning strings into what was meant, where a schema wants something else.

use super::number::Number;
use super::report::{Collector, Mismatch};
use super::types::Types;
use super::validator::Schema;
use crate::json::{Reader, Str, compact};
use crate::order::order;

/// How often what was turned may show further strings to turn.
const MAX_ROUNDS: usize = 8;

/// How many strings are turned in one round.
const MAX_MISMATCHES: usize = 256;

impl Schema {
    /// A text that matches, made of one that does not by turning strings into the JSON that stands in
    /// them: `"5"` into `5`, `"[1]"` into `[1]`, `"null"` into `null`. Only strings that stand where the
    /// schema wants a type but no string are turned. `None` if that does not help.
    ///
    /// Language models put values into quotes; a host that forgives that calls this after a failed
    /// validation.
    pub fn coerce(&self, json: &str) -> Option<String> {
        let mut text = json.to_owned();
        for _ in 0..MAX_ROUNDS {
            let collected = self.collect(&text, Collector::new(MAX_MISMATCHES, false));
            text = self.turned(&text, &collected.report.mismatches)?;
            if self.is_valid(&text) {
                return Some(text);
            }
        }
        None
    }

    /// The text with its strings of the wrong type turned; `None` if there is none.
    fn turned(&self, json: &str, mismatches: &[Mismatch]) -> Option<String> {
        let start = |place: usize| mismatches.get(place).map(|mismatch| mismatch.start);
        let order = order(mismatches.len(), &|one, two| start(one) < start(two));
        let mut text = String::with_capacity(json.len());
        let mut done = 0;
        for mismatch in order.iter().filter_map(|place| mismatches.get(*place)) {
            let Some(value) = self.meant(json, *mismatch).filter(|_| mismatch.start >= done) else {
                continue;
            };
            text.push_str(json.get(done..mismatch.start)?);
            text.push_str(&value);
            done = mismatch.end;
        }
        text.push_str(json.get(done..)?);
        (done > 0).then_some(text)
    }

    /// The JSON in the string, if it is one of a type that is wanted.
    fn meant(&self, json: &str, mismatch: Mismatch) -> Option<String> {
        let string = Str::from_json(json.get(mismatch.start..mismatch.end)?)?.decode();
        let mut reader = Reader::new(&string, self.limits.value_depth);
        let value = reader.skip().ok()?;
        reader.end().ok()?;
        mismatch.wanted.contains(type_of(value)?).then(|| compact(value))
    }
}

/// The type of a JSON value.
fn type_of(json: &str) -> Option<Types> {
    Some(match json.as_bytes().first()? {
        b'n' => Types::NULL,
        b't' | b'f' => Types::BOOLEAN,
        b'"' => Types::STRING,
        b'[' => Types::ARRAY,
        b'{' => Types::OBJECT,
        _ if Number::parse(json).is_integer() => Types::INTEGER,
        _ => Types::FRACTION,
    })
}
