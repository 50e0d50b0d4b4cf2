use std::task::{Context, Poll};

/// How much of a body is read without a pause. Parsing it takes a fraction of a millisecond.
const STINT: usize = 64 * 1024;

/// The least that a frame counts for, so that a stint is no more than 128 of them: tokio's own measure for what a task may do at once.
const FRAME: usize = STINT / 128;

/// Lets others run now and then while a body that never pauses is read.
#[derive(Debug, Default)]
pub(super) struct Coop {
    read: usize,
}

impl Coop {
    /// Ready unless a pause is due; then whoever polls is woken at once.
    pub(super) fn poll_proceed(&mut self, cx: &mut Context<'_>) -> Poll<()> {
        if self.read < STINT {
            return Poll::Ready(());
        }
        self.read = 0;
        cx.waker().wake_by_ref();
        Poll::Pending
    }

    pub(super) fn made_progress(&mut self, bytes: usize) {
        self.read += bytes.max(FRAME);
    }
}
