//! What a message is to its lane.

/// What a message is to its lane: whether there is room for it, and whether it is the last.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Weight {
    /// The answer: belongs to a request that was accepted, so there is room for it.
    Answer,
    /// The same, and an error that HTTP has a status for.
    Refusal(u16),
    /// Belongs to a request that was accepted too, but does not end it: a question of ours, or the
    /// acknowledgement of a stream.
    Owed,
    /// A notification: refused when the lane is full.
    Notification,
    /// Tells of a change; made when output is taken.
    Change,
}

impl Weight {
    /// Whether it ends the request that the lane is for.
    pub(crate) fn is_last(self) -> bool {
        matches!(self, Weight::Answer | Weight::Refusal(_))
    }
}
