use crate::pattern::{Pattern, PatternError};

#[test]
fn a_pattern_is_shared_between_threads() {
    fn is_shared<T: Send + Sync + 'static>() {}
    is_shared::<Pattern>();
    is_shared::<PatternError>();
}

#[test]
fn memory_grows_with_the_pattern() {
    let small = Pattern::compile("^a$").unwrap().memory();
    let large = Pattern::compile("^[a-z]{1,500}$").unwrap().memory();
    assert!(
        small > 500 && large > small + 500 * 2 * 2 && large < small + 8_192,
        "{small}, {large}"
    );
}
