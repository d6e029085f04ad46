//! [`Accesses`]: what a program does to memory, and the usual analyses of it by name.

use crate::budget::Budget;
use crate::error::Result;
use crate::relation::{Map, UnionMap};

use super::input::{AccessInfo, AccessOrder};
use super::result::Flow;

/// The accesses of a program, `S[..] -> A[..]` or tagged `[S[..] -> R[]] -> A[..]` (the tag says which reference of the
/// statement it is), and its order.
#[derive(Clone, Debug)]
pub struct Accesses {
    /// What is possibly read.
    pub reads: UnionMap,
    /// What is possibly written. What is certainly written may be left out.
    pub may_writes: UnionMap,
    /// What is certainly written.
    pub must_writes: UnionMap,
    /// Elements whose value is not used after the instance, without a write: the end of the scope of a variable.
    pub kills: UnionMap,
    /// The order of the instances.
    pub order: AccessOrder,
}

/// The dependences for schedules that may reorder whole live ranges of an element, `write, reads`, as long as these do not
/// overlap: see [`Accesses::reordering`]. Relations are between instances, those called tagged between references.
#[derive(Clone, Debug)]
pub struct Reordering {
    /// Value-based flow dependences.
    pub flow: UnionMap,
    /// The same between tagged instances.
    pub tagged_flow: UnionMap,
    /// Order dependences between tagged instances: a read (or a write that nobody reads) before any later write of the element. They
    /// may be violated while all flow dependences next to them are inside one iteration.
    pub tagged_order: UnionMap,
    /// The same with the element: `source -> [sink -> element]`.
    pub full_order: UnionMap,
    /// Dependences that hold unconditionally: live-in reads before later writes, writes before later live-out writes, and the order of
    /// writes one of which a read sees.
    pub forced: UnionMap,
    /// Anti and output dependences that are not implied by others: what has to hold if live ranges are not reordered.
    pub false_dependences: UnionMap,
    /// Reads of values from before the program.
    pub live_in: UnionMap,
    /// Writes whose values may be used after the program.
    pub live_out: UnionMap,
}

impl Accesses {
    /// All writes.
    fn writes(&self) -> Result<UnionMap> {
        self.may_writes.union(&self.must_writes)
    }

    fn analysis(&self, sink: UnionMap, must: UnionMap, may: UnionMap, kill: UnionMap) -> AccessInfo {
        AccessInfo { sink, must_source: must, may_source: may, kill, order: self.order.clone() }
    }

    fn nothing(&self) -> UnionMap {
        UnionMap::empty(self.reads.params_space())
    }

    /// Value-based flow dependences: from a write to the reads that may see its value. `may_no_source` of the result are the live-in
    /// reads.
    pub fn flow(&self, budget: &Budget) -> Result<Flow> {
        let (must, may, kills) = (self.must_writes.clone(), self.may_writes.clone(), self.kills.clone());
        self.analysis(self.reads.clone(), must, may, kills).compute_flow(budget)
    }

    /// Anti and output dependences that are not implied by others: from an access to a later write, with no certain write between them.
    /// A kill is not in between: it is not scheduled, and orders nothing.
    pub fn false_dependences(&self, budget: &Budget) -> Result<Flow> {
        let may = self.reads.union(&self.may_writes)?;
        // A read and a write by one instance are two accesses: the read must not disappear.
        let writes =
            self.analysis(self.writes()?, self.nothing(), may.union(&self.must_writes)?, self.must_writes.clone());
        writes.compute_flow(budget)
    }

    /// Memory-based dependences (every pair of accesses to an element, in order): flow, anti and output.
    pub fn memory_based(&self, budget: &Budget) -> Result<[UnionMap; 3]> {
        let writes = self.writes()?;
        let pairs = |sink: &UnionMap, source: &UnionMap| -> Result<UnionMap> {
            let info = self.analysis(sink.clone(), self.nothing(), source.clone(), self.nothing());
            untagged(&info.compute_flow(budget)?.may_dependence(budget)?, budget)
        };
        Ok([pairs(&self.reads, &writes)?, pairs(&writes, &self.reads)?, pairs(&writes, &writes)?])
    }

    /// The writes whose value may be used after the program: those that no certain write or kill of the element is after.
    pub fn live_out(&self, budget: &Budget) -> Result<UnionMap> {
        let (writes, killing) = (self.writes()?, self.must_writes.union(&self.kills)?);
        let overwritten =
            self.analysis(killing, self.nothing(), writes.clone(), self.nothing()).compute_flow(budget)?;
        // source -> [sink -> element] without the sink.
        let killed = overwritten.full_may_dependence().range_factor_range(budget)?;
        writes.subtract(&killed, budget)?.coalesce(budget)
    }

    /// Everything that a scheduler needs to reorder live ranges (S. Verdoolaege, A. Cohen, *Live-Range Reordering*, IMPACT
    /// 2016). The accesses should be tagged: an order dependence and a flow dependence are adjacent if they meet in a reference.
    pub fn reordering(&self, budget: &Budget) -> Result<Reordering> {
        let flow = self.flow(budget)?;
        let writes = self.writes()?;
        let tagged_flow = flow.may_dependence(budget)?;
        let live_in = flow.may_no_source().clone();
        let live_out = self.live_out(budget)?;
        let unread = writes.subtract_domain(&tagged_flow.domain(budget)?, budget)?;
        let memory = |sink: &UnionMap, source: &UnionMap| -> Result<Flow> {
            self.analysis(sink.clone(), self.nothing(), source.clone(), self.nothing()).compute_flow(budget)
        };
        let order = memory(&writes, &self.reads.union(&unread)?)?;
        let before_first_write = memory(&writes, &live_in)?.may_dependence(budget)?;
        let before_last_write = memory(&live_out, &writes)?.may_dependence(budget)?;
        // Writes that one read of one element may see: that pair serves as the common element.
        let shared = flow.full_may_dependence();
        let shared = memory(shared, shared)?.may_dependence(budget)?;
        let forced = before_first_write.union(&before_last_write)?.union(&shared)?;
        let false_dependences = self.false_dependences(budget)?.may_dependence(budget)?;
        Ok(Reordering {
            flow: untagged(&tagged_flow, budget)?,
            tagged_flow,
            tagged_order: order.may_dependence(budget)?,
            full_order: order.full_may_dependence().clone(),
            forced: untagged(&forced, budget)?,
            false_dependences: untagged(&false_dependences, budget)?,
            live_in,
            live_out,
        })
    }
}

/// The relation between instances of one between tagged instances; what is not tagged stays.
pub fn untagged(map: &UnionMap, budget: &Budget) -> Result<UnionMap> {
    let mut result = UnionMap::empty(map.params_space());
    for member in map.members() {
        let member: Map =
            if member.domain_is_wrapping() { member.domain_factor_domain(budget)? } else { member.clone() };
        let member = if member.range_is_wrapping() { member.range_factor_domain(budget)? } else { member };
        result = result.add(&member)?;
    }
    result.coalesce(budget)
}
