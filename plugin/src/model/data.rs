//! The compiler's model as plain data: a [`scop::Scop`] of the library, which can be printed, read back and optimised without a compiler.
//!
//! What the compiler needs to clone a statement stays behind; what an estimate of time needs comes along: elements, kinds of operations, and
//! which of them wait for each other between a read and a write. Statements, accesses and arrays keep their numbers.
//!
//! Invariant: the data depend on the model alone, so that equal models give equal text.

use crate::detect::scev::UNLIMITED;
use crate::formula::poly::{Poly, Sym};
use crate::host::{Opcode, Type, TypeKind, Value};
use crate::model::row_tables::Purpose;
use crate::model::scop::{Access, Combination, Op, Operand, Order, Scop, Statement, Storage, statements_of};
use crate::model::sets::{Frame, library_error};
use crate::reasons::Reason;
use std::collections::HashMap;
use tessera_polyhedral::affine::Aff;
use tessera_polyhedral::arith::{Int, Rational};
use tessera_polyhedral::budget::Budget;
use tessera_polyhedral::count::{PwQPolynomial, QPolynomial, UnionPwQPolynomial};
use tessera_polyhedral::flow::AccessKind;
use tessera_polyhedral::relation::{Conjunction, Map, Set};
use tessera_polyhedral::schedule::{Band, Instances, Member, Node, ScheduleTree};
use tessera_polyhedral::scop::{self, Assumption, Element, ElementKind, Operation, OperationKind};
use tessera_polyhedral::space::{DimKind, Space};

type Result<T> = std::result::Result<T, Reason>;

/// The model as data. Domains are given without what the context says. What the guard checks is left out, as only those who read the
/// data need it: see [`assumptions`].
pub fn describe(scop: &Scop, budget: &Budget) -> Result<scop::Scop> {
    let arrays = (0..scop.arrays.len()).map(|array| describe_array(scop, array)).collect::<Result<Vec<_>>>()?;
    let statements = scop.statements.iter().map(|statement| describe_statement(scop, statement, budget));
    let statements = statements.collect::<Result<Vec<_>>>()?;
    let domain = |members: &[usize]| {
        let domains = members.iter().map(|s: &usize| statements[*s].domain.clone());
        Instances::from_sets(domains).map_err(library_error)
    };
    let band = |index, body: &[Order]| Ok(Band::new(vec![counter(scop, &statements_of(body), index)?]));
    let all: Vec<usize> = (0..statements.len()).collect();
    let schedule = ScheduleTree::new(domain(&all)?, written(&scop.order, &domain, &band)?);
    Ok(scop::Scop {
        name: scop.name.clone(),
        context: scop.context.clone(),
        arrays,
        promises: promises(scop),
        assumptions: Vec::new(),
        schedule,
        statements,
    })
}

fn describe_array(scop: &Scop, index: usize) -> Result<scop::Array> {
    let array = &scop.arrays[index];
    let accesses = scop.statements.iter().flat_map(|statement| &statement.accesses);
    let mut accesses = accesses.filter(|access| access.array == index && access.count == 1);
    let ty = match array.storage {
        Storage::Scalar(_, ty) | Storage::Buffer(ty) => Some(ty),
        _ => accesses.find_map(|access| Some(access.instruction?.memory_access()?.ty)),
    };
    let unit = u64::try_from(array.unit).map_err(|_| Reason::TooLarge)?;
    let bytes = Element::scalar(ElementKind::Bytes, u32::try_from(8 * unit).map_err(|_| Reason::TooLarge)?);
    let params = scop.context.space().params_space();
    let (frame, everywhere) = (Frame::new(&params, "", Vec::new()), Set::universe(params.clone()));
    let sizes = array.sizes.iter().map(|size| function(size, &everywhere, &frame));
    Ok(scop::Array {
        name: array.name.clone(),
        element: ty.map_or(bytes, |ty| element(scop, ty)),
        unit,
        storage: match array.storage {
            Storage::Memory(_) | Storage::Buffer(_) => scop::Storage::Memory,
            Storage::Rows(_) => scop::Storage::Rows(array.levels.len()),
            Storage::Scalar(..) => scop::Storage::Scalar,
        },
        sizes: sizes.collect::<Result<_>>()?,
    })
}

/// A type as an element; what has no number as its content counts by its size.
fn element(scop: &Scop, ty: Type) -> Element {
    let scalar = |kind, bits| Element::scalar(kind, bits);
    match ty.kind() {
        TypeKind::Int(bits) => scalar(ElementKind::Integer, bits),
        TypeKind::Half => scalar(ElementKind::Float, 16),
        TypeKind::BFloat => scalar(ElementKind::BFloat, 16),
        TypeKind::Float => scalar(ElementKind::Float, 32),
        TypeKind::Double => scalar(ElementKind::Float, 64),
        TypeKind::OtherFloat if ty.text() == "x86_fp80" => scalar(ElementKind::Float, 80),
        TypeKind::OtherFloat => scalar(ElementKind::Float, 128),
        TypeKind::Pointer(_) => scalar(ElementKind::Pointer, scop.address_bits),
        TypeKind::Vector => match ty.lanes() {
            Some((lanes, lane)) => Element { lanes, ..element(scop, lane) },
            None => scalar(ElementKind::Bytes, 8),
        },
        TypeKind::Void | TypeKind::Array | TypeKind::Struct | TypeKind::Other => scalar(ElementKind::Bytes, 8),
    }
}

fn describe_statement(scop: &Scop, statement: &Statement, budget: &Budget) -> Result<scop::Statement> {
    let accesses = statement
        .accesses
        .iter()
        .map(|access| Ok(scop::Access { kind: access.kind, relation: access_relation(scop, statement, access)? }));
    let mut operations = Vec::new();
    for op in &statement.body {
        if let Op::Compute { instruction, .. } = op {
            let (kind, element) = operation(scop, *instruction);
            Operation::count(&mut operations, kind, element);
        }
    }
    Ok(scop::Statement {
        name: statement.name.clone(),
        domain: statement.domain.gist_params(&scop.context, budget).map_err(library_error)?,
        accesses: accesses.collect::<Result<_>>()?,
        operations,
        chains: chains(scop, statement),
        reduction: statement.reduction.as_ref().map(|reduction| scop::Reduction {
            kind: format!("{} {}", combination(reduction.combination), element(scop, reduction.ty)),
            read: reduction.read,
            write: reduction.write,
        }),
        branches: !statement.is_straight(),
    })
}

fn combination(combination: Combination) -> &'static str {
    match combination {
        Combination::Sum => "sum",
        Combination::Product => "product",
        Combination::And => "and",
        Combination::Or => "or",
        Combination::Xor => "xor",
        Combination::SignedMinimum => "signed minimum",
        Combination::SignedMaximum => "signed maximum",
        Combination::UnsignedMinimum => "unsigned minimum",
        Combination::UnsignedMaximum => "unsigned maximum",
        Combination::FloatMinimum => "minimum",
        Combination::FloatMaximum => "maximum",
    }
}

/// What an instruction does, and on what.
fn operation(scop: &Scop, instruction: Value) -> (OperationKind, Element) {
    let result = element(scop, instruction.ty());
    let operand = instruction.operand(0).map_or(result, |operand| element(scop, operand.ty()));
    let Some(opcode) = instruction.opcode() else { return (OperationKind::Other("value".into()), result) };
    match opcode {
        Opcode::Add | Opcode::Sub | Opcode::FAdd | Opcode::FSub => (OperationKind::Add, result),
        Opcode::Mul | Opcode::FMul => (OperationKind::Multiply, result),
        Opcode::UDiv | Opcode::SDiv | Opcode::FDiv => (OperationKind::Divide, result),
        Opcode::URem | Opcode::SRem | Opcode::FRem => (OperationKind::Remainder, result),
        Opcode::And | Opcode::Or | Opcode::Xor | Opcode::FNeg => (OperationKind::Logic, result),
        Opcode::Shl | Opcode::LShr | Opcode::AShr => (OperationKind::Shift, result),
        Opcode::ICmp | Opcode::FCmp => (OperationKind::Compare, operand),
        Opcode::Select => (OperationKind::Select, result),
        Opcode::GetElementPtr => (OperationKind::Address, result),
        Opcode::Trunc
        | Opcode::ZExt
        | Opcode::SExt
        | Opcode::FPToUI
        | Opcode::FPToSI
        | Opcode::UIToFP
        | Opcode::SIToFP
        | Opcode::FPTrunc
        | Opcode::FPExt
        | Opcode::PtrToInt
        | Opcode::IntToPtr
        | Opcode::BitCast
        | Opcode::AddrSpaceCast => (OperationKind::Convert(operand), result),
        Opcode::Call => (call(instruction), result),
        other => (OperationKind::Other(format!("{other:?}").to_lowercase()), result),
    }
}

fn call(instruction: Value) -> OperationKind {
    let intrinsic = instruction.intrinsic_name();
    let name = intrinsic.clone().or_else(|| instruction.callee_user_name()).unwrap_or_else(|| "?".into());
    match intrinsic.as_deref() {
        Some("llvm.fma" | "llvm.fmuladd") => OperationKind::MultiplyAdd,
        Some("llvm.sqrt") => OperationKind::SquareRoot,
        Some("llvm.fabs" | "llvm.copysign") => OperationKind::Logic,
        Some("llvm.smin" | "llvm.smax" | "llvm.umin" | "llvm.umax" | "llvm.minnum" | "llvm.maxnum") => {
            OperationKind::MinMax
        }
        Some("llvm.minimum" | "llvm.maximum" | "llvm.minimumnum" | "llvm.maximumnum") => OperationKind::MinMax,
        // A word of a text.
        _ => OperationKind::Call(name.replace(char::is_whitespace, "_")),
    }
}

/// The longest way from every read of something that the region writes to every write.
fn chains(scop: &Scop, statement: &Statement) -> Vec<scop::Chain> {
    let mut result = Vec::new();
    for (from, access) in statement.accesses.iter().enumerate() {
        if access.kind != AccessKind::Read || !scop.is_written(access.array) {
            continue;
        }
        let mut ways: HashMap<Value, Vec<Operation>> = HashMap::new();
        let longest = |ways: &HashMap<Value, Vec<Operation>>, operands: &mut dyn Iterator<Item = &Operand>| {
            let known = operands.filter_map(|operand| match operand {
                Operand::Result(value) => ways.get(value).cloned(),
                _ => None,
            });
            known.max_by_key(Vec::len)
        };
        for op in &statement.body {
            match op {
                Op::Read { access, result } if *access == from => {
                    ways.insert(*result, Vec::new());
                }
                Op::Compute { instruction, operands } => {
                    if let Some(mut way) = longest(&ways, &mut operands.iter()) {
                        let (kind, element) = operation(scop, *instruction);
                        way.push(Operation { kind, element, times: 1 });
                        ways.insert(*instruction, way);
                    }
                }
                Op::Phi { phi, incoming } => {
                    if let Some(way) = longest(&ways, &mut incoming.iter().map(|(_, operand)| operand)) {
                        ways.insert(*phi, way);
                    }
                }
                Op::Write { access, value } => {
                    if let Some(through) = longest(&ways, &mut std::iter::once(value)) {
                        result.push(scop::Chain { from, to: *access, through });
                    }
                }
                _ => {}
            }
        }
    }
    result
}

/// What the program promises about its loops: `#pragma clang loop vectorize(assume_safety)`, `#pragma omp simd` and the like, which reach
/// the plugin as groups of accesses. Only accesses that stand where the promise found them take part: what scalars became in the model was
/// never promised anything.
fn promises(scop: &Scop) -> Vec<scop::Promise> {
    let mut result = Vec::new();
    for (index, of_loop) in scop.region.loops.iter().enumerate() {
        let mut promise = scop::Promise { depth: 0, accesses: Vec::new() };
        for (s, statement) in scop.statements.iter().enumerate() {
            let Some(depth) = statement.dim(index) else { continue };
            for (number, access) in statement.accesses.iter().enumerate() {
                let promised = |instruction| of_loop.handle.is_parallel_access(instruction);
                if scop.is_in_place(statement, access) && access.instruction.is_some_and(promised) {
                    promise.depth = depth;
                    promise.accesses.push((s, number));
                }
            }
        }
        if !promise.accesses.is_empty() {
            result.push(promise);
        }
    }
    result
}

/// What the guard checks, as far as data can say it: what tables of rows must be is told beside them (`report::print`).
pub fn assumptions(scop: &Scop, budget: &Budget) -> Result<Vec<Assumption>> {
    let params = scop.context.space().params_space();
    let name = |array: usize| scop.arrays[array].name.clone();
    let on = |poly: &Poly, domain: &Set, loops: &[usize]| {
        let domain = domain.gist_params(&scop.context, budget).map_err(library_error)?;
        function(poly, &domain, &Frame::of_loops(&params, "", loops))
    };
    let mut result = Vec::new();
    for check in &scop.checks {
        let assumed = &check.assumption;
        result.push(Assumption::Range {
            value: on(&assumed.poly, &check.domain, &check.loops)?,
            low: Some(assumed.low),
            high: Some(assumed.high).filter(|high| *high != UNLIMITED),
        });
    }
    for check in &scop.shapes {
        let last = Poly::constant(check.count).and_then(|count| check.subscript.add(&count)).ok_or(Reason::TooLarge)?;
        let room = check.size.sub(&last).ok_or(Reason::TooLarge)?;
        for poly in [&check.subscript, &room] {
            result.push(Assumption::Range { value: on(poly, &check.domain, &check.loops)?, low: Some(0), high: None });
        }
    }
    result.extend(scop.may_overlap.iter().map(|(a, b)| Assumption::Apart(name(*a), name(*b))));
    for bytes in &scop.protected {
        let arrays = bytes.arrays.iter();
        result.extend(arrays.map(|array| Assumption::Protected { bytes: bytes.name.clone(), array: name(*array) }));
    }
    for visit in &scop.visits {
        if let Purpose::Rows(array) = visit.purpose
            && scop.is_written(array)
        {
            result.push(Assumption::Rows(name(array)));
        }
    }
    Ok(result)
}

/// A polynomial as a function on a set, whose dimensions are those of the frame.
fn function(poly: &Poly, domain: &Set, frame: &Frame) -> Result<UnionPwQPolynomial> {
    let space = domain.space();
    let (params, dims) = (space.offset(DimKind::Param), space.offset(DimKind::Out));
    let foreign = || Reason::Internal { message: "a function of a variable that its domain does not have".into() };
    let mut terms = Vec::new();
    for (monomial, coefficient) in poly.terms() {
        let columns = monomial.iter().map(|symbol| match symbol {
            Sym::Param(index) => Ok(params + index),
            iv => frame.dims().iter().position(|dim| dim == iv).map(|dim| dims + dim).ok_or_else(foreign),
        });
        terms.push((columns.collect::<Result<Vec<_>>>()?, Rational::from(Int::from(coefficient))));
    }
    let value = QPolynomial::from_terms(space.clone(), terms).map_err(library_error)?;
    Ok(PwQPolynomial::on(domain, &value).map_err(library_error)?.into())
}

/// The order of the program as a tree: the band that `band` makes of every loop, and a sequence where several nodes follow each other.
/// `instances` are those of some statements.
fn written(
    nodes: &[Order],
    instances: &impl Fn(&[usize]) -> Result<Instances>,
    band: &impl Fn(usize, &[Order]) -> Result<Band>,
) -> Result<Node> {
    let mut children = Vec::new();
    for node in nodes {
        let tree = match node {
            Order::Statement(_) => Node::leaf(),
            Order::Loop { index, body } => Node::band(band(*index, body)?, written(body, instances, band)?),
        };
        children.push((std::slice::from_ref(node), tree));
    }
    if children.len() == 1 {
        return Ok(children.remove(0).1);
    }
    let filters = children.into_iter().map(|(node, tree)| Ok(Node::filter(instances(&statements_of(node))?, tree)));
    Ok(Node::sequence(filters.collect::<Result<_>>()?))
}

/// The band member that is the counter of a loop in all these statements.
fn counter(scop: &Scop, statements: &[usize], index: usize) -> Result<Member> {
    let params = scop.context.space().params_space();
    let affs = statements.iter().map(|s| {
        let statement = &scop.statements[*s];
        let dim = statement.dim(index);
        let dim = dim.ok_or_else(|| Reason::Internal { message: "a statement outside of its loop".into() })?;
        let frame = Frame::of_loops(&params, &statement.name, &statement.loops);
        Aff::var(frame.space().clone(), dim).map_err(library_error)
    });
    Member::new(affs.collect::<Result<Vec<_>>>()?).map_err(library_error)
}

/// An access as a relation from instances to elements, without the domain.
pub fn access_relation(scop: &Scop, statement: &Statement, access: &Access) -> Result<Map> {
    let params = scop.context.space().params_space();
    let frame = Frame::of_loops(&params, &statement.name, &statement.loops);
    let names: Vec<String> = (0..access.subscripts.len()).map(|dim| format!("a{dim}")).collect();
    let elements = Space::set(&params, &scop.arrays[access.array].name, &names);
    let space = Space::map(frame.space(), &elements);
    let mut conjunction = Conjunction::universe(space.clone());
    let first = space.offset(DimKind::Out);
    for (dim, subscript) in access.subscripts.iter().enumerate() {
        let mut row = frame.row(subscript)?;
        row.resize(space.n_col(), Int::zero());
        let negated: Vec<Int> = row.iter().map(|entry| -entry).collect();
        if dim + 1 == access.subscripts.len() && access.count > 1 {
            // subscript <= element < subscript + count
            let mut low = negated;
            low[first + dim] = Int::one();
            let mut high = row;
            high[first + dim] = Int::from(-1i64);
            high[0] = &high[0] + &Int::from(access.count - 1);
            conjunction.add_ineq(low);
            conjunction.add_ineq(high);
        } else {
            let mut equal = row;
            equal[first + dim] = Int::from(-1i64);
            conjunction.add_eq(equal);
        }
    }
    Ok(Map::from_conjunction(conjunction))
}
