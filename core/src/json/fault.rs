//! Why a text is not acceptable JSON.

/// Where and why a text is not acceptable JSON.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Fault {
    /// Byte offset in the text given to the reader.
    pub at: usize,
    /// What is wrong there.
    pub kind: FaultKind,
}

/// The ways in which a text fails to be acceptable JSON.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum FaultKind {
    /// The text ends inside a value.
    UnexpectedEnd,
    /// A byte that cannot stand here.
    UnexpectedByte,
    /// Something follows the value.
    TrailingBytes,
    /// Control character, bad escape or lone surrogate in a string.
    BadString,
    /// A number that does not follow the grammar.
    BadNumber,
    /// Nesting beyond the limit.
    TooDeep,
}

impl FaultKind {
    /// A few words for an error message.
    pub fn describe(self) -> &'static str {
        match self {
            FaultKind::UnexpectedEnd => "unexpected end of text",
            FaultKind::UnexpectedByte => "unexpected character",
            FaultKind::TrailingBytes => "characters after the value",
            FaultKind::BadString => "malformed string",
            FaultKind::BadNumber => "malformed number",
            FaultKind::TooDeep => "nesting is too deep",
        }
    }
}
