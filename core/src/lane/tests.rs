use super::*;

fn lane() -> Lane {
    Lane::new(Arc::new(Memory::new(usize::MAX)))
}

fn push(lane: &Lane, text: &str) {
    lane.push(Weight::Answer, 1 << 20, |out| out.extend_from_slice(text.as_bytes())).unwrap();
    lane.ring();
}

#[test]
fn messages_leave_in_order_by_either_door() {
    let lane = lane();
    let mut buffer = Vec::new();
    for text in ["one", "two", "three"] {
        push(&lane, text);
    }
    assert!(lane.poll_into(&mut buffer));
    assert_eq!(buffer, b"one");
    buffer.clear();
    assert_eq!(lane.drain_into(&mut buffer), 2);
    assert_eq!(buffer, b"two\nthree\n");
    assert!(!lane.poll_into(&mut buffer));
    assert!(lane.is_empty());
    let memory = Arc::clone(&lane.memory);
    assert!(memory.used() > 0, "the buffer is kept, and counted");
    drop(lane);
    assert_eq!(memory.used(), 0);
}

#[test]
fn what_is_lent_waits_until_it_is_settled() {
    let lane = lane();
    let mut buffer = Vec::new();
    push(&lane, "one");
    assert_eq!(lane.lend_into(&mut buffer), 4);
    assert_eq!(buffer, b"one\n");
    push(&lane, "two");
    assert!(lane.is_full(8) && !lane.is_full(9));
    lane.settle(4);
    buffer.clear();
    assert_eq!(lane.lend_into(&mut buffer), 4);
    assert_eq!(buffer, b"two\n");
    lane.settle(3);
    assert!(!lane.is_empty());
    lane.settle(100);
    assert!(lane.is_empty());
    buffer.clear();
    assert_eq!(lane.lend_into(&mut buffer), 0);
    push(&lane, "three");
    lane.lend_into(&mut buffer);
    lane.close();
    lane.settle(6);
    assert_eq!(lane.memory.used(), lane.lock().charged);
}

#[test]
fn a_message_that_is_not_finished_leaves_nothing() {
    let lane = lane();
    push(&lane, "one");
    let write = |out: &mut Vec<u8>| {
        out.extend_from_slice(b"half");
        panic!("in the middle");
    };
    let push_half = std::panic::AssertUnwindSafe(|| lane.push(Weight::Answer, 1000, write));
    assert!(std::panic::catch_unwind(push_half).is_err());
    push(&lane, "two");
    let mut buffer = Vec::new();
    lane.drain_into(&mut buffer);
    assert_eq!(buffer, b"one\ntwo\n");
}

#[test]
fn the_wake_is_an_edge_that_polling_rearms() {
    let lane = Arc::new(lane());
    let told = Arc::new(AtomicUsize::new(0));
    let count = Arc::clone(&told);
    lane.set_wake(Some(Arc::new(move || {
        count.fetch_add(1, Ordering::Relaxed);
    })));
    push(&lane, "one");
    push(&lane, "two");
    assert_eq!(told.load(Ordering::Relaxed), 1);
    let mut buffer = Vec::new();
    while lane.poll_into(&mut buffer) {}
    push(&lane, "three");
    assert_eq!(told.load(Ordering::Relaxed), 2);
}

#[test]
fn taking_everything_rearms_the_wake_too() {
    let lane = Arc::new(lane());
    let told = Arc::new(AtomicUsize::new(0));
    let count = Arc::clone(&told);
    lane.set_wake(Some(Arc::new(move || {
        count.fetch_add(1, Ordering::Relaxed);
    })));
    let mut buffer = Vec::new();
    push(&lane, "one");
    assert!(lane.poll_into(&mut buffer));
    push(&lane, "two");
    assert_eq!(told.load(Ordering::Relaxed), 2);
    buffer.clear();
    lane.lend_into(&mut buffer);
    lane.settle(3);
    lane.ring();
    assert_eq!(told.load(Ordering::Relaxed), 2, "a byte is left");
    lane.settle(1);
    lane.ring();
    assert_eq!(told.load(Ordering::Relaxed), 3);
}

#[test]
#[expect(clippy::disallowed_methods, reason = "the test is the host, which has threads")]
fn a_wake_may_drain_and_loses_nothing() {
    let lane = Arc::new(lane());
    let taken = Arc::new(Mutex::new(Vec::new()));
    let (own, sink) = (Arc::downgrade(&lane), Arc::clone(&taken));
    lane.set_wake(Some(Arc::new(move || {
        if let Some(lane) = own.upgrade() {
            lane.drain_into(&mut sink.lock().unwrap());
        }
    })));
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| (0..500).for_each(|_| push(&lane, "x")));
        }
    });
    assert_eq!(taken.lock().unwrap().len(), 4 * 500 * 2);
}

#[test]
fn a_full_lane_refuses_notifications_and_gives_up_on_a_flood_of_answers() {
    let lane = lane();
    let write = |weight| lane.push(weight, 10, |out| out.extend_from_slice(b"123456789"));
    assert_eq!(write(Weight::Notification), Ok(()));
    assert_eq!(write(Weight::Notification), Err(Error::Limit("output_bytes")));
    assert!(lane.is_full(10));
    assert_eq!(write(Weight::Answer), Ok(()));
    assert_eq!(write(Weight::Answer), Ok(()));
    assert_eq!(write(Weight::Answer), Ok(()));
    assert!(lane.is_closed());
    assert_eq!(write(Weight::Answer), Err(Error::Closed));
    assert_eq!(lane.memory.used(), 0);
}
