//! Orders and simple relations between sets and functions: lexicographic comparison of points, identity and translation
//! tests, sums and negations, relations with one trivial side.

use crate::budget::Budget;
use crate::error::Result;
use crate::space::{DimKind, Space, Tuple};

use super::{Comparison, Map, Relation, Set, check_dims, mismatch};

/// The lexicographic order on a set space.
fn order(space: &Space, comparison: Lexicographic) -> Result<Map> {
    match comparison {
        Lexicographic::Lt => Map::lex_lt(space),
        Lexicographic::Le => Map::lex_le(space),
        Lexicographic::Gt => Map::lex_gt(space),
        Lexicographic::Ge => Map::lex_ge(space),
    }
}

/// Which lexicographic order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Lexicographic {
    /// Before.
    Lt,
    /// Before or equal.
    Le,
    /// After.
    Gt,
    /// After or equal.
    Ge,
}

impl Set {
    /// The pairs of a point `x` here and a point `y` of `other`, a set over the same tuple, where `x` is before `y` (or
    /// what else the order says). Exact; one conjunction per dimension and pair of conjunctions.
    pub fn lex_order(&self, order_of: Lexicographic, other: &Set, budget: &Budget) -> Result<Map> {
        if !self.space().has_equal_tuples(other.space()) || !self.space().is_set() {
            return Err(mismatch("compare lexicographically", self.space(), other.space()));
        }
        order(self.space(), order_of)?.intersect_domain(self, budget)?.intersect_range(other, budget)
    }

    /// The pairs with `x` lexicographically less than `y`; see [`Set::lex_order`].
    pub fn lex_lt(&self, other: &Set, budget: &Budget) -> Result<Map> {
        self.lex_order(Lexicographic::Lt, other, budget)
    }

    /// The pairs with `x` lexicographically less than or equal to `y`; see [`Set::lex_order`].
    pub fn lex_le(&self, other: &Set, budget: &Budget) -> Result<Map> {
        self.lex_order(Lexicographic::Le, other, budget)
    }

    /// The pairs with `x` lexicographically greater than `y`; see [`Set::lex_order`].
    pub fn lex_gt(&self, other: &Set, budget: &Budget) -> Result<Map> {
        self.lex_order(Lexicographic::Gt, other, budget)
    }

    /// The pairs with `x` lexicographically greater than or equal to `y`; see [`Set::lex_order`].
    pub fn lex_ge(&self, other: &Set, budget: &Budget) -> Result<Map> {
        self.lex_order(Lexicographic::Ge, other, budget)
    }

    /// The points `-x`.
    pub fn neg(&self) -> Set {
        Set(self.0.negated(DimKind::Out))
    }

    /// The sums of a point here and a point of `other`, a set over the same tuple. Exact.
    pub fn sum(&self, other: &Set, budget: &Budget) -> Result<Set> {
        Map::from_range(self).sum(&Map::from_range(other), budget)?.range(budget)
    }
}

impl Map {
    /// The pairs `(x, y)` such that an image of `x` here is before an image of `y` under `other` (or what else the
    /// order says). The ranges must have one tuple. For functions `f` and `g` that is `f(x) < g(y)`. Exact.
    pub fn lex_order_of_images(&self, order_of: Lexicographic, other: &Map, budget: &Budget) -> Result<Map> {
        if self.space().range_tuple() != other.space().range_tuple() {
            return Err(mismatch("compare lexicographically", &self.space().range(), &other.space().range()));
        }
        self.apply_range(&order(&self.space().range(), order_of)?, budget)?.apply_range(&other.reverse(), budget)
    }

    /// The pairs of points of a set space that compare in the given way in their first `n` dimensions, which decide
    /// alone.
    pub fn lex_order_first(order_of: Lexicographic, space: &Space, n: usize) -> Result<Map> {
        check_dims("compare lexicographically", space, DimKind::Out, 0, n)?;
        let first = order(&Space::set_of(space, Tuple::anonymous(n)), order_of)?;
        let rest = space.dim(DimKind::Out) - n;
        let wide = first.insert_dims(DimKind::In, n, rest)?.insert_dims(DimKind::Out, n, rest)?;
        wide.with_space(&Space::map(space, space))
    }

    /// The relation between a set and the empty unnamed tuple: every point goes to `[]`.
    pub fn from_domain(set: &Set) -> Map {
        Map::from_range(set).reverse()
    }

    /// The relation from the empty unnamed tuple to every point of a set.
    pub fn from_range(set: &Set) -> Map {
        let space = Space::map_of(set.space(), Tuple::anonymous(0), set.space().range_tuple().clone());
        Map(set.0.with_space(space))
    }

    /// Whether every pair is a point with itself. Exact. An empty relation on one tuple is an identity.
    pub fn is_identity(&self, budget: &Budget) -> Result<bool> {
        if self.space().domain_tuple() != Some(self.space().range_tuple()) {
            return Ok(self.space().dim(DimKind::In) == self.space().dim(DimKind::Out) && self.is_empty(budget)?);
        }
        for k in 0..self.space().dim(DimKind::In) {
            if !self.compare_dims(DimKind::In, k, Comparison::Ne, DimKind::Out, k)?.is_empty(budget)? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Whether all pairs of points with equally many dimensions have the same difference `y - x`, which may depend on
    /// the parameters. Exact.
    pub fn is_translation(&self, budget: &Budget) -> Result<bool> {
        if self.space().dim(DimKind::In) != self.space().dim(DimKind::Out) {
            return Ok(false);
        }
        let flat = self.flatten();
        flat.deltas(budget)?.is_singleton(budget)
    }

    /// Simplifies the pairs in a context that constrains only the domain.
    pub fn gist_domain(&self, context: &Set, budget: &Budget) -> Result<Map> {
        let context = Map::from_domain_and_range(context, &Set::universe(self.space().range()), budget)?;
        self.gist(&context, budget)
    }

    /// Simplifies the pairs in a context that constrains only the range.
    pub fn gist_range(&self, context: &Set, budget: &Budget) -> Result<Map> {
        let context = Map::from_domain_and_range(&Set::universe(self.space().domain()), context, budget)?;
        self.gist(&context, budget)
    }

    /// The pairs `(x, -y)`.
    pub fn neg(&self) -> Map {
        Map(self.0.negated(DimKind::Out))
    }

    /// The pairs `(x, y + z)` with `(x, y)` here and `(x, z)` in `other`, a map between the same tuples. Exact.
    pub fn sum(&self, other: &Map, budget: &Budget) -> Result<Map> {
        if !self.space().has_equal_tuples(other.space()) {
            return Err(mismatch("add", self.space(), other.space()));
        }
        let tuple = self.space().range_tuple();
        let universe = Map::universe(Space::map_of(&self.space().params_space(), tuple.clone(), tuple.clone()));
        // The pairs `[y -> z]` go to `z - (-y)`.
        let addition = universe.deltas_map()?;
        self.neg().range_product(other, budget)?.apply_range(&addition, budget)
    }

    /// The pairs where dimension `pos` of a tuple is the negation of dimension `other_pos` of another.
    pub fn oppose(&self, kind: DimKind, pos: usize, other: DimKind, other_pos: usize) -> Result<Map> {
        Ok(Map(self.0.opposed((kind, pos), (other, other_pos))?))
    }
}

impl Relation {
    /// The relation with the signs of all dimensions of a kind changed.
    fn negated(&self, kind: DimKind) -> Relation {
        let columns = self.space.offset(kind)..self.space.offset(kind) + self.space.dim(kind);
        let parts = self.parts.iter().map(|part| {
            let mut part = part.clone();
            for row in part.all_rows_mut() {
                for x in &mut row[columns.clone()] {
                    *x = -&*x;
                }
            }
            part
        });
        Relation::from_parts(self.space.clone(), parts)
    }

    fn opposed(&self, a: (DimKind, usize), b: (DimKind, usize)) -> Result<Relation> {
        let first = self.column("compare dimensions", a.0, a.1)?;
        let second = self.column("compare dimensions", b.0, b.1)?;
        let mut row = super::row::zeros(self.space.n_col());
        row[first] += 1;
        row[second] += 1;
        Ok(self.constrained(&row, true))
    }
}
