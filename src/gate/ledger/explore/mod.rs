//! Callers who look by themselves, as they do where the state is kept in a store: every interleaving of a few, random ones, and a crowd.
//! All is judged in true time, by what has really happened.

mod agreement;
mod answer;
mod caller;
mod crowd;
mod event;
mod fates;
mod faults;
mod found;
mod interleavings;
mod key;
mod knowledge;
mod liveness;
mod search;
mod turns;
mod walk;
mod witness;
mod world;
