//! Scalars back to memory.
//!
//! LICM and GVN turn `C[i][j] += ...` into a register that is loaded before the inner loop, carried by a PHI, and stored
//! after it (or on every iteration). As a cell without dimensions that register orders everything; as the element
//! `C[i][j]` it orders nothing but the sum. This phase finds, for each cell, an array element that the cell can live
//! in, and replaces the cell by it.
//!
//! A cell `P` may live in the element `X(o)`, where `o` are the loops around all of its life, if
//! 1. an *anchor* store writes a value of `P` to `X(o)`, or is the last to read `P` and overwrites `X(o)`, and executes
//!    whenever the life of `P` for `o` begins;
//! 2. between the beginning of that life and the anchor, nothing else touches `X(o)`, except stores of the same value
//!    that the cell takes at the same time.
//!
//! The element may also be another cell that the anchor copies `P` to: the sums of nested loops become one.
//!
//! Both are decided exactly, over the union of iteration vectors. The idea is that of Polly's DeLICM (Kruse and Grosser,
//! "DeLICM: Scalar Dependence Removal at Zero Memory Cost", CGO 2018), restricted to anchors in the region.
//!
//! The phase changes only the model. Results stay the same to the last bit: a store followed by a load of the same type
//! gives the value back.

mod anchor;
mod copy;
mod reduction;
mod reload;

use crate::formula::condition::Dnf;
use crate::formula::poly::{Poly, Sym};
use crate::model::instance::Instance;
use crate::model::scop::{Access, Op, Operand, Order, Scop, Statement, Storage};
use crate::model::sets::{Frame, library_error};
use crate::reasons::Reason;
use anchor::{Home, find_home};
use copy::remove_copy;
pub use reduction::split_off;
use reload::reload;
use tessera_polyhedral::budget::Budget;
use tessera_polyhedral::relation::Set;
use tessera_polyhedral::space::DimKind;

/// Moves cells to memory where possible and removes what becomes dead. No statement may be impossible. Works within `budget`.
pub fn simplify(scop: &mut Scop, budget: &Budget) -> Result<(), Reason> {
    join_equal_values(scop);
    move_cells(scop, budget)?;
    let mut is_any = false;
    for array in 0..scop.arrays.len() {
        is_any |= remove_copy(scop, array, budget)?;
    }
    if is_any {
        remove_useless_writes(scop);
        move_cells(scop, budget)?;
    }
    reduction::mark(scop);
    Ok(())
}

/// A simplified SCoP without the cells whose values lie in memory all along; `None` if there are none. New code loads what the compiler had
/// kept in registers, but its iterations wait for each other only where elements are the same.
pub fn reloaded(scop: &Scop, budget: &Budget) -> Result<Option<Scop>, Reason> {
    let mut result = scop.clone();
    let mut is_any = false;
    loop {
        let mut changed = false;
        for array in 0..result.arrays.len() {
            let is_cell = matches!(result.arrays[array].storage, Storage::Scalar(..));
            changed |= is_cell && result.is_used(array) && reload(&mut result, array, budget)?;
        }
        if !changed {
            break;
        }
        is_any = true;
        remove_useless_writes(&mut result);
    }
    if !is_any {
        return Ok(None);
    }
    // A cell that has taken its value from another one may have a home now.
    move_cells(&mut result, budget)?;
    reduction::mark(&mut result);
    Ok(Some(result))
}

/// Moves cells to their homes, as long as there are any.
fn move_cells(scop: &mut Scop, budget: &Budget) -> Result<(), Reason> {
    let mut changed = true;
    while changed {
        changed = false;
        for array in 0..scop.arrays.len() {
            if matches!(scop.arrays[array].storage, Storage::Scalar(..))
                && scop.is_used(array)
                && let Some(home) = find_home(scop, array, budget)?
            {
                move_in(scop, array, &home);
                changed = true;
            }
        }
        changed |= remove_useless_writes(scop);
    }
    Ok(())
}

/// True if no instances satisfy all conditions; they agree on the iteration of the `shared` loops.
fn impossible(
    scop: &Scop,
    shared: &[usize],
    instances: &[&Instance<'_>],
    conditions: &[Dnf],
    budget: &Budget,
) -> Result<bool, Reason> {
    Together::new(scop, shared).with(instances, conditions, budget)?.are_impossible(budget)
}

/// Some instances that agree on the iteration of some loops, and what is known of them. Questions that differ in the last instances have
/// the work for the first ones in common.
struct Together<'s> {
    scop: &'s Scop,
    dims: Vec<Sym>,
    points: Set,
}

impl<'s> Together<'s> {
    /// No instances.
    fn new(scop: &'s Scop, shared: &[usize]) -> Together<'s> {
        let dims: Vec<Sym> = shared.iter().map(|l| Sym::Iv(*l)).collect();
        let frame = Frame::new(&scop.context.space().params_space(), "", dims.clone());
        Together { scop, dims, points: Set::universe(frame.space().clone()) }
    }

    /// These and other instances, which execute, under conditions on all of them.
    fn with(&self, instances: &[&Instance<'_>], conditions: &[Dnf], budget: &Budget) -> Result<Together<'s>, Reason> {
        let dims: Vec<Sym> = self.dims.iter().copied().chain(instances.iter().flat_map(|i| i.dims())).collect();
        let frame = Frame::new(&self.scop.context.space().params_space(), "", dims);
        let more = frame.dims().len() - self.dims.len();
        let mut points = self.points.add_dims(DimKind::Out, more).map_err(library_error)?;
        for condition in conditions {
            points = points.intersect(&frame.set(condition)?, budget).map_err(library_error)?;
        }
        for instance in instances {
            points = points.intersect(&frame.set(&instance.condition()?)?, budget).map_err(library_error)?;
        }
        Ok(Together { scop: self.scop, dims: frame.dims().to_vec(), points })
    }

    /// Whether there are no such instances.
    fn are_impossible(&self, budget: &Budget) -> Result<bool, Reason> {
        let points = self.points.intersect_params(&self.scop.context, budget).map_err(library_error)?;
        points.is_empty(budget).map_err(library_error)
    }
}

/// Removes statements that the program never executes. Every model needs that: schedule trees have no place for statements without instances.
pub fn remove_impossible_statements(scop: &mut Scop, budget: &Budget) -> Result<(), Reason> {
    for statement in &mut scop.statements {
        let domain = statement.domain.intersect_params(&scop.context, budget).map_err(library_error)?;
        if domain.is_empty(budget).map_err(library_error)? {
            statement.body.clear();
            statement.accesses.clear();
        }
    }
    remove_empty_statements(scop);
    Ok(())
}

/// Replaces every access to the cell by one to its home.
fn move_in(scop: &mut Scop, array: usize, home: &Home) {
    for statement in &mut scop.statements {
        for access in statement.accesses.iter_mut().filter(|access| access.array == array) {
            *access = home.instead_of(access);
        }
    }
}

/// Removes writes of a value just read from the same element (with no write of the statement in between), and
/// duplicate writes of one value to one element; then statements and accesses that do nothing any more.
fn remove_useless_writes(scop: &mut Scop) -> bool {
    let mut changed = false;
    // Where there are jumps, an earlier operation may not have been executed.
    for statement in scop.statements.iter_mut().filter(|statement| statement.is_straight()) {
        let mut dead = Vec::new();
        for (position, op) in statement.body.iter().enumerate() {
            let Op::Write { access, value } = op else { continue };
            let target = &statement.accesses[*access];
            let here = |other: usize| is_same_place(statement, &statement.accesses[other], target);
            let writes_between = |from: usize| {
                statement.body[from + 1..position].iter().any(
                    |op| matches!(op, Op::Write { access, .. } if statement.accesses[*access].array == target.array),
                )
            };
            let useless = statement.body[..position].iter().enumerate().any(|(earlier, op)| match op {
                Op::Read { access, result } => {
                    *value == Operand::Result(*result) && here(*access) && !writes_between(earlier)
                }
                Op::Write { access, value: written } => written == value && here(*access) && !writes_between(earlier),
                _ => false,
            });
            if useless {
                dead.push(position);
            }
        }
        for position in dead.into_iter().rev() {
            statement.body.remove(position);
            changed = true;
        }
    }
    for statement in &mut scop.statements {
        changed |= remove_dead_operations(&mut statement.body);
        drop_unused_accesses(&mut statement.body, &mut statement.accesses);
    }
    remove_empty_statements(scop);
    changed
}

/// Joins "PHI takes v" with an earlier "array element takes v" of the same iteration: GVN leaves a store beside the PHI
/// that carries the stored value. As one statement with two writes the cell can move into the element.
///
/// The cell's write may move up to the store if nothing in between touches the cell and everything that leads to its value
/// (loads and computations) leads to the stored one as well.
fn join_equal_values(scop: &mut Scop) {
    for late in 0..scop.statements.len() {
        while let Some((early, position)) = find_join(scop, late) {
            let Op::Write { access, value } = scop.statements[late].body.remove(position) else { break };
            let write = scop.statements[late].accesses[access].clone();
            let statement = &mut scop.statements[early];
            statement.accesses.push(write);
            statement.body.push(Op::Write { access: statement.accesses.len() - 1, value });
            let statement = &mut scop.statements[late];
            remove_dead_operations(&mut statement.body);
            drop_unused_accesses(&mut statement.body, &mut statement.accesses);
        }
    }
    remove_empty_statements(scop);
}

/// A write of a cell, by its position in the body of a statement, that can move up to an earlier statement.
fn find_join(scop: &Scop, late: usize) -> Option<(usize, usize)> {
    let body = &scop.statements[late].body;
    (0..body.len()).find_map(|position| {
        let partner = (0..late).rev().find(|early| can_join(scop, *early, late, position));
        partner.map(|early| (early, position))
    })
}

fn can_join(scop: &Scop, early: usize, late: usize, position: usize) -> bool {
    let (a, b) = (&scop.statements[early], &scop.statements[late]);
    let Op::Write { access, value: value @ Operand::Result(_) } = &b.body[position] else { return false };
    let cell = b.accesses[*access].array;
    if !matches!(scop.arrays[cell].storage, Storage::Scalar(..)) || !b.is_straight() {
        return false;
    }
    let stores_it = a.body.iter().any(|op| matches!(op, Op::Write { value: written, .. } if written == value));
    let touches_cell = |statement: &Statement| statement.accesses.iter().any(|access| access.array == cell);
    // What leads to the value, and what else the statement does.
    let (mut own, mut others) = (b.body[..=position].to_vec(), b.body.clone());
    own.retain(|op| {
        !matches!(op, Op::Write { access: other, .. } if other != access) && !matches!(op, Op::LiveOut { .. })
    });
    remove_dead_operations(&mut own);
    others.remove(position);
    remove_dead_operations(&mut others);
    let is_contained = own.iter().all(|op| match op {
        Op::Read { access: x, result } => a.body.iter().any(|other| {
            matches!(other, Op::Read { access: y, result: r } if r == result && same_place(&a.accesses[*y], &b.accesses[*x]))
        }),
        Op::Compute { instruction, operands } => a.body.iter().any(|other| {
            matches!(other, Op::Compute { instruction: i, operands: o } if i == instruction && o == operands)
        }),
        Op::Write { access, .. } => b.accesses[*access].array == cell,
        _ => false,
    });
    let other_touches = others.iter().any(|op| match op {
        Op::Read { access, .. } | Op::Write { access, .. } => b.accesses[*access].array == cell,
        _ => false,
    });
    stores_it
        && a.is_straight()
        && a.loops == b.loops
        && a.condition == b.condition
        && share_body(&scop.order, early, late)
        && is_contained
        && !other_touches
        && !scop.statements[early + 1..late].iter().any(touches_cell)
}

fn same_place(a: &Access, b: &Access) -> bool {
    a.array == b.array && a.count == b.count && a.subscripts == b.subscripts
}

/// Whether two accesses of a statement touch the same element in each of its instances: in the iteration `i = 0` also `x[0]` and `x[i]`.
fn is_same_place(statement: &Statement, a: &Access, b: &Access) -> bool {
    if same_place(a, b) {
        return true;
    }
    if a.array != b.array || a.count != b.count || a.subscripts.len() != b.subscripts.len() {
        return false;
    }
    let fixed: Vec<(Sym, Poly)> = statement
        .loops
        .iter()
        .enumerate()
        .filter_map(|(dim, counter)| {
            let value = statement.domain.plain_fixed(DimKind::Out, dim).ok()??.to_i64()?;
            Some((Sym::Iv(*counter), Poly::constant(value.into())?))
        })
        .collect();
    let there = |subscript: &Poly| {
        fixed.iter().try_fold(subscript.clone(), |poly, (counter, value)| poly.substitute(*counter, value))
    };
    let is_same = |(one, other): (&Poly, &Poly)| {
        one == other || there(one).zip(there(other)).is_some_and(|(one, other)| one == other)
    };
    a.subscripts.iter().zip(&b.subscripts).all(is_same)
}

/// Whether both statements stand directly in the same body.
fn share_body(order: &[Order], first: usize, second: usize) -> bool {
    let has = |s: usize| order.contains(&Order::Statement(s));
    (has(first) && has(second))
        || order.iter().any(|node| matches!(node, Order::Loop { body, .. } if share_body(body, first, second)))
}

fn remove_dead_operations(body: &mut Vec<Op>) -> bool {
    let before = body.len();
    let mut needed = Vec::new();
    let mut keep = vec![false; body.len()];
    for (position, op) in body.iter().enumerate().rev() {
        let uses: Vec<&Operand> = match op {
            Op::Write { value, .. } | Op::LiveOut { value, .. } => vec![value],
            Op::Compute { instruction, operands } if needed.contains(instruction) => operands.iter().collect(),
            Op::Combine { result, operands, .. } if needed.contains(result) => operands.iter().collect(),
            Op::Read { result, .. } if needed.contains(result) => Vec::new(),
            Op::Phi { phi, incoming } if needed.contains(phi) => incoming.iter().map(|(_, value)| value).collect(),
            Op::Label { .. } => Vec::new(),
            Op::Jump { condition, .. } => condition.iter().collect(),
            _ => continue,
        };
        keep[position] = true;
        needed.extend(uses.into_iter().filter_map(|operand| match operand {
            Operand::Result(value) => Some(*value),
            _ => None,
        }));
    }
    let mut keep = keep.into_iter();
    body.retain(|_| keep.next().unwrap_or(true));
    body.len() < before
}

fn drop_unused_accesses(body: &mut [Op], accesses: &mut Vec<Access>) {
    let mut kept = Vec::new();
    for op in body {
        if let Op::Read { access, .. } | Op::Write { access, .. } = op {
            kept.push(accesses[*access].clone());
            *access = kept.len() - 1;
        }
    }
    *accesses = kept;
}

/// Removes statements without effect and renumbers the others.
fn remove_empty_statements(scop: &mut Scop) {
    let kept: Vec<usize> = (0..scop.statements.len()).filter(|s| !scop.statements[*s].body.is_empty()).collect();
    if kept.len() == scop.statements.len() {
        return;
    }
    let renumber = |old: usize| kept.iter().position(|k| *k == old);
    fn prune(order: &mut Vec<Order>, renumber: &impl Fn(usize) -> Option<usize>) {
        order.retain_mut(|node| match node {
            Order::Statement(statement) => match renumber(*statement) {
                Some(new) => {
                    *statement = new;
                    true
                }
                None => false,
            },
            Order::Loop { body, .. } => {
                prune(body, renumber);
                !body.is_empty()
            }
        });
    }
    prune(&mut scop.order, &renumber);
    scop.statements = kept.iter().map(|old| scop.statements[*old].clone()).collect();
}
