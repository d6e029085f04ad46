//! [`Lattice`]: a coset of a lattice of integer points, and the equalities and congruences that describe it.
//!
//! A coset is `origin + Z g1 + ... + Z gk`. Unimodular row operations change only the generators, unimodular column
//! operations `U` change the coordinates; together they make the matrix of generators diagonal, as in the computation
//! of the Smith normal form (without the divisibility condition). In the coordinates `z = (x - origin) U` membership is
//! `z_i = 0 mod d_i` for the diagonal entries and `z_i = 0` for the other columns.
//!
//! Source: A. Schrijver, *Theory of Linear and Integer Programming*, 1986, sections 4.1 and 4.4.

use crate::arith::{Int, Row, row};
use crate::budget::{Budget, Exhausted};

/// A coset of a lattice; see the module documentation.
#[derive(Clone, Debug)]
pub(super) struct Lattice {
    origin: Vec<Int>,
    generators: Vec<Row>,
}

/// One condition on the points of a coset: `row = 0` modulo the modulus; equality if the modulus is zero.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Congruence {
    /// A row `[constant | coordinates]`.
    pub(super) row: Row,
    /// Zero or at least 2.
    pub(super) modulus: Int,
}

impl Lattice {
    /// The coset of one point.
    pub(super) fn point(origin: Vec<Int>) -> Lattice {
        Lattice { origin, generators: Vec::new() }
    }

    /// The smallest coset that also contains this point.
    pub(super) fn extend(&mut self, point: &[Int]) {
        self.generators.push(point.iter().zip(&self.origin).map(|(x, y)| x - y).collect());
    }

    /// The conditions that describe the coset: none for the lattice of all integer points. The generators become a
    /// basis.
    pub(super) fn congruences(&mut self, budget: &Budget) -> Result<Vec<Congruence>, Exhausted> {
        let n = self.origin.len();
        let mut columns: Vec<Row> = (0..n).map(|i| unit(n, i)).collect();
        let diagonal = diagonalize(&mut self.generators, &mut columns, n, budget)?;
        let mut result = Vec::new();
        for (i, column) in columns.iter().enumerate() {
            let modulus = diagonal.get(i).map_or(Int::zero(), Int::abs);
            if modulus.is_one() {
                continue;
            }
            let coefficients: Vec<Int> =
                column.iter().map(|x| if modulus.is_zero() { x.clone() } else { x.rem_floor(&modulus) }).collect();
            let constant = -crate::arith::dot(&coefficients, &self.origin);
            let row = std::iter::once(constant).chain(coefficients).collect();
            result.push(Congruence { row, modulus });
        }
        // Back to the coordinates of the points: the rows of the diagonal matrix times the inverse of the column
        // operations span the same lattice as before; the generators have been transformed along.
        Ok(result)
    }
}

fn unit(n: usize, i: usize) -> Row {
    let mut row = row::zeros(n);
    row[i] = Int::one();
    row
}

/// Makes a matrix of generators diagonal. `columns` receives the column operations: its member `j` holds the
/// coefficients of the form that is coordinate `j` afterwards. `generators` is replaced by a basis in the old
/// coordinates. Returns the diagonal.
fn diagonalize(
    generators: &mut Vec<Row>,
    columns: &mut [Row],
    n: usize,
    budget: &Budget,
) -> Result<Vec<Int>, Exhausted> {
    // The matrix in the new coordinates, and next to each row the same generator in the old ones.
    let mut rows: Vec<(Row, Row)> = generators.drain(..).map(|g| (g.clone(), g)).collect();
    let mut diagonal = Vec::new();
    let mut k = 0;
    loop {
        rows.retain(|(row, _)| !row::all_zero(row));
        let smallest = (k..rows.len())
            .flat_map(|r| (k..n).map(move |c| (r, c)))
            .filter(|&(r, c)| !rows[r].0[c].is_zero())
            .min_by(|&(r, c), &(s, d)| rows[r].0[c].cmp_abs(&rows[s].0[d]));
        let Some((r, c)) = smallest else { break };
        budget.spend((rows.len() + n) as u64)?;
        rows.swap(k, r);
        columns.swap(k, c);
        for (row, _) in &mut rows {
            row.swap(k, c);
        }
        let mut clean = true;
        let pivot = rows[k].0[k].clone();
        // Row operations clear column k, column operations row k; a remainder becomes a smaller pivot.
        let (head, tail) = rows.split_at_mut(k + 1);
        let Some((pivot_row, old)) = head.last() else { break };
        for (row, original) in tail {
            let q = -row[k].div_floor(&pivot);
            row::add_scaled(row, &q, pivot_row);
            row::add_scaled(original, &q, old);
            clean &= row[k].is_zero();
        }
        for j in k + 1..n {
            let q = -rows[k].0[j].div_floor(&pivot);
            if q.is_zero() {
                clean &= rows[k].0[j].is_zero();
                continue;
            }
            for (row, _) in &mut rows {
                let x = row[k].clone();
                row[j].add_mul(&q, &x);
            }
            let source = columns[k].clone();
            row::add_scaled(&mut columns[j], &q, &source);
            clean &= rows[k].0[j].is_zero();
        }
        if clean {
            diagonal.push(pivot);
            k += 1;
        }
    }
    generators.extend(rows.into_iter().map(|(_, original)| original));
    Ok(diagonal)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn ints(point: &[i64]) -> Vec<Int> {
        point.iter().map(|&x| Int::from(x)).collect()
    }

    fn contains(conditions: &[Congruence], point: &[i64]) -> bool {
        let holds = |c: &Congruence| {
            let value = row::eval(&c.row, &ints(point));
            if c.modulus.is_zero() { value.is_zero() } else { c.modulus.divides(&value) }
        };
        conditions.iter().all(holds)
    }

    #[test]
    fn by_hand() {
        let budget = Budget::unlimited();
        // (3, 1) + Z (2, 4): 2 x - y = 5 and x = 1 mod 2.
        let mut lattice = Lattice::point(ints(&[3, 1]));
        lattice.extend(&ints(&[5, 5]));
        let conditions = lattice.congruences(&budget).unwrap();
        for x in -9..10 {
            for y in -9..10 {
                assert_eq!(contains(&conditions, &[x, y]), 2 * x - y == 5 && x.rem_euclid(2) == 1);
            }
        }
        lattice.extend(&ints(&[4, 1]));
        lattice.extend(&ints(&[3, 2]));
        assert_eq!(lattice.congruences(&budget).unwrap(), []);
    }

    proptest! {
        #[test]
        fn membership(
            origin in prop::array::uniform3(-3i64..4),
            generators in prop::collection::vec(prop::array::uniform3(-3i64..4), 0..4),
        ) {
            let mut lattice = Lattice::point(ints(&origin));
            let mut conditions = Vec::new();
            for g in &generators {
                let point: Vec<i64> = (0..3).map(|i| origin[i] + g[i]).collect();
                lattice.extend(&ints(&point));
                conditions = lattice.congruences(&Budget::unlimited()).unwrap();
            }
            if generators.is_empty() {
                conditions = lattice.congruences(&Budget::unlimited()).unwrap();
            }
            // Points of the coset satisfy the conditions.
            for m in 0..125i64 {
                let y = [m % 5 - 2, m / 5 % 5 - 2, m / 25 - 2];
                let sum = |i: usize| origin[i] + generators.iter().zip(y).map(|(g, y)| g[i] * y).sum::<i64>();
                prop_assert!(contains(&conditions, &[sum(0), sum(1), sum(2)]));
            }
            // The number of points of a box that satisfy them is that of the index, for lattices of full rank.
            let index: i64 = conditions.iter().map(|c| c.modulus.to_i64().unwrap()).product();
            if generators.len() == 3 && index > 0 {
                let g = &generators;
                let det = g[0][0] * (g[1][1] * g[2][2] - g[1][2] * g[2][1])
                    - g[0][1] * (g[1][0] * g[2][2] - g[1][2] * g[2][0])
                    + g[0][2] * (g[1][0] * g[2][1] - g[1][1] * g[2][0]);
                prop_assert_eq!(det.abs(), index);
            }
        }
    }
}
