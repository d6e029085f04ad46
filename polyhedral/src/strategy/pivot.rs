//! Which nests change all rows of an array with one of them, step by step, so that they are cut into blocks of steps?
//!
//! In Gauss-Jordan elimination the step `k` scales row `k` and takes a multiple of it from *all* other rows, also those in front of it. So there is no triangle
//! whose rows are done after a block of steps ([`super::block`]): row `k` itself is changed again in the next step. But what the other rows need of it is the row
//! as it is in step `k`, and that can be saved. Then all but the rows, and the columns, of a block of steps can wait until the block is done, and is a
//! product of matrices:
//!
//! ```text
//! for k:                                       for blocks K of 32 steps:
//!   S: for j: A[k][j] /= A[k][k]                 for k in K:
//!   T: for i != k, j:                              S: for j: A[k][j] /= A[k][k]
//!        A[i][j] -= A[i][k] * A[k][j]     =>       for j: saved[k][j] = A[k][j]
//!                                                  T: for i in K or j in K: A[i][j] -= A[i][k] * saved[k][j]
//!                                                T: for i and j not in K, k in K: A[i][j] -= A[i][k] * saved[k][j]
//! ```
//!
//! A nest is cut if some statement (`T`) in two loops inside of the one over steps writes elements of which one subscript is the counter of the loop over
//! rows, and reads others of the array at the counter of the steps there. A scalar that has its value in one step, or in one row of a step, gets a place for each.
//! The nest stays so if what waits gets a register tile. Nothing here decides whether that is legal: the draft is checked.
//!
//! G. Peters, J. Wilkinson, "On the Stability of Gauss-Jordan Elimination with Pivoting", CACM 1975 (the algorithm); the copies are those of node splitting: D. Kuck, R.
//! Kuhn, B. Leasure, M. Wolfe, "The Structure of an Advanced Retargetable Vectorizer", 1980.

use std::cell::OnceCell;

use crate::affine::Aff;
use crate::arith::Int;
use crate::count::UnionPwQPolynomial;
use crate::flow::AccessKind;
use crate::relation::UnionSet;
use crate::scop::{Access, Array, Scop, Storage};
use crate::space::DimKind;
use crate::transform::{Need, Value};

use super::Failure;
use super::program::{Part, only, statements_of};
use super::region::{dependences_between, hull};
use super::scratch::with_iteration;
use super::search::Search;

/// A statement that changes all rows of an array with one of them.
struct Update {
    statement: usize,
    array: usize,
    /// The reads of the row of the step.
    reads: Vec<usize>,
    /// The dimensions that count steps and rows.
    step: usize,
    row: usize,
    /// The dimension inside that counts columns, and what its subscript adds, where columns are counted by steps elsewhere.
    column: Option<(usize, Int)>,
    /// The row that a step reads, and the one that is written, as distances from the counters.
    distances: (Int, Int),
}

/// A scalar that has a place for each iteration of these loops, the steps first.
struct Saved {
    scalar: usize,
    loops: Vec<usize>,
}

impl Search<'_, '_> {
    /// Cuts a nest into blocks of iterations of its outermost loop, of which only their own rows and columns are computed step by step, if the rest gains.
    pub(super) fn cut_steps(&mut self, part: &Part, around: &[usize], above: usize) -> Result<(), Failure> {
        let Part::Loop { index, .. } = part else { return Ok(()) };
        let (size, statements) = (self.block_size(), statements_of(std::slice::from_ref(part)));
        let mut updates = Vec::new();
        for statement in &statements {
            updates.extend(self.update(*statement, *index, &statements)?);
        }
        // Scalars that have a copy for each point of a tile want tiles of another kind.
        let is_inside = |l: &usize| statements.iter().any(|statement| self.program.around[*statement].contains(l));
        let has_copies = self.copies.iter().any(|copies| copies.chain.iter().any(is_inside));
        if updates.is_empty() || !self.options.packing || has_copies {
            return Ok(());
        }
        self.share_columns(&mut updates);
        let late: Vec<usize> = updates.iter().map(|update| update.statement).collect();
        let (draft, before, used) = (self.draft.clone(), self.applied.len(), self.used);
        self.step("tile", (late[0], above), [("sizes", Value::list([size]))])?;
        let scalars = self.scalars_of_steps(&updates, *index, (above + 1, size))?;
        let (Some(scalars), true) = (scalars, self.save_rows(&updates, above)?) else {
            self.draft = draft;
            return Ok(());
        };
        let first = self.first_in_block(&updates, &statements, size);
        if !self.split_off(&late, above + 1, format!("{{ {first} }}"))? {
            self.draft = draft;
            return Ok(());
        }
        let gains = self.search_rest(part, (&updates, &scalars), &first, (around, above))?;
        if !gains || !self.may_stay()? {
            (self.draft, self.used) = (draft, used);
            self.applied.truncate(before);
            return Ok(());
        }
        for nest in &mut self.applied[before..] {
            nest.packed.extend(updates.iter().map(|update| update.array));
            nest.packed.sort_unstable();
            nest.packed.dedup();
        }
        // Where rows are in the inner loop, that of columns begins with the step, and what is left of it for vectors is short. (Doubles, AVX-512, column by column:
        // 0.7 of the speed with 66 rows, 1.1 with 129; row by row 2.3 with 66.)
        let is_by_rows = updates.iter().all(|update| {
            let inside = self.program.around[update.statement].iter().skip_while(|l| **l != *index).nth(1);
            inside.and_then(|l| self.program.dim(update.statement, *l)) == Some(update.row)
        });
        self.needs(Need::at_least(*index, if is_by_rows { 2 } else { 4 } * size.unsigned_abs()))
    }

    /// How a statement changes all rows of an array with one of them in each iteration of a loop, if it does.
    fn update(&self, statement: usize, index: usize, statements: &[usize]) -> Result<Option<Update>, Failure> {
        let around = &self.program.around[statement];
        let inside = around.iter().skip_while(|l| **l != index).skip(1);
        let inside: Vec<usize> = inside.filter_map(|l| self.program.dim(statement, *l)).collect();
        let own = &self.scop.statements[statement].accesses;
        let mut writes = own.iter().filter(|access| access.kind != AccessKind::Read);
        let (Some(write), None, 2..) = (writes.next(), writes.next(), inside.len()) else { return Ok(None) };
        let step = self.program.dim(statement, index);
        let (Some(step), Some(array), Some(written)) = (step, self.scop.array_of(write), write.subscripts()) else {
            return Ok(None);
        };
        let reads_array =
            |access: &Access| access.kind == AccessKind::Read && self.scop.array_of(access) == Some(array);
        for access in own.iter().filter(|access| reads_array(access)) {
            let Some(subscripts) = access.subscripts() else { continue };
            let pairs = written.iter().zip(&subscripts);
            let mut different = pairs.enumerate().filter(|(_, (write, read))| write != read);
            let (Some((position, (to, from))), None) = (different.next(), different.next()) else { continue };
            let (Some((row, to)), Some((counter, from))) = (counter_of(to), counter_of(from)) else { continue };
            let others = written.iter().enumerate().filter(|(other, _)| *other != position);
            let stays = |aff: &Aff| !aff.involves(DimKind::Out, row, 1) && !aff.involves(DimKind::Out, step, 1);
            if counter != step || !inside.contains(&row) || !others.clone().all(|(_, aff)| stays(aff)) {
                continue;
            }
            if !self.is_written_later((statement, index), access, statements)? {
                continue;
            }
            let mut columns = others.filter_map(|(at, aff)| {
                let (dim, added) = counter_of(aff)?;
                let steps = self.steps_of_columns(statements, index, (array, at))?;
                inside.contains(&dim).then_some((dim, steps - added))
            });
            let (column, None) = (columns.next(), columns.next()) else { return Ok(None) };
            let is_of_row = |access: &Access| {
                let subscripts = access.subscripts().unwrap_or_default();
                let of_step = subscripts.get(position).and_then(counter_of) == Some((step, from.clone()));
                of_step && subscripts.iter().all(|aff| !aff.involves(DimKind::Out, row, 1))
            };
            let reads = own.iter().enumerate().filter(|(_, access)| reads_array(access) && is_of_row(access));
            let reads = reads.map(|(number, _)| number).collect();
            return Ok(Some(Update { statement, array, reads, step, row, column, distances: (from, to) }));
        }
        Ok(None)
    }

    /// What is in one loop over columns waits together: `A[i][j] -= f * A[k][j]; B[i][j] -= f * B[k][j]`, though nobody counts columns of `B` by steps. (Measured,
    /// with other columns each, 600 rows of doubles: 0.3 of the speed of the program, as all iterations ask which one has to wait.)
    fn share_columns(&self, updates: &mut [Update]) {
        let around = |update: &Update| self.program.around[update.statement].clone();
        let counted: Vec<(Vec<usize>, usize, Int)> = updates
            .iter()
            .filter_map(|update| {
                let (dim, added) = update.column.clone()?;
                let own = around(update);
                let counter = own.iter().copied().find(|l| self.program.dim(update.statement, *l) == Some(dim))?;
                Some((own, counter, added))
            })
            .collect();
        for update in updates.iter_mut().filter(|update| update.column.is_none()) {
            let shared = counted.iter().find(|(own, ..)| *own == around(update));
            update.column = shared.and_then(|(_, counter, added)| {
                self.program.dim(update.statement, *counter).map(|dim| (dim, added.clone()))
            });
        }
    }

    /// Whether something writes what a statement has read in an earlier iteration of a loop.
    fn is_written_later(
        &self,
        (statement, index): (usize, usize),
        read: &Access,
        statements: &[usize],
    ) -> Result<bool, Failure> {
        let of = |statement: usize, access: &Access| {
            access.relation.intersect_domain(&self.program.domains[statement], self.budget)
        };
        let read = of(statement, read)?;
        for (other, write) in self.accesses_of(statements) {
            let is_it =
                write.kind != AccessKind::Read && write.relation.space().range_tuple() == read.space().range_tuple();
            let steps = (self.program.dim(statement, index), self.program.dim(other, index));
            let (true, (Some(before), Some(after))) = (is_it, steps) else { continue };
            let pairs = read.apply_range(&of(other, write)?.reverse(), self.budget)?;
            if !pairs.order_lt(before, after)?.is_empty(self.budget)? {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// By how much a subscript of an array differs from the counter of a loop in all accesses where that counts it; nothing if there are none.
    fn steps_of_columns(&self, statements: &[usize], index: usize, (array, at): (usize, usize)) -> Option<Int> {
        let mut found = None;
        for (statement, access) in self.accesses_of(statements) {
            if self.scop.array_of(access) != Some(array) {
                continue;
            }
            let subscripts = access.subscripts()?;
            if let Some((dim, added)) = subscripts.get(at).and_then(counter_of)
                && self.program.dim(statement, index) == Some(dim)
                && *found.get_or_insert(added.clone()) != added
            {
                return None;
            }
        }
        found
    }

    /// Gives the scalars that updates read a place for each step of a block, and for each row where they have a value for each: with the loops that they have places for.
    /// Nothing if there are others.
    fn scalars_of_steps(
        &mut self,
        updates: &[Update],
        index: usize,
        (band, size): (usize, i64),
    ) -> Result<Option<Vec<Saved>>, Failure> {
        let (mut known, mut found) = (Vec::new(), Vec::new());
        for update in updates {
            for access in &self.scop.statements[update.statement].accesses {
                let Some(array) = self.scop.array_of(access) else { return Ok(None) };
                if self.scop.arrays[array].storage != Storage::Scalar || known.contains(&array) {
                    continue;
                }
                known.push(array);
                // The loops around all who touch it, from that over steps on.
                let mut common: Option<Vec<usize>> = None;
                let mut is_written = false;
                for (s, statement) in self.scop.statements.iter().enumerate() {
                    for other in statement.accesses.iter().filter(|other| self.scop.array_of(other) == Some(array)) {
                        is_written |= other.kind != AccessKind::Read;
                        let own = self.program.around[s].iter().skip_while(|l| **l != index).copied();
                        let shared = |known: &Vec<usize>| {
                            known.iter().copied().zip(own.clone()).take_while(|(a, b)| a == b).count()
                        };
                        common = Some(match common {
                            Some(known) => known[..shared(&known)].to_vec(),
                            None => own.collect(),
                        });
                    }
                }
                if !is_written {
                    continue;
                }
                let common = common.unwrap_or_default();
                let depth = common.len();
                let places: Vec<i64> =
                    std::iter::once(size).chain(std::iter::repeat_n(0, depth.saturating_sub(1))).collect();
                let name = Value::Name(self.scop.arrays[array].name.clone());
                let outer = Value::Integer(i64::try_from(depth.saturating_sub(1)).unwrap_or(i64::MAX));
                let arguments = [("array", name), ("sizes", Value::list(places)), ("outer", outer)];
                if depth == 0 || !self.takes("privatise", (update.statement, band + depth - 1), arguments)? {
                    return Ok(None);
                }
                found.push(Saved { scalar: array, loops: common });
            }
        }
        Ok(Some(found))
    }

    /// Saves the row of each step where updates read it; false if that is not possible.
    fn save_rows(&mut self, updates: &[Update], above: usize) -> Result<bool, Failure> {
        for update in updates {
            let accesses = &self.scop.statements[update.statement].accesses;
            let name = &self.scop.arrays[update.array].name;
            // What has subscripts of its own has a buffer of its own.
            let mut left = update.reads.clone();
            while let Some(&first) = left.first() {
                let same: Vec<usize>;
                (same, left) = left
                    .into_iter()
                    .partition(|read| accesses[*read].relation.is_plainly_equal(&accesses[first].relation));
                let reads = Value::list(same.into_iter().map(|read| i64::try_from(read).unwrap_or(i64::MAX)));
                let array = ("array", Value::Name(name.clone()));
                let arguments = [array, ("accesses", reads), ("inside", Value::Integer(1))];
                if !self.takes("pack", (update.statement, above), arguments)? {
                    return Ok(false);
                }
            }
        }
        Ok(true)
    }

    /// What comes first in a block of so many steps, in isl notation: the rows and columns of the block, all that updates nothing, and copies.
    fn first_in_block(&self, updates: &[Update], statements: &[usize], size: i64) -> String {
        let in_block = |dim: usize, step: usize, added: &Int| {
            let start = format!("{size}*floor(i{step}/{size}) + {added}");
            format!("{start} <= i{dim} < {start} + {size}")
        };
        let one = |statement: usize| {
            let own = self.instance(statement);
            let Some(update) = updates.iter().find(|update| update.statement == statement) else { return own };
            let (from, to) = &update.distances;
            let mut first = vec![in_block(update.row, update.step, &(from - to))];
            first.extend(update.column.iter().map(|(dim, added)| in_block(*dim, update.step, added)));
            format!("{own} : {}", first.join(" or "))
        };
        let copies = self.draft.placement().copies.iter().map(|copy| {
            let dims: Vec<String> = (0..copy.element.space().dim(DimKind::In)).map(|dim| format!("c{dim}")).collect();
            format!("{}[{}]", copy.statement, dims.join(", "))
        });
        statements.iter().map(|s| one(*s)).chain(copies).collect::<Vec<_>>().join("; ")
    }

    /// Looks at what waits until a block is done; whether something in it gets a register tile.
    fn search_rest(
        &mut self,
        part: &Part,
        (updates, scalars): (&[Update], &[Saved]),
        first: &str,
        (around, above): (&[usize], usize),
    ) -> Result<bool, Failure> {
        let Part::Loop { index, .. } = part else { return Ok(false) };
        let (size, budget) = (self.block_size(), self.budget);
        let first = UnionSet::parse(&format!("{{ {first} }}"), budget)?;
        let (mut instances, mut hulls, mut late) = (Vec::new(), Vec::new(), Vec::new());
        for update in updates {
            let domain = &self.program.domains[update.statement];
            let own = first.extract(domain.space()).align_params(domain.space());
            instances.push((update.statement, domain.subtract(&own, budget)?));
            let pairs: Vec<(usize, usize)> = [update.row]
                .into_iter()
                .chain(update.column.iter().map(|(dim, _)| *dim))
                .map(|dim| (update.step, dim))
                .collect();
            hulls.push((update.statement, hull(&domain.simple_hull(budget)?, &pairs, budget)?));
            late.push(update.statement);
        }
        let scop = self.with_saved(updates, scalars)?;
        let program = self.program.with_domains(hulls);
        let dependences = dependences_between(self.dependences, self.program, &instances, (*index, size), budget)?;
        let region = self.region.part(self.scop.statements.len(), &late, Some((*index, size))).with_saved_rows();
        let Some(inside) = only(part, &late) else { return Ok(false) };
        let mut search = Search {
            scop: &scop,
            program: &program,
            dependences: &dependences,
            region,
            is_careful: false,
            live_ranges: OnceCell::new(),
            ..self.clone()
        };
        let known = search.applied.len();
        search.sequence(std::slice::from_ref(&inside), around, above + 1)?;
        let gains = search.has_register_tile(known);
        self.take(search);
        Ok(gains)
    }

    /// The same SCoP where updates read the rows of steps, and scalars, from arrays that nobody writes: what decisions are made with.
    fn with_saved(&self, updates: &[Update], scalars: &[Saved]) -> Result<Scop, Failure> {
        let mut new = self.scop.clone();
        let add = |new: &mut Scop, array: Array| -> String {
            let name = format!("{}_of_steps_{}", array.name, new.arrays.len());
            new.arrays.push(Array { name: name.clone(), ..array });
            name
        };
        for Update { statement, array, reads, .. } in updates {
            let name = add(&mut new, self.scop.arrays[*array].clone());
            for read in reads {
                let access = &mut new.statements[*statement].accesses[*read];
                access.relation = access.relation.with_tuple_name(DimKind::Out, &name);
            }
        }
        for Saved { scalar, loops } in scalars {
            // Nobody asks how far apart they are.
            let unknown = UnionPwQPolynomial::empty(&self.scop.context.space().params_space());
            let sizes = vec![unknown; loops.len() - 1];
            let name = add(&mut new, Array { storage: Storage::Memory, sizes, ..self.scop.arrays[*scalar].clone() });
            for Update { statement, .. } in updates {
                let dims: Vec<usize> = loops.iter().filter_map(|l| self.program.dim(*statement, *l)).collect();
                for access in &mut new.statements[*statement].accesses {
                    if self.scop.array_of(access) != Some(*scalar) {
                        continue;
                    }
                    for dim in dims.iter().rev() {
                        access.relation = with_iteration(&access.relation, *dim, self.budget)?;
                    }
                    access.relation = access.relation.with_tuple_name(DimKind::Out, &name);
                }
            }
        }
        Ok(new)
    }
}

/// The dimension that a subscript is, but for a number that is added, and that number.
fn counter_of(subscript: &Aff) -> Option<(usize, Int)> {
    let space = subscript.space();
    let mut dims = (0..space.dim(DimKind::Out)).filter(|dim| subscript.involves(DimKind::Out, *dim, 1));
    let (Some(dim), None) = (dims.next(), dims.next()) else { return None };
    let is_plain = subscript.coefficient(DimKind::Out, dim).is_one()
        && subscript.divs().is_empty()
        && !subscript.involves(DimKind::Param, 0, space.dim(DimKind::Param));
    is_plain.then(|| (dim, subscript.constant_term().clone()))
}
