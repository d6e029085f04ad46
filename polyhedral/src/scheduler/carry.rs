//! One row that carries as many constraints as possible: the linear program of Feautrier.
//!
//! Every conjunction of a constraint between two statements is a *group*. A row respects all groups (distance at least
//! `e`) and carries those with `e = 1`; the number of groups with `e = 0` is minimised, then the sum of the coefficients
//! of parameters and the sum of the absolute values of those of coordinates. At a rational optimum every `e` is 0 or 1.
//!
//! - Where the row takes the place of a band that could not be found, it must be integral without being scaled up: the
//!   rational solution is cut until it is.
//! - *Self first*: constraints of statements on themselves alone are groups that can be carried; only if that gives
//!   nothing are those between statements. It prevents rows that are scaled or shifted without need.
//! - *Coalescing* is repaired: if a row traverses two directions one after the other, the coefficient of the inner one is forced to zero
//!   and the program solved again, as long as something is carried.
//!
//! Sources: P. Feautrier, *Some Efficient Solutions to the Affine Scheduling Problem, II*, 1992; S. Verdoolaege, G. Janssens,
//! *Scheduling for PPCG*, 2017, sections 6.3, 7.1 and 7.5.

use std::collections::BTreeSet;
use std::rc::Rc;

use crate::arith::{Int, Row, gcd_of};
use crate::budget::Budget;
use crate::error::{Error, Result};

use super::cone::Cone;
use super::graph::{COINCIDENCE, CONDITIONAL, Graph, VALIDITY};
use super::layout::Layout;
use super::number::{Number, Stop};
use super::options::Options;
use super::statement::refused;
use super::tableau::{Linear, Tableau};

/// A group of constraints: the statements and the generators, each once.
struct Group {
    source: usize,
    sink: usize,
    rows: BTreeSet<Row>,
    lines: BTreeSet<Row>,
    /// Whether the row should carry it.
    carried: bool,
}

/// The unknowns of the objectives.
const NOT_CARRIED: usize = 0;
const SUM_PARAMS: usize = 1;
const SUM_COORDINATES: usize = 2;
const FIRST: usize = 3;

/// The rows, one per statement, that carry as many constraints as possible; nothing if none can be carried. As `fallback` for
/// a band, the rows are integral, and coincidence constraints are carried too if outer coincidence is forced.
pub(super) fn carrying_rows(
    graph: &Graph,
    fallback: bool,
    options: &Options,
    budget: &Budget,
) -> Result<Option<Vec<Vec<Int>>>> {
    let coincidence = fallback && options.outer_coincidence;
    let self_first = options.carry_self_first && options.algorithm == super::Algorithm::Isl;
    let mut groups = groups(graph, coincidence, budget)?;
    if self_first && groups.iter().any(|g| g.source == g.sink) {
        groups.iter_mut().for_each(|g| g.carried = g.source == g.sink);
        if let Some(rows) = solve(graph, &groups, fallback, options, budget)? {
            return Ok(Some(rows));
        }
    }
    groups.iter_mut().for_each(|g| g.carried = true);
    solve(graph, &groups, fallback, options, budget)
}

/// The groups of the constraints that order instances, without repetitions.
fn groups(graph: &Graph, coincidence: bool, budget: &Budget) -> Result<Vec<Group>> {
    let mut kinds = VALIDITY | CONDITIONAL;
    if coincidence {
        kinds |= COINCIDENCE;
    }
    let n_param = graph.n_param();
    let mut result: Vec<Group> = Vec::new();
    let mut known = BTreeSet::new();
    for edge in graph.edges.iter().filter(|e| e.is(kinds)) {
        let same = edge.source == edge.sink;
        for part in &edge.parts {
            let cone: Rc<Cone> = part.cone(same, budget)?;
            // The parameters do not matter for differences: the row of one statement cancels there.
            let relevant = |g: &Row| {
                let mut g = g.clone();
                if same {
                    g[1..=n_param].iter_mut().for_each(|x| *x = Int::zero());
                    let d = gcd_of(&g);
                    if !d.is_zero() {
                        g.iter_mut().for_each(|x| *x = x.div_exact(&d));
                    }
                }
                g
            };
            let rows: BTreeSet<Row> =
                cone.rays.iter().map(relevant).filter(|g| g.iter().any(|x| !x.is_zero())).collect();
            let lines: BTreeSet<Row> =
                cone.lines.iter().map(relevant).filter(|g| g.iter().any(|x| !x.is_zero())).collect();
            if same && rows.iter().all(|g| g[1..].iter().all(Int::is_zero)) && lines.is_empty() {
                // An instance and itself: nothing can carry that.
                continue;
            }
            if known.insert((edge.source, edge.sink, rows.clone(), lines.clone())) {
                result.push(Group { source: edge.source, sink: edge.sink, rows, lines, carried: true });
            }
        }
    }
    Ok(result)
}

fn solve(
    graph: &Graph,
    groups: &[Group],
    fallback: bool,
    options: &Options,
    budget: &Budget,
) -> Result<Option<Vec<Vec<Int>>>> {
    let n_group = groups.iter().filter(|g| g.carried).count();
    if n_group == 0 {
        return Ok(None);
    }
    let layout = Layout::of(&graph.statements, options.parametric, FIRST + n_group);
    let program = Program::new(&layout, groups, n_group);
    let integral = fallback;
    let point = match program.solve::<i64>(graph, &layout, integral, options, budget) {
        Err(Stop::Overflow) => program.solve::<Int>(graph, &layout, integral, options, budget),
        result => result,
    };
    match point {
        Ok(point) => Ok(point.map(|p| (0..graph.statements.len()).map(|s| layout.row(s, &p)).collect())),
        Err(Stop::Exhausted(e)) => Err(Error::Exhausted(e)),
        Err(Stop::Overflow) => Err(refused("numbers without limits do not overflow".into())),
    }
}

struct Program {
    n_unknown: usize,
    n_group: usize,
    definitions: Vec<(usize, Linear)>,
    eqs: BTreeSet<Linear>,
    ineqs: BTreeSet<Linear>,
}

impl Program {
    fn new(layout: &Layout, groups: &[Group], n_group: usize) -> Program {
        // Behind the statements: 1 - e for every group that can be carried.
        let complement = layout.end();
        let mut not_carried = Linear::new(0);
        (0..n_group).for_each(|k| not_carried.add(complement + k, Int::one()));
        let mut definitions = vec![
            (NOT_CARRIED, not_carried),
            (SUM_PARAMS, layout.sum_of_params()),
            (SUM_COORDINATES, layout.sum_of_coordinates()),
        ];
        for k in 0..n_group {
            let mut e = Linear::new(1);
            e.add(complement + k, Int::from(-1));
            definitions.push((FIRST + k, e));
        }
        let (mut eqs, mut ineqs) = (BTreeSet::new(), BTreeSet::new());
        let mut index = 0;
        for group in groups {
            for g in &group.lines {
                eqs.insert(layout.distance(group.source, group.sink, g, 1));
            }
            for g in &group.rows {
                let mut form = layout.distance(group.source, group.sink, g, 1);
                if group.carried {
                    form.add(FIRST + index, -&g[0]);
                }
                ineqs.insert(form);
            }
            index += usize::from(group.carried);
        }
        Program { n_unknown: complement + n_group, n_group, definitions, eqs, ineqs }
    }

    /// A point with something carried, all entries integers.
    fn solve<N: Number>(
        &self,
        graph: &Graph,
        layout: &Layout,
        integral: bool,
        options: &Options,
        budget: &Budget,
    ) -> std::result::Result<Option<Vec<Int>>, Stop> {
        let mut tableau = Tableau::<N>::new(self.n_unknown, &self.definitions)?;
        for form in &self.eqs {
            tableau.add_eq(form, budget)?;
        }
        for form in &self.ineqs {
            tableau.add_ineq(form, budget)?;
        }
        if !tableau.solve(false, budget)? || !self.carries(&tableau) {
            return Ok(None);
        }
        let repairable =
            |t: &Tableau<N>| options.treat_coalescing.then(|| coalesced(graph, layout, &t.point().0)).flatten();
        while let Some((negative, positive)) = repairable(&tableau) {
            let mut repaired = tableau.clone();
            let mut zero = Linear::new(0);
            zero.add(positive, Int::one());
            zero.add(negative, Int::from(-1));
            repaired.add_eq(&zero, budget)?;
            if !repaired.solve(false, budget)? || !self.carries(&repaired) {
                break;
            }
            tableau = repaired;
        }
        if integral && !tableau.is_integral() && !(tableau.solve(true, budget)? && self.carries(&tableau)) {
            return Ok(None);
        }
        Ok(Some(tableau.point().0))
    }

    /// Whether some group is carried.
    fn carries<N: Number>(&self, tableau: &Tableau<N>) -> bool {
        let (k, d) = tableau.value(NOT_CARRIED);
        k < d * Int::from(self.n_group)
    }
}

/// The unknowns of a coefficient that is so much smaller than another one that both directions are traversed one after the
/// other, if there is one.
fn coalesced(graph: &Graph, layout: &Layout, point: &[Int]) -> Option<(usize, usize)> {
    for (s, statement) in graph.statements.iter().enumerate() {
        let row = layout.row(s, point);
        let row = &row[1 + graph.n_param()..];
        for (j, size) in statement.sizes.iter().enumerate() {
            let Some(size) = size.as_ref().filter(|size| size.is_positive()) else { continue };
            if row[j].is_zero() {
                continue;
            }
            let half = (size + 1).div_floor(&Int::from(2));
            let limit = half * row[j].abs();
            if row.iter().enumerate().any(|(i, c)| i != j && c.abs() > limit) {
                return Some(layout.coordinate(s, j));
            }
        }
    }
    None
}
