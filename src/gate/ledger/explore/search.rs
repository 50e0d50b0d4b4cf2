//! Every interleaving of what may happen, to a depth.

use std::collections::HashMap;

use super::{
    event::{Event, Trace},
    world::World,
};

/// What may happen next in a world, and what each takes of the bounds.
type Moves = fn(&World<'_>) -> Vec<(Event, Bounds)>;

/// How many events may yet follow, and how many faults among them.
#[derive(Clone, Copy, Debug)]
pub(super) struct Bounds {
    pub(super) depth: u8,
    pub(super) faults: u8,
}

impl Bounds {
    fn less(self, cost: Self) -> Option<Self> {
        Some(Self {
            depth: self.depth.checked_sub(cost.depth)?,
            faults: self.faults.checked_sub(cost.faults)?,
        })
    }
}

#[derive(Debug, Default)]
pub(super) struct Found {
    /// Different worlds.
    pub(super) worlds: usize,
    pub(super) events: usize,
    /// How much of the time in which all who wait must be answered that took at most, in percent.
    pub(super) longest_wait: i64,
}

struct Search<'a> {
    moves: Moves,
    /// With the most events that were left when it was seen, by the faults left.
    seen: HashMap<(u64, u8), u8>,
    trace: &'a mut Trace,
    found: Found,
}

impl Search<'_> {
    fn visit(&mut self, world: &World<'_>, left: Bounds) {
        let key = (world.key(), left.faults);
        match self.seen.insert(key, left.depth + 1) {
            Some(depth) if depth > left.depth => {
                self.seen.insert(key, depth);
                return;
            }
            Some(_) => {}
            None => {
                self.found.worlds += 1;
                self.found.longest_wait = self.found.longest_wait.max(world.all_are_answered());
            }
        }
        for (event, cost) in (self.moves)(world) {
            let Some(left) = left.less(cost) else {
                continue;
            };
            let mut next = world.clone();
            self.trace.0.push(event);
            next.happens(event);
            self.found.events += 1;
            self.visit(&next, left);
            self.trace.0.pop();
        }
    }
}

/// Shallow before deep, so that what breaks a rule is told by as few events as may be.
pub(super) fn search(world: &World<'_>, moves: Moves, bounds: Bounds) -> Found {
    let mut trace = Trace::default();
    let mut search = |depth| {
        let mut search = Search {
            moves,
            seen: HashMap::new(),
            trace: &mut trace,
            found: Found::default(),
        };
        search.visit(world, Bounds { depth, ..bounds });
        search.found
    };
    for depth in [bounds.depth / 4, bounds.depth / 2] {
        search(depth);
    }
    search(bounds.depth)
}
