//! The points of sets in a box, and the facets of their hulls.

use tessera_polyhedral::arith::Int;
use tessera_polyhedral::budget::Budget;
use tessera_polyhedral::relation::Set;

use super::drawer::NAMES;

/// The box in which points are compared.
pub(super) const REACH: i64 = 9;

/// The constraints of the hull of a set without parameters, as text.
pub(super) fn hull(text: &str) -> Option<String> {
    let budget = Budget::new(10_000_000);
    let hull = Set::parse(text, &budget).ok()?.polyhedral_hull(&budget).ok()?.to_string();
    let (head, constraints) = hull.strip_suffix(" }")?.split_once(" : ")?;
    // A point is printed as `[1, 2]`.
    head.contains('[').then(|| constraints.into())
}

/// The facets of the hull of the integer points of a shape.
pub(super) fn hull_of_points(n: usize, shape: &str) -> Option<String> {
    let names = NAMES[..n].join(", ");
    let budget = Budget::new(10_000_000);
    let set = Set::parse(&format!("{{ [{names}] : {shape} }}"), &budget).ok()?;
    let points: Vec<String> = box_points(n, REACH)
        .into_iter()
        .filter(|p| contains(&set, p))
        .map(|p| {
            let values = NAMES.iter().zip(&p).map(|(x, v)| format!("{x} = {v}")).collect::<Vec<_>>();
            format!("[{names}] : {}", values.join(" and "))
        })
        .collect();
    if points.is_empty() || points.len() > 80 {
        return None;
    }
    let text = hull(&format!("{{ {} }}", points.join("; ")))?;
    // Dimensions that are equal to others are printed inside the tuple.
    let again = Set::parse(&format!("{{ [{names}] : {text} }}"), &budget).ok()?;
    again.is_equal(&set, &budget).ok()?.then_some(text)
}

pub(super) fn contains(set: &Set, point: &[i64]) -> bool {
    let point: Vec<Int> = point.iter().map(|&x| Int::from(x)).collect();
    set.contains(&point, &Budget::new(10_000_000)).unwrap_or(false)
}

pub(super) fn box_points(n: usize, reach: i64) -> Vec<Vec<i64>> {
    let mut points = vec![Vec::new()];
    for _ in 0..n {
        points = points.iter().flat_map(|p| (-reach..=reach).map(move |x| [p.as_slice(), &[x]].concat())).collect();
    }
    points
}
