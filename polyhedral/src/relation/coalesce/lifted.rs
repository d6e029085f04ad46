//! Parts with existentials: compared as polyhedra over the existentials, too.
//!
//! If both parts have the same number of existentials, each existential of one is identified with one of the other, in
//! the order in which they stand (of two existentials also in the other order). What holds for the sets of points
//! together with values of the existentials, one inside the other or one conjunction for both, then holds for their
//! projections. The converse does not: two parts may need other values of their existentials.

use crate::arith::{Row, row};
use crate::budget::Budget;
use crate::error::Result;
use crate::space::Space;

use super::super::conjunction::{Conjunction, Div};
use super::pair::{self, Comparison};
use super::part::Part;

/// Parts with more existentials are not compared like this.
const MAX_EXISTENTIALS: usize = 4;

/// Compares two parts with existentials.
pub(super) fn compare(a: &Part, b: &Part, budget: &Budget) -> Result<Comparison> {
    let (a, b) = (&a.conjunction, &b.conjunction);
    if a == b {
        return Ok(Comparison::FirstContainsSecond);
    }
    let (first, second) = (existentials(a), existentials(b));
    if first.len() != second.len() || first.len() > MAX_EXISTENTIALS {
        return Ok(Comparison::Apart);
    }
    let mut orders = vec![second.clone()];
    if let [k, l] = second[..] {
        orders.push(vec![l, k]);
    }
    let Some(mut lifted_a) = Part::new(lift(a, &first), budget)? else { return Ok(Comparison::SecondContainsFirst) };
    for order in orders {
        let Some(mut lifted_b) = Part::new(lift(b, &order), budget)? else {
            return Ok(Comparison::FirstContainsSecond);
        };
        match pair::compare(&mut lifted_a, &mut lifted_b, budget)? {
            Comparison::Apart => {}
            Comparison::Merged(part) => {
                let map: Vec<Option<usize>> =
                    (0..part.conjunction.space.n_col()).map(|c| Some(c).filter(|&c| c < a.space.n_col())).collect();
                let projected = part.conjunction.existentialize(a.space.clone(), &map).simplify_projection(budget)?;
                if projected.n_local() <= a.n_local().max(b.n_local())
                    && let Some(part) = Part::new(projected, budget)?
                {
                    return Ok(Comparison::Merged(Box::new(part)));
                }
            }
            contained => return Ok(contained),
        }
    }
    Ok(Comparison::Apart)
}

/// The positions of the existentials among the locals.
fn existentials(c: &Conjunction) -> Vec<usize> {
    (0..c.n_local()).filter(|&k| c.div(k).is_none()).collect()
}

/// The conjunction with the existentials at these positions, in this order, as last dimensions.
fn lift(c: &Conjunction, order: &[usize]) -> Conjunction {
    let base = c.space.n_col();
    let names: Vec<String> = (1..base + order.len()).map(|k| format!("c{k}")).collect();
    let mut next = base + order.len();
    let mut map: Vec<usize> = (0..base).collect();
    for k in 0..c.n_local() {
        map.push(match order.iter().position(|&l| l == k) {
            Some(at) => base + at,
            None => {
                next += 1;
                next - 1
            }
        });
    }
    let place = |row: &Row| row::remap(row, &map, next);
    Conjunction {
        locals: c.locals.iter().flatten().map(|d| Some(Div { row: place(&d.row), den: d.den.clone() })).collect(),
        eqs: c.eqs.iter().map(place).collect(),
        ineqs: c.ineqs.iter().map(place).collect(),
        ..Conjunction::universe(Space::params(&names))
    }
    .simplify()
}
