//! What everyone loses when processes are killed or stopped, or callers give up.

use std::{thread, time::Duration};

use super::{
    Plan,
    check::Findings,
    crew::{Crew, Fault},
    store::Store,
    worker::Job,
};
use crate::report::Section;

const FAULTS: [(Fault, &str, &str); 6] = [
    (Fault::None, "no fault", "none"),
    (Fault::Kill, "kill -9", "kill"),
    (Fault::Stop, "stop", "stop"),
    (Fault::Cancel, "cancel", "cancel"),
    (Fault::All, "all and back-offs", "all"),
    (Fault::Apart, "not shared", "apart"),
];

/// What came of one crew for each kind of fault, all on stores of one kind.
pub(super) struct Crews(Vec<(Fault, &'static str, Findings)>);

impl Crews {
    /// They work at the same time, each on its own gate, so that what the machine does befalls all of them.
    pub(super) fn watch(plan: &Plan, store: impl Fn(&str) -> Store) -> Self {
        thread::scope(|scope| {
            let crews = FAULTS.map(|(fault, name, key)| {
                let job = Job {
                    store: match fault {
                        Fault::Apart => Store::Apart,
                        _ => store(key),
                    },
                    interval: plan.interval,
                    cancels: matches!(fault, Fault::Cancel | Fault::All),
                    throttles: fault == Fault::All,
                };
                (
                    fault,
                    name,
                    scope.spawn(move || Crew::work(plan, job, fault)),
                )
            });
            let findings = crews.map(|(fault, name, crew)| {
                (fault, name, crew.join().expect("the crew has worked"))
            });
            Self(findings.into())
        })
    }

    pub(super) fn orders_each_turn(&self) -> f64 {
        let counted = self.faultless().counted;
        counted.orders as f64 / counted.granted as f64
    }

    pub(super) fn section(&self, plan: &Plan, name: &'static str) -> Section {
        let (interval, time) = (plan.interval.as_millis(), plan.time.as_secs());
        let title = format!(
            "{name}: turns while processes fail, set to one every {interval} ms, for {time} s"
        );
        let mut section = Section::new(title).scope(name).without_ratios();
        let mut add = |figure: &str, unit, value: &dyn Fn(Fault, &Findings) -> Option<f64>| {
            let crews = self.0.iter();
            let values = crews.map(|(fault, name, found)| (*name, value(*fault, found)));
            section.add(figure, unit, values);
        };
        add("starts", "", &|_, found| Some(found.starts as f64));
        add("faults", "", &|_, found| Some(found.faults as f64));
        add("back-offs", "", &|_, found| Some(found.backoffs as f64));
        add("starts too close", "", &|_, found| {
            Some(found.too_close as f64)
        });
        add("starts in a back-off", "", &|_, found| {
            Some(found.in_backoff as f64)
        });
        add("turns lost to each fault", "", &|fault, found| {
            let loses = is_paced(fault) && found.faults > 0;
            loses.then(|| found.lost_to_each(self.faultless()))
        });
        add("time lost", "%", &|fault, found| {
            is_paced(fault).then(|| 100.0 * (found.pace() - 1.0))
        });
        let millis = |time: Duration| Some(time.as_secs_f64() * 1000.0);
        add("least gap", "ms", &|_, found| millis(found.least_gap));
        add("longest gap", "ms", &|_, found| millis(found.longest_gap));
        section
    }

    fn faultless(&self) -> &Findings {
        let mut crews = self.0.iter();
        let found = crews.find(|(fault, ..)| *fault == Fault::None);
        found.map(|(.., found)| found).expect("one of the crews")
    }
}

/// Whether somebody could have started an interval after the last start, always and not sooner.
fn is_paced(fault: Fault) -> bool {
    !matches!(fault, Fault::All | Fault::Apart)
}
