//! Operations on single dimensions of sets and maps: comparing, moving, adding, projecting and inspecting them.
//!
//! All of them exist for sets and maps alike and are written once, over [`Relation`]. A dimension is named by its kind
//! and its position among the dimensions of that kind. A position that does not exist is an error.

use crate::arith::Int;
use crate::budget::Budget;
use crate::error::{Error, Result};
use crate::space::{DimKind, Name, Space};

use super::conjunction::Conjunction;
use super::row::{self, Row};
use super::{Map, Relation, Set, check_dims, out_of_range};

/// How two values compare.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Comparison {
    /// The first equals the second.
    Eq,
    /// The first differs from the second.
    Ne,
    /// The first is less than the second.
    Lt,
    /// The first is at most the second.
    Le,
    /// The first is greater than the second.
    Gt,
    /// The first is at least the second.
    Ge,
}

/// The kinds of dimensions that a space has, in the order of their columns.
const KINDS: [DimKind; 3] = [DimKind::Param, DimKind::In, DimKind::Out];

impl Conjunction {
    /// For every column: is it one of `columns`, or a division that depends on one?
    fn reached(&self, columns: std::ops::Range<usize>) -> Vec<bool> {
        let mut reached: Vec<bool> = (0..self.n_col()).map(|c| columns.contains(&c)).collect();
        for k in 0..self.n_local() {
            if let Some(div) = self.div(k) {
                let uses = div.row.iter().zip(&reached).any(|(x, &r)| r && !x.is_zero());
                let column = self.local_column(k);
                reached[column] |= uses;
            }
        }
        reached
    }

    /// The only value that an equality leaves to a column.
    fn plain_fixed(&self, column: usize) -> Option<Int> {
        let eq = self.eqs.iter().find(|eq| {
            !eq[column].is_zero() && eq.iter().enumerate().all(|(c, x)| c == 0 || c == column || x.is_zero())
        })?;
        eq[column].divides(&eq[0]).then(|| -eq[0].div_exact(&eq[column]))
    }

    /// The least constant that an inequality leaves a column at most.
    fn plain_upper_bound(&self, column: usize) -> Option<Int> {
        let ends = self.ineqs.iter().filter(|row| {
            row[column] == -1i64 && row.iter().enumerate().all(|(c, x)| c == 0 || c == column || x.is_zero())
        });
        ends.map(|row| row[0].clone()).min()
    }
}

impl Relation {
    /// The row `b - a` of two dimensions.
    fn difference(&self, a: (DimKind, usize), b: (DimKind, usize)) -> Result<Row> {
        let first = self.column("compare dimensions", a.0, a.1)?;
        let second = self.column("compare dimensions", b.0, b.1)?;
        let mut row = row::zeros(self.space.n_col());
        row[first] -= 1;
        row[second] += 1;
        Ok(row)
    }

    pub(crate) fn compare_dims(&self, a: (DimKind, usize), cmp: Comparison, b: (DimKind, usize)) -> Result<Relation> {
        let mut row = self.difference(a, b)?;
        Ok(match cmp {
            Comparison::Eq => self.constrained(&row, true),
            Comparison::Le => self.constrained(&row, false),
            Comparison::Ge => self.constrained(&row::negated(&row), false),
            Comparison::Lt => {
                row[0] -= 1;
                self.constrained(&row, false)
            }
            Comparison::Gt => self.constrained(&row::complement(&row), false),
            Comparison::Ne => {
                let (lt, gt) = (self.compare_dims(a, Comparison::Lt, b)?, self.compare_dims(a, Comparison::Gt, b)?);
                lt.union(&gt)?
            }
        })
    }

    pub(crate) fn move_dims(&self, to: (DimKind, usize), from: (DimKind, usize), n: usize) -> Result<Relation> {
        const OPERATION: &str = "move dimensions";
        check_dims(OPERATION, &self.space, from.0, from.1, n)?;
        let names: Vec<Option<Name>> = (0..n).map(|k| self.space.dim_name(from.0, from.1 + k).cloned()).collect();
        let space = self.space.drop_dims(from.0, from.1, n);
        if to.1 > space.dim(to.0) || (to.0 != DimKind::Param && space.tuple(to.0).is_none()) || to.0 == DimKind::Local {
            return Err(out_of_range(OPERATION, &self.space, to.0, to.1));
        }
        let space = if to.0 == DimKind::Param {
            let mut params = space.param_names().to_vec();
            for (k, name) in names.iter().enumerate() {
                let free = name.as_ref().filter(|name| !params.contains(name)).cloned();
                let name = free.ok_or_else(|| Error::OutOfRange {
                    operation: OPERATION,
                    what: format!("dimension {} of {} needs a name that no parameter has", from.1 + k, self.space),
                })?;
                params.insert(to.1 + k, name);
            }
            space.with_params_of(&Space::params(&params))
        } else {
            let mut space = space.insert_dims(to.0, to.1, n);
            for (k, name) in names.iter().enumerate() {
                space = space.with_dim_name(to.0, to.1 + k, name.as_deref().unwrap_or(""));
            }
            space
        };
        let mut order: Vec<usize> = vec![0];
        let moved: Vec<usize> = (0..n).map(|k| self.space.offset(from.0) + from.1 + k).collect();
        for kind in KINDS {
            let start = self.space.offset(kind);
            let mut columns: Vec<usize> = (start..start + self.space.dim(kind)).collect();
            if kind == from.0 {
                columns.drain(from.1..from.1 + n);
            }
            if kind == to.0 {
                columns.splice(to.1..to.1, moved.iter().copied());
            }
            order.extend(columns);
        }
        Ok(self.permuted(space, &order))
    }

    /// The relation in a space whose column `c` is the present column `order[c]`.
    pub(super) fn permuted(&self, space: Space, order: &[usize]) -> Relation {
        let mut map = vec![0; order.len()];
        for (new, &old) in order.iter().enumerate() {
            map[old] = new;
        }
        self.remap_columns(space, &map)
    }

    pub(crate) fn involves_dims(&self, kind: DimKind, first: usize, n: usize) -> Result<bool> {
        check_dims("look for dimensions", &self.space, kind, first, n)?;
        Ok((first..first + n).any(|pos| self.parts.iter().any(|p| p.involves(kind, pos))))
    }

    pub(crate) fn plain_fixed(&self, kind: DimKind, pos: usize) -> Result<Option<Int>> {
        let column = self.column("look for a fixed value", kind, pos)?;
        let mut values = self.parts.iter().map(|p| p.plain_fixed(column));
        let Some(Some(value)) = values.next() else { return Ok(None) };
        Ok(values.all(|v| v.as_ref() == Some(&value)).then_some(value))
    }

    pub(crate) fn plain_upper_bound(&self, kind: DimKind, pos: usize) -> Result<Option<Int>> {
        let column = self.column("look for an upper bound", kind, pos)?;
        let bounds: Option<Vec<Int>> = self.parts.iter().map(|part| part.plain_upper_bound(column)).collect();
        Ok(bounds.and_then(|bounds| bounds.into_iter().max()))
    }

    pub(crate) fn plainly_follows(&self, kind: DimKind, pos: usize) -> Result<bool> {
        let column = self.column("look for an equality", kind, pos)?;
        let says = |eq: &Row| !eq[column].is_zero() && eq[column + 1..].iter().all(Int::is_zero);
        Ok(self.parts.iter().all(|part| part.eqs.iter().any(says)))
    }

    pub(crate) fn fixed_value(&self, kind: DimKind, pos: usize, budget: &Budget) -> Result<Option<Int>> {
        let column = self.column("look for a fixed value", kind, pos)?;
        let Some(value) = self.sample(budget)?.and_then(|point| point.get(column - 1).cloned()) else {
            return Ok(None);
        };
        let mut row = row::zeros(self.space.n_col());
        row[column] = Int::one();
        row[0] = -&value - 1;
        let above = self.constrained(&row, false);
        row[0] += 1;
        let below = self.constrained(&row::complement(&row), false);
        Ok((above.is_empty(budget)? && below.is_empty(budget)?).then_some(value))
    }

    pub(crate) fn drop_constraints(&self, kind: DimKind, first: usize, n: usize, involving: bool) -> Result<Relation> {
        check_dims("drop constraints", &self.space, kind, first, n)?;
        let start = self.space.offset(kind) + first;
        let parts = self.parts.iter().map(|part| {
            let reached = part.reached(start..start + n);
            let keep = |row: &Row| row.iter().zip(&reached).any(|(x, &r)| r && !x.is_zero()) != involving;
            let mut part = part.clone();
            part.eqs.retain(keep);
            part.ineqs.retain(keep);
            part
        });
        Ok(Relation::from_parts(self.space.clone(), parts))
    }

    pub(crate) fn eliminate(&self, kind: DimKind, first: usize, n: usize, budget: &Budget) -> Result<Relation> {
        self.forget_dims(kind, first, n, budget)?.overapproximate_existentials(budget)
    }

    pub(crate) fn split_dims(&self, kind: DimKind, first: usize, n: usize) -> Result<Relation> {
        check_dims("split at zero", &self.space, kind, first, n)?;
        let mut result = self.clone();
        for column in (first..first + n).map(|pos| self.space.offset(kind) + pos) {
            let mut row = row::zeros(self.space.n_col());
            row[column] = Int::one();
            result = result.constrained(&row, false).union(&result.constrained(&row::complement(&row), false))?;
        }
        Ok(result)
    }

    pub(crate) fn make_disjoint(&self, budget: &Budget) -> Result<Relation> {
        let mut result = Relation::empty(self.space.clone());
        for part in self.parts() {
            let part = Relation::of_parts(self.space.clone(), vec![part.clone()]);
            for piece in part.subtract(&result, budget)?.into_parts() {
                result.push(piece);
            }
        }
        Ok(result)
    }

    pub(crate) fn project_out_param(&self, name: &str, budget: &Budget) -> Result<Relation> {
        match self.space.param_index(name) {
            Some(pos) => self.project_out(DimKind::Param, pos, 1, budget),
            None => Ok(self.clone()),
        }
    }

    pub(crate) fn project_onto(&self, kind: DimKind, first: usize, n: usize, budget: &Budget) -> Result<Relation> {
        check_dims("project", &self.space, kind, first, n)?;
        let after = self.space.dim(kind) - first - n;
        self.project_out(kind, first + n, after, budget)?.project_out(kind, 0, first, budget)
    }
}

macro_rules! dim_methods {
    ($Type:ident) => {
        impl $Type {
            /// The points where a dimension compares to another one in the given way. Linear.
            pub fn compare_dims(
                &self,
                kind: DimKind,
                pos: usize,
                comparison: Comparison,
                other_kind: DimKind,
                other_pos: usize,
            ) -> Result<$Type> {
                Ok($Type(self.0.compare_dims((kind, pos), comparison, (other_kind, other_pos))?))
            }

            /// The points where two dimensions of any kinds are equal. Linear.
            pub fn equate_dims(&self, kind: DimKind, pos: usize, other: DimKind, other_pos: usize) -> Result<$Type> {
                self.compare_dims(kind, pos, Comparison::Eq, other, other_pos)
            }

            /// Appends `n` unconstrained dimensions to a tuple.
            pub fn add_dims(&self, kind: DimKind, n: usize) -> Result<$Type> {
                Ok($Type(self.0.insert_dims(kind, self.space().dim(kind), n)?))
            }

            /// Moves `n` dimensions, from `pos` of `kind` on, in front of position `to_pos` of `to` (counted without
            /// them). Their names go with them; a dimension that becomes a parameter needs one that no parameter has.
            /// The tuples that change lose their inner structure.
            pub fn move_dims(&self, to: DimKind, to_pos: usize, kind: DimKind, pos: usize, n: usize) -> Result<$Type> {
                Ok($Type(self.0.move_dims((to, to_pos), (kind, pos), n)?))
            }

            /// Whether a constraint uses one of `n` dimensions of a kind. Syntactic: the constraint may be redundant.
            pub fn involves_dims(&self, kind: DimKind, first: usize, n: usize) -> Result<bool> {
                self.0.involves_dims(kind, first, n)
            }

            /// The value of a dimension that all conjunctions state as an equality with a constant. Sound, not
            /// complete; linear.
            pub fn plain_fixed(&self, kind: DimKind, pos: usize) -> Result<Option<Int>> {
                self.0.plain_fixed(kind, pos)
            }

            /// A constant that a dimension does not exceed, if all conjunctions state one as an inequality. Sound, not complete; linear.
            pub fn plain_upper_bound(&self, kind: DimKind, pos: usize) -> Result<Option<Int>> {
                self.0.plain_upper_bound(kind, pos)
            }

            /// Whether all conjunctions have an equality that leaves a dimension one value at most, whatever the parameters and the
            /// dimensions in front of it are. Sound, not complete; linear.
            pub fn plainly_follows(&self, kind: DimKind, pos: usize) -> Result<bool> {
                self.0.plainly_follows(kind, pos)
            }

            /// The value of a dimension that has the same value at all points; nothing if there are two values or no
            /// point. Exact; integer programming.
            pub fn fixed_value(&self, kind: DimKind, pos: usize, budget: &Budget) -> Result<Option<Int>> {
                self.0.fixed_value(kind, pos, budget)
            }

            /// A superset: without the constraints that use one of `n` dimensions, directly or through a division.
            pub fn overapproximate_without(&self, kind: DimKind, first: usize, n: usize) -> Result<$Type> {
                Ok($Type(self.0.drop_constraints(kind, first, n, true)?))
            }

            /// A superset: with only the constraints that use one of `n` dimensions, directly or through a division.
            pub fn overapproximate_with_only(&self, kind: DimKind, first: usize, n: usize) -> Result<$Type> {
                Ok($Type(self.0.drop_constraints(kind, first, n, false)?))
            }

            /// A superset of [`Self::forget_dims`] without existentials: eliminates `n` dimensions over the rationals
            /// and keeps them, unconstrained, in the space. Fourier-Motzkin elimination.
            pub fn overapproximate_elimination(
                &self,
                kind: DimKind,
                first: usize,
                n: usize,
                budget: &Budget,
            ) -> Result<$Type> {
                Ok($Type(self.0.eliminate(kind, first, n, budget)?))
            }

            /// The same points, each conjunction split so that every one of `n` dimensions is only negative or never.
            pub fn split_dims(&self, kind: DimKind, first: usize, n: usize) -> Result<$Type> {
                Ok($Type(self.0.split_dims(kind, first, n)?))
            }

            /// The same points as pairwise disjoint conjunctions. Exact.
            pub fn make_disjoint(&self, budget: &Budget) -> Result<$Type> {
                Ok($Type(self.0.make_disjoint(budget)?))
            }

            /// Existentially quantifies the parameter of a name, if there is one. Exact.
            pub fn project_out_param(&self, name: &str, budget: &Budget) -> Result<$Type> {
                Ok($Type(self.0.project_out_param(name, budget)?))
            }

            /// Existentially quantifies all parameters. Exact.
            pub fn project_out_all_params(&self, budget: &Budget) -> Result<$Type> {
                self.project_out(DimKind::Param, 0, self.space().dim(DimKind::Param), budget)
            }

            /// Existentially quantifies the dimensions of a kind that are not among the `n` from `first` on. Exact.
            pub fn project_onto_dims(&self, kind: DimKind, first: usize, n: usize, budget: &Budget) -> Result<$Type> {
                Ok($Type(self.0.project_onto(kind, first, n, budget)?))
            }

            /// Whether every point is in `other` and some point of `other` is not here. Exact.
            pub fn is_strict_subset(&self, other: &$Type, budget: &Budget) -> Result<bool> {
                Ok(self.is_subset(other, budget)? && !other.is_subset(self, budget)?)
            }

            /// The points of one conjunction each.
            pub fn parts(&self) -> impl Iterator<Item = $Type> + '_ {
                self.conjunctions().iter().map(|c| $Type(Relation::of_parts(self.space().clone(), vec![c.clone()])))
            }

            /// The object of all points with no negative dimension (parameters are not restricted).
            pub fn nonnegative_orthant(space: Space) -> $Type {
                let mut c = Conjunction::universe(space.clone());
                for column in space.offset(DimKind::In)..space.n_col() {
                    let mut row = row::zeros(space.n_col());
                    row[column] = Int::one();
                    c.add_ineq(row);
                }
                $Type(Relation::from_parts(space, [c]))
            }
        }
    };
}

dim_methods!(Set);
dim_methods!(Map);

/// The relation of one point `[params | in | out]` of the right length.
pub(super) fn point_relation(space: &Space, point: &[Int]) -> Relation {
    let mut c = Conjunction::universe(space.clone());
    for (k, x) in point.iter().enumerate() {
        let mut row = row::zeros(space.n_col());
        row[0] = -x;
        row[1 + k] = Int::one();
        c.add_eq(row);
    }
    Relation::from_parts(space.clone(), [c])
}

impl Set {
    /// The set of one point `[params | dims]` of a space.
    pub fn from_point(space: &Space, point: &[Int]) -> Result<Set> {
        if space.is_map() || point.len() + 1 != space.n_col() {
            let what = format!("{} values for {} columns of {space}", point.len(), space.n_col() - 1);
            return Err(Error::OutOfRange { operation: "form the set of a point", what });
        }
        Ok(Set(point_relation(space, point)))
    }

    /// The set of some points `[params | dims]` of a space. One conjunction per point; see [`Set::coalesce`].
    pub fn from_points<'a>(space: &Space, points: impl IntoIterator<Item = &'a [Int]>) -> Result<Set> {
        let mut result = Relation::empty(space.clone());
        for point in points {
            Set::from_point(space, point)?.0.into_parts().into_iter().for_each(|p| result.push(p));
        }
        Ok(Set(result))
    }

    /// Whether there is at most one point for each value of the parameters. Exact.
    pub fn is_singleton(&self, budget: &Budget) -> Result<bool> {
        if self.is_params() { Ok(true) } else { Map::from_range(self).is_single_valued(budget) }
    }

    /// Whether this is a set over only parameters.
    pub fn is_params(&self) -> bool {
        self.space().is_params()
    }
}
