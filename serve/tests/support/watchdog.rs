//! Against tests that would hang for ever.

use std::sync::Once;
use std::time::Duration;

/// Far beyond what all tests of a file take together.
const PATIENCE: Duration = Duration::from_secs(120);

/// Ends the whole process if it is still there after a long time.
#[expect(clippy::print_stderr, reason = "it says why the tests have ended")]
pub(crate) fn watch() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        std::thread::spawn(|| {
            std::thread::sleep(PATIENCE);
            eprintln!("a test hangs");
            std::process::abort();
        });
    });
}
