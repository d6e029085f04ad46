//! From sets to [`Part`]s: rows over one list of parameters.

use crate::affine::{Aff, PwAff};
use crate::arith::Int;
use crate::budget::Budget;
use crate::lp::{IntOptimum, min_integer};
use crate::relation::{Conjunction, Row, Set, remap, zeros};
use crate::space::{DimKind, Name, Space};

use super::error::AstError;
use super::plan::{Cases, Part, Value};
use super::system::{Minimum, System};

/// An existential with at most so many values may be replaced by them.
const MAX_VALUES: i64 = 4;

/// The columns of the rows of a [`Plan`](super::plan::Plan): the parameters, for all alike, then the dimensions.
pub(super) struct Columns {
    pub(super) params: Vec<Name>,
}

impl Columns {
    pub(super) fn new(params: Vec<Name>) -> Columns {
        Columns { params }
    }

    /// Where the columns of a space with `n_local` locals go when the parameters are aligned, and the number of columns.
    pub(super) fn of(&self, space: &Space, n_local: usize) -> (Vec<usize>, usize) {
        let mut map = vec![0];
        for name in space.param_names() {
            map.push(1 + self.params.iter().position(|p| p == name).unwrap_or(0));
        }
        let rest = space.dim(DimKind::In) + space.dim(DimKind::Out) + n_local;
        map.extend((0..rest).map(|k| 1 + self.params.len() + k));
        (map, 1 + self.params.len() + rest)
    }

    fn part(&self, conjunction: &Conjunction) -> Part {
        let n_local = conjunction.n_local();
        let (map, n_col) = self.of(conjunction.space(), n_local);
        let translate = |rows: &[Row]| rows.iter().map(|row| remap(row, &map, n_col)).collect();
        let eqs = translate(conjunction.eqs());
        let ineqs = translate(&conjunction.solver_ineqs());
        Part { system: System { n: n_col - 1, eqs, ineqs }, n_local }
    }

    /// A piecewise function as values on disjoint parts.
    pub(super) fn cases(&self, function: &PwAff, budget: &Budget) -> Result<Cases, AstError> {
        let mut cases = Vec::with_capacity(function.pieces().len());
        for (set, aff) in function.pieces() {
            let all = set.is_plainly_universe();
            let parts = if all { None } else { Some(self.disjoint(set, budget)?) };
            cases.push((parts, self.value(aff)));
        }
        Ok(cases)
    }

    fn value(&self, aff: &Aff) -> Value {
        let aff = aff.floor();
        let (map, n_col) = self.of(aff.space(), aff.divs().len());
        let divs = aff.divs().iter().map(|div| (remap(&div.row, &map, n_col), div.den.clone())).collect();
        Value { row: remap(aff.row(), &map, n_col), divs }
    }

    /// The set as disjoint conjunctions whose locals are all defined.
    pub(super) fn disjoint(&self, set: &Set, budget: &Budget) -> Result<Vec<Part>, AstError> {
        let mut explicit = set.make_divs_explicit(budget)?.coalesce(budget)?;
        if explicit.conjunctions().iter().any(|c| c.n_local() > 1 || c.eqs().iter().any(|row| is_coupled(row, c))) {
            // What several divisions say together may be a stride, and `2x = 3y` in a small range leaves few values.
            explicit = explicit.detect_equalities(budget)?.make_divs_explicit(budget)?;
        }
        let mut done: Option<Set> = None;
        let mut parts = Vec::new();
        for conjunction in explicit.conjunctions() {
            let one = Set::from_conjunction(conjunction.clone());
            let new = match &done {
                None => one.clone(),
                Some(done) => one.subtract(done, budget)?.make_divs_explicit(budget)?,
            };
            for conjunction in new.conjunctions() {
                let mut part = self.part(conjunction);
                part.fix_locals(budget)?;
                parts.push(part);
            }
            done = Some(match done {
                None => one,
                Some(done) => done.union(&one)?,
            });
        }
        Ok(parts)
    }

    /// The same for instances that only occur for parameters in `context`. Where existentials have no definition yet, what they are
    /// may depend on the parameters, and on fewer of them in the context.
    pub(super) fn disjoint_in(&self, set: &Set, context: Option<&Set>, budget: &Budget) -> Result<Vec<Part>, AstError> {
        let Some(context) = context else { return self.disjoint(set, budget) };
        if set.conjunctions().iter().all(Conjunction::has_only_known_divs) {
            return self.disjoint(set, budget);
        }
        let within = set.intersect_params(context, budget)?;
        let explicit = within.make_divs_explicit(budget)?.detect_equalities(budget)?.coalesce(budget)?;
        let by_value = by_value(&within, budget)?.gist_params(context, budget)?.coalesce(budget)?;
        let simpler = by_value.conjunctions().len() < explicit.conjunctions().len();
        self.disjoint(if simpler { &by_value } else { &explicit }, budget)
    }

    /// One conjunction without locals that contains the projection of the set on its first dimensions.
    pub(super) fn contiguous(&self, set: &Set, n_dim: usize, budget: &Budget) -> Result<System, AstError> {
        let n = set.space().dim(DimKind::Out);
        let projected = set.project_out(DimKind::Out, n_dim, n - n_dim, budget)?;
        let hull = projected.overapproximate_divs(budget)?.unshifted_simple_hull(budget)?;
        let parts: Vec<Part> = hull.conjunctions().iter().map(|c| self.part(c)).collect();
        match parts.as_slice() {
            [] => Ok(System::contradiction(self.params.len() + n_dim)),
            [part] if part.n_local == 0 => Ok(part.system.clone()),
            // Only strides are left, which a contiguous part does not have.
            [part, ..] => {
                let n = part.system.n - part.n_local;
                let plain = |rows: &[Row]| -> Vec<Row> {
                    let kept = rows.iter().filter(|row| crate::relation::all_zero(&row[n + 1..]));
                    kept.map(|row| Row::from(&row[..=n])).collect()
                };
                Ok(System { n, eqs: plain(&part.system.eqs), ineqs: plain(&part.system.ineqs) })
            }
        }
    }
}

/// Whether an equality says something about the remainders of two dimensions or more.
fn is_coupled(row: &[Int], conjunction: &Conjunction) -> bool {
    let space = conjunction.space();
    let first = 1 + space.param_names().len();
    let dims = &row[first..first + space.dim(DimKind::In) + space.dim(DimKind::Out)];
    !row[1..].iter().any(Int::is_unit) && dims.iter().filter(|x| !x.is_zero()).count() > 1
}

/// The set with existentials that have few values replaced by those values.
fn by_value(set: &Set, budget: &Budget) -> Result<Set, AstError> {
    let mut done = Vec::new();
    let mut open: Vec<Conjunction> = set.conjunctions().to_vec();
    while let Some(conjunction) = open.pop() {
        match values(&conjunction, budget)? {
            None => done.push(conjunction),
            Some((column, least, most)) => {
                let mut value = least;
                while value <= most {
                    let mut row = crate::relation::zeros(conjunction.n_col());
                    row[0] = -&value;
                    row[column] = Int::one();
                    let mut fixed = conjunction.clone();
                    fixed.add_eq(row);
                    let fixed = fixed.simplify();
                    if !fixed.is_empty(budget)? {
                        open.push(fixed);
                    }
                    value += 1;
                }
            }
        }
    }
    Ok(Set::from_conjunctions(set.space().clone(), done)?)
}

/// The column of an existential without definition that has at most [`MAX_VALUES`] values, with the least and the greatest.
fn values(conjunction: &Conjunction, budget: &Budget) -> Result<Option<(usize, Int, Int)>, AstError> {
    let (n_var, eqs, ineqs) = (conjunction.n_col() - 1, conjunction.eqs(), conjunction.solver_ineqs());
    for local in (0..conjunction.n_local()).filter(|&local| conjunction.div(local).is_none()) {
        let column = conjunction.local_column(local);
        let mut objective = crate::relation::zeros(n_var + 1);
        objective[column] = Int::one();
        let IntOptimum::Bounded(least) = min_integer(n_var, eqs, &ineqs, &objective, budget)? else { continue };
        objective[column] = Int::from(-1);
        let IntOptimum::Bounded(most) = min_integer(n_var, eqs, &ineqs, &objective, budget)? else { continue };
        let most = -most;
        if &most - &least < MAX_VALUES {
            return Ok(Some((column, least, most)));
        }
    }
    Ok(None)
}

impl Part {
    /// No constraints over `n` columns.
    pub(super) fn universe(n: usize) -> Part {
        Part { system: System::universe(n), n_local: 0 }
    }

    /// Puts in the value of locals that have only one: `floor(x/5)` is 0 where `-2 <= x <= 3` and `x mod 5 <= 2`.
    fn fix_locals(&mut self, budget: &Budget) -> Result<(), AstError> {
        for column in self.system.n + 1 - self.n_local..=self.system.n {
            let mut value = zeros(self.system.n + 1);
            value[column] = Int::one();
            let Minimum::AtLeast(least) = self.system.minimum_rational(&value, budget)? else { continue };
            value[column] = Int::from(-1);
            if self.system.minimum_rational(&value, budget)? == Minimum::AtLeast(-&least) {
                value[0] = least;
                self.system.eqs.push(value);
            }
        }
        Ok(())
    }
}
