use std::collections::{BTreeMap, BTreeSet};

use super::Tick;

/// Whoever has this many before it need not have its place counted out when it looks too early.
const DEEP: usize = 8;

/// How many places from the front are watched. Each one more bears one more caller in front who is never heard of again.
pub(crate) const FRONT: usize = 4;

/// A place in the queue. Smaller numbers go first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct Ticket(pub(super) u64);

/// What stands with a place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Entry {
    /// When its owner is to look again.
    pub(super) look: Tick,
    /// When its turn must start at the latest.
    pub(super) latest: Tick,
}

/// Who waits, in order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Queue {
    pub(super) places: BTreeMap<Ticket, Entry>,
    pub(super) last_ticket: u64,
    /// Tickets up to this one were refused when a back-off began.
    pub(super) voided: u64,
    /// Later ones that were refused so, and have not asked since.
    pub(super) refused: BTreeSet<Ticket>,
}

/// The next number. It is counted from the clock, so that it is none of those that were given after a store's copy was made, if the store
/// falls back to that.
pub(super) fn number_after(last: u64, now: Tick) -> u64 {
    let clock = u64::try_from(now).unwrap_or(0);
    clock.max(last + 1)
}

impl Queue {
    /// Its tickets are numbered from its birth on, so that none is mistaken for one that a lost queue gave.
    pub(super) fn new(now: Tick) -> Self {
        Self {
            places: BTreeMap::new(),
            last_ticket: u64::try_from(now).unwrap_or(0),
            voided: 0,
            refused: BTreeSet::new(),
        }
    }

    pub(super) fn len(&self) -> usize {
        self.places.len()
    }

    pub(super) fn issue(&mut self, now: Tick) -> Ticket {
        self.last_ticket = number_after(self.last_ticket, now);
        Ticket(self.last_ticket)
    }

    /// Whether it may be one of its tickets, and not one of a lost queue that was ahead of it.
    pub(super) fn has_issued(&self, ticket: Ticket) -> bool {
        ticket.0 <= self.last_ticket
    }

    pub(super) fn is_refused(&self, ticket: Ticket) -> bool {
        ticket.0 <= self.voided || self.refused.contains(&ticket)
    }

    /// When one who stands deep in the queue is to look.
    pub(super) fn look_of_deep(&self, ticket: Ticket) -> Option<Tick> {
        let look = self.places.get(&ticket)?.look;
        let is_deep = self.places.range(..ticket).nth(DEEP - 1).is_some();
        is_deep.then_some(look)
    }

    /// How many stand before this one; before a newcomer, all.
    pub(super) fn place_of(&self, ticket: Option<Ticket>) -> usize {
        match ticket {
            Some(ticket) => self.places.range(..ticket).count(),
            None => self.places.len(),
        }
    }

    /// When the first of those who stand before `place` is to look.
    pub(super) fn first_look(&self, place: usize) -> Option<Tick> {
        let ahead = self.places.values().take(place);
        ahead.map(|entry| entry.look).min()
    }

    /// Takes out whoever should have looked by `earliest`, but for `except`. Nobody looks later than `latest`: the clock may have been set
    /// back since one who never looks again was told.
    pub(super) fn pass_over(&mut self, earliest: Tick, latest: Tick, except: Option<Ticket>) {
        self.places.retain(|&ticket, entry| {
            entry.look = entry.look.min(latest);
            entry.look >= earliest || except == Some(ticket)
        });
    }

    pub(super) fn put(&mut self, ticket: Ticket, entry: Entry) {
        self.places.insert(ticket, entry);
    }

    pub(super) fn get_mut(&mut self, ticket: Ticket) -> Option<&mut Entry> {
        self.places.get_mut(&ticket)
    }

    pub(super) fn remove(&mut self, ticket: Option<Ticket>) {
        if let Some(ticket) = ticket {
            self.places.remove(&ticket);
            self.refused.remove(&ticket);
        }
    }

    pub(super) fn head(&self) -> Option<(Ticket, Entry)> {
        let (&ticket, &entry) = self.places.first_key_value()?;
        Some((ticket, entry))
    }

    /// Those at the front, in order.
    pub(super) fn front(&self) -> [Option<Ticket>; FRONT] {
        let mut tickets = self.places.keys();
        std::array::from_fn(|_| tickets.next().copied())
    }

    /// Refuses everyone who has ever been given a ticket.
    pub(super) fn void(&mut self) -> BTreeMap<Ticket, Entry> {
        self.voided = self.last_ticket;
        self.refused.clear();
        std::mem::take(&mut self.places)
    }

    /// Refuses whom `is_late` names, front to back; it is told each one's place once those refused before it are gone. No more than
    /// `most` are remembered as refused.
    pub(super) fn refuse(
        &mut self,
        most: usize,
        is_late: impl Fn(usize, &Entry) -> bool,
    ) -> Vec<Ticket> {
        let (mut place, mut refused) = (0, Vec::new());
        self.places.retain(|&ticket, entry| {
            let late = is_late(place, entry);
            if late {
                refused.push(ticket);
            } else {
                place += 1;
            }
            !late
        });
        self.refused.extend(&refused);
        while self.refused.len() > most {
            self.refused.pop_first();
        }
        refused
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn who_has_eight_before_it_stands_deep() {
        let mut queue = Queue::new(0);
        let tickets = [1, 2, 3, 4, 5, 6, 7, 8, 9].map(|look| {
            let ticket = queue.issue(0);
            queue.put(ticket, Entry { look, latest: 9 });
            ticket
        });
        assert_eq!(queue.look_of_deep(tickets[7]), None);
        assert_eq!(queue.look_of_deep(tickets[8]), Some(9));
    }
}
