//! From a detected region to a [`Scop`](scop::Scop): statements, domains, accesses, shapes, assumptions, order.

mod alternatives;
mod array_shapes;
pub mod data;
pub mod delinearize;
pub(crate) mod instance;
pub mod protected;
mod remainders;
pub mod row_tables;
pub mod scop;
pub mod sets;
pub mod spaces;
pub mod statements;
pub mod time;

mod context;
mod counters;
mod triangular;
mod violations;

use crate::detect::region::Region;
use crate::detect::scev::{ProgramPoint, Reader};
use crate::formula::condition::{Constraint, Dnf};
use crate::formula::poly::{Poly, Sym};
use crate::host::{Analyses, Value};
use crate::model::array_shapes::Shaped;
use crate::model::scop::{Access, Array, Check, Order, Scop, ShapeCheck, Statement, Storage};
use crate::model::sets::{Frame, library_error};
use crate::model::statements::{Builder, Draft, DraftStatement, RawAccess, Target};
use crate::model::time::{Time, before};
use crate::reasons::{Reason, Rejection};
use tessera_polyhedral::budget::Budget;
use tessera_polyhedral::flow::AccessKind;
use tessera_polyhedral::relation::Set;
use tessera_polyhedral::space::Space;

/// Distance between the induction variables of different statements in a question about several.
pub(crate) const OTHER: usize = 1 << 16;

/// Builds the model of a region. Works within `budget`.
pub fn build<'h, 'a>(
    host: &'h Analyses<'a>,
    mut reader: Reader<'h, 'a>,
    region: Region,
    budget: &Budget,
) -> Result<Scop, Rejection> {
    let root = region.loops[0].handle;
    let location = root.location();
    let mut builder = Builder::new(host, &region, &mut reader);
    let mut rounds = 0;
    let (draft, shaped) = loop {
        let draft = builder.build()?;
        let names: Vec<String> = (0..builder.param_count()).map(|index| format!("p{index}")).collect();
        let params = Space::params(&names);
        let shaped = Shaped::new(&draft, |base| builder.name_of(base), &params, budget)?;
        rounds += 1;
        if rounds > 16 {
            return Err(Reason::TooComplex.into());
        }
        if !forwarding_conflicts(&draft, &shaped, &params, &mut builder, budget)? {
            break (draft, shaped);
        }
    };
    // Facts must not rest on assumptions: read with an empty list, a fact that needs one is seen to add it.
    let assumptions = std::mem::take(&mut reader.assumptions);
    let known = context::known_facts(host, &mut reader, &region);
    reader.assumptions = assumptions;

    let names: Vec<&str> = reader.params.iter().map(|param| param.name.as_str()).collect();
    let params = Space::params(&names);
    let (facts, remainders) = known?;
    let context = Frame::new(&params, "", Vec::new()).set(&facts)?;

    if context.is_empty(budget).map_err(library_error)? {
        return Err(Reason::NeverExecuted.into());
    }
    let (arrays, memory, cells) = arrays_of(host, &reader, &draft, &shaped);
    let (mut statements, mut entered) = (Vec::new(), Vec::new());
    let mut order_keys: Vec<usize> = (0..draft.statements.len()).collect();
    order_keys.sort_by(|a, b| program_order(&draft.statements[*a].root.time, &draft.statements[*b].root.time));
    for (number, index) in order_keys.iter().enumerate() {
        let source = &draft.statements[*index];
        let name = format!("S{number}");
        let frame = Frame::of_loops(&params, &name, &source.root.loops);
        let domain = frame.set(&source.root.domain)?;
        let domain = domain.intersect_params(&context, budget).map_err(library_error)?;
        let array_of = |target: Target| match target {
            Target::Memory(base) => Ok(memory[base]),
            Target::Cell(cell) => {
                let known = cells.iter().find(|(other, _)| *other == cell).map(|(_, array)| *array);
                known.ok_or(Reason::Internal { message: "a cell without an array".into() })
            }
        };
        let mut accesses = Vec::new();
        for (position, raw) in source.accesses.iter().enumerate() {
            if !raw.entries.is_empty() {
                entered.push((number, position, raw.entered.clone()));
            }
            accesses.push(Access {
                array: array_of(raw.target)?,
                kind: match (raw.is_write, raw.is_certain) {
                    (true, true) => AccessKind::MustWrite,
                    (true, false) => AccessKind::MayWrite,
                    (false, _) => AccessKind::Read,
                },
                subscripts: shaped.subscripts[*index][position].clone(),
                count: shaped.count(raw),
                entries: raw.entries.iter().map(|entry| entry.offset.clone()).collect(),
                offset: raw.offset.clone(),
                is_original: true,
                instruction: raw.instruction,
                location: raw.instruction.and_then(Value::debug_location),
            });
        }
        statements.push(Statement {
            name,
            loops: source.root.loops.clone(),
            domain,
            condition: source.root.domain.clone(),
            time: source.root.time.clone(),
            body: source.body.clone(),
            accesses,
            reduction: None,
            location: statements::root_location(&source.root),
        });
    }
    // The guard bounds every parameter first; what follows from that needs no check of its own.
    let limited = context.intersect(&limits(reader.params.len(), &params)?, budget).map_err(library_error)?;
    let checks = checks_of(&reader, &region, &params, &limited, budget)?;
    violations::narrow(&mut statements, &checks, &limited, budget)?;
    counters::align(&mut statements, &mut entered, budget)?;
    let order = alternatives::separated(order_of(&statements), &statements, 0, budget)?;
    let shapes = shape_checks(&statements, &arrays, &params, &limited, budget)?;
    let context = remainders::add(&context, &remainders, &params, (&limited, &checks), budget)?;
    let function = host.function().name();
    let numbered = format!("{function}, loop {}", host.number_of(root));
    let name = location.as_ref().map_or_else(|| numbered.clone(), |place| format!("{function}, line {}", place.line));
    let mut scop = Scop {
        name,
        numbered,
        region,
        params: std::mem::take(&mut reader.params),
        address_bits: host.index_bits(0),
        invariants: reader.invariants.clone(),
        protected: Vec::new(),
        context,
        arrays,
        statements,
        packs: Vec::new(),
        chosen: Vec::new(),
        order,
        checks,
        shapes,
        visits: Vec::new(),
        tables: Vec::new(),
        may_overlap: Vec::new(),
        location,
    };
    scop.may_overlap = protected::overlapping_pairs(host, &scop);
    scop.visits = row_tables::visits(&scop, &entered, &reader.row_assumptions, budget)?;
    scop.tables = row_tables::tables(host, &scop)?;
    protected::protect(host, &mut scop, |base| reader.holder(base).source_name())?;
    spaces::check(host, &scop)?;
    Ok(scop)
}

fn program_order(left: &Time, right: &Time) -> std::cmp::Ordering {
    // Times of one region differ first in a constant, or one ends inside what the other is.
    for (a, b) in left.iter().zip(right) {
        if let (Some(a), Some(b)) = (a.as_constant(), b.as_constant()) {
            match a.cmp(&b) {
                std::cmp::Ordering::Equal => {}
                different => return different,
            }
        }
    }
    left.len().cmp(&right.len())
}

/// The condition that two accesses of one array touch a common element.
pub(crate) fn same_element(left: &[Poly], left_count: i128, right: &[Poly], right_count: i128) -> Result<Dnf, Reason> {
    let mut condition = Dnf::always();
    for (position, (a, b)) in left.iter().zip(right).enumerate() {
        let difference = a.sub(b).ok_or(Reason::TooLarge)?;
        if position + 1 == left.len() && (left_count > 1 || right_count > 1) {
            // left .. left + left_count and right .. right + right_count meet.
            let last_left = Poly::constant(left_count - 1).and_then(|c| a.add(&c)).ok_or(Reason::TooLarge)?;
            let last_right = Poly::constant(right_count - 1).and_then(|c| b.add(&c)).ok_or(Reason::TooLarge)?;
            condition = condition.and(&Dnf::le(a, &last_right)?)?.and(&Dnf::le(b, &last_left)?)?;
        } else {
            condition = condition.and(&Dnf::constraint(Constraint::Zero(difference)))?;
        }
    }
    Ok(condition)
}

/// Finds loads that cannot be moved to where their statement executes; tells the builder what to do about it.
/// Answers whether there were any.
fn forwarding_conflicts(
    draft: &Draft,
    shaped: &Shaped,
    params: &Space,
    builder: &mut Builder<'_, '_, '_>,
    budget: &Budget,
) -> Result<bool, Rejection> {
    let mut any = false;
    for (s, reading) in draft.statements.iter().enumerate() {
        for (access, loaded) in &reading.loads {
            let read = &reading.accesses[*access];
            for (t, writing) in draft.statements.iter().enumerate() {
                for (w, write) in writing.accesses.iter().enumerate() {
                    if !write.is_write || write.target != read.target {
                        continue;
                    }
                    let other = |poly: &Poly| {
                        poly.rename(|symbol| match symbol {
                            Sym::Iv(index) => Sym::Iv(index + OTHER),
                            param => param,
                        })
                    };
                    let write_time: Time = writing.root.time.iter().map(other).collect();
                    let after = before(loaded, &write_time)?;
                    let ahead = before(&write_time, &reading.root.time)?;
                    if after.disjuncts().is_empty() || ahead.disjuncts().is_empty() {
                        continue;
                    }
                    let elements: Vec<Poly> = shaped.subscripts[t][w].iter().map(other).collect();
                    let same = same_element(
                        &shaped.subscripts[s][*access],
                        shaped.count(read),
                        &elements,
                        shaped.count(write),
                    )?;
                    let dims = reading.root.loops.iter().map(|l| Sym::Iv(*l));
                    let other_dims = writing.root.loops.iter().map(|l| Sym::Iv(*l + OTHER));
                    let frame = Frame::new(params, "", dims.chain(other_dims).collect());
                    let mut meeting = frame.set(&same)?;
                    for condition in
                        [&after, &ahead, &reading.root.domain, &writing.root.domain.map(|poly| Ok(other(poly)))?]
                    {
                        let set = frame.set(condition)?;
                        meeting = meeting.intersect(&set, budget).map_err(library_error)?;
                    }
                    if meeting.is_empty(budget).map_err(library_error)? {
                        continue;
                    }
                    any = true;
                    resolve(reading, writing, read, builder)?;
                }
            }
        }
    }
    Ok(any)
}

fn resolve(
    reading: &DraftStatement,
    writing: &DraftStatement,
    read: &RawAccess,
    builder: &mut Builder<'_, '_, '_>,
) -> Result<(), Rejection> {
    let load = read.instruction.ok_or(Reason::Scalar)?;
    // A PHI write along a conditional edge of the block has a smaller domain than the block's stores: one statement
    // cannot have both.
    let same_block = reading.root.block.is_some()
        && reading.root.block == writing.root.block
        && reading.root.domain == writing.root.domain
        && builder.block_of(load) == reading.root.block;
    if same_block {
        builder.merge(writing.root.kinds[0], reading.root.kinds[0]);
    } else {
        builder.cut(load);
    }
    Ok(())
}

/// The arrays of the model, and which of them each base and each cell is.
fn arrays_of(
    host: &Analyses<'_>,
    reader: &Reader<'_, '_>,
    draft: &Draft,
    shaped: &Shaped,
) -> (Vec<Array>, Vec<usize>, Vec<(Value, usize)>) {
    let mut arrays: Vec<Array> = Vec::new();
    let mut memory = Vec::new();
    for (index, base) in draft.bases.iter().enumerate() {
        let name = crate::detect::scev::unique_name(
            &reader.holder(base.pointer).user_name(),
            arrays.iter().map(|a: &Array| a.name.as_str()),
        );
        memory.push(arrays.len());
        let (unit, sizes, levels) = shaped.bases[index].clone();
        let known_as = reader.holder(base.pointer).source_name();
        let storage = if base.depth == 0 { Storage::Memory(base.pointer) } else { Storage::Rows(base.pointer) };
        arrays.push(Array { levels, sizes, ..Array::new((name, known_as), storage, unit) });
    }
    let mut cells: Vec<(Value, usize)> = Vec::new();
    for access in draft.statements.iter().flat_map(|statement| &statement.accesses) {
        let Target::Cell(cell) = access.target else { continue };
        if cells.iter().any(|(other, _)| *other == cell) {
            continue;
        }
        let name = crate::detect::scev::unique_name("cell", arrays.iter().map(|a: &Array| a.name.as_str()));
        cells.push((cell, arrays.len()));
        // Copies of a scalar are as far apart as elements of an array.
        let unit = host.alloc_size(cell.ty()).map_or(1, i128::from);
        let (known_as, storage) = (name.clone(), Storage::Scalar(cell, cell.ty()));
        arrays.push(Array::new((name, known_as), storage, unit));
    }
    (arrays, memory, cells)
}

/// The original order as a tree.
fn order_of(statements: &[Statement]) -> Vec<Order> {
    // Statements are sorted by time; rebuild the loops around them.
    fn insert(body: &mut Vec<Order>, chain: &[usize], statement: usize) {
        match chain.split_first() {
            None => body.push(Order::Statement(statement)),
            Some((first, rest)) => {
                if let Some(Order::Loop { index, body }) = body.last_mut()
                    && index == first
                {
                    insert(body, rest, statement);
                } else {
                    let mut inner = Vec::new();
                    insert(&mut inner, rest, statement);
                    body.push(Order::Loop { index: *first, body: inner });
                }
            }
        }
    }
    let mut order = Vec::new();
    for (number, statement) in statements.iter().enumerate() {
        insert(&mut order, &statement.loops, number);
    }
    order
}

/// No parameter that passes the guard lies outside of +-2^40, whatever its type.
pub const PARAM_LIMIT_BITS: u32 = 40;

/// The values of so many parameters that can pass the guard.
pub(crate) fn limits(n_param: usize, params: &Space) -> Result<Set, Reason> {
    let mut condition = Dnf::always();
    let limit = Poly::constant(1 << PARAM_LIMIT_BITS).ok_or(Reason::TooLarge)?;
    for index in 0..n_param {
        let symbol = Poly::symbol(Sym::Param(index));
        let below = Dnf::le(&symbol, &limit)?;
        condition = condition.and(&below)?.and(&Dnf::le(&limit.scale(-1).ok_or(Reason::TooLarge)?, &symbol)?)?;
    }
    Frame::new(params, "", Vec::new()).set(&condition)
}

/// The assumptions that the compiler cannot prove, with the points they range over.
fn checks_of(
    reader: &Reader<'_, '_>,
    region: &Region,
    params: &Space,
    context: &Set,
    budget: &Budget,
) -> Result<Vec<Check>, Rejection> {
    let mut checks = Vec::new();
    for assumption in &reader.assumptions {
        let (loops, condition) = match assumption.place {
            ProgramPoint::Block(b) => (region.blocks[b].loops.clone(), region.blocks[b].domain.clone()),
            ProgramPoint::LoopEntry(l) => {
                let mut chain = region.chain(l);
                chain.pop();
                (chain, region.loops[l].entry.clone())
            }
            ProgramPoint::Continues(l) => {
                let current = &region.loops[l];
                let going_on =
                    current.entry.and(&current.within).and_then(|entered| entered.and(&current.continues))?;
                (region.chain(l), going_on)
            }
            ProgramPoint::Before => (Vec::new(), Dnf::always()),
        };
        let frame = Frame::of_loops(params, "", &loops);
        let domain = frame.set(&condition)?.intersect_params(context, budget).map_err(library_error)?;
        if assumption.poly.is_affine() {
            let violations = violations::violations(assumption, &domain, &frame, budget)?;
            if violations.is_empty(budget).map_err(library_error)? {
                continue;
            }
        }
        checks.push(Check { assumption: assumption.clone(), domain, loops });
    }
    Ok(checks)
}

/// The shape assumptions that the compiler cannot prove.
fn shape_checks(
    statements: &[Statement],
    arrays: &[Array],
    params: &Space,
    context: &Set,
    budget: &Budget,
) -> Result<Vec<ShapeCheck>, Rejection> {
    let mut checks: Vec<ShapeCheck> = Vec::new();
    // What has been looked at, and at the same position the check, if there has to be one.
    let mut seen: Vec<(usize, Poly, Poly, i128)> = Vec::new();
    let mut found: Vec<Option<usize>> = Vec::new();
    for (number, statement) in statements.iter().enumerate() {
        for access in &statement.accesses {
            let array = &arrays[access.array];
            for (dim, size) in array.sizes.iter().enumerate() {
                let subscript = &access.subscripts[array.levels.len() + dim + 1];
                let count = if dim + 1 == array.sizes.len() { access.count } else { 1 };
                let key = (number, subscript.clone(), size.clone(), count);
                if let Some(known) = seen.iter().position(|other| *other == key) {
                    let arrays = found[known].map(|check| &mut checks[check].arrays);
                    if let Some(arrays) = arrays.filter(|arrays| !arrays.contains(&access.array)) {
                        arrays.push(access.array);
                    }
                    continue;
                }
                seen.push(key);
                if size.is_affine() {
                    let outside = array_shapes::outside(subscript, count, size)?;
                    let frame = Frame::of_loops(params, &statement.name, &statement.loops);
                    let set = frame.set(&outside)?;
                    let violations =
                        statement.domain.intersect(&set, budget).and_then(|set| set.intersect_params(context, budget));
                    let violations = violations.map_err(library_error)?;
                    if violations.is_empty(budget).map_err(library_error)? {
                        found.push(None);
                        continue;
                    }
                }
                found.push(Some(checks.len()));
                checks.push(ShapeCheck {
                    arrays: vec![access.array],
                    subscript: subscript.clone(),
                    count,
                    size: size.clone(),
                    domain: statement.domain.clone(),
                    loops: statement.loops.clone(),
                });
            }
        }
    }
    Ok(checks)
}
