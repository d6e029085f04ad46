//! Copies that transpose, in registers.
//!
//! A product that needs the columns of an array side by side copies its rows to a buffer whose rows they become. Element by element one of both sides
//! is not contiguous, and vectors have to gather. Here blocks of as many rows as a vector has lanes are loaded along their rows, transposed by
//! shuffles, and stored along the rows of the buffer:
//!
//! ```text
//! for p: for q:                      for p in steps of 8: for q in steps of 8:
//!   B[p][q] = A[q][p]          =>      r0 = A[q][p .. p + 7]; ... r7 = A[q + 7][p .. p + 7]
//!                                      transpose r0 .. r7
//!                                      B[p][q .. q + 7] = r0; ... B[p + 7][q .. q + 7] = r7
//! ```
//!
//! Where the last block is not whole it begins earlier: some elements are copied twice. If there is no whole block, elements are copied one by one.
//!
//! The transposition exchanges blocks of 1, 2, 4, ... elements between pairs of vectors that are so many rows apart: `lanes log2(lanes)` shuffles.
//! (Doubles, AVX-512: 0.2 ns per element instead of 0.8 with gathers.)
//!
//! Invariants: a vector is loaded or stored only where all its elements are copied; copies may run in any order, and twice, since nothing that is
//! copied is in a buffer.
//!
//! J. O. Eklundh, "A Fast Computer Method for Matrix Transposing", IEEE Transactions on Computers 1972.

use super::Emitter;
use super::sum::Sum;
use crate::formula::poly::{Poly, Sym};
use crate::host::{Edit, EditError, IntOp, TypeKind, Value};
use crate::model::scop::{Pack, Storage};
use tessera_polyhedral::arith::Int;
use tessera_polyhedral::ast::{Ast, Cond, Expr, For, IterId};
use tessera_polyhedral::space::Name;

/// The mark around a copy that stands for those of a whole block.
pub(super) const BLOCK: &str = "transposed";

/// The mark around loops over copies that are not in blocks.
pub(super) const ONE_BY_ONE: &str = "one by one";

/// The counters of blocks, along the outer and the inner loop.
const OUTER: IterId = IterId(usize::MAX - 2);
const INNER: IterId = IterId(usize::MAX - 3);

/// The fewest and the most lanes: of fewer, shuffles save nothing; of more, there are not enough registers.
const LANES: std::ops::RangeInclusive<u32> = 4..=16;

impl Emitter<'_, '_, '_> {
    /// A loop over a loop over copies that transpose, block by block; nothing if that is something else.
    pub(super) fn in_blocks(&self, node: &For) -> Option<Ast> {
        let Ast::For(inside) = &*node.body else { return None };
        let Ast::User { stmt, args } = &*inside.body else { return None };
        if self.kernel.is_some() || self.visitor.is_some() || self.is_one_by_one {
            return None;
        }
        let pack = self.scop.packs.iter().find(|pack| *pack.name == **stmt)?;
        if !matches!(self.scop.arrays[pack.to.array].storage, Storage::Buffer(_)) {
            return None;
        }
        let lanes = self.lanes(pack)?;
        let is_plain = |one: &For| one.step.is_one() && one.test.is_none();
        let (upper, inner_upper) = (node.upper.as_ref()?, inside.upper.as_ref()?);
        if !is_plain(node) || !is_plain(inside) || [&inside.lower, inner_upper].iter().any(|e| e.involves(node.iter)) {
            return None;
        }
        let along = moving_argument(pack, args, node.iter)?;
        let across = moving_argument(pack, args, inside.iter)?;
        let unit = self.scop.arrays[pack.to.array].unit;
        if !goes_along(&pack.from.offset, pack.dims[along], unit)
            || !goes_along(&pack.to.offset, pack.dims[across], unit)
            || pack.from.entries.iter().any(|entry| entry.symbols().any(|symbol| symbol == Sym::Iv(pack.dims[along])))
        {
            return None;
        }
        let most = Expr::constant(i64::from(lanes) - 1);
        let less = |a: &Expr, b: &Expr| Expr::Sub(Box::new(a.clone()), Box::new(b.clone()));
        let (mut block, mut fits) = (args.clone(), Vec::new());
        for (one, upper, position, counter) in [(node, upper, along, OUTER), (inside, inner_upper, across, INNER)] {
            let (first, last) = (Expr::Iter(counter), less(upper, &most));
            let is_even = comes_out_even(&one.lower, upper, lanes);
            block[position] = if is_even { first } else { Expr::min(vec![first, last.clone()]) };
            fits.extend((!is_even).then(|| Cond::Ge(less(&last, &one.lower))));
        }
        let user = Ast::User { stmt: stmt.clone(), args: block };
        let whole = Ast::Mark(Name::from(BLOCK), Box::new(user));
        let blocks = |one: &For, iter: IterId, body: Ast| {
            let name = Name::from(format!("{}_block", one.name).as_str());
            let (step, body) = (Int::from(i64::from(lanes)), Box::new(body));
            Ast::For(For {
                iter,
                name,
                step,
                trip_count: None,
                degenerate: false,
                coincident: false,
                body,
                ..one.clone()
            })
        };
        let then = blocks(node, OUTER, blocks(inside, INNER, whole));
        if fits.is_empty() {
            return Some(then);
        }
        let one_by_one = Ast::Mark(Name::from(ONE_BY_ONE), Box::new(Ast::For(node.clone())));
        Some(Ast::If { cond: Cond::and(fits), then: Box::new(then), otherwise: Some(Box::new(one_by_one)) })
    }

    /// Copies a block, given one of its instances in terms of the counters of blocks.
    pub(super) fn transposed_block(&mut self, ast: &Ast) -> Edit<()> {
        let missing = || EditError::new("a block without copies");
        let Ast::User { stmt, args } = ast else { return Err(missing()) };
        let scop = self.scop;
        let pack = scop.packs.iter().find(|pack| *pack.name == **stmt).ok_or_else(missing)?;
        let position = |iter: IterId| args.iter().position(|arg| arg.involves(iter)).ok_or_else(missing);
        let (along, across) = (position(OUTER)?, position(INNER)?);
        let lanes = self.lanes(pack).ok_or_else(missing)?;
        let args = args.iter().map(|arg| self.expr(arg)).collect::<Edit<Vec<_>>>()?;
        let editor = self.scopes.editor;
        let vector = editor.vector_type(pack.ty, lanes)?;
        let mut rows = Vec::new();
        for row in 0..lanes {
            let mut own = args.clone();
            let distance = self.scopes.constant(&Int::from(i64::from(row)))?;
            own[across] = self.scopes.int(IntOp::Add, own[across], distance)?;
            let from = self.memory_address(&pack.dims, &pack.from, &own)?;
            let loaded = editor.load(vector, from, pack.align)?;
            self.annotate(loaded, pack.from.array)?;
            rows.push(loaded);
        }
        self.transpose(&mut rows)?;
        for (row, value) in (0i64..).zip(rows) {
            let mut own = args.clone();
            let distance = self.scopes.constant(&Int::from(row))?;
            own[along] = self.scopes.int(IntOp::Add, own[along], distance)?;
            let to = self.memory_address(&pack.dims, &pack.to, &own)?;
            let store = editor.store(value, to, self.unit_align(pack.to.array))?;
            self.annotate(store, pack.to.array)?;
        }
        Ok(())
    }

    /// Transposes a square of vectors: lane `l` of row `r` becomes lane `r` of row `l`.
    fn transpose(&self, rows: &mut [Value]) -> Edit<()> {
        let editor = self.scopes.editor;
        let n = rows.len();
        let mut distance = 1;
        while distance < n {
            // The first of both rows keeps the lanes without this bit and gets those of the other row; the second one the other way round.
            let lane = |l: usize| if l & distance == 0 { l } else { n + l - distance };
            let low: Vec<usize> = (0..n).map(lane).collect();
            let high: Vec<usize> = low.iter().map(|l| l + distance).collect();
            for row in (0..n).filter(|row| row & distance == 0) {
                let (a, b) = (rows[row], rows[row + distance]);
                rows[row] = editor.shuffle(a, b, &low)?;
                rows[row + distance] = editor.shuffle(a, b, &high)?;
            }
            distance *= 2;
        }
        Ok(())
    }

    /// How many elements a copy may move at once; nothing for types that vectors are not made of here.
    fn lanes(&self, pack: &Pack) -> Option<u32> {
        let unit = u32::try_from(self.scop.arrays[pack.to.array].unit).ok()?;
        let bits = match pack.ty.kind() {
            TypeKind::Int(bits) => bits,
            TypeKind::Float => 32,
            TypeKind::Double => 64,
            _ => return None,
        };
        let lanes = self.scopes.editor.analyses().vector_bits() / bits.max(1);
        (bits == 8 * unit && lanes.is_power_of_two() && LANES.contains(&lanes)).then_some(lanes)
    }
}

/// The only argument of a copy that changes with a loop, if it is the counter.
pub(super) fn moving_argument(pack: &Pack, args: &[Expr], iter: IterId) -> Option<usize> {
    let mut moving = args.iter().enumerate().filter(|(_, arg)| arg.involves(iter));
    let (Some((position, arg)), None) = (moving.next(), moving.next()) else { return None };
    (*arg == Expr::Iter(iter) && position < pack.dims.len()).then_some(position)
}

/// Whether a loop goes through blocks.
pub(super) fn is_over_blocks(node: &For) -> bool {
    matches!(&*node.body, Ast::Mark(name, _) if &**name == BLOCK)
}

/// Whether an address moves from element to element with a counter.
pub(super) fn goes_along(offset: &Poly, counter: usize, unit: i128) -> bool {
    let mut own = offset.terms().filter(|(monomial, _)| monomial.contains(&Sym::Iv(counter)));
    let first = own.next();
    first.is_some_and(|(monomial, factor)| monomial.len() == 1 && factor == unit) && own.next().is_none()
}

/// Whether a loop with these bounds certainly runs a multiple of so many times.
fn comes_out_even(lower: &Expr, upper: &Expr, lanes: u32) -> bool {
    let mut distance = Sum::default();
    let sum = distance.add(upper, 1).and_then(|()| distance.add(lower, -1));
    sum.is_some() && distance.terms.is_empty() && (distance.constant + 1) % i128::from(lanes) == 0
}
