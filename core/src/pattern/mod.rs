//! Regular expressions of JSON Schema: ECMA-262 with the `u` flag, matched in linear time.
//!
//! ```text
//!   source ──▶ Parser ──▶ Program ──▶ Table        one lookup a character, if it is small enough
//!                            │
//!                            └──────▶ simulate     all ways through the program at once, otherwise
//! ```
//!
//! The parser writes the program directly: no tree, no recursion. Both engines work on classes of
//! characters that the pattern does not tell apart, and neither allocates while it matches.
//! What no engine of linear time can do (looking around, backreferences) is refused by name.

mod alphabet;
mod charset;
mod class;
mod error;
mod escape;
mod matcher;
mod parser;
mod program;
mod property;
mod reached;
mod simulation;
mod table;

pub(crate) use matcher::Pattern;

#[cfg(test)]
mod tests;
