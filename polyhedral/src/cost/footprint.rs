//! Which part of every array a loop touches, and how many lines that is.
//!
//! A [`Touched`] is a box of subscripts of one array: the image of the box of a statement's coordinates under an access, subscript by subscript.
//! Boxes that overlap or are neighbours are one (`A[i - 1]`, `A[i]` and `A[i + 1]` in a loop over `i`), so that what several accesses
//! share counts once. A box never counts more elements than iterations that move it.
//!
//! Lines: from the subscript with the smallest stride outwards, bytes that touch each other become one piece. A row of 100 doubles is 13
//! or 14 lines of 64 bytes; a column of 100 is 100.

use crate::budget::Budget;
use crate::error::Result;

use super::facts::AccessFacts;
use super::linear::{combination, gcd};
use super::nest::Occurrence;
use super::system::Interval;

/// Part of an array.
#[derive(Clone, Debug)]
pub(super) struct Touched {
    pub(super) array: usize,
    /// The occurrence whose access was the first one here.
    pub(super) occurrence: usize,
    subscripts: Vec<Interval>,
    strides: Vec<f64>,
    unit: f64,
    elements: f64,
    /// By how many elements a step along every direction that runs moves each subscript.
    moves: Vec<Vec<f64>>,
    pub(super) written: bool,
    pub(super) read: bool,
    /// How many bytes in a row are touched one after the other in time.
    run: f64,
}

/// An access in the coordinates of an occurrence.
#[derive(Clone, Debug)]
pub(super) struct Moved {
    pub(super) place: AccessFacts,
    /// Coefficients of the coordinates, for every subscript.
    pub(super) coefficients: Vec<Vec<f64>>,
    /// By how many bytes a step along a direction moves it.
    pub(super) strides: Vec<f64>,
}

impl Moved {
    pub(super) fn new(place: &AccessFacts, occurrence: &Occurrence) -> Moved {
        let n = occurrence.matrix.len();
        let of = |k: usize, d: usize| {
            let coefficients = &place.subscripts[k].coefficients;
            super::system::cleaned(coefficients.iter().zip(&occurrence.matrix).map(|(a, row)| a * row[d]).sum())
        };
        let coefficients: Vec<Vec<f64>> =
            (0..place.subscripts.len()).map(|k| (0..n).map(|d| of(k, d)).collect()).collect();
        let strides =
            (0..n).map(|d| coefficients.iter().zip(&place.strides).map(|(row, stride)| row[d] * stride).sum());
        let strides = strides.collect();
        Moved { place: place.clone(), coefficients, strides }
    }

    /// Whether a step along a direction changes a subscript.
    pub(super) fn moves_along(&self, direction: usize) -> bool {
        self.coefficients.iter().any(|row| row[direction] != 0.0)
    }

    /// What is touched by the levels from `from` on.
    pub(super) fn touched(&self, number: usize, occurrence: &Occurrence, from: usize) -> Touched {
        let bounds = &occurrence.boxes[from];
        let subscripts: Vec<Interval> = self
            .place
            .subscripts
            .iter()
            .zip(&self.coefficients)
            .map(|(subscript, row)| {
                let start = Interval::point(subscript.constant).plus(subscript.rounding);
                row.iter().zip(bounds).fold(start, |sum, (a, bound)| sum.plus(bound.scaled(*a)))
            })
            .collect();
        let moving = (0..bounds.len()).filter(|d| self.moves_along(*d));
        let running = moving.clone().filter(|d| bounds[*d].count() > 1.0);
        let moves = running.map(|d| self.coefficients.iter().map(|row| row[d]).collect()).collect();
        let rounding: f64 = self.place.subscripts.iter().map(|subscript| subscript.rounding.count()).product();
        let elements = moving.map(|d| bounds[d].count().max(1.0)).product::<f64>() * rounding.ceil();
        Touched {
            array: self.place.array,
            occurrence: number,
            subscripts,
            strides: self.place.strides.clone(),
            unit: self.place.unit,
            elements,
            moves,
            written: self.place.writes,
            read: !self.place.writes,
            run: self.run(occurrence, from),
        }
    }

    /// The bytes in a row that the innermost levels, but none outside of `from`, touch without a jump. Loops that go through a few places
    /// in turn leave several runs.
    fn run(&self, occurrence: &Occurrence, from: usize) -> f64 {
        let (mut run, mut streams) = (self.place.unit, 1.0);
        for level in occurrence.levels[from..].iter().rev().filter(|level| level.trips > 1.0) {
            let Some(direction) = level.direction else { continue };
            let stride = self.strides[direction].abs() * level.step;
            if stride == 0.0 {
                continue;
            }
            if stride > (run + self.place.unit).max(64.0) {
                streams *= level.trips;
                if streams > STREAMS {
                    break;
                }
                continue;
            }
            run = run.max(stride * (level.trips - 1.0) + run);
        }
        run
    }
}

/// So many runs at the same time are followed by the units that fetch ahead. (Measured: sums over 16 planes run at the speed of memory,
/// strips of 32 rows do not.)
const STREAMS: f64 = 24.0;

/// So many lines pass before a run is followed.
const UNANNOUNCED: f64 = 3.0;

/// A grid of lines, of a cache or of pages.
#[derive(Clone, Copy, Debug)]
pub(super) struct Grid {
    pub(super) bytes: f64,
    pub(super) line: f64,
    /// In how many places a line may be; 0 if anywhere.
    pub(super) ways: f64,
}

/// What a piece of an array needs of a grid.
#[derive(Clone, Copy, Debug)]
pub(super) struct Lines {
    /// Lines that are fetched.
    pub(super) fetched: f64,
    /// Lines whose places are taken: more where lines compete for the same places.
    pub(super) occupied: f64,
    /// Lines that nothing has announced: the first of each run of neighbours in time, or the first few.
    pub(super) starts: f64,
}

impl Touched {
    fn volume(&self) -> f64 {
        self.subscripts.iter().map(|interval| interval.count().max(1.0)).product()
    }

    /// Adds a part of the same array if both together are hardly more than each alone. Whether it did.
    fn absorb(&mut self, other: &Touched) -> bool {
        if self.array != other.array {
            return false;
        }
        let pairs = self.subscripts.iter().zip(&other.subscripts);
        let both: Vec<Interval> = pairs.map(|(a, b)| a.hull(*b)).collect();
        let volume: f64 = both.iter().map(|interval| interval.count().max(1.0)).product();
        if volume > 1.1 * (self.volume() + other.volume()) {
            return false;
        }
        // A diagonal and its neighbour in the row have the same lines.
        self.elements = match self.is_along(other) {
            true => self.elements.max(other.elements),
            false => self.elements + other.elements,
        };
        self.elements = self.elements.min(volume);
        self.subscripts = both;
        self.written |= other.written;
        self.read |= other.read;
        self.run = self.run.max(other.run);
        true
    }

    /// Whether the other part is this one moved along its own directions, up to neighbours.
    fn is_along(&self, other: &Touched) -> bool {
        if self.moves != other.moves || self.moves.len() >= self.subscripts.len() {
            return false;
        }
        let starts = self.subscripts.iter().zip(&other.subscripts);
        let distance: Vec<f64> = starts.map(|(a, b)| b.low - a.low).collect();
        let last = self.subscripts.len() - 1;
        let row: Vec<f64> = (0..=last).map(|k| if k == last { 1.0 } else { 0.0 }).collect();
        let vectors: Vec<&[f64]> = self.moves.iter().map(Vec::as_slice).chain([row.as_slice()]).collect();
        let factors = combination(&distance, &vectors);
        factors.is_some_and(|factors| factors[self.moves.len()].abs() * self.unit <= 32.0)
    }

    pub(super) fn lines(&self, grid: Grid) -> Lines {
        let mut order: Vec<usize> = (0..self.subscripts.len()).collect();
        order.sort_by(|a, b| self.strides[*a].total_cmp(&self.strides[*b]));
        let (mut span, mut pieces, mut distance) = (self.unit, 1.0, 0.0);
        for k in order {
            let (extent, stride) = (self.subscripts[k].count().max(1.0), self.strides[k]);
            if pieces == 1.0 && stride <= span.max(grid.line) {
                span += stride * (extent - 1.0);
            } else if extent > 1.0 {
                if pieces == 1.0 {
                    distance = stride;
                }
                pieces *= extent;
            }
        }
        let of_piece = (span - self.unit) / grid.line + 1.0;
        let fetched = (pieces * of_piece).min(self.elements.max(1.0));
        // Pieces whose distance is a multiple of many lines share few places.
        let mut occupied = fetched;
        if grid.ways > 0.0 && pieces > grid.ways && distance % grid.line == 0.0 {
            let places = grid.bytes / grid.line / grid.ways;
            let shared = gcd((distance / grid.line) as u64, places as u64) as f64;
            occupied = occupied.max(pieces * shared.min(places).max(of_piece));
        }
        let of_run = (self.run / grid.line).clamp(1.0, 4096.0 / grid.line.min(4096.0));
        Lines { fetched, occupied, starts: fetched / of_run * of_run.min(UNANNOUNCED) }
    }
}

/// What a list of accesses touches, everything once. Cost: the product of the number of accesses and that of the parts.
pub(super) fn together(all: impl IntoIterator<Item = Touched>, budget: &Budget) -> Result<Vec<Touched>> {
    let mut result: Vec<Touched> = Vec::new();
    for one in all {
        budget.spend(1 + result.len() as u64)?;
        if !result.iter_mut().any(|known| known.absorb(&one)) {
            result.push(one);
        }
    }
    Ok(result)
}
