//! Piecewise functions, tuples of them and unions against their values at all points of small boxes.
//!
//! The oracle is a list of values: nothing where the function is undefined.

use crate::relation_support::{budget, ints, points};
use proptest::prelude::*;
use tessera_polyhedral::affine::{MultiAff, MultiPwAff, PwAff, PwMultiAff, UnionPwAff, UnionPwMultiAff};
use tessera_polyhedral::arith::{Int, Rational};
use tessera_polyhedral::relation::{Map, Set, UnionMap};

/// `[n] -> { S[i, j] -> ... }`: an expression as text and as a function of `[n, i, j]`.
#[derive(Clone, Debug)]
enum Term {
    Number(i64),
    Var(usize),
    Sum(Box<Term>, Box<Term>),
    Scaled(i64, Box<Term>),
    Floor(Box<Term>, i64),
    Over(Box<Term>, i64),
}

const NAMES: [&str; 3] = ["n", "i", "j"];

type Value = Option<Rational>;

impl Term {
    fn text(&self) -> String {
        match self {
            Term::Number(c) => format!("({c})"),
            Term::Var(k) => NAMES[*k].into(),
            Term::Sum(a, b) => format!("({} + {})", a.text(), b.text()),
            Term::Scaled(c, a) => format!("{c}*({})", a.text()),
            Term::Floor(a, d) => format!("floor(({})/{d})", a.text()),
            Term::Over(a, d) => format!("(({})/{d})", a.text()),
        }
    }

    fn eval(&self, p: &[i64]) -> Rational {
        match self {
            Term::Number(c) => Rational::from(*c),
            Term::Var(k) => Rational::from(p[*k]),
            Term::Sum(a, b) => &a.eval(p) + &b.eval(p),
            Term::Scaled(c, a) => &Rational::from(*c) * &a.eval(p),
            Term::Floor(a, d) => Rational::from((&a.eval(p) / &Rational::from(*d)).floor()),
            Term::Over(a, d) => &a.eval(p) / &Rational::from(*d),
        }
    }
}

fn term(fractions: bool) -> impl Strategy<Value = Term> {
    let leaf = prop_oneof![(-4i64..5).prop_map(Term::Number), (0usize..3).prop_map(Term::Var)];
    leaf.prop_recursive(3, 8, 2, move |inner| {
        let over = if fractions { 1 } else { 0 };
        prop_oneof![
            4 => (inner.clone(), inner.clone()).prop_map(|(a, b)| Term::Sum(Box::new(a), Box::new(b))),
            3 => (-3i64..4, inner.clone()).prop_map(|(c, a)| Term::Scaled(c, Box::new(a))),
            2 => (inner.clone(), 2i64..5).prop_map(|(a, d)| Term::Floor(Box::new(a), d)),
            over => (inner, 2i64..4).prop_map(|(a, d)| Term::Over(Box::new(a), d)),
        ]
    })
}

/// A value where `0 <= first`, another where not `0 <= first` and `0 <= second`, undefined elsewhere.
#[derive(Clone, Debug)]
struct Sample {
    conditions: [Term; 2],
    values: [Term; 2],
}

impl Sample {
    fn pieces(&self, tuple: impl Fn(&str) -> String) -> String {
        let [a, b] = [self.conditions[0].text(), self.conditions[1].text()];
        let [x, y] = [tuple(&self.values[0].text()), tuple(&self.values[1].text())];
        format!("S[i, j] -> {x} : 0 <= {a}; S[i, j] -> {y} : 0 > {a} and 0 <= {b}")
    }

    fn entry(&self) -> String {
        let [a, b] = [self.conditions[0].text(), self.conditions[1].text()];
        format!("({} : 0 <= {a}; {} : 0 > {a} and 0 <= {b})", self.values[0].text(), self.values[1].text())
    }

    fn function(&self) -> PwAff {
        PwAff::parse(&format!("[n] -> {{ {} }}", self.pieces(|x| format!("[{x}]"))), &budget()).unwrap()
    }

    fn eval(&self, p: &[i64]) -> Value {
        let holds = |t: &Term| t.eval(p).signum() >= 0;
        if holds(&self.conditions[0]) {
            Some(self.values[0].eval(p))
        } else {
            holds(&self.conditions[1]).then(|| self.values[1].eval(p))
        }
    }
}

fn sample(fractions: bool) -> impl Strategy<Value = Sample> {
    let part = || (term(false), term(false), term(fractions), term(fractions));
    part().prop_map(|(a, b, x, y)| Sample { conditions: [a, b], values: [x, y] })
}

/// Two samples as one function to pairs.
fn pair(a: &Sample, b: &Sample) -> MultiPwAff {
    MultiPwAff::parse(&format!("[n] -> {{ S[i, j] -> T[{}, {}] }}", a.entry(), b.entry()), &budget()).unwrap()
}

fn small() -> Vec<Vec<i64>> {
    points(3, -3, 3)
}

fn at(f: &PwAff, p: &[i64]) -> Value {
    f.eval_rational(&ints(p), &budget()).unwrap()
}

fn contains(set: &Set, p: &[i64]) -> bool {
    set.contains(&ints(p), &budget()).unwrap()
}

/// A binary operation on values that are both there.
fn both(a: &Value, b: &Value, f: impl Fn(&Rational, &Rational) -> Rational) -> Value {
    Some(f(a.as_ref()?, b.as_ref()?))
}

/// The same, or the value that is there.
fn either(a: &Value, b: &Value, f: impl Fn(&Rational, &Rational) -> Rational) -> Value {
    both(a, b, f).or_else(|| a.clone().or_else(|| b.clone()))
}

fn smaller(a: &Rational, b: &Rational) -> Rational {
    if a <= b { a.clone() } else { b.clone() }
}

fn greater(a: &Rational, b: &Rational) -> Rational {
    if a >= b { a.clone() } else { b.clone() }
}

fn floor(a: &Rational) -> Rational {
    Rational::from(a.floor())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 120, ..ProptestConfig::default() })]

    #[test]
    fn arithmetic(a in sample(true), b in sample(true), c in -3i64..4, d in 1i64..5) {
        let budget = budget();
        let (f, g) = (a.function(), b.function());
        let factor = Rational::new(Int::from(c), Int::from(d));
        let constant = PwAff::constant_on(&Set::universe(f.space().clone()), &Rational::from(d));
        let sum = f.add(&g, &budget).unwrap();
        let union_sum = f.union_add(&g, &budget).unwrap();
        let results = [
            sum.clone(),
            f.sub(&g, &budget).unwrap(),
            f.min(&g, &budget).unwrap(),
            f.max(&g, &budget).unwrap(),
            union_sum.clone(),
            f.union_min(&g, &budget).unwrap(),
            f.union_max(&g, &budget).unwrap(),
            f.or_else(&g, &budget).unwrap(),
            f.neg(),
            f.scale_rational(&factor),
            f.floor(),
            f.ceil(),
            f.rem(&Int::from(d)).unwrap(),
            f.mul(&constant, &budget).unwrap(),
            f.div(&constant, &budget).unwrap(),
            f.tdiv_q(&constant, &budget).unwrap(),
            f.tdiv_r(&constant, &budget).unwrap(),
            f.coalesce(&budget).unwrap(),
            union_sum.coalesce(&budget).unwrap(),
            sum.drop_unused_params().align_params(f.space()),
        ];
        let domain = f.domain().unwrap();
        for p in small() {
            let (x, y) = (a.eval(&p), b.eval(&p));
            let m = Rational::from(d);
            let quotient = |x: &Rational| {
                let q = x / &m;
                if q.signum() >= 0 { floor(&q) } else { Rational::from(q.ceil()) }
            };
            let add = |x: &Rational, y: &Rational| x + y;
            let expected = [
                both(&x, &y, add),
                both(&x, &y, |x, y| x - y),
                both(&x, &y, smaller),
                both(&x, &y, greater),
                either(&x, &y, add),
                either(&x, &y, smaller),
                either(&x, &y, greater),
                x.clone().or_else(|| y.clone()),
                x.as_ref().map(|x| -x),
                x.as_ref().map(|x| x * &factor),
                x.as_ref().map(floor),
                x.as_ref().map(|x| Rational::from(x.ceil())),
                x.as_ref().map(|x| x - &(&floor(&(x / &m)) * &m)),
                x.as_ref().map(|x| x * &m),
                x.as_ref().map(|x| x / &m),
                x.as_ref().map(quotient),
                x.as_ref().map(|x| x - &(&quotient(x) * &m)),
                x.clone(),
                either(&x, &y, add),
                both(&x, &y, add),
            ];
            for (k, (result, value)) in results.iter().zip(&expected).enumerate() {
                prop_assert_eq!(&at(result, &p), value, "operation {} at {:?}: {}", k, p, result);
            }
            prop_assert_eq!(contains(&domain, &p), x.is_some());
        }
    }

    #[test]
    fn comparisons_and_conditions(a in sample(true), b in sample(true), c in sample(true)) {
        let budget = budget();
        let (f, g, h) = (a.function(), b.function(), c.function());
        let sets = [
            f.eq_set(&g, &budget).unwrap(),
            f.ne_set(&g, &budget).unwrap(),
            f.le_set(&g, &budget).unwrap(),
            f.lt_set(&g, &budget).unwrap(),
            f.ge_set(&g, &budget).unwrap(),
            f.gt_set(&g, &budget).unwrap(),
        ];
        let selected = PwAff::select(&h, &f, &g, &budget).unwrap();
        let domain = h.domain().unwrap();
        let inside = PwAff::select_in(&domain, &f, &g, &budget).unwrap();
        let indicator = PwAff::indicator(&domain, &budget).unwrap();
        for p in small() {
            let (x, y, z) = (a.eval(&p), b.eval(&p), c.eval(&p));
            let holds = |f: fn(&Rational, &Rational) -> bool| matches!((&x, &y), (Some(x), Some(y)) if f(x, y));
            let expected = [
                holds(|x, y| x == y),
                holds(|x, y| x != y),
                holds(|x, y| x <= y),
                holds(|x, y| x < y),
                holds(|x, y| x >= y),
                holds(|x, y| x > y),
            ];
            for (set, expected) in sets.iter().zip(expected) {
                prop_assert_eq!(contains(set, &p), expected, "{} at {:?}", set, p);
            }
            let value = match &z {
                None => None,
                Some(z) if z.is_zero() => y.clone(),
                Some(_) => x.clone(),
            };
            prop_assert_eq!(at(&selected, &p), value);
            prop_assert_eq!(at(&inside, &p), if z.is_some() { x.clone() } else { y.clone() });
            prop_assert_eq!(at(&indicator, &p), Some(Rational::from(i64::from(z.is_some()))));
        }
    }

    #[test]
    fn restriction_and_gist(a in sample(true), b in sample(false)) {
        let budget = budget();
        let (f, set) = (a.function(), b.function().domain().unwrap());
        let (inside, outside) =
            (f.intersect_domain(&set, &budget).unwrap(), f.subtract_domain(&set, &budget).unwrap());
        let simpler = f.gist(&set, &budget).unwrap();
        let again = inside.or_else(&outside, &budget).unwrap();
        prop_assert!(again.is_equal(&f, &budget).unwrap());
        prop_assert!(simpler.intersect_domain(&set, &budget).unwrap().is_equal(&inside, &budget).unwrap());
        for p in small() {
            let value = a.eval(&p);
            let member = contains(&set, &p);
            prop_assert_eq!(at(&inside, &p), value.clone().filter(|_| member));
            prop_assert_eq!(at(&outside, &p), value.clone().filter(|_| !member));
            if member {
                prop_assert_eq!(at(&simpler, &p), value);
            }
        }
    }

    #[test]
    fn tuples(a in sample(true), b in sample(true), c in sample(false), d in sample(false)) {
        let budget = budget();
        let (f, g) = (pair(&a, &b), pair(&c, &d));
        let shared = f.to_pw_multi_aff(&budget).unwrap();
        let sum = f.add(&g, &budget).unwrap();
        let back = MultiPwAff::from_pw_multi_aff(&shared).unwrap();
        let product = shared.flat_range_product(&g.to_pw_multi_aff(&budget).unwrap(), &budget).unwrap();
        let least = shared.union_lexmin(&g.to_pw_multi_aff(&budget).unwrap(), &budget).unwrap();
        let less = shared.lex_lt_set(&g.to_pw_multi_aff(&budget).unwrap(), &budget).unwrap();
        let graph = f.to_map(&budget).unwrap();
        for p in small() {
            let at_all = |m: &MultiPwAff| m.components().iter().map(|c| at(c, &p)).collect::<Vec<_>>();
            let (x, y) = (vec![a.eval(&p), b.eval(&p)], vec![c.eval(&p), d.eval(&p)]);
            prop_assert_eq!(at_all(&f), x.clone());
            let sums: Vec<Value> = x.iter().zip(&y).map(|(x, y)| both(x, y, |x, y| x + y)).collect();
            prop_assert_eq!(at_all(&sum), sums);
            let tuple = |v: &[Value]| v.iter().cloned().collect::<Option<Vec<Rational>>>();
            let (tx, ty) = (tuple(&x), tuple(&y));
            prop_assert_eq!(shared.values(&ints(&p), &budget).unwrap(), tx.clone());
            prop_assert_eq!(tuple(&at_all(&back)), tx.clone());
            let joined = tx.clone().and_then(|x| Some([x, ty.clone()?].concat()));
            prop_assert_eq!(product.values(&ints(&p), &budget).unwrap(), joined);
            let smallest = match (&tx, &ty) {
                (Some(x), Some(y)) => Some(x.clone().min(y.clone())),
                _ => tx.clone().or_else(|| ty.clone()),
            };
            prop_assert_eq!(least.values(&ints(&p), &budget).unwrap(), smallest);
            prop_assert_eq!(contains(&less, &p), matches!((&tx, &ty), (Some(x), Some(y)) if x < y));
            if let Some(x) = &tx
                && x.iter().all(Rational::is_integer)
            {
                let mut q = ints(&p);
                q.extend(x.iter().map(|x| x.numerator().clone()));
                prop_assert!(graph.contains(&q, &budget).unwrap());
                q[3] += 1;
                prop_assert!(!graph.contains(&q, &budget).unwrap());
            }
        }
    }

    #[test]
    fn composition_and_preimages(a in sample(true), b in sample(true), f in sample(true), g in sample(true)) {
        let budget = budget();
        let outer = a.function();
        // `S -> S` with the two samples as components.
        let text = format!("[n] -> {{ S[i, j] -> S[{}, {}] }}", f.entry(), g.entry());
        let inner = MultiPwAff::parse(&text, &budget).unwrap().to_pw_multi_aff(&budget).unwrap();
        let composed = outer.pullback_pw(&inner, &budget).unwrap();
        let set = b.function().domain().unwrap();
        let preimage = set.preimage_pw(&inner, &budget).unwrap();
        let union = UnionPwAff::from(outer).pullback(&UnionPwMultiAff::from(inner), &budget).unwrap();
        let member = union.extract(composed.space());
        for p in points(3, -2, 2) {
            let image = match (f.eval(&p), g.eval(&p)) {
                (Some(x), Some(y)) if x.is_integer() && y.is_integer() => {
                    Some(vec![p[0], x.numerator().to_i64().unwrap(), y.numerator().to_i64().unwrap()])
                }
                _ => None,
            };
            let value = image.as_ref().and_then(|q| a.eval(q));
            prop_assert_eq!(at(&composed, &p), value.clone());
            prop_assert_eq!(at(&member, &p), value);
            prop_assert_eq!(contains(&preimage, &p), image.is_some_and(|q| b.eval(&q).is_some()));
        }
    }

    #[test]
    fn functions_from_their_graphs(a in sample(true), b in sample(true)) {
        let budget = budget();
        let function = pair(&a, &b).to_pw_multi_aff(&budget).unwrap();
        let graph = function.to_map(&budget).unwrap();
        let again = PwMultiAff::from_map(&graph, &budget).unwrap();
        prop_assert!(again.to_map(&budget).unwrap().is_equal(&graph, &budget).unwrap());
        let union = UnionPwMultiAff::from_union_map(&UnionMap::from(graph.clone()), &budget).unwrap();
        prop_assert!(union.to_union_map(&budget).unwrap().is_equal(&UnionMap::from(graph), &budget).unwrap());
        for p in small() {
            let value = match (a.eval(&p), b.eval(&p)) {
                (Some(x), Some(y)) if x.is_integer() && y.is_integer() => Some(vec![x, y]),
                _ => None,
            };
            prop_assert_eq!(again.values(&ints(&p), &budget).unwrap(), value);
        }
    }

    #[test]
    fn printed_functions_read_back_equal(a in sample(true), b in sample(true)) {
        let budget = budget();
        let f = a.function();
        prop_assert!(PwAff::parse(&f.to_string(), &budget).unwrap().is_equal(&f, &budget).unwrap(), "{}", f);
        let g = pair(&a, &b);
        prop_assert!(MultiPwAff::parse(&g.to_string(), &budget).unwrap().is_equal(&g, &budget).unwrap(), "{}", g);
        let h = g.to_pw_multi_aff(&budget).unwrap();
        prop_assert!(PwMultiAff::parse(&h.to_string(), &budget).unwrap().is_equal(&h, &budget).unwrap(), "{}", h);
        let u = UnionPwMultiAff::from(h);
        prop_assert!(UnionPwMultiAff::parse(&u.to_string(), &budget).unwrap().is_equal(&u, &budget).unwrap(), "{}", u);
    }
}

/// Maps that are single-valued for a reason that no equality shows.
#[test]
fn functions_from_relations() {
    let budget = budget();
    for (text, function) in [
        ("{ [i] -> [j] : 3j <= i < 3j + 3 }", "{ [i] -> [(floor((i)/3))] }"),
        ("{ [i] -> [j] : 3j = i }", "{ [i] -> [((i)/3)] : (i) mod 3 = 0 }"),
        ("{ [i] -> [j] : j mod 3 = 1 and i <= j <= i + 2 }", "{ [i] -> [(3*floor((i + 1)/3) + 1)] }"),
        ("{ [i] -> [j, k] : i = 10j + k and 0 <= k < 10 }", "{ [i] -> [(floor((i)/10)), (i mod 10)] }"),
        ("{ [i] -> [j] : 2j >= i and 3j <= i + 2 and i >= 1 and i <= 2 }", "{ [i] -> [(1)] : 1 <= i <= 2 }"),
        ("{ [i] -> [j] : j >= i and j >= 0 and (j <= i or j <= 0) }", "{ [i] -> [(max(i, 0))] }"),
        ("{ [i] -> [i] : i >= 0; [i] -> [j] : j = i and i <= 3 }", "{ [i] -> [(i)] }"),
        ("{ [i] -> A[] : i > 3 }", "{ [i] -> A[] : i > 3 }"),
    ] {
        let map = Map::parse(text, &budget).unwrap();
        let expected = MultiPwAff::parse(function, &budget).unwrap().to_pw_multi_aff(&budget).unwrap();
        let found = PwMultiAff::from_map(&map, &budget).unwrap();
        assert!(found.to_map(&budget).unwrap().is_equal(&map, &budget).unwrap(), "{text}: {found}");
        assert!(found.is_equal(&expected, &budget).unwrap(), "{text}: {found} and not {expected}");
    }
    for text in ["{ [i] -> [j] : i <= j <= i + 1 }", "{ [i] -> [i]; [i] -> [i + 1] : i > 3 }", "{ [i] -> [j] }"] {
        let map = Map::parse(text, &budget).unwrap();
        assert!(PwMultiAff::from_map(&map, &budget).is_err(), "{text}");
    }
    let point =
        PwMultiAff::from_set(&Set::parse("[n] -> { A[i, j] : i = n + 1 and 2j = n }", &budget).unwrap(), &budget);
    assert_eq!(point.unwrap().to_string(), "[n] -> { A[(n + 1), ((n)/2)] : (n) mod 2 = 0 }");
}

/// Functions without components keep their domain.
#[test]
fn no_components() {
    let budget = budget();
    let f = MultiPwAff::parse("{ S[i] -> A[] : i > 0 }", &budget).unwrap();
    let g = MultiPwAff::parse("{ S[i] -> B[((i) : i < 9)] }", &budget).unwrap();
    assert_eq!(f.to_string(), "{ S[i] -> A[] : i >= 1 }");
    assert_eq!(f.range_product(&g, &budget).unwrap().to_string(), "{ S[i] -> [A[] -> B[((i) : 1 <= i <= 8)]] }");
    assert_eq!(f.to_map(&budget).unwrap().to_string(), "{ S[i] -> A[] : i >= 1 }");
    let everywhere = MultiPwAff::parse("{ S[i] -> A[] }", &budget).unwrap();
    assert!(everywhere.explicit_domain().is_none());
    let set = Set::parse("{ S[i] : i > 0 }", &budget).unwrap();
    assert_eq!(everywhere.intersect_domain(&set, &budget).unwrap(), f);
    let total = MultiAff::parse("{ T[j] -> S[(j - 3)] }", &budget).unwrap();
    assert_eq!(f.pullback(&total, &budget).unwrap().to_string(), "{ T[j] -> A[] : j >= 4 }");
}
