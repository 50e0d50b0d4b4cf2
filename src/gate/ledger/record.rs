//! A state as a list of whole numbers, for whoever keeps it outside of memory.

use super::{
    Entry, Grant, State, Tick, Ticket,
    closing::Closing,
    out::Out,
    pace::Pace,
    queue::Queue,
    words::{flag, number, word},
};

/// How many numbers stand before those of the places.
const HEAD: usize = 16;

const PLACE: usize = 3;
const OUT: usize = 4;

impl State {
    /// The most numbers that a state takes in which as many wait, as many are remembered as refused, and as many are out.
    pub(crate) const fn most_words(queued: usize, out: usize) -> usize {
        HEAD + queued * (PLACE + 1) + out * OUT
    }

    pub(crate) fn words(&self) -> Vec<i64> {
        let Self {
            born,
            pace,
            closing,
            queue,
            last_grant,
            out,
        } = self;
        let lists = [queue.places.len(), queue.refused.len(), out.len()];
        let head = [
            *born,
            pace.last_start,
            pace.arrival,
            pace.widened_until,
            pace.interval,
            closing.until,
            closing.length,
            word(closing.round),
            i64::from(closing.streak),
            i64::from(closing.on_trial),
            word(queue.last_ticket),
            word(queue.voided),
            word(*last_grant),
        ];
        let places = queue.places.iter();
        let places = places.flat_map(|(ticket, entry)| [word(ticket.0), entry.look, entry.latest]);
        let refused = queue.refused.iter().map(|ticket| word(ticket.0));
        let out = out.iter().flat_map(|out| {
            let Grant {
                number,
                round,
                is_awaited: _,
                born: _,
            } = out.grant;
            [word(number), word(round), out.lease, i64::from(out.alone)]
        });
        let lists = lists.map(|length| i64::try_from(length).unwrap_or(i64::MAX));
        let words = head.into_iter().chain(lists);
        words.chain(places).chain(refused).chain(out).collect()
    }

    /// `None` if they are no state's.
    pub(crate) fn from_words(words: &[i64]) -> Option<Self> {
        let (head, mut rest) = words.split_first_chunk::<HEAD>()?;
        let [
            born,
            last_start,
            arrival,
            widened_until,
            interval,
            until,
            length,
            round,
            streak,
            on_trial,
            last_ticket,
            voided,
            last_grant,
            places,
            refused,
            out,
        ] = *head;
        let mut take = |count: i64, size: usize| {
            let length = usize::try_from(count).ok()?.checked_mul(size)?;
            let (taken, left) = rest.split_at_checked(length)?;
            rest = left;
            Some(taken.chunks_exact(size))
        };
        let places = take(places, PLACE)?.map(|place| {
            let [ticket, look, latest] = *place else {
                return None;
            };
            Some((Ticket(number(ticket)?), Entry { look, latest }))
        });
        let places = places.collect::<Option<_>>()?;
        let refused = take(refused, 1)?.map(|ticket| Some(Ticket(number(ticket[0])?)));
        let refused = refused.collect::<Option<_>>()?;
        let out = take(out, OUT)?.map(|out| {
            let [grant, round, lease, alone] = *out else {
                return None;
            };
            let grant = Grant {
                born,
                number: number(grant)?,
                round: number(round)?,
                is_awaited: true,
            };
            let alone = flag(alone)?;
            Some(Out {
                grant,
                lease,
                alone,
            })
        });
        let out = out.collect::<Option<_>>()?;
        let is_sound = rest.is_empty() && interval >= 0 && length >= 0;
        is_sound.then_some(Self {
            born,
            pace: Pace {
                last_start,
                arrival,
                widened_until,
                interval,
            },
            closing: Closing {
                until,
                length,
                round: number(round)?,
                streak: u32::try_from(streak).ok()?,
                on_trial: flag(on_trial)?,
            },
            queue: Queue {
                places,
                last_ticket: number(last_ticket)?,
                voided: number(voided)?,
                refused,
            },
            last_grant: number(last_grant)?,
            out,
        })
    }

    /// Keeps no more than as many places and refusals, and as many turns that are out: the first places, and the latest of the others.
    /// Who loses its place so comes back to it by its number when it asks again.
    pub(crate) fn fit(&mut self, queued: usize, out: usize) {
        let Queue {
            places, refused, ..
        } = &mut self.queue;
        while places.len() > queued {
            places.pop_last();
        }
        while refused.len() > queued {
            refused.pop_first();
        }
        self.out.drain(..self.out.len().saturating_sub(out));
    }

    /// The same state after the clock it is kept by has begun anew: times are moved by as much. Who waited and what was out is gone.
    pub(crate) fn moved(mut self, by: Tick) -> Self {
        let Pace {
            last_start,
            arrival,
            widened_until,
            ..
        } = &mut self.pace;
        let times = [last_start, arrival, widened_until, &mut self.closing.until];
        for time in times {
            *time = time.saturating_add(by);
        }
        self.queue.places.clear();
        self.queue.refused.clear();
        self.out.clear();
        self
    }
}
