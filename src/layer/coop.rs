use std::task::Context;

/// How much of a body is read without a pause. Parsing it takes a fraction of a millisecond.
const STINT: usize = 64 * 1024;

/// The least that a frame counts for, so that a stint is no more than 128 of them: tokio's own measure for what a task may do at once.
const FRAME: usize = STINT / 128;

/// Lets others run now and then while a body that never pauses is read.
#[derive(Debug, Default)]
pub(super) struct Coop {
    spent: usize,
    bytes: usize,
}

/// A pause is due.
pub(super) struct Pause {
    /// Whether nothing but empty frames has come since the last one.
    pub(super) is_idle: bool,
}

impl Coop {
    /// The pause, if one is due; whoever polls is woken at once then, and must return.
    pub(super) fn pause(&mut self, cx: &mut Context<'_>) -> Option<Pause> {
        if self.spent < STINT {
            return None;
        }
        cx.waker().wake_by_ref();
        let is_idle = self.bytes == 0;
        *self = Self::default();
        Some(Pause { is_idle })
    }

    pub(super) fn made_progress(&mut self, bytes: usize) {
        self.spent += bytes.max(FRAME);
        self.bytes += bytes;
    }
}
