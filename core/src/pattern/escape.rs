//! What follows a backslash.

use super::charset::{CharSet, LAST};
use super::error::PatternError;
use super::parser::Parser;
use super::program::Assertion;
use super::property::property;

/// What an escape stands for.
#[derive(Debug)]
pub(super) enum Escape {
    /// One character.
    Code(u32),
    /// One character out of several.
    Set(CharSet),
    /// A condition on the position.
    Assertion(Assertion),
}

impl Parser<'_> {
    /// Reads what follows the backslash at `offset`.
    pub(super) fn escape(&mut self, offset: usize, in_class: bool) -> Result<Escape, PatternError> {
        let Some(character) = self.next() else {
            let reason = "nothing follows the backslash: write \\\\ for a backslash";
            return Err(PatternError::syntax(offset, reason));
        };
        let code = match character {
            'd' => return Ok(Escape::Set(CharSet::digit())),
            'D' => return Ok(Escape::Set(CharSet::digit().negated())),
            'w' => return Ok(Escape::Set(CharSet::word())),
            'W' => return Ok(Escape::Set(CharSet::word().negated())),
            's' => return Ok(Escape::Set(CharSet::space())),
            'S' => return Ok(Escape::Set(CharSet::space().negated())),
            'p' | 'P' => return self.property_escape(offset, character == 'P'),
            'b' if in_class => 0x08,
            'b' => return Ok(Escape::Assertion(Assertion::WordBoundary)),
            'B' => return Ok(Escape::Assertion(Assertion::NoWordBoundary)),
            't' => 0x09,
            'n' => 0x0A,
            'v' => 0x0B,
            'f' => 0x0C,
            'r' => 0x0D,
            '0' if !self.peek().is_some_and(|next| next.is_ascii_digit()) => 0,
            'x' => match self.hex(2) {
                Some(code) => code,
                None => return Err(PatternError::syntax(offset, "\\x needs two hex digits")),
            },
            'u' => self.unicode(offset)?,
            'c' => match self.next() {
                Some(letter) if letter.is_ascii_alphabetic() => u32::from(letter) % 32,
                _ => return Err(PatternError::syntax(offset, "\\c needs a letter")),
            },
            other if other.is_ascii_alphanumeric() => {
                return Err(refused(other, in_class, offset));
            }
            // Whatever it is, it has no other meaning with a backslash.
            other => other.into(),
        };
        Ok(Escape::Code(code))
    }

    /// What follows `\u`. Two escapes that are a surrogate pair are one character.
    fn unicode(&mut self, offset: usize) -> Result<u32, PatternError> {
        if self.rest().starts_with('{') {
            return self.braced_code(offset);
        }
        let Some(high) = self.hex(4) else {
            let reason = "\\u needs four hex digits, or any number of them in braces";
            return Err(PatternError::syntax(offset, reason));
        };
        let before_low = self.at();
        if (0xD800..0xDC00).contains(&high)
            && self.eat("\\u")
            && let Some(low @ 0xDC00..0xE000) = self.hex(4)
        {
            return Ok(0x1_0000 + ((high - 0xD800) << 10) + (low - 0xDC00));
        }
        self.go_to(before_low);
        Ok(high)
    }

    fn braced_code(&mut self, offset: usize) -> Result<u32, PatternError> {
        let digits = self.until(self.at() + 1, b'}').unwrap_or_default();
        let significant = digits.trim_start_matches('0');
        let is_hex = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_hexdigit());
        let code = if significant.is_empty() {
            Some(0)
        } else {
            u32::from_str_radix(significant, 16).ok().filter(|code| *code <= LAST)
        };
        match code {
            Some(code) if is_hex => {
                self.go_to(self.at() + digits.len() + 2);
                Ok(code)
            }
            _ => {
                let reason = "\\u{...} needs the hex digits of a code point, at most 10FFFF";
                Err(PatternError::syntax(offset, reason))
            }
        }
    }

    /// Exactly `count` hex digits, which are then read.
    fn hex(&mut self, count: usize) -> Option<u32> {
        let digits = self.rest().get(..count)?;
        if !digits.bytes().all(|byte| byte.is_ascii_hexdigit()) {
            return None;
        }
        self.go_to(self.at() + count);
        u32::from_str_radix(digits, 16).ok()
    }

    /// What follows `\p` or `\P`.
    fn property_escape(&mut self, offset: usize, negated: bool) -> Result<Escape, PatternError> {
        let name = self.until(self.at() + 1, b'}').filter(|_| self.peek() == Some('{'));
        let Some(name) = name else {
            return Err(PatternError::syntax(offset, "\\p needs a property: write \\p{L}"));
        };
        self.go_to(self.at() + name.len() + 2);
        let known = self.properties.iter().find(|(known, _)| *known == name);
        let set = match known {
            Some((_, set)) => set.clone(),
            None => {
                let set = property(name, offset)?;
                self.properties.push((name, set.clone()));
                set
            }
        };
        Ok(Escape::Set(if negated { set.negated() } else { set }))
    }
}

/// Why a letter or digit is not escaped: it means something else somewhere, or nothing anywhere.
fn refused(character: char, in_class: bool, offset: usize) -> PatternError {
    let reason = match character {
        'k' => {
            let reason = "backreferences cannot be matched in linear time: repeat what the group \
                          matches";
            return PatternError::unsupported(offset, reason);
        }
        '1'..='9' if !in_class => {
            let reason = "backreferences cannot be matched in linear time: repeat what the group \
                          matches";
            return PatternError::unsupported(offset, reason);
        }
        '0'..='9' => "octal escapes do not exist in ECMA-262: write \\xHH",
        'A' => "\\A does not exist in ECMA-262: write ^",
        'Z' | 'z' => "\\Z and \\z do not exist in ECMA-262: write $",
        other => {
            let reason = format!("\\{other} does not exist in ECMA-262: remove the backslash");
            return PatternError::syntax(offset, reason);
        }
    };
    PatternError::syntax(offset, reason)
}
