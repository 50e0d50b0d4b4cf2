use super::super::cuts::Cuts;
use super::*;

fn stopped(mark: Mark, slice: &[u8]) -> Option<Stopped> {
    let reading = Reading::new(Limits::default(), true, Cuts::default());
    let mut core = Core::new(reading);
    core.slice(b"<b>", Mark::None);
    core.slice(slice, mark);
    core.stopped
}

#[test]
fn a_slice_that_is_not_the_tag_it_should_be_stops_the_reading() {
    for mark in [Mark::Tag, Mark::Script] {
        assert_eq!(stopped(mark(3), b"<form>"), None);
        for (at, slice) in [
            (2, &b"<form>"[..]),
            (4, b"<form>"),
            (3, b"form>"),
            (3, b"<form"),
            (3, b"x"),
        ] {
            assert_eq!(stopped(mark(at), slice), Some(Stopped::Parser));
        }
    }
}

#[test]
fn a_mark_is_taken_once_as_it_was_put() {
    let slot = Slot::default();
    let read = |mark| match mark {
        Mark::None => (0, 0),
        Mark::Tag(at) => (1, at),
        Mark::Script(at) => (2, at),
        Mark::EndTag => (3, 0),
    };
    let far = u64::MAX >> 2;
    for (mark, same) in [
        (Mark::Tag(0), (1, 0)),
        (Mark::Tag(far), (1, far)),
        (Mark::Script(0), (2, 0)),
        (Mark::Script(5), (2, 5)),
        (Mark::EndTag, (3, 0)),
        (Mark::None, (0, 0)),
    ] {
        slot.put(mark);
        assert_eq!(read(slot.take()), same);
        assert_eq!(read(slot.take()), (0, 0));
    }
}
