//! `hexagonal_tile(S@k, height = h, rows = n)`: tiles of an outer loop and the rows of data that statements write, all of which run side by
//! side in two phases.
//!
//! ```text
//! for t:                          for T:
//!   for i: b[i] = f(a[..])          for all S:                            phase 0
//!   for i: a[i] = f(b[..])            for t: for i: ...; for i: ...       one hexagon of instances
//!                                   for all S:                            phase 1
//!                                     for t: for i: ...; for i: ...
//!
//! time  7   11111BBBAAAAAAABBB11      height = 6, rows = 7, distances of -1 to 1: hexagons of 3 to 7 rows. Those of phase 1, B, lie between
//!       6   1111BBBBBAAAAABBBBB1      those of phase 0, A, half a tile later. What leads out of the upper half of a tile leads to a later
//!       5   111BBBBBBBAAABBBBBBB      phase, what leads into the lower half comes from an earlier one; two tiles of a phase are too far
//!       4   000BBBBBBBAAABBBBBBB      apart to meet.
//! ```
//!
//! *Time* counts the parts of the sequence below the loop: `2 t` for the first of two, `2 t + 1` for the second. The *row* of a statement is the
//! first subscript of the element of memory that it writes. `height`, an even number, is how many times a tile has, `rows` how many rows where
//! it has most, in its middle. From one time to the next the lower half of a tile gets wider on the left by `l` rows and
//! on the right by `r`, the least for which every dependence over `d` times moves from `-l d` to `r d` rows; so the pass does not apply where
//! rows of one time wait for each other. Inside a tile everything runs in the old order.
//!
//! A half of a tile gets wider `m = h/2 - 1` times, so it has `w = n - (l + r) m` rows at first. Where that is at least the greater of `l` and `r`, tiles
//! of a phase do not meet. They are `p = n + w` rows apart. Time and row within the tile of phase 0,
//! `a = t - h T` and `c = i - (r - l) m T - p S`, are those with
//!
//! ```text
//! c >= -l a,  c >= -l m + r (a - m - 1),  c < w + r a,  c < w + r m - l (a - m - 1)
//! ```
//!
//! and phase 1 is the same, moved by `h/2` times and `w + r m` rows.
//!
//! T. Grosser, A. Cohen, J. Holewinski, P. Sadayappan, S. Verdoolaege, "Hybrid Hexagonal/Classical Tiling for GPUs", CGO 2014.

use crate::affine::PwMultiAff;
use crate::arith::Int;
use crate::budget::Budget;
use crate::device::equal;
use crate::error::Result;
use crate::relation::{UnionMap, UnionSet};
use crate::schedule::{Band, Cursor, EditError, Member, Node};
use crate::transform::pass::{Argument, Kind, Pass};
use crate::transform::passes::bad;
use crate::transform::{Draft, Step};

pub(in crate::transform) const PASS: Pass = Pass {
    name: "hexagonal_tile",
    meaning: "tiles an outer loop and the rows of data that statements write, in two phases of tiles side by side",
    sites: 1,
    arguments: &[
        Argument {
            name: "height",
            kind: Kind::Integer,
            optional: false,
            meaning: "the number of times in a tile, an even number",
        },
        Argument {
            name: "rows",
            kind: Kind::Integer,
            optional: false,
            meaning: "the number of rows of a tile where it has most",
        },
    ],
    apply,
};

/// By how many rows per time dependences may move at most. Tiles of steeper ones would be mostly slopes.
const STEEPEST: i64 = 8;

/// The greatest size of a tile.
const MOST: i64 = 1 << 20;

fn apply<'m>(draft: &Draft<'m>, step: &Step, budget: &Budget) -> std::result::Result<Draft<'m>, EditError> {
    let cursor = draft.band_at(&step.sites[0])?;
    let (height, rows) = (step.integer("height").unwrap_or(0), step.integer("rows").unwrap_or(0));
    if height < 2 || height % 2 != 0 || height > MOST || !(1..=MOST).contains(&rows) {
        return bad(format!(
            "height is an even number from 2 to {MOST}, not {height}, and rows one from 1 on, not {rows}"
        ));
    }
    let plane = plane(draft, &cursor)?;
    let relation = plane.to_map(budget)?.intersect_domain(&cursor.domain(budget)?, budget)?;
    let within = equal(&cursor.prefix_relation(budget)?, budget)?.intersect_params(&draft.scop().context, budget)?;
    let order = draft.together(budget)?.intersect(&within, budget)?;
    let Some(slopes) = slopes(&order, &relation, budget)? else {
        return bad(format!(
            "rows of one time wait for each other, or for rows more than {STEEPEST} times as far away"
        ));
    };
    let tiles = Hexagons { height, rows, slopes };
    let least = slopes[0].max(slopes[1]).max(1);
    if tiles.width() < least {
        let rows = rows - tiles.width() + least;
        return bad(format!(
            "tiles of this height have at least {rows} rows, as dependences move from {} to {} rows per time",
            -slopes[0], slopes[1]
        ));
    }
    let function = |text: String| PwMultiAff::parse(&text, budget);
    let steps = PHASES.map(|phase| format!("[t, i] -> [{}] : {}", tiles.step(phase), tiles.has(phase)));
    let steps = function(format!("{{ {} }}", steps.join("; ")))?;
    let outer = cursor.insert_band(plane.clone())?.apply(&steps, budget)?;
    let Some(below) = outer.child(0) else { return bad("there is nothing below") };
    let filters = PHASES.map(|phase| tiles.instances(phase, &relation, budget));
    let filters = filters.into_iter().collect::<Result<Vec<_>>>()?;
    let mut here = below.insert_sequence(&filters, budget)?;
    for (position, phase) in PHASES.into_iter().enumerate() {
        let Some(below) = here.child(position).and_then(|filter| filter.child(0)) else {
            return bad("a phase is lost");
        };
        let column = function(format!("{{ [t, i] -> [{}] }}", tiles.column(phase)))?;
        let columns = below.insert_band(plane.clone())?.apply(&column, budget)?;
        here = columns.tree().cursor_at(here.path()).unwrap_or(here);
    }
    Ok(draft.with_tree(here.into_tree()))
}

/// The numbers of the phases.
const PHASES: [i64; 2] = [0, 1];

/// Time and row of the instances.
fn plane(draft: &Draft<'_>, cursor: &Cursor) -> std::result::Result<Band, EditError> {
    let Node::Band(band, below) = cursor.node() else { return bad("the site is no band") };
    let [time] = band.members() else { return bad("the band has more than one member") };
    let parts = below.children();
    let parts = if let Node::Sequence(_) = **below { parts } else { &[] };
    let has = |part: &Node, name: &str| matches!(part, Node::Filter(instances, _) if instances.get(name).is_some());
    let scop = draft.scop();
    let (mut times, mut rows) = (Vec::new(), Vec::new());
    for statement in scop.statements.iter().filter(|statement| time.function(&statement.name).is_some()) {
        let Some(counter) = time.get(&statement.name) else { return bad("the band is piecewise") };
        let mut part = parts.iter().enumerate().filter(|(_, part)| has(part, &statement.name));
        let position = part.next().map_or(0, |(position, _)| position);
        if part.next().is_some() {
            return bad(format!("{} is in several parts of the sequence", statement.name));
        }
        let row = scop.row(statement).and_then(|row| row.first().cloned());
        let Some(row) = row else { return bad(format!("{} writes no row", statement.name)) };
        times.push(counter.scale(&Int::from(parts.len().max(1))).add_constant(&Int::from(position)));
        rows.push(row);
    }
    Ok(Band::new(vec![Member::new(times)?, Member::new(rows)?]))
}

/// The least `l` and `r` so that every dependence over `d` times moves from `-l d` to `r d` rows, if there are any up to [`STEEPEST`].
fn slopes(order: &UnionMap, plane: &UnionMap, budget: &Budget) -> Result<Option<[i64; 2]>> {
    // From time and row of the source to those of the sink.
    let moves = plane.reverse()?.apply_range(order, budget)?.apply_range(plane, budget)?;
    let mut slopes = [0, 0];
    for (side, slope) in slopes.iter_mut().enumerate() {
        loop {
            let farther = match side {
                0 => format!("j < i - {slope} (u - t)"),
                _ => format!("j > i + {slope} (u - t)"),
            };
            let farther = UnionMap::parse(&format!("{{ [t, i] -> [u, j] : {farther} }}"), budget)?;
            if moves.is_disjoint(&farther, budget)? {
                break;
            }
            if *slope == STEEPEST {
                return Ok(None);
            }
            *slope += 1;
        }
    }
    Ok(Some(slopes))
}

/// The tiles, as text about a time `t` and a row `i`.
struct Hexagons {
    height: i64,
    rows: i64,
    slopes: [i64; 2],
}

impl Hexagons {
    /// The rows at the first and the last time.
    fn width(&self) -> i64 {
        self.rows - (self.slopes[0] + self.slopes[1]) * self.half()
    }

    /// How often the lower half gets wider.
    fn half(&self) -> i64 {
        self.height / 2 - 1
    }

    fn period(&self) -> i64 {
        self.rows + self.width()
    }

    /// Time since the first tile of a phase.
    fn time(&self, phase: i64) -> String {
        format!("(t - {})", phase * self.height / 2)
    }

    /// The number of a tile in the direction of time.
    fn step(&self, phase: i64) -> String {
        format!("floor({}/{})", self.time(phase), self.height)
    }

    /// How far a row is from the leftmost of tile 0.
    fn row(&self, phase: i64) -> String {
        let ([left, right], half) = (self.slopes, self.half());
        let moved = phase * (self.width() + right * half) - left * half;
        format!("(i - {moved} - {} * {})", (right - left) * half, self.step(phase))
    }

    /// The number of a tile in the direction of rows.
    fn column(&self, phase: i64) -> String {
        format!("floor({}/{})", self.row(phase), self.period())
    }

    /// Whether a tile of a phase has the place.
    fn has(&self, phase: i64) -> String {
        let ([left, right], half, width) = (self.slopes, self.half(), self.width());
        let time = format!("({} mod {})", self.time(phase), self.height);
        let row = format!("({} mod {} - {})", self.row(phase), self.period(), left * half);
        let later = half + 1;
        format!(
            "{row} >= -{left} * {time} and {row} >= {right} * {time} - {} and {row} < {width} + {right} * {time} \
             and {row} < {} - {left} * {time}",
            left * half + right * later,
            width + right * half + left * later,
        )
    }

    /// The instances in the tiles of a phase.
    fn instances(&self, phase: i64, plane: &UnionMap, budget: &Budget) -> Result<UnionSet> {
        let places = UnionSet::parse(&format!("{{ [t, i] : {} }}", self.has(phase)), budget)?;
        plane.intersect_range(&places, budget)?.domain(budget)
    }
}
