//! Which loops are unrolled and jammed (see the pass `jam`)?
//!
//! In `for i: { s = 0; for j: s += A[i][j] * x[j]; y[i] = s; }` every addition waits for the one before it, some four cycles, in which the
//! processor could do eight of them. The order of a sum must stay, so the compiler does not make vectors of it. But the sums of eight
//! rows do not wait for each other: with eight iterations of `i` inside the loop over `j` they run side by side, and every number keeps
//! its bits. (Measured, `y = A x` in cache on one core: 1.9x with 32 columns, 3.4x with 128, 4.8x with 512; in memory 2.4x.)
//!
//! A loop is jammed into the innermost loops of its body if
//! - one of those carries a *chain*: a statement reads the element that it has written one iteration before, and the operations in between
//!   are slow enough to wait for;
//! - iterations of the jammed loop have chains of their own;
//! - the bounds of inner loops do not depend on the jammed loop, so that blocks of its iterations are whole.
//!
//! How many iterations, and how long the inner loop must be at least, is up to the [strategy](Strategy). Measured: with 16 columns `y = A x`
//! gains 1.3x if everything is in the first cache, with 8 it loses; 16 vector registers hold the sums of eight rows and what they are made
//! of, and longer bodies and more chains take fewer rows. Where a chain divides, divisions are what all wait for, and a chain of them is
//! only twice as slow: the tridiagonal systems of alternating directions lose a tenth with 38 rows and gain 2x with 58.
//!
//! What has no element of its own (`s`) gets copies first (see [`super::expansion`]). Nothing here decides whether that is legal: the
//! draft is checked.

use crate::affine::{Aff, MultiAff};
use crate::arith::Int;
use crate::flow::AccessKind;
use crate::schedule::{Cursor, Instances, Node};
use crate::scop::{Access, Chain, ElementKind, OperationKind, Scop, Statement, Storage};
use crate::space::DimKind;
use crate::transform::{Need, Value};

use super::program::{Part, Program, is_innermost, statements_of};
use super::search::Search;
use super::{Failure, Strategy, Transformation};

/// The longest distance, in iterations of the inner loop, along which a chain is looked for.
const FAR: i64 = 4;

/// How a loop is jammed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Jam {
    /// How many of its iterations.
    pub factor: i64,
    /// The inner loop that carries the chain.
    pub inner: usize,
    /// How often that loop must run at least.
    pub long: u64,
}

/// Whether the loop `index` around `body` gains. `private` are scalars that could have a copy for each iteration of that loop. Where loops are permuted already,
/// sums may also be over elements of the row that they are stored in (`x[i][j] -= x[i][k] * u[k][j]`): they are stored in every iteration anyway, since
/// the compiler does not see that no element that is stored is loaded again. (A Cholesky factorisation in the order of the program with such sums: 0.9 of the speed.)
pub(super) fn gains(
    scop: &Scop,
    program: &Program,
    (index, body): (usize, &[Part]),
    (private, is_permuted): (&[usize], bool),
    strategy: &Strategy,
) -> Option<Jam> {
    let flat = |part: &Part| match part {
        Part::Statement(_) => true,
        Part::Loop { body, .. } => is_innermost(body),
    };
    let statements = statements_of(body);
    if !body.iter().all(flat) || !statements.iter().all(|s| program.is_rectangular(*s, index)) {
        return None;
    }
    let mut best: Option<(usize, usize)> = None;
    for part in body {
        let Part::Loop { index: inner, body } = part else { continue };
        let mut chains = 0;
        for s in statements_of(body) {
            let (outer, along) = (program.dim(s, index)?, program.dim(s, *inner)?);
            let own = Carried { scop, statement: &scop.statements[s], private, is_permuted, outer, along };
            chains += own.count()?;
        }
        if chains > best.map_or(0, |(most, _)| most) {
            best = Some((chains, *inner));
        }
    }
    let (chains, inner) = best?;
    let of_statement = |s: &usize| {
        let statement = &scop.statements[*s];
        let operations = statement.operations.iter().map(|operation| operation.times as usize).sum::<usize>();
        operations + statement.accesses.iter().filter(|access| scop.memory_of(access).is_some()).count()
    };
    let work: usize = statements.iter().map(of_statement).sum();
    let fits = |number: usize, most: i64| i64::try_from(number).is_ok_and(|number| number <= most);
    let mut limits = strategy.factors.iter().zip(strategy.operations.iter().zip(&strategy.chains));
    let (factor, _) = limits.find(|(_, (operations, most))| fits(work, **operations) && fits(chains, **most))?;
    let divides = statements.iter().flat_map(|s| &scop.statements[*s].operations).any(|operation| {
        matches!(operation.kind, OperationKind::Divide | OperationKind::Remainder | OperationKind::SquareRoot)
    });
    Some(Jam { factor: *factor, inner, long: if divides { strategy.divide } else { strategy.long } })
}

/// The chains of a statement along the dimension `along`, seen from different values of the dimension `outer`.
struct Carried<'s> {
    scop: &'s Scop,
    statement: &'s Statement,
    private: &'s [usize],
    is_permuted: bool,
    outer: usize,
    along: usize,
}

impl Carried<'_> {
    /// How many chains make the loop wait; nothing if the chains of different iterations of the outer loop wait for each other.
    fn count(&self) -> Option<usize> {
        let (mut slow, mut across) = (0, false);
        let stores = self.statement.accesses.iter().any(|access| {
            let moves = |rows: Vec<Aff>| rows.iter().any(|row| row.involves(DimKind::Out, self.along, 1));
            access.kind != AccessKind::Read && access.subscripts().is_none_or(moves)
        });
        for chain in &self.statement.chains {
            let (from, to) = (&self.statement.accesses[chain.from], &self.statement.accesses[chain.to]);
            let array = self.scop.array_of(to)?;
            if self.scop.array_of(from) != Some(array) {
                continue;
            }
            let way = match self.scop.arrays[array].storage {
                Storage::Scalar if self.private.contains(&array) => Way::Along,
                Storage::Scalar => Way::Across,
                _ => self.way(from, to)?,
            };
            across |= way == Way::Across;
            let reduction = self.statement.reduction.as_ref();
            let in_any_order = reduction.is_some_and(|own| (own.read, own.write) == (chain.from, chain.to));
            // Behind a branch that is predicted nothing waits.
            let waits = !in_any_order && !self.statement.branches && is_slow(chain, stores);
            slow += usize::from(way == Way::Along && waits);
        }
        (slow == 0 || !across).then_some(slow)
    }

    /// From where to where a value in memory goes that an instance reads and the same statement has written; nothing if that is not plain.
    fn way(&self, from: &Access, to: &Access) -> Option<Way> {
        let (from, to) = (from.subscripts()?, to.subscripts()?);
        let distances: Option<Vec<Int>> =
            from.iter().zip(&to).map(|(from, to)| from.sub(to).ok()?.constant_value()).collect();
        let Some(distances) = distances else {
            return (self.is_permuted && self.is_of_own_row(&from, &to)).then_some(Way::Nowhere);
        };
        let moves = |dim: usize| to.iter().map(|row| row.coefficient(DimKind::Out, dim)).collect::<Vec<Int>>();
        let (outer, along) = (moves(self.outer), moves(self.along));
        let leads_back = |far: i64| {
            let far = Int::from(far);
            distances.iter().zip(&along).all(|(distance, step)| *distance == -&(step * &far))
        };
        Some(match outer.iter().all(Int::is_zero) {
            true => Way::Across,
            false if (1..=FAR).any(leads_back) => Way::Along,
            false if distances.iter().all(Int::is_zero) => Way::Nowhere,
            false => Way::Across,
        })
    }

    /// Whether an iteration of the outer loop has, of what is read and what is written, rows of its own: `x[i][k]` and `x[i][j]`.
    fn is_of_own_row(&self, from: &[Aff], to: &[Aff]) -> bool {
        let n = self.statement.domain.space().dim(DimKind::Out);
        let is_own = |row: &Aff| {
            let mut others = (0..n).filter(|dim| *dim != self.outer);
            let steps = row.divs().is_empty() && !row.coefficient(DimKind::Out, self.outer).is_zero();
            steps && !others.any(|dim| row.involves(DimKind::Out, dim, 1))
        };
        from.iter().zip(to).any(|(from, to)| from == to && is_own(from))
    }
}

/// Where a value goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Way {
    /// To a later iteration of the inner loop, in the same one of the outer loop.
    Along,
    /// Perhaps to another iteration of the outer loop.
    Across,
    /// To no other iteration of these loops.
    Nowhere,
}

/// Whether waiting for the operations of a chain takes longer than doing all that an instance does. An addition is done about as soon as a
/// number is stored. (Measured: prefix sums of rows gain 0.96x to 1.2x, the same with a factor before the addition 2x to 2.5x.)
fn is_slow(chain: &Chain, stores: bool) -> bool {
    let is_single = chain.through.iter().map(|operation| operation.times).sum::<u32>() == 1;
    chain.through.iter().any(|operation| {
        let is_float = operation.element.kind == ElementKind::Float;
        match operation.kind {
            OperationKind::Multiply | OperationKind::MultiplyAdd => true,
            OperationKind::Add => is_float && !(stores && is_single),
            OperationKind::MinMax | OperationKind::Compare | OperationKind::Select => is_float,
            _ => false,
        }
    })
}

impl Search<'_, '_> {
    /// Jams the loop `index` around `body`, at the band `band` of its statements, if that gains and is legal.
    pub(super) fn jammed(&mut self, index: usize, body: &[Part], band: usize) -> Result<(), Failure> {
        let Some(jam) =
            gains(self.scop, self.program, (index, body), (&[], self.region.is_permuted()), &self.options.strategy)
        else {
            return Ok(());
        };
        let (draft, before) = (self.draft.clone(), self.applied.len());
        let tile = ("tile", [("sizes", Value::list([jam.factor]))]);
        let statements = statements_of(body);
        if statements.iter().any(|s| !self.program.begins_with(*s, index).is_empty()) {
            self.normalised(self.site(statements[0], band))?;
        }
        let is_there = self.jam_at(index, body, band, jam, tile)?;
        if !is_there || !self.may_stay()? {
            self.draft = draft;
            self.applied.truncate(before);
        }
        Ok(())
    }

    /// The statements of inner loops whose iterations do not depend on each other, and of the other inner loops: the first ones are better as vectors than any
    /// chains side by side. (Rows divided by their sums: 0.81x with the divisions of eight rows side by side.) Unless the rows share what is stored: `y[j]` of
    /// `for j: y[j] += A[i][j] * t` is loaded and stored once for eight rows if they are inside the loop over `j`.
    fn whole_and_waiting(&self, index: usize, body: &[Part]) -> Result<[Vec<usize>; 2], Failure> {
        let (mut whole, mut waiting) = (Vec::new(), Vec::new());
        for part in body {
            let Part::Loop { index: inner, body } = part else { continue };
            let statements = statements_of(body);
            let around = self.program.around[statements[0]].iter().copied();
            let around: Vec<usize> = around.take_while(|l| *l != index).chain([index]).collect();
            let relevant = self.between(&statements, &around)?;
            let shared = || statements.iter().any(|s| self.shares_store(*s, index));
            let stays = !self.carries(&relevant, &[*inner])?.contains(&true) && !shared();
            if stays { &mut whole } else { &mut waiting }.extend(statements);
        }
        Ok([whole, waiting])
    }

    /// Whether a statement has instances that are as far apart along a loop as the first and the last one of a block.
    fn fills(&self, statement: usize, index: usize, block: i64) -> Result<bool, Failure> {
        let Some(dim) = self.program.dim(statement, index) else { return Ok(false) };
        let domain = &self.scop.statements[statement].domain;
        let last = Aff::var(domain.space().clone(), dim)?.add_constant(&Int::from(block - 1));
        let moved = MultiAff::identity(domain.space())?.with_component(dim, &last)?;
        let firsts = domain.intersect(&domain.preimage(&moved, self.budget)?, self.budget)?;
        Ok(!firsts.intersect_params(&self.scop.context, self.budget)?.is_empty(self.budget)?)
    }

    /// The positions of loops that stay whole in the sequence below the band of blocks. That sequence may be shorter than the body, or not be there: a part
    /// that runs in the first iteration alone is in no block.
    fn positions(&self, at: (usize, usize), whole: &[usize], waiting: &[usize]) -> Result<Vec<i64>, Failure> {
        let band = self.draft.band_at(&self.site(at.0, at.1))?;
        let has = |instances: &Instances, statements: &[usize]| {
            statements.iter().any(|s| instances.get(&self.scop.statements[*s].name).is_some())
        };
        let stays = |part: &Cursor| match part.node() {
            Node::Filter(instances, _) => has(instances, whole) && !has(instances, waiting),
            _ => false,
        };
        let parts = band.children().first().map_or_else(Vec::new, Cursor::children);
        Ok((0..).zip(&parts).filter(|(_, part)| stays(part)).map(|(position, _)| position).collect())
    }

    /// Whether all iterations of a loop load and store the same elements by a statement.
    fn shares_store(&self, statement: usize, index: usize) -> bool {
        let Some(dim) = self.program.dim(statement, index) else { return false };
        let accesses = &self.scop.statements[statement].accesses;
        let fixed = |access: &Access| {
            let rows = access.subscripts()?;
            let stays =
                self.scop.memory_of(access).is_some() && !rows.iter().any(|row| row.involves(DimKind::Out, dim, 1));
            stays.then_some((self.scop.array_of(access)?, rows))
        };
        let of = |kind: AccessKind| accesses.iter().filter(move |access| access.kind == kind).filter_map(fixed);
        of(AccessKind::MustWrite).any(|stored| of(AccessKind::Read).any(|loaded| loaded == stored))
    }

    /// Jams a loop: blocks of its iterations first, the step that makes a band of blocks above them, then the pass. Whether some inner
    /// loop that fills blocks waits, and there are blocks at all.
    pub(super) fn jam_at(
        &mut self,
        index: usize,
        body: &[Part],
        band: usize,
        jam: Jam,
        blocks: (&str, [(&'static str, Value); 1]),
    ) -> Result<bool, Failure> {
        let [whole, all_waiting] = self.whole_and_waiting(index, body)?;
        let mut waiting = Vec::new();
        for statement in all_waiting {
            if self.fills(statement, index, jam.factor)? {
                waiting.push(statement);
            }
        }
        // What looked like a chain leads to no other iteration: in `for i = 1 to 1` nothing waits for `a[1]`.
        let Some(&first) = waiting.first() else { return Ok(false) };
        if !self.blocks((first, band), jam.factor, blocks)? {
            return Ok(false);
        }
        let positions = self.positions((first, band + 1), &whole, &waiting)?;
        let positions = (!positions.is_empty()).then(|| ("whole", Value::list(positions)));
        self.step("jam", (first, band + 1), positions)?;
        let (loops, jammed) = (vec![index, jam.inner], Some(jam.factor));
        let statements = statements_of(body);
        let nest = Transformation { loops, order: vec![0, 1], statements, jammed, ..Transformation::default() };
        // A block of a nest gains elsewhere, where loops are long. Where they are short there is only another order, and that is no worse if iterations run
        // side by side at all. (Solution from the right, 30 columns: 0.8 of the speed of the program one by one, 1.0 side by side.)
        let need = match self.region.is_permuted() {
            true => Need::at_least(index, jam.factor.unsigned_abs()),
            false => Need::at_least(jam.inner, jam.long),
        };
        self.done(nest, Some(need))?;
        Ok(true)
    }
}
