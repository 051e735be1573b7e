//! Walking a value by a program: one logic for the quick yes or no and for the list of what is wrong.

mod array;
mod evaluator;
mod object;
mod parts;
mod scalar;
mod scratch;
mod unevaluated;

pub(super) use evaluator::Evaluator;
