//! [`Times`]: the order of instances as time vectors of one length.
//!
//! A schedule map or a schedule tree becomes a list of [`Entry`]s: some instances of one statement with their point in time as
//! quasi-affine functions. Instances without an entry have no time: they are before and after nothing.

use crate::affine::{Aff, UnionPwMultiAff};
use crate::budget::Budget;
use crate::error::{Error, Result};
use crate::relation::{Set, UnionMap};
use crate::schedule::{ScheduleTree, TimeDim};
use crate::space::{Space, Tuple};

use super::input::AccessOrder;

/// The time of some instances of one statement.
#[derive(Clone, Debug)]
pub(super) struct Entry {
    /// The statement.
    pub(super) tuple: Tuple,
    /// The instances.
    pub(super) domain: Set,
    /// One component per dimension of time.
    pub(super) time: Vec<Aff>,
    /// What the components mean.
    pub(super) dims: Vec<TimeDim>,
}

/// A schedule in this form.
#[derive(Clone, Debug, Default)]
pub(super) struct Times {
    pub(super) entries: Vec<Entry>,
}

impl Times {
    pub(super) fn new(order: &AccessOrder, budget: &Budget) -> Result<Times> {
        match order {
            AccessOrder::Map(map) => Times::from_map(map, budget),
            AccessOrder::Tree(tree) => Times::from_tree(tree, budget),
        }
    }

    fn from_tree(tree: &ScheduleTree, budget: &Budget) -> Result<Times> {
        let mut entries = Vec::new();
        for flat in tree.flatten(budget)? {
            let tuple = flat.domain.space().range_tuple().clone();
            entries.push(Entry { tuple, domain: flat.domain, time: flat.time, dims: flat.dims });
        }
        Ok(Times { entries })
    }

    /// A map must give every instance one time, and all times the same tuple.
    fn from_map(map: &UnionMap, budget: &Budget) -> Result<Times> {
        let mut range: Option<&Tuple> = None;
        for member in map.members() {
            let tuple = member.space().range_tuple();
            match range {
                None => range = Some(tuple),
                Some(known) if known == tuple => {}
                Some(known) => return Err(bad(format!("times in the tuples {known} and {tuple}; use one tuple"))),
            }
        }
        let mut entries = Vec::new();
        let functions = UnionPwMultiAff::from_union_map(map, budget).map_err(|error| match error {
            Error::Exhausted(_) => error,
            _ => bad("an instance with several times; a schedule gives every instance one time".into()),
        })?;
        for function in functions.members() {
            for (domain, time) in function.pieces() {
                let time: Vec<Aff> = time.affs().to_vec();
                entries.push(Entry {
                    tuple: function.domain_space().range_tuple().clone(),
                    domain: domain.clone(),
                    dims: vec![TimeDim::Ordered; time.len()],
                    time,
                });
            }
        }
        // Two members for one statement, or two pieces that meet, would give an instance two times.
        for (k, a) in entries.iter().enumerate() {
            for b in entries[..k].iter().filter(|b| b.tuple == a.tuple) {
                if !a.domain.is_disjoint(&b.domain, budget)? {
                    return Err(bad(format!("instances of {} with several times", a.tuple)));
                }
            }
        }
        Ok(Times { entries })
    }

    /// The entries of a statement. Accesses may be tagged: an instance `[S[..] -> R[..]]` without a time of its own has the
    /// time of `S[..]`.
    pub(super) fn of<'t>(&'t self, instance: &'t Tuple) -> impl Iterator<Item = &'t Entry> {
        let known = self.entries.iter().any(|entry| entry.tuple == *instance);
        let tagged = if known { None } else { instance.factors().map(|(statement, _)| statement) };
        let wanted = tagged.unwrap_or_else(|| instance.clone());
        self.entries.iter().filter(move |entry| entry.tuple == wanted)
    }

    /// All parameters that the schedule mentions.
    pub(super) fn params(&self, params: Space) -> Space {
        self.entries.iter().fold(params, |params, entry| {
            let params = params.align_params(&entry.domain.space().params_space());
            entry.time.iter().fold(params, |params, aff| params.align_params(&aff.space().params_space()))
        })
    }

    /// The same times over a list of parameters that contains all of them.
    pub(super) fn align(&mut self, params: &Space) {
        for entry in &mut self.entries {
            entry.domain = entry.domain.align_params(params);
            for aff in &mut entry.time {
                *aff = aff.align_params(params).floor();
            }
        }
    }
}

fn bad(what: String) -> Error {
    Error::OutOfRange { operation: "compute dependences", what }
}
