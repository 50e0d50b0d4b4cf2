//! Heads held back, under random frames, errors, pauses and drops: nothing is lost, nothing panics, and the gate stays in order.

mod cases;
mod given;
#[path = "../support/mod.rs"]
mod support;
mod world;

use std::{error::Error as _, task::Poll};

use cases::{Came, Case, cases};
use given::{Given, Last};
use http::{HeaderValue, header::CONTENT_LENGTH};
use http_body::Frame;
use proptest::prelude::*;
use search_gate::{BACKOFF, Deadline, Error, Page, PageError, PageKind, REQUEST_LIMIT};
use support::{
    answer::{fed, html, peeking, through, times_throttled, trailers},
    far,
    service::{Probe, request},
};
use tokio::time::{Instant, advance};
use tokio_test::task::spawn;
use tower::{Layer, ServiceExt};
use world::{Stage, World};

async fn run(case: Case) {
    let layer = peeking();
    if case.on_trial {
        layer.gate().throttled();
        advance(BACKOFF).await;
    }
    let before = times_throttled(&layer);
    let (feed, body) = fed();
    let mut answer = html(body);
    answer
        .headers_mut()
        .insert(CONTENT_LENGTH, HeaderValue::from_static("1"));
    let sending = layer.clone();
    let mut world = World {
        stage: Stage::Head(spawn(Box::pin(
            async move { through(&sending, answer).await },
        ))),
        layer: layer.clone(),
        used: case.used,
        throttled: false,
    };
    world.settle();
    let probe = Probe::default();
    let mut patient = request();
    patient.extensions_mut().insert(Deadline(far()));
    let mut next = spawn(layer.layer(probe.clone()).oneshot(patient));
    assert!(next.poll().is_pending());
    let mut told = None;

    let begun = Instant::now();
    let mut given = Given::default();
    let mut rest = case.page.0.clone();
    let mut feed = Some(feed);
    for (step, came) in case.came.iter().enumerate() {
        match (came, feed.as_ref().filter(|_| given.last.is_none())) {
            (Came::Pause(time), _) => {
                advance(*time).await;
                if begun.elapsed() >= REQUEST_LIMIT {
                    given.last.get_or_insert(Last::Timeout);
                }
            }
            (Came::Failure, Some(feed)) => {
                feed.fail("reset");
                given.last = Some(Last::Failure);
            }
            (Came::Trailers, Some(feed)) => {
                feed.trailers(trailers());
                given.frames.push(Frame::trailers(trailers()));
            }
            (Came::Page(_) | Came::Empty, Some(feed)) => {
                let length = if let Came::Page(length) = came {
                    *length
                } else {
                    0
                };
                let data = rest.split_to(length.min(rest.len()));
                feed.data(data.clone());
                given.frames.push(Frame::data(data));
            }
            (_, None) => {}
        }
        world.settle();
        if case.given_up == Some(step) {
            world.stage = Stage::Dropped;
        }
        if told.is_none()
            && let Poll::Ready(answer) = next.poll()
        {
            told = Some(answer.is_ok());
            let unheard = matches!(world.stage, Stage::Head(_)) && begun.elapsed() < REQUEST_LIMIT;
            assert!(!unheard, "another turn was given");
        }
    }
    if case.ends {
        drop(feed.take());
        given.last.get_or_insert(Last::End);
        world.settle();
    }
    advance(REQUEST_LIMIT).await;
    given.last.get_or_insert(Last::Timeout);
    world.settle();

    let seen = layer.gate().snapshot();
    let challenged = seen.counts.throttled - before;
    let whole = Page::read(200, "text/html; charset=UTF-8", &given.data());
    assert!(challenged <= 1);
    if challenged == 1 {
        assert!(
            case.page
                .0
                .windows(14)
                .any(|words| words == b"challenge-form")
        );
    }
    let kind = match &world.stage {
        Stage::Head(_) | Stage::Passing(..) | Stage::Reading(_) => panic!("is stuck"),
        Stage::Dropped => None,
        Stage::Passed(passed, error) => {
            assert_eq!(passed, &given.passed_on(world.throttled));
            ended_as(error.as_ref(), given.last);
            (error.is_none() && !given.frames.iter().any(Frame::is_trailers)).then_some(whole.kind)
        }
        Stage::Read(Ok(page)) => {
            assert_eq!(**page, whole);
            assert_eq!(given.last, Some(Last::End));
            Some(page.kind)
        }
        Stage::Read(Err(error)) if error.is_throttled() => Some(PageKind::Challenge),
        // No known page, or one whose every result is hidden.
        Stage::Read(Err(error)) if is_no_answer(error) => Some(PageKind::Unrecognised),
        Stage::Read(Err(error)) => {
            ended_as(Some(error), given.last);
            None
        }
    };
    match kind {
        Some(PageKind::Challenge) => assert_eq!(challenged, 1),
        Some(PageKind::Results | PageKind::NoResults) if challenged == 0 => assert!(!seen.on_trial),
        Some(PageKind::Unrecognised) => assert_eq!(seen.on_trial, case.on_trial || challenged > 0),
        _ => {}
    }
    // Whatever has become of it, it stands in nobody's way.
    let sent = match told {
        Some(sent) => sent,
        None => matches!(next.poll(), Poll::Ready(Ok(_))),
    };
    assert!(sent || challenged == 1, "kept waiting");
    assert_eq!(probe.starts().len(), usize::from(sent));
}

fn is_no_answer(error: &Error) -> bool {
    error
        .source()
        .is_some_and(|source| source.is::<PageError>())
}

fn ended_as(error: Option<&Error>, last: Option<Last>) {
    match last.unwrap() {
        Last::End => assert!(error.is_none(), "{error:?}"),
        Last::Failure => assert!(error.unwrap().is_transport()),
        Last::Timeout => assert!(error.unwrap().is_timeout()),
    }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn whatever_comes_nothing_is_lost_and_nobody_is_kept_waiting(case in cases()) {
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_time()
            .start_paused(true)
            .build()
            .unwrap();
        runtime.block_on(run(case));
    }
}
