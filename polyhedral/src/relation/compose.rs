//! Relations from orders, and operations that move tuples around: composition, products, factors, deltas.

use crate::arith::Int;
use crate::budget::Budget;
use crate::error::{Error, Result};
use crate::space::{DimKind, Space, Tuple};

use super::conjunction::{Conjunction, Div};
use super::row;
use super::{Relation, check_dims, mismatch};

/// The space of pairs of points of one set space.
fn pairs(operation: &'static str, space: &Space) -> Result<Space> {
    if !space.is_set() {
        return Err(Error::WrongShape { operation, space: space.clone(), expected: "a set space" });
    }
    Ok(Space::map(space, space))
}

/// The row `out[b] - in[a] - offset`.
fn difference(space: &Space, a: usize, b: usize, offset: i64) -> row::Row {
    let mut row = row::zeros(space.n_col());
    row[0] = Int::from(-offset);
    row[space.offset(DimKind::In) + a] = Int::from(-1);
    row[space.offset(DimKind::Out) + b] = Int::one();
    row
}

/// The identity relation on a set space.
pub(super) fn identity(space: &Space) -> Result<Relation> {
    let space = pairs("form the identity", space)?;
    let mut c = Conjunction::universe(space.clone());
    for k in 0..space.dim(DimKind::In) {
        c.add_eq(difference(&space, k, k, 0));
    }
    Ok(Relation::from_parts(space, [c]))
}

/// `x < y` in lexicographic order (`greater`: `x > y`), one conjunction per first differing dimension, `or_equal` adds
/// the identity.
pub(super) fn lexicographic(space: &Space, greater: bool, or_equal: bool) -> Result<Relation> {
    let space = pairs("form a lexicographic order", space)?;
    let n = space.dim(DimKind::In);
    let mut result = Relation::empty(space.clone());
    let mut prefix = Conjunction::universe(space.clone());
    for k in 0..n {
        let mut c = prefix.clone();
        c.add_ineq(if greater {
            let mut row = row::negated(&difference(&space, k, k, 0));
            row[0] -= 1;
            row
        } else {
            difference(&space, k, k, 1)
        });
        result.push(c.simplify());
        prefix.add_eq(difference(&space, k, k, 0));
    }
    if or_equal {
        result.push(prefix.simplify());
    }
    Ok(result)
}

impl Relation {
    pub(crate) fn reverse(&self) -> Relation {
        let space = self.space.reverse();
        let (start, n_in, n_out) =
            (self.space.offset(DimKind::In), self.space.dim(DimKind::In), self.space.dim(DimKind::Out));
        let place = |c: usize| match c {
            c if c < start => c,
            c if c < start + n_in => c + n_out,
            c => c - n_in,
        };
        let map: Vec<usize> = (0..self.space.n_col()).map(place).collect();
        self.remap_columns(space, &map)
    }

    /// Intersects all pairs of parts in the wide columns of the plan; those that it does not keep become existentials.
    fn join(&self, other: &Relation, plan: &JoinPlan, budget: &Budget) -> Result<Relation> {
        let mut result = Relation::empty(plan.space.clone());
        for a in self.parts() {
            for b in other.parts() {
                budget.spend(a.weight() + b.weight())?;
                result.push(plan.join(a, b).simplify_projection(budget)?);
            }
        }
        Ok(result)
    }

    pub(crate) fn apply_range(&self, other: &Relation, budget: &Budget) -> Result<Relation> {
        let (middle, domain) = (self.space.range_tuple(), other.space.domain_tuple());
        if !self.space.is_map() || Some(middle) != domain {
            return Err(mismatch("compose", &self.space, &other.space));
        }
        let (left, right) = self.aligned(other);
        let tuple = |s: &Space, kind| s.tuple(kind).cloned().unwrap_or_default();
        let (x, y, z) =
            (tuple(&left.space, DimKind::In), tuple(&left.space, DimKind::Out), tuple(&right.space, DimKind::Out));
        let space = Space::map_of(&left.space, x.clone(), z.clone());
        let start = left.space.offset(DimKind::In);
        let (nx, ny, nz) = (x.len(), y.len(), z.len());
        let plan = JoinPlan {
            left: (0..start + nx).chain((0..ny).map(|k| start + nx + nz + k)).collect(),
            right: (0..start)
                .chain((0..ny).map(|k| start + nx + nz + k))
                .chain((0..nz).map(|k| start + nx + k))
                .collect(),
            keep: (0..start + nx + nz + ny).map(|c| (c < start + nx + nz).then_some(c)).collect(),
            space,
        };
        left.join(&right, &plan, budget)
    }

    /// `X -> tuple` where the columns of `tuple` are those of both ranges.
    pub(crate) fn range_product(&self, other: &Relation, tuple: Tuple, budget: &Budget) -> Result<Relation> {
        let (Some(x), true) =
            (self.space.domain_tuple().cloned(), self.space.domain_tuple() == other.space.domain_tuple())
        else {
            return Err(mismatch("form the range product", &self.space, &other.space));
        };
        let (left, right) = self.aligned(other);
        let space = Space::map_of(&left.space, x, tuple);
        let start = left.space.offset(DimKind::Out);
        let (ny, nz) = (left.space.dim(DimKind::Out), right.space.dim(DimKind::Out));
        let plan = JoinPlan {
            left: (0..start + ny).collect(),
            right: (0..start).chain((0..nz).map(|k| start + ny + k)).collect(),
            keep: (0..start + ny + nz).map(Some).collect(),
            space,
        };
        left.join(&right, &plan, budget)
    }

    /// `[A -> C] -> [B -> D]` of `A -> B` and `C -> D`.
    pub(crate) fn product(&self, other: &Relation, budget: &Budget) -> Result<Relation> {
        let (left, right) = self.aligned(other);
        let (Some(a), Some(c)) = (left.space.domain_tuple(), right.space.domain_tuple()) else {
            return Err(mismatch("form the product", &self.space, &other.space));
        };
        let (b, d) = (left.space.range_tuple(), right.space.range_tuple());
        let space = Space::map_of(&left.space, Tuple::nest(a, c), Tuple::nest(b, d));
        let start = left.space.offset(DimKind::In);
        let (na, nb, nc, nd) = (a.len(), b.len(), c.len(), d.len());
        let plan = JoinPlan {
            left: (0..start + na).chain((0..nb).map(|k| start + na + nc + k)).collect(),
            right: (0..start)
                .chain((0..nc).map(|k| start + na + k))
                .chain((0..nd).map(|k| start + na + nc + nb + k))
                .collect(),
            keep: (0..start + na + nb + nc + nd).map(Some).collect(),
            space,
        };
        left.join(&right, &plan, budget)
    }

    /// Keeps one factor of a nested tuple and projects the other out.
    pub(crate) fn factor(&self, kind: DimKind, first: bool, budget: &Budget) -> Result<Relation> {
        let Some((a, b)) = self.space.tuple(kind).and_then(Tuple::factors) else {
            return Err(Error::WrongShape {
                operation: "take a factor",
                space: self.space.clone(),
                expected: "a relation with a nested tuple there",
            });
        };
        let (start, n) = if first { (a.len(), b.len()) } else { (0, a.len()) };
        let result = self.project_out(kind, start, n, budget)?;
        let space = self.space.with_tuple(kind, if first { a } else { b });
        Ok(result.with_space(space))
    }

    pub(crate) fn deltas(&self, budget: &Budget) -> Result<Relation> {
        if self.space.domain_tuple() != Some(self.space.range_tuple()) {
            return Err(mismatch("form the differences", &self.space.domain(), &self.space.range()));
        }
        let space = Space::set_of(&self.space, self.space.range_tuple().clone());
        let n = self.space.dim(DimKind::Out);
        let start = self.space.offset(DimKind::In);
        let mut result = Relation::empty(space.clone());
        for part in self.parts() {
            // [space | locals of the part | its domain | its range]
            let base = start + n;
            let inner = base + part.n_local();
            let map: Vec<usize> = (0..start).chain(inner..inner + 2 * n).chain(base..inner).collect();
            let mut c = Conjunction::universe(space.clone());
            c.push_mapped(part, &map, inner + 2 * n);
            c.locals.resize(part.n_local() + 2 * n, None);
            for k in 0..n {
                let mut row = row::zeros(inner + 2 * n);
                row[start + k] = Int::from(-1);
                row[inner + k] = Int::from(-1);
                row[inner + n + k] = Int::one();
                c.eqs.push(row);
            }
            result.push(c.simplify_projection(budget)?);
        }
        Ok(result)
    }

    /// The pairs with `in[a] = out[b]`, or `in[a] < out[b]`.
    pub(crate) fn compared(&self, a: usize, b: usize, equal: bool) -> Result<Relation> {
        check_dims("compare dimensions", &self.space, DimKind::In, a, 1)?;
        check_dims("compare dimensions", &self.space, DimKind::Out, b, 1)?;
        Ok(self.constrained(&difference(&self.space, a, b, i64::from(!equal)), equal))
    }

    /// Whether no point has two images: for every pair of parts and every dimension there is no point with images that
    /// differ there. Integer programming, no projection.
    pub(crate) fn is_single_valued(&self, budget: &Budget) -> Result<bool> {
        let n = self.space.dim(DimKind::Out);
        let Some(x) = self.space.domain_tuple() else { return Ok(self.parts.len() <= 1 && n == 0) };
        let start = self.space.offset(DimKind::Out);
        let plan = JoinPlan {
            left: (0..start + n).collect(),
            right: (0..start).chain(start + n..start + 2 * n).collect(),
            keep: (0..start + 2 * n).map(Some).collect(),
            space: Space::map_of(&self.space, x.clone(), Tuple::anonymous(2 * n)),
        };
        for (i, a) in self.parts().iter().enumerate() {
            if !a.is_function_by_equalities() && !plan.has_equal_images(a, a, start, n, budget)? {
                return Ok(false);
            }
            for b in &self.parts()[i + 1..] {
                if !plan.has_equal_images(a, b, start, n, budget)? {
                    return Ok(false);
                }
            }
        }
        Ok(true)
    }
}

impl Conjunction {
    /// Whether constraints determine every dimension of the range one after the other: an equality, or two opposite inequalities that are
    /// too near to each other for two values, in which all other variables are known. Those of the domain are, and divisions of what is
    /// known. Sound, not complete.
    fn is_function_by_equalities(&self) -> bool {
        let base = self.space.n_col();
        let start = self.space.offset(DimKind::Out);
        let mut known: Vec<bool> = (0..self.n_col()).map(|c| c < start).collect();
        let knows = |known: &[bool], row: &[Int], but: usize| {
            row.iter().zip(known).enumerate().all(|(c, (x, known))| x.is_zero() || *known || c == but)
        };
        loop {
            let is_new = |c: &usize| {
                let of_known = |div: &Div| knows(&known, &div.row, 0);
                let determines = |row: &&row::Row| !row[*c].is_zero() && knows(&known, row, *c);
                !known[*c]
                    && (c.checked_sub(base).and_then(|k| self.locals[k].as_ref()).is_some_and(of_known)
                        || self.eqs.iter().any(|row| determines(&row))
                        || self.ineqs.iter().filter(determines).any(|low| {
                            self.ineqs.iter().any(|high| {
                                row::are_opposite(&low[1..], &high[1..]) && &low[0] + &high[0] < low[*c].abs()
                            })
                        }))
            };
            match (start..self.n_col()).find(is_new) {
                Some(c) => known[c] = true,
                None => return known[start..base].iter().all(|known| *known),
            }
        }
    }
}

/// Where the columns of two operands go, and which of the joined columns stay.
struct JoinPlan {
    space: Space,
    left: Vec<usize>,
    right: Vec<usize>,
    keep: Vec<Option<usize>>,
}

impl JoinPlan {
    /// The constraints of both, not simplified: `[space | locals of a | locals of b | columns not kept]`.
    fn join(&self, a: &Conjunction, b: &Conjunction) -> Conjunction {
        let base = self.space.n_col();
        let mut n = base + a.n_local() + b.n_local();
        let place: Vec<usize> = self
            .keep
            .iter()
            .map(|kept| {
                kept.unwrap_or_else(|| {
                    n += 1;
                    n - 1
                })
            })
            .collect();
        let mut result = Conjunction::universe(self.space.clone());
        let mut first = base;
        for (operand, columns) in [(a, &self.left), (b, &self.right)] {
            let mut map: Vec<usize> = columns.iter().map(|&c| place[c]).collect();
            map.extend(first..first + operand.n_local());
            first += operand.n_local();
            result.push_mapped(operand, &map, n);
        }
        result.locals.resize(n - base, None);
        result
    }

    /// Whether no domain point has an image under `a` and a different one under `b`; the images lie in `n` columns each,
    /// from `start` on.
    fn has_equal_images(
        &self,
        a: &Conjunction,
        b: &Conjunction,
        start: usize,
        n: usize,
        budget: &Budget,
    ) -> Result<bool> {
        let mut both = self.join(a, b);
        budget.spend(both.weight())?;
        let mut tableau = both.tableau(budget)?;
        for k in 0..n {
            for sign in if std::ptr::eq(a, b) { &[1][..] } else { &[1, -1] } {
                let mut row = row::zeros(both.n_col());
                row[0] = Int::from(-1);
                row[start + k] = Int::from(*sign);
                row[start + n + k] = Int::from(-sign);
                let snapshot = tableau.snapshot();
                tableau.add_ineq(&row, budget)?;
                both.ineqs.push(row);
                if both.has_point(&tableau, budget)? {
                    return Ok(false);
                }
                both.ineqs.pop();
                tableau.rollback(snapshot);
            }
        }
        Ok(true)
    }
}
