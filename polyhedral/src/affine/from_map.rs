//! Functions from single-valued relations.
//!
//! For every conjunction the dimensions of the range are expressed by those of the domain, step by step, as long as one
//! of these facts gives one more column: a division whose numerator is known; an equality with one unknown column,
//! after elimination of the unknown columns from the equalities; two opposite inequalities `l <= a x <= u` with
//! `u - l < a`, which leave no choice but `x = floor(u / a)`. Then the domain is what remains of the conjunction after
//! substitution. Conjunctions that overlap must agree. If this is not enough for some conjunction, the map is tested
//! for single-valuedness and its lexicographic minimum is computed, which for a single-valued map is the map itself.

use crate::arith::Int;
use crate::budget::Budget;
use crate::error::{Error, Result};
use crate::relation::{self, Conjunction, Map, Row, Set, UnionMap, UnionSet};
use crate::space::{DimKind, Space, Tuple};

use super::{Aff, MultiAff, PwMultiAff, UnionPwMultiAff};

impl PwMultiAff {
    /// The function whose graph is a relation. Exact, for every single-valued relation. Error: some point has two
    /// images. Cost: linear algebra for relations that define their range by equalities or divisions, one integer
    /// emptiness test per pair of conjunctions; otherwise that of a parametric lexicographic minimum.
    pub fn from_map(map: &Map, budget: &Budget) -> Result<PwMultiAff> {
        let mut pieces: Vec<(Set, MultiAff)> = Vec::new();
        for part in map.conjunctions() {
            let Some(function) = explicit(part, budget)? else { return minimum(map, budget) };
            let domain = substituted(part, &function, budget)?;
            if !domain.is_empty(budget)? {
                pieces.push((domain, function));
            }
        }
        let mut result = PwMultiAff::empty(map.space().clone());
        for (k, (domain, function)) in pieces.iter().enumerate() {
            let mut rest = domain.clone();
            for (other, value) in &pieces[..k] {
                let both = domain.intersect(other, budget)?;
                if both.is_empty(budget)? {
                    continue;
                }
                if value != function && !both.is_disjoint(&function.ne_set(value)?, budget)? {
                    return Err(not_single_valued(map.space()));
                }
                rest = rest.subtract(other, budget)?;
            }
            if !rest.is_empty(budget)? {
                result.push(rest, function.clone());
            }
        }
        Ok(result)
    }

    /// The function of only the parameters whose value is the single point of a set. Error: for some value of the
    /// parameters there are two points.
    pub fn from_set(set: &Set, budget: &Budget) -> Result<PwMultiAff> {
        let pairs = Tuple::nest(&Tuple::anonymous(0), set.space().range_tuple());
        let map = set.with_space(&Space::set_of(set.space(), pairs))?.unwrap()?;
        let function = PwMultiAff::from_map(&map, budget)?;
        let (params, own) = (set.space().params_space(), set.space().range());
        let mut result = PwMultiAff::empty(own.clone());
        for (domain, value) in function.pieces() {
            let map: Vec<Option<usize>> = (0..params.n_col()).map(Some).collect();
            let affs = value.affs().iter().map(|aff| aff.on_params()).collect::<Result<_>>()?;
            result.push(domain.remap_unused(&params, &map), MultiAff::new(own.clone(), affs)?);
        }
        Ok(result)
    }
}

impl UnionPwMultiAff {
    /// The function whose graphs are some relations. Error: some point has two images, in one space or in different
    /// ones.
    pub fn from_union_map(maps: &UnionMap, budget: &Budget) -> Result<UnionPwMultiAff> {
        let mut result = UnionPwMultiAff::empty(maps.params_space());
        for map in maps.members() {
            result = result.add_member(&PwMultiAff::from_map(map, budget)?, budget)?;
        }
        Ok(result)
    }

    /// The function of only the parameters whose value is the single point of all sets together. Error: there are two.
    pub fn from_union_set(sets: &UnionSet, budget: &Budget) -> Result<UnionPwMultiAff> {
        let mut result = UnionPwMultiAff::empty(sets.params_space());
        for set in sets.members() {
            result = result.add_member(&PwMultiAff::from_set(set, budget)?, budget)?;
        }
        Ok(result)
    }
}

fn not_single_valued(space: &Space) -> Error {
    Error::WrongShape {
        operation: "form a function",
        space: space.clone(),
        expected: "the space of a single-valued relation: some point has two images",
    }
}

/// The last resort: the lexicographic minimum of a single-valued map.
fn minimum(map: &Map, budget: &Budget) -> Result<PwMultiAff> {
    if !map.is_single_valued(budget)? {
        return Err(not_single_valued(map.space()));
    }
    map.lexmin_pw_multi_aff(budget)
}

/// The points `x` with `(x, function(x))` in a conjunction.
fn substituted(part: &Conjunction, function: &MultiAff, budget: &Budget) -> Result<Set> {
    let pairs = MultiAff::identity(&function.domain_space())?.range_product(function)?;
    Map::from_conjunction(part.clone()).wrap().preimage(&pairs, budget)
}

/// The range of a conjunction as a function of its domain, where linear algebra and divisions find it.
fn explicit(part: &Conjunction, budget: &Budget) -> Result<Option<MultiAff>> {
    let space = part.space();
    let (start, n) = (space.offset(DimKind::Out), space.dim(DimKind::Out));
    let mut search = Search::new(part)?;
    while (start..start + n).any(|c| search.values[c].is_none()) {
        budget.spend(8 * (part.eqs().len() + part.ineqs().len() + part.n_local() + 1) as u64)?;
        if !(search.by_divisions(part)? || search.by_equalities()? || search.by_bounds()?) {
            return Ok(None);
        }
    }
    let affs = search.values[start..start + n].iter().flatten().cloned().collect();
    Ok(Some(MultiAff::new(space.clone(), affs)?))
}

/// The values of the columns found so far.
struct Search {
    arguments: Space,
    values: Vec<Option<Aff>>,
    eqs: Vec<Row>,
    ineqs: Vec<Row>,
}

impl Search {
    fn new(part: &Conjunction) -> Result<Search> {
        let arguments = part.space().domain();
        let mut values = vec![Some(Aff::constant(arguments.clone(), &Int::one()))];
        for k in 0..arguments.dim(DimKind::Param) {
            values.push(Some(Aff::param(arguments.clone(), k)?));
        }
        for k in 0..arguments.dim(DimKind::Out) {
            values.push(Some(Aff::var(arguments.clone(), k)?));
        }
        values.resize(part.n_col(), None);
        Ok(Search { arguments, values, eqs: part.eqs().to_vec(), ineqs: part.solver_ineqs() })
    }

    /// The value of a row, leaving out one column; nothing if it uses another unknown column.
    fn value(&self, row: &[Int], without: usize) -> Result<Option<Aff>> {
        let mut sum = Aff::zero(self.arguments.clone());
        for (c, x) in row.iter().enumerate().filter(|(c, x)| *c != without && !x.is_zero()) {
            match &self.values[c] {
                Some(value) => sum = sum.add(&value.scale(x))?,
                None => return Ok(None),
            }
        }
        Ok(Some(sum))
    }

    fn by_divisions(&mut self, part: &Conjunction) -> Result<bool> {
        let mut found = false;
        for k in 0..part.n_local() {
            let column = part.local_column(k);
            if let (None, Some(div)) = (&self.values[column], part.div(k))
                && let Some(numerator) = self.value(&div.row, column)?
            {
                self.values[column] = Some(numerator.floor_div(&div.den));
                found = true;
            }
        }
        Ok(found)
    }

    /// Eliminates the unknown columns from the equalities, then looks for equalities with one unknown.
    fn by_equalities(&mut self) -> Result<bool> {
        let unknown: Vec<usize> = (0..self.values.len()).filter(|&c| self.values[c].is_none()).collect();
        let mut solved = 0;
        // Locals first, so that they disappear from the equalities of the dimensions.
        for &column in unknown.iter().rev() {
            let Some(pivot) = (solved..self.eqs.len()).find(|&r| !self.eqs[r][column].is_zero()) else { continue };
            self.eqs.swap(solved, pivot);
            let pivot = self.eqs[solved].clone();
            for (r, row) in self.eqs.iter_mut().enumerate() {
                if r == solved || row[column].is_zero() {
                    continue;
                }
                let factor = -&row[column];
                relation::scale(row, &pivot[column]);
                relation::add_scaled(row, &factor, &pivot);
                let g = relation::gcd(row);
                if !g.is_zero() {
                    relation::div_exact(row, &g);
                }
            }
            solved += 1;
        }
        let mut found = false;
        for row in self.eqs.clone() {
            let mut unknown = (0..row.len()).filter(|&c| !row[c].is_zero() && self.values[c].is_none());
            if let (Some(column), None) = (unknown.next(), unknown.next())
                && let Some(rest) = self.value(&row, column)?
            {
                // coefficient * x + rest = 0
                let x = &row[column];
                let rest = if x.is_positive() { rest.neg() } else { rest };
                self.values[column] = Some(rest.scale_down(&x.abs()));
                found = true;
            }
        }
        Ok(found)
    }

    /// Looks for opposite inequalities that leave one integer for an unknown column.
    fn by_bounds(&mut self) -> Result<bool> {
        let mut found = false;
        for i in 0..self.ineqs.len() {
            let upper = self.ineqs[i].clone();
            let mut unknown = (0..upper.len()).filter(|&c| !upper[c].is_zero() && self.values[c].is_none());
            let (Some(column), None) = (unknown.next(), unknown.next()) else { continue };
            if !upper[column].is_negative() {
                continue;
            }
            let size = -&upper[column];
            let tight = |lower: &Row| {
                let gap = &upper[0] + &lower[0];
                gap < size && (1..upper.len()).all(|c| upper[c] == -&lower[c])
            };
            if self.ineqs.iter().any(tight)
                && let Some(bound) = self.value(&upper, column)?
            {
                self.values[column] = Some(bound.floor_div(&size));
                found = true;
            }
        }
        Ok(found)
    }
}
