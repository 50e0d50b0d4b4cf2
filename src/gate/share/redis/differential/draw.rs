//! Commands as a few processes may send them: at any time, of anything that they ever knew.

use fastrand::Rng;

use super::{
    super::units::{FAR, LONGEST},
    model::{Model, Step},
    settings::{SPOILED, Scale, length, rules},
};
use crate::gate::{
    ledger::{Ask, Command, Finding, Grant, Memory, Outcome, Rules, Throttle, Tick, Ticket},
    share::store::{Answer, Order},
};

/// Some processes that share a gate.
pub(super) struct World {
    rng: Rng,
    scale: Scale,
    /// How many of a hundred that tell of a turn tell of a throttle.
    throttles: u8,
    /// How many of a hundred that ask for a turn have not asked before.
    newcomers: u8,
    /// How many of a hundred that ask wait for as long as it takes.
    patient: u8,
    /// How much less time passes than is drawn.
    haste: Tick,
    model: Model,
    now: Tick,
    processes: Vec<Process>,
    tickets: Vec<Ticket>,
    grants: Vec<Grant>,
}

struct Process {
    rules: Rules,
    /// What it knows, and since when.
    memory: Memory,
    seen: Tick,
}

impl World {
    pub(super) fn new(mut rng: Rng) -> Self {
        let now = match rng.u8(0..4) {
            0 => rng.i64(-1000..1000),
            _ => rng.i64(1 << 50..1 << 51),
        };
        let scale = Scale::draw(&mut rng);
        let first = rules(&mut rng, scale);
        let processes = (0..rng.usize(1..=3)).map(|_| Process {
            rules: match rng.u8(0..4) {
                0 => rules(&mut rng, scale),
                _ => first.clone(),
            },
            memory: Memory {
                born: rng.i64(0..1000),
                round: 0,
                streak: 0,
                on_trial: false,
                arrival: -FAR,
                closed: 0,
            },
            seen: now,
        });
        Self {
            processes: processes.collect(),
            throttles: [0, 2, 30, 70][rng.usize(0..4)],
            newcomers: [30, 30, 80][rng.usize(0..3)],
            patient: [10, 60, 90][rng.usize(0..3)],
            haste: [1, 1, 30][rng.usize(0..3)],
            scale,
            model: Model::default(),
            now,
            tickets: Vec::new(),
            grants: Vec::new(),
            rng,
        }
    }

    pub(super) fn steps(mut self) -> Vec<Step> {
        let count = self.rng.usize(1..=300);
        (0..count).map(|_| self.step()).collect()
    }

    fn step(&mut self) -> Step {
        let step = match self.rng.u8(0..250) {
            0 => Step::Lose,
            1 => {
                let (field, value) = SPOILED[self.rng.usize(..SPOILED.len())];
                Step::Spoil { field, value }
            }
            _ => return self.order(),
        };
        self.model.apply(&step);
        step
    }

    fn order(&mut self) -> Step {
        let at = self.rng.usize(..self.processes.len());
        self.time_passes(at);
        let step = Step::Apply {
            now: self.now,
            order: Order {
                rules: self.processes[at].rules.clone(),
                memory: self.memory(at),
                command: self.command(),
            },
        };
        if let Some(after) = self.model.apply(&step) {
            self.learn(at, &after.answer);
        }
        step
    }

    fn time_passes(&mut self, at: usize) {
        let Self { rng, scale, .. } = self;
        let interval = self.processes[at].rules.interval;
        let passes = match rng.u8(0..100) {
            0..20 => 0,
            20..75 => rng.i64(0..=interval / 2) / self.haste,
            75..90 => rng.i64(0..=interval) / self.haste,
            90..95 => length(rng, scale.most(5)),
            95..97 => length(rng, scale.most(20)),
            97 => -length(rng, scale.most(20)),
            98 => -length(rng, scale.most(1)),
            _ => rng.i64(-100_000_000_000_000..100_000_000_000_000),
        };
        self.now = (self.now + passes).clamp(-FAR, 5 * FAR);
    }

    fn memory(&mut self, at: usize) -> Memory {
        let Self { rng, scale, .. } = self;
        let Process { memory, seen, .. } = &self.processes[at];
        let memory = match rng.u8(0..50) {
            0 => Memory {
                born: memory.born + rng.i64(-1..=1),
                round: memory.round.saturating_add_signed(rng.i64(-1..=2)),
                streak: rng.u32(0..4),
                on_trial: rng.bool(),
                arrival: length(rng, scale.most(10)),
                closed: length(rng, scale.most(10)),
            },
            1 => Memory {
                arrival: rng.i64(-FAR..=FAR),
                ..*memory
            },
            _ => memory.less(self.now - seen),
        };
        Memory {
            arrival: memory.arrival.clamp(-FAR, FAR),
            closed: memory.closed.clamp(-FAR, LONGEST),
            ..memory
        }
    }

    fn command(&mut self) -> Command {
        let told = match self.rng.u8(0..100) {
            0..65 => return self.take(),
            65..72 => self.ticket().map(Command::Leave),
            72..77 => Some(Command::Started),
            77..83 => self.grant().map(Command::Answered),
            83..99 => self.is_told(),
            _ => Some(Command::Reset),
        };
        told.unwrap_or_else(|| self.take())
    }

    fn is_told(&mut self) -> Option<Command> {
        if self.rng.u8(0..100) >= self.throttles {
            let finding = [Finding::Answered, Finding::Unknown][self.rng.usize(0..2)];
            return self.grant().map(|grant| Command::Settle(grant, finding));
        }
        let throttle = self.throttle();
        match self.rng.u8(0..3) {
            0 => Some(Command::Throttled(throttle)),
            _ => self
                .grant()
                .map(|grant| Command::Settle(grant, Finding::Throttled(throttle))),
        }
    }

    fn take(&mut self) -> Command {
        let ticket = match self.rng.u8(0..100) < self.newcomers {
            true => None,
            false => self.ticket(),
        };
        let Self { rng, scale, .. } = self;
        Command::Take {
            ticket,
            max_wait: match rng.u8(0..16) {
                _ if rng.u8(0..100) < self.patient => FAR,
                0..12 => length(rng, scale.most(10)),
                12..14 => rng.i64(-10..10),
                14 => -length(rng, scale.most(10)),
                _ => rng.i64(-FAR..=FAR),
            },
            ask: match rng.u8(0..8) {
                0 => Ask::Look,
                1 => Ask::SpendAlone,
                _ => Ask::Spend,
            },
        }
    }

    fn throttle(&mut self) -> Throttle {
        let Self { rng, scale, .. } = self;
        Throttle {
            at_least: length(rng, scale.most(15)),
            jitter: [0, rng.i64(0..=1000)][rng.usize(0..2)],
        }
    }

    /// One of those that were given, most often of late.
    fn ticket(&mut self) -> Option<Ticket> {
        of_late(&mut self.rng, &self.tickets)
    }

    fn grant(&mut self) -> Option<Grant> {
        of_late(&mut self.rng, &self.grants)
    }

    fn learn(&mut self, at: usize, answer: &Answer) {
        match answer.outcome {
            Outcome::Go(grant) => self.grants.push(grant),
            Outcome::Due(ticket) | Outcome::Wait { ticket, .. } => self.tickets.push(ticket),
            _ => {}
        }
        // Answers may be lost.
        if self.rng.u8(0..8) > 0 {
            let process = &mut self.processes[at];
            process.memory = answer.view.memory;
            process.seen = self.now;
        }
    }
}

fn of_late<T: Copy>(rng: &mut Rng, given: &[T]) -> Option<T> {
    let most = match rng.u8(0..8) {
        0 => given.len(),
        _ => given.len().min(12),
    };
    let back = (most > 0).then(|| rng.usize(1..=most))?;
    Some(given[given.len() - back])
}
