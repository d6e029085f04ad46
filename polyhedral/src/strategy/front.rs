//! Which instances of a block of rows need no other row of the block?
//!
//! A factorisation that computes row by row reads, for row `i`, the rows in front of it. Of a block of rows, what is read from rows in front of the *block*
//! can be computed first, for all rows of the block: in it rows do not depend on each other, so that its loops can be permuted, and cut once more
//! ([`super::block`]). What is left is what the rows of the block have to do with each other.
//!
//! ```text
//! for i:                                        for blocks I of 32 rows:
//!   for j < i:                                    for i in I: for j < 32 I:                                   in front
//!     for k < j: A[i][j] -= A[i][k] * A[k][j]       for k < j: A[i][j] -= A[i][k] * A[k][j]
//!     A[i][j] /= A[j][j]                   =>       A[i][j] /= A[j][j]
//!   for j >= i:                                   for i in I: for j >= i: for k < 32 I: ...
//!     for k < i: A[i][j] -= A[i][k] * A[k][j]     for i in I: for j in I: for k < 32 I: ...                   columns of the block
//!                                                 for i in I: ... all that is left, with j >= 32 I and k >= 32 I
//! ```
//!
//! Of each statement the outermost loop inside that always stays in front of the row (`j < i`, `k < i`) is the one whose iterations are told apart. Of those
//! that are left, the same with the next such loop. A statement without such a loop runs in front of the block as a whole if something there depends on
//! it in the same block, and is in nothing that is left: of `d[i] = A[i][i]; for k < i: d[i] -= A[i][k] * A[i][k]`, what begins the sum. Nothing here
//! decides whether that is legal: the draft is checked.
//!
//! J. Dongarra, I. Duff, D. Sorensen, H. van der Vorst, "Solving Linear Systems on Vector and Shared Memory Computers", 1991 (left-looking
//! block factorisations).

use crate::relation::{Comparison, Set, UnionSet};
use crate::scop::Dependence;
use crate::space::DimKind;
use crate::transform::{Need, Value};

use super::Failure;
use super::program::{Part, only, statements_of};
use super::region::{dependences_between, hull};
use super::search::Search;

/// A statement of which some instances come first, or all.
#[derive(Clone)]
struct Front {
    statement: usize,
    /// The dimensions that stay in front of the row, the outermost first; none: all instances come first.
    dims: Vec<usize>,
    /// The dimension that is the row.
    row: usize,
}

impl Search<'_, '_> {
    /// Cuts a nest into blocks of iterations of its outermost loop, what needs no other row of a block first, if that gains.
    pub(super) fn cut_front(&mut self, part: &Part, around: &[usize], above: usize) -> Result<(), Failure> {
        let Part::Loop { index, .. } = part else { return Ok(()) };
        let (size, statements) = (self.block_size(), statements_of(std::slice::from_ref(part)));
        let mut fronts = Vec::new();
        for &statement in &statements {
            fronts.extend(self.front(statement, *index)?);
        }
        let is_deep = |front: &Front| self.loops_inside(front.statement, *index).len() >= 2;
        if !fronts.iter().any(is_deep) {
            return Ok(());
        }
        self.add_beginnings(&mut fronts, &statements, (*index, size))?;
        let early = statements_in(&fronts);
        let (whole, cut): (Vec<Front>, Vec<Front>) = fronts.iter().cloned().partition(|front| front.dims.is_empty());
        let (whole, cut) = (statements_in(&whole), statements_in(&cut));
        let left: Vec<usize> = statements.iter().copied().filter(|statement| !whole.contains(statement)).collect();
        let Some(Part::Loop { body: rest_of_body, .. }) = only(part, &left) else { return Ok(()) };
        let (draft, before, used) = (self.draft.clone(), self.applied.len(), self.used);
        self.step("tile", (cut[0], above), [("sizes", Value::list([size]))])?;
        if !self.split_off(&cut, above + 1, self.front_of_block(&fronts, 0, size))? || !self.is_in_order()? {
            self.draft = draft;
            return Ok(());
        }
        // Of the rest, what only needs columns of the block.
        let columns: Vec<Front> = fronts.iter().filter(|front| front.dims.len() > 1).cloned().collect();
        let mut late = statements_in(&columns);
        if !late.is_empty() {
            let region = self.region.part(self.scop.statements.len(), &early, None);
            let mut rest = Search { region, ..self.clone() };
            let columns = self.front_of_block(&columns, 1, size);
            match rest.split_off(&late, above + 1, columns)? && rest.is_in_order()? {
                true => self.draft = rest.draft,
                false => late.clear(),
            }
        }
        // What comes last in the order goes first here: new copies of it count from there on.
        let region = self.region.part(self.scop.statements.len(), &[early.as_slice(), &late].concat(), None);
        // The check of the whole says enough about its parts.
        let mut rest = Search { region, is_careful: false, ..self.clone() };
        rest.sequence(&rest_of_body, &[around, &[*index]].concat(), above + 2)?;
        self.take(rest);
        let mut gains = false;
        if !late.is_empty() {
            gains |= self.search_part(part, (&columns, 1), &early, (around, above))?;
        }
        gains |= self.search_part(part, (&fronts, 0), &[], (around, above))?;
        if !gains || !self.may_stay()? {
            (self.draft, self.used) = (draft, used);
            self.applied.truncate(before);
            return Ok(());
        }
        // Of two blocks, half is in front of neither.
        self.needs(Need::at_least(*index, 2 * size.unsigned_abs()))
    }

    /// Looks at what comes first of some statements; whether something in it gets a register tile. `in_front` are the statements that are in another place in front of it.
    fn search_part(
        &mut self,
        part: &Part,
        (fronts, level): (&[Front], usize),
        in_front: &[usize],
        (around, above): (&[usize], usize),
    ) -> Result<bool, Failure> {
        let Part::Loop { index, .. } = part else { return Ok(false) };
        let (size, budget) = (self.block_size(), self.budget);
        let (mut instances, mut hulls) = (Vec::new(), Vec::new());
        let mut all = UnionSet::parse(&self.front_of_block(fronts, level, size), budget)?;
        for outer in 0..level {
            all = all.subtract(&UnionSet::parse(&self.front_of_block(fronts, outer, size), budget)?, budget)?;
        }
        for front in fronts {
            let domain = &self.program.domains[front.statement];
            let first = all.extract(domain.space()).align_params(domain.space());
            instances.push((front.statement, domain.intersect(&first, budget)?));
            if !front.dims.is_empty() {
                hulls.push((front.statement, self.without_bounds(front, level)?));
            }
        }
        let program = self.program.with_domains(hulls);
        let dependences = dependences_between(self.dependences, self.program, &instances, (*index, size), budget)?;
        let region = self.region.part(self.scop.statements.len(), in_front, Some((*index, size)));
        let mut search =
            Search { program: &program, dependences: &dependences, region, is_careful: false, ..self.clone() };
        let known = search.applied.len();
        let Some(inside) = only(part, &statements_in(fronts)) else { return Ok(false) };
        search.sequence(std::slice::from_ref(&inside), around, above + 1)?;
        let gains = search.has_register_tile(known);
        self.take(search);
        Ok(gains)
    }

    /// The domain of a statement without the bounds that say that a dimension stays in front of the row, or of those dimensions that do as well.
    fn without_bounds(&self, front: &Front, level: usize) -> Result<Set, Failure> {
        let own = front.dims[level];
        let pairs: Vec<(usize, usize)> =
            front.dims[..level].iter().chain([&front.row]).map(|outer| (*outer, own)).collect();
        Ok(hull(&self.program.domains[front.statement], &pairs, self.budget)?)
    }

    /// The loops around a statement inside of one of them.
    fn loops_inside(&self, statement: usize, index: usize) -> &[usize] {
        let around = &self.program.around[statement];
        let outside = around.iter().take_while(|l| **l != index).count();
        around.get(outside + 1..).unwrap_or_default()
    }

    /// The dimensions of a statement that are always less than the counter of a loop around it; nothing if there are none.
    fn front(&self, statement: usize, index: usize) -> Result<Option<Front>, Failure> {
        let Some(row) = self.program.dim(statement, index) else { return Ok(None) };
        let (domain, mut dims) = (&self.program.domains[statement], Vec::new());
        for dim in self.loops_inside(statement, index).iter().filter_map(|l| self.program.dim(statement, *l)) {
            let behind = domain.compare_dims(DimKind::Out, dim, Comparison::Ge, DimKind::Out, row)?;
            if behind.is_empty(self.budget)? {
                dims.push(dim);
            }
        }
        Ok((!dims.is_empty()).then_some(Front { statement, dims, row }))
    }

    /// Adds the statements that have to come first as a whole: something that does depends on them in the same block. In the order of the program.
    fn add_beginnings(
        &self,
        fronts: &mut Vec<Front>,
        statements: &[usize],
        (index, size): (usize, i64),
    ) -> Result<(), Failure> {
        let budget = self.budget;
        loop {
            let first = UnionSet::parse(&self.front_of_block(fronts, 0, size), budget)?;
            let is_first = |statement: usize| fronts.iter().any(|front| front.statement == statement);
            let mut instances = Vec::new();
            for &statement in statements {
                let domain = &self.program.domains[statement];
                let first = first.extract(domain.space()).align_params(domain.space());
                let own = if is_first(statement) { domain.intersect(&first, budget)? } else { domain.clone() };
                instances.push((statement, own));
            }
            let found = dependences_between(self.dependences, self.program, &instances, (index, size), budget)?;
            let leads_in = |d: &&Dependence| is_first(d.sink) && !is_first(d.source);
            let Some(statement) = found.merged.iter().find(leads_in).map(|d| d.source) else { return Ok(()) };
            let Some(row) = self.program.dim(statement, index) else { return Ok(()) };
            fronts.push(Front { statement, dims: Vec::new(), row });
            fronts.sort_by_key(|front| statements.iter().position(|s| *s == front.statement));
        }
    }

    /// The instances of some statements in front of their block, by the first, second, ... of the dimensions that stay in front of the row.
    fn front_of_block(&self, fronts: &[Front], level: usize, size: i64) -> String {
        let one = |front: &Front| {
            let own = self.instance(front.statement);
            match front.dims.get(level) {
                Some(dim) => format!("{own} : i{dim} < {size}*floor(i{}/{size})", front.row),
                None => own,
            }
        };
        let all: Vec<String> = fronts.iter().map(one).collect();
        format!("{{ {} }}", all.join("; "))
    }
}

fn statements_in(fronts: &[Front]) -> Vec<usize> {
    fronts.iter().map(|front| front.statement).collect()
}
