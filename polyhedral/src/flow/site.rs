//! [`Site`]: one access of the instances of one schedule entry, as rows.
//!
//! A site describes pairs of an instance and an element it touches. Its *variables* are the dimensions of the instance
//! and, if the element is not given as a function of the instance, the dimensions of the element. Everything that an
//! analysis needs (the touched element, the point in time) is a row over `[1 | params | variables | divs]`.

use crate::affine::Aff;
use crate::arith::{Int, Matrix};
use crate::budget::Budget;
use crate::error::Result;
use crate::relation::{self, Conjunction, Div, Map, Row};
use crate::schedule::TimeDim;
use crate::space::{DimKind, Space, Tuple};

use super::times::{Entry, Times};

/// What an access does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Role {
    Sink,
    May,
    Must,
    Kill,
}

impl Role {
    /// Whether values from before the access do not live on.
    pub(super) fn kills(self) -> bool {
        matches!(self, Role::Must | Role::Kill)
    }

    /// Whether the access can be the source of a dependence.
    pub(super) fn is_source(self) -> bool {
        matches!(self, Role::Must | Role::May)
    }
}

/// See the module documentation.
#[derive(Clone, Debug)]
pub(super) struct Site {
    pub(super) role: Role,
    /// `S[..] -> A[..]`.
    pub(super) space: Space,
    /// The instances (and elements): a condition over the variables, simplified.
    pub(super) condition: Conjunction,
    /// Divisions that the rows below use.
    pub(super) divs: Vec<Div>,
    /// The element touched.
    pub(super) element: Vec<Row>,
    /// The point in time.
    pub(super) time: Vec<Row>,
    pub(super) dims: Vec<TimeDim>,
    /// Whether the time and the element determine the instance.
    pub(super) is_determined: bool,
}

impl Site {
    pub(super) fn n_instance(&self) -> usize {
        self.space.dim(DimKind::In)
    }

    /// The number of variables.
    pub(super) fn n(&self) -> usize {
        self.condition.space().dim(DimKind::Out)
    }

    pub(super) fn n_param(&self) -> usize {
        self.space.param_names().len()
    }

    /// The value of a time component if it depends on no variable and no division: a row over `[1 | params]`.
    pub(super) fn constant_time(&self, pos: usize) -> Option<&[Int]> {
        let (head, rest) = self.time[pos].split_at(1 + self.n_param());
        relation::all_zero(rest).then_some(head)
    }
}

/// The sites of an access relation, one per conjunction and schedule entry. The parameters are aligned.
pub(super) fn sites(role: Role, access: &Map, times: &Times, budget: &Budget) -> Result<Vec<Site>> {
    let mut result = Vec::new();
    let Some(instance) = access.space().domain_tuple() else { return Ok(result) };
    // An instance that touches an element in two parts of a union would look like two instances.
    let disjoint;
    let access = if role != Role::Sink && access.conjunctions().len() > 1 {
        disjoint = access.make_disjoint(budget)?;
        &disjoint
    } else {
        access
    };
    let entries: Vec<&Entry> = times.of(instance).collect();
    for part in access.conjunctions() {
        let shape = Shape::new(part);
        for entry in &entries {
            for domain in entry.domain.conjunctions() {
                if let Some(site) = shape.site(role, access.space(), entry, domain) {
                    result.push(site);
                }
            }
        }
    }
    Ok(result)
}

/// A conjunction of an access relation, the element solved for if possible.
struct Shape {
    condition: Conjunction,
    divs: Vec<Div>,
    element: Vec<Row>,
}

impl Shape {
    fn new(part: &Conjunction) -> Shape {
        solve_element(part).unwrap_or_else(|| {
            let space = part.space();
            let n = space.dim(DimKind::In) + space.dim(DimKind::Out);
            let flat = Space::set_of(&space.params_space(), Tuple::anonymous(n));
            let element = (0..space.dim(DimKind::Out)).map(|k| {
                let mut row = relation::zeros(space.n_col());
                row[space.offset(DimKind::Out) + k] = Int::one();
                row
            });
            Shape { element: element.collect(), divs: Vec::new(), condition: part.clone().with_space(flat) }
        })
    }

    /// The site of the instances of an entry in a conjunction of its domain; nothing if there plainly are none.
    fn site(&self, role: Role, space: &Space, entry: &Entry, domain: &Conjunction) -> Option<Site> {
        let flat = self.condition.space();
        let n_col = flat.n_col();
        // The columns of the statement are a prefix of the variables, also for tagged accesses.
        let prefix = domain.space().n_col();
        let mut condition = self.condition.clone();
        if !domain.is_plainly_universe() {
            let map: Vec<usize> = (0..prefix).collect();
            append(&mut condition, domain, &map);
        }
        let condition = condition.simplify();
        if condition.is_plainly_empty() {
            return None;
        }
        let mut divs = self.divs.clone();
        let mut time = Vec::with_capacity(entry.time.len());
        for aff in &entry.time {
            time.push(add_aff(&mut divs, aff, prefix, n_col));
        }
        let mut site = Site {
            role,
            space: space.clone(),
            condition,
            divs,
            element: self.element.clone(),
            time,
            dims: entry.dims.clone(),
            is_determined: false,
        };
        site.is_determined = is_determined(&site);
        Some(site)
    }
}

/// Adds the divisions of an expression over the first `prefix` columns to a list of divisions over `n_col` columns and
/// more; returns its row.
fn add_aff(divs: &mut Vec<Div>, aff: &Aff, prefix: usize, n_col: usize) -> Row {
    let mut map: Vec<usize> = (0..prefix).collect();
    for div in aff.divs() {
        let n = n_col + divs.len();
        let row = relation::remap(&div.row[..map.len()], &map, n);
        let same = |known: &Div| {
            let len = known.row.len().min(row.len());
            known.den == div.den
                && known.row[..len] == row[..len]
                && relation::all_zero(&known.row[len..])
                && relation::all_zero(&row[len..])
        };
        let position = divs.iter().position(same).unwrap_or_else(|| {
            divs.push(Div { row: row.clone(), den: div.den.clone() });
            divs.len() - 1
        });
        map.push(n_col + position);
    }
    relation::remap(aff.row(), &map, n_col + divs.len())
}

/// Adds a conjunction to another: its space columns go where `map` says, its locals become new locals. Returns the map
/// of all columns.
pub(super) fn append(target: &mut Conjunction, other: &Conjunction, map: &[usize]) -> Vec<usize> {
    let mut full = map.to_vec();
    for pos in 0..other.n_local() {
        let column = match other.div(pos) {
            Some(div) => {
                // A definition uses earlier columns only.
                let row = relation::remap(&div.row[..full.len()], &full, target.n_col());
                target.add_div(row, div.den.clone())
            }
            None => target.add_existential(),
        };
        full.push(column);
    }
    let n = target.n_col();
    for row in other.eqs() {
        target.add_eq(relation::remap(row, &full, n));
    }
    for row in other.ineqs() {
        target.add_ineq(relation::remap(row, &full, n));
    }
    full
}

/// Adds divisions (over `[1 | params | variables | earlier divs]`) to a conjunction; returns the map of all their
/// columns.
pub(super) fn append_divs(target: &mut Conjunction, divs: &[Div], map: &[usize]) -> Vec<usize> {
    let mut full = map.to_vec();
    for div in divs {
        let len = div.row.len().min(full.len());
        let row = relation::remap(&div.row[..len], &full[..len], target.n_col());
        full.push(target.add_div(row, div.den.clone()));
    }
    full
}

/// The element as a function of the instance: an equality with a unit coefficient for every dimension of the element,
/// which is then eliminated. Nothing if there is no such system or other constraints cannot follow.
fn solve_element(part: &Conjunction) -> Option<Shape> {
    let space = part.space();
    let (first, n_out) = (space.offset(DimKind::Out), space.dim(DimKind::Out));
    let is_out = |column: usize| (first..first + n_out).contains(&column);
    let mut eqs = part.eqs().to_vec();
    let mut ineqs = part.ineqs().to_vec();
    let mut defined: Vec<Option<usize>> = vec![None; n_out];
    for k in (0..n_out).rev() {
        let column = first + k;
        let pivot = (0..eqs.len())
            .find(|&r| !defined.contains(&Some(r)) && (eqs[r][column].is_one() || (-&eqs[r][column]).is_one()))?;
        let row = eqs[pivot].clone();
        let unit = row[column].clone();
        let others = eqs.iter_mut().enumerate().filter(|(r, _)| *r != pivot).map(|(_, row)| row);
        for other in others.chain(&mut ineqs) {
            let factor = -(&other[column] * &unit);
            relation::add_scaled(other, &factor, &row);
        }
        defined[k] = Some(pivot);
    }
    // Divisions of the element could be rewritten, but then might use later ones: rare enough to give up.
    for pos in 0..part.n_local() {
        if let Some(div) = part.div(pos)
            && !relation::all_zero(&div.row[first..first + n_out])
        {
            return None;
        }
    }
    let n_local = part.n_local();
    let without = |row: &[Int]| -> Row {
        row.iter().enumerate().filter(|(column, _)| !is_out(*column)).map(|(_, x)| x.clone()).collect()
    };
    // The divisions that elements are made of.
    let base = part.local_column(0);
    let mut used: Vec<bool> = vec![false; n_local];
    for row in defined.iter().flatten().map(|&r| &eqs[r]) {
        for (pos, used) in used.iter_mut().enumerate() {
            *used |= !row[base + pos].is_zero();
        }
    }
    for pos in (0..n_local).rev() {
        if used[pos] {
            let div = part.div(pos)?;
            for (earlier, used) in used.iter_mut().enumerate().take(pos) {
                *used |= !div.row[base + earlier].is_zero();
            }
        }
    }
    let n_space = first;
    let mut map: Vec<usize> = (0..n_space).collect();
    let mut divs: Vec<Div> = Vec::new();
    for (pos, &used) in used.iter().enumerate() {
        map.push(n_space + divs.len());
        if used && let Some(div) = part.div(pos) {
            let row = relation::remap(&without(&div.row), &map_to(&map, n_space + n_local), n_space + n_local);
            divs.push(Div { row, den: div.den.clone() });
        }
    }
    let n = n_space + divs.len();
    for div in &mut divs {
        div.row.truncate(n);
    }
    let mut element = Vec::with_capacity(n_out);
    for (k, pivot) in defined.iter().enumerate() {
        let mut row = eqs[(*pivot)?].clone();
        let unit = std::mem::take(&mut row[first + k]);
        if unit.is_one() {
            row = relation::negated(&row);
        }
        let mut row = relation::remap(&without(&row), &map_to(&map, n_space + n_local), n_space + n_local);
        row.truncate(n);
        element.push(row);
    }
    let flat = Space::set_of(&space.params_space(), Tuple::anonymous(space.dim(DimKind::In)));
    let mut condition = Conjunction::universe(flat);
    for pos in 0..n_local {
        match part.div(pos) {
            Some(div) => {
                let mut row = without(&div.row);
                row.truncate(condition.n_col());
                condition.add_div(row, div.den.clone());
            }
            None => {
                condition.add_existential();
            }
        }
    }
    for (r, row) in eqs.iter().enumerate() {
        if !defined.contains(&Some(r)) {
            condition.add_eq(without(row));
        }
    }
    for row in &ineqs {
        condition.add_ineq(without(row));
    }
    Some(Shape { condition, divs, element })
}

/// A column map filled up with columns that only zeros go to.
fn map_to(map: &[usize], n: usize) -> Vec<usize> {
    let mut full = map.to_vec();
    full.resize(n, n - 1);
    full
}

/// Whether time, element and the equalities of the condition leave at most one instance: their rows without divisions
/// have full rank on the variables.
fn is_determined(site: &Site) -> bool {
    let first = 1 + site.n_param();
    let n = site.n();
    if n == 0 {
        return true;
    }
    let mut rows: Vec<Vec<Int>> = Vec::new();
    for row in site.time.iter().chain(&site.element).chain(site.condition.eqs()) {
        if relation::all_zero(&row[first + n..]) {
            rows.push(row[first..first + n].to_vec());
        }
    }
    Matrix::from_rows(n, &rows).rank() == n
}
