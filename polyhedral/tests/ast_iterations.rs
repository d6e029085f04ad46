//! Loops that do not run in vain: what parts a loop, which conditions stand before it, steps that divisions hide.

use tessera_polyhedral::ast::AstBuild;
use tessera_polyhedral::budget::Budget;
use tessera_polyhedral::relation::UnionMap;

fn code(schedule: &str) -> String {
    let schedule: UnionMap = schedule.parse().unwrap_or_else(|e| panic!("{schedule}: {e}"));
    let ast = AstBuild::new().build_relation(&schedule, None, &Budget::new(50_000_000)).unwrap();
    ast.to_string()
}

/// `x` is `8 k + 3`, so that the division by 2 is exact and the loop has the step 12.
#[test]
fn step_of_a_quotient() {
    let schedule = "[n] -> { S[x] -> [floor((3x + 1)/2), x] : -1 <= x <= n and (3x + 1) mod 8 = 2 }";
    insta::assert_snapshot!(code(schedule), @r"
    for (int c0 = 0; c0 <= floord(n - 3, 8); c0 += 1)
      S(8 * c0 + 3);
    ");
}

/// The same with a coefficient of another unknown.
#[test]
fn step_of_a_quotient_of_two_dimensions() {
    let schedule =
        "[n] -> { S[x, y] -> [floor((3x + 5y)/4), x, y] : 0 <= x <= n and 0 <= y <= 9 and (3x + 5y) mod 12 = 7 }";
    insta::assert_snapshot!(code(schedule), @r"
    for (int c0 = 4; c0 <= floord(3 * n + 1, 4) + 9; c0 += 3)
      for (int c1 = max(5 - ((c0 + 2) / 3) % 5, 4 * ((c0 + 2) / 3) - 15); c1 <= min(n, 4 * ((c0 + 2) / 3) - 5); c1 += 5)
        S(c1, c0 - 3 * (((c0 + 2) / 3 + c1) / 5) + 1);
    ");
}

/// Where `i > n` there is nothing to do but `T`.
#[test]
fn parted_by_range() {
    let schedule = "[n] -> { S[i, j] -> [i, j] : 0 <= i <= 9 and 0 <= j <= n - i; T[i] -> [i, 9] : 0 <= i <= 9 }";
    insta::assert_snapshot!(code(schedule), @r"
    for (int c0 = 0; c0 <= 9; c0 += 1) {
      if (c0 <= n) {
        for (int c1 = 0; c1 <= min(n - c0, 8); c1 += 1)
          S(c0, c1);
        for (int c1 = 9; c1 <= max(n - c0, 9); c1 += 1) {
          if (c0 + c1 <= n)
            S(c0, c1);
          if (c1 == 9)
            T(c0);
        }
      } else {
        T(c0);
      }
    }
    ");
}

/// The outer loop is parted where only `S1` is left; inside, the second loop is parted where only `S0` is left, with a
/// longer step.
#[test]
fn parted_for_a_step() {
    let schedule = "{ S0[x, y] -> [3 * floor((2x)/3), 3 * floor((3x + 3y + 1)/3), (2x) mod 3, (3x + 3y + 1) mod 3] :
                             0 <= x <= 9 and 0 <= y <= 9 and (-x + 3y + 2) mod 4 = 0;
                      S1[x, y] -> [3 * floor((3x + y + 1)/3), floor((2x + 2y + 1)/3), (3x + y + 1) mod 3,
                                   (2x + 2y + 1) mod 3] : 0 <= x <= 9 and 1 <= y <= 9 and (x + y + 1) mod 2 = 0 }";
    insta::assert_snapshot!(code(schedule), @r"
    for (int c0 = 0; c0 <= 12; c0 += 1) {
      if (c0 <= 6) {
        for (int c1 = (2 * c0) / 3 + 1; c1 <= min(4 * c0 + (c0 + 1) / 2 - 3, (2 * c0) / 3 + 4); c1 += 1)
          if ((3 * c1) % 4 >= 1)
            for (int c2 = max((3 * c1 + 3) / 4 - 2 * c0, max(3 * ((3 * c1 + 3) / 4) - 2 * c0 - 10, floord(1 - c0, 2))); c2 <= min(floord(-c0, 2) + 1, 3 * ((3 * c1 + 3) / 4) - 2 * c0 - 2); c2 += 1)
              S1(2 * c0 + c2 - (3 * c1 + 3) / 4, 3 * ((3 * c1 + 3) / 4) - 2 * c0 - c2 - 1);
        if (c0 <= 0) {
          S1(0, 1);
          for (int c1 = 0; c1 <= 2; c1 += 1)
            for (int c2 = max(0, 4 * c1 - 7); c2 <= 1; c2 += 1)
              S0(c2, 4 * c1 - c2 + 2);
        } else {
          for (int c1 = (3 * c0 + 3) / 8; c1 <= (3 * c0 + 7) / 8 + 1; c1 += 1)
            for (int c2 = floord(1 - c0, 2); c2 <= min(floord(-c0, 2) + 1, min(4 * c1 - 2 * c0 + 2, 9 - 2 * c0)); c2 += 1)
              S0(2 * c0 + c2, 4 * c1 - 2 * c0 - c2 + 2);
        }
      } else {
        for (int c1 = max((2 * c0) / 3 + 1, 2 * c0 - 13); c1 <= (2 * c0 + 1) / 3 + 4; c1 += 1)
          if ((3 * c1) % 4 >= 1)
            for (int c2 = max(3 * ((3 * c1 + 3) / 4) - 2 * c0 - 10, floord(1 - c0, 2)); c2 <= min(floord(-c0, 2) + 1, min(3 * ((3 * c1 + 3) / 4) - 2 * c0 - 2, (3 * c1 + 3) / 4 - 2 * c0 + 9)); c2 += 1)
              S1(2 * c0 + c2 - (3 * c1 + 3) / 4, 3 * ((3 * c1 + 3) / 4) - 2 * c0 - c2 - 1);
      }
    }
    ");
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
