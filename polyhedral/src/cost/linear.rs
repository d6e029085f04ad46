//! Linear algebra in floating point, for a handful of dimensions.

use super::system::cleaned;

/// What is less than this is nothing.
const EPSILON: f64 = 1e-7;

/// The factors with which vectors add up to a target, if there are any. The vectors are independent of each other.
pub(super) fn combination(target: &[f64], vectors: &[&[f64]]) -> Option<Vec<f64>> {
    let k = vectors.len();
    // One row per dimension: the vectors' coordinates, and that of the target.
    let mut rows: Vec<Vec<f64>> =
        (0..target.len()).map(|d| vectors.iter().map(|vector| vector[d]).chain([target[d]]).collect()).collect();
    let mut done = 0;
    for column in 0..k {
        let pivot = (done..rows.len()).max_by(|a, b| rows[*a][column].abs().total_cmp(&rows[*b][column].abs()))?;
        if rows[pivot][column].abs() < EPSILON {
            return None;
        }
        rows.swap(done, pivot);
        eliminate(&mut rows, done, column);
        done += 1;
    }
    let rest = rows[done..].iter().all(|row| row[k].abs() < EPSILON);
    rest.then(|| (0..k).map(|column| cleaned(rows[column][k])).collect())
}

/// Makes a column the unit vector of a row.
fn eliminate(rows: &mut [Vec<f64>], pivot: usize, column: usize) {
    let factor = rows[pivot][column];
    rows[pivot].iter_mut().for_each(|entry| *entry /= factor);
    let own = rows[pivot].clone();
    for (index, row) in rows.iter_mut().enumerate() {
        let factor = row[column];
        if index != pivot && factor != 0.0 {
            row.iter_mut().zip(&own).for_each(|(entry, pivot)| *entry -= factor * pivot);
        }
    }
}

/// The inverse of a square matrix of independent rows.
pub(super) fn inverse(matrix: &[Vec<f64>]) -> Option<Vec<Vec<f64>>> {
    let n = matrix.len();
    let columns: Vec<Vec<f64>> = (0..n).map(|k| matrix.iter().map(|row| row[k]).collect()).collect();
    let columns: Vec<&[f64]> = columns.iter().map(Vec::as_slice).collect();
    let unit = |k: usize| (0..n).map(|d| if d == k { 1.0 } else { 0.0 }).collect::<Vec<f64>>();
    let of_units = (0..n).map(|k| combination(&unit(k), &columns)).collect::<Option<Vec<_>>>()?;
    Some((0..n).map(|row| of_units.iter().map(|column| column[row]).collect()).collect())
}

/// The vector divided by the greatest common divisor of its entries, which are integers or nearly so.
pub(super) fn primitive(vector: &[f64]) -> Vec<f64> {
    let divisor = vector.iter().fold(0u64, |divisor, entry| gcd(divisor, entry.abs().round() as u64));
    vector.iter().map(|entry| entry.round() / divisor.max(1) as f64).collect()
}

/// The greatest common divisor; that of 0 and a number is the number.
pub(super) fn gcd(a: u64, b: u64) -> u64 {
    if b == 0 { a } else { gcd(b, a % b) }
}
