use super::*;

fn stopped(mark: Mark, slice: &[u8]) -> Option<Stopped> {
    let mut core = Core::default();
    core.slice(b"<b>", Mark::None);
    core.slice(slice, mark);
    core.stopped
}

#[test]
fn a_slice_that_is_not_the_tag_it_should_be_stops_the_reading() {
    assert_eq!(stopped(Mark::Script(3), b"<script>"), None);
    for (at, slice) in [
        (2, &b"<script>"[..]),
        (4, b"<script>"),
        (3, b"script>"),
        (3, b"<script"),
        (3, b"x"),
    ] {
        assert_eq!(stopped(Mark::Script(at), slice), Some(Stopped::Parser));
    }
}

#[test]
fn a_mark_is_taken_once_as_it_was_put() {
    let slot = Slot::default();
    let read = |mark| match mark {
        Mark::None => (0, 0),
        Mark::Script(at) => (1, at),
        Mark::ScriptEnd => (2, 0),
    };
    let far = u64::MAX >> 2;
    for (mark, same) in [
        (Mark::Script(0), (1, 0)),
        (Mark::Script(far), (1, far)),
        (Mark::ScriptEnd, (2, 0)),
        (Mark::None, (0, 0)),
    ] {
        slot.put(mark);
        assert_eq!(read(slot.take()), same);
        assert_eq!(read(slot.take()), (0, 0));
    }
}
