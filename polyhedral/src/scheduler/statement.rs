//! [`Statement`]: a node of the constraint graph and the rows of its schedule.

use crate::affine::Aff;
use crate::arith::{Int, Matrix, Row};
use crate::budget::Budget;
use crate::error::{Error, Result};
use crate::relation::{Conjunction, Map, Set};
use crate::space::{DimKind, Space};

use super::independence::directions;
use super::numbering::set_content;
use super::sizes::sizes;

/// A statement with its schedule so far.
///
/// The schedule is a function of *compressed* coordinates: where the instances satisfy equalities, a dimension that the
/// others determine has no coordinate of its own, so that no row is spent on it.
#[derive(Clone, Debug)]
pub(super) struct Statement {
    /// The space of the instances, with the parameters of the graph.
    pub(super) space: Space,
    /// The number of compressed coordinates.
    pub(super) n: usize,
    /// A number made of the instances and not of the name.
    pub(super) content: u64,
    /// The compressed coordinates as rows over the dimensions; nothing if they are the dimensions.
    pub(super) compression: Option<Vec<Vec<Int>>>,
    /// The extent of the instances in every compressed coordinate with the others fixed (greatest difference), if it is
    /// bounded.
    pub(super) sizes: Vec<Option<Int>>,
    /// The rows of the schedule from the outermost band on, each `[constant | parameters | coordinates]`.
    pub(super) rows: Vec<Vec<Int>>,
    /// Where the linear parts of `rows` are all zero, for independence.
    pub(super) directions: Vec<Vec<Int>>,
}

impl Statement {
    /// The statement of some instances without a schedule. The parameters of `set` must be those of the graph.
    /// Extents are those for parameters in the context.
    pub(super) fn new(set: &Set, context: &Set, treat_coalescing: bool, budget: &Budget) -> Result<Statement> {
        let space = set.space().clone();
        let d = space.dim(DimKind::Out);
        let compression = compression(set, budget)?;
        let compressed = match &compression {
            None => set.clone(),
            Some(rows) => set.apply(&compression_map(&space, rows), budget)?,
        };
        let n = compression.as_ref().map_or(d, Vec::len);
        let sizes = if treat_coalescing {
            sizes(&compressed.intersect_params(context, budget)?, budget)?
        } else {
            vec![None; n]
        };
        let directions = directions::<Vec<Int>>(n, &[]);
        let content = set_content(set.conjunctions());
        Ok(Statement { space, n, content, compression, sizes, rows: Vec::new(), directions })
    }

    /// The number of parameters.
    pub(super) fn n_param(&self) -> usize {
        self.space.dim(DimKind::Param)
    }

    /// How many independent rows are missing.
    pub(super) fn missing(&self) -> usize {
        self.directions.len()
    }

    /// Appends a row.
    pub(super) fn push(&mut self, row: Vec<Int>) {
        self.rows.push(row);
        self.update_directions();
    }

    /// Takes back all rows from `first` on.
    pub(super) fn truncate(&mut self, first: usize) {
        self.rows.truncate(first);
        self.update_directions();
    }

    pub(super) fn update_directions(&mut self) {
        let linear: Vec<&[Int]> = self.rows.iter().map(|r| &r[1 + self.n_param()..]).collect();
        self.directions = directions(self.n, &linear);
    }

    /// A row as a function of the instances.
    pub(super) fn function(&self, row: &[Int]) -> Aff {
        let first = 1 + self.n_param();
        let mut full = Row::from(&row[..first]);
        let d = self.space.dim(DimKind::Out);
        match &self.compression {
            None => full.extend_from_slice(&row[first..]),
            Some(compression) => full.extend((0..d).map(|k| {
                let mut sum = Int::zero();
                compression.iter().zip(&row[first..]).for_each(|(c, x)| sum.add_mul(x, &c[k]));
                sum
            })),
        }
        Aff::from_row(self.space.clone(), full, Int::one())
    }

    /// A relation from instances (on the given sides) in compressed coordinates.
    pub(super) fn compress(&self, map: &Map, kind: DimKind, budget: &Budget) -> Result<Map> {
        let Some(rows) = &self.compression else { return Ok(map.clone()) };
        let compression = compression_map(&self.space, rows);
        if kind == DimKind::In { map.apply_domain(&compression, budget) } else { map.apply_range(&compression, budget) }
    }
}

/// The rows of the coordinates that remain when the equalities of the instances are used; nothing if there are no
/// equalities.
///
/// Let `M x + C(n) = 0` be the equalities and `M U = [H 0]` the Hermite form. Then `y = U^-1 x` has first coordinates
/// that the parameters determine, and the others are free.
fn compression(set: &Set, budget: &Budget) -> Result<Option<Vec<Vec<Int>>>> {
    let hull = set.affine_hull(budget)?;
    let [hull] = hull.conjunctions() else { return Ok(None) };
    let space = set.space();
    let (first, d) = (space.offset(DimKind::Out), space.dim(DimKind::Out));
    let end = first + d;
    // Equalities with divisions are congruences: they fix no dimension.
    let rows: Vec<&[Int]> = hull
        .eqs()
        .iter()
        .filter(|e| e[end..].iter().all(Int::is_zero) && e[first..end].iter().any(|x| !x.is_zero()))
        .map(|e| &e[first..end])
        .collect();
    if rows.is_empty() {
        return Ok(None);
    }
    let hermite = Matrix::from_rows(d, &rows).hermite();
    let rank = hermite.rank();
    Ok(Some((rank..d).map(|i| hermite.inverse.row(i).to_vec()).collect()))
}

/// The relation from instances to compressed coordinates, in a tuple of the same name.
fn compression_map(space: &Space, rows: &[Vec<Int>]) -> Map {
    let params = space.params_space();
    let name = space.range_tuple().name().map_or("", |n| n);
    let target = Space::set::<String>(&params, name, &vec![String::new(); rows.len()]);
    let space = Space::map(space, &target);
    let mut conjunction = Conjunction::universe(space.clone());
    let (x, y) = (space.offset(DimKind::In), space.offset(DimKind::Out));
    for (k, row) in rows.iter().enumerate() {
        let mut eq: Row = (0..space.n_col()).map(|_| Int::zero()).collect();
        for (j, c) in row.iter().enumerate() {
            eq[x + j] = c.clone();
        }
        eq[y + k] = Int::from(-1);
        conjunction.add_eq(eq);
    }
    Map::from_conjunction(conjunction)
}

/// The error for constraints that the scheduler cannot work with.
pub(super) fn refused(what: String) -> Error {
    Error::OutOfRange { operation: "compute a schedule", what }
}
