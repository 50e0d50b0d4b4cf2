use super::*;

/// What is passed on of ten bytes.
fn passed(cuts: &mut Cuts) -> String {
    let mut output = Output::default();
    output.push("0123".into());
    output.push("".into());
    output.push("456789".into());
    let mut passed = String::new();
    while let Some(slice) = output.next(cuts, 10) {
        assert!(!slice.is_empty());
        passed.push_str(std::str::from_utf8(&slice).unwrap());
    }
    passed
}

#[test]
fn what_is_held_back_goes_with_the_block_or_is_passed_on() {
    let mut cuts = Cuts::new(true, 100);
    cuts.hold(2);
    assert_eq!(cuts.decided(9), 2);
    cuts.open_block(4, 5);
    assert_eq!(cuts.decided(9), 2);
    cuts.close(8);
    assert_eq!(cuts.decided(9), 9);
    assert_eq!(passed(&mut cuts), "0189");

    let mut cuts = Cuts::new(true, 100);
    cuts.hold(2);
    cuts.release();
    assert_eq!(cuts.decided(9), 9);
    cuts.open_block(4, 5);
    cuts.close(8);
    assert_eq!(passed(&mut cuts), "012389");
}

#[test]
fn cuts_within_a_block_that_is_cut_go_with_it_and_those_before_it_stay() {
    let mut cuts = Cuts::new(true, 100);
    cuts.open_link(0, 1);
    cuts.close(2);
    cuts.hold(3);
    cuts.open_link(3, 4);
    cuts.close(4);
    cuts.open_link(5, 6);
    cuts.open_block(7, 7);
    cuts.close(9);
    assert_eq!(cuts.done, [0..2, 3..9]);
    assert_eq!(passed(&mut cuts), "29");
}

#[test]
fn a_cut_ends_where_the_next_one_begins() {
    let mut cuts = Cuts::new(true, 100);
    cuts.open_link(1, 2);
    cuts.open_link(4, 5);
    cuts.close(6);
    cuts.open_link(8, 8);
    cuts.open_link(8, 9);
    cuts.give_up();
    assert_eq!(cuts.done, [1..4, 4..6, 8..9]);
    assert_eq!(passed(&mut cuts), "0679");
}

#[test]
fn what_never_ends_is_cut_as_far_as_it_is_an_ad_for_sure() {
    let mut cuts = Cuts::new(true, 100);
    cuts.open_link(1, 3);
    cuts.sure(5);
    cuts.give_up();
    assert_eq!(cuts.decided(9), 9);
    assert_eq!(passed(&mut cuts), "056789");
    let mut cuts = Cuts::new(true, 100);
    cuts.hold(1);
    cuts.open_link(3, 3);
    cuts.give_up();
    assert_eq!((cuts.done.len(), cuts.decided(9)), (0, 9));
}

#[test]
fn the_bound_is_exact() {
    for (limit, within) in [(6, true), (5, false)] {
        let mut cuts = Cuts::new(true, limit);
        cuts.hold(1);
        cuts.bound(7);
        assert_eq!(cuts.decided(7), if within { 1 } else { 7 });

        let mut cuts = Cuts::new(true, limit);
        cuts.hold(1);
        cuts.open_block(7, 8);
        cuts.give_up();
        assert_eq!(cuts.done, [if within { 1..8 } else { 7..8 }]);

        let mut cuts = Cuts::new(true, limit);
        cuts.open_link(1, 2);
        cuts.bound(7);
        assert_eq!(cuts.decided(7), if within { 1 } else { 7 });

        let mut cuts = Cuts::new(true, limit);
        cuts.open_link(1, 2);
        cuts.sure(7);
        cuts.give_up();
        assert_eq!(cuts.done, [if within { 1..7 } else { 1..2 }]);

        let mut cuts = Cuts::new(true, limit);
        cuts.open_link(1, 2);
        cuts.close(7);
        assert_eq!(cuts.done, [if within { 1..7 } else { 1..2 }]);
    }
}

#[test]
fn nothing_is_kept_when_nobody_takes_the_html() {
    let mut cuts = Cuts::new(false, 100);
    cuts.hold(1);
    assert_eq!(cuts.decided(9), 9);
    cuts.open_block(2, 3);
    cuts.open_link(4, 5);
    assert_eq!(cuts.decided(9), 9);
    cuts.close(6);
    assert!(cuts.done.is_empty());
}

#[test]
fn what_is_not_decided_waits() {
    let mut cuts = Cuts::new(true, 100);
    cuts.open_link(2, 3);
    cuts.close(5);
    let mut output = Output::default();
    output.push("0123456789".into());
    assert_eq!(output.next(&mut cuts, 1).unwrap(), "0");
    assert_eq!(output.next(&mut cuts, 1), None);
    assert_eq!(output.next(&mut cuts, 7).unwrap(), "1");
    assert_eq!(output.next(&mut cuts, 7).unwrap(), "56");
    assert_eq!(output.next(&mut cuts, 7), None);
    assert_eq!(output.next(&mut cuts, u64::MAX).unwrap(), "789");
    assert_eq!(output.next(&mut cuts, u64::MAX), None);
}
