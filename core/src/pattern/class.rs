//! Classes of characters in brackets.

use super::charset::CharSet;
use super::error::PatternError;
use super::escape::Escape;
use super::parser::Parser;

/// Ranges that all classes of a pattern name together. Large properties have hundreds of them and
/// short names, so the length of the source does not bound this.
const MAX_NAMED_RANGES: usize = 65_536;

/// One item of a class, before it is known whether it begins a range.
enum Item {
    Code(u32),
    Set(CharSet),
}

impl Parser<'_> {
    /// Reads the rest of the class whose bracket stood at `offset`.
    pub(super) fn class(&mut self, offset: usize) -> Result<CharSet, PatternError> {
        let negated = self.eat("^");
        let mut ranges = Vec::new();
        loop {
            let at = self.at();
            let Some(first) = self.class_item(offset)? else { break };
            let has_range = self.rest().starts_with('-') && !self.rest().starts_with("-]");
            let (Item::Code(from), true) = (&first, has_range) else {
                add(&mut ranges, &first);
                continue;
            };
            self.eat("-");
            let last = self.class_item(offset)?.unwrap_or(Item::Code('-'.into()));
            match last {
                Item::Code(to) if to < *from => {
                    let reason = "range out of order: write the smaller character first";
                    return Err(PatternError::syntax(at, reason));
                }
                Item::Code(to) => ranges.push((*from, to)),
                // What has no order cannot end a range, so the hyphen stands for itself.
                Item::Set(_) => {
                    add(&mut ranges, &first);
                    add(&mut ranges, &Item::Code('-'.into()));
                    add(&mut ranges, &last);
                }
            }
        }
        let set = CharSet::union(ranges);
        Ok(if negated { set.negated() } else { set })
    }

    /// The next item, or `None` at the closing bracket, which is then read.
    fn class_item(&mut self, offset: usize) -> Result<Option<Item>, PatternError> {
        let at = self.at();
        match self.next() {
            None => {
                let reason = "class is not closed: add a ], or write \\[ for a bracket";
                Err(PatternError::syntax(offset, reason))
            }
            Some(']') => Ok(None),
            Some('\\') => match self.escape(at, true)? {
                Escape::Code(code) => Ok(Some(Item::Code(code))),
                Escape::Set(set) => {
                    self.named_ranges += set.ranges().len();
                    if self.named_ranges > MAX_NAMED_RANGES {
                        let reason = "classes with too many properties: name each only once";
                        return Err(PatternError::too_large(at, reason));
                    }
                    Ok(Some(Item::Set(set)))
                }
                Escape::Assertion(_) => {
                    Err(PatternError::syntax(at, "a class has characters only, not \\B"))
                }
            },
            Some('[') if self.rest().strip_prefix(':').is_some_and(names_posix_class) => {
                let reason = "classes such as [:alpha:] do not exist in ECMA-262: write a-zA-Z";
                Err(PatternError::syntax(at, reason))
            }
            Some(other) => Ok(Some(Item::Code(other.into()))),
        }
    }
}

fn add(ranges: &mut Vec<(u32, u32)>, item: &Item) {
    match item {
        Item::Code(code) => ranges.push((*code, *code)),
        Item::Set(set) => ranges.extend_from_slice(set.ranges()),
    }
}

/// Whether `alpha:]` or its like follows.
fn names_posix_class(rest: &str) -> bool {
    let mut behind_name =
        rest.bytes().skip_while(|byte| byte.is_ascii_lowercase() || *byte == b'^');
    let has_name = !rest.starts_with(':');
    has_name && behind_name.next() == Some(b':') && behind_name.next() == Some(b']')
}
