//! Loops that do not run in vain: what parts a loop, which conditions stand before it, steps that divisions hide.

use tessera_polyhedral::ast::AstBuild;
use tessera_polyhedral::budget::Budget;
use tessera_polyhedral::relation::UnionMap;

fn code(schedule: &str) -> String {
    let schedule: UnionMap = schedule.parse().unwrap_or_else(|e| panic!("{schedule}: {e}"));
    let ast = AstBuild::new().build_relation(&schedule, None, &Budget::new(50_000_000)).unwrap();
    ast.to_string()
}

/// The first two loops would run for every `n`.
#[test]
fn condition_before_loops_that_do_not_need_it() {
    let schedule = "[n] -> { S[i, j, k] -> [i, j, k] : 0 <= i <= 8 and 0 <= j <= i and 4 <= k <= n }";
    insta::assert_snapshot!(code(schedule), @r"
    if (n >= 4)
      for (int c0 = 0; c0 <= 8; c0 += 1)
        for (int c1 = 0; c1 <= c0; c1 += 1)
          for (int c2 = 4; c2 <= n; c2 += 1)
            S(c0, c1, c2);
    ");
}

/// Only one loop runs in vain where `m < 4`.
#[test]
fn condition_of_the_next_loop() {
    let schedule = "[n, m] -> { S[i, j] -> [i, j] : 0 <= i <= n and 4 <= j <= m }";
    insta::assert_snapshot!(code(schedule), @r"
    for (int c0 = 0; c0 <= n; c0 += 1)
      for (int c1 = 4; c1 <= m; c1 += 1)
        S(c0, c1);
    ");
}
