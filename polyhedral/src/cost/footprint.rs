//! Which part of every array a loop touches, and how many lines that is.
//!
//! A [`Touched`] is a box of subscripts of one array: the image of the box of a statement's coordinates under an access, subscript by subscript.
//! Boxes that overlap or are neighbours are one (`A[i - 1]`, `A[i]` and `A[i + 1]` in a loop over `i`), so that what several accesses
//! share counts once. A box never counts more elements than iterations that move it.
//!
//! Lines: from the subscript with the smallest stride outwards, bytes that touch each other become one piece. A row of 100 doubles is 13
//! or 14 lines of 64 bytes; a column of 100 is 100.

use super::facts::Place;
use super::linear::gcd;
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
    pub(super) written: bool,
    /// How many bytes in a row are touched one after the other in time.
    run: f64,
}

/// An access in the coordinates of an occurrence.
#[derive(Clone, Debug)]
pub(super) struct Moved {
    pub(super) place: Place,
    /// Coefficients of the coordinates, for every subscript.
    pub(super) coefficients: Vec<Vec<f64>>,
    /// By how many bytes a step along a direction moves it.
    pub(super) strides: Vec<f64>,
}

impl Moved {
    pub(super) fn new(place: &Place, occurrence: &Occurrence) -> Moved {
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
        let rounding: f64 = self.place.subscripts.iter().map(|subscript| subscript.rounding.count()).product();
        let elements = moving.map(|d| bounds[d].count().max(1.0)).product::<f64>() * rounding.ceil();
        Touched {
            array: self.place.array,
            occurrence: number,
            subscripts,
            strides: self.place.strides.clone(),
            unit: self.place.unit,
            elements,
            written: self.place.writes,
            run: self.run(occurrence, from),
        }
    }

    /// The bytes in a row that the innermost levels, but none outside of `from`, touch without a jump.
    fn run(&self, occurrence: &Occurrence, from: usize) -> f64 {
        let mut run = self.place.unit;
        for level in occurrence.levels[from..].iter().rev().filter(|level| level.trips > 1.0) {
            let Some(direction) = level.direction else { continue };
            let stride = self.strides[direction].abs() * level.step;
            if stride == 0.0 {
                continue;
            }
            if stride > (run + self.place.unit).max(64.0) {
                break;
            }
            run = run.max(stride * (level.trips - 1.0) + run);
        }
        run
    }
}

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
    /// Runs of neighbouring lines, one after the other in time.
    pub(super) runs: f64,
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
        self.elements = (self.elements + other.elements).min(volume);
        self.subscripts = both;
        self.written |= other.written;
        self.run = self.run.max(other.run);
        true
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
        Lines { fetched, occupied, runs: fetched / of_run }
    }
}

/// What a list of accesses touches, everything once.
pub(super) fn together(all: impl IntoIterator<Item = Touched>) -> Vec<Touched> {
    let mut result: Vec<Touched> = Vec::new();
    for one in all {
        if !result.iter_mut().any(|known| known.absorb(&one)) {
            result.push(one);
        }
    }
    result
}
