//! What becomes of a caller that asks for a turn.

use super::{
    Ask, Entry, Grant, Outcome, Refused, Rules, State, Tick, Ticket, out::Out, queue::number_after,
};

impl State {
    pub(super) fn take(
        &mut self,
        rules: &Rules,
        now: Tick,
        ticket: Option<Ticket>,
        max_wait: Tick,
        ask: Ask,
    ) -> Outcome {
        let left = self.closing.until.saturating_sub(now).max(1);
        let backing_off = || Outcome::Refused(Refused::BackingOff { left });
        // Behind a ticket that is ahead of all others, newcomers would overtake: who comes with one comes anew.
        let ticket = ticket.filter(|&ticket| self.queue.has_issued(ticket));
        // Who was refused when a back-off began is told so, even if it slept through all of it.
        let refused = ticket.is_some_and(|ticket| self.queue.is_refused(ticket));
        let closed = self.closing.is_closed(now);
        if refused || (closed && !rules.waits_while_closed) {
            self.queue.remove(ticket);
            return backing_off();
        }
        self.pass_over_late_owners(rules, now, ticket);
        if let Some(ticket) = ticket.filter(|_| max_wait > 0 && rules.polling.is_none())
            && let Some(look) = self.queue.look_of_deep(ticket)
            // No later than the last in the queue would look: the clock may have been set back since it was told.
            && (now + 1..=self.look_of(rules, now, self.queue.len() - 1)).contains(&look)
        {
            let sleep = look - now;
            return Outcome::Wait { ticket, sleep };
        }
        let place = self.queue.place_of(ticket);
        let wait = self.start_of(rules, now, place).saturating_sub(now);
        // Where callers look for themselves, each start comes a little late, and who was given a place is not refused for their sum.
        let slip = match (ticket, &rules.polling) {
            (Some(_), Some(_)) if max_wait > 0 => rules.grace,
            _ => 0,
        };
        if wait > max_wait.saturating_add(slip) {
            self.queue.remove(ticket);
            return match closed && left > max_wait {
                true => backing_off(),
                false => Outcome::Refused(Refused::PastDeadline {
                    by: wait.saturating_sub(max_wait),
                }),
            };
        }
        let due = wait <= 0 && place < self.free(rules);
        if due && ask != Ask::Look {
            self.queue.remove(ticket);
            let alone = ask == Ask::SpendAlone;
            return Outcome::Go(self.grant(rules, now, alone));
        }
        if !due && max_wait <= 0 {
            self.queue.remove(ticket);
            let by = self.look_of(rules, now, place).saturating_sub(now).max(1);
            return Outcome::Refused(Refused::PastDeadline { by });
        }
        // Who is due waits for nobody, only for itself; of such there may be one.
        let bound = rules.max_queued.max(usize::from(due));
        if ticket.is_none() && self.queue.len() >= bound {
            let next = self.look_of(rules, now, 0).saturating_sub(now).max(1);
            return Outcome::Refused(Refused::QueueFull { next });
        }
        let latest = now.saturating_add(max_wait);
        if due {
            return Outcome::Due(self.hold_due_place(now, ticket, latest));
        }
        let look = self.look_of(rules, now, place).max(now + 1);
        let ticket = ticket.unwrap_or_else(|| self.queue.issue(now));
        self.queue.put(ticket, Entry { look, latest });
        Outcome::Wait {
            ticket,
            sleep: look - now,
        }
    }

    /// Who is due and does not spend its turn yet keeps others waiting for its grace, counted once: asking again renews nothing.
    fn hold_due_place(&mut self, now: Tick, ticket: Option<Ticket>, latest: Tick) -> Ticket {
        let Some(ticket) = ticket else {
            let ticket = self.queue.issue(now);
            self.queue.put(ticket, Entry { look: now, latest });
            return ticket;
        };
        if let Some(entry) = self.queue.get_mut(ticket) {
            entry.look = entry.look.min(now);
        }
        ticket
    }

    fn grant(&mut self, rules: &Rules, now: Tick, alone: bool) -> Grant {
        self.pace.start(rules, self.opening(now));
        self.last_grant = number_after(self.last_grant, now);
        let grant = Grant {
            born: self.born,
            number: self.last_grant,
            round: self.closing.round,
            is_awaited: alone || self.closing.on_trial || rules.max_in_flight < usize::MAX,
        };
        self.forget_idle(rules);
        if grant.is_awaited {
            self.out.push(Out {
                grant,
                lease: now.saturating_add(rules.lease),
                alone,
            });
        }
        grant
    }

    /// Takes out whoever should have looked by now and has not: from the front, and anyone where all look in time by themselves. It
    /// keeps its number, so it comes back to its place when it does look.
    fn pass_over_late_owners(&mut self, rules: &Rules, now: Tick, except: Option<Ticket>) {
        if self.queue.len() == 0 {
            return;
        }
        if let Some(polling) = &rules.polling {
            let earliest = now.saturating_sub(rules.grace);
            let latest = now.saturating_add(polling.longest_sleep);
            return self.queue.pass_over(earliest, latest, except);
        }
        let due = self.due(rules);
        while let Some((ticket, entry)) = self.queue.head() {
            let late = entry.look.max(due).saturating_add(rules.grace) < now;
            if !late || except == Some(ticket) {
                break;
            }
            self.queue.remove(Some(ticket));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Ask, Command, Outcome, Polling, Rules, State, Tick};

    #[test]
    fn who_never_looks_again_is_passed_over_though_the_clock_was_set_back() {
        let rules = Rules {
            interval: 100,
            burst: 1,
            grace: 25,
            backoffs: [1000].into(),
            backoff_cap: 1000,
            longest_backoff: 1000,
            widening: 0,
            lease: 500,
            max_in_flight: 1,
            max_queued: 10,
            waits_while_closed: false,
            polling: Some(Polling {
                window: 4,
                stagger: 1,
                longest_sleep: 200,
            }),
        };
        let take = |state: &mut State, now: Tick| {
            let take = Command::Take {
                ticket: None,
                max_wait: 1_000_000,
                ask: Ask::Spend,
            };
            state.step(&rules, now, take)
        };
        let mut state = State::new(&rules, 3_600_000);
        assert!(matches!(take(&mut state, 3_600_000), Outcome::Go(_)));
        assert!(matches!(take(&mut state, 3_600_001), Outcome::Wait { .. }));
        assert!(matches!(take(&mut state, 0), Outcome::Wait { .. }));
        assert!(matches!(take(&mut state, 600), Outcome::Go(_)));
    }
}
