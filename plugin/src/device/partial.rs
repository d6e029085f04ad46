//! Reductions in parts that run side by side: `s = s op e` for many iterations, where `op` is associative and commutative.
//!
//! ```text
//! for i: s += a[i]       =>      for p < 65536:                       threads, in one kernel
//!                                  P[p] = 0
//!                                  for q: P[p] += a[65536 * q + p]
//!                                for r < 256:                         threads, in a second one
//!                                  R[r] = 0
//!                                  for k < 256: R[r] += P[256 * k + r]
//!                                for r < 256: s += R[r]               one thread
//! ```
//!
//! Neighbours read what is side by side in memory. Of several loops that reduce, the two innermost are shared: `P[k][r]` gets what has `k` and
//! `r` as remainders of their counters. The order of all operations is fixed, so that every run gives the same bits.
//!
//! What a statement does beside a reduction is done by another one. Which statements are reductions says `simplify`: integers always, floating-point numbers where the program allows it (`-ffast-math`,
//! `reassoc`). A part begins with what changes nothing: 0 for sums (-0.0 for floating point), 1 for products, the greatest number for minima.
//!
//! Invariants: nothing else in the loops that reduce touches the element, and all instances of the statement may run before those loops, or all
//! behind them. The element is read and written by the program, too, if there is any iteration.

use super::obstacle::Obstacle;
use super::support::bytes_of;
use crate::formula::condition::{Constraint, Dnf};
use crate::formula::poly::{Poly, Sym};
use crate::host::{Type, Value};
use crate::model::data::describe;
use crate::model::scop::{
    Access, Array, Combination, Op, Operand, Order, Reduction, Scop, Statement, Storage, statements_of,
};
use crate::model::sets::Frame;
use crate::optimise::placed::range;
use crate::reasons::Reason;
use crate::simplify::split_off;
use std::ops::Range;
use tessera_polyhedral::budget::Budget;
use tessera_polyhedral::flow::AccessKind;
use tessera_polyhedral::relation::Set;
use tessera_polyhedral::scop::Dependence;
use tessera_polyhedral::space::DimKind;

type Result<T> = std::result::Result<T, Obstacle>;

/// The most threads that add up parts: of two loops, there are twice as many parts as the square.
const MOST: u64 = 1024;

/// The most elements that get parts, each after the other, where a thread could have each of them.
const FEW: i128 = 16;

/// The most iterations that one thread is left with.
const SHORT: i128 = 1024;

/// The model with reductions in parts, and how many these are: those of the named statements, which single threads would execute, and those to a
/// few elements. `None` where there are none whose parts can be computed elsewhere. So many threads add up the parts.
pub(super) fn with_partial_results(
    scop: &Scop,
    names: &[String],
    threads: u64,
    budget: &Budget,
) -> Result<Option<(Scop, usize)>> {
    let mut split = scop.clone();
    let mut candidates = Vec::new();
    for (s, statement) in scop.statements.iter().enumerate() {
        let is_alone = names.contains(&statement.name);
        if is_alone && statement.reduction.is_some() || has_few_elements(statement, budget)? {
            candidates.push(s);
        } else if is_alone && let Some([own, rest]) = split_off(scop, statement) {
            candidates.push(split.statements.len());
            put_before(&mut split.order, s, split.statements.len());
            split.statements.push(own);
            split.statements[s] = rest;
        }
    }
    if candidates.is_empty() {
        return Ok(None);
    }
    let dependences = describe(&split, budget)?.dependences(budget)?.merged;
    let mut new = split.clone();
    let mut count = 0;
    for s in candidates {
        let Some(found) = separable(&split, &dependences, s, budget)? else { continue };
        let mut with = new.clone();
        match in_parts(&mut with, s, &found, threads.clamp(1, MOST).into(), budget) {
            Ok(()) => (new, count) = (with, count + 1),
            Err(Obstacle::Budget) => return Err(Obstacle::Budget),
            Err(_) => {}
        }
    }
    Ok((count > 0).then_some((new, count)))
}

/// A statement whose parts can be computed elsewhere.
struct Separable {
    reduction: Reduction,
    /// How many of the loops around it do not reduce.
    depth: usize,
    /// Whether its instances may all run behind the loops that reduce; else they may run before.
    is_behind: bool,
}

fn separable(scop: &Scop, dependences: &[Dependence], s: usize, budget: &Budget) -> Result<Option<Separable>> {
    let statement = &scop.statements[s];
    let Some(reduction) = statement.reduction.clone() else { return Ok(None) };
    let target = &statement.accesses[reduction.write];
    let is_element = |number: usize| number == reduction.read || number == reduction.write;
    let mut others = statement.accesses.iter().enumerate().filter(|(number, _)| !is_element(*number));
    if neutral(reduction.combination, reduction.ty).is_none()
        || others.any(|(_, access)| access.array == target.array)
        || !target.entries.is_empty()
    {
        return Ok(None);
    }
    let depth = outer_loops(statement, target);
    if known_product(statement, depth..statement.loops.len(), budget)?.is_some_and(|all| all <= SHORT) {
        return Ok(None);
    }
    let Some(body) = statement.loops.get(depth).and_then(|outermost| body_of(&scop.order, (*outermost, s))) else {
        return Ok(None);
    };
    let beside: Vec<usize> = statements_of(body).into_iter().filter(|other| *other != s).collect();
    let touches = |other: &usize| scop.statements[*other].accesses.iter().any(|access| access.array == target.array);
    if beside.iter().any(touches) {
        return Ok(None);
    }
    // Whether some instances of the others wait for those of the statement, or the other way round, while outer loops stand still.
    let mut waits = [false; 2];
    for dependence in dependences {
        let is_later = dependence.source == s && beside.contains(&dependence.sink);
        let is_earlier = dependence.sink == s && beside.contains(&dependence.source);
        if is_later || is_earlier {
            let same = (0..depth).try_fold(dependence.map.clone(), |map, dim| map.equate(dim, dim))?;
            waits[usize::from(is_earlier)] |= !same.is_empty(budget)?;
        }
    }
    Ok((waits != [true; 2]).then_some(Separable { reduction, depth, is_behind: waits[1] }))
}

/// How many of the loops around a statement do not reduce to the element of an access: up to the last one that moves it.
fn outer_loops(statement: &Statement, target: &Access) -> usize {
    let mentions = |dim: &usize| {
        let counter = Sym::Iv(statement.loops[*dim]);
        let mut polys = target.subscripts.iter().chain([&target.offset]);
        polys.any(|poly| poly.symbols().any(|symbol| symbol == counter))
    };
    (0..statement.loops.len()).rev().find(mentions).map_or(0, |dim| dim + 1)
}

/// Whether a statement reduces to a few elements only, however many iterations it has: too few for a thread each.
fn has_few_elements(statement: &Statement, budget: &Budget) -> Result<bool> {
    let Some(reduction) = &statement.reduction else { return Ok(false) };
    let depth = outer_loops(statement, &statement.accesses[reduction.write]);
    Ok(known_product(statement, 0..depth, budget)?.is_some_and(|elements| elements <= FEW))
}

/// The most values that some counters have together, if that is known.
fn known_product(statement: &Statement, dims: Range<usize>, budget: &Budget) -> Result<Option<i128>> {
    let mut product = 1i128;
    for dim in dims {
        let [Some(first), Some(last)] = range(&statement.domain, dim, budget)? else { return Ok(None) };
        product = product.saturating_mul(last - first + 1);
    }
    Ok(Some(product))
}

/// Puts a statement into an order, right before another one.
fn put_before(order: &mut Vec<Order>, s: usize, own: usize) {
    if let Some(position) = order.iter().position(|node| *node == Order::Statement(s)) {
        order.insert(position, Order::Statement(own));
    }
    for node in order {
        if let Order::Loop { body, .. } = node {
            put_before(body, s, own);
        }
    }
}

/// What stands in the loop around a statement; there may be several loops of that index.
fn body_of(order: &[Order], (index, s): (usize, usize)) -> Option<&[Order]> {
    order.iter().find_map(|node| match node {
        Order::Loop { index: own, body } if *own == index && statements_of(body).contains(&s) => Some(&body[..]),
        Order::Loop { body, .. } => body_of(body, (index, s)),
        Order::Statement(_) => None,
    })
}

/// What a part begins with: an operation with it changes nothing.
fn neutral(combination: Combination, ty: Type) -> Option<Operand> {
    let signed_most = |bits: u32| i128::MAX >> (128 - bits);
    let number = |of_bits: &dyn Fn(u32) -> i128| {
        let bits = ty.int_bits()?;
        Some(Operand::Affine(Poly::constant(of_bits(bits))?, ty))
    };
    match combination {
        Combination::Sum if ty.is_float() => ty.float_constant(-0.0).map(Operand::Invariant),
        Combination::Product if ty.is_float() => ty.float_constant(1.0).map(Operand::Invariant),
        Combination::Sum | Combination::Or | Combination::Xor | Combination::UnsignedMaximum => number(&|_| 0),
        Combination::Product => number(&|_| 1),
        Combination::And | Combination::UnsignedMinimum => number(&|_| -1),
        Combination::SignedMinimum => number(&signed_most),
        Combination::SignedMaximum => number(&|bits| -1 - signed_most(bits)),
        Combination::FloatMinimum => ty.float_constant(f64::INFINITY).map(Operand::Invariant),
        Combination::FloatMaximum => ty.float_constant(f64::NEG_INFINITY).map(Operand::Invariant),
    }
}

/// Takes the loops of a statement that reduce apart.
fn in_parts(scop: &mut Scop, s: usize, found: &Separable, columns: i128, budget: &Budget) -> Result<()> {
    let parts = Parts::new(scop, s, found, columns)?;
    let Parts { reduction, own, quotients, rows, again, inner, last, .. } = &parts;
    let (again, inner, last, write, read) = (*again, *inner, *last, AccessKind::MustWrite, AccessKind::Read);
    // The iterations of the outer loops in which there is something to reduce.
    let domain = &parts.old.domain;
    let around = domain.project_out(DimKind::Out, found.depth, parts.old.loops.len() - found.depth, budget)?;
    let around = around.coalesce(budget)?;
    let add = |scop: &mut Scop, inside: &[(usize, i128)], accesses: Vec<Access>, body: Vec<Op>| -> Result<Order> {
        let number = scop.statements.len();
        let statement = parts.added(scop, &around, number, inside, (accesses, body))?;
        scop.statements.push(statement);
        Ok(Order::Statement(number))
    };
    let neutral = neutral(reduction.combination, reduction.ty).ok_or_else(|| internal("no neutral element"))?;
    let begin = || vec![Op::Write { access: 0, value: neutral.clone() }];
    let combined = combine(&parts.old, reduction)?;
    let begin_part = add(scop, own, vec![parts.part(write, &parts.own_part())?], begin())?;
    let begin_line = add(scop, &[(inner, columns)], vec![parts.line(write, inner)?], begin())?;
    let of_line = match own[..] {
        [_] => vec![sum(&[(again, columns), (inner, 1)])?],
        _ => vec![counter(again), counter(inner)],
    };
    let accesses = vec![parts.line(read, inner)?, parts.part(read, &of_line)?, parts.line(write, inner)?];
    let add_up = add(scop, &[(inner, columns), (again, *rows)], accesses, combined.clone())?;
    let element = |number: usize| Access { is_original: false, ..parts.old.accesses[number].clone() };
    let accesses = vec![element(reduction.read), parts.line(read, last)?, element(reduction.write)];
    let end = add(scop, &[(last, columns)], accesses, combined)?;
    scop.statements[s] = parts.rewritten(scop, budget)?;

    let nest = |loops: &[usize], body: Vec<Order>| {
        loops.iter().rev().fold(body, |body, index| vec![Order::Loop { index: *index, body }])
    };
    let of_statement = nest(&[parts.between(), quotients].concat(), vec![Order::Statement(s)]);
    let of_parts = [vec![begin_part], of_statement].concat();
    let of_lines = [vec![begin_line], nest(&[again], vec![add_up])].concat();
    let nodes = [nest(&indices(own), of_parts), nest(&[inner], of_lines), nest(&[last], vec![end])].concat();
    let place = (parts.old.loops[found.depth], s);
    scop.order = beside_loop(std::mem::take(&mut scop.order), place, &nodes, found.is_behind);
    Ok(())
}

/// How the loops of a statement that reduce are taken apart.
struct Parts {
    /// The statement as it was.
    old: Statement,
    reduction: Reduction,
    /// How many of the loops around it do not reduce.
    depth: usize,
    /// How many parts a thread adds up.
    rows: i128,
    /// The counters of parts and how many values they have.
    own: Vec<(usize, i128)>,
    /// The counters of what a part goes through.
    quotients: Vec<usize>,
    /// The counters of the parts that a thread adds up, of these threads, and of what they have added up.
    again: usize,
    inner: usize,
    last: usize,
    /// What the counters that threads share are in terms of the new ones.
    counters: Vec<(usize, Poly)>,
    /// The bytes of the element.
    unit: i128,
    /// The arrays with parts, and with what threads have added up.
    arrays: [usize; 2],
}

impl Parts {
    /// Adds the arrays to the model.
    fn new(scop: &mut Scop, s: usize, found: &Separable, columns: i128) -> Result<Parts> {
        let (old, reduction, depth) = (scop.statements[s].clone(), found.reduction.clone(), found.depth);
        let reducing = &old.loops[depth..];
        let first = scop.next_loop();
        let [row, column, again, inner, last] = [first, first + 1, first + 2, first + 3, first + 4];
        let quotients: Vec<usize> = (first + 5..).take(reducing.len().min(2)).collect();
        let (rows, counters, own) = match (reducing, &quotients[..]) {
            ([only], [quotient]) => {
                let all = columns * columns;
                (columns, vec![(*only, sum(&[(*quotient, all), (column, 1)])?)], vec![(column, all)])
            }
            ([.., outer, innermost], [of_outer, of_inner]) => {
                let rows = 2 * columns;
                let outer = (*outer, sum(&[(*of_outer, rows), (row, 1)])?);
                let innermost = (*innermost, sum(&[(*of_inner, columns), (column, 1)])?);
                (rows, vec![outer, innermost], vec![(row, rows), (column, columns)])
            }
            _ => return Err(internal("a reduction without loops")),
        };
        let unit = bytes_of(reduction.ty).ok_or_else(|| internal("a reduction that is no number"))?;
        let mut buffer = |what: &str, sizes: &[i128]| -> Result<usize> {
            let name = scop.array_name(&format!("{what}_{}", old.name));
            let copies = u64::try_from(sizes.iter().product::<i128>()).map_err(|_| too_large())?;
            let array = Array::new((name.clone(), name), Storage::Buffer(reduction.ty), unit);
            let inner = sizes[1..].iter().map(|size| Poly::constant(*size)).collect::<Option<Vec<_>>>();
            scop.arrays.push(Array { copies, sizes: inner.ok_or_else(too_large)?, ..array });
            Ok(scop.arrays.len() - 1)
        };
        let sizes: Vec<i128> = own.iter().map(|(_, size)| *size).collect();
        let arrays = [buffer("parts", &sizes)?, buffer("sums", &[columns])?];
        Ok(Parts { old, reduction, depth, rows, own, quotients, again, inner, last, counters, unit, arrays })
    }

    /// The loops that reduce and that threads do not share.
    fn between(&self) -> &[usize] {
        &self.old.loops[self.depth..self.old.loops.len() - self.quotients.len()]
    }

    /// The subscripts of the part of an instance.
    fn own_part(&self) -> Vec<Poly> {
        self.own.iter().map(|(index, _)| counter(*index)).collect()
    }

    /// An access to a part.
    fn part(&self, kind: AccessKind, place: &[Poly]) -> Result<Access> {
        let number = |all: Poly, (place, (_, size)): (&Poly, &(usize, i128))| all.scale(*size)?.add(place);
        let number = place.iter().zip(&self.own).try_fold(Poly::zero(), number);
        let offset = number.and_then(|number| number.scale(self.unit)).ok_or_else(too_large)?;
        Ok(Access::of_buffer(self.arrays[0], kind, (place.to_vec(), offset)))
    }

    /// An access to what the thread with that counter has added up.
    fn line(&self, kind: AccessKind, column: usize) -> Result<Access> {
        let offset = sum(&[(column, self.unit)])?;
        Ok(Access::of_buffer(self.arrays[1], kind, (vec![counter(column)], offset)))
    }

    /// A new statement with these counters inside of the loops `around`.
    fn added(
        &self,
        scop: &Scop,
        around: &Set,
        number: usize,
        inside: &[(usize, i128)],
        (accesses, body): (Vec<Access>, Vec<Op>),
    ) -> Result<Statement> {
        let name = format!("{}_{number}", self.old.name);
        let loops = [&self.old.loops[..self.depth], &indices(inside)].concat();
        let frame = Frame::of_loops(&scop.context.space().params_space(), &name, &loops);
        let condition = limits(inside)?;
        let domain = within(&around.insert_dims(DimKind::Out, self.depth, inside.len())?, &condition, &frame)?;
        let domain = domain.with_space(frame.space())?;
        Ok(Statement { name, loops, domain, condition, body, accesses, reduction: None, ..self.old.clone() })
    }

    /// The statement itself, on parts.
    fn rewritten(&self, scop: &Scop, budget: &Budget) -> Result<Statement> {
        let (old, depth) = (&self.old, self.depth);
        let (outer, own) = (&old.loops[..depth], indices(&self.own));
        let mut new = Statement { reduction: None, ..old.clone() };
        new.loops = [outer, &own, self.between(), &self.quotients].concat();
        let all = [outer, &own, &old.loops[depth..], &self.quotients].concat();
        let frame = |loops: &[usize]| Frame::of_loops(&scop.context.space().params_space(), &old.name, loops);
        let condition = limits(&self.own)?;
        let mut domain = old.domain.insert_dims(DimKind::Out, depth, own.len())?;
        domain = domain.insert_dims(DimKind::Out, all.len() - self.quotients.len(), self.quotients.len())?;
        domain = within(&domain, &condition, &frame(&all))?;
        for (index, value) in &self.counters {
            let difference = counter(*index).sub(value).ok_or_else(too_large)?;
            domain = domain.add_eq(&frame(&all).row(&difference)?);
        }
        let first = depth + own.len() + self.between().len();
        domain = domain.project_out(DimKind::Out, first, self.quotients.len(), budget)?;
        new.domain = domain.with_space(frame(&new.loops).space())?;
        let moved = |poly: &Poly| {
            self.counters.iter().try_fold(poly.clone(), |poly, (index, value)| poly.substitute(Sym::Iv(*index), value))
        };
        let rewrite = |poly: &mut Poly| -> Result<()> {
            *poly = moved(poly).ok_or_else(too_large)?;
            Ok(())
        };
        for access in &mut new.accesses {
            access.subscripts.iter_mut().chain([&mut access.offset]).try_for_each(rewrite)?;
        }
        new.accesses[self.reduction.read] = self.part(AccessKind::Read, &self.own_part())?;
        new.accesses[self.reduction.write] = self.part(AccessKind::MustWrite, &self.own_part())?;
        for operand in new.body.iter_mut().flat_map(Op::operands_mut) {
            if let Operand::Affine(poly, _) = operand {
                rewrite(poly)?;
            }
        }
        new.time.iter_mut().try_for_each(rewrite)?;
        new.condition = new.condition.map(|poly| moved(poly).ok_or(Reason::TooLarge))?;
        new.condition = new.condition.and(&condition)?;
        Ok(new)
    }
}

fn indices(loops: &[(usize, i128)]) -> Vec<usize> {
    loops.iter().map(|(index, _)| *index).collect()
}

/// The condition that counters have so many values.
fn limits(loops: &[(usize, i128)]) -> Result<Dnf> {
    loops.iter().try_fold(Dnf::always(), |all, (index, size)| {
        let value = counter(*index);
        let rest = Poly::constant(size - 1).and_then(|most| most.sub(&value)).ok_or_else(too_large)?;
        let both = [value, rest].map(|poly| Dnf::constraint(Constraint::NonNegative(poly)));
        all.and(&both[0]).and_then(|all| all.and(&both[1])).map_err(Obstacle::from)
    })
}

/// The points of a set that satisfy a conjunction.
fn within(set: &Set, condition: &Dnf, frame: &Frame) -> Result<Set> {
    condition
        .disjuncts()
        .iter()
        .flatten()
        .try_fold(set.clone(), |set, constraint| Ok(set.add_ineq(&frame.row(constraint.poly())?)))
}

/// The sum of what a part holds and of what was there.
fn combine(statement: &Statement, reduction: &Reduction) -> Result<Vec<Op>> {
    let old = statement.body.iter().find_map(|op| match op {
        Op::Read { access, result } if *access == reduction.read => Some(*result),
        _ => None,
    });
    let (Some(old), Some(new)) = (old, reduction.chain.last().copied()) else {
        return Err(internal("a reduction that reads nothing"));
    };
    let of = |value: Value| Operand::Result(value);
    Ok(vec![
        Op::Read { access: 0, result: old },
        Op::Read { access: 1, result: new },
        Op::Combine { combination: reduction.combination, result: new, operands: [of(old), of(new)] },
        Op::Write { access: 2, value: of(new) },
    ])
}

/// An order with some nodes right before the loop around a statement or behind it, and without the statement.
fn beside_loop(order: Vec<Order>, (index, statement): (usize, usize), nodes: &[Order], is_behind: bool) -> Vec<Order> {
    let mut new = Vec::new();
    for node in order {
        match node {
            Order::Loop { index: own, body } => {
                let is_it = own == index && statements_of(&body).contains(&statement);
                let body = match is_it {
                    true => without(body, statement),
                    false => beside_loop(body, (index, statement), nodes, is_behind),
                };
                let own = (!body.is_empty()).then_some(Order::Loop { index: own, body });
                match is_behind {
                    _ if !is_it => new.extend(own),
                    true => new.extend(own.into_iter().chain(nodes.iter().cloned())),
                    false => new.extend(nodes.iter().cloned().chain(own)),
                }
            }
            other => new.push(other),
        }
    }
    new
}

/// An order without a statement, and without loops that are empty then.
fn without(order: Vec<Order>, statement: usize) -> Vec<Order> {
    let nodes = order.into_iter().filter_map(|node| match node {
        Order::Statement(other) if other == statement => None,
        Order::Statement(other) => Some(Order::Statement(other)),
        Order::Loop { index, body } => {
            let body = without(body, statement);
            (!body.is_empty()).then_some(Order::Loop { index, body })
        }
    });
    nodes.collect()
}

fn counter(index: usize) -> Poly {
    Poly::symbol(Sym::Iv(index))
}

/// A sum of multiples of counters.
fn sum(terms: &[(usize, i128)]) -> Result<Poly> {
    let add = |all: Poly, (index, factor): &(usize, i128)| all.add(&counter(*index).scale(*factor)?);
    terms.iter().try_fold(Poly::zero(), add).ok_or_else(too_large)
}

fn too_large() -> Obstacle {
    Reason::TooLarge.into()
}

fn internal(what: &str) -> Obstacle {
    Obstacle::Mapping { what: what.to_owned() }
}
