//! Integer emptiness, sampling and optimisation against enumeration, and on unbounded systems with known answers.

use proptest::prelude::*;
use tessera_polyhedral::arith::{Int, Rational, Row, dot};
use tessera_polyhedral::budget::{Budget, Exhausted};
use tessera_polyhedral::lp::{
    IntOptimum, Optimum, Tableau, implicit_equalities, is_empty_integer, is_implied_integer, is_implied_rational,
    max_integer, min_integer, redundant_ineqs, sample_integer,
};

fn row(entries: &[i64]) -> Row {
    entries.iter().map(|&x| x.into()).collect()
}

fn rows(entries: &[&[i64]]) -> Vec<Row> {
    entries.iter().map(|r| row(r)).collect()
}

fn value(row: &[Int], point: &[Int]) -> Int {
    &row[0] + dot(&row[1..], point)
}

fn holds(eqs: &[Row], ineqs: &[Row], point: &[Int]) -> bool {
    eqs.iter().all(|r| value(r, point).is_zero()) && ineqs.iter().all(|r| !value(r, point).is_negative())
}

/// Decides a system and checks the sample; the two entry points must agree.
fn is_empty(n: usize, eqs: &[Row], ineqs: &[Row]) -> bool {
    let budget = Budget::new(50_000_000);
    let empty = is_empty_integer(n, eqs, ineqs, &budget).unwrap();
    match sample_integer(n, eqs, ineqs, &budget).unwrap() {
        Some(point) => {
            assert_eq!(point.len(), n);
            assert!(holds(eqs, ineqs, &point), "{point:?} is not in {eqs:?} {ineqs:?}");
            assert!(!empty);
        }
        None => assert!(empty),
    }
    empty
}

/// `-side <= x_i <= side` for all variables.
fn box_of(n: usize, side: i64) -> Vec<Row> {
    let bound = |i: usize, sign: i64| {
        let mut r = Row::from(vec![Int::zero(); n + 1]);
        (r[0], r[i + 1]) = (side.into(), sign.into());
        r
    };
    (0..n).flat_map(|i| [bound(i, 1), bound(i, -1)]).collect()
}

/// All integer points of the box `[-side, side]^n`.
fn points(n: usize, side: i64) -> impl Iterator<Item = Row> {
    let width = (2 * side + 1) as usize;
    (0..width.pow(n as u32)).map(move |mut k| {
        (0..n)
            .map(|_| {
                let x = (k % width) as i64 - side;
                k /= width;
                x.into()
            })
            .collect()
    })
}

fn system(n: usize, c: i64, k: i64, max_eq: usize, max_ineq: usize) -> impl Strategy<Value = (Vec<Row>, Vec<Row>)> {
    let one = move || (-k..=k, prop::collection::vec(-c..=c, n)).prop_map(|(k, c)| row(&[&[k], &c[..]].concat()));
    (prop::collection::vec(one(), 0..=max_eq), prop::collection::vec(one(), 0..=max_ineq))
}

fn sized_system() -> impl Strategy<Value = (usize, Vec<Row>, Vec<Row>)> {
    (1usize..=4, prop_oneof![Just(1i64), Just(3), Just(9)], prop_oneof![Just(2i64), Just(12)])
        .prop_flat_map(|(n, c, k)| (Just(n), system(n, c, k, 2, 6)))
        .prop_map(|(n, (eqs, ineqs))| (n, eqs, ineqs))
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 1500, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn bounded_systems_agree_with_enumeration(
        (n, eqs, mut ineqs) in sized_system(), objective in prop::collection::vec(-5i64..=5, 5),
    ) {
        let side = 4;
        ineqs.extend(box_of(n, side));
        let objective = row(&objective[..=n]);
        let best = points(n, side).filter(|p| holds(&eqs, &ineqs, p)).map(|p| value(&objective, &p)).min();
        prop_assert_eq!(is_empty(n, &eqs, &ineqs), best.is_none());
        let budget = Budget::new(50_000_000);
        let found = min_integer(n, &eqs, &ineqs, &objective, &budget).unwrap();
        prop_assert_eq!(found, best.map_or(IntOptimum::Empty, IntOptimum::Bounded));
    }

    /// A point anywhere is a witness; where the search says "empty", no point of a large box may be in the set.
    #[test]
    fn unbounded_systems_are_decided((n, eqs, ineqs) in sized_system()) {
        if is_empty(n, &eqs, &ineqs) {
            let side = [40, 40, 12, 6][n - 1];
            prop_assert!(!points(n, side).any(|p| holds(&eqs, &ineqs, &p)));
        }
    }

    /// Systems that are known to have a point far away from the origin, in a thin set.
    #[test]
    fn a_planted_point_is_found(
        n in 2usize..=5, planted in prop::collection::vec(-1_000_000i64..1_000_000, 5),
        forms in prop::collection::vec((prop::collection::vec(-50i64..=50, 5), 0i64..3), 1..8), n_eq in 0usize..3,
    ) {
        let planted: Row = row(&planted[..n]);
        let through = |(form, slack): &(Vec<i64>, i64)| {
            let mut r = row(&[&[0], &form[..n]].concat());
            r[0] = -value(&r, &planted) + *slack;
            r
        };
        let mut all: Vec<Row> = forms.iter().map(through).collect();
        let ineqs = all.split_off(n_eq.min(all.len()));
        let eqs: Vec<Row> = all.into_iter().map(|mut r| { r[0] = &r[0] - value(&r, &planted); r }).collect();
        prop_assert!(!is_empty(n, &eqs, &ineqs));
    }

    #[test]
    fn implication_agrees_with_enumeration(
        (n, eqs, mut ineqs) in sized_system(), form in prop::collection::vec(-5i64..=5, 5),
    ) {
        ineqs.extend(box_of(n, 3));
        let form = row(&form[..=n]);
        let budget = Budget::unlimited();
        let over_points = points(n, 3).filter(|p| holds(&eqs, &ineqs, p)).all(|p| !value(&form, &p).is_negative());
        prop_assert_eq!(is_implied_integer(n, &eqs, &ineqs, &form, &budget).unwrap(), over_points);
        let mut tableau = Tableau::from_system(n, &eqs, &ineqs, &budget).unwrap();
        let least = tableau.minimize(&form, &budget).unwrap();
        let over_rationals = match &least {
            Optimum::Empty => true,
            Optimum::Unbounded => panic!("the box is bounded"),
            Optimum::Bounded(v) => v.signum() >= 0,
        };
        prop_assert_eq!(tableau.is_implied(&form, &budget).unwrap(), over_rationals);
        prop_assert_eq!(is_implied_rational(n, &eqs, &ineqs, &form, &budget).unwrap(), over_rationals);
        prop_assert!(!over_rationals || over_points);
        prop_assert_eq!(tableau.minimize(&form, &budget).unwrap(), least);
    }

    #[test]
    fn redundancy_and_implicit_equalities((n, eqs, ineqs) in sized_system()) {
        let budget = Budget::unlimited();
        let redundant = redundant_ineqs(n, &eqs, &ineqs, &budget).unwrap();
        let kept: Vec<Row> = ineqs.iter().zip(&redundant).filter(|(_, r)| !**r).map(|(row, _)| row.clone()).collect();
        for (i, r) in ineqs.iter().enumerate() {
            if redundant[i] {
                prop_assert!(is_implied_rational(n, &eqs, &kept, r, &budget).unwrap());
            } else if !Tableau::from_system(n, &eqs, &ineqs, &budget).unwrap().is_empty_rational() {
                let others: Vec<Row> = kept.iter().filter(|k| *k != r).cloned().collect();
                prop_assert!(!is_implied_rational(n, &eqs, &others, r, &budget).unwrap());
            }
        }
        match implicit_equalities(n, &eqs, &ineqs, &budget).unwrap() {
            None => prop_assert!(Tableau::from_system(n, &eqs, &ineqs, &budget).unwrap().is_empty_rational()),
            Some(flags) => {
                let mut tableau = Tableau::from_system(n, &eqs, &ineqs, &budget).unwrap();
                for (flag, r) in flags.iter().zip(&ineqs) {
                    prop_assert_eq!(*flag, tableau.is_implied_eq(r, &budget).unwrap());
                }
            }
        }
    }

    /// Pushing and popping constraints in any order gives the same answers as a fresh tableau.
    #[test]
    fn snapshots_restore_the_system(
        n in 1usize..4,
        script in prop::collection::vec((0u8..5, prop::collection::vec(-4i64..=4, 4)), 1..24),
    ) {
        let budget = Budget::unlimited();
        let mut tableau = Tableau::new(n);
        let (mut eqs, mut ineqs): (Vec<Row>, Vec<Row>) = (vec![], vec![]);
        let mut stack = vec![];
        for (action, entries) in script {
            let r = row(&entries[..=n]);
            match action {
                0 => stack.push((tableau.snapshot(), eqs.len(), ineqs.len())),
                1 => if let Some((snapshot, e, i)) = stack.pop() {
                    tableau.rollback(snapshot);
                    eqs.truncate(e);
                    ineqs.truncate(i);
                },
                2 => { tableau.add_eq(&r, &budget).unwrap(); eqs.push(r); }
                3 => { tableau.add_ineq(&r, &budget).unwrap(); ineqs.push(r); }
                _ => {
                    let mut fresh = Tableau::from_system(n, &eqs, &ineqs, &budget).unwrap();
                    prop_assert_eq!(tableau.minimize(&r, &budget).unwrap(), fresh.minimize(&r, &budget).unwrap());
                }
            }
            let fresh = Tableau::from_system(n, &eqs, &ineqs, &budget).unwrap();
            prop_assert_eq!(tableau.is_empty_rational(), fresh.is_empty_rational());
            if let Some(sample) = tableau.sample() {
                let at = |r: &Row| {
                    let terms = r[1..].iter().zip(&sample).map(|(c, x)| &Rational::from(c.clone()) * x);
                    terms.fold(Rational::from(r[0].clone()), |sum, term| &sum + &term)
                };
                prop_assert!(eqs.iter().all(|r| at(r).is_zero()));
                prop_assert!(ineqs.iter().all(|r| at(r).signum() >= 0));
            }
        }
    }

    /// Whatever the budget, the answer is the right one or none, and the tableau survives.
    #[test]
    fn a_small_budget_never_gives_a_wrong_answer((n, eqs, ineqs) in sized_system(), limit in 0u64..400) {
        let right = is_empty_integer(n, &eqs, &ineqs, &Budget::unlimited()).unwrap();
        let answer = is_empty_integer(n, &eqs, &ineqs, &Budget::new(limit));
        let exhausted = Err(Exhausted { limit });
        prop_assert!(answer == Ok(right) || answer == exhausted);

        let mut tableau = Tableau::new(n);
        let budget = Budget::new(limit);
        let (mut added_eqs, mut added): (Vec<Row>, Vec<Row>) = (vec![], vec![]);
        for r in &ineqs {
            if tableau.add_ineq(r, &budget).is_ok() { added.push(r.clone()) }
        }
        for r in &eqs {
            if tableau.add_eq(r, &budget).is_ok() { added_eqs.push(r.clone()) }
        }
        let fresh = Tableau::from_system(n, &added_eqs, &added, &Budget::unlimited()).unwrap();
        prop_assert_eq!(tableau.is_empty_rational(), fresh.is_empty_rational());
    }
}

#[test]
fn equalities_without_integer_solutions() {
    // 2x = 2y + 1: left even, right odd.
    assert!(is_empty(2, &rows(&[&[-1, 2, -2]]), &[]));
    // 3x + 6y = 2z + 1 has solutions (x = 1, y = 0, z = 1); together with z = 3w it says 3(x + 2y - 2w) = 1.
    assert!(!is_empty(3, &rows(&[&[-1, 3, 6, -2]]), &[]));
    assert!(is_empty(4, &rows(&[&[-1, 3, 6, -2, 0], &[0, 0, 0, 1, -3]]), &[]));
    // Each has solutions, together x = 1 (mod 4) and x = 2 (mod 6) contradict each other modulo 2.
    assert!(is_empty(3, &rows(&[&[-1, 1, -4, 0], &[-2, 1, 0, -6]]), &[]));
    // x = 1 (mod 4), x = 2 (mod 7): x = 9 (mod 28), so nothing in 10..=36.
    let residues = rows(&[&[-1, 1, -4, 0], &[-2, 1, 0, -7]]);
    assert!(is_empty(3, &residues, &rows(&[&[-10, 1, 0, 0], &[36, -1, 0, 0]])));
    assert!(!is_empty(3, &residues, &rows(&[&[-10, 1, 0, 0], &[37, -1, 0, 0]])));
}

#[test]
fn unbounded_strips() {
    // 0 < 3x - 5y < 2: the line 3x - 5y = 1 has integer points.
    assert!(!is_empty(2, &[], &rows(&[&[-1, 3, -5], &[1, -3, 5]])));
    // 1 <= 6x - 10y <= 1, written with some slack that contains no even number.
    assert!(is_empty(2, &[], &rows(&[&[-1, 6, -10], &[1, -6, 10]])));
    // 1 <= 3x - 3y + 9z <= 2: no multiple of three, unbounded in two directions.
    assert!(is_empty(3, &[], &rows(&[&[-1, 3, -3, 9], &[2, -3, 3, -9]])));
    // The same strip, closed by a third inequality instead of by an opposite one, and with a cone in z and w.
    let strip =
        rows(&[&[-1, 6, -10, 0, 0], &[1, -6, 10, 0, 0], &[0, 0, 0, 2, -3], &[0, 0, 0, -3, 5], &[-7, 1, 0, 1, 1]]);
    assert!(is_empty(4, &[], &strip));
}

#[test]
fn thin_cones() {
    // The cone 1000000/1000001 <= y/x <= 1000001/1000002 with x >= 1: its first integer points are far out.
    let cone = rows(&[&[0, -1_000_000, 1_000_001], &[0, 1_000_001, -1_000_002], &[-1, 1, 0]]);
    assert!(!is_empty(2, &[], &cone));
    let budget = Budget::new(10_000_000);
    assert_eq!(min_integer(2, &[], &cone, &row(&[0, 1, 0]), &budget), Ok(IntOptimum::Bounded(1_000_001.into())));
    assert_eq!(max_integer(2, &[], &cone, &row(&[0, 1, 0]), &budget), Ok(IntOptimum::Unbounded));
    // Cut off before its first integer point: 2 <= x <= 1000000.
    let mut cut = cone;
    cut.push(row(&[1_000_000, -1, 0]));
    assert!(is_empty(2, &[], &cut));
}

#[test]
fn thin_polytopes_need_a_reduced_basis() {
    // The triangle with the corners (0, 0), (1, 1000), (999, 0) shifted off the lattice is fat; slivers are not:
    // 1/3 <= 12345x - 67891y <= 2/3 scaled by three, |x|, |y| <= 10^6.
    let sliver = rows(&[&[-1, 37035, -203673], &[2, -37035, 203673], &[1_000_000, -1, 0], &[1_000_000, 1, 0]]);
    assert!(is_empty(2, &[], &sliver));
    // A knapsack equality after Jeroslow: 2(x1 + ... + x9) = 9 over 0..=1, hidden by an inequality pair.
    let n = 9;
    let mut ineqs = box_of(n, 1);
    for i in 0..n {
        ineqs[2 * i][0] = Int::zero();
    }
    let mut sum = Row::from(vec![Int::from(2); n + 1]);
    sum[0] = Int::from(-9);
    let negated: Row = sum.iter().map(|x| -x).collect();
    ineqs.extend([sum, negated]);
    assert!(is_empty(n, &[], &ineqs));
    // Cornuejols, Urbaniak, Weismantel, Wolsey: 12223x + 12224y + 36674z + 61119u + 85569v = 89643481 has no solution
    // in non-negative integers, and branching on variables does not find out.
    let eq = row(&[-89_643_481, 12_223, 12_224, 36_674, 61_119, 85_569]);
    let mut positive = box_of(5, 0);
    positive.retain(|r| r[1..].iter().all(|x| !x.is_negative()));
    assert!(is_empty(5, std::slice::from_ref(&eq), &positive));
}

#[test]
fn numbers_beyond_64_bits() {
    let big = 1i64 << 62;
    // big*x - (big - 1)*y = 1 has the solution x = y = 1; the second equality forces numbers near 2^124.
    let eqs = rows(&[&[-1, big, -(big - 1), 0], &[-7, big - 3, 0, -(big - 5)]]);
    assert!(!is_empty(3, &eqs, &[]));
    let budget = Budget::new(10_000_000);
    let ineqs = rows(&[&[-big, 1, 0], &[-big, 0, 1], &[i64::MAX, -1, 0], &[0, big - 1, -big]]);
    assert!(!is_empty(2, &[], &ineqs));
    assert_eq!(min_integer(2, &[], &ineqs, &row(&[0, big, big]), &budget), {
        // x >= y * big/(big - 1) and y >= big: x >= big + 2 at y = big.
        let least = (Int::from(big) + 2 + Int::from(big)) * big;
        Ok(IntOptimum::Bounded(least))
    });
    // A rational tableau with such numbers.
    let mut tableau = Tableau::new(3);
    for r in rows(&[&[1, big, 3, -big], &[5, -(big - 1), big, 7], &[9, 11, -big, big - 2], &[-big, 1, 1, 1]]) {
        tableau.add_ineq(&r, &budget).unwrap();
    }
    let before = tableau.snapshot();
    let least = tableau.minimize(&row(&[0, 1, 2, 3]), &budget).unwrap();
    tableau.add_eq(&row(&[1, big, big - 1, big - 2]), &budget).unwrap();
    tableau.rollback(before);
    assert_eq!(tableau.minimize(&row(&[0, 1, 2, 3]), &budget), Ok(least));
}

#[test]
fn optima_of_unbounded_systems() {
    let budget = Budget::new(1_000_000);
    // x >= 0, 2x - 2y = 1: no integer points, though the rational minimum of x is finite and that of -x is not.
    let (eqs, ineqs) = (rows(&[&[-1, 2, -2]]), rows(&[&[0, 1, 0]]));
    assert_eq!(min_integer(2, &eqs, &ineqs, &row(&[0, 1, 0]), &budget), Ok(IntOptimum::Empty));
    assert_eq!(min_integer(2, &eqs, &ineqs, &row(&[0, -1, 0]), &budget), Ok(IntOptimum::Empty));
    // 3x - 5y = 1, x >= 2: x is 2 (mod 5), so its minimum is 2; with x >= 3 it is 7.
    let eqs = rows(&[&[-1, 3, -5]]);
    assert_eq!(
        min_integer(2, &eqs, &rows(&[&[-3, 1, 0]]), &row(&[0, 1, 0]), &budget),
        Ok(IntOptimum::Bounded(7.into()))
    );
    assert_eq!(min_integer(2, &eqs, &rows(&[&[-3, 1, 0]]), &row(&[0, 0, -1]), &budget), Ok(IntOptimum::Unbounded));
    assert_eq!(min_integer(0, &[], &[], &row(&[5]), &budget), Ok(IntOptimum::Bounded(5.into())));
    assert_eq!(min_integer(0, &[], &rows(&[&[-1]]), &row(&[5]), &budget), Ok(IntOptimum::Empty));
}

#[test]
fn empty_and_full_systems_of_no_variables() {
    assert!(!is_empty(0, &[], &[]));
    assert!(is_empty(0, &rows(&[&[1]]), &[]));
    assert!(is_empty(0, &[], &rows(&[&[-1]])));
    assert!(!is_empty(3, &[], &[]));
}
