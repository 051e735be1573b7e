//! What can be done, and how often it is.

use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::Index;

use self::Operation::*;
use crate::client::Way;

/// What is done; an index says to which of the clients, requests or calls that are there.
#[derive(Clone, Debug)]
pub(crate) enum Operation {
    Connect,
    Initialize(Index),
    Ask { what: Index, modern: bool, way: Way },
    AskMutated { what: Index, at: Index, byte: u8 },
    AskTogether(Vec<Index>),
    AskTooDeep,
    AskTooLong(Way),
    Garbage(Vec<u8>, Way),
    HalfALine,
    Cancel(Index),
    Answer(Index),
    Fail(Index),
    Release(Index),
    Clone(Index),
    Progress(Index),
    Tick(u64),
    Register(Index),
    Replace(Index),
    Unregister(Index),
    Queue(bool),
    Run(usize),
    NextCall,
    Notify,
    Poll,
    Drain,
    End,
    Close,
    Drop,
}

/// An operation, and an index of the client that does it or that it is done to.
pub(crate) fn any_operation() -> impl Strategy<Value = (Index, Operation)> {
    let way = || prop_oneof![Just(Way::Whole), (1..99_usize).prop_map(Way::InPiecesOf)];
    let index = any::<Index>;
    let ask = (index(), any::<bool>(), way());
    let mutated = (index(), index(), any::<u8>());
    let operation = prop_oneof![
        2 => Just(Connect),
        3 => index().prop_map(Initialize),
        30 => ask.prop_map(|(what, modern, way)| Ask { what, modern, way }),
        4 => mutated.prop_map(|(what, at, byte)| AskMutated { what, at, byte }),
        3 => vec(index(), 0..5).prop_map(AskTogether),
        1 => Just(AskTooDeep),
        1 => way().prop_map(AskTooLong),
        2 => (vec(any::<u8>(), 0..40), way()).prop_map(|(bytes, way)| Garbage(bytes, way)),
        1 => Just(HalfALine),
        5 => index().prop_map(Cancel),
        6 => index().prop_map(Answer),
        3 => index().prop_map(Fail),
        4 => index().prop_map(Release),
        2 => index().prop_map(Clone),
        2 => index().prop_map(Progress),
        4 => (0..200_u64).prop_map(Tick),
        3 => index().prop_map(Register),
        1 => index().prop_map(Replace),
        2 => index().prop_map(Unregister),
        2 => any::<bool>().prop_map(Queue),
        4 => (0..3_usize).prop_map(Run),
        3 => Just(NextCall),
        2 => Just(Notify),
        3 => Just(Poll),
        5 => Just(Drain),
        1 => Just(End),
        1 => Just(Close),
        1 => Just(Drop),
    ];
    (index(), operation)
}
