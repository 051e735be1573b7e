//! Random conversations of clients of both eras with a server that asks and tells of changes. A model
//! of the server says, message for message, what must come out.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test that finds something else than it expects has failed"
)]

mod attempt;
mod calls;
mod client;
mod host;
mod model;
mod operation;
mod plan;
mod question;
mod streams;
#[path = "../support/mod.rs"]
mod support;
mod turn;
mod words;
mod world;

use operation::{any_operation, any_settings};
use proptest::collection::vec;
use proptest::prelude::*;
use world::World;

proptest! {
    #![proptest_config(ProptestConfig {
        failure_persistence: None,
        // There is much that can meet.
        cases: ProptestConfig::default().cases * 4,
        max_shrink_iters: 4000,
        ..ProptestConfig::default()
    })]

    #[test]
    fn everything_that_comes_out_is_what_the_model_says(
        settings in any_settings(),
        operations in vec(any_operation(), 1..60),
    ) {
        let mut world = World::new(&settings);
        for (who, operation) in &operations {
            world.apply(who, operation);
            world.compare();
        }
        world.finish();
    }
}
