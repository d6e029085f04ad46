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
    if self_first && groups.iter().any(|g| g.source == g.sink && !g.rows.is_empty()) {
        groups.iter_mut().for_each(|g| g.carried = g.source == g.sink && !g.rows.is_empty());
        if let Some(rows) = solve(graph, &groups, fallback, options, budget)? {
            return Ok(Some(rows));
        }
    }
    groups.iter_mut().for_each(|g| g.carried = !g.rows.is_empty());
    solve(graph, &groups, fallback, options, budget)
}

/// The groups of the constraints that order instances, without repetitions.
///
/// The lines of the differences of a statement (directions without bound) are common to all its groups: the coefficients along
/// them are zero in any case, so groups that differ only along them are the same.
fn groups(graph: &Graph, coincidence: bool, budget: &Budget) -> Result<Vec<Group>> {
    let mut kinds = VALIDITY | CONDITIONAL;
    if coincidence {
        kinds |= COINCIDENCE;
    }
    let first = 1 + graph.n_param();
    let mut cones: Vec<(usize, usize, Rc<Cone>)> = Vec::new();
    for edge in graph.edges.iter().filter(|e| e.is(kinds)) {
        for part in &edge.parts {
            cones.push((edge.source, edge.sink, edge.part_cone(part, budget)?));
        }
    }
    let mut lines: Vec<Lines> = graph.statements.iter().map(|_| Lines::default()).collect();
    for (source, sink, cone) in &cones {
        if source == sink {
            cone.lines.iter().for_each(|line| lines[*source].add(&line[first..]));
        }
    }
    let mut result: Vec<Group> = Vec::new();
    let mut known = BTreeSet::new();
    for (source, sink, cone) in cones {
        let reduced = |g: &Row| {
            let mut g = g.clone();
            let scaled = if source == sink {
                // The parameters do not matter for differences: the row of one statement cancels there.
                g[1..first].iter_mut().for_each(|x| *x = Int::zero());
                lines[source].reduce(&mut g, first)
            } else {
                lines[source].reduce(&mut g, first) | lines[sink].reduce(&mut g, first + graph.statements[source].n)
            };
            if scaled || source == sink {
                let d = gcd_of(&g);
                if !d.is_zero() {
                    g.iter_mut().for_each(|x| *x = x.div_exact(&d));
                }
            }
            g
        };
        let all = |rows: &[Row]| -> BTreeSet<Row> {
            rows.iter().map(reduced).filter(|g| g.iter().any(|x| !x.is_zero())).collect()
        };
        let (rows, own_lines) = (all(&cone.rays), all(&cone.lines));
        if source == sink && own_lines.is_empty() && rows.iter().all(|g| g[1..].iter().all(Int::is_zero)) {
            // Nothing is left that could be carried.
            continue;
        }
        if known.insert((source, sink, rows.clone(), own_lines.clone())) {
            result.push(Group { source, sink, rows, lines: own_lines, carried: true });
        }
    }
    for (s, lines) in lines.iter().enumerate() {
        if !lines.rows.is_empty() {
            let wide = |row: &Row| std::iter::repeat_n(Int::zero(), first).chain(row.iter().cloned()).collect();
            let own = lines.rows.iter().map(|(_, row)| wide(row)).collect();
            result.push(Group { source: s, sink: s, rows: BTreeSet::new(), lines: own, carried: false });
        }
    }
    Ok(result)
}

/// A basis of directions in echelon form: the first entry of each row that is not zero, and the row.
#[derive(Default)]
struct Lines {
    rows: Vec<(usize, Row)>,
}

impl Lines {
    fn add(&mut self, line: &[Int]) {
        let mut line = Row::from(line);
        self.reduce(&mut line, 0);
        if let Some(at) = line.iter().position(|x| !x.is_zero()) {
            for (_, row) in &mut self.rows {
                cancel(row, at, 0, at, &line);
            }
            self.rows.push((at, line));
        }
    }

    /// Removes what lies along the directions from the entries from `first` on; multiplies the row if needed, and says so.
    fn reduce(&self, row: &mut Row, first: usize) -> bool {
        let mut scaled = false;
        for (at, line) in &self.rows {
            scaled |= cancel(row, first + at, first, *at, line);
        }
        scaled
    }
}

/// Adds a multiple of `line`, placed at `first`, so that the entry `at` vanishes; the row is multiplied by a positive number.
fn cancel(row: &mut Row, at: usize, first: usize, pivot: usize, line: &Row) -> bool {
    if row[at].is_zero() {
        return false;
    }
    let (mut m, mut q) = (line[pivot].clone(), row[at].clone());
    if m.is_negative() {
        (m, q) = (-m, -q);
    }
    row.iter_mut().for_each(|x| *x = &*x * &m);
    for (x, y) in row[first..].iter_mut().zip(line) {
        *x -= &q * y;
    }
    true
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scheduler::ScheduleConstraints;

    fn graph(domain: &str, validity: &str, options: &Options) -> Graph {
        let budget = Budget::unlimited();
        let text = format!("domain: \"{domain}\"\nvalidity: \"{validity}\"");
        Graph::new(&ScheduleConstraints::parse(&text, &budget).unwrap(), options, &budget).unwrap()
    }

    /// AC-30: the differences (116), `a > 0 or (a = 0 and b > 0) or (a = b = 0 and c > 0)`, are without bound in the directions b and c.
    /// Along these all coefficients are zero, so what can be carried is `a > 0` alone, and not `a >= 0`.
    #[test]
    fn ac_30_lineality() {
        let graph = graph(
            "{ S[a, b, c] }",
            "{ S[a, b, c] -> S[d, e, f] : d > a; S[a, b, c] -> S[a, e, f] : e > b; S[a, b, c] -> S[a, b, f] : f > c }",
            &Options::default(),
        );
        let groups = groups(&graph, false, &Budget::unlimited()).unwrap();
        let rows = |set: &BTreeSet<Row>| -> Vec<Vec<i64>> {
            set.iter().map(|g| g.iter().filter_map(Int::to_i64).collect()).collect()
        };
        let [carried, lines] = &groups[..] else { panic!("{} groups", groups.len()) };
        assert_eq!(rows(&carried.rows), [[0, 1, 0, 0], [1, 1, 0, 0]]);
        assert_eq!(rows(&lines.lines), [[0, 0, 0, 1], [0, 0, 1, 0]]);
        assert!(lines.rows.is_empty());
        let rows = carrying_rows(&graph, true, &Options::default(), &Budget::unlimited()).unwrap().unwrap();
        assert_eq!(rows, [[0, 1, 0, 0].map(Int::from)]);
    }

    /// The number of groups that a row can carry after each of the features that reduce it: one per conjunction; without repetitions;
    /// only those of statements on themselves; without bounds by extents; without lines.
    fn counts(domain: &str, validity: &str) -> [usize; 5] {
        let budget = Budget::unlimited();
        let distinct = |graph: &Graph, own: bool| -> (usize, usize) {
            let (mut all, mut known) = (0, BTreeSet::new());
            for edge in graph.edges.iter().filter(|e| !own || e.source == e.sink) {
                for part in &edge.parts {
                    let cone = edge.part_cone(part, &budget).unwrap();
                    all += 1;
                    known.insert((edge.source, edge.sink, cone.rays.clone(), cone.lines.clone()));
                }
            }
            (all, known.len())
        };
        let bounded = graph(domain, validity, &Options { treat_coalescing: false, ..Options::default() });
        let free = graph(domain, validity, &Options::default());
        let (all, different) = distinct(&bounded, false);
        let carried = groups(&free, false, &budget).unwrap();
        let carried = carried.iter().filter(|g| g.source == g.sink && !g.rows.is_empty()).count();
        [all, different, distinct(&bounded, true).1, distinct(&free, true).1, carried]
    }

    /// AC-33: every feature leaves as many groups or fewer. Two statements in a small box with live ranges of scalars across all levels.
    #[test]
    fn ac_33_features_reduce_the_groups() {
        let inside = "0 <= s, s' < N and 0 <= z, z', x, x' < 128";
        let (mut parts, mut domain) = (Vec::new(), Vec::new());
        for a in ["G", "B", "C"] {
            let guard = |t: &str| match t {
                "B" => " and x = 127",
                "C" => " and x = 0",
                _ => "",
            };
            domain.push(format!("{a}[s, z, x] : 0 <= s < N and 0 <= z, x < 128{}", guard(a)));
            for b in ["G", "B", "C"] {
                let guards = format!("{}{}", guard(a), guard(b).replace('x', "x'"));
                for level in ["s' > s", "s' = s and z' > z", "s' = s and z' = z and x' > x"] {
                    parts.push(format!("{a}[s, z, x] -> {b}[s', z', x'] : {inside}{guards} and {level}"));
                }
                // The same neighbours for several arrays, as links of a lattice.
                for (dz, dx) in [(0, 1), (0, -1), (1, 0), (-1, 0), (1, 1)] {
                    let step = format!("s' = s + 1 and z' = z + {dz} and x' = x + {dx}");
                    parts.push(format!("{a}[s, z, x] -> {b}[s', z', x'] : {inside}{guards} and {step}"));
                }
            }
        }
        let found =
            counts(&format!("[N] -> {{ {} }}", domain.join("; ")), &format!("[N] -> {{ {} }}", parts.join("; ")));
        assert!(found.windows(2).all(|pair| pair[0] >= pair[1]), "{found:?}");
        assert!(found[0] > 3 * found[4] && found[4] > 0, "{found:?}");
    }
}
