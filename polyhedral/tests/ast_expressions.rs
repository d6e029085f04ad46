//! Expressions, conditions and accesses for a position, from outside of the generator and in its callbacks.

use tessera_polyhedral::affine::{MultiPwAff, PwAff};
use tessera_polyhedral::ast::{Ast, AstBuild, AstError, AstHooks, AstOptions, Expr, For, Position};
use tessera_polyhedral::budget::Budget;
use tessera_polyhedral::relation::Set;
use tessera_polyhedral::schedule::ScheduleTree;
use tessera_polyhedral::space::Name;

fn budget() -> Budget {
    Budget::new(1_000_000_000)
}

fn position(params: &[&str], context: &str, options: AstOptions) -> Position {
    let context = (!context.is_empty()).then(|| context.parse::<Set>().unwrap());
    Position::outside(params, context.as_ref(), options, &budget()).unwrap()
}

fn expr(position: &Position, text: &str) -> String {
    let function = PwAff::parse(text, &budget()).unwrap_or_else(|e| panic!("{text}: {e:#}"));
    position.expr_text(&position.expr(&function, &budget()).unwrap())
}

fn cond(position: &Position, text: &str) -> String {
    position.condition_text(&position.condition(&text.parse::<Set>().unwrap(), &budget()).unwrap())
}

#[test]
fn dc_12_divisions_by_what_is_known() {
    let place = position(&["i", "N", "c0"], "[i, N] -> { : 1 <= i < N }", AstOptions::default());
    assert_eq!(expr(&place, "[i] -> { [(floor(i/8))] }"), "i / 8");
    assert_eq!(expr(&place, "[i] -> { [(i mod 8)] }"), "i % 8");
    // isl writes this remainder as a difference with floord.
    assert_eq!(expr(&place, "[c0] -> { [(c0 mod 8)] }"), "mod(c0, 8)");
    assert_eq!(cond(&place, "[c0] -> { : c0 mod 4 = 0 }"), "c0 % 4 == 0");
    assert_eq!(cond(&place, "[c0] -> { : c0 mod 4 = 1 }"), "(c0 - 1) % 4 == 0");
    let plain =
        position(&["i", "N"], "[i, N] -> { : 1 <= i < N }", AstOptions { prefer_pdiv: false, ..AstOptions::default() });
    assert_eq!(expr(&plain, "[i] -> { [(floor(i/8))] }"), "floord(i, 8)");
}

#[test]
fn ac_18_subscripts() {
    let access = |context: &str, text: &str| {
        let place = position(&["N", "c0"], context, AstOptions::default());
        let function = MultiPwAff::parse(text, &budget()).unwrap_or_else(|e| panic!("{text}: {e:#}"));
        place.access_text(&place.access(&function, &budget()).unwrap())
    };
    assert_eq!(access("", "[c0] -> { A[(c0 + 1 + 1)] }"), "A[c0 + 2]");
    let wrapped = "[N, c0] -> { A[((N - 1) : c0 = 0; (c0 - 1) : c0 >= 1), (c0)] }";
    assert_eq!(access("[N, c0] -> { : 1 <= c0 < N }", wrapped), "A[c0 - 1][c0]");
    assert_eq!(access("[N, c0] -> { : 0 <= c0 < N }", wrapped), "A[(c0 == 0 ? N - 1 : c0 - 1)][c0]");
}

#[test]
fn ac_23_the_first_condition_makes_the_second_cheap() {
    let place = position(&["n"], "", AstOptions::default());
    assert_eq!(cond(&place, "[n] -> { : n >= 2 and n - 4*floor(n/4) >= 2 }"), "n >= 2 && n % 4 >= 2");
}

#[test]
fn selections_minima_and_maxima() {
    let text = "[n, m] -> { [(n)] : n <= m; [(m)] : n > m }";
    let place = position(&["n", "m"], "", AstOptions::default());
    assert_eq!(expr(&place, text), "min(n, m)");
    assert_eq!(expr(&place, "[n] -> { [(n)] : n >= 0; [(0)] : n < 0 }"), "max(n, 0)");
    let plain = position(&["n", "m"], "", AstOptions { detect_min_max: false, ..AstOptions::default() });
    assert_eq!(expr(&plain, text), "(m >= n ? n : m)");
    assert_eq!(expr(&place, "[n] -> { [(1)] : n >= 5; [(7)] : n < 0; [(2)] : 0 <= n < 5 }").matches('?').count(), 2);
    // Pieces that cannot occur are left out.
    let positive = position(&["n"], "[n] -> { : n >= 9 }", AstOptions::default());
    assert_eq!(expr(&positive, "[n] -> { [(1)] : n >= 5; [(7)] : n < 0; [(2)] : 0 <= n < 5 }"), "1");
}

#[test]
fn what_means_nothing_is_refused() {
    let place = position(&["n"], "", AstOptions::default());
    let refused = |text: &str| {
        let function = PwAff::parse(text, &budget()).unwrap();
        assert!(matches!(place.expr(&function, &budget()), Err(AstError::Malformed { .. })), "{text}");
    };
    refused("[k] -> { [(k)] }");
    refused("{ S[i] -> [(i)] }");
    let nowhere = position(&["n"], "[n] -> { : n >= 0 }", AstOptions::default());
    let function = PwAff::parse("[n] -> { [(n)] : n < 0 }", &budget()).unwrap();
    assert!(nowhere.expr(&function, &budget()).is_err());
}

/// Annotates loops over coincident members, and rewrites an access of every statement instance.
#[derive(Default)]
struct Annotate {
    open: usize,
    deepest: usize,
    accesses: Vec<String>,
}

impl AstHooks for Annotate {
    fn before_for(&mut self, position: &Position) -> Result<(), AstError> {
        assert_eq!(position.iterators().len(), self.open, "the iterator of the loop itself is not known yet");
        self.open += 1;
        self.deepest = self.deepest.max(self.open);
        Ok(())
    }

    fn after_for(&mut self, position: &Position, node: For) -> Result<Ast, AstError> {
        self.open -= 1;
        assert_eq!(position.iterators().len(), self.open);
        let parallel = node.coincident;
        let node = Ast::For(node);
        Ok(if parallel { Ast::Mark(Name::from("parallel"), Box::new(node)) } else { node })
    }

    fn at_domain(&mut self, position: &Position, node: Ast) -> Result<Ast, AstError> {
        assert_eq!(&**position.statement().unwrap(), "S");
        let function = "[n] -> { S[i, j] -> A[(i - 1 : i >= 1; n - 1 : i = 0), (i + j)] }";
        let access = position.access(&MultiPwAff::parse(function, &budget()).unwrap(), &budget())?;
        self.accesses.push(position.access_text(&access));
        let Ast::User { stmt, mut args } = node else { panic!("not a statement") };
        args.push(Expr::constant(self.accesses.len() as i64));
        Ok(Ast::User { stmt, args })
    }
}

#[test]
fn callbacks_annotate_and_rewrite() {
    let tree = "{ domain: \"[n] -> { S[i, j] : 1 <= i < n and 0 <= j < i }\", child: { schedule: \"[{ S[i, j] -> [(i)] }, { S[i, j] -> \
                [(floor(j/4))] }, { S[i, j] -> [(j)] }]\", coincident: [0, 0, 1] } }";
    let tree = ScheduleTree::from_yaml(tree, &budget()).unwrap();
    let mut hooks = Annotate::default();
    let unit = AstBuild::new().build_with(&tree, &mut hooks, &budget()).unwrap();
    assert_eq!((hooks.open, hooks.deepest), (0, 3));
    assert_eq!(hooks.accesses, ["A[c0 - 1][c0 + c2]"]);
    let expected = "for (int c0 = 1; c0 <= n - 1; c0 += 1)\n  for (int c1 = 0; c1 <= (c0 - 1) / 4; c1 += 1) {\n    // parallel\n    for \
                    (int c2 = 4 * c1; c2 <= min(c0 - 1, 4 * c1 + 3); c2 += 1)\n      S(c0, c2, 1);\n  }\n";
    assert_eq!(unit.to_string(), expected);
}
