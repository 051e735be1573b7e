//! Places where a test can make the engine break down, to see that nobody else does.

/// Panics if `text` asks for a breakdown at `place`; only in builds with the feature `fault-injection`,
/// which nobody ships.
#[inline(always)]
#[cfg_attr(
    feature = "fault-injection",
    expect(clippy::panic, reason = "it stands for a defect that nobody has found yet")
)]
pub(crate) fn point(text: &str, place: &str) {
    if cfg!(feature = "fault-injection")
        && let Some(wanted) = text.strip_prefix("mcplite/break/")
        && wanted == place
    {
        #[cfg(feature = "fault-injection")]
        panic!("asked to break {place}");
    }
}
